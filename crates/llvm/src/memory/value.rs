//! A value in memory or in a register: a number, or a term.

use refrain_term::{Term, Terms};

/// Bytes as an integer, little-endian. A symbolic value of `n` bytes is a term of width `8 * n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Concrete(u64),
    Symbolic(Term),
}

impl Value {
    /// The value of a term: concrete if the term is a constant of at most 64 bits.
    #[inline]
    pub fn of(terms: &Terms, term: Term) -> Value {
        match terms.small_value(term) {
            Some(value) => Value::Concrete(value),
            None => Value::Symbolic(term),
        }
    }

    /// The value as a term of so many bytes.
    pub fn term(self, terms: &mut Terms, bytes: u32) -> Term {
        match self {
            Value::Concrete(value) if bytes <= 8 => terms.bv(8 * bytes, value),
            Value::Concrete(value) => {
                let low = terms.bv(64, value);
                terms.zero_extend(low, 8 * (bytes - 8))
            }
            Value::Symbolic(term) => term,
        }
    }
}
