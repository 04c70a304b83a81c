//! Numbers as decimal digits and back, and quotients by other means.

use super::{Problem, Rng, Text, constant, mask, names, zero};

/// How many decimal digits the numbers of a width have.
fn digits_of(width: u32) -> u32 {
    mask(width).ilog10() + 1
}

pub fn round_trips(number: u64, rng: &mut Rng) -> Problem {
    let width = [8, 16, 24, 32, 40, 48, 56, 64][number as usize / 3 % 8];
    let symbols = names("n", 1);
    let mut text = Text::declaring(&symbols, width);
    let n = &symbols[0];
    match number % 3 {
        0 => {
            let digits = one_by_one(&mut text, n, width);
            let back = horner(&mut text, &digits, 10, width);
            text.assert(&format!("(distinct {back} {n})"));
            text.problem(false)
        }
        1 => {
            let digits = in_pairs(&mut text, n, width);
            let back = horner(&mut text, &digits, 10, width);
            text.assert(&format!("(distinct {back} {n})"));
            text.problem(false)
        }
        _ => {
            // A number whose digits have a given sum, and which ends as a given one does.
            let value = rng.next() & mask(width);
            let digits = one_by_one(&mut text, n, width);
            let sum = digits.iter().fold(constant(0, width), |sum, digit| {
                format!("(bvadd {sum} {digit})")
            });
            let (mut left, mut total) = (value, 0);
            while left > 0 {
                total += left % 10;
                left /= 10;
            }
            let ends = format!("(bvurem {n} {})", constant(100, width));
            text.assert(&format!("(= {sum} {})", constant(total, width)));
            text.assert(&format!("(= {ends} {})", constant(value % 100, width)));
            text.problem(true)
        }
    }
}

/// The lowest first.
fn one_by_one(text: &mut Text, n: &str, width: u32) -> Vec<String> {
    let ten = constant(10, width);
    let mut rest = n.to_string();
    let mut digits = Vec::new();
    for _ in 0..digits_of(width) {
        digits.push(text.define(width, &format!("(bvurem {rest} {ten})")));
        rest = text.define(width, &format!("(bvudiv {rest} {ten})"));
    }
    digits
}

/// Two at a time, each through a byte of text, as libraries do.
fn in_pairs(text: &mut Text, n: &str, width: u32) -> Vec<String> {
    let hundred = constant(100, width);
    let mut rest = n.to_string();
    let mut digits = Vec::new();
    for _ in 0..digits_of(width).div_ceil(2) {
        let pair = text.define(width, &format!("(bvurem {rest} {hundred})"));
        let pair = text.define(8, &format!("((_ extract 7 0) {pair})"));
        rest = text.define(width, &format!("(bvudiv {rest} {hundred})"));
        for operator in ["bvurem", "bvudiv"] {
            let digit = format!("({operator} {pair} {})", constant(10, 8));
            let letter = text.define(8, &format!("(bvadd {digit} {})", constant(0x30, 8)));
            let digit = format!("(bvsub {letter} {})", constant(0x30, 8));
            digits.push(text.define(width, &zero(width - 8, &digit)));
        }
    }
    digits
}

fn horner(text: &mut Text, digits: &[String], base: u64, width: u32) -> String {
    let base = constant(base, width);
    let mut number = constant(0, width);
    for digit in digits.iter().rev() {
        number = text.define(width, &format!("(bvadd (bvmul {number} {base}) {digit})"));
    }
    number
}

pub fn quotients(number: u64, rng: &mut Rng) -> Problem {
    let size = number as u32 / 4;
    match number % 4 {
        0 => {
            // By multiplication with the inverse, rounded up, and a shift.
            let width = 6 + 2 * size;
            let symbols = names("n", 1);
            let mut text = Text::declaring(&symbols, width);
            let n = &symbols[0];
            let divisor = u64::from(rng.between(3, 15)) | 1;
            let shift = width + divisor.ilog2() + 1;
            let inverse = (1u128 << shift).div_ceil(u128::from(divisor));
            let wide = 2 * width + 2;
            let product = format!(
                "(bvmul {} {})",
                zero(wide - width, n),
                format_args!("(_ bv{inverse} {wide})")
            );
            let shifted = format!("(bvlshr {product} {})", constant(u64::from(shift), wide));
            let quotient = format!("(bvudiv {n} {})", constant(divisor, width));
            text.assert(&format!(
                "(distinct {shifted} {})",
                zero(wide - width, &quotient)
            ));
            text.problem(false)
        }
        1 => {
            // By what it means: a multiple and a rest below the divisor.
            let (width, by) = (6 + 4 * size, 4);
            let symbols = names("x", 3);
            let mut text = Text::declaring(&symbols, width);
            let [n, q, r] = [&symbols[0], &symbols[1], &symbols[2]];
            let divisor = u64::from(rng.between(3, 15)) | 1;
            let d = constant(divisor, width + by);
            let product = format!("(bvmul {} {d})", zero(by, q));
            let sum = format!("(bvadd {product} {})", zero(by, r));
            text.assert(&format!("(= {} {sum})", zero(by, n)));
            text.assert(&format!("(bvult {r} {})", constant(divisor, width)));
            text.assert(&format!(
                "(distinct {q} (bvudiv {n} {}))",
                constant(divisor, width)
            ));
            text.problem(false)
        }
        2 => {
            // A quotient of a quotient.
            let width = 10 + 8 * size;
            let symbols = names("n", 1);
            let mut text = Text::declaring(&symbols, width);
            let n = &symbols[0];
            let [a, b] = [0; 2].map(|_| u64::from(rng.between(3, 15)) | 1);
            let [by_a, by_b, by_both] = [a, b, a * b].map(|by| constant(by, width));
            text.assert(&format!(
                "(distinct (bvudiv (bvudiv {n} {by_a}) {by_b}) (bvudiv {n} {by_both}))"
            ));
            text.problem(false)
        }
        _ => {
            // Dividend and divisor by quotient and rest.
            let width = 8 + 6 * size;
            let symbols = names("x", 2);
            let mut text = Text::declaring(&symbols, width);
            let [n, d] = [&symbols[0], &symbols[1]];
            let dividend = rng.next() & mask(width);
            let divisor = (rng.next() & mask(width / 2)).max(2);
            let (quotient, rest) = (dividend / divisor, dividend % divisor);
            text.assert(&format!(
                "(= (bvudiv {n} {d}) {})",
                constant(quotient, width)
            ));
            text.assert(&format!("(= (bvurem {n} {d}) {})", constant(rest, width)));
            text.problem(true)
        }
    }
}
