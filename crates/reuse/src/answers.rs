//! Answers by exact set of atoms: the first thing to look at, and the cheapest.

use rustc_hash::FxHashMap;

use crate::path::AtomId;
use crate::solution::Solution;

/// What is known of a set of atoms.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfied by a solution.
    Sat(SolutionId),
    /// Not satisfiable, because of these of its atoms.
    Unsat(Box<[AtomId]>),
}

/// A kept solution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SolutionId(pub u32);

/// All solutions kept.
#[derive(Default)]
pub struct Solutions(Vec<Solution>);

impl Solutions {
    pub fn add(&mut self, solution: Solution) -> SolutionId {
        self.0.push(solution);
        SolutionId(self.0.len() as u32 - 1)
    }

    pub fn get(&self, id: SolutionId) -> &Solution {
        &self.0[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Answers by set. Sets are told apart by all their atoms, never by their key alone.
#[derive(Default)]
pub struct Answers {
    by_key: FxHashMap<u128, Vec<Entry>>,
    len: usize,
}

struct Entry {
    /// Ascending.
    atoms: Box<[AtomId]>,
    answer: Answer,
}

impl Answers {
    /// The answer for a set of atoms, ascending, with this key.
    pub fn get(&self, key: u128, atoms: &[AtomId]) -> Option<&Answer> {
        let entries = self.by_key.get(&key)?;
        let entry = entries.iter().find(|entry| &*entry.atoms == atoms)?;
        Some(&entry.answer)
    }

    pub fn insert(&mut self, key: u128, atoms: &[AtomId], answer: Answer) {
        let entries = self.by_key.entry(key).or_default();
        match entries.iter_mut().find(|entry| &*entry.atoms == atoms) {
            Some(entry) => entry.answer = answer,
            None => {
                let atoms = atoms.into();
                entries.push(Entry { atoms, answer });
                self.len += 1;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
