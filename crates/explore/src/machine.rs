//! What exploring knows of a machine: it runs a state until it must ask.

use std::time::Duration;

use refrain_term::{Term, Terms};

/// Why a machine stopped running a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop<E> {
    /// It goes on when the question is answered.
    Ask(Ask),
    /// The path is at its end.
    End(E),
    /// The fuel given is spent.
    OutOfFuel,
}

/// A question about the values that the path's conditions leave possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Which of these holds? Exactly one does for every input. The answer is its position, and its condition joins
    /// the path. A position that no input of the path leads to must not be answered.
    Choose(Vec<Term>),
    /// A value that the term may have on this path. Nothing joins the path: it is a hint where to look first.
    Witness(Term),
    /// A value for the term, and the path goes on with those inputs that give it this value.
    Fix(Term),
}

/// A point of the program: the same number for the same point in every run of the same program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub function: u32,
    pub offset: u32,
}

/// What a search can be on the way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Code that has not run yet.
    Uncovered,
    /// What the machine was told to reach.
    Target,
}

/// Runs programs. Knows nothing of search and of solvers.
///
/// After an [`Ask`], the same state is run again with the answer; a state that was forked first can be run with
/// another answer.
pub trait Machine {
    type State;
    type End;

    /// Runs until there is something to ask, an end, or about `fuel` instructions were executed.
    fn run(&mut self, terms: &mut Terms, state: &mut Self::State, fuel: u64) -> Stop<Self::End>;

    /// Gives the answer to the last question: a position or a value.
    fn answer(&mut self, state: &mut Self::State, answer: u64);

    /// A second state, equal to the first and independent of it.
    fn fork(&mut self, state: &mut Self::State) -> Self::State;

    /// Where a state is.
    fn point(&self, state: &Self::State) -> Point;

    /// How many instructions a state has executed since its program started.
    fn instructions(&self, state: &Self::State) -> u64;

    /// About how long building terms took, of all the time in [`run`](Machine::run).
    fn building(&self) -> Duration {
        Duration::ZERO
    }

    /// About how many bytes would be free if a state were gone.
    fn weight(&self, _state: &Self::State) -> usize {
        0
    }

    /// A state that is not going to run soon: it may let go of what only makes it faster.
    fn park(&mut self, _state: &mut Self::State) {}

    /// What the program would like to hold, if the path's conditions leave it a choice of inputs; what comes first
    /// matters most.
    fn preferences<'s>(&self, _state: &'s Self::State) -> &'s [Term] {
        &[]
    }

    /// The functions that the last [`run`](Machine::run) executed code of, each once.
    fn ran(&self) -> &[u32] {
        &[]
    }

    /// How many pieces of code were executed for the first time since this was last asked.
    fn newly_covered(&mut self) -> u64 {
        0
    }

    /// How far it is, in instructions at best, from where a state is to a goal, if its last question is answered with
    /// this way. None if it cannot get there.
    fn distance(&mut self, _state: &Self::State, _way: Option<u32>, _goal: Goal) -> Option<u32> {
        None
    }
}
