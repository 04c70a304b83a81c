//! Work, counted: about what a check takes, the same in every run and on every machine.
//!
//! Whoever weighs asking the solver against looking an answer up needs to know what either costs. A clock knows best,
//! and gives another answer each time; decisions that results depend on go by these counts instead. The weights are a
//! fit to recorded queries.

/// What is counted.
#[derive(Clone, Copy)]
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

/// How much of what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Work([u64; Work::NANOSECONDS.len()]);

impl Work {
    /// By kind: about how many nanoseconds it takes.
    const NANOSECONDS: [u64; 20] = [
        2_000, 600, 150, 25, 2_500, 8, // following
        700, 4_000, 60, 180, 3_000, 45, // solving
        400, 30, 6, 30, 15, 2_500, 25, 3_000, // looking up
    ];

    #[inline]
    pub fn note(&mut self, kind: Kind, count: usize) {
        self.0[kind as usize] += count as u64;
    }

    /// All of it, in units of about a nanosecond.
    pub fn units(&self) -> u64 {
        let parts = self.0.iter().zip(Work::NANOSECONDS);
        parts.map(|(count, each)| count * each).sum()
    }
}
