//! What exploring knows of a machine: it runs a state until it must ask.

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
    /// Which of these holds? Exactly one does for every input. The answer is its position, and its condition joins the path. A
    /// position that no input of the path leads to must not be answered.
    Choose(Vec<Term>),
    /// A value that the term may have on this path. Nothing joins the path: it is a hint where to look first.
    Witness(Term),
    /// A value for the term, and the path goes on with those inputs that give it this value.
    Fix(Term),
}

/// Runs programs. Knows nothing of search and of solvers.
///
/// After an [`Ask`], the same state is run again with the answer; a state that was forked first can be run with another answer.
pub trait Machine {
    type State;
    type End;

    /// Runs until there is something to ask, an end, or about `fuel` instructions were executed.
    fn run(&mut self, terms: &mut Terms, state: &mut Self::State, fuel: u64) -> Stop<Self::End>;

    /// Gives the answer to the last question: a position or a value.
    fn answer(&mut self, state: &mut Self::State, answer: u64);

    /// A second state, equal to the first and independent of it.
    fn fork(&mut self, state: &mut Self::State) -> Self::State;
}
