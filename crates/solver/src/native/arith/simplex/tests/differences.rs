//! Bounds on differences of integers: as a graph, as a tableau, and from one to the other in the middle.

use super::*;

#[derive(Default, Debug)]
struct Tally {
    feasible: u32,
    conflicts: u32,
    /// Of more than two literals, in a graph.
    cycles: u32,
    entered: u32,
    left: u32,
    stopped: u32,
}

/// Integers, all their differences, and sometimes a sum that is none.
fn bench(random: &mut Random) -> Bench {
    let mut bench = Bench::default();
    for _ in 0..3 + random.below(3) {
        bench.symbols.push(bench.simplex.new_var(true));
    }
    let count = bench.symbols.len();
    for plus in 0..count {
        for minus in plus + 1..count {
            let mut coefficients = vec![0; count];
            (coefficients[plus], coefficients[minus]) = (1, -1);
            bench.sum(&coefficients);
        }
    }
    bench
}

fn bounds(random: &mut Random, reach: i64) -> Vec<(Side, Delta)> {
    let number: Delta = Rational::from(random.within(reach)).into();
    match random.below(5) {
        0 | 1 => vec![(Side::Lower, number)],
        2 | 3 => vec![(Side::Upper, number)],
        _ => vec![(Side::Lower, number.clone()), (Side::Upper, number)],
    }
}

fn check(bench: &mut Bench, random: &mut Random, tally: &mut Tally) {
    let outcome = match random.below(4) {
        0 => bench.simplex.check(&mut Haste::default()),
        _ => bench.simplex.check(&mut Patience),
    };
    match outcome {
        Check::Feasible => {
            tally.feasible += 1;
            bench.check_solution();
            for &symbol in &bench.symbols {
                assert!(!bench.simplex.graph.is_on || bench.simplex.value(symbol).is_integer());
            }
        }
        Check::Conflict(conflict) => {
            tally.conflicts += 1;
            tally.cycles += u32::from(bench.simplex.graph.is_on && conflict.len() > 2);
            bench.check_conflict(&conflict);
            let again = bench.simplex.check(&mut Patience);
            assert!(matches!(again, Check::Conflict(_)), "it stays");
            let kept = random.below(bench.asserted.len() as u64) as usize;
            bench.undo_to(kept);
        }
        Check::Stopped => tally.stopped += 1,
    }
}

fn run(seed: u64, tally: &mut Tally) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bench = bench(&mut random);
    let reach = [2, 6, 30][seed as usize % 3];
    for _ in 0..80 {
        match random.below(20) {
            0 => {
                tally.left += u32::from(bench.simplex.graph.is_on);
                bench.simplex.leave_graph();
                bench.check_invariants();
            }
            1 | 2 => {
                if random.below(2) == 0 {
                    bench.undo_to(0);
                }
                let was_on = bench.simplex.graph.is_on;
                bench.simplex.enter_graph();
                let is_new = bench.simplex.graph.is_on && !was_on;
                assert!(!is_new || bench.asserted.is_empty());
                tally.entered += u32::from(is_new);
            }
            3 | 4 => {
                let kept = random.below(bench.asserted.len() as u64 + 1) as usize;
                bench.undo_to(kept);
            }
            5..=8 => check(&mut bench, &mut random, tally),
            _ => {
                let var = bench.random_var(&mut random);
                let bounds = bounds(&mut random, reach);
                if let Err(conflict) = bench.assert(var, bounds) {
                    bench.check_conflict(&conflict);
                    let length = bench.asserted.len() - 1;
                    bench.undo_to(length);
                }
            }
        }
        match bench.simplex.graph.is_on {
            true => bench.check_bounds(),
            false => bench.check_invariants(),
        }
    }
}

#[test]
fn differences_agree_with_elimination() {
    let mut tally = Tally::default();
    for seed in 1..=2000 {
        run(seed, &mut tally);
    }
    assert!(
        tally.feasible > 10_000 && tally.conflicts > 2_000,
        "{tally:?}"
    );
    assert!(tally.cycles > 500 && tally.stopped > 500, "{tally:?}");
    assert!(tally.entered > 1_000 && tally.left > 1_000, "{tally:?}");
}

/// Sums of other shapes, reals, and bounds that are no machine words stay in the tableau.
#[test]
fn only_differences_of_integers_suit_a_graph() {
    let mut bench = Bench::default();
    for _ in 0..3 {
        bench.symbols.push(bench.simplex.new_var(true));
    }
    let one = Rational::ONE;
    let suits = |bench: &Bench, var, number: &Rational| bench.simplex.suits_graph(var, number);
    assert!(suits(&bench, bench.symbols[0], &one));
    for (coefficients, expected) in [
        ([1, -1, 0], true),
        ([1, 1, 0], false),
        ([1, -2, 0], false),
        ([1, -1, 1], false),
    ] {
        let sum = bench.sum(&coefficients).expect("a sum");
        assert_eq!(suits(&bench, sum, &one), expected, "{coefficients:?}");
    }
    let huge = Rational::parse("100000000000000000000").expect("a number");
    assert!(!suits(&bench, bench.symbols[0], &huge));
    let real = bench.simplex.new_var(false);
    assert!(!suits(&bench, real, &one));
}
