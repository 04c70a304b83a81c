//! The interface every engine implements, and the plain data that crosses it. An engine holds a
//! growing set of clauses; a query asks whether they can hold together with some assumed
//! literals. Nothing here knows how the search works.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::lit::{Lit, Var};
use crate::theory::Theory;

/// An incremental SAT engine.
pub trait Engine {
    /// Makes a fresh variable.
    fn new_var(&mut self) -> Var;

    /// How many variables exist.
    fn num_vars(&self) -> usize;

    /// Adds a clause, for good. It may repeat literals or be a tautology; the empty clause makes
    /// every later query unsat. Its variables must exist. Allowed at any time between solves.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Asks whether the clauses and the assumptions of `query` can hold together.
    fn solve(&mut self, query: Query<'_>) -> Outcome;

    /// The value of `lit` in the model of the last solve, if that said [`Outcome::Sat`]; `None`
    /// for what the model leaves open. The model lasts until the next `solve`, or until an
    /// `add_clause` (from then on an engine may answer `None` or keep answering the old values).
    ///
    /// With [`Query::decide`] given, the values of those variables, and of gates all of whose
    /// inputs are among them, are a model; whatever else has a value is a guess.
    fn value(&self, lit: Lit) -> Option<bool>;

    /// After [`Outcome::Unsat`]: assumptions of that query that cannot hold together, without
    /// repetition; not always the fewest. Empty when the clauses alone are contradictory.
    fn failed(&self) -> &[Lit];

    /// Which way `var` is tried first when the search next decides on it. The search overwrites
    /// this with the last value the variable had.
    fn set_phase(&mut self, var: Var, value: bool);

    /// Counters since the engine was made.
    fn stats(&self) -> Stats;
}

/// One question to an engine. `Query::default()` asks about the clauses alone, without limits.
#[derive(Default)]
pub struct Query<'a> {
    /// Literals taken to be true for this query only. An engine that keeps its trail profits when
    /// successive queries agree on a long *prefix*, so put what changes least first.
    pub assumptions: &'a [Lit],
    /// Variables that must be assigned before the answer can be "sat"; `None` means all of them.
    ///
    /// With `Some`, the caller promises that the clauses are total definitions (Tseitin gates):
    /// once these variables are assigned without conflict, everything the query is about follows
    /// by propagation, and the rest is irrelevant. The engine then decides only on these
    /// variables and on those met in conflict analysis since this solve began.
    pub decide: Option<&'a [Var]>,
    /// When to give up.
    pub limits: Limits<'a>,
    /// Sees the assignment at each conflict, before the search backtracks. Costs nothing when
    /// `None`.
    pub on_conflict: Option<ConflictHook<'a>>,
    /// What has to agree beside the clauses. Costs nothing when `None`.
    pub theory: Option<&'a mut dyn Theory>,
}

/// What [`Query::on_conflict`] holds.
pub type ConflictHook<'a> = &'a mut (dyn FnMut(&TrailView<'_>) + 'a);

impl<'a> Query<'a> {
    /// A query under `assumptions` that decides on every variable and has no limits.
    pub fn new(assumptions: &'a [Lit]) -> Query<'a> {
        Query {
            assumptions,
            ..Query::default()
        }
    }

    /// The same query with [`Query::decide`] set.
    pub fn deciding(mut self, vars: &'a [Var]) -> Query<'a> {
        self.decide = Some(vars);
        self
    }

    /// The same query with limits.
    pub fn within(mut self, limits: Limits<'a>) -> Query<'a> {
        self.limits = limits;
        self
    }

    /// The same query with a conflict hook.
    pub fn watching(mut self, hook: ConflictHook<'a>) -> Query<'a> {
        self.on_conflict = Some(hook);
        self
    }

    /// The same query with a theory.
    pub fn with(mut self, theory: &'a mut dyn Theory) -> Query<'a> {
        self.theory = Some(theory);
        self
    }
}

/// When to give up on a query. The default is never.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// How many conflicts to survive: the search gives up at the one after. `Some(0)` is
    /// propagation and lucky guesses only.
    pub conflicts: Option<u64>,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Stops the search soon after another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    /// The first limit that is reached after `conflicts` conflicts, now.
    pub fn reached(&self, conflicts: u64) -> Option<StopReason> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            Some(StopReason::Interrupted)
        } else if self.conflicts.is_some_and(|limit| conflicts > limit) {
            Some(StopReason::Conflicts)
        } else if self.deadline.is_some_and(|at| Instant::now() >= at) {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }
}

/// The answer to a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Clauses and assumptions hold together; see [`Engine::value`].
    Sat,
    /// They cannot hold together; see [`Engine::failed`].
    Unsat,
    /// A limit was reached first, or the theory gave up. The engine stays usable, and keeps what it learned.
    Unknown(StopReason),
}

/// What ended a solve without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// [`Limits::conflicts`].
    Conflicts,
    /// [`Limits::deadline`].
    Deadline,
    /// [`Limits::stop`].
    Interrupted,
    /// [`Completion::GiveUp`](crate::Completion::GiveUp).
    Theory,
}

/// Counters of an engine, over all its solves. `live_*` and `arena_bytes` are current sizes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Calls of `solve`.
    pub solves: u64,
    /// Solves answered by the assignment that the solve before left behind.
    pub reused_models: u64,
    /// Assumption levels kept from the solve before, summed.
    pub reused_levels: u64,
    /// Decisions, not counting assumptions.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
    /// Conflicts met.
    pub conflicts: u64,
    /// Restarts.
    pub restarts: u64,
    /// Clauses learned, units and binary clauses included.
    pub learned: u64,
    /// Learned clauses deleted again.
    pub deleted: u64,
    /// Times the learned clauses were reduced.
    pub reductions: u64,
    /// Times satisfied clauses were swept out.
    pub simplifications: u64,
    /// Rounds of inprocessing.
    pub rounds: u64,
    /// Clauses that vivification tried.
    pub vivification_tries: u64,
    /// Clauses that it shortened.
    pub vivified: u64,
    /// Clauses removed because another one says as much.
    pub subsumed: u64,
    /// Literals removed by self-subsuming resolution.
    pub strengthened: u64,
    /// Calls of the theory.
    pub theory_calls: u64,
    /// Clauses that the theory gave.
    pub lemmas: u64,
    /// Clauses in force, other than units.
    pub live_clauses: u64,
    /// Learned clauses of three literals or more in force.
    pub live_learned: u64,
    /// Bytes of clause memory.
    pub arena_bytes: u64,
}

/// The assignment, as [`Query::on_conflict`] and [`Query::theory`] see it.
pub struct TrailView<'a> {
    pub(crate) values: &'a [i8],
    pub(crate) trail: &'a [Lit],
    pub(crate) conflict: &'a [Lit],
}

impl<'a> TrailView<'a> {
    /// The value of `lit`, or `None` if its variable is unassigned.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values.get(lit.index()) {
            Some(1) => Some(true),
            Some(-1) => Some(false),
            _ => None,
        }
    }

    /// The true literals, in the order they were assigned.
    pub fn trail(&self) -> &'a [Lit] {
        self.trail
    }

    /// At a conflict, the clause all of whose literals are false. Literals that are false for good may be
    /// left out, and engines that cannot tell leave it empty.
    pub fn conflict(&self) -> &'a [Lit] {
        self.conflict
    }
}
