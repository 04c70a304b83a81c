//! Reduction of what is asked and of what is remembered: what atoms about the same subject say together.

use std::rc::Rc;

use refrain_term::Terms;

use super::Chain;
use super::look_up::Found;
use super::part::Part;
use crate::answers::Answer;
use crate::reduce::Pushed;
use crate::stats::AnsweredBy;
use refrain_path::atoms::AtomId;

/// What some atoms come to.
enum Reduced {
    /// These of them say what all of them say.
    Kept(Vec<AtomId>),
    /// These of them cannot hold together.
    Conflict(Rc<[AtomId]>),
}

impl Chain {
    /// What the atoms say by themselves, subject by subject, and what is known of what they come to.
    pub(super) fn by_reduction(&mut self, terms: &mut Terms, part: &mut Part) -> Found {
        self.path.atoms.know(terms, &part.atoms);
        // Most conflicts are about what the open atom is about.
        let subject = self.path.atoms.subject(self.path.at(part.open));
        let atoms = part.atoms.iter().copied();
        let same = atoms.filter(|&atom| self.path.atoms.subject(atom) == subject);
        let same: Vec<AtomId> = same.collect();
        if let Reduced::Conflict(core) = self.reduce(&same) {
            return Some((Answer::Unsat(core), AnsweredBy::Reduce));
        }
        match self.reduce(&part.atoms) {
            Reduced::Conflict(core) => return Some((Answer::Unsat(core), AnsweredBy::Reduce)),
            Reduced::Kept(kept) => part.reduced = kept,
        }
        if !self.layers.exact || part.reduced.len() == part.atoms.len() {
            return None;
        }
        let key = self.path.atoms.key(part.reduced.iter().copied());
        let answer = self.memory.answers.get(key)?;
        Some((answer.clone(), AnsweredBy::Exact))
    }

    /// Leaves out of the core what its other atoms about the same subject say, and takes a conflict between those for
    /// all of it.
    pub(super) fn shrunk(&mut self, terms: &mut Terms, core: &[AtomId]) -> Rc<[AtomId]> {
        self.path.atoms.know(terms, core);
        match self.reduce(core) {
            Reduced::Kept(kept) => kept.into(),
            Reduced::Conflict(few) => few,
        }
    }

    /// Leaves out what other atoms about the same subject say. All must be known.
    fn reduce(&mut self, atoms: &[AtomId]) -> Reduced {
        self.reducer.clear();
        for &atom in atoms {
            let restriction = self.path.atoms.restriction(atom);
            if let Pushed::Conflict(places) = self.reducer.push(restriction) {
                return Reduced::Conflict(places.into_iter().map(|place| atoms[place]).collect());
            }
        }
        if self.reducer.subjects() == atoms.len() {
            return Reduced::Kept(atoms.to_vec());
        }
        let kept = self.reducer.kept().into_iter();
        Reduced::Kept(kept.map(|place| atoms[place]).collect())
    }
}
