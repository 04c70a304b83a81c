//! Where the native solver must say that it does not know, and where it need not.

use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Conflict, Limits, Query, Reason, Solver, Verdict};
use refrain_term::{Op, Sort, Term, Terms};

const WIDTH: u32 = 7;
const SMALL: Sort = Sort::Array {
    index: WIDTH,
    element: 8,
};

/// An array with writes at so many symbolic indices.
fn written(terms: &mut Terms, name: &str, writes: usize) -> Term {
    let mut array = terms.var(name, SMALL);
    for i in 0..writes {
        let at = terms.var(&format!("{name} {i}"), Sort::BitVec(WIDTH));
        let value = terms.bv(8, i as u64 + 1);
        array = terms.store(array, at, value);
    }
    array
}

/// `a = b`, and at one index that no write touches they differ.
fn contradiction(terms: &mut Terms, name: &str, writes: usize) -> Vec<Term> {
    let (a, b) = (
        written(terms, &format!("{name}a"), writes),
        written(terms, &format!("{name}b"), writes),
    );
    let at = terms.var(&format!("{name}i"), Sort::BitVec(WIDTH));
    let (x, y) = (terms.select(a, at), terms.select(b, at));
    let (same, different) = (terms.eq(a, b), terms.bv_ult(x, y));
    vec![same, different]
}

/// Equality of large arrays is decided by an index that no write touches. The writes that earlier queries have made
/// do not use it up.
#[test]
fn writes_of_other_queries_do_not_count() {
    let mut terms = Terms::new();
    let mut solver = Native::new();
    for round in 0..40 {
        let formulas = contradiction(&mut terms, &format!("{round}"), 3);
        solver.push();
        for formula in formulas {
            solver.assert(&mut terms, formula);
        }
        let verdict = solver
            .check(&mut terms, &Query::new(&[], &Limits::default()))
            .verdict();
        assert_eq!(verdict, Verdict::Unsat, "round {round}");
        solver.pop(1);
    }
}

/// Constants written one by one, with reads in between, make tables that have many cells in common. An index counts once.
#[test]
fn cells_that_tables_share_count_once() {
    let mut terms = Terms::new();
    let mut solver = Native::new();
    let [mut array, other] = ["a", "b"].map(|name| terms.var(name, SMALL));
    let index = terms.var("i", Sort::BitVec(WIDTH));
    let most = terms.bv(8, 0xf0);
    let mut cells = 0;
    for k in 0..100 {
        let (at, value) = (terms.bv(WIDTH, k), terms.bv(8, (13 * k + 1) % 128));
        array = terms.store(array, at, value);
        let place = terms.bv_add(index, at);
        let read = terms.select(array, place);
        if let Op::Select = terms.op(read)
            && let Op::Table(id) = terms.op(terms.arg(read, 0))
        {
            cells += terms.cells(id).len();
        }
        let holds = terms.bv_ult(read, most);
        solver.assert(&mut terms, holds);
    }
    assert!(cells > 1 << WIDTH, "{cells}");
    let (x, y) = (terms.select(array, index), terms.select(other, index));
    let (same, differ) = (terms.eq(array, other), terms.bv_ult(x, y));
    solver.assert(&mut terms, same);
    solver.assert(&mut terms, differ);
    let outcome = solver.check(&mut terms, &Query::new(&[], &Limits::default()));
    assert_eq!(outcome.verdict(), Verdict::Unsat);
}

/// Functions of arrays are evaluated, but not solved for.
#[test]
fn functions_of_arrays_are_not_decided() {
    let mut terms = Terms::new();
    let (a, b) = (terms.var("a", SMALL), terms.var("b", SMALL));
    let func = terms.func("f", &[SMALL], Sort::BitVec(8));
    let (x, y) = (terms.apply(func, &[a]), terms.apply(func, &[b]));
    let less = terms.bv_ult(x, y);
    let mut solver = Native::new();
    solver.assert(&mut terms, less);
    let verdict = solver
        .check(&mut terms, &Query::new(&[], &Limits::default()))
        .verdict();
    assert!(
        matches!(verdict, Verdict::Unknown(Reason::Incomplete(_))),
        "{verdict:?}"
    );
    let func = terms.func("g", &[Sort::BitVec(8)], SMALL);
    let (zero, one) = (terms.bv(8, 0), terms.bv(8, 1));
    let at = terms.bv(WIDTH, 0);
    let (x, y) = (terms.apply(func, &[zero]), terms.apply(func, &[one]));
    let (x, y) = (terms.select(x, at), terms.select(y, at));
    let different = terms.bv_ult(x, y);
    solver.reset();
    solver.assert(&mut terms, different);
    let verdict = solver
        .check(&mut terms, &Query::new(&[], &Limits::default()))
        .verdict();
    assert!(
        matches!(verdict, Verdict::Unknown(Reason::Incomplete(_))),
        "{verdict:?}"
    );
}

/// A switch over thousands of values of one word is refuted at once, by the assumptions that matter.
#[test]
fn many_excluded_values_leave_a_core_of_what_matters() {
    let mut terms = Terms::new();
    let mut solver = Native::new();
    let x = terms.var("x", Sort::BitVec(32));
    let count = 5_000;
    let mut assumptions = Vec::new();
    for value in 0..count {
        let value = terms.bv(32, value);
        let equal = terms.eq(x, value);
        assumptions.push(terms.not(equal));
    }
    let bound = terms.bv(32, count / 2);
    assumptions.push(terms.bv_ult(x, bound));
    let limits = Limits::default();
    let query = Query::new(&assumptions, &limits).with_core();
    let CheckResult::Unsat(Conflict { core, .. }) = solver.check(&mut terms, &query).result else {
        panic!("a symbol with no value left");
    };
    assert_eq!(core.len() as u64, count / 2 + 1);
    assert!(core.iter().any(|&term| terms.op(term) == Op::BvUlt));
    assert_eq!(
        solver
            .check(&mut terms, &Query::new(&core[1..], &Limits::default()))
            .verdict(),
        Verdict::Sat
    );
}
