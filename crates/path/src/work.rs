//! Work, counted: about what a check takes, the same in every run and on every machine.
//!
//! Whoever weighs asking the solver against looking an answer up needs to know what either costs. A clock knows best,
//! and gives another answer each time; decisions that results depend on go by these counts instead, each kind with its
//! weight ([`NANOSECONDS`]).

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    // Following the path.
    /// Checks.
    Check,
    /// Conjuncts of assertions that were new, to be simplified and noted.
    TakenApart,
    /// Atoms that came onto the path.
    Activated,
    /// Atoms that were evaluated one by one.
    Evaluated,
    /// Batches of values that were tried on atoms, and atoms times values in these.
    Batch,
    Column,

    // Solving.
    /// Terms that were encoded.
    Encoded,
    /// Questions to the engine, and terms that these were about.
    Question,
    Cone,
    Propagation,
    Conflict,
    /// Entries of the tableau that pivots changed.
    TableauEntry,

    // Looking answers up.
    /// Look-ups in a layer.
    LookUp,
    /// Atoms of sets that were looked up.
    Atom,
    /// Nodes that canonizing went through, and bytes that it wrote.
    Canonized,
    /// Nodes of tries that were visited.
    Visit,
    /// Pairs of atoms that were compared.
    Comparison,
    /// Solutions that were tried, and atoms times solutions.
    Solution,
    SolutionColumn,
    /// Entries that came from a store.
    StoreEntry,
}

/// About how many nanoseconds each kind takes.
///
/// `cargo bench -p refrain-reuse --bench work` fits them to recorded queries. What it determines well is as fitted:
/// `Check` to `Evaluated`, `LookUp`, `SolutionColumn`; `Atom` agrees with it. The others it does not: they come
/// together with others (`Batch` and `Column`, `Question` and `Cone`), make too little of the time, take longer the
/// larger the formula (`Propagation`, 120 to 510 by which script is left out), or do not occur (`TableauEntry`,
/// `StoreEntry`).
pub const NANOSECONDS: [(Kind, u64); 20] = [
    (Kind::Check, 290),
    (Kind::TakenApart, 1_400),
    (Kind::Activated, 28),
    (Kind::Evaluated, 170),
    (Kind::Batch, 2_500),
    (Kind::Column, 8),
    (Kind::Encoded, 700),
    (Kind::Question, 4_000),
    (Kind::Cone, 60),
    (Kind::Propagation, 180),
    (Kind::Conflict, 3_000),
    (Kind::TableauEntry, 45),
    (Kind::LookUp, 280),
    (Kind::Atom, 30),
    (Kind::Canonized, 6),
    (Kind::Visit, 30),
    (Kind::Comparison, 15),
    (Kind::Solution, 2_500),
    (Kind::SolutionColumn, 72),
    (Kind::StoreEntry, 3_000),
];

/// How many kinds there are.
pub const KINDS: usize = NANOSECONDS.len();

// The weights are in the order of the kinds.
const _: () = {
    let mut at = 0;
    while at < KINDS {
        assert!(NANOSECONDS[at].0 as usize == at);
        at += 1;
    }
};

/// How much of what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Work([u64; KINDS]);

impl Work {
    #[inline]
    pub fn note(&mut self, kind: Kind, count: usize) {
        self.0[kind as usize] += count as u64;
    }

    /// All of it, in units of about a nanosecond.
    pub fn units(&self) -> u64 {
        let parts = self.0.iter().zip(NANOSECONDS);
        parts.map(|(count, (_, each))| count * each).sum()
    }

    /// How much of each kind.
    pub fn counts(&self) -> [u64; KINDS] {
        self.0
    }
}
