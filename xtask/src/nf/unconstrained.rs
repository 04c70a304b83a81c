//! Hard terms over symbols that occur once: each can be anything, so only what remains has to be solved.

use super::{Problem, declare, names};
use crate::random::Rng;
use std::fmt::Write as _;

/// Several comparisons between terms of products, quotients and shifts, each symbol once; a few bounds on other
/// symbols decide the answer.
pub fn problem(number: u64, rng: &mut Rng) -> Problem {
    let width = *rng.pick(&[8, 12, 16, 24, 32, 48, 64]);
    let comparisons = 1 + number as usize / 12;
    let mut once = Once {
        width,
        count: 0,
        number,
    };
    let shared = names("s", 2);
    let mut text = declare(&shared, width);
    let mut assertions = String::new();
    for _ in 0..comparisons {
        let (left, right) = (once.term(3, &shared, rng), once.term(2, &shared, rng));
        let operator = *rng.pick(&["=", "bvult", "bvslt", "bvuge", "distinct"]);
        let _ = writeln!(assertions, "(assert ({operator} {left} {right}))");
    }
    // Every other one has a contradiction between the symbols that occur again.
    let is_sat = number.is_multiple_of(2);
    let [a, b] = [&shared[0], &shared[1]];
    let _ = writeln!(assertions, "(assert (bvult (_ bv2 {width}) {a}))");
    let _ = writeln!(assertions, "(assert (bvult {a} {b}))");
    if !is_sat {
        let _ = writeln!(assertions, "(assert (bvult {b} (_ bv4 {width})))");
    }
    text += &declare(&names("u", once.count), width);
    text += &assertions;
    Problem {
        logic: "QF_BV",
        text,
        is_sat,
    }
}

/// Makes symbols that occur once.
struct Once {
    width: u32,
    count: usize,
    number: u64,
}

impl Once {
    fn symbol(&mut self) -> String {
        self.count += 1;
        format!("u{}", self.count - 1)
    }

    /// A term that can have any value, whatever the shared symbols are.
    fn term(&mut self, depth: u32, shared: &[String], rng: &mut Rng) -> String {
        if depth == 0 {
            return self.symbol();
        }
        let width = self.width;
        match rng.below(8) {
            0 => {
                let odd = 2 * rng.between(1, 7) + 1;
                let term = self.term(depth - 1, shared, rng);
                format!("(bvmul (_ bv{odd} {width}) {term})")
            }
            1 => {
                let hard = self.hard(shared, rng);
                let term = self.term(depth - 1, shared, rng);
                format!("(bvadd {term} {hard})")
            }
            2 => {
                let hard = self.hard(shared, rng);
                let term = self.term(depth - 1, shared, rng);
                format!("(bvxor {hard} {term})")
            }
            3 | 4 => {
                let operator = *rng.pick(&["bvmul", "bvudiv", "bvurem", "bvshl", "bvlshr"]);
                let (x, y) = (
                    self.term(depth - 1, shared, rng),
                    self.term(depth - 1, shared, rng),
                );
                format!("({operator} {x} {y})")
            }
            5 => {
                let term = self.term(depth - 1, shared, rng);
                format!("(bvnot {term})")
            }
            _ => {
                let hard = self.hard(shared, rng);
                let term = self.term(depth - 1, shared, rng);
                format!("(bvsub {hard} {term})")
            }
        }
    }

    /// A term over the shared symbols that is dear to encode.
    fn hard(&mut self, shared: &[String], rng: &mut Rng) -> String {
        let [a, b] = [&shared[0], &shared[1]];
        match (self.number / 4 + rng.next()) % 3 {
            0 => format!("(bvmul {a} {b})"),
            1 => format!("(bvudiv {a} {b})"),
            _ => format!("(bvurem (bvmul {b} {b}) {a})"),
        }
    }
}
