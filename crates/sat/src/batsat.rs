//! The batsat crate (MiniSat 2.2 in Rust, with theories) behind the same interface, so that the two
//! engines can be compared and held against each other. Differences: it decides on every variable,
//! whatever [`Query::decide`] says; it starts each solve from level 0; phases cannot be set; and
//! limits are looked at once a decision, not inside propagation. Its theory interface is not told of
//! conflicts, so the hook sees the assignment as it was when propagation last came to rest before the
//! conflict, without the conflicting clause. A [`Theory`] is asked about whole models only, in a loop around
//! batsat's search, and sees each of them as if it were the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ::batsat::theory::{Theory as Guest, TheoryArg};
use ::batsat::{Callbacks, ClauseKind, Solver, SolverInterface, lbool};

use crate::engine::{ConflictHook, Engine, Limits, Outcome, Query, Stats, StopReason, TrailView};
use crate::lit::{Lit, Var};
use crate::theory::{Completion, Lemmas, Theory};

type Raw = ::batsat::Lit;

/// batsat as an [`Engine`].
pub struct Batsat {
    solver: Solver<Signals>,
    vars: Vec<::batsat::Var>,
    signals: Arc<Shared>,
    failed: Vec<Lit>,
    model: bool,
    solves: u64,
    refuted: bool,
}

/// What batsat's callbacks and our theory tell each other.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    learned: AtomicU64,
}

#[derive(Default)]
struct Signals(Arc<Shared>);

impl Callbacks for Signals {
    fn on_new_clause(&mut self, _: &[Raw], kind: ClauseKind) {
        if matches!(kind, ClauseKind::Learnt) {
            self.0.learned.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }
}

/// A theory without axioms: it looks at the limits and feeds the hook.
struct Observer<'a> {
    limits: Limits<'a>,
    hook: Option<ConflictHook<'a>>,
    signals: Arc<Shared>,
    levels: usize,
    learned_before: u64,
    learned_seen: u64,
    /// Models that the theory refused: each is a conflict too.
    refused_models: u64,
    values: Vec<i8>,
    trail: Vec<Lit>,
    stopped: Option<StopReason>,
}

impl Observer<'_> {
    fn learned(&self) -> u64 {
        self.signals.learned.load(Ordering::Relaxed)
    }

    fn limit_reached(&self) -> Option<StopReason> {
        let conflicts = self.learned() - self.learned_before + self.refused_models;
        self.limits.reached(conflicts)
    }

    /// Gets ready for a search from level 0.
    fn begin(&mut self, vars: usize) {
        self.levels = 0;
        self.values.resize(2 * vars, 0);
    }
}

impl Guest for Observer<'_> {
    fn final_check(&mut self, _: &mut TheoryArg) {}

    fn create_level(&mut self) {
        self.levels += 1;
    }

    fn pop_levels(&mut self, count: usize) {
        self.levels -= count;
        let learned = self.learned();
        if learned > self.learned_seen {
            self.learned_seen = learned;
            if let Some(hook) = self.hook.as_deref_mut() {
                hook(&TrailView {
                    values: &self.values,
                    trail: &self.trail,
                    conflict: &[],
                });
            }
        }
    }

    fn n_levels(&self) -> usize {
        self.levels
    }

    fn partial_check(&mut self, acts: &mut TheoryArg) {
        self.stopped = self.limit_reached();
        if self.stopped.is_some() {
            self.signals.stop.store(true, Ordering::Relaxed);
        }
        if self.hook.is_some() {
            self.values.fill(0);
            self.trail.clear();
            for raw in acts.model() {
                let lit = from_raw(*raw);
                self.values[lit.index()] = 1;
                self.values[(!lit).index()] = -1;
                self.trail.push(lit);
            }
        }
    }

    fn explain_propagation(&mut self, _: Raw) -> &[Raw] {
        unreachable!("this theory propagates nothing")
    }
}

fn from_raw(raw: Raw) -> Lit {
    Lit::new(Var::from_index(raw.var().idx() as usize), !raw.sign())
}

impl Batsat {
    fn raw(&self, lit: Lit) -> Raw {
        Raw::new(self.vars[lit.var().index()], !lit.is_negative())
    }

    /// One search, without the theory.
    fn search(&mut self, assumptions: &[Lit], observer: &mut Observer<'_>) -> Outcome {
        if self.refuted {
            return Outcome::Unsat;
        }
        observer.begin(self.vars.len());
        let raw: Vec<Raw> = assumptions.iter().map(|&lit| self.raw(lit)).collect();
        let result = self.solver.solve_limited_th(observer, &raw);
        if result == lbool::TRUE {
            self.model = true;
            Outcome::Sat
        } else if result == lbool::FALSE {
            let core = self.solver.unsat_core().iter().copied().map(from_raw);
            self.failed.extend(core.map(|lit| {
                // batsat gives the clause over assumptions or the assumptions, by version.
                if assumptions.contains(&lit) {
                    lit
                } else {
                    !lit
                }
            }));
            self.refuted = self.failed.is_empty();
            Outcome::Unsat
        } else {
            Outcome::Unknown(observer.stopped.unwrap_or(StopReason::Interrupted))
        }
    }

