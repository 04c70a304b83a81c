//! A bound on loops: what goes around more often than that is a boundary, which a larger bound goes on from.

use super::*;

/// Goes around x mod 8 times; then y < 100 or not.
fn program() -> Program {
    Program(vec![
        Instruction::Below(1, 3),
        Instruction::Add(1),
        // Whatever the input is.
        Instruction::Less([0, 0, 1], 0, 0),
        Instruction::Less([0, 1, 100], 4, 4),
        Instruction::End,
    ])
}

fn bounded(unroll: u32, options: &Options) -> Options {
    Options {
        limits: Limits {
            unroll,
            ..options.limits.clone()
        },
        ..options.clone()
    }
}

#[test]
fn paths_within_the_bound_end_and_the_others_are_one_boundary() {
    let program = program();
    for (index, &(name, search)) in SEARCHES.iter().enumerate() {
        for mode in [Mode::Fork, Mode::Concolic] {
            for jobs in [1, 2] {
                let measures: [fn() -> u64; 2] = [|| 0, scarce::<3>];
                let options = Options {
                    mode,
                    search,
                    seed: index as u64,
                    limits: Limits {
                        memory: Some(1 << 40),
                        measure: measures[(index + jobs) % 2],
                        ..Limits::default()
                    },
                    ..Options::default()
                };
                for bound in 0..9 {
                    let what = format!("{mode:?}, {name}, {jobs} workers, bound {bound}");
                    let (found, outcome) =
                        explore(&program, jobs, "full", bounded(bound, &options));
                    if outcome.stats.dropped > 0 {
                        continue;
                    }
                    let ends = found
                        .ends
                        .iter()
                        .map(|(points, status, ..)| (points, *status));
                    let ends: BTreeSet<_> = ends.collect();
                    let all = brute_force(&program);
                    let within = all.iter().filter(|(_, around)| *around <= u64::from(bound));
                    let within: BTreeSet<_> =
                        within.map(|(points, status)| (points, *status)).collect();
                    assert_eq!(ends.len(), found.ends.len(), "{what}: a path twice");
                    assert_eq!(ends, within, "{what}");
                    // Going around eight times is infeasible: then there is no boundary.
                    assert_eq!(found.unfinished, usize::from(bound < 7), "{what}");
                    assert!(found.left.is_empty(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_larger_bound_goes_on_where_a_smaller_one_stopped() {
    let program = program();
    for mode in [Mode::Fork, Mode::Concolic] {
        let options = Options {
            mode,
            ..Options::default()
        };
        let explored = |bound| tree_of(&program, 1, "full", bounded(bound, &options));
        let (small, large) = (explored(2), explored(5));
        let is_cut = |leaf: &tree::Leaf| *leaf == tree::Leaf::Boundary(Cause::Unroll.to_string());
        assert_eq!(small.leaves.values().filter(|leaf| is_cut(leaf)).count(), 1);
        for (place, leaf) in &small.leaves {
            match is_cut(leaf) {
                true => assert!(large.questions.contains_key(place)),
                false => assert_eq!(large.leaves.get(place), Some(leaf)),
            }
        }
        for (place, question) in &small.questions {
            assert_eq!(large.questions.get(place), Some(question));
        }
    }
}
