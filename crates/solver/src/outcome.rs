//! What a check is asked, and what it finds out: one value each, so that a solver in front of others passes on all that
//! they found.

use std::sync::Arc;

use refrain_path::PartialSolution;
use refrain_term::{Assignment, Term};

use crate::{Limits, Reason, Verdict};

/// One check: what is assumed beside the assertions, how far the search may go, and what is wanted beside the verdict.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub assumptions: &'a [Term],
    pub limits: &'a Limits,
    pub wants: Wants,
}

/// What is wanted beside the verdict and a model. What is not wanted costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// A small [`Conflict`] if there is one, rather than any.
    pub core: bool,
    /// At most so many partial solutions.
    pub partial_solutions: usize,
}

impl<'a> Query<'a> {
    /// Wants nothing beside the verdict and a model.
    pub fn new(assumptions: &'a [Term], limits: &'a Limits) -> Query<'a> {
        Query {
            assumptions,
            limits,
            wants: Wants::default(),
        }
    }

    pub fn with_core(mut self) -> Query<'a> {
        self.wants.core = true;
        self
    }

    pub fn with_partial_solutions(mut self, most: usize) -> Query<'a> {
        self.wants.partial_solutions = most;
        self
    }
}

/// What a check found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub result: CheckResult,
    /// What the search went through, of input symbols only, whatever the answer is.
    pub partial_solutions: Vec<PartialSolution>,
}

#[derive(Clone, Debug)]
pub enum CheckResult {
    /// An assignment under which all assertions and assumptions are true. Symbols it leaves out may have any value;
    /// evaluation takes zero.
    ///
    /// The solver shares it, and goes on from it at the next check: whoever has dropped it until then saves a copy.
    Sat(Arc<Assignment>),
    Unsat(Conflict),
    /// Not decided, and why. Never to be taken for an answer.
    Unknown(Reason),
}

/// Assertions and assumptions that cannot hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The assumptions among them: they cannot hold together with the assertions. Empty if the assertions alone cannot
    /// hold. Unless a core was [wanted](Wants::core), these may be all assumptions.
    pub core: Vec<Term>,
    /// All of them, if a core was wanted and the solver can tell.
    pub formulas: Option<Vec<Term>>,
}

impl Conflict {
    /// What is known of every query that cannot be satisfied: all of it together is the conflict.
    pub fn of_all(assumptions: &[Term]) -> Conflict {
        Conflict {
            core: assumptions.to_vec(),
            formulas: None,
        }
    }
}

impl From<CheckResult> for Outcome {
    fn from(result: CheckResult) -> Outcome {
        Outcome {
            result,
            partial_solutions: Vec::new(),
        }
    }
}

impl Outcome {
    pub fn unknown(reason: Reason) -> Outcome {
        CheckResult::Unknown(reason).into()
    }

    pub fn verdict(&self) -> Verdict {
        self.result.verdict()
    }

    pub fn is_sat(&self) -> bool {
        matches!(self.result, CheckResult::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self.result, CheckResult::Unsat(_))
    }

    /// The assignment that was found, if there is one.
    pub fn model(&self) -> Option<&Arc<Assignment>> {
        match &self.result {
            CheckResult::Sat(model) => Some(model),
            _ => None,
        }
    }

    /// What cannot hold together, if that was found out.
    pub fn conflict(&self) -> Option<&Conflict> {
        match &self.result {
            CheckResult::Unsat(conflict) => Some(conflict),
            _ => None,
        }
    }
}

impl CheckResult {
    pub fn verdict(&self) -> Verdict {
        match self {
            CheckResult::Sat(_) => Verdict::Sat,
            CheckResult::Unsat(_) => Verdict::Unsat,
            CheckResult::Unknown(reason) => Verdict::Unknown(reason.clone()),
        }
    }
}
