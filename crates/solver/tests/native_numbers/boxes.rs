//! Random formulas over integers in a box, against search of the box.

use std::collections::HashMap;

use refrain_solver::native::Native;
use refrain_solver::{CheckResult, Conflict, Outcome, Query, Solver};
use refrain_term::{Assignment, Batch, Bits, Rational, Sort, Term, Terms, Value, eval};

use super::common::{Random, ample, linear, symbol, tuning};

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

/// All points of a box, and where each formula holds. Division by zero is taken as zero.
struct Search {
    points: Batch,
    holds: HashMap<Term, Bits>,
}

impl Search {
    fn new(terms: &Terms, vars: &[Term], reach: i64) -> Search {
        let span = 2 * reach + 1;
        let count = span.pow(vars.len() as u32);
        let mut points = Batch::new(count as usize, Assignment::new());
        let mut stride = 1;
        for &var in vars {
            let coordinate = |point: i64| Rational::from(point / stride % span - reach);
            points.set_number(symbol(terms, var), (0..count).map(coordinate).collect());
            stride *= span;
        }
        Search {
            points,
            holds: HashMap::new(),
        }
    }

    /// Whether some point of the box satisfies all formulas.
    fn finds(&mut self, terms: &Terms, formulas: impl IntoIterator<Item = Term>) -> bool {
        let mut left = Bits::ones(self.points.len());
        for formula in formulas {
            let holds = self.holds.entry(formula).or_insert_with(|| {
                let columns = self.points.eval(terms, &[formula]);
                columns.into_iter().next().expect("one column")
            });
            left.intersect(holds);
        }
        left.any()
    }
}

/// An answer is right: a model by evaluation, unsat and its core by search.
fn assert_right(
    terms: &mut Terms,
    outcome: &Outcome,
    (assertions, assumptions): (&[Term], &[Term]),
    search: &mut Search,
) {
    let all = || assertions.iter().chain(assumptions).copied();
    match &outcome.result {
        CheckResult::Sat(model) => {
            for formula in all() {
                assert_eq!(eval(terms, formula, model), Value::Bool(true));
            }
        }
        CheckResult::Unsat(Conflict { core, .. }) => {
            assert!(!search.finds(terms, all()), "there is a solution");
            assert!(core.iter().all(|term| assumptions.contains(term)));
            let refuted = assertions.iter().chain(core).copied();
            assert!(!search.finds(terms, refuted), "the core can hold");
        }
        CheckResult::Unknown(_) => {}
    }
}

#[test]
fn random_stacks_in_a_box_agree_with_search() {
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for seed in 1..=300 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let vars: Vec<Term> = (0..VARS)
            .map(|i| terms.var(&format!("v{i}"), Sort::Int))
            .collect();
        let mut search = Search::new(&terms, &vars, BOX);
        let mut solver = Native::with_tuning(tuning(seed));
        let partial_solutions = if seed % 3 == 0 { 8 } else { 0 };
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
            let assumptions = [formula(&mut random, &mut terms, &vars, 1)];
            let limits = ample();
            let query = Query::new(&assumptions, &limits).with_core();
            let query = query.with_partial_solutions(partial_solutions);
            let outcome = solver.check(&mut terms, &query);
            match &outcome.result {
                CheckResult::Sat(_) => sat += 1,
                CheckResult::Unsat(_) => unsat += 1,
                CheckResult::Unknown(reason) => {
                    unknown += 1;
                    assert!(reason.to_string().contains("non-linear"), "{reason}");
                }
            }
            let question = (&stack[..], &assumptions[..]);
            assert_right(&mut terms, &outcome, question, &mut search);
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} sat, {unsat} unsat");
    assert!(unknown < 20, "{unknown} unknown");
}

/// A random comparison of a sum with a number.
fn comparison(random: &mut Random, terms: &mut Terms, vars: &[Term], reach: i64) -> Term {
    let addends: Vec<(i64, Term)> = vars
        .iter()
        .map(|&var| (random.within(reach), var))
        .collect();
    let sum = linear(terms, &addends);
    let limit = terms.int(random.within(3 * reach));
    match random.below(6) {
        0 | 1 => terms.eq(sum, limit),
        2 => {
            let equal = terms.eq(sum, limit);
            terms.not(equal)
        }
        3 | 4 => terms.le(sum, limit),
        _ => terms.gt(sum, limit),
    }
}

