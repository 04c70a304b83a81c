//! Integers and reals: random stacks against search in a box, against elimination and against fresh solvers; problems that need equations, cuts or
//! boxes; partial solutions, the published example among them.

#[path = "../src/native/arith/simplex/tests/fourier_motzkin.rs"]
mod fourier_motzkin;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use fourier_motzkin::{Inequality, is_feasible};
use refrain_solver::native::{Native, Tuning};
use refrain_solver::{Limits, Reason, Solver, Verdict};
use refrain_term::{Assignment, Batch, Bits, Op, Rational, Sort, Term, Terms, Value, VarId, eval};

/// Far more time than any check here takes, so that one without end fails.
fn ample() -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_secs(30)),
        ..Limits::default()
    }
}

/// The tuning of a random test: what the engine is asked less often otherwise, it is asked more often.
fn tuning(seed: u64) -> Tuning {
    Tuning {
        components: !seed.is_multiple_of(3),
        values: seed.is_multiple_of(2),
        // Encodings that are thrown away time and again.
        epoch_slack: if seed.is_multiple_of(5) { 4 } else { 4_000 },
    }
}

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
    let verdict = solver.check(&mut terms, &[], &ample());
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
    let verdict = solver.check(&mut terms, &[], &ample());
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

fn symbol(terms: &Terms, var: Term) -> VarId {
    match terms.op(var) {
        Op::Var(id) => id,
        _ => panic!("no symbol"),
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
    solver: &mut Native,
    verdict: &Verdict,
    (assertions, assumptions): (&[Term], &[Term]),
    search: &mut Search,
) {
    let all = || assertions.iter().chain(assumptions).copied();
    match verdict {
        Verdict::Sat => {
            let model = solver.model(terms);
            for formula in all() {
                assert_eq!(eval(terms, formula, &model), Value::Bool(true));
            }
        }
        Verdict::Unsat => {
            assert!(!search.finds(terms, all()), "there is a solution");
            let core = solver.core();
            assert!(core.iter().all(|term| assumptions.contains(term)));
            let refuted = assertions.iter().chain(&core).copied();
            assert!(!search.finds(terms, refuted), "the core can hold");
        }
        Verdict::Unknown(_) => {}
    }
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
        let mut search = Search::new(&terms, &vars, BOX);
        let mut solver = Native::with_tuning(tuning(seed));
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
            let assumptions = [formula(&mut random, &mut terms, &vars, 1)];
            let verdict = solver.check(&mut terms, &assumptions, &ample());
            match &verdict {
                Verdict::Sat => sat += 1,
                Verdict::Unsat => unsat += 1,
                Verdict::Unknown(reason) => {
                    unknown += 1;
                    assert!(reason.to_string().contains("non-linear"), "{reason}");
                }
            }
            let question = (&stack[..], &assumptions[..]);
            assert_right(&mut terms, &mut solver, &verdict, question, &mut search);
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} sat, {unsat} unsat");
    assert!(unknown < 20, "{unknown} unknown");
}

/// `Σ factor * var`.
fn linear(terms: &mut Terms, addends: &[(i64, Term)]) -> Term {
    let addends: Vec<Term> = addends
        .iter()
        .map(|&(factor, var)| terms.num_scaled(&Rational::from(factor), var))
        .collect();
    terms.sum(&addends)
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

/// Systems with few integer solutions, if any: cuts, branching and equations have to agree with search, and so do cores.
#[test]
fn random_linear_systems_in_a_box_agree_with_search() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 1..=150 {
        let mut random = Random(seed * 0x2545_f491);
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
            let verdict = solver.check(&mut terms, &assumptions, &ample());
            match verdict {
                Verdict::Sat => sat += 1,
                Verdict::Unsat => unsat += 1,
                Verdict::Unknown(ref reason) => panic!("seed {seed}: {reason}"),
            }
            let question = (&bounds[..], &assumptions[..]);
            assert_right(&mut terms, &mut solver, &verdict, question, &mut search);
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} sat, {unsat} unsat");
}

/// How a sum is compared with a number.
#[derive(Clone, Copy)]
enum Is {
    Equal,
    AtMost,
    AtLeast,
}
use Is::*;

