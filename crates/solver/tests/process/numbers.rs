//! Integers and reals, decided by real solvers.

use refrain_term::Rational;

use super::real::{Problem, holds_in_model, named, solve};
use super::*;

fn ints(t: &mut Terms) -> [Term; 3] {
    ["x", "y", "z"].map(|name| t.var(name, Sort::Int))
}

fn reals(t: &mut Terms) -> [Term; 3] {
    ["x", "y", "z"].map(|name| t.var(name, Sort::Real))
}

fn real(t: &mut Terms, numerator: i64, denominator: i64) -> Term {
    t.number(Sort::Real, Rational::new(numerator, denominator))
}

fn scaled(t: &mut Terms, factor: i64, term: Term) -> Term {
    t.num_scaled(&Rational::from(factor), term)
}

/// Linear in the numbers.
const LINEAR: &[Problem] = &[
    ("an equation in integers", true, |t| {
        let ([x, y, _], seven, zero) = (ints(t), t.int(-7), t.int(0));
        let (a, b) = (scaled(t, 12, x), scaled(t, -31, y));
        let sum = t.add(a, b);
        let (equal, negative) = (t.eq(sum, seven), t.lt(x, zero));
        vec![equal, negative]
    }),
    ("parity", false, |t| {
        let ([x, y, z], three) = (ints(t), t.int(3));
        let (a, b) = (scaled(t, 2, x), scaled(t, -4, y));
        let sum = t.add(a, b);
        let (twice, same) = (scaled(t, 2, z), t.eq(sum, three));
        let odd = t.add(twice, three);
        let other = t.eq(odd, a);
        vec![same, other]
    }),
    ("quotients and remainders", true, |t| {
        let ([x, y, _], minus_five, two) = (ints(t), t.int(-5), t.int(2));
        let three = t.int(3);
        let (quotient, remainder) = (t.div(x, three), t.modulo(x, three));
        let (low, rest, by) = (
            t.eq(quotient, minus_five),
            t.eq(remainder, two),
            t.divisible(&Rational::from(4), y),
        );
        let above = t.lt(x, y);
        let size = t.abs(y);
        let small = t.lt(size, two);
        vec![low, rest, by, above, small]
    }),
    ("a remainder is less than its divisor", false, |t| {
        let ([x, _, _], five) = (ints(t), t.int(5));
        let remainder = t.modulo(x, five);
        vec![t.ge(remainder, five)]
    }),
    ("division by zero is a function", false, |t| {
        let ([x, y, _], zero) = (ints(t), t.int(0));
        let (of_x, of_y) = (t.div(x, zero), t.div(y, zero));
        let (same, different) = (t.eq(x, y), t.distinct(&[of_x, of_y]));
        vec![same, different]
    }),
    ("division by zero is any function", true, |t| {
        let ([x, y, _], zero, seven) = (ints(t), t.int(0), t.int(7));
        let (quotient, rest) = (t.div(x, zero), t.modulo(y, zero));
        let (a, b) = (t.eq(quotient, seven), t.eq(rest, quotient));
        vec![a, b]
    }),
    ("large numbers", true, |t| {
        let [x, y, _] = ints(t);
        let large = Rational::parse("123456789012345678901234567890").expect("a numeral");
        let (large, multiple) = (t.number(Sort::Int, large.clone()), t.num_scaled(&large, y));
        let (above, below) = (t.lt(large, x), t.lt(x, multiple));
        vec![above, below]
    }),
    ("functions of integers", true, |t| {
        let [x, y, _] = ints(t);
        let f = t.func("f", &[Sort::Int, Sort::Int], Sort::Int);
        let p = t.func("p", &[Sort::Int], Sort::Bool);
        let sum = t.add(x, y);
        let inner = t.apply(f, &[x, sum]);
        let outer = t.apply(f, &[inner, x]);
        let (less, holds) = (t.lt(outer, inner), t.apply(p, &[outer]));
        let at_x = t.apply(p, &[x]);
        let not_x = t.not(at_x);
        let negative = t.int(-9);
        let known = t.eq(inner, negative);
        vec![less, holds, not_x, known]
    }),
    ("a function of equal sums", false, |t| {
        let [x, y, z] = ints(t);
        let f = t.func("f", &[Sort::Int], Sort::Int);
        let (a, b) = (t.le(x, y), t.le(y, x));
        let (left, right) = (t.add(x, z), t.add(z, y));
        let (left, right) = (t.apply(f, &[left]), t.apply(f, &[right]));
        let different = t.distinct(&[left, right]);
        vec![a, b, different]
    }),
    ("fractions", true, |t| {
        let [x, y, z] = reals(t);
        let (third, half) = (real(t, -1, 3), real(t, 7, 2));
        let sum = t.sum(&[x, y, z]);
        let (a, b) = (t.eq(x, third), t.lt(y, half));
        let (order, exact) = (t.lt(third, y), t.eq(sum, half));
        let five = real(t, 5, 1);
        let shared = t.div(z, five);
        let bound = t.le(shared, third);
        let small = t.not(bound);
        vec![a, b, order, exact, small]
    }),
    ("between no two reals", false, |t| {
        let [x, y, z] = reals(t);
        let (a, b, c) = (t.lt(x, y), t.lt(y, z), t.le(z, x));
        vec![a, b, c]
    }),
    ("functions of reals, fractions inside", true, |t| {
        let [x, y, _] = reals(t);
        let f = t.func("f", &[Sort::Real], Sort::Real);
        let (third, three) = (real(t, 1, 3), real(t, 3, 1));
        let part = t.mul(third, x);
        let (at_part, at_y) = (t.apply(f, &[part]), t.apply(f, &[y]));
        let (a, b, c) = (t.lt(at_part, at_y), t.eq(y, third), t.lt(three, x));
        vec![a, b, c]
    }),
    ("integers and reals side by side", true, |t| {
        let ([i, j, _], [x, y, _]) = (ints(t), reals(t));
        let p = t.var("p", Sort::Bool);
        let (int, real) = (t.lt(i, j), t.lt(y, x));
        let (int, real) = (t.eq(p, int), t.eq(p, real));
        let f = t.func("f", &[Sort::Int, Sort::Real], Sort::Real);
        let applied = t.apply(f, &[i, y]);
        let last = t.lt(applied, x);
        vec![int, real, last, p]
    }),
    ("integers beside bit-vectors and arrays", true, |t| {
        let ([x, y, _], b, a) = (ints(t), t.var("b", BYTE), t.var("a", BYTES));
        let (less, one, read) = (t.lt(x, y), t.bv(8, 1), t.select(a, b));
        let (is_one, zero) = (t.eq(b, one), t.int(0));
        let chosen = t.ite(is_one, x, zero);
        let (negative, same) = (t.lt(chosen, zero), t.eq(read, b));
        vec![less, negative, same]
    }),
    ("a long sum", true, |t| {
        let addends: Vec<Term> = (0..300)
            .map(|k| {
                let symbol = t.var(&format!("s{k}"), Sort::Int);
                scaled(t, k - 150, symbol)
            })
            .collect();
        let (sum, one) = (t.sum(&addends), t.int(1));
        let equal = t.eq(sum, one);
        vec![equal]
    }),
    ("a chain of choices", true, |t| {
        let ([x, _, _], one, goal) = (ints(t), t.int(1), t.int(40));
        let mut sum = x;
        for k in 0..60 {
            let p = t.var(&format!("p{k}"), Sort::Bool);
            let next = t.add(sum, one);
            sum = t.ite(p, next, sum);
        }
        let (equal, zero) = (t.eq(sum, goal), t.int(0));
        let start = t.eq(x, zero);
        vec![equal, start]
    }),
];

