//! The path that is being executed again: its decisions, its condition, and whether an input takes it.

use refrain_term::{Assignment, Evaluator, Term, Terms};
use rustc_hash::FxHashMap;

use crate::trail::Decision;

#[derive(Default)]
pub(super) struct Path {
    decisions: Vec<Decision>,
    /// What each decision adds to the path condition; true: nothing.
    conditions: Vec<Term>,
    /// How often each condition is there.
    present: FxHashMap<Term, u32>,
    evaluator: Evaluator,
}

impl Path {
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    pub fn push(&mut self, decision: Decision, condition: Term) {
        self.decisions.push(decision);
        self.conditions.push(condition);
        *self.present.entry(condition).or_default() += 1;
    }

    /// Goes back to what it was.
    pub fn truncate(&mut self, len: usize) {
        self.decisions.truncate(len);
        for condition in self.conditions.drain(len..) {
            if let Some(times) = self.present.get_mut(&condition) {
                *times -= 1;
            }
        }
    }

    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    pub fn conditions(&self) -> impl DoubleEndedIterator<Item = Term> {
        let conditions = self.conditions.iter().copied();
        conditions.filter(|&condition| condition != Term::TRUE)
    }

    /// Whether this very condition is part of the path condition.
    pub fn has(&self, condition: Term) -> bool {
        condition == Term::TRUE || self.present.get(&condition).is_some_and(|&times| times > 0)
    }

    /// Whether an input takes it, and one more condition holds.
    pub fn is_taken_by(&mut self, terms: &Terms, input: &Assignment, more: Term) -> bool {
        self.evaluator.forget();
        let mut all = self.conditions.iter().copied().chain([more]);
        all.all(|condition| self.evaluator.bool(terms, input, condition))
    }
}