/// Rows of factors, how the sum compares, and with what.
type Rows<'a> = &'a [(&'a [i64], Is, i64)];

fn system(terms: &mut Terms, rows: Rows<'_>) -> Vec<Term> {
    rows.iter()
        .map(|(factors, is, limit)| {
            let addends: Vec<(i64, Term)> = factors
                .iter()
                .enumerate()
                .map(|(place, factor)| (*factor, terms.var(&format!("x{place}"), Sort::Int)))
                .collect();
            let sum = linear(terms, &addends);
            let limit = terms.int(*limit);
            match is {
                Equal => terms.eq(sum, limit),
                AtMost => terms.le(sum, limit),
                AtLeast => terms.ge(sum, limit),
            }
        })
        .collect()
}

/// Answers a conjunction as assertions, as assumptions, one after the other, and by the engine alone: all alike. The core of what cannot be is
/// checked in a solver of its own.
fn decide(terms: &mut Terms, formulas: &[Term]) -> Verdict {
    let limits = ample();
    let mut by_assumptions = Native::new();
    let verdict = by_assumptions.check(terms, formulas, &limits);
    match &verdict {
        Verdict::Sat => {
            let model = by_assumptions.model(terms);
            for &formula in formulas {
                assert_eq!(eval(terms, formula, &model), Value::Bool(true));
            }
        }
        Verdict::Unsat => {
            let core = by_assumptions.core();
            assert!(core.iter().all(|term| formulas.contains(term)));
            let mut fresh = Native::new();
            assert_eq!(fresh.check(terms, &core, &limits), Verdict::Unsat);
        }
        Verdict::Unknown(_) => return verdict,
    }
    let mut at_once = Native::new();
    let mut step_by_step = Native::new();
    let mut last = Verdict::Sat;
    for &formula in formulas {
        at_once.assert(terms, formula);
        step_by_step.push();
        step_by_step.assert(terms, formula);
        last = step_by_step.check(terms, &[], &limits);
    }
    assert_eq!(at_once.check(terms, &[], &limits), verdict);
    let mut by_engine = Native::with_tuning(Tuning {
        components: false,
        ..Tuning::default()
    });
    assert_eq!(by_engine.check(terms, formulas, &limits), verdict);
    assert_eq!(last, verdict);
    verdict
}

fn assert_decides(expected: Verdict, rows: Rows<'_>) {
    let mut terms = Terms::new();
    let formulas = system(&mut terms, rows);
    let shown: Vec<_> = rows
        .iter()
        .map(|(factors, _, limit)| (factors, limit))
        .collect();
    assert_eq!(decide(&mut terms, &formulas), expected, "{shown:?}");
}

#[test]
fn equations_without_bounds_are_decided_by_their_divisors() {
    let unsat: &[Rows<'_>] = &[
        &[(&[2, -2], Equal, 1)],
        &[(&[4, 6, -10], Equal, 1)],
        &[(&[6, 15, 21], Equal, 7)],
        // x + y and x - y are both even, or both odd.
        &[(&[1, 1, -2, 0], Equal, 0), (&[1, -1, 0, -2], Equal, 1)],
        // Even, and one more than a multiple of six.
        &[(&[1, -2, 0], Equal, 0), (&[1, 0, -6], Equal, 1)],
        &[(&[3, 5, 0], Equal, 7), (&[6, 10, 3], Equal, 1)],
        // No equation, but bounds that make one.
        &[
            (&[1, 1, -2, 0], AtMost, 0),
            (&[1, 1, -2, 0], AtLeast, 0),
            (&[1, -1, 0, -2], AtMost, 1),
            (&[1, -1, 0, -2], AtLeast, 1),
        ],
        &[(&[7, 11, -13], Equal, 4), (&[14, 22, -26], Equal, 9)],
    ];
    for rows in unsat {
        assert_decides(Verdict::Unsat, rows);
    }
    let sat: &[Rows<'_>] = &[
        &[(&[4, 6, -10], Equal, 2)],
        &[(&[3, 5], Equal, 7), (&[1, 0], AtLeast, 101)],
        &[(&[3, 5], Equal, 7), (&[1, 0], AtMost, -1_000_000_000_000)],
        &[(&[12, 21, 35], Equal, 1)],
        &[(&[1, 1, -2, 0], Equal, 0), (&[1, -1, 0, -2], Equal, 0)],
        &[(&[1, -2, 0], Equal, 0), (&[1, 0, -7], Equal, 1)],
        &[(&[97, -89], Equal, 1), (&[1, 0], AtLeast, 1000)],
    ];
    for rows in sat {
        assert_decides(Verdict::Sat, rows);
    }
}

#[test]
fn bounds_are_tightened_to_what_equations_leave() {
    // x is a multiple of 6 and of 10.
    let multiples = |low, high| {
        [
            (&[1, -6, 0][..], Equal, 0),
            (&[1, 0, -10][..], Equal, 0),
            (&[1, 0, 0][..], AtLeast, low),
            (&[1, 0, 0][..], AtMost, high),
        ]
    };
    assert_decides(Verdict::Unsat, &multiples(1, 29));
    assert_decides(Verdict::Sat, &multiples(1, 30));
    assert_decides(Verdict::Unsat, &multiples(31, 59));
    assert_decides(Verdict::Unsat, &multiples(-29, -1));
    assert_decides(Verdict::Sat, &multiples(-30, -1));
    // x - y is a multiple of three.
    let difference = |low, high| {
        [
            (&[1, -1, -3][..], Equal, 0),
            (&[1, -1, 0][..], AtLeast, low),
            (&[1, -1, 0][..], AtMost, high),
        ]
    };
    assert_decides(Verdict::Unsat, &difference(1, 2));
    assert_decides(Verdict::Sat, &difference(1, 3));
    assert_decides(Verdict::Unsat, &difference(-8, -7));
}

/// One solver is asked about window after window: lemmas of one check are there in the next, where they may be of use but must not bind.
#[test]
fn lemmas_of_one_check_are_true_in_the_next() {
    for seed in 1..=6 {
        let mut terms = Terms::new();
        let [x, y, a, b, c] = ["x", "y", "a", "b", "c"].map(|name| terms.var(name, Sort::Int));
        // x + 2y is a multiple of 6 and of 10, and c is free to be near a.
        let sum = linear(&mut terms, &[(1, x), (2, y)]);
        let (six, ten) = (
            linear(&mut terms, &[(6, a)]),
            linear(&mut terms, &[(10, b)]),
        );
        let third = linear(&mut terms, &[(3, c), (-1, a)]);
        let (one, two) = (terms.int(1), terms.int(2));
        let assertions = [
            terms.eq(sum, six),
            terms.eq(sum, ten),
            terms.ge(third, one),
            terms.le(third, two),
        ];
        let mut solver = Native::with_tuning(tuning(seed));
        solver.push();
        for assertion in assertions {
            solver.assert(&mut terms, assertion);
        }
        let mut random = Random(seed * 0x9e37_79b9);
        for _ in 0..60 {
            let low = random.within(200);
            let high = low + random.below(45) as i64;
            let (least, most) = (terms.int(low), terms.int(high));
            let window = [terms.ge(sum, least), terms.le(sum, most)];
            // a = sum / 6 is no multiple of three.
            let expected = (low..=high).any(|sum| sum % 30 == 0 && sum % 18 != 0);
            let verdict = solver.check(&mut terms, &window, &ample());
            let right = if expected {
                Verdict::Sat
            } else {
                Verdict::Unsat
            };
            assert_eq!(verdict, right, "seed {seed}: {low}..={high}");
        }
    }
}

/// Bounds that meet decide equations; once they are gone, nothing of it is left.
#[test]
fn what_bounds_decide_in_one_check_is_open_in_the_next() {
    for seed in 1..=6 {
        let mut terms = Terms::new();
        let sort = if seed < 4 { Sort::Int } else { Sort::Real };
        let [x, y] = ["x", "y"].map(|name| terms.var(name, sort));
        let sum = terms.add(x, y);
        let mut solver = Native::with_tuning(tuning(seed));
        let numbers: Vec<Term> = (-3..=3)
            .map(|i| terms.number(sort, Rational::from(i)))
            .collect();
        for &number in &numbers {
            let alternatives = [terms.eq(sum, number), terms.eq(y, number)];
            let alternatives = alternatives.map(|equal| terms.not(equal));
            let either = terms.or2(alternatives[0], alternatives[1]);
            solver.assert(&mut terms, either);
        }
        let mut random = Random(seed * 0x9e37_79b9);
        for _ in 0..80 {
            let [low, high] = [(); 2].map(|()| random.below(7) as usize);
            let bounds = [terms.ge(sum, numbers[low]), terms.le(sum, numbers[high])];
            let verdict = solver.check(&mut terms, &bounds, &ample());
            let right = match low <= high {
                true => Verdict::Sat,
                false => Verdict::Unsat,
            };
            assert_eq!(verdict, right, "seed {seed}: {low}..={high}");
        }
    }
}

#[test]
fn knapsacks_are_decided() {
    let mut frobenius = Vec::new();
    for total in 0..60 {
        // Whether so many can be had in boxes of 6, 9 and 20.
        let possible = (0..=total / 20).any(|c| {
            (0..=total / 9).any(|b| (total - 20 * c - 9 * b) % 6 == 0 && total >= 20 * c + 9 * b)
        });
        if !possible {
            frobenius.push(total);
        }
        let expected = if possible {
            Verdict::Sat
        } else {
            Verdict::Unsat
        };
        assert_decides(
            expected,
            &[
                (&[6, 9, 20], Equal, total),
                (&[1, 0, 0], AtLeast, 0),
                (&[0, 1, 0], AtLeast, 0),
                (&[0, 0, 1], AtLeast, 0),
            ],
        );
    }
    assert_eq!(frobenius.last(), Some(&43));
}

#[test]
fn thin_slices_of_the_plane_have_no_integers_or_few() {
    // Rational points in all of them, unbounded in both directions.
    assert_decides(
        Verdict::Unsat,
        &[(&[3, -3], AtLeast, 1), (&[3, -3], AtMost, 2)],
    );
    assert_decides(
        Verdict::Unsat,
        &[(&[6, -9, 15], AtLeast, 4), (&[6, -9, 15], AtMost, 5)],
    );
    assert_decides(
        Verdict::Sat,
        &[
            (&[17, -23], AtLeast, 5),
            (&[17, -23], AtMost, 5),
            (&[1, 1], AtLeast, 500),
        ],
    );
    // A triangle between (0, 0), (1/2, k) and (1, 0), without its lower side.
    assert_decides(
        Verdict::Unsat,
        &[
            (&[0, 1], AtLeast, 1),
            (&[-40, 1], AtMost, 0),
            (&[40, 1], AtMost, 40),
        ],
    );
    assert_decides(
        Verdict::Sat,
        &[
            (&[0, 1], AtLeast, 0),
            (&[-40, 1], AtMost, 0),
            (&[40, 1], AtMost, 40),
        ],
    );
}

#[test]
fn huge_coefficients_are_exact() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::Int));
    let huge = Rational::parse("1000000000000000000000000000000").expect("a number");
    let next = &huge + &Rational::ONE;
    let (a, b) = (terms.num_scaled(&huge, x), terms.num_scaled(&next, y));
    let sum = terms.add(a, b);
    let one = terms.int(1);
    let equation = terms.eq(sum, one);
    assert_eq!(decide(&mut terms, &[equation]), Verdict::Sat);
    // All solutions are (-1, 1) + k * (next, -huge), so the first that is not negative has x = huge.
    let (low, high) = (terms.int(0), terms.number(Sort::Int, huge.clone()));
    let not_negative = terms.ge(x, low);
    let small = terms.lt(x, high);
    let up_to_it = terms.le(x, high);
    assert_eq!(
        decide(&mut terms, &[equation, not_negative, small]),
        Verdict::Unsat
    );
    assert_eq!(
        decide(&mut terms, &[equation, not_negative, up_to_it]),
        Verdict::Sat
    );
    let double = Rational::from(2);
    let (a, b) = (
        terms.num_scaled(&(&huge * &double), x),
        terms.num_scaled(&(&next * &double), y),
    );
    let even = terms.add(a, b);
    let odd = terms.eq(even, one);
    assert_eq!(decide(&mut terms, &[odd]), Verdict::Unsat);
}

