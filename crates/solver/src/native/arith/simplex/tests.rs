//! The simplex against elimination, on random sequences of what the theory does with it.

mod differences;
mod fourier_motzkin;

use super::*;
use fourier_motzkin::{Inequality, is_feasible};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn within(&mut self, limit: i64) -> i64 {
        self.below(2 * limit as u64 + 1) as i64 - limit
    }

    /// A small number, not always an integer.
    fn number(&mut self) -> Rational {
        Rational::new(self.within(9), 1 + self.below(3) as i64)
    }
}

/// Lets every check run to its end.
struct Patience;

impl Observer for Patience {
    fn stop(&mut self) -> bool {
        false
    }

    fn before_pivot(&mut self, _: &Simplex, _: &[Move]) {}

    fn watches(&self) -> bool {
        false
    }
}

/// Stops at the second look: after one pivot.
#[derive(Default)]
struct Haste {
    has_looked: bool,
}

impl Observer for Haste {
    fn stop(&mut self) -> bool {
        std::mem::replace(&mut self.has_looked, true)
    }

    fn before_pivot(&mut self, _: &Simplex, _: &[Move]) {}

    fn watches(&self) -> bool {
        false
    }
}

/// Holds what a pivot is told against the simplex.
#[derive(Default)]
struct Attention {
    pivots: u64,
    moves: u64,
}

impl Observer for Attention {
    fn stop(&mut self) -> bool {
        false
    }

    /// Each step brings some basic variable to a bound that it was beyond, and the rows hold after it.
    fn before_pivot(&mut self, simplex: &Simplex, moves: &[Move]) {
        self.pivots += 1;
        for step in moves {
            self.moves += 1;
            let after = |var: Var| simplex.value_after(var, step);
            let repaired = simplex.vars().any(|var| {
                simplex.violation(var).is_some_and(|side| {
                    simplex.row_of(var).is_some()
                        && after(var) == simplex.violated_bound(var, side).value
                })
            });
            assert!(repaired, "a step repairs a violated bound");
            for var in simplex.vars().filter(|&var| !simplex.is_dormant(var)) {
                let Some(sum) = simplex.definition(var) else {
                    continue;
                };
                let mut value = Delta::default();
                for (part, coefficient) in sum {
                    value.add_mul(coefficient, &after(*part));
                }
                assert_eq!(value, after(var), "a step keeps the rows");
            }
        }
    }

    fn watches(&self) -> bool {
        true
    }
}

/// A bound, or for an equation both, as it was asserted.
#[derive(Clone)]
struct Asserted {
    lit: Lit,
    var: Var,
    bounds: Vec<(Side, Delta)>,
    mark: usize,
}

/// A simplex, and what was asserted of it.
#[derive(Default)]
struct Bench {
    simplex: Simplex,
    /// The variables that are no sums.
    symbols: Vec<Var>,
    asserted: Vec<Asserted>,
    lits: usize,
}

impl Bench {
    fn new(symbols: usize) -> Bench {
        let mut bench = Bench::default();
        for _ in 0..symbols {
            bench.symbols.push(bench.simplex.new_var(false));
        }
        bench
    }

    fn sum(&mut self, coefficients: &[i64]) -> Option<Var> {
        let terms = self.symbols.iter().zip(coefficients);
        let sum: Sum = terms
            .filter(|(_, coefficient)| **coefficient != 0)
            .map(|(var, coefficient)| (*var, Rational::from(*coefficient)))
            .collect();
        (sum.len() > 1).then(|| self.simplex.new_sum(sum))
    }

    fn random_var(&self, random: &mut Random) -> Var {
        Var(random.below(self.simplex.vars.len() as u64) as u32)
    }

    /// Asserts bounds of one variable under a new literal. What cannot be is taken back, and returned.
    fn assert(&mut self, var: Var, bounds: Vec<(Side, Delta)>) -> Result<(), Conflict> {
        let lit = refrain_sat::Var::from_index(self.lits).positive();
        self.lits += 1;
        let mark = self.simplex.mark();
        self.asserted.push(Asserted {
            lit,
            var,
            bounds: bounds.clone(),
            mark,
        });
        for (side, value) in bounds {
            self.simplex.bound(var, side, value, lit)?;
        }
        Ok(())
    }

    fn undo_to(&mut self, length: usize) -> Vec<Asserted> {
        let undone = self.asserted.split_off(length);
        if let Some(first) = undone.first() {
            self.simplex.undo_to(first.mark);
        }
        undone
    }

