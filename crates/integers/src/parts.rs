//! How bits of inputs are put together in a term: concatenations taken apart again.

use refrain_term::{Op, Term, Terms};

use super::inputs::{Bits, Inputs};

/// A part of a concatenation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Bits(Bits),
    /// Anything else, a constant for example.
    Term(Term),
}

/// The parts of a term, the highest first. Bits that are neighbours in the input too are one part.
pub(super) fn parts(terms: &Terms, inputs: &mut Inputs, term: Term) -> Vec<Part> {
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
pub(super) fn as_bits(terms: &Terms, inputs: &mut Inputs, term: Term) -> Option<Bits> {
    match terms.op(term) {
        Op::Var(_) | Op::Extract { .. } => variable_bits(terms, inputs, term),
        Op::Concat => match parts(terms, inputs, term)[..] {
            [Part::Bits(bits)] => Some(bits),
            _ => None,
        },
        _ => None,
    }
}