/// With products of unknowns.
const PRODUCTS: &[Problem] = &[
    ("factors", true, |t| {
        let ([x, y, _], n, one) = (ints(t), t.int(221), t.int(1));
        let (product, above, below) = (t.mul(x, y), t.lt(one, x), t.lt(x, y));
        let equal = t.eq(product, n);
        vec![equal, above, below]
    }),
    ("a square is not negative", false, |t| {
        let ([x, _, _], zero) = (ints(t), t.int(0));
        let square = t.mul(x, x);
        vec![t.lt(square, zero)]
    }),
    ("an unknown divisor", true, |t| {
        let ([x, y, _], three, one) = (ints(t), t.int(3), t.int(1));
        let twenty = t.int(20);
        let (quotient, remainder) = (t.div(x, y), t.modulo(x, y));
        let (a, b) = (t.eq(quotient, three), t.eq(remainder, one));
        let (c, d) = (t.lt(one, y), t.lt(x, twenty));
        vec![a, b, c, d]
    }),
    ("a divisor that may be zero", true, |t| {
        let ([x, y, _], three, zero) = (ints(t), t.int(3), t.int(0));
        let quotient = t.div(x, y);
        let (a, b) = (t.eq(quotient, three), t.eq(y, zero));
        vec![a, b]
    }),
];

