//! Runs that start from the memo tree of others: whatever stopped those, and whatever was edited since, in the end the
//! tree has exactly the paths of the program.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use refrain_explore::memo::{Again, Guide, Heuristic, input_of};
use refrain_explore::search::SEARCHES;
use refrain_explore::workers::Outcome;
use refrain_explore::{Certificate, Limits, Memo, Mode, Options};
use refrain_machine::{Goal, Machine};
use refrain_memo::{Below, Edge, Ending, Header, Input, Reading, Tree};
use refrain_reuse::PRESETS;
use refrain_solver::Reason;
use refrain_testing::{Random, effort};

use super::certify::certified;
use super::multiplex::{Says, explore_scripted};
use super::{Instruction, Program, Toy, brute_force, explore};

/// Runs a program from what is in a directory.
struct Runs<'a> {
    directory: &'a Path,
    mode: Mode,
    random: Random,
}

impl Runs<'_> {
    fn tree(&self) -> Tree {
        match Tree::open(self.directory, Reading::Lenient) {
            Ok(tree) => tree,
            Err(_) => Tree::create(self.directory, Header::default()).unwrap(),
        }
    }

    fn options(&mut self, memo: Memo, limits: Limits) -> Options {
        let searches = SEARCHES.len() as u64;
        Options {
            mode: self.mode,
            search: SEARCHES[self.random.below(searches) as usize].1,
            seed: self.random.next(),
            limits,
            memo: Some(Arc::new(memo)),
            ..Options::default()
        }
    }

    fn run(&mut self, program: &Program, memo: Memo, limits: Limits) -> Outcome {
        let options = self.options(memo, limits);
        let preset = PRESETS[self.random.below(PRESETS.len() as u64) as usize];
        let jobs = 1 + self.random.below(3) as usize;
        explore(program, jobs, preset, options).1
    }

    fn resume(&mut self, program: &Program, limits: Limits) -> Outcome {
        let memo = Memo::resume(self.tree()).unwrap();
        self.run(program, memo, limits)
    }

    fn regress(&mut self, program: &Program, limits: Limits) -> Outcome {
        let toy = Toy::new(program);
        let memo = Memo::regress(self.tree(), |symbol, block| toy.code_hash(symbol, block));
        self.run(program, memo.unwrap(), limits)
    }

    /// That the tree is that of the program: its paths and no other, each once, with an input that takes it.
    fn check(&self, program: &Program, what: &str) {
        let tree = Tree::open(self.directory, Reading::Strict).unwrap();
        let mut seen = BTreeSet::new();
        for edge in tree.edges_in(&tree.enabled(|_| true)) {
            let leaf = match tree.below(edge) {
                Below::Leaf(leaf) => leaf,
                Below::Open(_) | Below::Unknown { .. } => panic!("{edge:?} is open: {what}"),
                _ => continue,
            };
            let Some(Input::Bytes(bytes)) = tree.input(edge) else {
                panic!("a path without an input: {what}");
            };
            let values = input_of(&bytes).unwrap();
            let value = |name: &str| {
                let value = values.iter().find(|value| value.name == name);
                value.map_or(0, |value| u64::from(value.bytes[0]))
            };
            let path = program.run(value("x"), value("y"));
            match leaf.ending {
                Ending::Silent => assert_eq!(path, None, "{what}"),
                Ending::Exit(Some(status)) => {
                    let path = path.unwrap_or_else(|| panic!("an input that is excluded: {what}"));
                    assert_eq!(path.1, status as u64, "{what}");
                    assert!(seen.insert(path), "twice: {what}");
                }
                ending => panic!("no other end: {ending:?}"),
            }
        }
        assert_eq!(seen, brute_force(program), "{what}");
        let certificate = self.certify(program, what);
        assert!(certificate.boundaries.is_empty(), "{what}");
        let rechecked = certified(program, &tree, true).unwrap();
        assert!(rechecked.trusted.is_empty(), "{what}");
        let has_core =
            |&&edge: &&Edge| matches!(tree.below(edge), Below::Infeasible { core: Some(_) });
        let with_core = certificate.trusted.iter().filter(has_core).count();
        assert_eq!(rechecked.by_core, with_core as u64, "{what}");
        assert_eq!(
            rechecked.rechecked,
            certificate.trusted.len() as u64,
            "{what}"
        );
    }

    /// That the tree is that of the program, up to its boundaries.
    fn certify(&self, program: &Program, what: &str) -> Certificate {
        let tree = Tree::open(self.directory, Reading::Strict).unwrap();
        let certificate = certified(program, &tree, false);
        certificate.unwrap_or_else(|error| panic!("{error}: {what}"))
    }
}

