//! What bit-vector terms become: integers that know between which bounds they lie.
//!
//! The value of a bit-vector is its signed one, and additions and multiplications do not wrap. A *truncation* does,
//! because a program that cuts off high bits means it; but it is only noted ([`Number::truncated`]) until somebody
//! looks at the value. Truncated numbers are added and multiplied like others, which is right modulo the width, and a
//! truncation that the interval shows to be idle costs nothing.

use std::collections::BTreeMap;

use refrain_term::{Op, Rational, Sort, Term, Terms};

use crate::constants::{power_of_two, to_i128, whole};
use crate::interval::Interval;

/// The integer that stands for a bit-vector term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Number {
    pub term: Term,
    pub range: Interval,
    /// Whether the value is only the low bits of the integer, as many as the bit-vector has.
    pub truncated: Option<Truncated>,
}

/// What the integer behind a truncated number is. That is how a multiplication by a power of two is told from other
/// ways to put bits together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truncated {
    /// A whole number of the program, of this width.
    Whole(u32),
    Other,
}

impl Number {
    pub fn new(term: Term, range: Interval) -> Number {
        Number {
            term,
            range,
            truncated: None,
        }
    }

    pub fn constant(terms: &mut Terms, value: Rational) -> Number {
        let range = to_i128(&value).map_or(Interval::ALL, |value| Interval::new(value, value));
        Number::new(terms.number(Sort::Int, value), range)
    }

    pub fn small(terms: &mut Terms, value: i128) -> Number {
        Number::constant(terms, whole(value))
    }

    /// The value, if it is a constant.
    pub fn value(self, terms: &Terms) -> Option<&Rational> {
        terms.number_value(self.term)
    }
}

/// Operations on numbers, and what must be remembered between them.
#[derive(Default)]
pub(crate) struct Arithmetic {
    /// Choices whose condition says more about the branches than their terms do, such as magnitudes: the intervals of
    /// the branches. Division is carried into these, so that a signed division is a choice between two divisions.
    branches: BTreeMap<Term, (Interval, Interval)>,
}

type Operation<'a> = &'a dyn Fn(&mut Arithmetic, &mut Terms, Number) -> Number;

impl Arithmetic {
    pub fn sum(&self, terms: &mut Terms, addends: &[Number]) -> Number {
        let of: Vec<Term> = addends.iter().map(|addend| addend.term).collect();
        let zero = Interval::new(0, 0);
        Number {
            term: terms.sum(&of),
            range: addends.iter().fold(zero, |sum, next| sum.add(next.range)),
            truncated: addends
                .iter()
                .fold(None, |all, next| either_truncated(all, next.truncated)),
        }
    }

    pub fn scaled(&self, terms: &mut Terms, factor: &Rational, number: Number) -> Number {
        let by = to_i128(factor).map_or(Interval::ALL, |factor| Interval::new(factor, factor));
        Number {
            term: terms.num_scaled(factor, number.term),
            range: number.range.times(by),
            truncated: number.truncated,
        }
    }

    pub fn negated(&self, terms: &mut Terms, number: Number) -> Number {
        self.scaled(terms, &Rational::MINUS_ONE, number)
    }

    pub fn product(&self, terms: &mut Terms, a: Number, b: Number) -> Number {
        Number {
            term: terms.mul(a.term, b.term),
            range: a.range.times(b.range),
            truncated: either_truncated(a.truncated, b.truncated),
        }
    }

    /// Applied to the branches, if the number is a choice that knows more about them.
    fn in_branches(
        &mut self,
        terms: &mut Terms,
        number: Number,
        operation: Operation,
    ) -> Option<Number> {
        let (then, other) = *self.branches.get(&number.term)?;
        let args: [Term; 3] = terms.args(number.term).try_into().ok()?;
        let then = operation(self, terms, Number::new(args[1], then));
        let other = operation(self, terms, Number::new(args[2], other));
        Some(self.choice(terms, args[0], then, other))
    }