/// Systems with a hidden solution far from zero, and nothing else that keeps the variables small.
#[test]
fn hidden_integer_solutions_are_found() {
    for seed in 1..=60 {
        let mut random = Random(seed * 0x1234_5679);
        let mut terms = Terms::new();
        let vars: Vec<Term> = (0..4)
            .map(|i| terms.var(&format!("v{i}"), Sort::Int))
            .collect();
        let point: Vec<i64> = vars.iter().map(|_| random.within(100_000)).collect();
        let mut formulas = Vec::new();
        for place in 0..4 {
            let factors: Vec<i64> = vars.iter().map(|_| random.within(30)).collect();
            let addends: Vec<(i64, Term)> =
                factors.iter().copied().zip(vars.iter().copied()).collect();
            let sum = linear(&mut terms, &addends);
            let at: i64 = factors.iter().zip(&point).map(|(f, p)| f * p).sum();
            let (low, high) = (terms.int(at - 20), terms.int(at + 20));
            if place < 2 {
                let exact = terms.int(at);
                formulas.push(terms.eq(sum, exact));
            } else {
                formulas.push(terms.ge(sum, low));
                formulas.push(terms.le(sum, high));
            }
        }
        assert_eq!(decide(&mut terms, &formulas), Verdict::Sat, "seed {seed}");
    }
}