    /// A variable as a sum of the symbols.
    fn coefficients(&self, var: Var) -> Vec<Rational> {
        let mut coefficients = vec![Rational::ZERO; self.symbols.len()];
        let own = [(var, Rational::ONE)];
        let sum = self.simplex.definition(var).map_or(&own[..], |sum| sum);
        for (part, coefficient) in sum {
            let place = self.symbols.iter().position(|symbol| symbol == part);
            coefficients[place.expect("a symbol")] = coefficient.clone();
        }
        coefficients
    }

    fn inequalities<'a>(
        &self,
        asserted: impl IntoIterator<Item = &'a Asserted>,
    ) -> Vec<Inequality> {
        let mut system = Vec::new();
        for assertion in asserted {
            let coefficients = self.coefficients(assertion.var);
            for (side, bound) in &assertion.bounds {
                let strict = !bound.infinitesimal.is_zero();
                system.push(match side {
                    Side::Upper => Inequality::at_most(&coefficients, &bound.standard, strict),
                    Side::Lower => Inequality::at_least(&coefficients, &bound.standard, strict),
                });
            }
        }
        system
    }

    /// What holds between calls.
    fn check_invariants(&self) {
        let simplex = &self.simplex;
        simplex.tableau.check();
        for var in simplex.vars() {
            let info = simplex.info(var);
            match info.place {
                Place::Basic(id) => {
                    let row = simplex.tableau.row(id);
                    assert_eq!(row.basic, var);
                    let mut value = Delta::default();
                    for (entry, coefficient) in &row.entries {
                        assert_eq!(simplex.info(*entry).place, Place::NonBasic);
                        value.add_mul(coefficient, &simplex.info(*entry).value);
                    }
                    assert_eq!(row.total, value, "rows hold");
                    if !simplex.is_within(var) {
                        assert!(simplex.is_suspect[var.index()], "it will be looked at");
                    }
                }
                Place::NonBasic => assert!(simplex.is_within(var), "{var:?} is within its bounds"),
                Place::Dormant => {
                    assert!(info.lower.is_none() && info.upper.is_none());
                    assert!(info.definition.is_some());
                    assert!(simplex.tableau.column(var).is_empty());
                    continue;
                }
            }
            if let Some(sum) = &info.definition {
                let mut value = Delta::default();
                for (part, coefficient) in sum {
                    value.add_mul(coefficient, &simplex.value(*part));
                }
                assert_eq!(
                    simplex.value(var),
                    value,
                    "sums are what they are defined as"
                );
            }
        }
        self.check_bounds();
    }

    /// The bounds are the tightest of those asserted, and have their literals.
    fn check_bounds(&self) {
        for var in self.simplex.vars() {
            for side in [Side::Lower, Side::Upper] {
                let mut tightest: Option<&Delta> = None;
                for assertion in self.asserted.iter().filter(|a| a.var == var) {
                    for (_, value) in assertion.bounds.iter().filter(|(s, _)| *s == side) {
                        let is_tighter = tightest.is_none_or(|old| match side {
                            Side::Lower => value > old,
                            Side::Upper => value < old,
                        });
                        if is_tighter {
                            tightest = Some(value);
                        }
                    }
                }
                let bound = match side {
                    Side::Lower => self.simplex.lower(var),
                    Side::Upper => self.simplex.upper(var),
                };
                assert_eq!(bound.map(|bound| &bound.value), tightest);
                if let Some(bound) = bound {
                    let source = self.asserted.iter().find(|a| a.lit == bound.reason);
                    let source = source.expect("a literal that is asserted");
                    assert!(source.var == var);
                    assert!(source.bounds.contains(&(side, bound.value.clone())));
                }
            }
        }
    }

    /// For a small enough infinitesimal, the values are rational numbers that satisfy everything that is asserted.
    fn check_solution(&self) {
        let half = Rational::new(1, 2);
        let mut delta = Rational::ONE;
        let system = self.inequalities(&self.asserted);
        let solves = |delta: &Rational| {
            system.iter().all(|inequality| {
                let mut sum = Rational::ZERO;
                for (symbol, coefficient) in self.symbols.iter().zip(&inequality.coefficients) {
                    sum.add_mul(coefficient, &self.simplex.value(*symbol).at(delta));
                }
                sum < inequality.limit || (sum == inequality.limit && !inequality.strict)
            })
        };
        for _ in 0..100 {
            if solves(&delta) {
                return;
            }
            delta = &delta * &half;
        }
        panic!("feasible, but the values do not satisfy the bounds");
    }

    /// The literals of a conflict are asserted, cannot hold together, and can without any one of them.
    fn check_conflict(&self, conflict: &[Lit]) {
        let parts: Vec<&Asserted> = conflict
            .iter()
            .map(|lit| {
                let source = self.asserted.iter().find(|a| a.lit == *lit);
                source.expect("a literal that is asserted")
            })
            .collect();
        let all = self.inequalities(parts.iter().copied());
        assert!(!is_feasible(&all), "a conflict that is none");
        for left_out in 0..parts.len() {
            let others = parts.iter().enumerate();
            let others = others.filter(|(place, _)| *place != left_out);
            let rest = self.inequalities(others.map(|(_, part)| *part));
            assert!(is_feasible(&rest), "a conflict larger than need be");
        }
    }
}

