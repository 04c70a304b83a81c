//! Conjunctions that say one thing about a number, byte by byte.
//!
//! The arena takes an equation of concatenations apart: that a number is 5 becomes a conjunction about each of its
//! bytes. Here such facts are joined again, as far as they are about one integer, so that they are bounds on it and
//! no remainders.

use refrain_term::{Bv, Op, Rational, Sort, Term, Terms};

use crate::Integers;
use crate::arithmetic::Number;
use crate::bits::Bits;
use crate::concat::as_bits;
use crate::constants::{power_of_two, signed, unsigned};
use crate::inputs::Inputs;
use crate::segments::Segment;

/// What an operand of a conjunction says about bits of inputs.
pub(crate) enum Fact {
    Equal(Bits, Bv),
    /// Inclusive, of the bits as an unsigned number.
    Between(Bits, Bv, Bv),
    Same(Bits, Bits),
}

impl Fact {
    pub fn bits(&self) -> impl Iterator<Item = Bits> {
        let (first, second) = match self {
            Fact::Equal(bits, _) | Fact::Between(bits, _, _) => (*bits, None),
            Fact::Same(a, b) => (*a, Some(*b)),
        };
        std::iter::once(first).chain(second)
    }
}

/// A comparison of bits of inputs with a constant, or with each other.
pub(crate) fn fact(terms: &Terms, inputs: &mut Inputs, condition: Term) -> Option<Fact> {
    let (atom, holds) = match terms.op(condition) {
        Op::Not => (terms.arg(condition, 0), false),
        _ => (condition, true),
    };
    let [a, b] = *terms.args(atom) else {
        return None;
    };
    let width = match terms.sort(a) {
        Sort::BitVec(width) => width,
        _ => return None,
    };
    let one = Bv::one(width);
    match (terms.op(atom), terms.value(a), terms.value(b)) {
        (Op::Eq, Some(value), None) => {
            let value = match holds {
                true => value.clone(),
                false if width == 1 => value.not(),
                false => return None,
            };
            Some(Fact::Equal(as_bits(terms, inputs, b)?, value))
        }
        (Op::Eq, None, None) if holds => {
            let (a, b) = (as_bits(terms, inputs, a)?, as_bits(terms, inputs, b)?);
            Some(Fact::Same(a.min(b), a.max(b)))
        }
        // The arena decides comparisons with the least and the greatest number, so neither bound wraps.
        (Op::BvUlt, None, Some(value)) if !value.is_zero() => {
            let bits = as_bits(terms, inputs, a)?;
            Some(match holds {
                true => Fact::Between(bits, Bv::zero(width), value.sub(&one)),
                false => Fact::Between(bits, value.clone(), Bv::ones(width)),
            })
        }
        (Op::BvUlt, Some(value), None) if !value.is_ones() => {
            let bits = as_bits(terms, inputs, b)?;
            Some(match holds {
                true => Fact::Between(bits, value.add(&one), Bv::ones(width)),
                false => Fact::Between(bits, Bv::zero(width), value.clone()),
            })
        }
        _ => None,
    }
}

/// The facts among the operands of a conjunction, and the operands that are something else.
pub(crate) fn facts(
    terms: &Terms,
    inputs: &mut Inputs,
    conjunction: Term,
) -> (Vec<Fact>, Vec<Term>) {
    let (mut facts, mut others) = (Vec::new(), Vec::new());
    for &operand in terms.args(conjunction) {
        match fact(terms, inputs, operand) {
            Some(fact) => facts.push(fact),
            None => others.push(operand),
        }
    }
    (facts, others)
}

