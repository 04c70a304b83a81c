//! Inprocessing: rounds of simplification in the midst of a search (Järvisalo, Heule and Biere, "Inprocessing Rules",
//! IJCAR 2012). What they do can pay only if the search goes on for long, so the first comes after many conflicts of one
//! solve, and the next ones at growing distances: small queries, however many, never see one. Each technique works
//! within a share of the propagation that the search did since the round before. A round takes place at level 0 and so
//! gives up the trail, which is soon rebuilt.
//!
//! Eliminating variables is not among the techniques. Sums and majorities are single gates in our encodings: when it was
//! tried, few variables could go, and searches without them were not shorter.

use crate::Cdcl;
use crate::lit::Lit;
use crate::propagate::{FUEL, Propagation};
use crate::solve::Search;

/// When rounds take place, in all solves of an engine.
pub(crate) struct Inprocessing {
    /// Conflicts of a solve before its first round, and at first between two rounds.
    interval: u64,
    /// Whether a technique may work for as long as it likes.
    is_unbounded: bool,
}

impl Default for Inprocessing {
    fn default() -> Inprocessing {
        Inprocessing {
            interval: 10_000,
            is_unbounded: false,
        }
    }
}

/// When the next round of a solve is due.
pub(crate) struct Rounds {
    /// At this many conflicts of the solve.
    at_conflicts: u64,
    interval: u64,
    /// What had been propagated when the last round, or the solve, began its search.
    propagations: u64,
}

impl Cdcl {
    /// Rounds with every conflict, without bounds: for tests.
    #[doc(hidden)]
    pub fn inprocess_eagerly(&mut self) {
        self.inprocessing = Inprocessing {
            interval: 1,
            is_unbounded: true,
        };
    }

    /// The rounds of a solve that begins.
    pub(crate) fn rounds(&self) -> Rounds {
        Rounds {
            at_conflicts: self.inprocessing.interval,
            interval: self.inprocessing.interval,
            propagations: self.stats.propagations,
        }
    }

    pub(crate) fn wants_round(&self, search: &Search<'_>) -> bool {
        search.conflicts >= search.rounds.at_conflicts
    }

    /// One round, at level 0, with everything propagated. May find that the clauses are contradictory.
    pub(crate) fn inprocess(&mut self, search: &mut Search<'_>) {
        debug_assert_eq!(self.trail.depth(), 0);
        self.stats.rounds += 1;
        self.sweep();
        self.vivify(search);
        if !self.refuted {
            self.subsume(search);
        }
        let rounds = &mut search.rounds;
        rounds.interval += rounds.interval / 2;
        rounds.at_conflicts = search.conflicts + rounds.interval;
        rounds.propagations = self.stats.propagations;
    }

    /// What `percent` of the propagation since the last round comes to.
    pub(crate) fn share_of_search(&self, percent: u64, search: &Search<'_>) -> u64 {
        if self.inprocessing.is_unbounded {
            return u64::MAX;
        }
        (self.stats.propagations - search.rounds.propagations) * percent / 100
    }

    /// Propagates at level 0, to the end. Finds out whether the clauses are contradictory.
    pub(crate) fn propagate_facts(&mut self) {
        debug_assert_eq!(self.trail.depth(), 0);
        loop {
            match self.propagate() {
                Propagation::Done => break,
                Propagation::Paused => self.fuel = FUEL,
                Propagation::Conflict(_) => {
                    self.refuted = true;
                    break;
                }
            }
        }
        self.trail.forget_root_reasons();
    }

    /// Notes a clause that follows from those before, where somebody wants to know.
    pub(crate) fn trace(&mut self, clause: &[Lit]) {
        if let Some(trace) = &mut self.trace {
            trace.push(clause.into());
        }
    }
}
