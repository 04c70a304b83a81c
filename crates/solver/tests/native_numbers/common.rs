//! What all tests of numbers use.

use std::time::{Duration, Instant};

use refrain_solver::native::{Native, Tuning};
use refrain_solver::{CheckResult, Conflict, Limits, Query, Solver, Verdict};
use refrain_term::{Op, Rational, Sort, Term, Terms, Value, VarId, eval};
pub use refrain_testing::Random;

/// Far more time than any check here takes, so that one without end fails.
pub fn ample() -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_secs(30)),
        ..Limits::default()
    }
}

/// The tuning of a random test: what the engine is asked less often otherwise, it is asked more often.
pub fn tuning(seed: u64) -> Tuning {
    Tuning {
        slices: !seed.is_multiple_of(3),
        values: seed.is_multiple_of(2),
        // Encodings that are thrown away time and again.
        epoch_slack: if seed.is_multiple_of(5) { 4 } else { 4_000 },
        graph_from: if seed.is_multiple_of(7) { 16 } else { 1 },
        ..Tuning::default()
    }
}

pub fn symbol(terms: &Terms, var: Term) -> VarId {
    match terms.op(var) {
        Op::Var(id) => id,
        _ => panic!("no symbol"),
    }
}

/// `Σ factor * var`.
pub fn linear(terms: &mut Terms, addends: &[(i64, Term)]) -> Term {
    let addends: Vec<Term> = addends
        .iter()
        .map(|&(factor, var)| terms.num_scaled(&Rational::from(factor), var))
        .collect();
    terms.sum(&addends)
}

/// Answers a conjunction as assertions, as assumptions, one after the other, and by the engine alone: all alike. The
/// core of what cannot be is checked in a solver of its own.
pub fn decide(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let limits = ample();
    let mut by_assumptions = Native::new();
    let outcome = by_assumptions.check(terms, &Query::new(formulas, &limits).with_core());
    let verdict = outcome.verdict();
    match &outcome.result {
        CheckResult::Sat(model) => {
            for &formula in formulas {
                assert_eq!(eval(terms, formula, model), Value::Bool(true));
            }
        }
        CheckResult::Unsat(Conflict { core, .. }) => {
            assert!(core.iter().all(|term| formulas.contains(term)));
            let mut fresh = Native::new();
            assert_eq!(
                fresh.check(terms, &Query::new(core, &limits)).verdict(),
                Verdict::Unsat
            );
        }
        CheckResult::Unknown(_) => return verdict,
    }
    let mut at_once = Native::new();
    let mut step_by_step = Native::new();
    let mut last = Verdict::Sat;
    for &formula in formulas {
        at_once.assert(terms, formula);
        step_by_step.push();
        step_by_step.assert(terms, formula);
        last = step_by_step
            .check(terms, &Query::new(&[], &limits))
            .verdict();
    }
    assert_eq!(
        at_once.check(terms, &Query::new(&[], &limits)).verdict(),
        verdict
    );
    let mut by_engine = Native::with_tuning(Tuning {
        slices: false,
        ..Tuning::default()
    });
    assert_eq!(
        by_engine
            .check(terms, &Query::new(formulas, &limits))
            .verdict(),
        verdict
    );
    assert_eq!(last, verdict);
    verdict
}

pub fn real(terms: &mut Terms, text: &str) -> Term {
    let number = Rational::parse(text).expect("a number");
    terms.number(Sort::Real, number)
}