/// A comparison of reals: `Σ factor * var` against a number, as a term and as inequalities.
enum Compared {
    Convex(Vec<Inequality>),
    /// Either of the two.
    Different(Inequality, Inequality),
}

fn real_comparison(random: &mut Random, terms: &mut Terms, vars: &[Term]) -> (Term, Compared) {
    let factors: Vec<Rational> = vars
        .iter()
        .map(|_| Rational::new(random.within(3), 1 + random.below(2) as i64))
        .collect();
    let limit = Rational::new(random.within(4), 1 + random.below(3) as i64);
    let addends: Vec<Term> = vars
        .iter()
        .zip(&factors)
        .map(|(&var, factor)| terms.num_scaled(factor, var))
        .collect();
    let sum = terms.sum(&addends);
    let number = terms.number(Sort::Real, limit.clone());
    let below = |strict| Inequality::at_most(&factors, &limit, strict);
    let above = |strict| Inequality::at_least(&factors, &limit, strict);
    match random.below(7) {
        0 => (
            terms.eq(sum, number),
            Compared::Convex(vec![below(false), above(false)]),
        ),
        1 | 2 => {
            let equal = terms.eq(sum, number);
            (
                terms.not(equal),
                Compared::Different(below(true), above(true)),
            )
        }
        3 => (terms.le(sum, number), Compared::Convex(vec![below(false)])),
        4 => (terms.lt(sum, number), Compared::Convex(vec![below(true)])),
        5 => (terms.ge(sum, number), Compared::Convex(vec![above(false)])),
        _ => (terms.gt(sum, number), Compared::Convex(vec![above(true)])),
    }
}