    /// Divided by a positive constant and rounded down. Of a truncated number, the integer behind it is divided.
    pub fn quotient(&mut self, terms: &mut Terms, number: Number, divisor: &Rational) -> Number {
        let divide: Operation = &|arithmetic, terms, n| arithmetic.quotient(terms, n, divisor);
        if let Some(quotient) = self.in_branches(terms, number, divide) {
            return Number {
                truncated: number.truncated,
                ..quotient
            };
        }
        let by = terms.number(Sort::Int, divisor.clone());
        let range = match to_i128(divisor) {
            Some(divisor) => number.range.divided(divisor),
            None => Interval::ALL,
        };
        Number {
            term: terms.div(number.term, by),
            range,
            truncated: number.truncated,
        }
    }

    /// What a division by a positive constant leaves.
    pub fn remainder(&mut self, terms: &mut Terms, number: Number, divisor: &Rational) -> Number {
        let modulo: Operation = &|arithmetic, terms, n| arithmetic.remainder(terms, n, divisor);
        if let Some(remainder) = self.in_branches(terms, number, modulo) {
            return remainder;
        }
        let most = to_i128(divisor).map(|divisor| divisor - 1);
        let range = Interval {
            low: Some(0),
            high: most,
        };
        if most.is_some() && number.range.is_within(range) {
            return Number {
                truncated: None,
                ..number
            };
        }
        let by = terms.number(Sort::Int, divisor.clone());
        Number::new(terms.modulo(number.term, by), range)
    }

    /// The value of the low bits, read as an unsigned number.
    pub fn unsigned(&mut self, terms: &mut Terms, number: Number, bits: u32) -> Number {
        if number.range.is_within(Interval::unsigned(bits)) {
            return Number {
                truncated: None,
                ..number
            };
        }
        if let Some((first, last)) = number.range.blocks(bits)
            && first == last
        {
            let up = &whole(-first) * &power_of_two(bits);
            let up = Number::constant(terms, up);
            return Number {
                truncated: None,
                ..self.sum(terms, &[number, up])
            };
        }
        let remainder = self.remainder(terms, number, &power_of_two(bits));
        let range = remainder.range.meet(Interval::unsigned(bits));
        Number { range, ..remainder }
    }

    /// The value of the low bits, read as a signed number.
    pub fn wrapped(&mut self, terms: &mut Terms, number: Number, bits: u32) -> Number {
        if number.range.is_within(Interval::signed(bits)) {
            return Number {
                truncated: None,
                ..number
            };
        }
        if bits == 1 {
            let bit = self.unsigned(terms, number, 1);
            return self.negated(terms, bit);
        }
        let half = power_of_two(bits - 1);
        let up = Number::constant(terms, half.clone());
        let raised = self.sum(terms, &[number, up]);
        let raised = self.unsigned(terms, raised, bits);
        let down = Number::constant(terms, -half);
        let lowered = self.sum(terms, &[raised, down]);
        Number {
            range: lowered.range.meet(Interval::signed(bits)),
            ..lowered
        }
    }

    /// The value of a bit-vector of this width: only truncated numbers wrap.
    pub fn signed(&mut self, terms: &mut Terms, number: Number, bits: u32) -> Number {
        match number.truncated {
            Some(_) => self.wrapped(terms, number, bits),
            None => number,
        }
    }

    /// Bits `low` to `low + bits` of a bit-vector of `width` bits.
    pub fn slice(
        &mut self,
        terms: &mut Terms,
        number: Number,
        width: u32,
        low: u32,
        bits: u32,
    ) -> Number {
        if bits == width {
            return number;
        }
        let has_sign = low + bits == width && number.truncated.is_none();
        if has_sign && bits == 1 {
            let zero = terms.int(0);
            let is_negative = terms.lt(number.term, zero);
            let (set, clear) = (Number::small(terms, -1), Number::small(terms, 0));
            return self.choice(terms, is_negative, set, clear);
        }
        let (shifted, truncated) = match low {
            0 => (number, number.truncated.unwrap_or(Truncated::Whole(width))),
            _ => (
                self.quotient(terms, number, &power_of_two(low)),
                Truncated::Other,
            ),
        };
        let is_idle = has_sign || shifted.range.is_within(Interval::signed(bits));
        Number {
            truncated: (!is_idle).then_some(truncated),
            ..shifted
        }
    }

