//! Partial solutions: the published example, and what a sample is.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use refrain_solver::native::Native;
use refrain_solver::{Limits, Query, Reason, Solver, Verdict};
use refrain_term::{Assignment, Rational, Sort, Term, Terms, Value, VarId, eval};

use super::common::{Random, ample, linear, real, symbol};

fn value(terms: &Terms, assignment: &Assignment, term: Term) -> i64 {
    match eval(terms, term, assignment) {
        Value::Int(number) => number.to_i64().expect("a small integer"),
        other => panic!("{other:?} is no integer"),
    }
}

/// The program of figure 2 in "Multiplex Symbolic Execution" (ASE 2020): which of its four paths an input takes.
fn path(x: i64, y: i64) -> u32 {
    if x + y >= 2 {
        if 2 * y - x >= 1 {
            if 2 * x - y >= 0 { 2 } else { 1 }
        } else {
            3
        }
    } else {
        4
    }
}

#[test]
fn one_solve_reaches_all_paths_of_the_published_example() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
    let two = terms.int(2);
    let (one, zero) = (terms.int(1), terms.int(0));
    let (double_x, double_y) = (terms.mul(two, x), terms.mul(two, y));
    let sum = terms.add(x, y);
    let (left, right) = (terms.sub(double_y, x), terms.sub(double_x, y));
    let conditions = [
        terms.ge(sum, two),
        terms.ge(left, one),
        terms.ge(right, zero),
    ];
    let mut solver = Native::new();
    for condition in conditions {
        solver.assert(&mut terms, condition);
    }
    let limits = ample();
    let outcome = solver.check(
        &mut terms,
        &Query::new(&[], &limits).with_partial_solutions(16),
    );
    let model = outcome.model().expect("sat");
    let solution = (value(&terms, model, x), value(&terms, model, y));
    assert_eq!(path(solution.0, solution.1), 2);
    let mut inputs: Vec<(i64, i64)> = outcome
        .partial_solutions
        .iter()
        .map(|partial| partial.assignment(&terms))
        .map(|partial| (value(&terms, &partial, x), value(&terms, &partial, y)))
        .collect();
    assert!(inputs.contains(&(0, 0)), "the search starts from zero");
    inputs.push(solution);
    let mut paths: Vec<u32> = inputs.iter().map(|&(x, y)| path(x, y)).collect();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths, [1, 2, 3, 4], "from {inputs:?}");
}

#[test]
fn unsat_checks_have_partial_solutions_too() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", Sort::Int), terms.var("y", Sort::Int));
    let sum = terms.add(x, y);
    let difference = terms.sub(x, y);
    let (three, two) = (terms.int(3), terms.int(2));
    let conditions = [
        terms.ge(sum, three),
        terms.le(x, two),
        terms.ge(difference, two),
        terms.ge(y, two),
    ];
    let mut solver = Native::new();
    for condition in conditions {
        solver.assert(&mut terms, condition);
    }
    let limits = ample();
    let outcome = solver.check(
        &mut terms,
        &Query::new(&[], &limits).with_partial_solutions(8),
    );
    assert!(outcome.is_unsat());
    let partial = outcome.partial_solutions;
    assert!(!partial.is_empty());
    assert!(solver.stats().partial_solutions as usize == partial.len());
}

/// Four numbers, all different, each one of three: equality alone refutes it, and its classes have numbers on the way.
#[test]
fn classes_of_equal_numbers_give_partial_solutions() {
    let mut terms = Terms::new();
    let mut symbols = |prefix: &str, count: usize| -> Vec<Term> {
        let names = (0..count).map(|at| format!("{prefix}{at}"));
        names.map(|name| terms.var(&name, Sort::Int)).collect()
    };
    let (pigeons, holes) = (symbols("p", 4), symbols("h", 3));
    let mut solver = Native::new();
    for (place, &pigeon) in pigeons.iter().enumerate() {
        for &other in &pigeons[..place] {
            let equal = terms.eq(pigeon, other);
            let different = terms.not(equal);
            solver.assert(&mut terms, different);
        }
        let choices: Vec<Term> = holes.iter().map(|&hole| terms.eq(pigeon, hole)).collect();
        let choice = terms.or(&choices);
        solver.assert(&mut terms, choice);
    }
    let limits = ample();
    let query = Query::new(&[], &limits).with_partial_solutions(16);
    let outcome = solver.check(&mut terms, &query);
    assert!(outcome.is_unsat());
    let assignments = outcome.partial_solutions.iter();
    let assignments: Vec<Assignment> = assignments
        .map(|partial| partial.assignment(&terms))
        .collect();
    assert!(!assignments.is_empty());
    // What the search had found different has different numbers, what it had found equal has one.
    let numbers = |terms: &Terms, of: &[Term], assignment: &Assignment| -> HashSet<i64> {
        of.iter()
            .map(|&term| value(terms, assignment, term))
            .collect()
    };
    assert!(assignments.iter().any(|assignment| {
        let pigeons = numbers(&terms, &pigeons, assignment);
        let holes = numbers(&terms, &holes, assignment);
        pigeons.len() == 4 && holes.intersection(&pigeons).count() > 0
    }));
}

