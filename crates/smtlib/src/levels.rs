//! The assertion stack: what was asserted on which level, and what is missing there.

use refrain_solver::Reason;
use refrain_term::Term;

use crate::declarations::{Labels, Mark};
use crate::error::{Failure, Place};
use crate::refusal::{Lasting, Loss, Refusals};
use crate::symbols::Symbol;

/// How long the lists were when a level began.
struct Level {
    declarations: Mark,
    assertions: usize,
    named: usize,
    labels: usize,
    texts: usize,
}

#[derive(Default)]
pub(crate) struct Levels {
    levels: Vec<Level>,
    /// All assertions, the named ones included.
    assertions: Vec<Term>,
    /// Named assertions that are assumed at each check, for the cores.
    named: Vec<(Symbol, Term)>,
    /// All named formulas, for `get-assignment`.
    labels: Labels,
    /// Assertions as they were written, where the script asked for them to be kept.
    texts: Vec<Box<[u8]>>,
    refusals: Refusals,
}

impl Levels {
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Begins a level; what is declared up to here outlives it.
    pub fn push(&mut self, declarations: Mark) {
        self.levels.push(Level {
            declarations,
            assertions: self.assertions.len(),
            named: self.named.len(),
            labels: self.labels.len(),
            texts: self.texts.len(),
        });
    }

    /// Takes back the last levels, of which there are so many; what was declared before them, if they are any.
    pub fn pop(&mut self, levels: usize) -> Option<Mark> {
        let left = self.levels.len() - levels;
        let first = self.levels.drain(left..).next()?;
        self.assertions.truncate(first.assertions);
        self.named.truncate(first.named);
        self.labels.truncate(first.labels);
        self.texts.truncate(first.texts);
        self.refusals.pop(left);
        Some(first.declarations)
    }

    /// Takes back everything; what was declared before the first level, if there is one.
    pub fn clear(&mut self) -> Option<Mark> {
        let first = self.pop(self.levels.len());
        self.assertions.clear();
        self.named.clear();
        self.labels.clear();
        self.texts.clear();
        self.refusals.reset_assertions();
        first
    }

    pub fn assert(&mut self, formula: Term) {
        self.assertions.push(formula);
    }

    /// The assertion just made is to be assumed at each check, under its name.
    pub fn assume_at_checks(&mut self, name: Symbol, formula: Term) {
        self.named.push((name, formula));
    }

    pub fn label(&mut self, labels: Labels) {
        self.labels.extend(labels);
    }

    pub fn keep_text(&mut self, text: &[u8]) {
        self.texts.push(text.into());
    }

    pub fn assertions(&self) -> &[Term] {
        &self.assertions
    }

    pub fn named(&self) -> &[(Symbol, Term)] {
        &self.named
    }

    pub fn labels(&self) -> &[(Symbol, Term)] {
        &self.labels
    }

    pub fn texts(&self) -> &[Box<[u8]>] {
        &self.texts
    }

    /// Something is missing from here on.
    pub fn miss(&mut self, lasting: Lasting, loss: Loss, place: Place, failure: &Failure) {
        self.refusals.note(lasting, loss, place, failure);
    }

    /// Why no model is the one that is asked for, if so.
    pub fn missing_objective(&self) -> Option<Reason> {
        self.refusals.objective()
    }

    /// Why nothing can be checked now, if so.
    pub fn missing(&self) -> Option<Reason> {
        self.refusals.reason()
    }
}
