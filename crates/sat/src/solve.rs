//! The search, as a ladder of named steps, and what one solve keeps for the next. The trail stays
//! when a solve ends. The next one backtracks only to the first assumption that differs, and not at
//! all if the assignment left behind already answers it. (Keeping the part of the trail that would be
//! rebuilt is van der Tak, Ramos and Heule's idea for restarts, JSAT 2011; Hickey and Bacchus, SAT 2019,
//! apply it to assumptions.)

use crate::Cdcl;
use crate::decide::Asked;
use crate::engine::{Limits, Outcome, Query, StopReason};
use crate::inprocess::Rounds;
use crate::lit::Lit;
use crate::propagate::{Conflict, FUEL, Propagation};

/// What one solve carries around.
pub(crate) struct Search<'a> {
    pub query: Query<'a>,
    pub asked: Asked<'a>,
    /// What the theory wants to be decided next.
    pub branch: Option<Lit>,
    pub conflicts: u64,
    pub rounds: Rounds,
}

/// What to do once nothing is left to propagate.
enum Step {
    Assume(Lit),
    Decide(Lit),
    /// All assumptions hold, and everything that was asked for is assigned.
    Confirm,
    /// The next assumption is false.
    Refuse,
}

impl Search<'_> {
    pub fn out_of_time(&self) -> Option<StopReason> {
        self.query.limits.reached(self.conflicts)
    }

    pub fn out_of_conflicts(&self) -> bool {
        let limit: Limits<'_> = self.query.limits;
        limit.conflicts.is_some_and(|limit| self.conflicts > limit)
    }
}

impl Cdcl {
    pub(crate) fn run(&mut self, query: Query<'_>) -> Outcome {
        self.stats.solves += 1;
        self.failed.clear();
        let had_model = std::mem::replace(&mut self.model, false);
        if self.refuted {
            return Outcome::Unsat;
        }
        let mut search = Search {
            asked: Asked::new(query.decide),
            branch: None,
            query,
            conflicts: 0,
            rounds: self.rounds(),
        };
        if let Some(reason) = search.out_of_time() {
            return Outcome::Unknown(reason);
        }
        let outcome = self.answer(&mut search, had_model);
        self.model = outcome == Outcome::Sat;
        outcome
    }

    fn answer(&mut self, search: &mut Search<'_>, had_model: bool) -> Outcome {
        self.fuel = FUEL;
        self.pace.begin();
        match search.query.decide {
            None => self.order.begin_everything(&self.trail),
            Some(_) => self.order.begin_some(),
        }
        if had_model && self.model_still_answers(search) {
            self.stats.reused_models += 1;
            return Outcome::Sat;
        }
        if self.refuted {
            return Outcome::Unsat;
        }
        self.align(search.query.assumptions);
        for &var in search.query.decide.unwrap_or(&[]) {
            self.order.ask(var, &self.trail);
        }
        self.search(search)
    }

    /// The main loop.
    fn search(&mut self, search: &mut Search<'_>) -> Outcome {
        loop {
            match self.propagate() {
                Propagation::Conflict(conflict) => {
                    if self.learn(conflict, search) {
                        return Outcome::Unsat;
                    }
                    if search.out_of_conflicts() {
                        return Outcome::Unknown(StopReason::Conflicts);
                    }
                }
                Propagation::Paused => {
                    self.fuel = FUEL;
                    if let Some(reason) = search.out_of_time() {
                        return Outcome::Unknown(reason);
                    }
                }
                Propagation::Done if self.has_news(search) => {
                    if let Some(outcome) = self.tell_theory(search) {
                        return outcome;
                    }
                }
                Propagation::Done => {
                    if self.wants_restart() {
                        self.restart();
                    } else if self.wants_reduction() {
                        self.reduce();
                    } else if self.wants_level_0(search) {
                        self.backtrack(0);
                    } else if self.wants_round(search) {
                        self.inprocess(search);
                        if self.refuted {
                            return Outcome::Unsat;
                        }
                    } else if self.wants_sweep() {
                        self.sweep();
                    } else {
                        match self.next_step(search) {
                            Step::Assume(lit) => self.trail.open_level(lit),
                            Step::Decide(lit) => {
                                self.stats.decisions += 1;
                                self.trail.open_level(lit);
                            }
                            Step::Confirm => {
                                if let Some(outcome) = self.confirm(search) {
                                    return outcome;
                                }
                            }
                            Step::Refuse => return Outcome::Unsat,
                        }
                        self.fuel -= 1;
                    }
                }
            }
        }
    }

