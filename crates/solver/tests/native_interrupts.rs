//! Time limits and interrupts: they end a check soon, wherever it is, and leave a solver that answers the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refrain_solver::native::Native;
use refrain_solver::{Limits, Query, Reason, Solver, Verdict};
use refrain_term::{Rational, Sort, Term, Terms, Value, eval};

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

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit) as i64
    }
}

/// `Σ factor * var`, for factors below 100.
fn random_sum(terms: &mut Terms, random: &mut Random, vars: &[Term]) -> (Term, i64) {
    let mut total = 0;
    let addends: Vec<Term> = vars
        .iter()
        .map(|&var| {
            let factor = random.below(100);
            total += factor;
            terms.num_scaled(&Rational::from(factor), var)
        })
        .collect();
    (terms.sum(&addends), total)
}

/// Number symbols; all problems are about the first of them.
fn numbers(terms: &mut Terms, count: usize, sort: Sort) -> Vec<Term> {
    let names = (0..count).map(|i| match i {
        0 => "m".to_string(),
        1 => "n".to_string(),
        _ => format!("m{i}"),
    });
    names.map(|name| terms.var(&name, sort)).collect()
}

/// Customers of five products, to be split into two halves that buy the same of each (Cornuéjols and Dawande, "A
/// Class of Hard Small 0-1 Programs", IPCO 1998).
fn market_split(terms: &mut Terms) -> Vec<Term> {
    let mut random = Random(0x9e37_79b9);
    let vars = numbers(terms, 40, Sort::Int);
    let (zero, one) = (terms.int(0), terms.int(1));
    let mut formulas = Vec::new();
    for &var in &vars {
        formulas.push(terms.ge(var, zero));
        formulas.push(terms.le(var, one));
    }
    for _ in 0..5 {
        let (sum, total) = random_sum(terms, &mut random, &vars);
        let half = terms.int(total / 2);
        formulas.push(terms.eq(sum, half));
    }
    formulas
}

/// So many dense rows around a hidden point that bringing the first vertex about takes longer than the test should.
fn dense_reals(terms: &mut Terms) -> Vec<Term> {
    let mut random = Random(0x1234_5679);
    let vars = numbers(terms, 100, Sort::Real);
    let mut formulas = Vec::new();
    for _ in 0..100 {
        let (sum, total) = random_sum(terms, &mut random, &vars);
        let low = terms.number(Sort::Real, Rational::from(total));
        let high = terms.number(Sort::Real, Rational::from(total + 1));
        formulas.push(terms.gt(sum, low));
        formulas.push(terms.lt(sum, high));
    }
    formulas
}

/// Equations whose solution over the integers has numbers of thousands of digits on the way.
fn dense_equations(terms: &mut Terms) -> Vec<Term> {
    let mut random = Random(0x0dd_ba11);
    let vars = numbers(terms, 100, Sort::Int);
    let mut formulas = Vec::new();
    for _ in 0..60 {
        let (sum, _) = random_sum(terms, &mut random, &vars);
        let number = terms.int(random.below(1000));
        formulas.push(terms.eq(sum, number));
    }
    formulas
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
        solver
            .check(&mut terms, &Query::new(&[], &limits))
            .verdict(),
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
        solver
            .check(&mut terms, &Query::new(&[], &Limits::default()))
            .verdict(),
        Verdict::Sat
    );
    let unlimited = Limits::default();
    let outcome = solver.check(&mut terms, &Query::new(&[greater], &unlimited).with_core());
    assert_eq!(outcome.conflict().expect("unsat").core, [greater]);
    for sort in [Sort::Int, Sort::Real] {
        answers_about_numbers(&mut terms, &mut solver, sort);
    }
}

/// Easy questions about numbers that the problems before may have been about.
fn answers_about_numbers(terms: &mut Terms, solver: &mut Native, sort: Sort) {
    let vars = numbers(terms, 2, sort);
    let (sum, difference) = (terms.add(vars[0], vars[1]), terms.sub(vars[0], vars[1]));
    let [three, five] = [3, 5].map(|i| terms.number(sort, Rational::from(i)));
    let (sum_is_five, apart) = (terms.eq(sum, five), terms.ge(difference, three));
    let (far, equal) = (terms.gt(difference, five), terms.le(vars[0], vars[1]));
    solver.push();
    solver.assert(terms, sum_is_five);
    let unlimited = Limits::default();
    let outcome = solver.check(terms, &Query::new(&[apart, far], &unlimited));
    let model = outcome.model().expect("sat");
    for formula in [sum_is_five, apart, far] {
        assert_eq!(eval(terms, formula, model), Value::Bool(true));
    }
    let outcome = solver.check(terms, &Query::new(&[apart, equal], &unlimited).with_core());
    assert_eq!(outcome.conflict().expect("unsat").core, [apart, equal]);
    solver.pop(1);
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
        let verdict = solver.check(&mut terms, &Query::new(&[], limits)).verdict();
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
    gives_up_and_goes_on(factoring, limits, Reason::Conflicts);
}

#[test]
fn a_deadline_ends_a_search_for_integers() {
    gives_up_and_goes_on(market_split, deadline(), Reason::Timeout);
}

#[test]
fn an_interrupt_ends_a_search_for_integers() {
    gives_up_and_goes_on(market_split, interrupt(), Reason::Interrupted);
}

#[test]
fn a_budget_of_conflicts_ends_a_search_for_integers() {
    let limits = Limits {
        conflicts: Some(50),
        ..Limits::default()
    };
    let reason = Reason::Conflicts;
    gives_up_and_goes_on(market_split, limits, reason);
}

#[test]
fn a_deadline_ends_a_simplex() {
    gives_up_and_goes_on(dense_reals, deadline(), Reason::Timeout);
}

#[test]
fn an_interrupt_ends_a_simplex() {
    gives_up_and_goes_on(dense_reals, interrupt(), Reason::Interrupted);
}

#[test]
fn a_deadline_ends_dense_equations() {
    gives_up_and_goes_on(dense_equations, deadline(), Reason::Timeout);
}