/// Bounds at one of few numbers, where they often touch, or of many.
fn random_bounds(random: &mut Random, few: bool) -> Vec<(Side, Delta)> {
    let number = match few {
        true => Rational::from(random.within(1)),
        false => random.number(),
    };
    let strict = i64::from(random.below(if few { 2 } else { 3 }) == 0);
    match random.below(5) {
        0 | 1 => vec![(Side::Lower, Delta::new(number, strict))],
        2 | 3 => vec![(Side::Upper, Delta::new(number, -strict))],
        _ => vec![
            (Side::Lower, number.clone().into()),
            (Side::Upper, number.into()),
        ],
    }
}

/// How often a random sequence came to what is worth having been to.
#[derive(Default, Debug)]
struct Tally {
    feasible: u32,
    conflicts: u32,
    clashes: u32,
    asleep: u32,
    undone: u32,
}

fn run(seed: u64, steps: usize, tally: &mut Tally) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bench = Bench::new(2 + random.below(3) as usize);
    for _ in 0..steps {
        match random.below(16) {
            0 | 1 if bench.simplex.vars.len() < 11 => {
                let coefficients: Vec<i64> =
                    bench.symbols.iter().map(|_| random.within(3)).collect();
                bench.sum(&coefficients);
            }
            2 => {
                let kept = random.below(bench.asserted.len() as u64 + 1) as usize;
                for undone in bench.undo_to(kept) {
                    tally.undone += 1;
                    if random.below(2) == 0 {
                        bench.simplex.doze(undone.var);
                    }
                }
            }
            3 => {
                let needed = random.below(4);
                bench
                    .simplex
                    .sleep(|var| u64::from(var.0) % 4 == needed && needed != 0);
                let dormant = bench
                    .simplex
                    .vars()
                    .filter(|&var| bench.simplex.is_dormant(var));
                tally.asleep += dormant.count() as u32;
            }
            4 => {
                let var = bench.random_var(&mut random);
                bench.simplex.wake(var);
                assert!(!bench.simplex.is_dormant(var));
            }
            5 => {
                let var = bench.random_var(&mut random);
                bench.simplex.doze(var);
            }
            6..=8 => {
                let system = bench.inequalities(&bench.asserted);
                let mut attention = Attention::default();
                let outcome = match seed % 2 {
                    0 => bench.simplex.check(&mut attention),
                    _ => bench.simplex.check(&mut Patience),
                };
                match outcome {
                    Check::Feasible => {
                        tally.feasible += 1;
                        assert!(bench.simplex.vars().all(|var| bench.simplex.is_within(var)));
                        bench.check_solution();
                        assert!(system.len() > 10 || is_feasible(&system));
                    }
                    Check::Conflict(conflict) => {
                        tally.conflicts += 1;
                        bench.check_conflict(&conflict);
                        bench.check_invariants();
                        if random.below(2) == 0 {
                            let again = bench.simplex.check(&mut Patience);
                            assert!(matches!(again, Check::Conflict(_)), "it stays");
                        }
                        let kept = random.below(bench.asserted.len() as u64) as usize;
                        bench.undo_to(kept);
                    }
                    Check::Stopped => panic!("nobody asked for it"),
                }
            }
            _ => {
                let var = bench.random_var(&mut random);
                let bounds = random_bounds(&mut random, seed.is_multiple_of(3));
                if let Err(conflict) = bench.assert(var, bounds) {
                    tally.clashes += 1;
                    assert_eq!(conflict.len(), 2);
                    bench.check_conflict(&conflict);
                    let length = bench.asserted.len() - 1;
                    bench.undo_to(length);
                }
            }
        }
        bench.check_invariants();
    }
}

#[test]
fn random_sequences_agree_with_elimination() {
    let mut tally = Tally::default();
    for seed in 1..=2000 {
        run(seed, 60, &mut tally);
    }
    assert!(tally.feasible > 5000 && tally.conflicts > 1500, "{tally:?}");
    assert!(tally.clashes > 1500 && tally.undone > 5000, "{tally:?}");
    assert!(tally.asleep > 2500, "{tally:?}");
}

