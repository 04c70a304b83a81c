//! `cargo xtask bench-bv`: `refrain smt`, z3, yices and Bitwuzla on what makes bit-vectors hard, in one run, as ratios:
//! multipliers that are equal, hashes to invert, roots, checksums to meet, numbers to digits and back, divisions by
//! multiplication.

mod checksums;
mod digits;
mod hashes;
mod multipliers;
mod roots;

use crate::families::{Benchmark, Problem, declare, names};
use crate::random::Rng;
use std::fmt::Write as _;

pub const BENCHMARK: Benchmark = Benchmark {
    name: "bv-bench",
    generation: 1,
    scripts: 20,
    families: &[
        ("multipliers", multipliers::problem),
        ("hashes", hashes::problem),
        ("roots", roots::problem),
        ("sums", checksums::sums),
        ("crcs", checksums::crcs),
        ("digits", digits::round_trips),
        ("quotients", digits::quotients),
    ],
};

/// A script in the making: definitions, each with a name of its own, and assertions.
struct Text {
    text: String,
    defined: usize,
}

impl Text {
    /// Declares symbols of one width.
    fn declaring(symbols: &[String], width: u32) -> Text {
        Text {
            text: declare(symbols, width),
            defined: 0,
        }
    }

    /// A name for a term.
    fn define(&mut self, width: u32, term: &str) -> String {
        let name = format!("t{}", self.defined);
        self.defined += 1;
        let _ = writeln!(
            self.text,
            "(define-fun {name} () (_ BitVec {width}) {term})"
        );
        name
    }

    fn assert(&mut self, formula: &str) {
        let _ = writeln!(self.text, "(assert {formula})");
    }

    fn problem(self, is_sat: bool) -> Problem {
        Problem {
            logic: "QF_BV",
            text: self.text,
            is_sat,
        }
    }
}

fn constant(value: u64, width: u32) -> String {
    format!("(_ bv{value} {width})")
}

fn zero(by: u32, term: &str) -> String {
    match by {
        0 => term.to_string(),
        _ => format!("((_ zero_extend {by}) {term})"),
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}