/// A convex set that no single hyperplane contains is not covered by finitely many of them: each that is excluded can be looked at alone.
fn has_solution<'a>(compared: impl IntoIterator<Item = &'a Compared> + Clone) -> bool {
    let mut convex = Vec::new();
    for part in compared.clone() {
        if let Compared::Convex(inequalities) = part {
            convex.extend_from_slice(inequalities);
        }
    }
    is_feasible(&convex)
        && compared.into_iter().all(|part| match part {
            Compared::Convex(_) => true,
            Compared::Different(below, above) => [below, above].into_iter().any(|side| {
                let mut with = convex.clone();
                with.push(side.clone());
                is_feasible(&with)
            }),
        })
}

#[test]
fn random_systems_of_reals_agree_with_elimination() {
    let (mut sat, mut unsat, mut minimal) = (0, 0, 0);
    for seed in 1..=300 {
        let mut random = Random(seed * 0x0dd_ba11);
        let mut terms = Terms::new();
        let vars: Vec<Term> = (0..3)
            .map(|i| terms.var(&format!("r{i}"), Sort::Real))
            .collect();
        let mut solver = Native::with_tuning(tuning(seed));
        for _ in 0..6 {
            let count = 4 + random.below(6);
            let parts: Vec<(Term, Compared)> = (0..count)
                .map(|_| real_comparison(&mut random, &mut terms, &vars))
                .collect();
            let assumptions: Vec<Term> = parts.iter().map(|(term, _)| *term).collect();
            let expected = has_solution(parts.iter().map(|(_, compared)| compared));
            match solver.check(&mut terms, &assumptions, &ample()) {
                Verdict::Sat => {
                    sat += 1;
                    assert!(expected, "seed {seed}: sat");
                    let model = solver.model(&mut terms);
                    for &formula in &assumptions {
                        assert_eq!(eval(&terms, formula, &model), Value::Bool(true));
                    }
                }
                Verdict::Unsat => {
                    unsat += 1;
                    assert!(!expected, "seed {seed}: unsat");
                    let core: HashSet<Term> = solver.core().into_iter().collect();
                    let in_core = |left_out: Option<Term>| {
                        let parts = parts
                            .iter()
                            .filter(|(term, _)| core.contains(term) && Some(*term) != left_out);
                        parts.map(|(_, compared)| compared).collect::<Vec<_>>()
                    };
                    assert!(!has_solution(in_core(None)), "seed {seed}: core");
                    let is_convex = |part: &&Compared| matches!(part, Compared::Convex(_));
                    if in_core(None).iter().all(is_convex) {
                        minimal += 1;
                        for &term in &core {
                            assert!(has_solution(in_core(Some(term))), "seed {seed}: core");
                        }
                    }
                }
                Verdict::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} sat, {unsat} unsat");
    assert!(minimal > 100, "{minimal} minimal cores");
}

fn real(terms: &mut Terms, text: &str) -> Term {
    let number = Rational::parse(text).expect("a number");
    terms.number(Sort::Real, number)
}

#[test]
fn there_is_room_between_strict_bounds_however_close() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Real);
    let tiny = Rational::parse("1000000000000000000000000000000").expect("a number");
    let tiny = tiny.inverse();
    let (zero, limit) = (
        real(&mut terms, "0"),
        terms.number(Sort::Real, tiny.clone()),
    );
    let mut formulas = vec![terms.gt(x, zero), terms.lt(x, limit)];
    for step in 1..40 {
        let at = &tiny / &Rational::from(1i64 << step);
        let excluded = terms.number(Sort::Real, at);
        let equal = terms.eq(x, excluded);
        formulas.push(terms.not(equal));
    }
    assert_eq!(decide(&mut terms, &formulas), Verdict::Sat);
    let half = terms.number(Sort::Real, &tiny / &Rational::from(2));
    let (at_most, at_least) = (terms.le(x, half), terms.ge(x, half));
    formulas.extend([at_most, at_least]);
    assert_eq!(
        decide(&mut terms, &formulas),
        Verdict::Unsat,
        "all but the half"
    );
}

