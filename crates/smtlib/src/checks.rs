//! The solver, and its last answer while nothing has changed since.

use std::time::Instant;

use refrain_prove::NotProved;
use refrain_solver::{CheckResult, Effort, Limits, Outcome, Query, Reason, Solver, Wants};
use refrain_term::{Assignment, Evaluator, Term, Terms};

use crate::config::Config;
use crate::error::{Failure, Result};
use crate::options::Options;

/// What `check-sat-assuming` assumes, as it was written.
pub(crate) type Assumptions = Vec<(Term, Box<[u8]>)>;

struct LastCheck {
    result: CheckResult,
    assumptions: Assumptions,
}

pub(crate) struct Checks {
    solver: Box<dyn Solver>,
    config: Config,
    last: Option<LastCheck>,
}

impl Checks {
    pub fn new(solver: Box<dyn Solver>, config: Config) -> Checks {
        Checks {
            solver,
            config,
            last: None,
        }
    }

    pub fn push(&mut self) {
        self.solver.push();
    }

    pub fn pop(&mut self, levels: usize) {
        self.solver.pop(levels);
    }

    pub fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.solver.assert(terms, formula);
    }

    pub fn reset(&mut self) {
        self.solver.reset();
    }

    /// Asks the solver, with everything it may be stopped by.
    pub fn ask(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        options: &Options,
        started: Instant,
    ) -> Outcome {
        let deadline = self.deadline(options, started);
        let conflicts = Some(options.resource_limit).filter(|&limit| limit != 0);
        let wants = Wants {
            core: options.produce_unsat_cores || options.produce_unsat_assumptions,
            partial_solutions: self.config.partial_solutions.unwrap_or(0),
        };
        let solver = &mut self.solver;
        self.config.interrupt.during(|stop| {
            let limits = &Limits {
                deadline,
                stop: Some(stop),
                conflicts,
            };
            let query = Query {
                assumptions,
                limits,
                wants,
            };
            solver.check(terms, &query)
        })
    }

    /// When what has started is to be over.
    fn deadline(&self, options: &Options, started: Instant) -> Option<Instant> {
        let limits = [self.config.max_time, options.timeout];
        let limit = limits.into_iter().flatten().min();
        limit.and_then(|limit| started.checked_add(limit))
    }

    /// Looks for a proof. It may take as long as a check, and is stopped as one is.
    pub fn prove(
        &self,
        problem: refrain_proof::Problem,
        options: &Options,
    ) -> std::result::Result<refrain_prove::Proof, NotProved> {
        let deadline = self.deadline(options, Instant::now());
        self.config.interrupt.during(|stop| {
            let stop = Some(&*stop);
            refrain_prove::prove(problem, refrain_prove::Limits { deadline, stop })
        })
    }

    /// Whether the last answer is `unsat`.
    pub fn is_unsat(&self) -> bool {
        matches!(self.result(), Some(CheckResult::Unsat(_)))
    }

    /// An assertion or assumption that a model does not satisfy, where models are to be checked.
    pub fn violated(
        &self,
        terms: &Terms,
        result: &CheckResult,
        formulas: impl Iterator<Item = Term>,
    ) -> Option<Term> {
        let CheckResult::Sat(model) = result else {
            return None;
        };
        if !self.config.check_models {
            return None;
        }
        let mut evaluator = Evaluator::new();
        let mut formulas = formulas;
        formulas.find(|&formula| !evaluator.bool(terms, model, formula))
    }

    /// What the script announced, where that matters and is not the result.
    pub fn announced_otherwise(
        &self,
        announced: Option<bool>,
        result: &CheckResult,
    ) -> Option<&'static str> {
        match (announced, result) {
            _ if !self.config.check_status => None,
            (Some(false), CheckResult::Sat(_)) => Some("unsat"),
            (Some(true), CheckResult::Unsat(_)) => Some("sat"),
            _ => None,
        }
    }

    // The last check.

    /// Something changes: models and cores are gone.
    pub fn forget(&mut self) {
        self.last = None;
    }

    pub fn keep(&mut self, result: CheckResult, assumptions: Assumptions) {
        self.last = Some(LastCheck {
            result,
            assumptions,
        });
    }

    fn result(&self) -> Option<&CheckResult> {
        self.last.as_ref().map(|check| &check.result)
    }

    /// The model of the last check, for the command at this place.
    pub fn model(&self, at: usize) -> Result<&Assignment> {
        match self.result() {
            Some(CheckResult::Sat(model)) => Ok(model),
            _ => Err(Failure::new(at, "model is not available")),
        }
    }

    /// The core of the last check, for the command at this place, and what was assumed.
    pub fn core(&self, at: usize) -> Result<(&[Term], &Assumptions)> {
        match &self.last {
            Some(LastCheck {
                result: CheckResult::Unsat(conflict),
                assumptions,
            }) => Ok((&conflict.core, assumptions)),
            _ => Err(Failure::new(at, "unsat core is not available")),
        }
    }

    /// Why the last check is unknown, if it is.
    pub fn reason_unknown(&self) -> Option<&Reason> {
        match self.result() {
            Some(CheckResult::Unknown(reason)) => Some(reason),
            _ => None,
        }
    }

    /// Whether the last check found that answers cannot be relied on: nothing is to be asked after that.
    pub fn disagrees(&self) -> bool {
        matches!(self.reason_unknown(), Some(Reason::Disagreement(_)))
    }

    pub fn effort(&self) -> Option<Effort> {
        self.solver.effort()
    }
}