/// Problems whose search goes through many assignments: as rows over small integers.
fn many_pivots(terms: &mut Terms, seed: u64, vars: usize) -> (Vec<Term>, Vec<Term>) {
    let mut random = Random::new(seed);
    let vars: Vec<Term> = (0..vars)
        .map(|i| terms.var(&format!("n{i}"), Sort::Int))
        .collect();
    let mut formulas = Vec::new();
    let (zero, high) = (terms.int(0), terms.int(20));
    for &var in &vars {
        formulas.push(terms.ge(var, zero));
        formulas.push(terms.le(var, high));
    }
    for _ in 0..vars.len() {
        let addends: Vec<(i64, Term)> = vars.iter().map(|&var| (random.within(9), var)).collect();
        let sum = linear(terms, &addends);
        let total: i64 = addends.iter().map(|(factor, _)| factor * 7).sum();
        let (low, high) = (terms.int(total - 3), terms.int(total + 3));
        formulas.push(terms.ge(sum, low));
        formulas.push(terms.le(sum, high));
    }
    (vars, formulas)
}

/// The partial solutions of one check, each as the values of the symbols.
fn partial_solutions(
    terms: &mut Terms,
    vars: &[Term],
    formulas: &[Term],
    limit: usize,
    limits: &Limits,
) -> (Verdict, Vec<Vec<Value>>) {
    let mut solver = Native::new();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    let outcome = solver.check(
        terms,
        &Query::new(&[], limits).with_partial_solutions(limit),
    );
    let partial = &outcome.partial_solutions;
    assert_eq!(solver.stats().partial_solutions, partial.len() as u64);
    (
        outcome.verdict(),
        { partial.iter() }
            .map(|found| values(terms, vars, &found.assignment(terms)))
            .collect(),
    )
}

/// The values of an assignment that is about these symbols only.
fn values(terms: &Terms, vars: &[Term], assignment: &Assignment) -> Vec<Value> {
    let declared: Vec<VarId> = vars.iter().map(|&var| symbol(terms, var)).collect();
    assert!(assignment.iter().all(|(var, _)| declared.contains(&var)));
    assert_eq!(assignment.funcs().count(), 0);
    vars.iter()
        .map(|&var| {
            let value = eval(terms, var, assignment);
            match (terms.sort(var), &value) {
                (Sort::Int, Value::Int(number)) => assert!(number.is_integer(), "{number}"),
                (Sort::Real, Value::Real(_)) => {}
                (sort, value) => panic!("{value:?} for a symbol of sort {sort:?}"),
            }
            value
        })
        .collect()
}

fn assert_distinct(partial: &[Vec<Value>]) {
    for (place, one) in partial.iter().enumerate() {
        assert!(!partial[..place].contains(one), "twice: {one:?}");
    }
}

