//! Long walks over the same atoms, against fresh solvers.

use std::collections::HashMap;

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{Query, Solver, Verdict};
use refrain_term::{Rational, Sort, Term, Terms, Value, eval};

use super::common::{Random, ample, linear, tuning};

/// A walk up and down the stack over few formulas, so that the same come back after their levels were popped: every
/// answer is that of a fresh solver.
fn walk(sort: Sort, seed: u64, steps: usize, tuning: Tuning) -> (u32, u32) {
    let mut random = Random(seed * 0x5851_f42d);
    let mut terms = Terms::new();
    let vars: Vec<Term> = (0..4).map(|i| terms.var(&format!("w{i}"), sort)).collect();
    let formulas: Vec<Term> = (0..14)
        .map(|_| {
            let addends: Vec<(i64, Term)> = vars
                .iter()
                .map(|&var| match random.below(2) {
                    0 => (random.within(4), var),
                    _ => (0, var),
                })
                .collect();
            let sum = linear(&mut terms, &addends);
            let limit = terms.number(sort, Rational::from(random.within(9)));
            match random.below(5) {
                0 => terms.eq(sum, limit),
                1 => {
                    let equal = terms.eq(sum, limit);
                    terms.not(equal)
                }
                2 => terms.lt(sum, limit),
                _ => terms.ge(sum, limit),
            }
        })
        .collect();
    let mut solver = Native::with_tuning(tuning);
    let mut known: HashMap<Vec<Term>, Verdict> = HashMap::new();
    let (mut stack, mut levels) = (Vec::new(), Vec::new());
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..steps {
        if random.below(2) == 0
            && let Some(length) = levels.pop()
        {
            solver.pop(1);
            stack.truncate(length);
        } else {
            solver.push();
            levels.push(stack.len());
            for _ in 0..=random.below(2) {
                let formula = formulas[random.below(14) as usize];
                solver.assert(&mut terms, formula);
                stack.push(formula);
            }
        }
        let assumptions = [formulas[random.below(14) as usize]];
        let mut all = [&stack[..], &assumptions].concat();
        let limits = ample();
        let query = Query::new(&assumptions, &limits).with_core();
        let outcome = solver.check(&mut terms, &query);
        let verdict = outcome.verdict();
        if let Some(model) = outcome.model() {
            sat += 1;
            for &formula in &all {
                assert_eq!(eval(&terms, formula, model), Value::Bool(true));
            }
        } else {
            unsat += 1;
            let conflict = outcome.conflict().expect("decided");
            assert!(conflict.core.iter().all(|term| assumptions.contains(term)));
        }
        all.sort_unstable();
        all.dedup();
        let expected = known.entry(all).or_insert_with_key(|all| {
            let mut fresh = Native::new();
            for &formula in all {
                fresh.assert(&mut terms, formula);
            }
            fresh
                .check(&mut terms, &Query::new(&[], &ample()))
                .verdict()
        });
        assert_eq!(verdict, *expected, "seed {seed}");
        if stack.len() > 24 {
            solver.pop(levels.len());
            (stack, levels) = (Vec::new(), Vec::new());
        }
    }
    (sat, unsat)
}

#[test]
fn atoms_that_come_back_are_answered_as_by_a_fresh_solver() {
    let mut tallies = [(0, 0); 2];
    for seed in 1..=30 {
        for (sort, tally) in [Sort::Int, Sort::Real].into_iter().zip(&mut tallies) {
            let (sat, unsat) = walk(sort, seed, 150, tuning(seed));
            (tally.0, tally.1) = (tally.0 + sat, tally.1 + unsat);
        }
    }
    for (sat, unsat) in tallies {
        assert!(sat > 300 && unsat > 300, "{tallies:?}");
    }
}
