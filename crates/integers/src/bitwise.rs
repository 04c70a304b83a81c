//! Bitwise operators, shifts by amounts that are not constant, and division.
//!
//! With a constant, `and` is a sum of slices, one for each run of ones, and the others follow from it: `t | c` is `t
//! + c - (t & c)`, and `t ^ c` is `t + c - 2 (t & c)`, in two's complement of any length.

use refrain_term::{Bv, Op, Rational, Term, Terms};

use crate::arithmetic::{Number, Truncated};
use crate::constants::{power_of_two, signed, whole};
use crate::interval::Interval;
use crate::{Inexpressible, Integers};

/// The most runs of ones in a mask.
const MAX_RUNS: usize = 16;

/// The most values of the amount of a shift.
const MAX_AMOUNTS: i128 = 32;

impl Integers {
    /// `-t - 1`.
    pub(crate) fn complement(&self, terms: &mut Terms, number: Number) -> Number {
        let negated = self.arithmetic.negated(terms, number);
        let minus_one = Number::small(terms, -1);
        self.arithmetic.sum(terms, &[negated, minus_one])
    }

    pub(crate) fn bitwise(
        &mut self,
        terms: &mut Terms,
        term: Term,
        a: Term,
        b: Term,
    ) -> Result<Number, Inexpressible> {
        let op = terms.op(term);
        if let Some(mask) = terms.value(a).cloned() {
            let number = self.translations.number(b)?;
            return self.with_constant(terms, op, &mask, number);
        }
        let (a, b) = (self.signed(terms, a)?, self.signed(terms, b)?);
        for (flag, other) in [(a, b), (b, a)] {
            if let Some(number) = self.with_flag(terms, op, flag, other) {
                return Ok(number);
            }
        }
        Err(match op {
            Op::BvAnd => Inexpressible::BitwiseAnd,
            Op::BvOr => Inexpressible::BitwiseOr,
            _ => Inexpressible::BitwiseXor,
        })
    }

    fn with_constant(
        &mut self,
        terms: &mut Terms,
        op: Op,
        mask: &Bv,
        number: Number,
    ) -> Result<Number, Inexpressible> {
        let truncated = number.truncated.map(|_| Truncated::Other);
        let common = self.masked(terms, number, mask)?;
        let factor = match op {
            Op::BvAnd => return Ok(common),
            Op::BvOr => Rational::MINUS_ONE,
            _ => whole(-2),
        };
        let constant = Number::constant(terms, signed(mask));
        let common = self.arithmetic.scaled(terms, &factor, common);
        let sum = self.arithmetic.sum(terms, &[number, constant, common]);
        // The sum of the intervals knows nothing of what its addends have in common.
        let range = match number.range.is_within(Interval::signed(mask.width())) {
            true => sum.range.meet(Interval::signed(mask.width())),
            false => sum.range,
        };
        Ok(Number {
            range,
            truncated,
            ..sum
        })
    }

    /// `number & mask`.
    fn masked(
        &mut self,
        terms: &mut Terms,
        number: Number,
        mask: &Bv,
    ) -> Result<Number, Inexpressible> {
        let (ones, zeros) = (runs(mask), runs(&mask.not()));
        if ones.len() <= zeros.len() {
            return self.slices(terms, number, mask.width(), &ones);
        }
        let rest = self.slices(terms, number, mask.width(), &zeros)?;
        let minus = self.arithmetic.negated(terms, rest);
        let kept = self.arithmetic.sum(terms, &[number, minus]);
        let range = match mask.sign() {
            true => kept.range,
            false => kept.range.meet(Interval::unsigned(mask.width() - 1)),
        };
        Ok(Number { range, ..kept })
    }

    /// The bits of some runs, where they are, and zeros elsewhere.
    fn slices(
        &mut self,
        terms: &mut Terms,
        number: Number,
        width: u32,
        runs: &[(u32, u32)],
    ) -> Result<Number, Inexpressible> {
        if runs.len() > MAX_RUNS {
            return Err(Inexpressible::ScatteredMask);
        }
        let mut sum = vec![Number::small(terms, 0)];
        for &(low, count) in runs {
            let mut part = self.arithmetic.quotient(terms, number, &power_of_two(low));
            if low + count < width {
                part = self.arithmetic.unsigned(terms, part, count);
            } else {
                part.truncated = part.truncated.map(|_| Truncated::Other);
            }
            sum.push(self.arithmetic.scaled(terms, &power_of_two(low), part));
        }
        Ok(self.arithmetic.sum(terms, &sum))
    }

