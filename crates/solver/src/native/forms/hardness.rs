//! How hard terms are for a SAT engine, roughly: what has a multiplier or a divider, or exclusive ors of exclusive ors,
//! many times over. Kept from query to query: each term is looked at once.

use refrain_term::{Op, Term, Terms};

/// From here on it is worth looking at words first.
const HARD: u8 = 8;

/// Exclusive ors on the way from a term to its inputs, and multipliers and dividers as if they were as many as it
/// takes; one more than that, by index of the term. Zero is not known.
#[derive(Default)]
pub struct Hardness {
    levels: Vec<u8>,
    stack: Vec<Term>,
}

impl Hardness {
    pub fn is_hard(&mut self, terms: &Terms, root: Term) -> bool {
        self.levels.resize(self.levels.len().max(terms.len()), 0);
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.levels[term.index()] > 0 {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let mut level = 1;
            for &operand in terms.args(term) {
                match self.levels[operand.index()] {
                    0 => self.stack.push(operand),
                    known => level = level.max(known),
                }
            }
            if self.stack.len() == before {
                self.stack.pop();
                self.levels[term.index()] = level + own(terms, term).min(HARD + 1 - level);
            }
        }
        self.levels[root.index()] > HARD
    }
}

fn own(terms: &Terms, term: Term) -> u8 {
    match terms.op(term) {
        Op::BvUdiv | Op::BvUrem => HARD,
        Op::BvMul if !terms.is_value(terms.arg(term, 0)) => HARD,
        Op::BvXor => 1,
        // A look-up may be several of them.
        Op::Select if matches!(terms.op(terms.arg(term, 0)), Op::Table(_)) => 2,
        _ => 0,
    }
}
