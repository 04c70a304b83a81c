//! Two ways to multiply, which are the same: what arithmetic circuits are checked for.

use super::{Problem, Rng, Text, constant, names, zero};

pub fn problem(number: u64, rng: &mut Rng) -> Problem {
    let symbols = names("x", 2);
    let [x, y] = [&symbols[0], &symbols[1]];
    let size = number as u32 / 4;
    match number % 4 {
        0 => {
            let width = 4 + size;
            let mut text = Text::declaring(&symbols, width);
            let product = shift_and_add(&mut text, x, y, width);
            text.assert(&format!("(distinct {product} (bvmul {y} {x}))"));
            text.problem(false)
        }
        1 => {
            let width = 4 + 2 * size;
            let mut text = Text::declaring(&symbols, width);
            let product = by_halves(&mut text, x, y, width);
            let (a, b) = (zero(width, x), zero(width, y));
            text.assert(&format!("(distinct {product} (bvmul {a} {b}))"));
            text.problem(false)
        }
        2 => {
            let width = 4 + size;
            let mut text = Text::declaring(&symbols, width);
            let product = carry_save(&mut text, x, y, width);
            text.assert(&format!("(distinct {product} (bvmul {x} {y}))"));
            text.problem(false)
        }
        _ => {
            // A factorization: a product of two primes, neither of which is one of the product's own width.
            let width = 8 + 4 * size;
            let half = width / 2;
            let mut text = Text::declaring(&symbols, width);
            let (p, q) = (prime(half, rng), prime(half, rng));
            let one = constant(1, width);
            text.assert(&format!("(bvult {one} {x})"));
            text.assert(&format!("(bvult {one} {y})"));
            for symbol in [x, y] {
                text.assert(&format!(
                    "(bvult {symbol} {})",
                    constant(1 << (half + 1), width)
                ));
            }
            let product = constant(p * q, 2 * width);
            let (a, b) = (zero(width, x), zero(width, y));
            text.assert(&format!("(= (bvmul {a} {b}) {product})"));
            text.problem(true)
        }
    }
}

/// The low bits of a product: the shifted factor, once for each bit of the other.
fn shift_and_add(text: &mut Text, x: &str, y: &str, width: u32) -> String {
    let none = constant(0, width);
    let mut sum = none.clone();
    for bit in 0..width {
        let is_set = format!("(= ((_ extract {bit} {bit}) {x}) #b1)");
        let shifted = format!("(bvshl {y} {})", constant(u64::from(bit), width));
        sum = text.define(
            width,
            &format!("(bvadd {sum} (ite {is_set} {shifted} {none}))"),
        );
    }
    sum
}

/// The whole product by Karatsuba: three products of halves.
fn by_halves(text: &mut Text, x: &str, y: &str, width: u32) -> String {
    let half = width / 2;
    let whole = 2 * width;
    let extended = |text: &mut Text, of: &str, high: u32, low: u32| {
        let part = zero(whole - half, &format!("((_ extract {high} {low}) {of})"));
        text.define(whole, &part)
    };
    let [a, c] = [x, y].map(|of| extended(text, of, width - 1, half));
    let [b, d] = [x, y].map(|of| extended(text, of, half - 1, 0));
    let high = text.define(whole, &format!("(bvmul {a} {c})"));
    let low = text.define(whole, &format!("(bvmul {b} {d})"));
    let cross = text.define(whole, &format!("(bvmul (bvadd {a} {b}) (bvadd {c} {d}))"));
    let middle = text.define(whole, &format!("(bvsub (bvsub {cross} {high}) {low})"));
    let shift = |by: u32| constant(u64::from(by), whole);
    let (high, middle) = (
        format!("(bvshl {high} {})", shift(width)),
        format!("(bvshl {middle} {})", shift(half)),
    );
    text.define(whole, &format!("(bvadd {low} (bvadd {high} {middle}))"))
}

/// The low bits of a product: rows are added as sums and carries, which one addition joins at the end.
fn carry_save(text: &mut Text, x: &str, y: &str, width: u32) -> String {
    let none = constant(0, width);
    let (mut sums, mut carries) = (none.clone(), none.clone());
    for bit in 0..width {
        let is_set = format!("(= ((_ extract {bit} {bit}) {x}) #b1)");
        let shifted = format!("(bvshl {y} {})", constant(u64::from(bit), width));
        let row = text.define(width, &format!("(ite {is_set} {shifted} {none})"));
        let both = text.define(width, &format!("(bvxor {sums} {carries})"));
        let carry = format!("(bvor (bvand {sums} {carries}) (bvand {row} {both}))");
        sums = text.define(width, &format!("(bvxor {both} {row})"));
        carries = text.define(width, &format!("(bvshl {carry} {})", constant(1, width)));
    }
    text.define(width, &format!("(bvadd {sums} {carries})"))
}

/// A prime of so many bits.
fn prime(bits: u32, rng: &mut Rng) -> u64 {
    let is_prime = |number: u64| {
        let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
        divisors.all(|divisor| !number.is_multiple_of(divisor))
    };
    loop {
        let number = rng.next() >> (64 - bits) | 1 << (bits - 1) | 1;
        if is_prime(number) {
            return number;
        }
    }
}