    /// One of two numbers that are not truncated.
    pub fn choice(
        &mut self,
        terms: &mut Terms,
        condition: Term,
        then: Number,
        other: Number,
    ) -> Number {
        debug_assert!(then.truncated.is_none() && other.truncated.is_none());
        match terms.op(condition) {
            Op::True => return then,
            Op::False => return other,
            Op::Not => {
                let positive = terms.arg(condition, 0);
                return self.choice(terms, positive, other, then);
            }
            _ => {}
        }
        let known = [(then, true), (other, false)].map(|(number, holds)| {
            let term = under(terms, number.term, condition, holds);
            let range = match implied(terms, term, condition, holds) {
                Some(range) => number.range.meet(range),
                None => number.range,
            };
            Number::new(term, range)
        });
        let range = known[0].range.hull(known[1].range);
        let term = terms.ite(condition, known[0].term, known[1].term);
        if terms.op(term) == Op::Ite && range != then.range.hull(other.range) {
            self.branches.insert(term, (known[0].range, known[1].range));
        }
        Number::new(term, range)
    }

    /// Whether a number is at least a constant, as far as its interval leaves that open.
    pub fn at_least(&self, terms: &mut Terms, number: Number, bound: &Rational) -> Term {
        if let Some(bound) = to_i128(bound) {
            if number.range.low.is_some_and(|low| low >= bound) {
                return Term::TRUE;
            }
            if number.range.high.is_some_and(|high| high < bound) {
                return Term::FALSE;
            }
        }
        let bound = terms.number(Sort::Int, bound.clone());
        terms.ge(number.term, bound)
    }

    /// Whether a number is less than another one.
    pub fn less(&self, terms: &mut Terms, a: Number, b: Number) -> Term {
        if a.range.is_below(b.range) {
            return Term::TRUE;
        }
        if a.range.is_not_below(b.range) {
            return Term::FALSE;
        }
        terms.lt(a.term, b.term)
    }
}

/// What is calculated from two numbers is truncated if one of them is.
fn either_truncated(a: Option<Truncated>, b: Option<Truncated>) -> Option<Truncated> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => Some(Truncated::Other),
        _ => a.or(b),
    }
}

/// A term where a condition is known to hold, or not to: choices by the same condition are decided.
fn under(terms: &mut Terms, term: Term, condition: Term, holds: bool) -> Term {
    let is_decided =
        |terms: &Terms, base: Term| terms.op(base) == Op::Ite && terms.arg(base, 0) == condition;
    let (constant, monomials) = terms.linear_form(term);
    if !monomials.iter().any(|&(base, _)| is_decided(terms, base)) {
        return term;
    }
    let mut addends = vec![terms.number(Sort::Int, constant)];
    for (base, coefficient) in monomials {
        let base = match is_decided(terms, base) {
            true => terms.arg(base, if holds { 1 } else { 2 }),
            false => base,
        };
        addends.push(terms.num_scaled(&coefficient, base));
    }
    terms.sum(&addends)
}

/// What a comparison that holds, or does not, says about a term: something if it compares a multiple of it, apart
/// from a constant.
fn implied(terms: &Terms, term: Term, condition: Term, holds: bool) -> Option<Interval> {
    if terms.op(condition) != Op::Le {
        return None;
    }
    let (_, compared) = terms.linear_form(terms.arg(condition, 0));
    let limit = terms.number_value(terms.arg(condition, 1))?;
    let (constant, monomials) = terms.linear_form(term);
    let factor = &monomials.first()?.1 / &compared.first()?.1;
    let is_multiple = monomials.len() == compared.len()
        && monomials
            .iter()
            .zip(&compared)
            .all(|((a, of_a), (b, of_b))| a == b && *of_a == of_b * &factor);
    if !is_multiple || !factor.is_integer() {
        return None;
    }
    let limit = match holds {
        true => limit.clone(),
        false => limit + &Rational::ONE,
    };
    let end = to_i128(&(&(&limit * &factor) + &constant));
    Some(match holds == factor.is_positive() {
        true => Interval {
            low: None,
            high: end,
        },
        false => Interval {
            low: end,
            high: None,
        },
    })
}