/// Bounds that a hidden point satisfies, so tight that it takes many pivots to find one.
fn hidden_point(seed: u64) -> Bench {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bench = Bench::new(16);
    let point: Vec<i64> = bench.symbols.iter().map(|_| random.within(40)).collect();
    for _ in 0..24 {
        let coefficients: Vec<i64> = (0..16)
            .map(|_| match random.below(3) {
                0 => random.within(5),
                _ => 0,
            })
            .collect();
        let Some(sum) = bench.sum(&coefficients) else {
            continue;
        };
        let at: i64 = coefficients.iter().zip(&point).map(|(c, p)| c * p).sum();
        for (side, slack) in [
            (Side::Lower, -(random.below(3) as i64)),
            (Side::Upper, random.below(3) as i64),
        ] {
            let bound = Rational::from(at + slack).into();
            bench
                .assert(sum, vec![(side, bound)])
                .expect("the point is there");
        }
    }
    bench
}

#[test]
fn a_point_that_is_there_is_found() {
    let mut attention = Attention::default();
    for seed in 1..=12 {
        let mut bench = hidden_point(seed);
        let outcome = bench.simplex.check(&mut attention);
        assert!(matches!(outcome, Check::Feasible));
        bench.check_invariants();
        bench.check_solution();
    }
    assert!(attention.pivots > 200 && attention.moves > attention.pivots);
}

#[test]
fn a_check_that_was_stopped_goes_on_where_it_was() {
    let mut stopped = 0;
    for seed in 1..=12 {
        let mut bench = hidden_point(seed);
        while let Check::Stopped = bench.simplex.check(&mut Haste::default()) {
            stopped += 1;
            let suspects = bench
                .simplex
                .vars()
                .filter(|&v| !bench.simplex.is_within(v));
            assert!(suspects.count() > 0, "there is something left to do");
            bench.check_invariants();
        }
        bench.check_solution();
    }
    assert!(stopped > 10, "{stopped}");
}

#[test]
fn a_long_chain_of_sums_is_followed_to_its_end() {
    let mut bench = Bench::new(40);
    for place in 0..39 {
        let mut coefficients = vec![0; 40];
        (coefficients[place], coefficients[place + 1]) = (-1, 1);
        let step = bench.sum(&coefficients).expect("two terms");
        let one = vec![(Side::Lower, Rational::ONE.into())];
        bench.assert(step, one).expect("unbounded so far");
    }
    let (first, last) = (bench.symbols[0], bench.symbols[39]);
    bench
        .assert(first, vec![(Side::Lower, Rational::ZERO.into())])
        .expect("unbounded so far");
    let length = bench.asserted.len();
    for (limit, is_enough) in [(38, false), (39, true)] {
        let bound = vec![(Side::Upper, Rational::from(limit).into())];
        bench
            .assert(last, bound)
            .expect("a sum is needed to see it");
        match bench.simplex.check(&mut Patience) {
            Check::Feasible => {
                assert!(is_enough);
                bench.check_solution();
            }
            Check::Conflict(mut conflict) => {
                assert!(!is_enough);
                conflict.sort_unstable();
                let all: Vec<Lit> = bench.asserted.iter().map(|a| a.lit).collect();
                assert_eq!(conflict, all, "every step of the chain");
            }
            Check::Stopped => panic!("nobody asked for it"),
        }
        bench.check_invariants();
        bench.undo_to(length);
    }
}

#[test]
fn a_shift_is_allowed_only_where_everything_stays_within_bounds_and_whole() {
    let mut simplex = Simplex::default();
    let (x, y) = (simplex.new_var(true), simplex.new_var(true));
    let sum = simplex.new_sum(Box::new([(x, Rational::ONE), (y, Rational::new(1, 2))]));
    let lit = |index| refrain_sat::Var::from_index(index).positive();
    let three = || Delta::from(Rational::from(3));
    simplex
        .bound(x, Side::Upper, three(), lit(0))
        .expect("free");
    simplex
        .bound(sum, Side::Upper, three(), lit(1))
        .expect("free");
    let allows = |var: Var, by: i64| simplex.allows_shift(var, &Rational::from(by));
    assert!(allows(x, 3) && !allows(x, 4), "its own bound");
    assert!(allows(y, 6) && !allows(y, 7), "that of the sum");
    assert!(allows(y, 1), "the sum is no integer");
    assert!(!simplex.allows_shift(y, &Rational::new(1, 2)), "but y is");
}
