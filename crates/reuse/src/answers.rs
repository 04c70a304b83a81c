//! Answers by exact set of atoms: the first thing to look at, and the cheapest.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use refrain_path::atoms::AtomId;
use refrain_path::solution::{Renumbering, SolutionId};

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
pub struct Answers {
    by_key: FxHashMap<u128, Known>,
    /// Of sets that are not satisfiable, each one's own.
    cores: Vec<Rc<[AtomId]>>,
    /// The check that is under way.
    now: u32,
    /// How many atoms the cores have.
    core_atoms: usize,
}

/// Small, so that the table is.
#[derive(Clone, Copy)]
struct Known {
    what: Place,
    /// The check in which it was last of use.
    used: u32,
}

/// Where an answer is.
#[derive(Clone, Copy)]
enum Place {
    Solution(SolutionId),
    Core(u32),
}

impl Answers {
    /// What is known of a set, which is of use to the check that is under way.
    #[inline]
    pub fn get(&mut self, key: u128) -> Option<Answer> {
        let known = self.by_key.get_mut(&key)?;
        known.used = self.now;
        Some(match known.what {
            Place::Solution(id) => Answer::Sat(id),
            Place::Core(at) => Answer::Unsat(self.cores[at as usize].clone()),
        })
    }

    pub fn contains(&self, key: u128) -> bool {
        self.by_key.contains_key(&key)
    }

    pub fn insert(&mut self, key: u128, answer: Answer) {
        let before = self.by_key.get(&key).map(|known| known.what);
        let what = match (answer, before) {
            (Answer::Sat(id), _) => Place::Solution(id),
            (Answer::Unsat(core), Some(Place::Core(at))) => {
                let before = std::mem::replace(&mut self.cores[at as usize], core.clone());
                self.core_atoms = self.core_atoms + core.len() - before.len();
                Place::Core(at)
            }
            (Answer::Unsat(core), _) => {
                self.core_atoms += core.len();
                self.cores.push(core);
                Place::Core(self.cores.len() as u32 - 1)
            }
        };
        let used = self.now;
        self.by_key.insert(key, Known { what, used });
    }

    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// Another check begins.
    pub fn begin(&mut self, check: u32) {
        self.now = check;
    }

    /// What is known of a set, if anything is, is of use to the check that is under way.
    pub fn note_use(&mut self, key: u128) {
        if let Some(known) = self.by_key.get_mut(&key) {
            known.used = self.now;
        }
    }

    /// The checks in which answers were last of use.
    pub fn uses(&self) -> impl Iterator<Item = u32> {
        self.by_key.values().map(|known| known.used)
    }

    /// Forgets the answers that were of no use after a check, and those whose solutions are not kept; how many.
    pub fn forget_until(&mut self, check: u32, solutions: &Renumbering) -> usize {
        let mut kept = Answers::default();
        for (&key, known) in self.by_key.iter().filter(|(_, known)| known.used > check) {
            kept.begin(known.used);
            let answer = match known.what {
                Place::Solution(id) => solutions.of(id).map(Answer::Sat),
                Place::Core(at) => Some(Answer::Unsat(self.cores[at as usize].clone())),
            };
            if let Some(answer) = answer {
                kept.insert(key, answer);
            }
        }
        kept.begin(self.now);
        let forgotten = self.len() - kept.len();
        *self = kept;
        forgotten
    }

    /// About how many bytes all of them take.
    pub fn bytes(&self) -> usize {
        self.by_key.capacity() * (size_of::<(u128, Known)>() + 1)
            + self.cores.capacity() * size_of::<Rc<[AtomId]>>()
            + self.cores.len() * 2 * size_of::<usize>()
            + self.core_atoms * size_of::<AtomId>()
    }
}