/// Systems with few integer solutions, if any: cuts, branching and equations have to agree with search, and so do
/// cores.
#[test]
fn random_linear_systems_in_a_box_agree_with_search() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 1..=150 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let reach = 6;
        let vars: Vec<Term> = (0..3)
            .map(|i| terms.var(&format!("v{i}"), Sort::Int))
            .collect();
        let mut search = Search::new(&terms, &vars, reach);
        let mut solver = Native::with_tuning(tuning(seed));
        let mut bounds = Vec::new();
        for &var in &vars {
            let (low, high) = (terms.int(-reach), terms.int(reach));
            for bound in [terms.ge(var, low), terms.le(var, high)] {
                solver.assert(&mut terms, bound);
                bounds.push(bound);
            }
        }
        for _ in 0..8 {
            let count = 2 + random.below(4);
            let assumptions: Vec<Term> = (0..count)
                .map(|_| comparison(&mut random, &mut terms, &vars, 12))
                .collect();
            let limits = ample();
            let outcome = solver.check(&mut terms, &Query::new(&assumptions, &limits).with_core());
            match &outcome.result {
                CheckResult::Sat(_) => sat += 1,
                CheckResult::Unsat(_) => unsat += 1,
                CheckResult::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
            let question = (&bounds[..], &assumptions[..]);
            assert_right(&mut terms, &outcome, question, &mut search);
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} sat, {unsat} unsat");
}

/// `a - b <= k`, or a comparison like it; now and then one that is no difference.
fn difference(random: &mut Random, terms: &mut Terms, vars: &[Term]) -> Term {
    if random.below(60) == 0 {
        return comparison(random, terms, vars, 2);
    }
    let mut some = || vars[random.below(vars.len() as u64) as usize];
    let (a, b) = (some(), some());
    let left = match random.below(5) {
        0 => a,
        _ => linear(terms, &[(1, a), (-1, b)]),
    };
    let limit = terms.int(random.within(4));
    match random.below(8) {
        0 => terms.eq(left, limit),
        1 => {
            let equal = terms.eq(left, limit);
            terms.not(equal)
        }
        2..=4 => terms.lt(left, limit),
        _ => terms.ge(left, limit),
    }
}

/// Choices among differences, as in schedules: a graph of them has to agree with search, also where it is left for the
/// tableau and entered again.
#[test]
fn random_choices_of_differences_in_a_box_agree_with_search() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 1..=200 {
        let mut random = Random::new(seed);
        let mut terms = Terms::new();
        let reach = 3;
        let vars: Vec<Term> = (0..4)
            .map(|i| terms.var(&format!("v{i}"), Sort::Int))
            .collect();
        let mut search = Search::new(&terms, &vars, reach);
        let mut solver = Native::with_tuning(tuning(seed));
        let mut stack = Vec::new();
        for &var in &vars {
            let (low, high) = (terms.int(-reach), terms.int(reach));
            for bound in [terms.ge(var, low), terms.le(var, high)] {
                solver.assert(&mut terms, bound);
                stack.push(bound);
            }
        }
        let mut levels = Vec::new();
        for _ in 0..16 {
            if random.below(3) == 0
                && let Some(length) = levels.pop()
            {
                solver.pop(1);
                stack.truncate(length);
            }
            solver.push();
            levels.push(stack.len());
            for _ in 0..2 {
                let choices: Vec<Term> = (0..1 + random.below(3))
                    .map(|_| difference(&mut random, &mut terms, &vars))
                    .collect();
                let asserted = terms.or(&choices);
                solver.assert(&mut terms, asserted);
                stack.push(asserted);
            }
            let assumptions: Vec<Term> = (0..random.below(3))
                .map(|_| difference(&mut random, &mut terms, &vars))
                .collect();
            let limits = ample();
            let outcome = solver.check(&mut terms, &Query::new(&assumptions, &limits).with_core());
            match &outcome.result {
                CheckResult::Sat(_) => sat += 1,
                CheckResult::Unsat(_) => unsat += 1,
                CheckResult::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
            let question = (&stack[..], &assumptions[..]);
            assert_right(&mut terms, &outcome, question, &mut search);
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} sat, {unsat} unsat");
}
