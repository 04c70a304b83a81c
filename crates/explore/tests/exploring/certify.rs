//! Certification refuses every tree that is not that of the program, whatever was done to it.

use std::fs;
use std::path::{Path, PathBuf};

use refrain_explore::certify::{Difference, Recheck};
use refrain_explore::memo::{input_bytes, input_of};
use refrain_explore::{
    Certificate, CertifyError, CertifyOptions, Limits, Memo, Mode, Options, certify,
};
use refrain_machine::Machine;
use refrain_memo::{AskKind, Header, Reading, Tree};
use refrain_reuse::PRESETS;
use refrain_solver::select;
use refrain_testing::{Random, count};

use super::memo::edited;
use super::model::{End, Model, Place, Said, cut, model, open, write};
use super::{Program, Toy, explore};

/// Certifies a tree, with a solver or without one.
pub fn certified(
    program: &Program,
    tree: &Tree,
    by_solver: bool,
) -> Result<Certificate, CertifyError> {
    let mut solver = select::from_spec("native", &select::Options::default()).unwrap();
    let recheck = by_solver.then(|| Recheck {
        solver: &mut *solver,
        limits: Default::default(),
    });
    let options = CertifyOptions {
        recheck,
        ..CertifyOptions::default()
    };
    certify(&mut Toy::new(program), tree, options)
}

/// The tree of a program, perhaps up to some depth.
fn record(program: &Program, directory: &Path, random: &mut Random) -> Tree {
    let tree = Tree::create(directory, Header::default()).unwrap();
    let options = Options {
        mode: [Mode::Fork, Mode::Concolic][random.below(2usize)],
        limits: Limits {
            depth: random.pick(&[u32::MAX, u32::MAX, 3]),
            ..Limits::default()
        },
        memo: Some(Memo::resume(tree).unwrap().into()),
        ..Options::default()
    };
    explore(program, 1, random.pick(PRESETS), options);
    open(directory)
}

/// A sealed tree that says this.
fn written(directory: &Path, model: &Model) -> Tree {
    let tree = Tree::create(directory, Header::default()).unwrap();
    let recording = tree.record().unwrap();
    let mut writer = recording.writer().unwrap();
    let mut left = vec![(Place::new(), refrain_memo::Edge::ROOT)];
    while let Some((place, edge)) = left.pop() {
        let Some(said) = model.get(&place) else {
            continue;
        };
        for below in write(&mut writer, edge, said) {
            let place = [&place[..], &[below.alternative()]].concat();
            left.push((place, below));
        }
    }
    writer.finish().unwrap();
    recording.seal().unwrap();
    open(directory)
}

/// What is said of other inputs, code or decisions than are there.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    Input,
    End,
    Infeasible,
    Missing,
    Swapped,
    Conditions,
    Implied,
    Value,
    Code,
    Point,
    Kind,
    Core,
    Cause,
    Leaf,
}

const LIES: [Lie; 14] = [
    Lie::Input,
    Lie::End,
    Lie::Infeasible,
    Lie::Missing,
    Lie::Swapped,
    Lie::Conditions,
    Lie::Implied,
    Lie::Value,
    Lie::Code,
    Lie::Point,
    Lie::Kind,
    Lie::Core,
    Lie::Cause,
    Lie::Leaf,
];

