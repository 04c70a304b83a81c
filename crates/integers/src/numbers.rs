//! What bit-vector operators become: one number each.

use refrain_term::{Op, Sort, Term, Terms};

use crate::arithmetic::{Number, Truncated};
use crate::concat::as_bits;
use crate::constants::signed;
use crate::interval::Interval;
use crate::{Inexpressible, Integers};

/// The narrowest numbers that programs calculate with. A narrower sum is the low part of one.
pub(crate) const ARITHMETIC_WIDTH: u32 = 32;

impl Integers {
    pub(crate) fn make_number(
        &mut self,
        terms: &mut Terms,
        term: Term,
    ) -> Result<Number, Inexpressible> {
        let Sort::BitVec(width) = terms.sort(term) else {
            return Err(Inexpressible::Array);
        };
        if let Some(bits) = as_bits(terms, &mut self.inputs, term) {
            return Ok(self.bits(terms, bits));
        }
        let args = terms.args(term).to_vec();
        match (terms.op(term), &args[..]) {
            (Op::Const(id), _) => {
                let value = signed(terms.const_value(id));
                Ok(Number::constant(terms, value))
            }
            (Op::Concat, _) => self.concat(terms, term),
            (Op::Extract { lo }, &[of]) => {
                let number = self.translations.number(of)?;
                let from = terms.width(of);
                Ok(self.arithmetic.slice(terms, number, from, lo, width))
            }
            (Op::SignExtend, &[of]) => self.signed(terms, of),
            (Op::BvNot, &[of]) => {
                let number = self.translations.number(of)?;
                Ok(self.complement(terms, number))
            }
            (Op::BvAdd, addends) => {
                let numbers: Result<Vec<Number>, _> = addends
                    .iter()
                    .map(|&addend| self.translations.number(addend))
                    .collect();
                let numbers = numbers?;
                let sum = self.arithmetic.sum(terms, &numbers);
                Ok(calculated(sum, &numbers, width))
            }
            (Op::BvMul, &[a, b]) => {
                let (a, b) = (self.translations.number(a)?, self.translations.number(b)?);
                let product = self.arithmetic.product(terms, a, b);
                Ok(calculated(product, &[a, b], width))
            }
            (Op::BvUdiv | Op::BvUrem, &[a, b]) => self.division(terms, term, a, b),
            (Op::BvAnd | Op::BvOr | Op::BvXor, &[a, b]) => self.bitwise(terms, term, a, b),
            (Op::BvShl | Op::BvLshr | Op::BvAshr, &[a, by]) => self.shift(terms, term, a, by),
            (Op::Ite, &[condition, then, other]) => {
                let condition = self.translations.condition(condition)?;
                let then = self.signed(terms, then)?;
                let other = self.signed(terms, other)?;
                Ok(self.arithmetic.choice(terms, condition, then, other))
            }
            (Op::Select, _) => self.read(terms, term),
            (Op::Apply(_), _) => Err(Inexpressible::UninterpretedFunction),
            _ => Err(Inexpressible::Operation),
        }
    }
}

/// What is calculated from operands of a width, truncated or not.
fn calculated(number: Number, operands: &[Number], width: u32) -> Number {
    let is_narrow = |operand: &Number| operand.range.is_within(Interval::signed(width.max(2) - 1));
    // An operand that is not truncated but has as many bits may be the low bits of a number that has several segments.
    let is_clear = operands
        .iter()
        .all(|operand| operand.truncated.is_some() || is_narrow(operand));
    let truncated = match number.truncated {
        Some(whole) if is_clear => Some(whole),
        Some(_) => Some(Truncated::Other),
        None => (width < ARITHMETIC_WIDTH).then_some(Truncated::Other),
    };
    Number {
        truncated,
        ..number
    }
}