impl Integers {
    /// Facts as conditions on integers.
    pub(crate) fn join_facts(&mut self, terms: &mut Terms, facts: Vec<Fact>) -> Vec<Term> {
        let (mut equal, mut between, mut same) = (Vec::new(), Vec::new(), Vec::new());
        for fact in facts {
            match fact {
                Fact::Equal(bits, value) => equal.push((bits, value)),
                Fact::Between(bits, low, high) => between.push((bits, low, high)),
                Fact::Same(a, b) => same.push((a, b)),
            }
        }
        let mut conditions = Vec::new();
        for (bits, value) in self.join_equal(terms, equal) {
            let below = between.iter().position(|(lower, _, _)| {
                bits.above(*lower).is_some() && self.is_rest(terms, *lower, bits)
            });
            let within = below.map(|at| between.swap_remove(at));
            conditions.push(self.equal(terms, bits, &value, within));
        }
        for (bits, low, high) in between {
            let number = self.bits(terms, bits);
            conditions.push(self.between(
                terms,
                number,
                bits.count,
                &unsigned(&low),
                &unsigned(&high),
            ));
        }
        for (a, b) in self.join_same(terms, same) {
            let (x, y) = (self.bits(terms, a), self.bits(terms, b));
            conditions.push(self.equation(terms, x, y, a.count));
        }
        conditions
    }

    fn are_in_one(&mut self, terms: &mut Terms, bits: Bits) -> bool {
        self.segments.around(terms, &self.inputs, bits).is_some()
    }

    /// Whether bits are all of a segment below others that are the top of it.
    fn is_rest(&mut self, terms: &mut Terms, lower: Bits, upper: Bits) -> bool {
        self.segments
            .around(terms, &self.inputs, upper)
            .is_some_and(|segment| {
                segment.bits.low == lower.low && segment.bits.end() == upper.end()
            })
    }

    fn join_equal(&mut self, terms: &mut Terms, mut equal: Vec<(Bits, Bv)>) -> Vec<(Bits, Bv)> {
        equal.sort();
        let mut joined: Vec<(Bits, Bv)> = Vec::new();
        for (bits, value) in equal {
            if let Some((lower, known)) = joined.last_mut()
                && let Some(both) = bits.above(*lower)
                && self.are_in_one(terms, both)
            {
                *known = value.concat(known);
                *lower = both;
                continue;
            }
            joined.push((bits, value));
        }
        joined
    }

    fn join_same(&mut self, terms: &mut Terms, mut same: Vec<(Bits, Bits)>) -> Vec<(Bits, Bits)> {
        same.sort();
        let mut joined: Vec<(Bits, Bits)> = Vec::new();
        for (a, b) in same {
            if let Some((lower_a, lower_b)) = joined.last_mut()
                && let (Some(both_a), Some(both_b)) = (a.above(*lower_a), b.above(*lower_b))
                && self.are_in_one(terms, both_a)
                && self.are_in_one(terms, both_b)
            {
                (*lower_a, *lower_b) = (both_a, both_b);
                continue;
            }
            joined.push((a, b));
        }
        joined
    }

    /// That bits have a value, and the bits below them, to the end of their segment, lie between two.
    ///
    /// At the top of a segment that bounds its integer.
    pub(crate) fn equal(
        &mut self,
        terms: &mut Terms,
        bits: Bits,
        value: &Bv,
        below: Option<(Bits, Bv, Bv)>,
    ) -> Term {
        let top: Option<Segment> = self.segments.around(terms, &self.inputs, bits);
        let Some(segment) = top.filter(|segment| segment.bits.end() == bits.end()) else {
            let number = self.bits(terms, bits);
            let value = Number::constant(terms, signed(value));
            return self.equation(terms, number, value, bits.count);
        };
        let value = match segment.is_signed {
            true => signed(value),
            false => unsigned(value),
        };
        let room = power_of_two(bits.low - segment.bits.low);
        let start = &value * &room;
        let (low, high) = match below {
            Some((_, low, high)) => (unsigned(&low), unsigned(&high)),
            None => (Rational::ZERO, &room - &Rational::ONE),
        };
        let (low, high) = (&start + &low, &start + &high);
        let number = segment.number();
        if low == high {
            let value = Number::constant(terms, low);
            return self.equation(terms, number, value, segment.bits.count);
        }
        let above = self.arithmetic.at_least(terms, number, &low);
        let beyond = self
            .arithmetic
            .at_least(terms, number, &(&high + &Rational::ONE));
        let not_beyond = terms.not(beyond);
        terms.and2(above, not_beyond)
    }
}
