//! Divisions and comparisons that need fewer bits, or less than a division.

use super::{Problem, declare, names, refute};
use crate::random::Rng;

/// Used and unused bits of an operand.
fn widths(number: u64, rng: &mut Rng) -> (u32, u32) {
    let used = 4 + number as u32 / 8;
    (used, rng.between(1, 64 - used))
}

fn zero(by: u32, term: &str) -> String {
    format!("((_ zero_extend {by}) {term})")
}

fn sign(by: u32, term: &str) -> String {
    format!("((_ sign_extend {by}) {term})")
}

/// Divisions of extended operands, and those of the operands themselves.
pub fn narrow(number: u64, rng: &mut Rng) -> Problem {
    let (used, by) = widths(number, rng);
    let width = used + by;
    let symbols = names("x", 2);
    let [a, b] = [&symbols[0], &symbols[1]];
    let (c, d) = (zero(by, a), zero(by, b));
    let (m, n) = (sign(by, a), sign(by, b));
    let constant = rng.between(3, 15);
    let (left, right) = match number % 6 {
        0 => (
            format!("((_ extract {} 0) (bvudiv {c} {d}))", used - 1),
            format!("(bvudiv {a} {b})"),
        ),
        1 => (
            format!("(bvurem {c} {d})"),
            zero(by, &format!("(bvurem {a} {b})")),
        ),
        2 => (
            format!("(bvudiv {c} (_ bv{constant} {width}))"),
            zero(by, &format!("(bvudiv {a} (_ bv{constant} {used}))")),
        ),
        3 => (
            format!("(bvurem {c} (_ bv{constant} {width}))"),
            zero(by, &format!("(bvurem {a} (_ bv{constant} {used}))")),
        ),
        4 => (
            format!("(bvsrem {m} {n})"),
            sign(by, &format!("(bvsrem {a} {b})")),
        ),
        _ => (
            format!("(bvsdiv {m} {n})"),
            sign(by - 1, &format!("(bvsdiv {} {})", sign(1, a), sign(1, b))),
        ),
    };
    let width = if number.is_multiple_of(6) {
        used
    } else {
        width
    };
    refute(declare(&symbols, used), width, &left, &right, rng)
}

/// Divisions and products by powers of two, constant or shifted, and the slices, masks and shifts they are.
pub fn powers_of_two(number: u64, rng: &mut Rng) -> Problem {
    let width = 4 + number as u32 * 60 / 100;
    let symbols = names("x", 2);
    let [a, b] = [&symbols[0], &symbols[1]];
    let by = rng.between(1, width - 2);
    let power = format!("(_ bv{} {width})", 1u64 << by);
    let shift = format!("(_ bv{by} {width})");
    let one = format!("(_ bv1 {width})");
    let (left, right) = match number % 7 {
        0 => (
            format!("(bvurem {a} {power})"),
            format!("(bvand {a} (bvsub {power} {one}))"),
        ),
        1 => (
            format!("(bvudiv {a} {power})"),
            format!("(bvlshr {a} {shift})"),
        ),
        2 => (
            format!("(bvmul {a} (bvshl {one} {b}))"),
            format!("(bvshl {a} {b})"),
        ),
        3 => (
            format!("(bvurem {a} (bvshl {one} {b}))"),
            format!("(bvand {a} (bvsub (bvshl {one} {b}) {one}))"),
        ),
        4 => (
            format!(
                "(bvand (bvudiv {a} (bvshl {one} {b})) (ite (bvult {b} (_ bv{width} {width})) (bvnot (_ bv0 {width})) (_ bv0 {width})))"
            ),
            format!("(bvlshr {a} {b})"),
        ),
        5 => {
            let bias = format!(
                "(bvlshr (bvashr {a} (_ bv{} {width})) (_ bv{} {width}))",
                width - 1,
                width - by
            );
            (
                format!("(bvsdiv {a} {power})"),
                format!("(bvashr (bvadd {a} {bias}) {shift})"),
            )
        }
        _ => (
            format!("(bvadd (bvmul (bvudiv {a} {power}) {power}) (bvurem {a} {power}))"),
            a.clone(),
        ),
    };
    refute(declare(&symbols, width), width, &left, &right, rng)
}

/// Multiples divided by what they are multiples of, where nothing overflows.
pub fn multiples(number: u64, rng: &mut Rng) -> Problem {
    let used = 4 + number as u32 / 5;
    let width = 2 * used + 4;
    let symbols = names("x", 2);
    let [x, y] = [&symbols[0], &symbols[1]];
    let (a, b) = (zero(width - used, x), zero(width - used, y));
    let constant = rng.between(3, 15);
    let c = format!("(_ bv{constant} {width})");
    let (left, right) = match number % 5 {
        0 => (format!("(bvudiv (bvmul {a} {c}) {c})"), a.clone()),
        1 => (
            format!("(bvurem (bvmul {a} {c}) {c})"),
            format!("(_ bv0 {width})"),
        ),
        2 => (
            format!("(bvudiv (bvadd (bvmul {c} {a}) {b}) {c})"),
            format!("(bvadd {a} (bvudiv {b} {c}))"),
        ),
        3 => (
            format!("(bvurem (bvadd (bvmul {c} {a}) {b}) {c})"),
            format!("(bvurem {b} {c})"),
        ),
        _ => (
            format!("(bvudiv (bvmul {a} {b}) {b})"),
            format!("(ite (= {y} (_ bv0 {used})) (bvnot (_ bv0 {width})) {a})"),
        ),
    };
    refute(declare(&symbols, used), width, &left, &right, rng)
}

/// Comparisons of extended values, with themselves and with quotients.
pub fn extensions(number: u64, rng: &mut Rng) -> Problem {
    let (used, by) = widths(number, rng);
    let width = used + by;
    let symbols = names("x", 2);
    let [a, b] = [&symbols[0], &symbols[1]];
    let (c, d) = (zero(by, a), zero(by, b));
    let (m, n) = (sign(by, a), sign(by, b));
    let constant = rng.between(3, 15);
    let quotient = |of: &str, width: u32| format!("(bvudiv {of} (_ bv{constant} {width}))");
    let (left, right) = match number % 6 {
        0 => (format!("(bvult {m} {n})"), format!("(bvult {a} {b})")),
        1 => (format!("(bvslt {c} {d})"), format!("(bvult {a} {b})")),
        2 => (
            format!("(= {m} {d})"),
            format!("(and (= {a} {b}) (bvsge {b} (_ bv0 {used})))"),
        ),
        3 => (
            format!("(bvult {} {})", quotient(&c, width), quotient(&d, width)),
            format!("(bvult {} {})", quotient(a, used), quotient(b, used)),
        ),
        4 => (
            format!("(bvult {} (_ bv1 {width}))", quotient(&c, width)),
            format!("(bvult {a} (_ bv{constant} {used}))"),
        ),
        _ => (
            format!("(bvslt (bvmul {m} {n}) (_ bv0 {width}))"),
            format!("(bvslt (bvmul {n} {m}) (_ bv0 {width}))"),
        ),
    };
    Problem {
        logic: "QF_BV",
        text: declare(&symbols, used) + &format!("(assert (distinct {left} {right}))\n"),
        is_sat: false,
    }
}
