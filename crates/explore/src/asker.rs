//! The one who asks: the terms of a run, the solver on the path, and evaluation under the input at hand.

use std::sync::Arc;
use std::time::Duration;

use refrain_integers::{Inexpressible, Settled};
use refrain_machine::{InputTable, InputValue};
use refrain_solver::{CheckResult, Effort, Outcome, Reason, Solver, Wants};
use refrain_term::{Assignment, Evaluator, Term, Terms, Value};

use crate::arithmetic::Arithmetic;
use crate::listener::PathInput;
use crate::options::Numbers;
use crate::path_solver::PathSolver;
use crate::trail::Trail;

/// How many conflicts a query may meet before it is deferred, and by how much that grows when nothing else is left.
const FIRST_CONFLICTS: u64 = 300;
const MORE_CONFLICTS: u64 = 4;

pub(crate) struct Asker {
    pub terms: Terms,
    pub arithmetic: Arithmetic,
    numbers: Numbers,
    /// Over the integers: what all workers know of the inputs.
    settled: Settled,
    solver: PathSolver,
    evaluator: Evaluator,
    /// What the evaluator remembers values under.
    evaluated: Arc<Assignment>,
    /// How many conflicts a query may meet.
    conflicts: u64,
    /// What solvers did that are gone.
    earlier: Effort,
}

impl Asker {
    pub fn new(
        numbers: Numbers,
        settled: &Settled,
        solver: Box<dyn Solver>,
        limits: refrain_solver::Limits,
        per_query: Option<Duration>,
    ) -> Asker {
        let limits = refrain_solver::Limits {
            conflicts: Some(FIRST_CONFLICTS),
            ..limits
        };
        Asker {
            terms: Terms::new(),
            arithmetic: Arithmetic::new(numbers, settled),
            numbers,
            settled: settled.clone(),
            solver: PathSolver::new(solver, limits, per_query),
            evaluator: Evaluator::new(),
            evaluated: Arc::default(),
            conflicts: FIRST_CONFLICTS,
            earlier: Effort::default(),
        }
    }

    /// Forgets all terms, and everything that is made of them.
    pub fn restart(&mut self, solver: Box<dyn Solver>) {
        self.earlier = self.effort();
        self.solver.replace_solver(solver);
        self.arithmetic = Arithmetic::new(self.numbers, &self.settled);
        self.evaluator = Evaluator::new();
        self.evaluated = Arc::default();
        self.terms = Terms::new();
    }

    // Evaluation.

    fn evaluate_under(&mut self, input: &Arc<Assignment>) {
        if !Arc::ptr_eq(&self.evaluated, input) {
            self.evaluator.forget();
            self.evaluated = input.clone();
        }
    }

    pub fn holds(&mut self, input: &Arc<Assignment>, condition: Term) -> bool {
        self.evaluate_under(input);
        self.evaluator.bool(&self.terms, input, condition)
    }

    /// The first of some conditions that holds under an input.
    pub fn choice_of(&mut self, input: &Arc<Assignment>, conditions: &[Term]) -> Option<usize> {
        self.evaluate_under(input);
        let mut conditions = conditions.iter();
        conditions.position(|&condition| self.evaluator.bool(&self.terms, input, condition))
    }

    /// The value that a machine gets for a term.
    pub fn value(
        &mut self,
        input: &Arc<Assignment>,
        inputs: &InputTable,
        term: Term,
    ) -> Result<Value, Inexpressible> {
        self.evaluate_under(input);
        let (terms, evaluator) = (&mut self.terms, &mut self.evaluator);
        self.arithmetic.value(terms, inputs, evaluator, input, term)
    }

    /// The terms with what evaluates them under an input.
    pub fn evaluator(&mut self, input: &Arc<Assignment>) -> (&Terms, &mut Evaluator) {
        self.evaluate_under(input);
        (&self.terms, &mut self.evaluator)
    }

    // Conditions and inputs.

    /// A condition as it joins the path condition.
    pub fn condition(
        &mut self,
        inputs: &InputTable,
        condition: Term,
    ) -> Result<Term, Inexpressible> {
        self.arithmetic
            .condition(&mut self.terms, inputs, condition)
    }

    /// The condition that a term has a value, and the one that it has not.
    pub fn equals(
        &mut self,
        inputs: &InputTable,
        term: Term,
        value: &Value,
    ) -> Result<[Term; 2], Inexpressible> {
        self.arithmetic.equals(&mut self.terms, inputs, term, value)
    }

    /// The input of the first path: no condition has used it yet.
    pub fn first_input(
        &mut self,
        inputs: &mut InputTable,
        values: &[InputValue],
    ) -> Arc<Assignment> {
        self.arithmetic.settle(&mut self.terms, inputs, values);
        self.input(inputs, values)
    }

    pub fn input(&mut self, inputs: &mut InputTable, values: &[InputValue]) -> Arc<Assignment> {
        let input = self.arithmetic.input(&mut self.terms, inputs, values);
        Arc::new(input)
    }

    pub fn path_input<'a>(&'a self, assignment: &'a Arc<Assignment>) -> PathInput<'a> {
        PathInput {
            assignment,
            arithmetic: &self.arithmetic,
        }
    }

    // Queries.

    /// Whether this very condition is part of a path condition.
    pub fn has(&mut self, trail: &Trail, condition: Term) -> bool {
        self.solver.has(&mut self.terms, trail, condition)
    }

    /// Whether a condition is feasible on a path.
    pub fn check(&mut self, trail: &Trail, condition: Term, wants: Wants) -> Outcome {
        self.solver.check(&mut self.terms, trail, condition, wants)
    }

    /// An input of a path for which a condition holds. None if there is none.
    pub fn find(
        &mut self,
        trail: &Trail,
        condition: Term,
    ) -> Result<Option<Arc<Assignment>>, Reason> {
        match self.check(trail, condition, Wants::default()).result {
            CheckResult::Sat(input) => Ok(Some(input)),
            CheckResult::Unsat(_) => Ok(None),
            CheckResult::Unknown(reason) => Err(reason),
        }
    }

    /// The next queries are about another path, which this input takes.
    pub fn suggest(&mut self, input: &Arc<Assignment>) {
        self.solver.suggest(&self.terms, input);
    }

    /// Deferred queries may meet more conflicts than before.
    pub fn raise_conflict_budget(&mut self) {
        self.conflicts = self.conflicts.saturating_mul(MORE_CONFLICTS);
        self.solver.set_conflict_budget(self.conflicts);
    }

    /// How long all queries took.
    pub fn took(&self) -> Duration {
        self.solver.took()
    }

    /// How many queries there were, and what answered them.
    pub fn effort(&self) -> Effort {
        let mut effort = self.earlier.clone();
        effort.add(&self.solver.effort());
        effort
    }
}
