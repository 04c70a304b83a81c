//! What the decisions of a path say of single terms: after `kind == 1`, or after all but one value of it are excluded,
//! an index made of `kind` is a number.

use refrain_term::{Known, Op, Term, Terms};
use rpds::HashTrieMap;

use super::State;
use super::state::Then;

/// Of terms with more bits, values that they do not have are not noted.
const FEW_BITS: u32 = 3;

#[derive(Clone, Default)]
pub(crate) struct Facts {
    known: HashTrieMap<Term, Known>,
    /// Conditions that the instruction at hand was told to hold. Until it is done it may be executed again, and must
    /// do the same then: so they are not known before.
    told: Vec<Term>,
}

impl State {
    /// The instruction at hand is done: what it was told is known from now on.
    #[cold]
    pub(super) fn learn(&mut self, terms: &Terms) {
        // An instruction that waits for a function's answer is not done, and must not see what that was told.
        let waits = |then: &Then| matches!(then, Then::Answer(_));
        match self.frames.iter().any(|frame| waits(&frame.then)) {
            true => self.facts.forget_told(),
            false => self.facts.learn(terms),
        }
    }
}

impl Facts {
    /// The instruction at hand goes on where a condition holds.
    pub fn tell(&mut self, condition: Term) {
        self.told.push(condition);
    }

    pub fn was_told(&self) -> bool {
        !self.told.is_empty()
    }

    /// The instruction at hand begins anew.
    pub fn forget_told(&mut self) {
        self.told.clear();
    }

    fn learn(&mut self, terms: &Terms) {
        let mut conditions = std::mem::take(&mut self.told);
        while let Some(condition) = conditions.pop() {
            let (condition, holds) = match terms.op(condition) {
                Op::Not => (terms.arg(condition, 0), false),
                _ => (condition, true),
            };
            self.note(condition, Known::Is(u64::from(holds)));
            match terms.op(condition) {
                Op::And if holds => conditions.extend_from_slice(terms.args(condition)),
                Op::Eq | Op::BvUlt => self.compare(terms, condition, holds),
                _ => {}
            }
        }
    }

    /// What a comparison with a constant says of the other side.
    fn compare(&mut self, terms: &Terms, comparison: Term, holds: bool) {
        let (a, b) = (terms.arg(comparison, 0), terms.arg(comparison, 1));
        let is_equation = terms.op(comparison) == Op::Eq;
        let (term, constant, is_left) = match (terms.small_value(a), terms.small_value(b)) {
            (None, Some(constant)) => (a, constant, true),
            (Some(constant), None) => (b, constant, false),
            _ => return,
        };
        if is_equation && holds {
            return self.note(term, Known::Is(constant));
        }
        let bits = terms.width(term);
        if bits > FEW_BITS {
            return;
        }
        let is_so = |value: u64| match (is_equation, is_left) {
            (true, _) => value == constant,
            (false, true) => value < constant,
            (false, false) => constant < value,
        };
        let all = u8::MAX >> (8 - (1 << bits));
        let mut excluded = match self.known.get(&term).copied() {
            Some(Known::IsNot(excluded)) => excluded,
            Some(Known::Is(_)) => return,
            None => 0,
        };
        for value in (0..1 << bits).filter(|&value| is_so(value) != holds) {
            excluded |= 1 << value;
        }
        let left = all & !excluded;
        self.note(
            term,
            match left.is_power_of_two() {
                true => Known::Is(u64::from(left.trailing_zeros())),
                false => Known::IsNot(excluded),
            },
        );
    }

    fn note(&mut self, term: Term, known: Known) {
        if self.known.get(&term) != Some(&known) {
            self.known.insert_mut(term, known);
        }
    }

    /// The values that a term may have, if they are at most so many.
    pub fn possible_values(&self, terms: &Terms, term: Term, most: usize) -> Option<Vec<u64>> {
        terms.possible_values(term, most, &|part| self.known.get(&part).copied())
    }

    /// The one value that a term can have.
    pub fn value(&self, terms: &Terms, term: Term) -> Option<u64> {
        match self.possible_values(terms, term, 1)?[..] {
            [value] => Some(value),
            _ => None,
        }
    }
}
