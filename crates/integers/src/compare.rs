//! Conditions: comparisons of numbers, and what connects them.

use refrain_term::{Op, Rational, Sort, Term, Terms};

use crate::arithmetic::Number;
use crate::constants::{power_of_two, unsigned, whole};
use crate::facts::{Fact, fact, facts};
use crate::interval::Interval;
use crate::{Inexpressible, Integers};

/// A comparison of low bits with a constant is taken apart into comparisons without a remainder up to this many of
/// them.
const MAX_BLOCKS: i128 = 3;

impl Integers {
    pub(crate) fn make_condition(
        &mut self,
        terms: &mut Terms,
        term: Term,
    ) -> Result<Term, Inexpressible> {
        let args = terms.args(term).to_vec();
        match (terms.op(term), &args[..]) {
            (Op::True | Op::False | Op::Var(_), _) => Ok(term),
            (Op::Not, &[of]) => {
                let of = self.translations.condition(of)?;
                Ok(terms.not(of))
            }
            (Op::And, _) => self.conjunction(terms, term),
            (Op::Ite, &[condition, then, other]) => {
                let condition = self.translations.condition(condition)?;
                let then = self.translations.condition(then)?;
                let other = self.translations.condition(other)?;
                Ok(terms.ite(condition, then, other))
            }
            (Op::Eq, &[a, b]) => match terms.sort(a) {
                Sort::Bool => {
                    let (a, b) = (
                        self.translations.condition(a)?,
                        self.translations.condition(b)?,
                    );
                    Ok(terms.eq(a, b))
                }
                Sort::BitVec(_) => self.bit_vector_equation(terms, term, a, b),
                _ => Err(Inexpressible::ArrayComparison),
            },
            (Op::BvSlt, &[a, b]) => {
                let (a, b) = (self.signed(terms, a)?, self.signed(terms, b)?);
                Ok(self.arithmetic.less(terms, a, b))
            }
            (Op::BvUlt, &[a, b]) => self.unsigned_less(terms, a, b),
            (Op::Apply(_), _) => Err(Inexpressible::UninterpretedFunction),
            _ => Err(Inexpressible::Operation),
        }
    }

    fn conjunction(&mut self, terms: &mut Terms, term: Term) -> Result<Term, Inexpressible> {
        let (facts, others) = facts(terms, &mut self.inputs, term);
        let mut conditions = self.join_facts(terms, facts);
        for &operand in &others {
            conditions.push(match signs_differ(terms, operand, terms.args(term)) {
                Some((sign, sum)) => {
                    let sign = self.translations.condition(sign)?;
                    let sum_sign = self.sign_bit(terms, sum)?;
                    terms.xor(sign, sum_sign)
                }
                None => self.translations.condition(operand)?,
            });
        }
        Ok(terms.and(&conditions))
    }

    /// The sign of a term as the machine has it, after the sum was wrapped.
    fn sign_bit(&mut self, terms: &mut Terms, term: Term) -> Result<Term, Inexpressible> {
        let (number, width) = (self.translations.number(term)?, terms.width(term));
        let (half, all) = (power_of_two(width - 1), power_of_two(width));
        let most = &all - &Rational::ONE;
        Ok(self.between(terms, number, width, &half, &most))
    }

    fn bit_vector_equation(
        &mut self,
        terms: &mut Terms,
        term: Term,
        a: Term,
        b: Term,
    ) -> Result<Term, Inexpressible> {
        if let Some(Fact::Equal(bits, value)) = fact(terms, &mut self.inputs, term) {
            return Ok(self.equal(terms, bits, &value, None));
        }
        let (x, y) = (self.translations.number(a)?, self.translations.number(b)?);
        // A number and the extension of its low part are the same integer here. Whoever compares them asks whether it
        // fits.
        if x.term == y.term {
            for narrow in [a, b] {
                if terms.op(narrow) == Op::SignExtend {
                    let inner = terms.arg(narrow, 0);
                    return self.fits(terms, inner);
                }
            }
        }
        Ok(self.equation(terms, x, y, terms.width(a)))
    }

    /// Whether a number is one that its width can hold.
    fn fits(&mut self, terms: &mut Terms, term: Term) -> Result<Term, Inexpressible> {
        let (number, width) = (self.signed(terms, term)?, terms.width(term));
        let half = power_of_two(width - 1);
        let above = self.arithmetic.at_least(terms, number, &-&half);
        let beyond = self.arithmetic.at_least(terms, number, &half);
        let not_beyond = terms.not(beyond);
        Ok(terms.and2(above, not_beyond))
    }

    /// Whether two numbers are equal as bit-vectors of a width.
    pub(crate) fn equation(&mut self, terms: &mut Terms, x: Number, y: Number, width: u32) -> Term {
        let modulus = power_of_two(width);
        if x.truncated.is_some() || y.truncated.is_some() {
            for (x, y) in [(x, y), (y, x)] {
                if let Some(value) = y.value(terms) {
                    let value = value.rem_euclid(&modulus);
                    return self.has_low_bits(terms, x, width, &value);
                }
            }
            let minus = self.arithmetic.negated(terms, y);
            let difference = self.arithmetic.sum(terms, &[x, minus]);
            let is_small = match Interval::unsigned(width).high {
                Some(most) => difference.range.is_within(Interval::new(-most, most)),
                None => difference.range.is_within(Interval::ALL),
            };
            if !is_small {
                return terms.divisible(&modulus, difference.term);
            }
        }
        equal_numbers(terms, x, y)
    }

