//! Identities of the ring of bit-vectors: the same polynomial, written in two ways.

use super::{Problem, declare, names, nested, refute, shuffle};
use crate::random::Rng;

/// Between 4 and 64 bits, mostly few.
fn width(rng: &mut Rng) -> u32 {
    *rng.pick(&[4, 5, 6, 7, 8, 8, 8, 10, 12, 16, 16, 20, 24, 32, 32, 48, 64])
}

/// The same factors in another order, nested in another way.
pub fn products(number: u64, rng: &mut Rng) -> Problem {
    let width = width(rng);
    let symbols = names("x", 2 + number as usize / 20);
    let mut factors = symbols.clone();
    for _ in 0..1 + number / 30 {
        factors.push(rng.pick(&symbols).clone());
    }
    shuffle(&mut factors, rng);
    let left = nested("bvmul", &factors, rng);
    shuffle(&mut factors, rng);
    let right = nested("bvmul", &factors, rng);
    refute(declare(&symbols, width), width, &left, &right, rng)
}

/// A product of sums, and the sum of all products.
pub fn distribution(number: u64, rng: &mut Rng) -> Problem {
    let width = width(rng);
    let (rows, columns) = (2 + number as usize / 34, 1 + number as usize % 4);
    let (xs, ys) = (names("x", rows), names("y", columns));
    let left = nested("bvadd", &xs, rng);
    let right = nested("bvadd", &ys, rng);
    let factored = format!("(bvmul {left} {right})");
    let product = |x: &String, y: &String| format!("(bvmul {x} {y})");
    let mut products: Vec<String> = xs
        .iter()
        .flat_map(|x| ys.iter().map(move |y| product(x, y)))
        .collect();
    shuffle(&mut products, rng);
    let expanded = nested("bvadd", &products, rng);
    let declarations = declare(&xs, width) + &declare(&ys, width);
    refute(declarations, width, &factored, &expanded, rng)
}

/// Binomial formulas, signs carried through products, and quotients with their remainders.
pub fn binomials(number: u64, rng: &mut Rng) -> Problem {
    let width = width(rng);
    let symbols = names("x", 3);
    let [a, b, c] = [&symbols[0], &symbols[1], &symbols[2]];
    let constant = |value: u32| format!("(_ bv{} {width})", value % (1 << width.min(31)));
    let (left, right) = match number % 8 {
        0 => (
            format!("(bvmul (bvadd {a} {b}) (bvsub {a} {b}))"),
            format!("(bvsub (bvmul {a} {a}) (bvmul {b} {b}))"),
        ),
        1 => (
            format!("(bvmul (bvadd {a} {b}) (bvadd {b} {a}))"),
            format!(
                "(bvadd (bvmul {a} {a}) (bvmul {b} {b}) (bvmul {} {b} {a}))",
                constant(2)
            ),
        ),
        2 => (
            format!("(bvmul (bvsub {a} {b}) (bvsub {a} {b}) {c})"),
            format!(
                "(bvsub (bvadd (bvmul {c} {b} {b}) (bvmul {a} {c} {a})) (bvmul {} {a} {b} {c}))",
                constant(2)
            ),
        ),
        3 => (
            format!("(bvmul (bvneg {a}) (bvmul {b} (bvneg {c})))"),
            format!("(bvneg (bvmul (bvneg {c}) {a} {b}))"),
        ),
        4 => (
            format!("(bvmul (bvnot {a}) {b})"),
            format!("(bvsub (bvneg {b}) (bvmul {b} {a}))"),
        ),
        5 => (
            format!("(bvadd (bvmul (bvudiv {a} {b}) {b}) (bvurem {a} {b}))"),
            a.clone(),
        ),
        6 => {
            let (m, n) = (constant(rng.between(2, 15)), constant(rng.between(2, 15)));
            (
                format!("(bvmul (bvadd (bvmul {m} {a}) {n}) (bvadd {b} {m}))"),
                format!(
                    "(bvadd (bvmul {a} {b} {m}) (bvmul {a} {m} {m}) (bvmul {n} {b}) (bvmul {m} {n}))"
                ),
            )
        }
        _ => (
            format!("(bvsub (bvmul {a} (bvadd {b} {c})) (bvmul {b} (bvadd {a} {c})))"),
            format!("(bvmul (bvsub {a} {b}) {c})"),
        ),
    };
    refute(declare(&symbols, width), width, &left, &right, rng)
}

/// Shifts by constants within sums and products.
pub fn shifts(number: u64, rng: &mut Rng) -> Problem {
    let width = width(rng);
    let symbols = names("x", 3);
    let [a, b, c] = [&symbols[0], &symbols[1], &symbols[2]];
    let by = rng.between(1, width - 1);
    let shift = format!("(_ bv{by} {width})");
    let power = format!("(_ bv{} {width})", 1u64 << by);
    let (left, right) = match number % 5 {
        0 => (
            format!("(bvshl (bvmul {a} {b}) {shift})"),
            format!("(bvmul (bvshl {b} {shift}) {a})"),
        ),
        1 => (
            format!("(bvmul (bvadd {a} {b}) {power})"),
            format!("(bvadd (bvshl {b} {shift}) (bvshl {a} {shift}))"),
        ),
        2 => (
            format!("(bvshl (bvmul (bvadd {a} {b}) {c}) {shift})"),
            format!("(bvadd (bvmul {a} (bvshl {c} {shift})) (bvmul {power} {b} {c}))"),
        ),
        3 => (
            format!("(bvadd (bvshl {a} {shift}) {a})"),
            format!("(bvmul {a} (bvadd {power} (_ bv1 {width})))"),
        ),
        _ => (
            format!("(bvsub (bvmul {a} {b} {c}) (bvshl (bvmul {c} {b}) {shift}))"),
            format!("(bvmul (bvmul {b} (bvsub {a} {power})) {c})"),
        ),
    };
    refute(declare(&symbols, width), width, &left, &right, rng)
}

/// Equal products and sums of products as operands of something else.
pub fn contexts(number: u64, rng: &mut Rng) -> Problem {
    let width = width(rng);
    let symbols = names("x", 4);
    let [a, b, c, d] = [&symbols[0], &symbols[1], &symbols[2], &symbols[3]];
    let (one, other) = match number % 3 {
        0 => (
            format!("(bvmul {a} {b} {c})"),
            format!("(bvmul {c} {a} {b})"),
        ),
        1 => (
            format!("(bvmul (bvadd {a} {b}) {c})"),
            format!("(bvadd (bvmul {c} {b}) (bvmul {c} {a}))"),
        ),
        _ => (
            format!("(bvmul (bvneg {a}) {b})"),
            format!("(bvneg (bvmul {b} {a}))"),
        ),
    };
    let under = |term: &str| match number / 3 % 6 {
        0 => format!("(bvudiv {term} {d})"),
        1 => format!("(bvand {term} {d})"),
        2 => format!("(bvxor {d} {term})"),
        3 => format!("(ite (bvult {a} {b}) {term} {d})"),
        4 => format!("(bvlshr {term} {d})"),
        _ => format!("(ite (bvult {term} {d}) {d} {a})"),
    };
    let declarations = declare(&symbols, width);
    refute(declarations, width, &under(&one), &under(&other), rng)
}