    /// The next assumption, or the next decision, or what ends the search.
    fn next_step(&mut self, search: &mut Search<'_>) -> Step {
        let level = self.trail.depth() as usize;
        if let Some(&assumption) = search.query.assumptions.get(level) {
            if !self.trail.is_false(assumption) {
                return Step::Assume(assumption);
            }
            self.blame(&[assumption]);
            if !self.failed.contains(&assumption) {
                self.failed.push(assumption);
            }
            return Step::Refuse;
        }
        let branch = search.branch.take();
        if let Some(lit) = branch.filter(|lit| !self.trail.is_assigned(lit.var())) {
            return Step::Decide(lit);
        }
        match self.pick(&mut search.asked) {
            Some(lit) => Step::Decide(lit),
            None => Step::Confirm,
        }
    }

    /// Whether the assignment that the last solve left behind, extended by what was added since,
    /// is an answer to this query. Learns from a conflict that this runs into, and from the theory.
    fn model_still_answers(&mut self, search: &mut Search<'_>) -> bool {
        let assumptions = search.query.assumptions;
        if assumptions.iter().any(|&lit| self.trail.is_false(lit)) {
            return false;
        }
        self.assumed = 0;
        match self.propagate() {
            Propagation::Done => {
                assumptions.iter().all(|&lit| self.trail.is_true(lit))
                    && !search.asked.any_open(&self.trail)
                    && self.confirm(search) == Some(Outcome::Sat)
            }
            Propagation::Conflict(conflict) => {
                self.learn(conflict, search);
                false
            }
            Propagation::Paused => false,
        }
    }

    /// Backtracks to the first difference between the levels of the trail and the assumptions.
    fn align(&mut self, assumptions: &[Lit]) {
        let shared = self.trail.shared_prefix(assumptions);
        self.stats.reused_levels += u64::from(shared);
        self.assumed = assumptions.len() as u32;
        if shared < self.assumed {
            self.backtrack(shared);
        }
    }

    /// Learns from a conflict and backtracks. Returns whether the query is unsat, and then leaves
    /// the failed assumptions.
    pub(crate) fn learn(&mut self, conflict: Conflict, search: &mut Search<'_>) -> bool {
        self.stats.conflicts += 1;
        search.conflicts += 1;
        search.branch = None;
        if let Some(hook) = search.query.on_conflict.as_deref_mut() {
            hook(&self.trail.view(&self.conflict_lits(conflict)));
        }
        let level = self.conflict_level(conflict);
        if level == 0 {
            self.refuted = true;
            return true;
        }
        // Late literals can make a clause false below the top.
        self.backtrack(level);
        let unsat = level <= self.assumed;
        if unsat {
            let lits = self.conflict_lits(conflict);
            self.blame(&lits);
        }
        let lesson = self.analyze(conflict);
        // Not below the assumptions without need: the literal will be late instead.
        let target = lesson.level.max(self.assumed.min(level - 1));
        self.backtrack(target);
        let mut clause = std::mem::take(&mut self.scratch.clause);
        self.stats.learned += 1;
        self.facts_waiting += usize::from(clause.len() == 1);
        self.trace(&clause);
        let for_good = matches!(conflict, Conflict::Lemma { for_good: true });
        self.install(&mut clause, (!for_good).then_some(lesson.lbd));
        self.scratch.clause = clause;
        self.pace.learned(lesson.lbd);
        self.order.decay();
        self.decay_clauses();
        if self.refuted {
            self.failed.clear();
        }
        unsat || self.refuted
    }

    pub(crate) fn backtrack(&mut self, level: u32) {
        let order = &mut self.order;
        self.trail.undo_to(level, |var| order.unassigned(var));
    }

    /// Whether something is to be done at level 0, and we are not there.
    fn wants_level_0(&self, search: &Search<'_>) -> bool {
        self.trail.depth() > 0 && (self.wants_sweep() || self.wants_round(search))
    }

    fn wants_restart(&self) -> bool {
        self.trail.depth() > self.assumed && self.pace.is_due()
    }

    fn restart(&mut self) {
        self.stats.restarts += 1;
        self.pace.restarted();
        self.backtrack(self.assumed);
    }
}