const RATIONAL_SQUARE: Problem = ("a rational square", true, |t| {
    let ([x, _, _], zero) = (reals(t), real(t, 0, 1));
    let (square, quarter) = (t.mul(x, x), real(t, 9, 4));
    let (a, b) = (t.eq(square, quarter), t.lt(x, zero));
    vec![a, b]
});

#[test]
fn linear_problems_are_decided() {
    for name in REAL {
        for problem in LINEAR {
            solve(named(name).as_mut(), problem);
        }
    }
}

#[test]
fn products_are_decided() {
    for name in REAL {
        for problem in PRODUCTS {
            solve(named(name).as_mut(), problem);
        }
    }
}

#[test]
fn rational_squares_are_found() {
    for name in ["z3", "yices"] {
        solve(named(name).as_mut(), &RATIONAL_SQUARE);
    }
}

/// What the native solver gives up on is asked of the next.
#[test]
fn a_portfolio_decides_products() {
    for problem in LINEAR.iter().chain(PRODUCTS) {
        solve(named("native,z3").as_mut(), problem);
    }
}

/// One session after another kind of question: the logic widens, and the answers stay right.
#[test]
fn kinds_of_questions_can_follow_each_other() {
    for name in REAL {
        let mut terms = Terms::new();
        let mut solver = named(name);
        let mut asked = Vec::new();
        let problems = [&LINEAR[0], &LINEAR[7], &LINEAR[9], &LINEAR[13]];
        for &(what, satisfiable, problem) in problems {
            assert!(satisfiable, "{what} can hold with the others");
            solver.push();
            for formula in problem(&mut terms) {
                // The same names are used by all.
                let p = terms.var(what, Sort::Bool);
                let implied = terms.implies(p, formula);
                solver.assert(&mut terms, implied);
                asked.push(implied);
            }
            let p = terms.var(what, Sort::Bool);
            let outcome = ask(solver.as_mut(), &mut terms, &[p]);
            assert_eq!(outcome.verdict(), Verdict::Sat, "{name} on {what}");
            let formulas: Vec<Term> = asked.iter().copied().chain([p]).collect();
            holds_in_model(&outcome, &terms, &formulas);
        }
    }
}

#[test]
fn cores_of_numbers_leave_out_what_is_not_needed() {
    for name in ["z3", "yices"] {
        let mut terms = Terms::new();
        let t = &mut terms;
        let [x, y, z] = ints(t);
        let (a, b, c, d) = (t.lt(x, y), t.lt(y, z), t.lt(z, x), t.lt(x, z));
        let mut solver = named(name);
        let mut core = core(ask(solver.as_mut(), t, &[d, a, b, c]));
        assert!(core.len() < 4, "{name}: {core:?}");
        core.push(a);
        let again = ask(solver.as_mut(), t, &core);
        assert_eq!(again.verdict(), Verdict::Unsat, "{name}");
    }
}

#[test]
fn what_has_no_logic_is_declined() {
    let mut terms = Terms::new();
    let t = &mut terms;
    let ([x, y, _], b, one) = (ints(t), t.var("b", BYTE), t.bv(8, 1));
    let (product, six) = (t.mul(x, y), t.int(6));
    let formulas = [t.eq(product, six), t.eq(b, one)];
    let verdict = ask(named("yices").as_mut(), t, &formulas).verdict();
    let why = "yices: it knows no products of numbers beside bit-vectors";
    assert_eq!(
        verdict,
        Verdict::Unknown(Reason::Incomplete(why.to_owned()))
    );
}

#[test]
fn a_root_is_no_value() {
    let mut terms = Terms::new();
    let t = &mut terms;
    let ([x, _, _], two) = (reals(t), real(t, 2, 1));
    let square = t.mul(x, x);
    let formula = t.eq(square, two);
    let verdict = ask(named("z3").as_mut(), t, &[formula]).verdict();
    let why = "z3: its model has a number that is not rational";
    assert_eq!(
        verdict,
        Verdict::Unknown(Reason::Incomplete(why.to_owned()))
    );
}
