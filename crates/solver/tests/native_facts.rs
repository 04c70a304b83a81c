//! Base-level equations that the native solver eliminates: nothing may still speak of what was eliminated.

use refrain_solver::native::Native;
use refrain_solver::{Limits, Query, Solver, Verdict};
use refrain_term::{Evaluator, Sort, Term, Terms};

/// Asserts all at the base level and checks; a model must satisfy what was asserted.
fn check(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let mut solver = Native::new();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    let outcome = solver.check(terms, &Query::new(&[], &Limits::default()));
    if let Some(model) = outcome.model() {
        let mut evaluator = Evaluator::new();
        for &formula in formulas {
            assert!(evaluator.bool(terms, model, formula), "a false model");
        }
    }
    outcome.verdict()
}

const BYTES: Sort = Sort::Array {
    index: 32,
    element: 8,
};

/// `a = b[i := 7]`, and what a and b hold at one constant index.
fn array_defined_by_a_write(element_of_a: u64, element_of_b: u64) -> Verdict {
    let mut terms = Terms::new();
    let (a, b) = (terms.var("a", BYTES), terms.var("b", BYTES));
    let i = terms.var("i", Sort::BitVec(32));
    let three = terms.bv(32, 3);
    let seven = terms.bv(8, 7);
    let written = terms.store(b, i, seven);
    let definition = terms.eq(a, written);
    let (from_a, from_b) = (terms.select(a, three), terms.select(b, three));
    let (x, y) = (terms.bv(8, element_of_a), terms.bv(8, element_of_b));
    let formulas = [definition, terms.eq(from_a, x), terms.eq(from_b, y)];
    check(&mut terms, &formulas)
}

#[test]
fn a_cell_of_a_defined_array_is_a_cell_of_its_definition() {
    assert_eq!(array_defined_by_a_write(5, 5), Verdict::Sat);
    assert_eq!(array_defined_by_a_write(7, 5), Verdict::Sat);
    assert_eq!(array_defined_by_a_write(6, 5), Verdict::Unsat);
}

#[test]
fn a_cell_of_a_defined_array_can_define_nothing_else() {
    let mut terms = Terms::new();
    let (a, b) = (terms.var("a", BYTES), terms.var("b", BYTES));
    let zero = terms.bv(32, 0);
    let (in_a, in_b) = (terms.select(a, zero), terms.select(b, zero));
    let (one, two) = (terms.bv(8, 1), terms.bv(8, 2));
    let same = terms.eq(a, b);
    let formulas = [same, terms.eq(in_a, one), terms.eq(in_b, two)];
    assert_eq!(check(&mut terms, &formulas), Verdict::Unsat);
    assert_eq!(check(&mut terms, &formulas[..2]), Verdict::Sat);
}
