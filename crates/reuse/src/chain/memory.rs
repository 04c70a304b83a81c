//! What is known of sets of atoms, by their names: answers, solutions, and the tries in which those of other sets are
//! found.

use refrain_path::{AtomId, AtomTable, SolutionId, Solutions};
use rustc_hash::FxHashMap;

use crate::answers::Answers;
use crate::lasting::IndexKey;
use crate::ltrie::{SatTrie, UnsatTrie};
use crate::normal::NormalAtoms;
use crate::quick::QuickTests;
use crate::renamed::Renamed;

#[derive(Default)]
pub(super) struct Memory {
    pub answers: Answers,
    pub solutions: Solutions,
    pub quick: QuickTests,
    pub unsat: UnsatTrie,
    pub sat: SatTrie,
    /// The same for other names.
    pub renamed: Renamed,
    /// What atoms about one subject come to.
    pub normal: NormalAtoms,
    /// Solutions from the store, by what they are listed under.
    pub fetched: FxHashMap<IndexKey, Vec<SolutionId>>,
}

impl Memory {
    /// Another check begins.
    pub fn begin(&mut self, check: u32) {
        self.answers.begin(check);
        self.solutions.begin(check);
    }

    /// A core, as it is kept, is of use to the check that is under way.
    pub fn note_use_of_core(&mut self, atoms: &AtomTable, core: &[AtomId]) {
        self.answers.note_use(atoms.key(core.iter().copied()));
    }

    /// The checks in which answers and solutions were last of use.
    pub fn uses(&self) -> impl Iterator<Item = u32> {
        self.answers.uses().chain(self.solutions.uses())
    }

    /// Forgets the answers and solutions that were of no use after a check; how many. Whatever only helps to find them
    /// goes with them, and what can be computed again is.
    pub fn forget_until(&mut self, atoms: &AtomTable, check: u32) -> usize {
        let solutions = self.solutions.forget_until(check);
        let answers = self.answers.forget_until(check, &solutions);
        let is_core_kept = |core: &[AtomId]| {
            let key = atoms.key(core.iter().copied());
            self.answers.contains(key)
        };
        self.quick.retain(&solutions);
        self.sat
            .retain(atoms, |id| Some(solutions.of(SolutionId(id))?.0));
        self.unsat.retain(atoms, is_core_kept);
        self.renamed.retain(atoms, is_core_kept, &solutions);
        self.normal = NormalAtoms::default();
        self.fetched = FxHashMap::default();
        solutions.forgotten() + answers
    }

    /// About how many bytes all of it takes, but for tables with a place for each atom: they are as long as the path's.
    pub fn bytes(&self) -> usize {
        let fetched = self.fetched.capacity() * size_of::<(IndexKey, Vec<SolutionId>, u64)>();
        self.answers.bytes()
            + self.solutions.bytes()
            + self.quick.bytes()
            + self.unsat.bytes_of_sets()
            + self.sat.bytes_of_sets()
            + self.renamed.bytes()
            + self.normal.bytes()
            + fetched
    }
}
