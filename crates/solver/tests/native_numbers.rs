//! Integers and reals: the published example of partial solutions, and random stacks against search in a box.

use refrain_solver::native::Native;
use refrain_solver::{Limits, Solver, Verdict};
use refrain_term::{Assignment, Rational, Sort, Term, Terms, Value, eval};

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
    solver.collect_partial_solutions(Some(16));
    for condition in conditions {
        solver.assert(&mut terms, condition);
    }
    let verdict = solver.check(&mut terms, &[], &Limits::default());
    assert_eq!(verdict, Verdict::Sat);
    let model = solver.model(&mut terms);
    let solution = (value(&terms, &model, x), value(&terms, &model, y));
    assert_eq!(path(solution.0, solution.1), 2);
    let mut inputs: Vec<(i64, i64)> = solver
        .partial_solutions(&mut terms)
        .iter()
        .map(|partial| (value(&terms, partial, x), value(&terms, partial, y)))
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
    solver.collect_partial_solutions(Some(8));
    for condition in conditions {
        solver.assert(&mut terms, condition);
    }
    let verdict = solver.check(&mut terms, &[], &Limits::default());
    assert_eq!(verdict, Verdict::Unsat);
    let partial = solver.partial_solutions(&mut terms);
    assert!(!partial.is_empty());
    assert!(solver.stats().partial_solutions as usize == partial.len());
}

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
}

const VARS: usize = 3;
const BOX: i64 = 4;

fn number(random: &mut Random, terms: &mut Terms, vars: &[Term], depth: u32) -> Term {
    match random.below(if depth == 0 { 2 } else { 8 }) {
        0 => vars[random.below(VARS as u64) as usize],
        1 => terms.int(random.within(5)),
        2..=4 => {
            let a = number(random, terms, vars, depth - 1);
            let b = number(random, terms, vars, depth - 1);
            let factor = terms.int(random.within(3));
            let scaled = terms.mul(factor, b);
            terms.add(a, scaled)
        }
        5 => {
            let a = number(random, terms, vars, depth - 1);
            let k = terms.int(random.within(4));
            if random.below(2) == 0 {
                terms.div(a, k)
            } else {
                terms.modulo(a, k)
            }
        }
        6 => {
            let c = formula(random, terms, vars, depth - 1);
            let a = number(random, terms, vars, depth - 1);
            let b = number(random, terms, vars, depth - 1);
            terms.ite(c, a, b)
        }
        _ => {
            let a = number(random, terms, vars, depth - 1);
            let b = number(random, terms, vars, depth - 1);
            terms.mul(a, b)
        }
    }
}

fn formula(random: &mut Random, terms: &mut Terms, vars: &[Term], depth: u32) -> Term {
    if depth > 0 && random.below(3) == 0 {
        let a = formula(random, terms, vars, depth - 1);
        let b = formula(random, terms, vars, depth - 1);
        return match random.below(3) {
            0 => terms.and2(a, b),
            1 => terms.or2(a, b),
            _ => terms.eq(a, b),
        };
    }
    let a = number(random, terms, vars, depth);
    let b = number(random, terms, vars, depth);
    match random.below(5) {
        0 => terms.eq(a, b),
        1 => terms.lt(a, b),
        2 => {
            let equal = terms.eq(a, b);
            terms.not(equal)
        }
        _ => terms.le(a, b),
    }
}

/// An assignment in the box under which all formulas hold, division by zero taken as zero.
fn search(terms: &Terms, vars: &[Term], formulas: &[Term]) -> bool {
    let span = 2 * BOX + 1;
    (0..span.pow(VARS as u32)).any(|mut code| {
        let mut assignment = Assignment::new();
        for &var in vars {
            let refrain_term::Op::Var(id) = terms.op(var) else {
                unreachable!()
            };
            assignment.set(id, Value::Int(Rational::from(code % span - BOX)));
            code /= span;
        }
        formulas
            .iter()
            .all(|&formula| eval(terms, formula, &assignment) == Value::Bool(true))
    })
}

#[test]
fn random_stacks_in_a_box_agree_with_search() {
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for seed in 1..=300 {
        let mut random = Random(seed * 0x9e37_79b9);
        let mut terms = Terms::new();
        let vars: Vec<Term> = (0..VARS)
            .map(|i| terms.var(&format!("v{i}"), Sort::Int))
            .collect();
        let mut solver = Native::new();
        if seed % 3 == 0 {
            solver.collect_partial_solutions(Some(8));
        }
        let mut stack: Vec<Term> = Vec::new();
        for &var in &vars {
            let (low, high) = (terms.int(-BOX), terms.int(BOX));
            for bound in [terms.ge(var, low), terms.le(var, high)] {
                solver.assert(&mut terms, bound);
                stack.push(bound);
            }
        }
        let mut levels = Vec::new();
        for _ in 0..12 {
            if random.below(3) == 0
                && let Some(length) = levels.pop()
            {
                solver.pop(1);
                stack.truncate(length);
            }
            solver.push();
            levels.push(stack.len());
            let asserted = formula(&mut random, &mut terms, &vars, 2);
            solver.assert(&mut terms, asserted);
            stack.push(asserted);
            let assumption = formula(&mut random, &mut terms, &vars, 1);
            let mut all = stack.clone();
            all.push(assumption);
            match solver.check(&mut terms, &[assumption], &Limits::default()) {
                Verdict::Sat => {
                    sat += 1;
                    let model = solver.model(&mut terms);
                    for &formula in &all {
                        assert_eq!(eval(&terms, formula, &model), Value::Bool(true));
                    }
                }
                Verdict::Unsat => {
                    unsat += 1;
                    assert!(!search(&terms, &vars, &all), "seed {seed}");
                    if solver.core().is_empty() {
                        assert!(!search(&terms, &vars, &stack), "core, seed {seed}");
                    }
                }
                Verdict::Unknown(reason) => {
                    unknown += 1;
                    assert!(search(&terms, &vars, &all) || unknown < 100, "{reason}");
                }
            }
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} sat, {unsat} unsat");
    assert!(unknown < 20, "{unknown} unknown");
}
