//! Who is told what happens while exploring: every question, every decision with how its feasibility is known, every
//! end and every boundary, in order. The whole tree of paths can be rebuilt from these events alone.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use refrain_machine::{Cause, CodePiece, End, InputTable, InputValue, Machine, Point};
use refrain_solver::Reason;
use refrain_term::{Assignment, Term, Terms};

use crate::arithmetic::Arithmetic;
use crate::stats::Stats;
use crate::trail::{Decision, PlaceId, Trail};

/// A question: where it was asked, and what ran before it.
pub struct Asked<'a, M: Machine> {
    pub machine: &'a M,
    pub state: &'a M::State,
    pub place: PlaceId,
    /// How many decisions there are, each of which is told.
    pub decisions: usize,
    /// Code that ran since the question before it that was told, if the machine notes it, in any order.
    pub ran: &'a [CodePiece],
    /// The test of a path that ended here in an earlier run.
    pub earlier_test: Option<u32>,
}

impl<M: Machine> Asked<'_, M> {
    pub fn point(&self) -> Point {
        self.machine.point(self.state)
    }
}

impl<M: Machine> Implied<'_, M> {
    pub fn point(&self) -> Point {
        self.machine.point(self.state)
    }
}

/// What is known about the feasibility of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Feasibility {
    /// The input at hand takes it.
    Model,
    /// An input that the solver went through while it looked for another takes it.
    PartialSolution,
    /// The solver found an input that takes it.
    Feasible,
    /// An earlier run found an input that takes it.
    Remembered,
    /// Earlier runs have explored everything that it leads to.
    Finished,
    /// No input takes it.
    Infeasible,
    /// The solver could not decide.
    Unknown(Reason),
    /// It was not asked about yet, or with too small a budget: it is told again.
    Deferred,
    /// It is not going to be asked about.
    NotAsked(Cause),
}

/// A decision at a question.
pub struct Decided<'a, M> {
    pub machine: &'a M,
    pub terms: &'a Terms,
    /// Where the question was asked.
    pub place: PlaceId,
    pub decision: &'a Decision,
    /// What it adds to the path condition.
    pub condition: Term,
    pub feasibility: &'a Feasibility,
    /// Takes it, if one is known that does.
    pub input: Option<PathInput<'a>>,
}

/// An input that takes a path. What it leaves out is zero.
#[derive(Clone, Copy)]
pub struct PathInput<'a> {
    pub(crate) assignment: &'a Arc<Assignment>,
    pub(crate) arithmetic: &'a Arithmetic,
}

impl PathInput<'_> {
    pub fn values(&self, terms: &Terms, inputs: &InputTable) -> Vec<InputValue> {
        self.arithmetic.values(terms, inputs, self.assignment)
    }
}

/// A choice that the path condition leaves alone: the other choices are infeasible.
pub struct Implied<'a, M: Machine> {
    pub machine: &'a M,
    pub state: &'a M::State,
    /// Where the question was asked.
    pub place: PlaceId,
    pub choice: u32,
}

/// A path that has ended or was cut, with everything about it.
pub struct Path<'a, M: Machine> {
    pub machine: &'a mut M,
    pub terms: &'a mut Terms,
    pub state: &'a mut M::State,
    pub trail: &'a Trail,
    /// Takes the path. What it leaves out is zero.
    pub input: &'a Assignment,
    /// Code that ran since the last question that was told, if the machine notes it, in any order.
    pub ran: &'a [CodePiece],
    /// Whether code ran on it that had not run before.
    pub is_new: bool,
    /// The test of a path that ended here in an earlier run.
    pub earlier_test: Option<u32>,
}

/// How far it is.
#[derive(Debug)]
pub struct Progress<'a> {
    pub elapsed: Duration,
    pub stats: &'a Stats,
    pub pending: usize,
}

pub trait Listener<M: Machine> {
    fn asked(&mut self, _asked: &Asked<'_, M>) {}

    fn decided(&mut self, _decided: &Decided<'_, M>) {}

    fn implied(&mut self, _implied: &Implied<'_, M>) {}

    /// A path has ended; whether to go on, and the number of its test if it has one.
    fn end(&mut self, path: Path<'_, M>, end: &End) -> ControlFlow<(), Option<u32>>;

    /// Inputs lead to the end of this trail, or may lead there, and it is not explored further; whether to go on.
    /// There is a path if a state was running there, and it may have a test.
    fn boundary(
        &mut self,
        _trail: &Trail,
        _cause: &Cause,
        _path: Option<Path<'_, M>>,
    ) -> ControlFlow<(), Option<u32>> {
        ControlFlow::Continue(None)
    }

    /// From time to time, and at the end.
    fn progress(&mut self, _machine: &mut M, _progress: &Progress<'_>) {}
}
