//! Time limits and interrupts: they end a check soon, wherever it is, and leave a solver that answers the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refrain_solver::native::Native;
use refrain_solver::{Limits, Reason, Solver, Verdict};
use refrain_term::{Sort, Term, Terms};

/// `x * y = 4294967291 * 4294967279` without overflow, and no factor is one: only the two primes do.
fn factoring(terms: &mut Terms) -> Vec<Term> {
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(64)));
    let (wide_x, wide_y) = (terms.zero_extend(x, 64), terms.zero_extend(y, 64));
    let product = terms.bv_mul(wide_x, wide_y);
    let number = terms.bv(128, 0xffff_ffea_0000_0055);
    let one = terms.bv(64, 1);
    vec![
        terms.eq(product, number),
        terms.bv_ult(one, x),
        terms.bv_ult(one, y),
    ]
}

/// A product so wide that encoding it alone takes longer than the test should.
fn wide_product(terms: &mut Terms) -> Vec<Term> {
    let [x, y] = ["v", "w"].map(|name| terms.var(name, Sort::BitVec(40_000)));
    let (product, square) = (terms.bv_mul(x, y), terms.bv_mul(x, x));
    let other = terms.bv_add(square, y);
    let equal = terms.eq(product, other);
    let same = terms.eq(x, y);
    vec![equal, terms.not(same)]
}

/// A deep term, unequal to what it starts from.
fn deep_sum(terms: &mut Terms) -> Vec<Term> {
    let [x, y] = ["a", "b"].map(|name| terms.var(name, Sort::BitVec(64)));
    let mut sum = x;
    for i in 0..100_000 {
        let mixed = terms.bv_xor(sum, y);
        let i = terms.bv(64, i);
        let scaled = terms.bv_mul(mixed, x);
        sum = terms.bv_add(scaled, i);
    }
    let equal = terms.eq(sum, y);
    vec![terms.not(equal)]
}

fn gives_up_and_goes_on(problem: fn(&mut Terms) -> Vec<Term>, limits: Limits, expected: Reason) {
    let mut terms = Terms::new();
    let mut solver = Native::new();
    let start = Instant::now();
    solver.push();
    for formula in problem(&mut terms) {
        solver.assert(&mut terms, formula);
    }
    assert_eq!(
        solver.check(&mut terms, &[], &limits),
        Verdict::Unknown(expected)
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    solver.pop(1);
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(64)));
    let less = terms.bv_ult(x, y);
    let greater = terms.bv_ult(y, x);
    solver.assert(&mut terms, less);
    assert_eq!(
        solver.check(&mut terms, &[], &Limits::default()),
        Verdict::Sat
    );
    assert_eq!(
        solver.check(&mut terms, &[greater], &Limits::default()),
        Verdict::Unsat
    );
    assert_eq!(solver.core(), [greater]);
}

/// A deadline that has passed when the check begins.
fn past() -> Limits {
    Limits {
        deadline: Some(Instant::now()),
        stop: None,
        conflicts: None,
    }
}

fn deadline() -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_millis(200)),
        stop: None,
        conflicts: None,
    }
}

/// A stop flag that someone sets a moment later.
fn interrupt() -> Limits {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
    });
    Limits {
        deadline: None,
        stop: Some(stop),
        conflicts: None,
    }
}

#[test]
fn a_deadline_ends_a_search() {
    gives_up_and_goes_on(factoring, deadline(), Reason::Timeout);
}

#[test]
fn an_interrupt_ends_a_search() {
    gives_up_and_goes_on(factoring, interrupt(), Reason::Interrupted);
}

#[test]
fn a_deadline_ends_an_encoding() {
    gives_up_and_goes_on(wide_product, deadline(), Reason::Timeout);
}

#[test]
fn an_interrupt_ends_an_encoding() {
    gives_up_and_goes_on(wide_product, interrupt(), Reason::Interrupted);
}

/// Simplifying alone takes most of the time of this check: one that may not take any ends far sooner.
#[test]
fn a_deadline_ends_a_simplification() {
    let mut terms = Terms::new();
    let formulas = deep_sum(&mut terms);
    let mut time = |limits: &Limits| {
        let mut solver = Native::new();
        solver.assert(&mut terms, formulas[0]);
        let start = Instant::now();
        let verdict = solver.check(&mut terms, &[], limits);
        (verdict, start.elapsed())
    };
    let (verdict, hurried) = time(&past());
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    let (verdict, unhurried) = time(&Limits::default());
    assert_eq!(verdict, Verdict::Sat);
    assert!(hurried * 5 < unhurried, "{hurried:?} against {unhurried:?}");
}

#[test]
fn a_budget_of_conflicts_ends_a_search() {
    let limits = Limits {
        conflicts: Some(50),
        ..Limits::default()
    };
    gives_up_and_goes_on(factoring, limits, Reason::ResourceLimit("conflicts".into()));
}
