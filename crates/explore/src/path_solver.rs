//! The solver on the path: its assertion stack follows the trail, from one query to the next by what differs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_solver::{Effort, Limits, Outcome, Query, Solver, Wants};
use refrain_term::{Assignment, OneArena, Term, Terms};

use crate::trail::Trail;

pub struct PathSolver {
    solver: Box<dyn Solver>,
    /// The trails whose last conditions are asserted, one above the other.
    asserted: Vec<Trail>,
    /// By term: how many of them it is.
    present: Vec<u32>,
    limits: Limits,
    per_query: Option<Duration>,
    took: Duration,
    arena: OneArena,
}

impl PathSolver {
    pub fn new(solver: Box<dyn Solver>, limits: Limits, per_query: Option<Duration>) -> PathSolver {
        PathSolver {
            solver,
            asserted: Vec::new(),
            present: Vec::new(),
            limits,
            per_query,
            took: Duration::ZERO,
            arena: OneArena::new(),
        }
    }

    /// Goes on with a solver that knows nothing, in a fresh arena.
    pub fn replace_solver(&mut self, solver: Box<dyn Solver>) {
        self.solver = solver;
        self.asserted.clear();
        self.present.clear();
        self.arena = OneArena::new();
    }

    /// Brings the assertion stack in line with a trail.
    fn follow(&mut self, terms: &mut Terms, trail: &Trail) {
        self.arena.check(terms);
        let mut missing = Vec::new();
        let mut stay = 0;
        for part in trail.prefixes_with_condition() {
            let place = part.conditions() as usize - 1;
            if self
                .asserted
                .get(place)
                .is_some_and(|known| known.is_same(part))
            {
                stay = place + 1;
                break;
            }
            missing.push(part.clone());
        }
        let surplus = self.asserted.len() - stay;
        if surplus > 0 {
            self.solver.pop(surplus);
            for part in self.asserted.drain(stay..) {
                if let Some(node) = part.last() {
                    self.present[node.condition.index()] -= 1;
                }
            }
        }
        for part in missing.into_iter().rev() {
            let condition = part.last().map_or(Term::TRUE, |node| node.condition);
            self.solver.push();
            self.solver.assert(terms, condition);
            self.asserted.push(part);
            if self.present.len() <= condition.index() {
                self.present.resize(terms.len(), 0);
            }
            self.present[condition.index()] += 1;
        }
    }

    /// How many conflicts a query may meet from now on.
    pub fn set_conflict_budget(&mut self, conflicts: u64) {
        self.limits.conflicts = Some(conflicts);
    }

    /// Whether this very condition is part of the path condition.
    pub fn has(&mut self, terms: &mut Terms, trail: &Trail, condition: Term) -> bool {
        self.follow(terms, trail);
        self.present
            .get(condition.index())
            .is_some_and(|&times| times > 0)
    }

    /// Whether a condition is feasible on a path.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        trail: &Trail,
        condition: Term,
        wants: Wants,
    ) -> Outcome {
        self.follow(terms, trail);
        let assumptions = [condition];
        let assumptions = if condition == Term::TRUE {
            &[][..]
        } else {
            &assumptions
        };
        let started = Instant::now();
        let mut ask = |limits: &Limits| {
            let query = Query {
                wants,
                ..Query::new(assumptions, limits)
            };
            self.solver.check(terms, &query)
        };
        let outcome = match self.per_query {
            None => ask(&self.limits),
            Some(longest) => {
                let own = started + longest;
                let mut limits = self.limits.clone();
                limits.deadline = Some(limits.deadline.map_or(own, |deadline| deadline.min(own)));
                ask(&limits)
            }
        };
        self.took += started.elapsed();
        outcome
    }

    /// The next queries are about another path, which this input takes.
    pub fn suggest(&mut self, terms: &Terms, input: &Arc<Assignment>) {
        self.solver.suggest(terms, input);
    }

    /// How long all queries took.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// How many queries there were, and what answered them.
    pub fn effort(&self) -> Effort {
        self.solver.effort().unwrap_or_else(|| {
            let stats = self.solver.stats();
            Effort {
                answered_by: vec![("solver", stats.checks)],
                solver: stats,
                solve: self.took,
                ..Effort::default()
            }
        })
    }
}
