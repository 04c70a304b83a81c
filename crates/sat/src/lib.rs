//! An incremental SAT engine for streams of small, related queries under assumptions, with the
//! occasional hard one among them.
//!
//! A symbolic execution engine asks thousands of questions a second about one growing set of
//! definitions: the same path condition again with one branch more, or with the last branch flipped.
//! So here a solve costs what *differs* from the one before. The trail outlives the solve
//! (`solve.rs`), clauses go in force under any trail without starting over (`install.rs`,
//! `trail.rs`), and decisions are made only on the variables a query is about (`decide.rs`). What helps only
//! hard queries waits until one has shown to be hard (`inprocess.rs`).
//!
//! [`Engine`] is the interface; [`Cdcl`] is the engine. A [`Theory`] can sit beside the clauses: it sees the
//! trail as the search goes, answers in lemmas, and has the last word on every model (`consult.rs`). With the
//! feature `batsat`, `Batsat` is the batsat crate behind the same interface, to compare with.
//!
//! This crate does not know what its variables stand for: terms are somebody else's business. It does no
//! input or output, and starts no threads.
//!
//! ```
//! use refrain_sat::{Cdcl, Engine, Outcome, Query};
//!
//! let mut engine = Cdcl::new();
//! let (a, b) = (engine.new_var().positive(), engine.new_var().positive());
//! engine.add_clause(&[a, b]);
//! assert_eq!(engine.solve(Query::new(&[!a])), Outcome::Sat);
//! assert_eq!(engine.value(b), Some(true));
//! assert_eq!(engine.solve(Query::new(&[!b, !a])), Outcome::Unsat);
//! assert_eq!(engine.failed().len(), 2);
//! ```

mod analyze;
mod arena;
#[cfg(feature = "batsat")]
mod batsat;
mod consult;
mod decide;
mod engine;
mod inprocess;
mod install;
mod invariants;
mod lit;
mod propagate;
mod reduce;
mod restart;
mod solve;
mod subsume;
mod theory;
mod trail;
mod vivify;
mod watch;

#[cfg(feature = "batsat")]
pub use crate::batsat::Batsat;
pub use crate::engine::{
    ConflictHook, Engine, Limits, Outcome, Query, Stats, StopReason, TrailView,
};
pub use crate::lit::{Lit, Var};
pub use crate::theory::{Completion, Lemmas, Theory};

/// The native engine: conflict-driven clause learning over a trail that outlives the solve.
#[derive(Default)]
pub struct Cdcl {
    trail: trail::Trail,
    arena: arena::Arena,
    watches: watch::Watches,
    /// Learned clauses of three literals or more.
    learned: Vec<arena::ClauseRef>,
    order: decide::Order,
    scratch: analyze::Scratch,
    pace: restart::Pace,
    forgetting: reduce::Forgetting,
    inprocessing: inprocess::Inprocessing,
    stats: Stats,
    /// The clause being added.
    adding: Vec<Lit>,
    /// What the theory says, call by call.
    lemmas: theory::Lemmas,
    /// The failed assumptions of the last solve.
    failed: Vec<Lit>,
    /// How many of the lowest levels belong to assumptions of the current query.
    assumed: u32,
    /// Propagation left until the next look at the limits.
    fuel: i64,
    /// Facts found above level 0 since the last sweep.
    facts_waiting: usize,
    /// Whether the clauses alone are contradictory.
    refuted: bool,
    /// Whether the trail is the model of the last solve.
    model: bool,
    /// The learned clauses, in their order, where somebody wants them.
    trace: Option<Vec<Box<[Lit]>>>,
}

impl Cdcl {
    /// An engine without variables or clauses.
    pub fn new() -> Cdcl {
        Cdcl::default()
    }

    /// From here on, learned and shortened clauses are kept for [`Cdcl::learned_clauses`]. Each follows by unit
    /// propagation from the clauses that were added and those kept before it, and so does the contradiction from all of
    /// them.
    pub fn trace_learning(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// What was learned since [`Cdcl::trace_learning`], in its order; also what is forgotten.
    pub fn learned_clauses(&self) -> &[Box<[Lit]>] {
        self.trace.as_deref().unwrap_or_default()
    }
}

impl Engine for Cdcl {
    fn new_var(&mut self) -> Var {
        let var = Var::from_index(self.num_vars());
        self.trail.grow();
        self.watches.grow();
        self.order.grow();
        self.scratch.grow();
        var
    }

    fn num_vars(&self) -> usize {
        self.trail.phases.len()
    }

    /// Keeps the trail, and with it the model, unless the clause is false under it.
    fn add_clause(&mut self, clause: &[Lit]) {
        if self.refuted {
            return;
        }
        let mut lits = std::mem::take(&mut self.adding);
        lits.clear();
        lits.extend_from_slice(clause);
        if self.normalize(&mut lits) {
            self.facts_waiting += usize::from(lits.len() == 1);
            self.install(&mut lits, None);
        }
        self.adding = lits;
    }

    fn solve(&mut self, query: Query<'_>) -> Outcome {
        self.run(query)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        match self.trail.values[lit.index()] {
            _ if !self.model => None,
            0 => None,
            value => Some(value > 0),
        }
    }

    fn failed(&self) -> &[Lit] {
        &self.failed
    }

    fn set_phase(&mut self, var: Var, value: bool) {
        self.trail.phases[var.index()] = value;
    }

    fn stats(&self) -> Stats {
        Stats {
            live_clauses: (self.arena.live() + self.watches.binary) as u64,
            live_learned: self.learned.len() as u64,
            arena_bytes: 4 * self.arena.words() as u64,
            ..self.stats
        }
    }
}