/// Puts a lie in a model at a place; none if there is no room for it.
fn lie(model: &mut Model, place: &Place, lie: Lie, random: &mut Random) -> Option<()> {
    let said = model.get_mut(place)?;
    match (lie, said) {
        (Lie::Input, Said::Leaf { input, .. } | Said::Open { input, .. }) => {
            let mut values = input_of(input.as_ref()?)?;
            if random.one_in(8) {
                input.as_mut()?.pop();
                return Some(());
            }
            if values.is_empty() {
                return None;
            }
            let at = random.below(values.len());
            values[at].bytes[0] ^= 1 << random.below(8u32);
            *input = Some(input_bytes(&values));
        }
        (Lie::End, Said::Leaf { end, .. }) => match end {
            End::Exit(Some(status)) if random.coin() => *status += 1,
            End::Silent => *end = End::Exit(Some(0)),
            End::Boundary(..) => *end = End::Unsupported("it is cut".into()),
            end => {
                *end = match random.below(3u32) {
                    0 => End::Silent,
                    1 => End::Exit(None),
                    _ => End::Error("assertion".into()),
                }
            }
        },
        (Lie::Infeasible, Said::Node { .. } | Said::Leaf { .. }) => {
            cut(model, place);
            model.insert(place.clone(), Said::Infeasible(None));
        }
        (Lie::Missing, Said::Node { .. } | Said::Leaf { .. }) => {
            cut(model, place);
            model.remove(place);
        }
        (Lie::Swapped, Said::Node { kind, .. }) => {
            let alternatives = kind.alternatives();
            if alternatives < 2 {
                return None;
            }
            let one = random.below(alternatives);
            let other = (one + 1 + random.below(alternatives - 1)) % alternatives;
            let before = model.clone();
            let depth = place.len();
            let below = |other: &Place| other.len() > depth && other.starts_with(place);
            model.retain(|place, _| !below(place));
            for (place, said) in before.iter().filter(|(place, _)| below(place)) {
                let mut place = place.clone();
                place[depth] = match place[depth] {
                    at if at == one => other,
                    at if at == other => one,
                    at => at,
                };
                model.insert(place, said.clone());
            }
            return (*model != before).then_some(());
        }
        (Lie::Conditions, Said::Node { hash, .. }) => *hash ^= 1 << random.below(64u32),
        (Lie::Implied, Said::Node { implied, .. } | Said::Leaf { implied, .. }) => {
            match implied.last_mut() {
                Some(last) if random.coin() => *last ^= 1,
                Some(_) if random.coin() => drop(implied.pop()),
                _ => implied.push(0),
            }
        }
        (Lie::Value, Said::Node { value, .. }) => match value {
            Some(bytes) => *bytes.last_mut()? ^= 1 << random.below(8u32),
            None => *value = Some(vec![8, 1]),
        },
        (Lie::Code, Said::Node { ran, .. } | Said::Leaf { ran, .. }) => {
            let units: Vec<_> = ran.iter().cloned().collect();
            let unit = units.get(random.below(units.len().max(1)));
            match unit {
                Some(unit) if random.coin() => drop(ran.remove(unit)),
                Some((symbol, block, hash, part)) => {
                    ran.remove(&(symbol.clone(), *block, *hash, *part));
                    ran.insert((symbol.clone(), *block, *hash ^ 1, *part));
                }
                None => drop(ran.insert(("toy".into(), Some(0), 0, 0))),
            }
        }
        (Lie::Point, Said::Node { point, .. }) => point.2 += 1,
        (
            Lie::Point,
            Said::Leaf {
                end: End::Boundary(_, stack),
                ..
            },
        ) => stack[0].2 += 100,
        (Lie::Kind, Said::Node { kind, .. }) => {
            *kind = match kind {
                AskKind::Choose(2) => AskKind::Assume,
                AskKind::Assume => AskKind::Choose(2),
                AskKind::Fix => AskKind::Sample,
                AskKind::Sample => AskKind::Fix,
                AskKind::Witness => AskKind::Choose(1),
                AskKind::Choose(_) => return None,
            }
        }
        (Lie::Core, Said::Infeasible(core)) => *core = Some(vec![100]),
        (
            Lie::Cause,
            Said::Open { cause, .. }
            | Said::Leaf {
                end: End::Boundary(cause, _),
                ..
            },
        ) => cause.clear(),
        (Lie::Leaf, Said::Node { .. }) => {
            let leaves = model
                .range(place.clone()..)
                .take_while(|(below, _)| below.starts_with(place));
            let leaf = leaves
                .map(|(_, said)| said)
                .find(|said| matches!(said, Said::Leaf { .. }));
            let leaf = leaf?.clone();
            cut(model, place);
            model.insert(place.clone(), leaf);
        }
        _ => return None,
    }
    Some(())
}

/// The x and y of the input of a place.
fn input(said: &Said) -> Option<[u64; 2]> {
    let (Said::Leaf { input, .. } | Said::Open { input, .. }) = said else {
        return None;
    };
    let values = input_of(input.as_ref()?)?;
    let value = |name: &str| {
        let value = values.iter().find(|value| value.name == name);
        value.map_or(0, |value| u64::from(value.bytes[0]))
    };
    Some(["x", "y"].map(value))
}

#[test]
fn what_is_not_so_is_refused() {
    let mut random = Random::new(7);
    let (mut refused, mut harmless) = ([0; LIES.len()], 0);
    for seed in 0..count("REFRAIN_LIES", 250, 20_000) {
        let program = Program::random(seed);
        let folder = tempfile::tempdir().unwrap();
        let honest = model(&record(&program, &folder.path().join("0"), &mut random));
        let again = written(&folder.path().join("1"), &honest);
        certified(&program, &again, true).unwrap();
        let places: Vec<&Place> = honest.keys().collect();
        for (number, kind) in LIES.into_iter().enumerate() {
            let mut changed = honest.clone();
            let place = random.pick(&places);
            if lie(&mut changed, place, kind, &mut random).is_none() {
                continue;
            }
            let what = format!("program {seed}, {kind:?} at {place:?}");
            let folder = tempfile::tempdir().unwrap();
            let tree = written(folder.path(), &changed);
            let result = certified(&program, &tree, kind == Lie::Infeasible);
            match (kind, &result) {
                // Another input is as good if it does the same.
                (Lie::Input, result) => {
                    let courses = [&honest, &changed].map(|model| {
                        let [x, y] = input(&model[place])?;
                        Some(program.run(x, y))
                    });
                    if matches!(
                        honest[place],
                        Said::Leaf {
                            end: End::Exit(_),
                            ..
                        }
                    ) {
                        assert_eq!(
                            courses[0] == courses[1],
                            result.is_ok(),
                            "{what}: {result:?}"
                        );
                    }
                    harmless += usize::from(result.is_ok());
                }
                (_, Ok(_)) => panic!("it is accepted: {what}"),
                (_, Err(CertifyError::Refused { .. })) => {}
                (_, Err(error)) => panic!("{error}: {what}"),
            }
            refused[number] += usize::from(result.is_err());
        }
    }
    assert!(refused.iter().all(|&times| times > 10), "{refused:?}");
    assert!(
        refused.iter().sum::<usize>() > 1000 && harmless > 10,
        "{refused:?}"
    );
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| !path.ends_with("lock")).collect();
    files.sort();
    files
}

