//! Checksums: bytes that have a given one, and two ways to calculate it.

use super::{Problem, Rng, Text, constant, names, zero};

/// Letters of which a checksum is taken: their symbols, the script, and what they are.
fn letters(count: usize, rng: &mut Rng) -> (Vec<String>, Text, Vec<u8>) {
    let symbols = names("b", count);
    let mut text = Text::declaring(&symbols, 8);
    for symbol in &symbols {
        text.assert(&format!("(bvult {} {symbol})", constant(0x60, 8)));
        text.assert(&format!("(bvult {symbol} {})", constant(0x7b, 8)));
    }
    let bytes = (0..count).map(|_| b'a' + rng.below(26) as u8).collect();
    (symbols, text, bytes)
}

/// Sums modulo a number, as of Fletcher and of Adler.
pub fn sums(number: u64, rng: &mut Rng) -> Problem {
    let size = number as usize / 4;
    match number % 4 {
        0 => meet_sums(2 + size, 255, rng),
        1 => meet_sums(4 + 4 * size, 65_521, rng),
        2 => later_remainders(2 + 3 * size, 65_521),
        _ => later_remainders(2 + size, 255),
    }
}

/// Both sums after each byte, with remainders where they are due.
fn sums_of(text: &mut Text, symbols: &[String], modulus: u64, is_late: bool) -> [String; 2] {
    let reduced = |text: &mut Text, sum: String| {
        text.define(32, &format!("(bvurem {sum} {})", constant(modulus, 32)))
    };
    let (mut a, mut b) = (constant(1, 32), constant(0, 32));
    for symbol in symbols {
        a = text.define(32, &format!("(bvadd {a} {})", zero(24, symbol)));
        if !is_late {
            a = reduced(text, a);
        }
        b = text.define(32, &format!("(bvadd {b} {a})"));
        if !is_late {
            b = reduced(text, b);
        }
    }
    match is_late {
        true => [reduced(text, a), reduced(text, b)],
        false => [a, b],
    }
}

fn meet_sums(count: usize, modulus: u64, rng: &mut Rng) -> Problem {
    let (symbols, mut text, bytes) = letters(count, rng);
    let (mut a, mut b) = (1, 0);
    for byte in bytes {
        a = (a + u64::from(byte)) % modulus;
        b = (b + a) % modulus;
    }
    let [x, y] = sums_of(&mut text, &symbols, modulus, false);
    text.assert(&format!("(= {x} {})", constant(a, 32)));
    text.assert(&format!("(= {y} {})", constant(b, 32)));
    text.problem(true)
}

/// Remainders at the end are those after each byte.
fn later_remainders(count: usize, modulus: u64) -> Problem {
    let symbols = names("b", count);
    let mut text = Text::declaring(&symbols, 8);
    let [a, b] = sums_of(&mut text, &symbols, modulus, false);
    let [c, d] = sums_of(&mut text, &symbols, modulus, true);
    text.assert(&format!("(not (and (= {a} {c}) (= {b} {d})))"));
    text.problem(false)
}

/// CRC-32.
pub fn crcs(number: u64, rng: &mut Rng) -> Problem {
    let size = number as usize / 2;
    match number % 2 {
        0 => {
            let (symbols, mut text, bytes) = letters(2 + size, rng);
            let crc = by_bits(&mut text, &symbols);
            let value = bytes.iter().fold(u32::MAX, |crc, &byte| {
                (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                    crc >> 1 ^ POLYNOMIAL & (crc & 1).wrapping_neg()
                })
            });
            text.assert(&format!("(= {crc} {})", constant(u64::from(value), 32)));
            text.problem(true)
        }
        _ => {
            let symbols = names("b", 1 + size);
            let mut text = Text::declaring(&symbols, 8);
            let (slow, quick) = (
                by_bits(&mut text, &symbols),
                by_nibbles(&mut text, &symbols),
            );
            text.assert(&format!("(distinct {slow} {quick})"));
            text.problem(false)
        }
    }
}

const POLYNOMIAL: u32 = 0xedb8_8320;

fn by_bits(text: &mut Text, symbols: &[String]) -> String {
    let mut crc = constant(u64::from(u32::MAX), 32);
    let (one, polynomial) = (constant(1, 32), constant(u64::from(POLYNOMIAL), 32));
    for symbol in symbols {
        crc = text.define(32, &format!("(bvxor {crc} {})", zero(24, symbol)));
        for _ in 0..8 {
            let mask = format!("(bvneg (bvand {crc} {one}))");
            let shifted = format!("(bvlshr {crc} {one})");
            crc = text.define(
                32,
                &format!("(bvxor {shifted} (bvand {mask} {polynomial}))"),
            );
        }
    }
    crc
}

/// By a table of 16 entries.
fn by_nibbles(text: &mut Text, symbols: &[String]) -> String {
    let entry = |index: u32| {
        (0..4).fold(index, |crc, _| {
            crc >> 1 ^ POLYNOMIAL & (crc & 1).wrapping_neg()
        })
    };
    let mut crc = constant(u64::from(u32::MAX), 32);
    for symbol in symbols {
        crc = text.define(32, &format!("(bvxor {crc} {})", zero(24, symbol)));
        for _ in 0..2 {
            let index = text.define(4, &format!("((_ extract 3 0) {crc})"));
            let look_up = (1..16).fold(constant(0, 32), |rest, at| {
                let cell = constant(u64::from(entry(at)), 32);
                format!(
                    "(ite (= {index} {}) {cell} {rest})",
                    constant(u64::from(at), 4)
                )
            });
            let shifted = format!("(bvlshr {crc} {})", constant(4, 32));
            crc = text.define(32, &format!("(bvxor {shifted} {look_up})"));
        }
    }
    crc
}
