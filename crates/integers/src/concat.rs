//! Concatenations: bits of inputs and other numbers side by side.

use refrain_term::{Op, Term, Terms};

use crate::arithmetic::{Number, Truncated};
use crate::bits::Bits;
use crate::constants::power_of_two;
use crate::inputs::Inputs;
use crate::numbers::ARITHMETIC_WIDTH;
use crate::{Inexpressible, Integers};

/// A part of a concatenation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Bits(Bits),
    /// Anything else, a constant for example.
    Term(Term),
}

/// The parts of a term, the highest first. Bits that are neighbours in the input too are one part.
pub(crate) fn parts(terms: &Terms, inputs: &mut Inputs, term: Term) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if terms.op(term) == Op::Concat {
            stack.extend([terms.arg(term, 1), terms.arg(term, 0)]);
            continue;
        }
        let next = match variable_bits(terms, inputs, term) {
            Some(bits) => Part::Bits(bits),
            None => Part::Term(term),
        };
        if let (Some(Part::Bits(upper)), Part::Bits(lower)) = (parts.last_mut(), next)
            && let Some(joined) = upper.above(lower)
        {
            *upper = joined;
            continue;
        }
        parts.push(next);
    }
    parts
}

/// The bits that a variable, or a slice of one, is.
fn variable_bits(terms: &Terms, inputs: &mut Inputs, term: Term) -> Option<Bits> {
    match terms.op(term) {
        Op::Var(_) => inputs.bits_of(terms, term),
        Op::Extract { lo } => {
            let of = inputs.bits_of(terms, terms.arg(term, 0))?;
            Some(Bits {
                input: of.input,
                low: of.low + lo,
                count: terms.width(term),
            })
        }
        _ => None,
    }
}

/// The bits that a term is, if it is nothing but neighbouring bits of one input.
pub(crate) fn as_bits(terms: &Terms, inputs: &mut Inputs, term: Term) -> Option<Bits> {
    match terms.op(term) {
        Op::Var(_) | Op::Extract { .. } => variable_bits(terms, inputs, term),
        Op::Concat => match parts(terms, inputs, term)[..] {
            [Part::Bits(bits)] => Some(bits),
            _ => None,
        },
        _ => None,
    }
}

impl Integers {
    /// The number that bits of an input are.
    pub(crate) fn bits(&mut self, terms: &mut Terms, bits: Bits) -> Number {
        let mut parts = Vec::new();
        for (segment, part) in self.segments.parts(terms, &self.inputs, bits) {
            let (whole, low) = (segment.number(), part.low - segment.bits.low);
            let number = if segment.is_signed {
                let width = segment.bits.count;
                self.arithmetic.slice(terms, whole, width, low, part.count)
            } else {
                // An unsigned integer is not the value of its own bits: they are always a part of it.
                let shifted = self.arithmetic.quotient(terms, whole, &power_of_two(low));
                Number {
                    truncated: Some(Truncated::Other),
                    ..shifted
                }
            };
            parts.push((number, part.count));
        }
        self.joined(terms, &parts)
    }

    /// The number of a concatenation.
    pub(crate) fn concat(
        &mut self,
        terms: &mut Terms,
        term: Term,
    ) -> Result<Number, Inexpressible> {
        let mut numbers = Vec::new();
        let mut is_shift = false;
        let parts = parts(terms, &mut self.inputs, term);
        for (place, &part) in parts.iter().enumerate() {
            numbers.push(match part {
                Part::Bits(bits) => (self.bits(terms, bits), bits.count),
                Part::Term(part) => {
                    is_shift = place == 1 && parts.len() == 2 && terms.is_value(part);
                    (self.translations.number(part)?, terms.width(part))
                }
            });
        }
        let mut joined = self.joined(terms, &numbers);
        // The low bits of a number above a constant, as many in all as it has itself: a multiplication, which does
        // not overflow.
        let width = terms.width(term);
        if is_shift
            && numbers[0].0.truncated == Some(Truncated::Whole(width))
            && width >= ARITHMETIC_WIDTH
        {
            joined.truncated = None;
        }
        Ok(joined)
    }

    /// Numbers with their widths side by side, the highest first.
    fn joined(&mut self, terms: &mut Terms, parts: &[(Number, u32)]) -> Number {
        let Some((&(highest, _), lower)) = parts.split_first() else {
            return Number::small(terms, 0);
        };
        let mut sum = highest;
        for &(part, width) in lower {
            let part = self.arithmetic.unsigned(terms, part, width);
            sum = self.arithmetic.scaled(terms, &power_of_two(width), sum);
            sum = self.arithmetic.sum(terms, &[sum, part]);
        }
        if !lower.is_empty() {
            sum.truncated = sum.truncated.map(|_| Truncated::Other);
        }
        sum
    }
}
