//! Surplus inputs: those that lead to a place which an input is known for already. What they do beyond that place is
//! not known until its path has ended; then they are led on.

use std::sync::Arc;

use refrain_term::Assignment;

/// How many are kept with one place, and with all places of a worker.
const MOST_AT_A_PLACE: usize = 16;
pub const MOST_IN_ALL: usize = 1 << 14;

/// An input, as what it changes of another: most of it is the same for many.
#[derive(Clone, Debug)]
pub struct SurplusInput {
    base: Arc<Assignment>,
    changes: Assignment,
    /// Which one it was of the partial solutions of its solve.
    pub number: usize,
    /// The user gave it: it is to be executed, even where others are known to lead.
    pub is_seed: bool,
}

impl SurplusInput {
    pub fn new(base: &Arc<Assignment>, changes: Assignment, number: usize) -> SurplusInput {
        SurplusInput {
            base: base.clone(),
            changes,
            number,
            is_seed: false,
        }
    }

    /// An input that the user gave.
    pub fn seed(input: Arc<Assignment>) -> SurplusInput {
        SurplusInput {
            base: input,
            changes: Assignment::new(),
            number: 0,
            is_seed: true,
        }
    }

    /// The whole input.
    pub fn input(&self) -> Arc<Assignment> {
        if self.changes.is_empty() {
            return self.base.clone();
        }
        let mut input = Assignment::clone(&self.base);
        for (var, value) in self.changes.iter() {
            input.set(var, value.clone());
        }
        Arc::new(input)
    }

    /// Whether it is the same input, as far as that can be told without looking at what it does not change.
    fn is_same(&self, other: &SurplusInput) -> bool {
        Arc::ptr_eq(&self.base, &other.base) && self.changes.iter().eq(other.changes.iter())
    }
}

/// The surplus inputs of one place, in the order in which they came.
#[derive(Default)]
pub struct Surplus(Vec<SurplusInput>);

impl Surplus {
    /// Keeps one more, unless it is there or there are enough. Whether it was kept.
    pub fn keep(&mut self, input: SurplusInput) -> bool {
        let has_room = self.0.len() < MOST_AT_A_PLACE || input.is_seed;
        let is_wanted = has_room && !self.0.iter().any(|known| known.is_same(&input));
        if is_wanted {
            self.0.push(input);
        }
        is_wanted
    }

    pub fn take(&mut self) -> Vec<SurplusInput> {
        std::mem::take(&mut self.0)
    }

    pub fn inputs(&self) -> &[SurplusInput] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::{Bv, Sort, Terms, Value, free_vars};

    #[test]
    fn each_is_kept_once_and_no_more_than_the_most() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::BitVec(8));
        let x = free_vars(&terms, x)[0];
        let base = Arc::new(Assignment::new());
        let with = |value: u64| {
            let mut changes = Assignment::new();
            changes.set(x, Value::Bv(Bv::new(8, value)));
            SurplusInput::new(&base, changes, 0)
        };
        let mut surplus = Surplus::default();
        assert!(surplus.keep(with(1)));
        assert!(!surplus.keep(with(1)));
        for value in 2..100 {
            assert_eq!(surplus.keep(with(value)), value <= MOST_AT_A_PLACE as u64);
        }
        assert_eq!(surplus.inputs().len(), MOST_AT_A_PLACE);
        assert_eq!(surplus.inputs()[3].input().get(x), with(4).changes.get(x));
    }
}