#[test]
fn strictness_alone_refutes() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.var(name, Sort::Real));
    let circle = [terms.lt(x, y), terms.lt(y, z), terms.le(z, x)];
    assert_eq!(decide(&mut terms, &circle), Verdict::Unsat);
    let weak = [terms.le(x, y), terms.le(y, z), terms.le(z, x)];
    assert_eq!(decide(&mut terms, &weak), Verdict::Sat);
    let equal = terms.eq(x, z);
    let different = terms.not(equal);
    assert_eq!(
        decide(&mut terms, &[&weak[..], &[different]].concat()),
        Verdict::Unsat
    );
    let (sum, difference) = (terms.add(x, y), terms.sub(x, y));
    let (one, half) = (
        real(&mut terms, "1"),
        terms.number(Sort::Real, Rational::new(1, 2)),
    );
    // The only point of the weak ones is (1/2, 1/2).
    let zero = real(&mut terms, "0");
    let corner = [
        terms.ge(sum, one),
        terms.le(difference, zero),
        terms.le(y, half),
    ];
    assert_eq!(decide(&mut terms, &corner), Verdict::Sat);
    for (place, strict) in [
        terms.gt(sum, one),
        terms.lt(difference, zero),
        terms.lt(y, half),
    ]
    .into_iter()
    .enumerate()
    {
        let mut formulas = corner.to_vec();
        formulas[place] = strict;
        assert_eq!(decide(&mut terms, &formulas), Verdict::Unsat);
    }
}

