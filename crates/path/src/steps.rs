//! The atoms of all assertions and assumptions, in order, as a stack that follows them. From one check to the next
//! only what differs is taken off and put on.

use refrain_term::{Term, Terms};

use crate::assertions::AssertionStack;
use crate::atoms::{AtomId, AtomTable, Conjuncts};
use crate::limits::{Limits, Reason};

/// An atom on the path, and which assertion or assumption it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub atom: AtomId,
    pub source: u32,
}

/// An assertion or assumption, and what it comes to.
#[derive(Clone, Copy)]
pub struct Source {
    pub term: Term,
    first_step: u32,
    pub conjuncts: Conjuncts,
}

/// The atoms in force.
#[derive(Default)]
pub struct Steps {
    sources: Vec<Source>,
    steps: Vec<Step>,
    /// By atom: whether it is on the path. One that is there already says nothing new.
    present: Vec<bool>,
    /// The first place of an atom that is false by itself.
    refuted: Option<u32>,
    /// How many of the first sources have stayed since somebody last asked.
    stayed: usize,
    /// How many of the first steps have stayed since somebody last asked.
    steps_stayed: usize,
}

impl Steps {
    #[inline]
    pub fn all(&self) -> &[Step] {
        &self.steps
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether an atom is on the path.
    #[inline]
    pub fn has(&self, atom: AtomId) -> bool {
        self.present.get(atom.index()).is_some_and(|&is| is)
    }

    /// The assertion or assumption of this number.
    pub fn source(&self, source: u32) -> Term {
        self.sources[source as usize].term
    }

    /// All atoms of these assertions and assumptions, ascending.
    pub fn atoms_of(&self, atoms: &AtomTable, mut sources: Vec<Term>) -> Vec<AtomId> {
        sources.sort_unstable();
        let own = self.sources.iter();
        let own = own.filter(|source| sources.binary_search(&source.term).is_ok());
        let mut found: Vec<AtomId> = own
            .flat_map(|source| atoms.atoms_of(source.conjuncts))
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The step that is false by itself, if there is one.
    pub fn refuted(&self) -> Option<Step> {
        self.refuted.map(|place| self.steps[place as usize])
    }

    /// How many of the first sources have stayed since this was last asked.
    pub fn take_stayed(&mut self) -> usize {
        std::mem::replace(&mut self.stayed, self.sources.len())
    }

    /// How many of the first steps have stayed since this was last asked.
    pub fn take_steps_stayed(&mut self) -> usize {
        std::mem::replace(&mut self.steps_stayed, self.steps.len())
    }

    /// Follows the assertions and assumptions; how many of the first sources and steps are as they were. If a limit
    /// is reached, the path is that of the first of them.
    pub fn follow(
        &mut self,
        terms: &mut Terms,
        atoms: &mut AtomTable,
        assertions: &mut AssertionStack,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<(usize, usize), Reason> {
        let count = assertions.len() + assumptions.len();
        let wanted = |assertions: &AssertionStack, i: usize| match assertions.formulas().get(i) {
            Some(&term) => term,
            None => assumptions[i - assertions.len()],
        };
        let mut kept = assertions.followed().min(count).min(self.sources.len());
        while kept < self.sources.len()
            && kept < count
            && self.sources[kept].term == wanted(assertions, kept)
        {
            kept += 1;
        }
        self.truncate(kept);
        let stayed = (kept, self.steps.len());
        for i in kept..count {
            let term = wanted(assertions, i);
            assertions.follow(i);
            if i.is_multiple_of(1024)
                && let Some(reason) = limits.exceeded()
            {
                return Err(reason);
            }
            let new = atoms.conjuncts(terms, term, assertions.is_base(i), limits)?;
            self.sources.push(Source {
                term,
                first_step: self.steps.len() as u32,
                conjuncts: new,
            });
            self.present.resize(atoms.len(), false);
            for &atom in atoms.atoms_of(new) {
                if !std::mem::replace(&mut self.present[atom.index()], true) {
                    self.put_on(atoms, atom, i as u32);
                }
            }
        }
        assertions.follow(count);
        Ok(stayed)
    }

    fn put_on(&mut self, atoms: &AtomTable, atom: AtomId, source: u32) {
        if atoms.get(atom).term == Term::FALSE {
            self.refuted.get_or_insert(self.steps.len() as u32);
        }
        self.steps.push(Step { atom, source });
    }

    /// Takes off all sources but the first `kept`.
    fn truncate(&mut self, kept: usize) {
        let Some(&Source { first_step, .. }) = self.sources.get(kept) else {
            return;
        };
        for step in self.steps.drain(first_step as usize..) {
            self.present[step.atom.index()] = false;
        }
        self.sources.truncate(kept);
        self.stayed = self.stayed.min(kept);
        self.steps_stayed = self.steps_stayed.min(self.steps.len());
        self.refuted = self.refuted.filter(|&place| place < first_step);
    }
}