    /// Whether the low bits of a number are those of a constant, which is not negative and less than `2^width`.
    pub(crate) fn has_low_bits(
        &mut self,
        terms: &mut Terms,
        number: Number,
        width: u32,
        value: &Rational,
    ) -> Term {
        let Some((first, last)) = few_blocks(number, width) else {
            // The remainder by itself on one side: it is what other conditions compare too.
            let low = self.arithmetic.unsigned(terms, number, width);
            let value = Number::constant(terms, value.clone());
            return equal_numbers(terms, low, value);
        };
        let mut any = Vec::new();
        for block in first..=last {
            let start = &whole(block) * &power_of_two(width);
            let value = Number::constant(terms, &start + value);
            any.push(equal_numbers(terms, number, value));
        }
        terms.or(&any)
    }

    fn unsigned_less(
        &mut self,
        terms: &mut Terms,
        a: Term,
        b: Term,
    ) -> Result<Term, Inexpressible> {
        let width = terms.width(a);
        if let Some(value) = terms.value(b) {
            let most = &unsigned(value) - &Rational::ONE;
            let number = self.translations.number(a)?;
            return Ok(self.between(terms, number, width, &Rational::ZERO, &most));
        }
        if let Some(value) = terms.value(a) {
            let least = &unsigned(value) + &Rational::ONE;
            let most = &power_of_two(width) - &Rational::ONE;
            let number = self.translations.number(b)?;
            return Ok(self.between(terms, number, width, &least, &most));
        }
        let (a, b) = (self.unsigned(terms, a)?, self.unsigned(terms, b)?);
        Ok(self.arithmetic.less(terms, a, b))
    }

    /// Whether the unsigned value of a bit-vector lies between two bounds, inclusively.
    pub(crate) fn between(
        &mut self,
        terms: &mut Terms,
        number: Number,
        width: u32,
        low: &Rational,
        high: &Rational,
    ) -> Term {
        let Some((first, last)) = few_blocks(number, width) else {
            let number = self.arithmetic.unsigned(terms, number, width);
            return self.within(terms, number, low, high);
        };
        let mut any = Vec::new();
        for block in first..=last {
            let start = &whole(block) * &power_of_two(width);
            any.push(self.within(terms, number, &(&start + low), &(&start + high)));
        }
        terms.or(&any)
    }

    fn within(&self, terms: &mut Terms, number: Number, low: &Rational, high: &Rational) -> Term {
        let above = self.arithmetic.at_least(terms, number, low);
        let beyond = self
            .arithmetic
            .at_least(terms, number, &(high + &Rational::ONE));
        let not_beyond = terms.not(beyond);
        terms.and2(above, not_beyond)
    }
}

/// The multiples of `2^width` that a number may lie above, if they are few.
fn few_blocks(number: Number, width: u32) -> Option<(i128, i128)> {
    let blocks = number.range.blocks(width);
    blocks.filter(|(first, last)| last - first < MAX_BLOCKS)
}

fn equal_numbers(terms: &mut Terms, x: Number, y: Number) -> Term {
    if x.range.is_below(y.range) || y.range.is_below(x.range) {
        return Term::FALSE;
    }
    terms.eq(x.term, y.term)
}

/// The last step of asking whether a signed addition overflows: that the sum's sign is not an operand's, which
/// another condition of the same conjunction is about too. Mathematically that is impossible; the question is about
/// the machine's sum.
fn signs_differ(terms: &Terms, operand: Term, conjunction: &[Term]) -> Option<(Term, Term)> {
    let equation = match terms.op(operand) {
        Op::Not => terms.arg(operand, 0),
        _ => return None,
    };
    let [a, b] = *terms.args(equation) else {
        return None;
    };
    if terms.op(equation) != Op::Eq || terms.sort(a) != Sort::Bool {
        return None;
    }
    let is_about = |condition: Term, sign: Term| {
        let atom = match terms.op(condition) {
            Op::Not => terms.arg(condition, 0),
            _ => condition,
        };
        atom == sign || terms.op(atom) == Op::Eq && terms.args(atom).contains(&sign)
    };
    [(a, b), (b, a)].into_iter().find_map(|(sign, other)| {
        let sum = sign_of_sum(terms, other)?;
        conjunction
            .iter()
            .any(|&condition| condition != operand && is_about(condition, sign))
            .then_some((sign, sum))
    })
}

/// The sum whose sign bit a condition is.
fn sign_of_sum(terms: &Terms, condition: Term) -> Option<Term> {
    let [one, bit] = *terms.args(condition) else {
        return None;
    };
    let is_set = terms.op(condition) == Op::Eq && terms.small_value(one) == Some(1);
    let Op::Extract { lo } = terms.op(bit) else {
        return None;
    };
    let sum = terms.arg(bit, 0);
    let is_sign = is_set && terms.op(sum) == Op::BvAdd && lo + 1 == terms.width(sum);
    is_sign.then_some(sum)
}
