//! Work, counted: about what a check takes, the same in every run and on every machine.
//!
//! Whoever weighs asking the solver against something else needs to know what asking costs. A clock knows best, and
//! gives another answer each time; decisions that results depend on go by these counts instead.

/// What is counted.
#[derive(Clone, Copy)]
pub enum Kind {
    Check,
    /// Conjuncts of assertions that were new, to be simplified and noted.
    TakenApart,
    /// Atoms that became active.
    Activated,
    /// Atoms that were evaluated one by one.
    Evaluated,
    /// Batches of values that were tried on atoms, and atoms times values in these.
    Batch,
    Column,
    /// Terms that were encoded.
    Encoded,
    /// Questions to the engine, and terms that these were about.
    Question,
    Cone,
    Propagation,
    Conflict,
    /// Entries of the tableau that pivots changed.
    Entry,
}

/// How much of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work([u64; Work::NANOSECONDS.len()]);

impl Work {
    /// By kind: about how many nanoseconds it takes, as a fit to recorded checks says.
    const NANOSECONDS: [u64; 12] = [
        2_000, 600, 150, 25, 2_500, 8, 700, 4_000, 60, 180, 3_000, 45,
    ];

    pub fn note(&mut self, kind: Kind, count: usize) {
        self.0[kind as usize] += count as u64;
    }

    /// All of it, in units of about a nanosecond.
    pub fn units(&self) -> u64 {
        let parts = self.0.iter().zip(Work::NANOSECONDS);
        parts.map(|(count, each)| count * each).sum()
    }
}