fn runs<'a>(directory: &'a tempfile::TempDir, seed: u64) -> Runs<'a> {
    Runs {
        directory: directory.path(),
        mode: [Mode::Fork, Mode::Concolic][seed as usize % 2],
        random: Random::new(seed),
    }
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth,
        ..Limits::default()
    }
}

/// The seeds of a test, and one that once found a mistake.
fn seeds(ordinary: u64, long: u64, found: u64) -> impl Iterator<Item = u64> {
    (0..effort(ordinary, long)).chain([found])
}

#[test]
fn deepening_step_by_step_is_as_good_as_at_once() {
    for seed in 0..effort(60, 20_000) {
        let program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        for limit in [2, 4, u32::MAX] {
            runs.resume(&program, depth(limit));
            runs.certify(&program, &format!("program {seed}, {limit}"));
        }
        runs.check(&program, &format!("program {seed}"));
        let again = runs.resume(&program, Limits::default());
        assert_eq!(again.stats.instructions, 0, "program {seed}");
    }
}

#[test]
fn what_limits_stop_goes_on() {
    for seed in seeds(60, 20_000, 86) {
        let program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        for round in 1..=40 {
            let limits = match runs.random.below(4) {
                0 => Limits {
                    instructions: 4 * round,
                    ..Limits::default()
                },
                1 => Limits {
                    forks: round,
                    ..Limits::default()
                },
                _ => Limits {
                    paths: 1 + runs.random.below(5),
                    ..Limits::default()
                },
            };
            let known = ended(&runs.tree());
            runs.resume(&program, limits);
            let what = format!("program {seed}, round {round}");
            assert!(known.is_subset(&ended(&runs.tree())), "lost paths: {what}");
            runs.certify(&program, &what);
        }
        runs.resume(&program, Limits::default());
        runs.check(&program, &format!("program {seed}"));
    }
}

/// The ways to all paths that have come to an end of their own.
fn ended(tree: &Tree) -> BTreeSet<Vec<u32>> {
    let has_ended = |&edge: &Edge| match tree.below(edge) {
        Below::Leaf(leaf) => !matches!(leaf.ending, Ending::Boundary(_)),
        _ => false,
    };
    let edges = tree.every_edge().filter(has_ended);
    edges
        .map(|edge| {
            let way = tree.path_to(edge).into_iter();
            way.map(Edge::alternative).collect()
        })
        .collect()
}

/// The points that have run, by the tree.
fn covered(tree: &Tree) -> BTreeSet<Option<u32>> {
    let units = tree.code_on(|_| true).into_iter();
    units.map(|unit| tree.unit(unit).block).collect()
}

#[test]
fn going_on_where_new_code_may_be_reached_reaches_all_of_it() {
    let (mut guided, mut all) = (0, 0);
    for seed in 0..effort(100, 20_000) {
        let program = Program::random(seed);
        let directories = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [mut first, mut whole] = [0, 1].map(|at| runs(&directories[at], seed));
        first.resume(&program, depth(3));
        let tree = first.tree();
        let mut toy = Toy::new(&program);
        let guide = Guide::new(&tree, &mut toy, Heuristic::Reachability, Goal::Uncovered);
        let counter = Guide::new(&tree, &mut toy, Heuristic::Counter, Goal::Uncovered);
        let open = |guide: &Guide| -> BTreeSet<Edge> {
            let chosen = tree.every_edge().filter(|&edge| guide.goes_on(edge));
            chosen.collect()
        };
        let (reachable, nearest) = (open(&guide), open(&counter));
        assert!(nearest.is_subset(&reachable) && nearest.is_empty() == reachable.is_empty());
        let again = Again {
            goes_on: &|edge, _| guide.goes_on(edge),
            ..Again::default()
        };
        let memo = Memo::new(tree, &again).unwrap();
        guided += first
            .run(&program, memo, Limits::default())
            .stats
            .instructions;
        whole.resume(&program, depth(3));
        all += whole.resume(&program, Limits::default()).stats.instructions;
        assert_eq!(
            covered(&first.tree()),
            covered(&whole.tree()),
            "program {seed}"
        );
    }
    assert!(guided < all, "{guided} of {all}");
}

