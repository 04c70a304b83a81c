//! Values as terms and back, and integers of any width.
//!
//! A register's term may be narrower than the register's type: it stands for its zero extension. A condition stands
//! for 0 or 1.

use refrain_term::{Bv, Sort, Term, Terms};

use super::{Machine, State};
use crate::code::{Src, mask};
use crate::memory::Value;

impl Machine {
    /// A term of at least its own width as one of exactly `width` bits.
    pub(crate) fn widen(&self, terms: &mut Terms, term: Term, width: u32) -> Term {
        match terms.sort(term) {
            Sort::Bool => {
                let (one, zero) = (terms.bv(width, 1), terms.bv(width, 0));
                terms.ite(term, one, zero)
            }
            _ => {
                let own = terms.width(term);
                if own < width {
                    terms.zero_extend(term, width - own)
                } else if own > width {
                    terms.extract(term, width - 1, 0)
                } else {
                    term
                }
            }
        }
    }

    pub(crate) fn term(&self, terms: &mut Terms, value: Value, width: u32) -> Term {
        match value {
            Value::Concrete(value) => terms.bv(width, value & mask(width)),
            Value::Symbolic(term) => self.widen(terms, term, width),
        }
    }

    /// A number where the term is one.
    pub(crate) fn value_of(&self, terms: &Terms, term: Term) -> Value {
        if term == Term::TRUE {
            return Value::Concrete(1);
        }
        if term == Term::FALSE {
            return Value::Concrete(0);
        }
        match terms.small_value(term) {
            Some(value) => Value::Concrete(value),
            None => Value::Symbolic(term),
        }
    }

    /// A value as a condition: its lowest bit.
    pub(crate) fn condition(&self, terms: &mut Terms, value: Value) -> Term {
        match value {
            Value::Concrete(value) => Term::bool(value & 1 == 1),
            Value::Symbolic(term) => match terms.sort(term) {
                Sort::Bool => term,
                _ => {
                    let bit = terms.extract(term, 0, 0);
                    let one = terms.bv(1, 1);
                    terms.eq(bit, one)
                }
            },
        }
    }

    /// The low bits of a value.
    pub(crate) fn cut(&self, terms: &mut Terms, value: Value, width: u32) -> Value {
        match value {
            Value::Concrete(value) => Value::Concrete(value & mask(width)),
            Value::Symbolic(term) => {
                if terms.sort(term) == Sort::Bool || terms.width(term) <= width {
                    return value;
                }
                let low = terms.extract(term, width - 1, 0);
                self.value_of(terms, low)
            }
        }
    }

    pub(super) fn source(&self, state: &State, src: Src) -> Value {
        match src {
            Src::Reg(register) => state.get(register),
            Src::Const(value) => Value::Concrete(value),
        }
    }

    /// Several words as one number or term of `width` bits.
    pub(super) fn wide(&self, terms: &mut Terms, state: &State, words: &[Src], width: u32) -> Wide {
        let values: Vec<Value> = words.iter().map(|&src| self.source(state, src)).collect();
        self.join(terms, &values, width)
    }

    pub(super) fn join(&self, terms: &mut Terms, values: &[Value], width: u32) -> Wide {
        let concrete: Option<Vec<u64>> = values
            .iter()
            .map(|value| match value {
                Value::Concrete(value) => Some(*value),
                Value::Symbolic(_) => None,
            })
            .collect();
        if let Some(words) = concrete {
            return Wide::Number(Bv::from_words(width, words));
        }
        let mut whole: Option<Term> = None;
        for (index, &value) in values.iter().enumerate() {
            let bits = (width - 64 * index as u32).min(64);
            let part = self.term(terms, value, bits);
            whole = Some(match whole {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        Wide::Term(whole.unwrap_or(Term::FALSE))
    }

    /// Writes a number or term to consecutive registers.
    pub(super) fn set_wide(&self, terms: &mut Terms, state: &mut State, dst: u32, value: Wide) {
        match value {
            Wide::Number(number) => {
                for (index, &word) in number.words().iter().enumerate() {
                    state.set(dst + index as u32, Value::Concrete(word));
                }
            }
            Wide::Term(term) => {
                if let Some(number) = terms.value(term) {
                    let number = number.clone();
                    return self.set_wide(terms, state, dst, Wide::Number(number));
                }
                if terms.sort(term) == Sort::Bool {
                    let value = self.value_of(terms, term);
                    state.set(dst, value);
                    return;
                }
                let width = terms.width(term);
                for word in 0..width.div_ceil(64) {
                    let high = (word * 64 + 63).min(width - 1);
                    let part = terms.extract(term, high, word * 64);
                    let part = self.value_of(terms, part);
                    state.set(dst + word, part);
                }
            }
        }
    }

    pub(super) fn wide_term(&self, terms: &mut Terms, value: &Wide) -> Term {
        match value {
            Wide::Number(number) => terms.constant(number.clone()),
            Wide::Term(term) => *term,
        }
    }
}

/// A number or a term of any width.
#[derive(Clone, Debug)]
pub(super) enum Wide {
    Number(Bv),
    Term(Term),
}

impl Wide {
    pub(super) fn number(&self) -> Option<Bv> {
        match self {
            Wide::Number(number) => Some(number.clone()),
            Wide::Term(_) => None,
        }
    }
}
