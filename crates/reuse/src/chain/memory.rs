//! What is known of sets of atoms, by their names: answers, solutions, and the tries in which those of other sets are
//! found.

use refrain_path::{SolutionId, Solutions};
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
