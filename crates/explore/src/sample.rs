//! Representative values of a term, where every value having its path would be too many: the size of an allocation.

use std::sync::Arc;

use refrain_integers::Inexpressible;
use refrain_machine::Machine;
use refrain_term::{Assignment, Bv, Sort, Term, Value};

use crate::explorer::Explorer;
use crate::listener::Listener;
use crate::trail::Trail;

/// How many values of a term have their paths. All others are one boundary.
pub(crate) const REPRESENTATIVES: usize = 4;

/// A small value is at most this.
const SMALL: u64 = 64;

/// Which end of the range of a term is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Least,
    Greatest,
}

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// The value that comes after so many others: that of the input at hand, the least, the greatest, a small one.
    pub(crate) fn representative(
        &mut self,
        trail: &Trail,
        input: &Arc<Assignment>,
        term: Term,
        tried: usize,
    ) -> Result<Value, Inexpressible> {
        let at_hand = self.asker.value(input, self.machine.inputs(), term)?;
        let found = match tried {
            1 => self.extreme(trail, &at_hand, term, Extreme::Least)?,
            2 => self.extreme(trail, &at_hand, term, Extreme::Greatest)?,
            3 => {
                let is_small = self.at_most(term, SMALL)?;
                match self.asker.find(trail, is_small) {
                    Ok(Some(input)) => {
                        Some(self.asker.value(&input, self.machine.inputs(), term)?)
                    }
                    Ok(None) | Err(_) => None,
                }
            }
            _ => None,
        };
        Ok(found.unwrap_or(at_hand))
    }

    /// The least or the greatest value that a term has on a path, by halving the range. What the solver cannot decide
    /// ends the search where it is: the value is feasible in any case.
    fn extreme(
        &mut self,
        trail: &Trail,
        at_hand: &Value,
        term: Term,
        extreme: Extreme,
    ) -> Result<Option<Value>, Inexpressible> {
        let Sort::BitVec(width @ 1..=64) = self.asker.terms.sort(term) else {
            return Ok(None);
        };
        let word = |value: &Value| value.as_bv().and_then(|value| value.to_u64());
        let Some(mut best) = word(at_hand) else {
            return Ok(None);
        };
        // The first value that is not excluded yet.
        let mut bound = match extreme {
            Extreme::Least => 0,
            Extreme::Greatest => mask(width),
        };
        while best != bound {
            let (middle, condition) = match extreme {
                Extreme::Least => {
                    let middle = bound + (best - bound) / 2;
                    (middle, self.at_most(term, middle)?)
                }
                Extreme::Greatest => {
                    let middle = bound - (bound - best) / 2;
                    (middle, self.at_least(term, middle)?)
                }
            };
            match self.asker.find(trail, condition) {
                Ok(Some(input)) => {
                    let value = self.asker.value(&input, self.machine.inputs(), term)?;
                    best = word(&value).unwrap_or(middle);
                }
                Ok(None) => match extreme {
                    Extreme::Least => bound = middle + 1,
                    Extreme::Greatest => bound = middle - 1,
                },
                Err(_) => break,
            }
        }
        Ok(Some(Value::Bv(Bv::new(width, best))))
    }

    fn at_most(&mut self, term: Term, value: u64) -> Result<Term, Inexpressible> {
        let terms = &mut self.asker.terms;
        let width = terms.width(term);
        let value = terms.bv(width, value.min(mask(width)));
        let condition = terms.bv_ule(term, value);
        self.asker.condition(self.machine.inputs(), condition)
    }

    fn at_least(&mut self, term: Term, value: u64) -> Result<Term, Inexpressible> {
        let terms = &mut self.asker.terms;
        let value = terms.bv(terms.width(term), value);
        let condition = terms.bv_ule(value, term);
        self.asker.condition(self.machine.inputs(), condition)
    }
}

/// The greatest word of so many bits, at most 64.
fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}