    /// Asks the theory about the model. Returns the answer, or nothing if there is to be another search.
    fn confirm(&mut self, theory: &mut dyn Theory) -> Option<Outcome> {
        let mut lemmas = Lemmas::default();
        lemmas.begin(self.vars.len());
        let (values, trail) = self.whole_model();
        let view = TrailView {
            values: &values,
            trail: &trail,
            conflict: &[],
        };
        let completion = theory.complete(&view, 0, &mut lemmas);
        let is_true = |lit: &Lit| values.get(lit.index()) == Some(&1);
        let mut holds = lemmas.var_count() == self.vars.len();
        while self.vars.len() < lemmas.var_count() {
            self.new_var();
        }
        for (clause, _) in lemmas.clauses() {
            holds &= clause.iter().any(is_true);
            self.add_clause(clause);
        }
        match completion {
            Completion::GiveUp => Some(Outcome::Unknown(StopReason::Theory)),
            _ if !holds => None,
            Completion::Accept => Some(Outcome::Sat),
            Completion::Refine => Some(Outcome::Unknown(StopReason::Theory)),
        }
    }

    /// The values of the model, and the literals it makes true.
    fn whole_model(&self) -> (Vec<i8>, Vec<Lit>) {
        let mut values = vec![0; 2 * self.vars.len()];
        let mut trail = Vec::with_capacity(self.vars.len());
        for index in 0..self.vars.len() {
            let var = Var::from_index(index);
            if let Some(value) = self.value(var.positive()) {
                let lit = Lit::new(var, !value);
                values[lit.index()] = 1;
                values[(!lit).index()] = -1;
                trail.push(lit);
            }
        }
        (values, trail)
    }
}

impl Default for Batsat {
    fn default() -> Batsat {
        let signals = Arc::<Shared>::default();
        Batsat {
            solver: Solver::new(Default::default(), Signals(signals.clone())),
            vars: Vec::new(),
            signals,
            failed: Vec::new(),
            model: false,
            solves: 0,
            refuted: false,
        }
    }
}

impl Engine for Batsat {
    fn new_var(&mut self) -> Var {
        let var = Var::from_index(self.vars.len());
        self.vars.push(self.solver.new_var_default());
        debug_assert_eq!(self.vars[var.index()].idx() as usize, var.index());
        var
    }

    fn num_vars(&self) -> usize {
        self.vars.len()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.model = false;
        if !self.refuted {
            let mut raw: Vec<Raw> = clause.iter().map(|&lit| self.raw(lit)).collect();
            self.refuted = !self.solver.add_clause_reuse(&mut raw);
        }
    }

    fn solve(&mut self, query: Query<'_>) -> Outcome {
        self.solves += 1;
        self.model = false;
        self.failed.clear();
        if self.refuted {
            return Outcome::Unsat;
        }
        self.signals.stop.store(false, Ordering::Relaxed);
        let learned = self.signals.learned.load(Ordering::Relaxed);
        let mut observer = Observer {
            limits: query.limits,
            hook: query.on_conflict,
            signals: self.signals.clone(),
            levels: 0,
            learned_before: learned,
            learned_seen: learned,
            refused_models: 0,
            values: Vec::new(),
            trail: Vec::new(),
            stopped: None,
        };
        let mut theory = query.theory;
        loop {
            let outcome = self.search(query.assumptions, &mut observer);
            let answer = match theory.as_deref_mut() {
                Some(theory) if outcome == Outcome::Sat => self.confirm(theory),
                _ => Some(outcome),
            };
            observer.refused_models += u64::from(answer.is_none());
            let limit = || observer.limit_reached().map(Outcome::Unknown);
            if let Some(outcome) = answer.or_else(limit) {
                self.model = outcome == Outcome::Sat;
                return outcome;
            }
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        if !self.model {
            return None;
        }
        let value = self.solver.value_lit(self.raw(lit));
        if value == lbool::TRUE {
            Some(true)
        } else if value == lbool::FALSE {
            Some(false)
        } else {
            None
        }
    }

    fn failed(&self) -> &[Lit] {
        &self.failed
    }

    /// batsat takes phases only when a variable is made: this does nothing.
    fn set_phase(&mut self, _: Var, _: bool) {}

    fn stats(&self) -> Stats {
        Stats {
            solves: self.solves,
            decisions: self.solver.num_decisions(),
            propagations: self.solver.num_propagations(),
            conflicts: self.solver.num_conflicts(),
            restarts: self.solver.num_restarts(),
            learned: self.signals.learned.load(Ordering::Relaxed),
            live_clauses: self.solver.num_clauses(),
            ..Stats::default()
        }
    }
}