#[test]
fn products_without_end_are_given_up_by_name() {
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.var(name, Sort::Int));
    let cube = |terms: &mut Terms, x: Term| {
        let square = terms.mul(x, x);
        terms.mul(square, x)
    };
    let cubes = [x, y, z].map(|var| cube(&mut terms, var));
    let sum = terms.sum(&cubes);
    let number = terms.int(114);
    let equal = terms.eq(sum, number);
    let mut solver = Native::new();
    solver.push();
    solver.assert(&mut terms, equal);
    match solver.check(&mut terms, &[], &ample()) {
        Verdict::Unknown(Reason::Incomplete(why)) => assert!(why.contains("non-linear"), "{why}"),
        other => panic!("114 as a sum of three cubes: {other:?}"),
    }
    solver.pop(1);
    let less = terms.lt(x, y);
    assert_eq!(solver.check(&mut terms, &[less], &ample()), Verdict::Sat);
}

/// Problems whose search goes through many assignments: as rows over small integers.
fn many_pivots(terms: &mut Terms, seed: u64, vars: usize) -> (Vec<Term>, Vec<Term>) {
    let mut random = Random(seed * 0x9e37_79b9);
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
    solver.collect_partial_solutions(Some(limit));
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    let verdict = solver.check(terms, &[], limits);
    let partial = solver.partial_solutions(terms);
    assert_eq!(solver.stats().partial_solutions, partial.len() as u64);
    (
        verdict,
        partial.iter().map(|p| values(terms, vars, p)).collect(),
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
    assert_eq!(
        verdict,
        Verdict::Unknown(Reason::ResourceLimit("conflicts".into()))
    );
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
    let verdict = solver.check(&mut terms, &[], &ample());
    assert!(solver.partial_solutions(&mut terms).is_empty());
    assert_eq!(solver.stats().partial_solutions, 0);
    let mut asked = Native::new();
    asked.collect_partial_solutions(Some(100));
    for &formula in &formulas {
        asked.push();
        asked.assert(&mut terms, formula);
    }
    assert_eq!(asked.check(&mut terms, &[], &ample()), verdict);
    assert!(!asked.partial_solutions(&mut terms).is_empty());
    asked.pop(formulas.len());
    assert_eq!(asked.check(&mut terms, &[], &ample()), Verdict::Sat);
    assert!(
        asked.partial_solutions(&mut terms).is_empty(),
        "nothing to search for"
    );
    asked.collect_partial_solutions(None);
    for &formula in &formulas {
        asked.assert(&mut terms, formula);
    }
    assert_eq!(asked.check(&mut terms, &[], &ample()), verdict);
    assert!(asked.partial_solutions(&mut terms).is_empty());
}

/// A walk up and down the stack over few formulas, so that the same come back after their levels were popped: every answer is that of a fresh solver.
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
        let verdict = solver.check(&mut terms, &assumptions, &ample());
        if verdict == Verdict::Sat {
            sat += 1;
            let model = solver.model(&mut terms);
            for &formula in &all {
                assert_eq!(eval(&terms, formula, &model), Value::Bool(true));
            }
        } else {
            unsat += 1;
            let core = solver.core();
            assert!(core.iter().all(|term| assumptions.contains(term)));
        }
        all.sort_unstable();
        all.dedup();
        let expected = known.entry(all).or_insert_with_key(|all| {
            let mut fresh = Native::new();
            for &formula in all {
                fresh.assert(&mut terms, formula);
            }
            fresh.check(&mut terms, &[], &ample())
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
