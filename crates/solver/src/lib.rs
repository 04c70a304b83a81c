//! Solvers: what decides whether assertions can hold together.
//!
//! One trait, [`Solver`], for the native solver, for solver processes that speak SMT-LIB, and for the portfolio of
//! several. A solver knows nothing of caches and programs; a wrapped solver is still a solver.

pub mod native;
mod outcome;
pub mod portfolio;
pub mod process;
pub mod select;

use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use refrain_term::{Assignment, Term, Terms};

pub use refrain_path::{Limits, PartialSolution, Reason};

pub use native::Engine;
pub use outcome::{CheckResult, Conflict, Outcome, Query, Wants};

/// Whether a query can be satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Sat,
    Unsat,
    /// Not decided, and why. Never to be taken for an answer.
    Unknown(Reason),
}

/// Counts of what a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub partial_solutions: u64,
}

impl Stats {
    /// Counts one more check.
    pub fn record(&mut self, verdict: &Verdict) {
        self.checks += 1;
        match verdict {
            Verdict::Sat => self.sat += 1,
            Verdict::Unsat => self.unsat += 1,
            Verdict::Unknown(_) => self.unknown += 1,
        }
    }
}

/// What answered how many checks, what reached a solver, and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// By layer, in order.
    pub answered_by: Vec<(&'static str, u64)>,
    /// What the solver itself was asked.
    pub solver: Stats,
    pub lookup: Duration,
    /// Of that, by layer.
    pub layers: Vec<(&'static str, Duration)>,
    pub solve: Duration,
    pub store: Duration,
    /// Entries that came from a store, and that went there.
    pub store_hits: u64,
    pub store_written: u64,
    /// Earlier answers that were forgotten for want of memory.
    pub evicted: u64,
}

impl Effort {
    /// Adds what another solver did.
    pub fn add(&mut self, other: &Effort) {
        add_by_name(&mut self.answered_by, &other.answered_by);
        add_by_name(&mut self.layers, &other.layers);
        self.solver.checks += other.solver.checks;
        self.solver.sat += other.solver.sat;
        self.solver.unsat += other.solver.unsat;
        self.solver.unknown += other.solver.unknown;
        self.solver.partial_solutions += other.solver.partial_solutions;
        self.lookup += other.lookup;
        self.solve += other.solve;
        self.store += other.store;
        self.store_hits += other.store_hits;
        self.store_written += other.store_written;
        self.evicted += other.evicted;
    }
}

fn add_by_name<T: Copy + AddAssign>(sums: &mut Vec<(&'static str, T)>, more: &[(&'static str, T)]) {
    for &(name, value) in more {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += value,
            None => sums.push((name, value)),
        }
    }
}

/// Decides assertions on a stack, under assumptions.
///
/// All terms belong to the one arena that every call is given.
pub trait Solver {
    /// The name it is chosen by on the command line.
    fn name(&self) -> &str;

    fn push(&mut self);

    /// Takes back the assertions of the last `levels` pushes.
    fn pop(&mut self, levels: usize);

    /// Adds a formula (a term of sort Bool) to the top of the stack.
    fn assert(&mut self, terms: &mut Terms, formula: Term);

    /// Whether the assertions hold together with the assumptions of the query, and what goes with the answer.
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome;

    /// Proposes an assignment to start from, because the next check is about another path than the last one, and this
    /// satisfies most of it. Nothing is believed of it: it changes how soon an answer is found and which model, never
    /// a verdict.
    fn suggest(&mut self, _terms: &Terms, _model: &Arc<Assignment>) {}

    /// What decides slices of a path, if the solver is that and a path of its own: for whoever follows the assertions
    /// already.
    fn take_engine(&mut self) -> Option<Engine> {
        None
    }

    /// Back to the state of a new solver: no assertions, no levels. What it knows of terms may stay, so that it belongs
    /// to their arena all the same, unless it says otherwise.
    fn reset(&mut self);

    fn stats(&self) -> Stats;

    /// What it has done so far, counted in units that take about a nanosecond: the same on every machine, which no
    /// clock is. `None` if it does not count.
    fn work(&self) -> Option<u64> {
        None
    }

    /// Where the answers came from, if there is more than one place.
    fn effort(&self) -> Option<Effort> {
        None
    }
}