#[test]
fn partial_solutions_are_a_sample_of_all() {
    let mut terms = Terms::new();
    let unlimited = ample();
    let (mut verdicts, mut fresh_starts) = (HashSet::new(), 0);
    for seed in 1..=12 {
        let (vars, mut formulas) = many_pivots(&mut terms, seed, 6);
        if seed % 2 == 0 {
            // No longer possible, but for another reason.
            let total = linear(&mut terms, &[(2, vars[0]), (-4, vars[1]), (2, vars[2])]);
            let odd = linear(&mut terms, &[(1, vars[3]), (-2, vars[4])]);
            let (one, same) = (terms.int(1), terms.eq(total, odd));
            let half = linear(&mut terms, &[(1, vars[3]), (-2, vars[5])]);
            formulas.extend([same, terms.eq(half, one)]);
        }
        let (verdict, all) =
            partial_solutions(&mut terms, &vars, &formulas, usize::MAX, &unlimited);
        verdicts.insert(format!("{verdict:?}"));
        assert_distinct(&all);
        for limit in [0, 1, 5, 12] {
            let (same, sample) = partial_solutions(&mut terms, &vars, &formulas, limit, &unlimited);
            assert_eq!(verdict, same);
            assert_eq!(sample.len(), limit.min(all.len()));
            assert_distinct(&sample);
            assert!(
                sample.iter().all(|one| all.contains(one)),
                "a sample of all"
            );
            if all.len() > 2 * limit && limit > 1 {
                fresh_starts += usize::from(sample[..] != all[..limit]);
                assert!(sample[..] != all[..limit], "not the first of {}", all.len());
            }
        }
    }
    assert!(fresh_starts >= 10, "{fresh_starts}");
    assert_eq!(verdicts.len(), 2, "{verdicts:?}");
}

#[test]
fn partial_solutions_are_of_declared_symbols_only() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Int));
    let r = terms.var("r", Sort::Real);
    // Quotients, choices and sums have variables of their own in the simplex.
    let (three, seven, twenty) = (terms.int(3), terms.int(7), terms.int(20));
    let (quotient, rest) = (terms.div(x, three), terms.modulo(y, seven));
    let less = terms.lt(quotient, rest);
    let choice = terms.ite(less, x, y);
    let sum = terms.sum(&[choice, quotient, rest]);
    let third = terms.number(Sort::Real, Rational::new(1, 3));
    let (one, double) = (
        real(&mut terms, "1"),
        terms.num_scaled(&Rational::from(2), r),
    );
    let formulas = [
        terms.eq(sum, twenty),
        terms.gt(x, y),
        terms.ge(y, three),
        terms.gt(r, third),
        terms.lt(double, one),
    ];
    let (verdict, partial) = partial_solutions(&mut terms, &[x, y, r], &formulas, 100, &ample());
    assert_eq!(verdict, Verdict::Sat);
    assert!(partial.len() > 2, "{}", partial.len());
}

#[test]
fn partial_solutions_survive_an_unfinished_check() {
    let mut terms = Terms::new();
    let (vars, formulas) = many_pivots(&mut terms, 5, 14);
    let limits = Limits {
        conflicts: Some(5),
        ..Limits::default()
    };
    let (verdict, partial) = partial_solutions(&mut terms, &vars, &formulas, 10, &limits);
    assert_eq!(verdict, Verdict::Unknown(Reason::Conflicts));
    assert_eq!(partial.len(), 10);
    assert_distinct(&partial);
    let limits = Limits {
        deadline: Some(Instant::now() + Duration::from_millis(50)),
        ..Limits::default()
    };
    let (verdict, partial) = partial_solutions(&mut terms, &vars, &formulas, 10, &limits);
    assert_eq!(verdict, Verdict::Unknown(Reason::Timeout));
    assert_eq!(partial.len(), 10);
    assert_distinct(&partial);
}

#[test]
fn partial_solutions_are_those_of_the_last_check_and_only_if_asked_for() {
    let mut terms = Terms::new();
    let (_, formulas) = many_pivots(&mut terms, 1, 6);
    let mut solver = Native::new();
    for &formula in &formulas {
        solver.push();
        solver.assert(&mut terms, formula);
    }
    let limits = ample();
    let plain = Query::new(&[], &limits);
    let without = solver.check(&mut terms, &plain);
    assert!(without.partial_solutions.is_empty());
    assert_eq!(solver.stats().partial_solutions, 0);
    let mut asked = Native::new();
    let asking = plain.with_partial_solutions(100);
    for &formula in &formulas {
        asked.push();
        asked.assert(&mut terms, formula);
    }
    let outcome = asked.check(&mut terms, &asking);
    assert_eq!(outcome.verdict(), without.verdict());
    assert!(!outcome.partial_solutions.is_empty());
    asked.pop(formulas.len());
    let outcome = asked.check(&mut terms, &asking);
    assert!(outcome.is_sat());
    assert!(
        outcome.partial_solutions.is_empty(),
        "nothing to search for"
    );
    for &formula in &formulas {
        asked.assert(&mut terms, formula);
    }
    let outcome = asked.check(&mut terms, &plain);
    assert_eq!(outcome.verdict(), without.verdict());
    assert!(outcome.partial_solutions.is_empty());
}
