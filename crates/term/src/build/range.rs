//! Ranges: the least and the largest value that a term of at most 64 bits may have, as far as its operators tell.

use std::cell::Cell;

use crate::value::mask;
use crate::{Op, Term, Terms};

/// How far down operators are looked at.
const DEPTH: u32 = 5;

/// How many terms are looked at.
const MOST_TERMS: u32 = 100;

impl Terms {
    /// The least and the largest value that a bit-vector may have. `None` if it has more than 64 bits.
    pub(super) fn range(&self, term: Term) -> Option<(u64, u64)> {
        let left = Cell::new(MOST_TERMS);
        (self.width(term) <= 64).then(|| self.range_within(term, DEPTH, &left))
    }

    fn range_within(&self, term: Term, depth: u32, left: &Cell<u32>) -> (u64, u64) {
        let width = self.width(term);
        let all = (0, mask(width));
        if let Some(value) = self.small_value(term) {
            return (value, value);
        }
        if depth == 0 || left.get() == 0 {
            return all;
        }
        left.set(left.get() - 1);
        let of = |term: Term| self.range_within(term, depth - 1, left);
        let arg = |index: usize| self.arg(term, index);
        let constant = |index: usize| self.small_value(arg(index));
        match self.op(term) {
            Op::Concat => {
                let (high, low) = (of(arg(0)), of(arg(1)));
                let shift = self.width(arg(1));
                (high.0 << shift | low.0, high.1 << shift | low.1)
            }
            Op::Extract { lo } if self.width(arg(0)) <= 64 => {
                let (least, largest) = of(arg(0));
                let (least, largest) = (least >> lo, largest >> lo);
                // Without a bit that is cut off above.
                if largest <= mask(width) {
                    (least, largest)
                } else {
                    all
                }
            }
            Op::BvAdd => {
                let (mut least, mut largest) = (0u128, 0u128);
                for &addend in self.args(term) {
                    let (low, high) = of(addend);
                    least += u128::from(low);
                    largest += u128::from(high);
                }
                wrapped(least, largest, width).unwrap_or(all)
            }
            Op::BvMul => {
                let (a, b) = (of(arg(0)), of(arg(1)));
                let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
                wrapped(product(a.0, b.0), product(a.1, b.1), width).unwrap_or(all)
            }
            Op::BvUrem => match constant(1) {
                Some(divisor @ 1..) => (0, of(arg(0)).1.min(divisor - 1)),
                _ => (0, of(arg(0)).1),
            },
            Op::BvUdiv => match constant(1) {
                Some(divisor @ 1..) => {
                    let (least, largest) = of(arg(0));
                    (least / divisor, largest / divisor)
                }
                _ => all,
            },
            Op::BvAnd => (0, of(arg(0)).1.min(of(arg(1)).1)),
            Op::BvLshr => match constant(1) {
                Some(amount) if amount < 64 => {
                    let (least, largest) = of(arg(0));
                    (least >> amount, largest >> amount)
                }
                _ => (0, of(arg(0)).1),
            },
            Op::Ite => {
                let (a, b) = (of(arg(1)), of(arg(2)));
                (a.0.min(b.0), a.1.max(b.1))
            }
            _ => all,
        }
    }
}

/// A range of numbers as one of words, where no two of them lie on different sides of a multiple of two to the width.
fn wrapped(least: u128, largest: u128, width: u32) -> Option<(u64, u64)> {
    let mask = mask(width);
    let word = |number: u128| number as u64 & mask;
    (least >> width == largest >> width).then(|| (word(least), word(largest)))
}
