//! What answered how many queries, and how long it took.

use std::time::Duration;

use refrain_solver::{Effort, Stats, Verdict};

/// The layer that an answer came from; of a query in several parts, the last in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AnsweredBy {
    Fold,
    Model,
    Reduce,
    Exact,
    Subset,
    Superset,
    ImpliedUnsat,
    ImpliedSat,
    QuickTest,
    Solver,
}

impl AnsweredBy {
    pub const ALL: [AnsweredBy; 10] = [
        AnsweredBy::Fold,
        AnsweredBy::Model,
        AnsweredBy::Reduce,
        AnsweredBy::Exact,
        AnsweredBy::Subset,
        AnsweredBy::Superset,
        AnsweredBy::ImpliedUnsat,
        AnsweredBy::ImpliedSat,
        AnsweredBy::QuickTest,
        AnsweredBy::Solver,
    ];

    /// The name that statistics have it under.
    pub fn name(self) -> &'static str {
        match self {
            AnsweredBy::Fold => "fold",
            AnsweredBy::Model => "model",
            AnsweredBy::Reduce => "reduce",
            AnsweredBy::Exact => "exact",
            AnsweredBy::Subset => "subset",
            AnsweredBy::Superset => "superset",
            AnsweredBy::ImpliedUnsat => "implied_unsat",
            AnsweredBy::ImpliedSat => "implied_sat",
            AnsweredBy::QuickTest => "quick_test",
            AnsweredBy::Solver => "solver",
        }
    }
}

/// A layer that takes its time, and is timed by itself. The others take less than looking at the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    Repair,
    Reduce,
    Canonize,
    Sets,
    Renaming,
    QuickTest,
    Fetch,
}

impl Layer {
    pub const ALL: [Layer; 7] = [
        Layer::Repair,
        Layer::Reduce,
        Layer::Canonize,
        Layer::Sets,
        Layer::Renaming,
        Layer::QuickTest,
        Layer::Fetch,
    ];

    /// The name that statistics have it under.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Repair => "repair",
            Layer::Reduce => "reduce",
            Layer::Canonize => "canonize",
            Layer::Sets => "sets",
            Layer::Renaming => "renaming",
            Layer::QuickTest => "quick_test",
            Layer::Fetch => "fetch",
        }
    }
}

/// What asking the solver is taken to take before it was asked, as counted work.
const UNKNOWN_SOLVING: u64 = 50_000;

/// Counts and times of a chain.
#[derive(Clone, Debug, Default)]
pub struct ChainStats {
    /// Of the chain's own answers.
    pub total: Stats,
    /// Of the solver's.
    pub solver: Stats,
    answered_by: [u64; AnsweredBy::ALL.len()],
    took: [Duration; Layer::ALL.len()],
    /// What the solver has done, counted.
    solving: u64,
    pub partial_solutions: u64,
    pub lookup: Duration,
    pub solve: Duration,
    pub store: Duration,
    /// Answers that chains of other threads had found.
    pub shared_hits: u64,
    /// Entries that came from the store, and that went there.
    pub store_hits: u64,
    pub store_written: u64,
    /// Answers and solutions that were forgotten to stay within the bound.
    pub evicted: u64,
}

impl ChainStats {
    pub(crate) fn count(&mut self, by: AnsweredBy) {
        self.answered_by[by as usize] += 1;
    }

    pub fn answered_by(&self, by: AnsweredBy) -> u64 {
        self.answered_by[by as usize]
    }

    /// Notes what a layer took.
    pub(crate) fn took(&mut self, layer: Layer, time: Duration) {
        self.took[layer as usize] += time;
    }

    /// What asking the solver takes, on average, as counted work.
    pub(crate) fn mean_solving(&self) -> u64 {
        let mean = self.solving.checked_div(self.solver.checks);
        mean.unwrap_or(UNKNOWN_SOLVING)
    }

    pub(crate) fn effort(&self) -> Effort {
        let counts = AnsweredBy::ALL.map(|by| (by.name(), self.answered_by(by)));
        let took = Layer::ALL.map(|layer| (layer.name(), self.took[layer as usize]));
        Effort {
            answered_by: counts.to_vec(),
            layers: took.to_vec(),
            solver: Stats {
                partial_solutions: self.partial_solutions,
                ..self.solver
            },
            lookup: self.lookup,
            solve: self.solve,
            store: self.store,
            store_hits: self.store_hits,
            store_written: self.store_written,
            evicted: self.evicted,
        }
    }

    /// Notes an answer of the solver: what it took, by the clock and counted.
    pub(crate) fn solved(&mut self, verdict: &Verdict, time: Duration, work: u64) {
        self.solver.record(verdict);
        self.solve += time;
        self.solving += work;
    }
}
