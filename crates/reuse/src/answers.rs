//! Answers by exact set of atoms: the first thing to look at, and the cheapest.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use refrain_path::atoms::AtomId;
use refrain_path::solution::SolutionId;

/// What is known of a set of atoms.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfied by a solution, which has values for all inputs of the set.
    Sat(SolutionId),
    /// Not satisfiable, because of these of its atoms, or of atoms that they imply.
    Unsat(Rc<[AtomId]>),
}

/// Answers by the key of a set, which names it ([`refrain_path::atoms::AtomTable::key`]).
#[derive(Default)]
pub struct Answers(FxHashMap<u128, Answer>);

impl Answers {
    #[inline]
    pub fn get(&self, key: u128) -> Option<&Answer> {
        self.0.get(&key)
    }

    pub fn insert(&mut self, key: u128, answer: Answer) {
        self.0.insert(key, answer);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