#[test]
fn what_a_solver_refuses_goes_on() {
    let mut refused = 0;
    for seed in seeds(100, 20_000, 1301) {
        let program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        for round in 0..4 {
            let memo = Memo::resume(runs.tree()).unwrap();
            let options = runs.options(memo, Limits::default());
            let script = move |checks| {
                let mut random = Random::new(seed << 32 | round << 16 | checks as u64);
                let reasons = [
                    None,
                    Some(Reason::Conflicts),
                    Some(Reason::Incomplete("refused".into())),
                ];
                Says {
                    refuses: reasons[random.below(3usize)].clone(),
                    partial_solutions: Vec::new(),
                }
            };
            explore_scripted(&program, 1, options, script);
            let certificate = runs.certify(&program, &format!("program {seed}, round {round}"));
            refused += certificate.boundaries.len();
        }
        runs.resume(&program, Limits::default());
        runs.check(&program, &format!("program {seed}"));
        let again = runs.resume(&program, Limits::default());
        assert_eq!(again.stats.instructions, 0, "program {seed}");
    }
    assert!(refused > 20, "{refused}");
}

/// Cuts off the ends of logs, as if the process had been killed before they were written. Whether any was.
fn tear(directory: &Path, random: &mut Random) -> bool {
    let mut is_torn = false;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "log") && random.percent(50) {
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            let length = file.metadata().unwrap().len();
            let left = random.below(length + 1);
            file.set_len(left).unwrap();
            is_torn |= left < length;
        }
    }
    is_torn
}

#[test]
fn what_was_killed_goes_on() {
    for seed in 0..effort(60, 20_000) {
        let program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        for limit in [3, 6, u32::MAX] {
            runs.resume(&program, depth(limit));
            let mut random = Random::new(runs.random.next());
            let is_torn = tear(directory.path(), &mut random);
            let refused = certified(&program, &runs.tree(), false).is_err();
            assert_eq!(refused, is_torn, "program {seed}");
        }
        runs.resume(&program, Limits::default());
        runs.check(&program, &format!("program {seed}"));
    }
}

/// Another instruction somewhere, or one more, or one less.
pub fn edited(program: &Program, random: &mut Random) -> Program {
    let Program(mut instructions) = Program(program.0.clone());
    let other = Program::random(random.next()).0;
    let at = random.below(instructions.len() as u64 - 1) as usize;
    match &mut instructions[at] {
        Instruction::Less(factors, ..) | Instruction::Assume(factors) if random.percent(60) => {
            factors[random.below(3) as usize] = random.below(256);
        }
        Instruction::Add(value) if random.percent(60) => *value = random.below(9),
        // Both go forward from the same point.
        instruction => *instruction = other[at].clone(),
    }
    Program(instructions)
}

/// Limits stop a run that follows an edit: what it leaves is true of the new program, and goes on.
#[test]
fn what_limits_stop_after_an_edit_goes_on() {
    let mut stopped = 0;
    for seed in 0..effort(100, 20_000) {
        let program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        let first = match runs.random.below(3) {
            0 => depth(3),
            _ => Limits::default(),
        };
        runs.resume(&program, first);
        let mut random = Random::new(runs.random.next());
        let program = edited(&program, &mut random);
        let few = |runs: &mut Runs| Limits {
            paths: 1 + runs.random.below(3),
            ..Limits::default()
        };
        let limits = few(&mut runs);
        runs.regress(&program, limits);
        for round in 0..6 {
            let what = format!("program {seed}, round {round}");
            let certificate = runs.certify(&program, &what);
            stopped += usize::from(!certificate.boundaries.is_empty());
            let known = ended(&runs.tree());
            let limits = few(&mut runs);
            runs.resume(&program, limits);
            assert!(known.is_subset(&ended(&runs.tree())), "lost paths: {what}");
        }
        runs.resume(&program, Limits::default());
        runs.check(&program, &format!("program {seed}"));
    }
    assert!(stopped > 50, "{stopped}");
}

#[test]
fn after_an_edit_the_tree_is_that_of_the_new_program() {
    let (mut kept, mut all) = (0, 0);
    for seed in 0..effort(120, 100_000) {
        let mut program = Program::random(seed);
        let directory = tempfile::tempdir().unwrap();
        let mut runs = runs(&directory, seed);
        let first = match runs.random.below(3) {
            0 => depth(3),
            _ => Limits::default(),
        };
        all += runs.resume(&program, first).stats.instructions;
        for edit in 0..3 {
            let mut random = Random::new(runs.random.next());
            program = edited(&program, &mut random);
            kept += runs.regress(&program, Limits::default()).stats.instructions;
            runs.check(&program, &format!("program {seed}, edit {edit}"));
            let again = runs.regress(&program, Limits::default());
            assert_eq!(again.stats.instructions, 0, "program {seed}, edit {edit}");
        }
    }
    assert!(kept < 3 * all, "{kept} of {all}");
}