    /// With an operand that is only 0 or 1, or only 0 or -1, such as a condition, or a mask that a sign is spread over.
    fn with_flag(
        &mut self,
        terms: &mut Terms,
        op: Op,
        flag: Number,
        other: Number,
    ) -> Option<Number> {
        let is_bit = flag.range.is_within(Interval::new(0, 1));
        if !is_bit && !flag.range.is_within(Interval::new(-1, 0)) {
            return None;
        }
        let zero = terms.int(0);
        let is_clear = terms.eq(flag.term, zero);
        let last = match is_bit {
            true => self.arithmetic.remainder(terms, other, &whole(2)),
            false => other,
        };
        let (if_set, if_clear) = match op {
            Op::BvAnd => (last, Number::small(terms, 0)),
            Op::BvOr => {
                // What is kept beside the bits that are set.
                let minus = self.arithmetic.negated(terms, last);
                let set = Number::small(terms, if is_bit { 1 } else { -1 });
                (self.arithmetic.sum(terms, &[other, minus, set]), other)
            }
            _ => {
                let twice = self.arithmetic.scaled(terms, &whole(-2), last);
                let set = Number::small(terms, if is_bit { 1 } else { -1 });
                (self.arithmetic.sum(terms, &[other, twice, set]), other)
            }
        };
        Some(self.arithmetic.choice(terms, is_clear, if_clear, if_set))
    }

    /// A shift by one of a few amounts: a choice between them.
    pub(crate) fn shift(
        &mut self,
        terms: &mut Terms,
        term: Term,
        a: Term,
        by: Term,
    ) -> Result<Number, Inexpressible> {
        let (op, width) = (terms.op(term), terms.width(term));
        let number = match op {
            Op::BvLshr => self.unsigned(terms, a)?,
            _ => self.signed(terms, a)?,
        };
        let by = self.unsigned(terms, by)?;
        let (Some(least), Some(most)) = (by.range.low, by.range.high) else {
            return Err(Inexpressible::SymbolicShift);
        };
        if most - least >= MAX_AMOUNTS {
            return Err(Inexpressible::SymbolicShift);
        }
        let mut result: Option<Number> = None;
        for amount in (least..=most).rev() {
            let shifted = self.shifted(terms, op, number, width, amount);
            result = Some(match result {
                None => shifted,
                Some(further) => {
                    let beyond = self.arithmetic.at_least(terms, by, &whole(amount + 1));
                    self.arithmetic.choice(terms, beyond, further, shifted)
                }
            });
        }
        result.ok_or(Inexpressible::SymbolicShift)
    }

    fn shifted(
        &mut self,
        terms: &mut Terms,
        op: Op,
        number: Number,
        width: u32,
        amount: i128,
    ) -> Number {
        let capped = u32::try_from(amount).map_or(width, |amount| amount.min(width));
        if capped == width && op != Op::BvAshr {
            return Number::small(terms, 0);
        }
        let power = power_of_two(capped);
        match op {
            Op::BvShl => self.arithmetic.scaled(terms, &power, number),
            _ => {
                let shifted = self.arithmetic.quotient(terms, number, &power);
                match op {
                    Op::BvLshr => self.arithmetic.wrapped(terms, shifted, width),
                    _ => shifted,
                }
            }
        }
    }

    /// Unsigned division and remainder. By zero they are what they are for bit-vectors: all ones, and the dividend.
    pub(crate) fn division(
        &mut self,
        terms: &mut Terms,
        term: Term,
        a: Term,
        b: Term,
    ) -> Result<Number, Inexpressible> {
        let (op, width) = (terms.op(term), terms.width(term));
        let (dividend, divisor) = (self.unsigned(terms, a)?, self.unsigned(terms, b)?);
        let number = match divisor.value(terms).cloned() {
            Some(value) if value.is_positive() => match op {
                Op::BvUdiv => self.arithmetic.quotient(terms, dividend, &value),
                _ => self.arithmetic.remainder(terms, dividend, &value),
            },
            _ => {
                let (value, by_zero) = match op {
                    Op::BvUdiv => {
                        let ones = &power_of_two(width) - &Rational::ONE;
                        (
                            terms.div(dividend.term, divisor.term),
                            Number::constant(terms, ones),
                        )
                    }
                    _ => (terms.modulo(dividend.term, divisor.term), dividend),
                };
                let range = Interval {
                    low: Some(0),
                    high: dividend.range.high,
                };
                let zero = terms.int(0);
                let is_zero = terms.eq(zero, divisor.term);
                let value = Number::new(value, range);
                self.arithmetic.choice(terms, is_zero, by_zero, value)
            }
        };
        Ok(self.arithmetic.wrapped(terms, number, width))
    }
}

/// The runs of ones: where they start, and how long they are.
fn runs(mask: &Bv) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for bit in (0..mask.width()).filter(|&bit| mask.bit(bit)) {
        match runs.last_mut() {
            Some((low, count)) if *low + *count == bit => *count += 1,
            _ => runs.push((bit, 1)),
        }
    }
    runs
}