#[test]
fn damaged_files_are_refused() {
    let mut random = Random::new(8);
    for seed in 0..count("REFRAIN_DAMAGE", 40, 2_000) {
        let program = Program::random(seed);
        let folder = tempfile::tempdir().unwrap();
        record(&program, folder.path(), &mut random);
        let files = files(folder.path());
        assert_eq!(files.len(), 3, "a header, a log and a seal");
        for _ in 0..10 {
            let path = random.pick(&files.iter().collect::<Vec<_>>());
            let bytes = fs::read(path).unwrap();
            let (from, more) = (random.below(bytes.len()), 1 + random.below(20usize));
            let to = bytes.len().min(from + more);
            let changed = match random.below(5u32) {
                0 => {
                    let mut bytes = bytes.clone();
                    bytes[from] ^= 1 << random.below(8u32);
                    Some(bytes)
                }
                1 => Some([&bytes[..from], &bytes[to..]].concat()),
                2 => Some([&bytes[..to], &bytes[from..]].concat()),
                3 => Some(bytes[..from].to_vec()),
                _ => None,
            };
            match changed {
                Some(changed) => fs::write(path, changed).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            for reading in [Reading::Strict, Reading::Lenient] {
                if let Ok(tree) = Tree::open(folder.path(), reading) {
                    let result = certified(&program, &tree, false);
                    assert!(
                        matches!(result, Err(CertifyError::Memo(_))),
                        "program {seed}"
                    );
                }
            }
            fs::write(path, bytes).unwrap();
        }
        certified(&program, &open(folder.path()), false).unwrap();
    }
}

#[test]
fn the_tree_of_another_program_is_refused() {
    let mut random = Random::new(9);
    let mut outcomes = [0; 2];
    for seed in 0..count("REFRAIN_OTHERS", 300, 20_000) {
        let program = Program::random(seed);
        let folder = tempfile::tempdir().unwrap();
        let tree = record(&program, folder.path(), &mut random);
        let other = edited(&program, &mut random);
        let toy = Toy::new(&other);
        let impact = tree.impact(|symbol, block| toy.code_hash(symbol, block?));
        // Code that no path came to may be any.
        let is_other = !impact.edges.is_empty();
        let result = certified(&other, &tree, false);
        assert_eq!(result.is_err(), is_other, "program {seed}: {result:?}");
        outcomes[usize::from(is_other)] += 1;
    }
    assert!(outcomes.iter().all(|&times| times > 20), "{outcomes:?}");
}

#[test]
fn a_compressed_tree_cannot_be_certified() {
    let program = Program::random(1);
    let folder = tempfile::tempdir().unwrap();
    let tree = record(&program, folder.path(), &mut Random::new(1));
    let tree = tree.compact().unwrap();
    certified(&program, &tree, false).unwrap();
    let tree = tree.compress().unwrap();
    let result = certified(&program, &tree, false);
    assert!(
        matches!(result, Err(CertifyError::Summary(_))),
        "{result:?}"
    );
}

#[test]
fn a_difference_is_named_with_its_path_and_point() {
    let program = Program::random(3);
    let folder = tempfile::tempdir().unwrap();
    let mut model = model(&record(
        &program,
        &folder.path().join("0"),
        &mut Random::new(2),
    ));
    let leaves = model.iter_mut().filter_map(|(place, said)| match said {
        Said::Leaf {
            end: End::Exit(Some(status)),
            ..
        } if place.len() > 2 => Some(status),
        _ => None,
    });
    let status = leaves.last().unwrap();
    *status += 1;
    let said = *status;
    let result = certified(&program, &written(&folder.path().join("1"), &model), false);
    let Err(error @ CertifyError::Refused { .. }) = result else {
        panic!("{result:?}");
    };
    let text = error.to_string();
    assert!(
        text.contains(&format!("Exit(Some({}))", said - 1)),
        "{text}"
    );
    assert!(
        text.contains("in toy, block 0, instruction 14, after "),
        "{text}"
    );
    let CertifyError::Refused { difference, site } = error else {
        unreachable!()
    };
    assert!(matches!(difference, Difference::OtherEnd { .. }));
    assert!(site.decisions.len() > 2);
}
