//! Who is told what happens while exploring: every question, how each way was decided, every end and everything that
//! was left open, in order.

use std::ops::ControlFlow;
use std::time::Duration;

use refrain_solver::Reason;
use refrain_term::{Assignment, Terms};

use crate::machine::{Machine, Point};
use crate::stats::Stats;
use crate::trail::{Decision, PlaceId, Trail};

/// A question that inputs may answer differently: where it was asked, and what ran before it.
#[derive(Debug)]
pub struct Branch<'a> {
    pub place: PlaceId,
    pub point: Point,
    /// How many ways there are.
    pub ways: usize,
    /// Functions of which code ran since the question before, or since somebody else's code was last told of on this
    /// path.
    pub ran: &'a [u32],
}

/// How it is known whether inputs go a way.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// The input at hand goes there.
    Model,
    /// An input that a solver went through while it looked for another goes there.
    PartialSolution,
    /// It was asked, and some do.
    Feasible,
    /// It was asked, and none do.
    Infeasible,
    /// It was asked, and nobody knows.
    Unknown(Reason),
    /// It was not asked yet, or only in passing: later, more time is taken.
    Open,
    /// It is not asked: there are to be no more forks.
    Left,
}

#[derive(Debug)]
pub struct Decided<'a> {
    /// Where the question was asked.
    pub place: PlaceId,
    pub decision: Decision,
    pub how: &'a How,
}

/// How a path ended, or why it was left.
#[derive(Clone, Debug, PartialEq)]
pub enum End<E> {
    Machine(E),
    /// It ran for longer than a path may.
    TooLong,
    /// It had as many branches as a path may have.
    TooDeep,
    /// There was no memory to go on.
    TooLarge,
    /// Over the integers, something on it has no meaning.
    Inexpressible(String),
}

/// A path that has ended, with everything about it.
pub struct Path<'a, M: Machine> {
    pub machine: &'a mut M,
    pub terms: &'a mut Terms,
    pub state: &'a mut M::State,
    pub trail: &'a Trail,
    /// Takes the path. What it leaves out is zero.
    pub input: &'a Assignment,
    pub end: &'a End<M::End>,
    /// Functions of which code ran since the last question.
    pub ran: &'a [u32],
    /// Whether code ran on it that had not run before.
    pub is_new: bool,
}

/// Why a place was left open.
#[derive(Clone, Debug, PartialEq)]
pub enum Left {
    /// Time, paths, or whoever wanted it to stop.
    Stopped(StopReason),
    /// There was no memory to keep it.
    Memory,
    /// There were to be no more forks.
    Forks,
    /// It could not be decided whether inputs lead there.
    Unknown(Reason),
}

/// Why exploring ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left.
    Done,
    Time,
    Paths,
    /// Somebody asked to stop.
    Interrupted,
}

/// How far it is.
#[derive(Debug)]
pub struct Progress<'a> {
    pub elapsed: Duration,
    pub stats: &'a Stats,
    pub pending: usize,
}

pub trait Listener<M: Machine> {
    fn branch(&mut self, _branch: &Branch<'_>) {}

    fn decided(&mut self, _decided: &Decided<'_>) {}

    /// A path has ended; whether to go on.
    fn end(&mut self, path: Path<'_, M>) -> ControlFlow<()>;

    /// Inputs may lead to this place, and nobody has been there.
    fn boundary(&mut self, _trail: &Trail, _why: &Left) {}

    /// From time to time, and at the end.
    fn progress(&mut self, _machine: &mut M, _progress: &Progress<'_>) {}
}
