//! The stack of assertions, as every solver that keeps its own follows it.

use refrain_term::Term;

/// Assertions in order, and how many there were at each push.
#[derive(Default)]
pub struct AssertionStack {
    formulas: Vec<Term>,
    scopes: Vec<usize>,
    followed: usize,
}

impl AssertionStack {
    pub fn push(&mut self) {
        self.scopes.push(self.formulas.len());
    }

    /// Takes back the assertions of the last `levels` pushes.
    pub fn pop(&mut self, levels: usize) {
        let kept = self.scopes.len().saturating_sub(levels);
        if let Some(&length) = self.scopes.get(kept) {
            self.formulas.truncate(length);
            self.followed = self.followed.min(length);
        }
        self.scopes.truncate(kept);
    }

    pub fn assert(&mut self, formula: Term) {
        self.formulas.push(formula);
    }

    pub fn formulas(&self) -> &[Term] {
        &self.formulas
    }

    pub fn len(&self) -> usize {
        self.formulas.len()
    }

    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// Whether no pop can take the assertion at a place back.
    pub fn is_base(&self, place: usize) -> bool {
        place < self.scopes.first().copied().unwrap_or(self.formulas.len())
    }

    /// How many of the first assertions are surely those that [`AssertionStack::follow`] was last told of.
    pub fn followed(&self) -> usize {
        self.followed
    }

    /// Notes that whoever follows has taken in the first `count` assertions, or all if there are fewer.
    pub fn follow(&mut self, count: usize) {
        self.followed = count.min(self.formulas.len());
    }
}
