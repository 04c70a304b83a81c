//! Work, counted: about what look-ups take, the same in every run and on every machine.
//!
//! Gates weigh it against what the solver counts ([`refrain_solver::Solver::work`]), in the same units of about a
//! nanosecond.

/// What is counted.
#[derive(Clone, Copy)]
pub enum Kind {
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
    Column,
    /// Entries that came from a store.
    Entry,
}

/// How much of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work([u64; Work::NANOSECONDS.len()]);

impl Work {
    /// By kind: about how many nanoseconds it takes, as a fit to recorded look-ups says.
    const NANOSECONDS: [u64; 8] = [400, 30, 6, 30, 15, 2_500, 25, 3_000];

    pub fn note(&mut self, kind: Kind, count: u64) {
        self.0[kind as usize] += count;
    }

    /// All of it, in units of about a nanosecond.
    pub fn units(&self) -> u64 {
        let parts = self.0.iter().zip(Work::NANOSECONDS);
        parts.map(|(count, each)| count * each).sum()
    }
}
