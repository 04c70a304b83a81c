//! Hashes to invert: what is hashed is chosen, and only its hash is told.

use super::{Problem, Rng, Text, constant, mask, names, zero};

pub fn problem(number: u64, rng: &mut Rng) -> Problem {
    let size = number as usize / 5;
    match number % 5 {
        0 => finalizer(&MURMUR_32, size, rng),
        1 => finalizer(&SPLIT_MIX, size, rng),
        2 => fnv(1 + size, rng),
        3 => one_at_a_time(1 + size, rng),
        _ => times_33(2 + 2 * size, rng),
    }
}

/// Alternating shifts and multipliers, as hashes end in: `x ^= x >> shift; x *= factor`.
struct Finalizer {
    width: u32,
    steps: &'static [(u32, u64)],
}

const MURMUR_32: Finalizer = Finalizer {
    width: 32,
    steps: &[(16, 0x85eb_ca6b), (13, 0xc2b2_ae35), (16, 1)],
};

const SPLIT_MIX: Finalizer = Finalizer {
    width: 64,
    steps: &[
        (30, 0xbf58_476d_1ce4_e5b9),
        (27, 0x94d0_49bb_1331_11eb),
        (31, 1),
    ],
};

/// Larger problems have more of the steps, and then the key twice.
fn finalizer(of: &Finalizer, size: usize, rng: &mut Rng) -> Problem {
    let width = of.width;
    let symbols = names("x", 1);
    let mut text = Text::declaring(&symbols, width);
    let mut value = rng.next() & mask(width);
    let mut term = symbols[0].clone();
    for &(shift, factor) in &of.steps[..of.steps.len().min(1 + size)] {
        value ^= value >> shift;
        value = value.wrapping_mul(factor) & mask(width);
        let shifted = format!("(bvlshr {term} {})", constant(u64::from(shift), width));
        term = text.define(width, &format!("(bvxor {term} {shifted})"));
        term = text.define(
            width,
            &format!("(bvmul {term} {})", constant(factor, width)),
        );
    }
    text.assert(&format!("(= {term} {})", constant(value, width)));
    text.problem(true)
}

/// Bytes, each letters or digits.
fn bytes(count: usize, rng: &mut Rng) -> Vec<u64> {
    (0..count)
        .map(|_| u64::from(*rng.pick(b"abcdefghijklmnopqrstuvwxyz0123456789")))
        .collect()
}

fn declared_bytes(count: usize) -> (Vec<String>, Text) {
    let symbols = names("b", count);
    let mut text = Text::declaring(&symbols, 8);
    for symbol in &symbols {
        text.assert(&format!("(bvult {} {symbol})", constant(0x20, 8)));
        text.assert(&format!("(bvult {symbol} {})", constant(0x7f, 8)));
    }
    (symbols, text)
}

/// FNV-1a of 32 bits.
fn fnv(count: usize, rng: &mut Rng) -> Problem {
    let (symbols, mut text) = declared_bytes(count);
    let (start, factor) = (0x811c_9dc5u64, 0x0100_0193u64);
    let mut value = start;
    let mut term = constant(start, 32);
    for (symbol, byte) in symbols.iter().zip(bytes(count, rng)) {
        value = (value ^ byte).wrapping_mul(factor) & mask(32);
        term = text.define(32, &format!("(bvxor {term} {})", zero(24, symbol)));
        term = text.define(32, &format!("(bvmul {term} {})", constant(factor, 32)));
    }
    text.assert(&format!("(= {term} {})", constant(value, 32)));
    text.problem(true)
}

/// Jenkins's hash, one byte at a time.
fn one_at_a_time(count: usize, rng: &mut Rng) -> Problem {
    let (symbols, mut text) = declared_bytes(count);
    let shift = |text: &mut Text, operator: &str, term: &str, direction: &str, by: u64| {
        let shifted = format!("({direction} {term} {})", constant(by, 32));
        text.define(32, &format!("({operator} {term} {shifted})"))
    };
    let mut value = 0u32;
    let mut term = constant(0, 32);
    for (symbol, byte) in symbols.iter().zip(bytes(count, rng)) {
        value = value.wrapping_add(byte as u32);
        value = value.wrapping_add(value << 10);
        value ^= value >> 6;
        term = text.define(32, &format!("(bvadd {term} {})", zero(24, symbol)));
        term = shift(&mut text, "bvadd", &term, "bvshl", 10);
        term = shift(&mut text, "bvxor", &term, "bvlshr", 6);
    }
    value = value.wrapping_add(value << 3);
    value ^= value >> 11;
    value = value.wrapping_add(value << 15);
    term = shift(&mut text, "bvadd", &term, "bvshl", 3);
    term = shift(&mut text, "bvxor", &term, "bvlshr", 11);
    term = shift(&mut text, "bvadd", &term, "bvshl", 15);
    text.assert(&format!("(= {term} {})", constant(u64::from(value), 32)));
    text.problem(true)
}

/// `hash * 33 + byte`, of 64 bits.
fn times_33(count: usize, rng: &mut Rng) -> Problem {
    let (symbols, mut text) = declared_bytes(count);
    let mut value = 5381u64;
    let mut term = constant(5381, 64);
    for (symbol, byte) in symbols.iter().zip(bytes(count, rng)) {
        value = value.wrapping_mul(33).wrapping_add(byte);
        let product = format!("(bvmul {term} {})", constant(33, 64));
        term = text.define(64, &format!("(bvadd {product} {})", zero(56, symbol)));
    }
    text.assert(&format!("(= {term} {})", constant(value, 64)));
    text.problem(true)
}
