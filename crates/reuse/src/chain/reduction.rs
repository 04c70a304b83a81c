//! Reduction of what is asked and of what is remembered: what atoms about the same subject say together, in normal
//! form; and the way back to the atoms that were asked about.

use std::rc::Rc;

use refrain_term::Terms;

use super::Chain;
use super::look_up::Found;
use super::part::Part;
use crate::answers::Answer;
use crate::preset::Trie;
use crate::reduce::{Reduction, implying, reduce};
use crate::stats::AnsweredBy;
use refrain_path::{AtomId, SubjectId};

/// What some atoms come to.
enum Reduced {
    /// What all of them say: for each subject one atom in normal form, or else those that are kept.
    Normal {
        normal: Vec<AtomId>,
        /// Those of them that are enough.
        kept: Vec<AtomId>,
    },
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
        let same: Vec<AtomId> = atoms
            .filter(|&atom| self.path.atoms.subject(atom) == subject)
            .collect();
        if let Reduction::Conflict(places) = self.reduction(&same) {
            let core = places.into_iter().map(|place| same[place]).collect();
            return Some((Answer::Unsat(core), AnsweredBy::Reduce));
        }
        match self.reduce(terms, &part.atoms) {
            Reduced::Conflict(core) => return Some((Answer::Unsat(core), AnsweredBy::Reduce)),
            Reduced::Normal { normal, .. } => part.reduced = normal,
        }
        if !self.layers.exact || part.reduced == part.atoms {
            return None;
        }
        let key = self.path.atoms.key(part.reduced.iter().copied());
        let answer = match self.memory.answers.get(key)? {
            Answer::Unsat(core) => Answer::Unsat(self.implying(part, &core)?.into()),
            sat => sat,
        };
        Some((answer, AnsweredBy::Exact))
    }

    /// Leaves out of a core what its other atoms about the same subject say, and takes a conflict between those for
    /// all of it: what is left of it, and that in normal form.
    pub(super) fn shrunk(
        &mut self,
        terms: &mut Terms,
        core: Rc<[AtomId]>,
    ) -> (Rc<[AtomId]>, Vec<AtomId>) {
        if !self.layers.reduce {
            return (core.clone(), core.to_vec());
        }
        self.path.atoms.know(terms, &core);
        match self.reduce(terms, &core) {
            Reduced::Conflict(few) => (few.clone(), few.to_vec()),
            Reduced::Normal { normal, kept } => (kept.into(), normal),
        }
    }

    /// Atoms of a part that imply those of a set: one for each or, if it takes more, several.
    pub(super) fn implying(&self, part: &Part, set: &[AtomId]) -> Option<Vec<AtomId>> {
        let by_values = self.layers.reduce || self.layers.trie == Trie::Implication;
        let mut found = Vec::with_capacity(set.len());
        for &stored in set {
            if part.atoms.binary_search(&stored).is_ok() {
                found.push(stored);
                continue;
            }
            if !by_values {
                return None;
            }
            let subject = self.path.atoms.subject(stored);
            let atoms = part.atoms.iter().copied();
            let same: Vec<AtomId> = atoms
                .filter(|&atom| self.path.atoms.subject(atom) == subject)
                .collect();
            let values = same
                .iter()
                .map(|&atom| &self.path.atoms.restriction(atom).values);
            let target = &self.path.atoms.restriction(stored).values;
            let places = implying(values, target)?.into_iter();
            found.extend(places.map(|place| same[place]));
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// Those atoms of a part as reduced that say what some of its atoms say, or more.
    pub(super) fn reduced_core(
        &mut self,
        terms: &mut Terms,
        part: &Part,
        core: &[AtomId],
    ) -> Vec<AtomId> {
        let mut within = part.reduced.clone();
        if !self.layers.reduce {
            within.retain(|atom| core.contains(atom));
            return within;
        }
        self.path.atoms.know(terms, core);
        self.path.atoms.know(terms, &within);
        let subjects: Vec<SubjectId> = core
            .iter()
            .map(|&atom| self.path.atoms.subject(atom))
            .collect();
        within.retain(|&atom| subjects.contains(&self.path.atoms.subject(atom)));
        within
    }

    /// What known atoms come to, by their places.
    fn reduction(&self, atoms: &[AtomId]) -> Reduction {
        reduce(atoms.iter().map(|&atom| self.path.atoms.restriction(atom)))
    }

    /// What known atoms come to.
    fn reduce(&mut self, terms: &mut Terms, atoms: &[AtomId]) -> Reduced {
        let merged = match self.reduction(atoms) {
            Reduction::Conflict(places) => {
                return Reduced::Conflict(places.into_iter().map(|place| atoms[place]).collect());
            }
            Reduction::Reduced(merged) => merged,
        };
        let (mut normal, mut kept) = (Vec::with_capacity(merged.len()), Vec::new());
        for group in merged {
            let of_subject = group.kept.iter().map(|&place| atoms[place]);
            let found = match group.kept[..] {
                [alone] => Some(self.memory.normal.of_atom(
                    terms,
                    &mut self.path.atoms,
                    atoms[alone],
                )),
                _ => self
                    .memory
                    .normal
                    .of(terms, &mut self.path.atoms, &group.restriction),
            };
            match found {
                Some(atom) => normal.push(atom),
                None => normal.extend(of_subject.clone()),
            }
            kept.extend(of_subject);
        }
        normal.sort_unstable();
        kept.sort_unstable();
        Reduced::Normal { normal, kept }
    }
}
