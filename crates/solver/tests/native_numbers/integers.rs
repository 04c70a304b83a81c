//! Integers that bounds alone do not decide: equations, knapsacks, thin slices, huge coefficients, products.

use refrain_solver::native::Native;
use refrain_solver::{Query, Reason, Solver, Verdict};
use refrain_term::{Rational, Sort, Term, Terms};

use super::common::{Random, ample, decide, linear, tuning};

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

/// One solver is asked about window after window: lemmas of one check are there in the next, where they may be of use
/// but must not bind.
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
            let verdict = solver
                .check(&mut terms, &Query::new(&window, &ample()))
                .verdict();
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
            let verdict = solver
                .check(&mut terms, &Query::new(&bounds, &ample()))
                .verdict();
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
    match solver
        .check(&mut terms, &Query::new(&[], &ample()))
        .verdict()
    {
        Verdict::Unknown(Reason::Incomplete(why)) => assert!(why.contains("non-linear"), "{why}"),
        other => panic!("114 as a sum of three cubes: {other:?}"),
    }
    solver.pop(1);
    let less = terms.lt(x, y);
    assert_eq!(
        solver
            .check(&mut terms, &Query::new(&[less], &ample()))
            .verdict(),
        Verdict::Sat
    );
}
