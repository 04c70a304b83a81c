//! What exploring knows of a machine: it runs a state until it must ask.

use std::time::Duration;

use refrain_term::{Term, Terms};

use crate::{Answer, CodePiece, CodePoint, CodeUnit, InputId, InputTable, Point, Stop};

/// What a search can be on the way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Code that has not run yet.
    Uncovered,
    /// What the machine was told to reach.
    Target,
}

/// Runs one program. Knows nothing of search and of solvers.
///
/// After an [`Ask`](crate::Ask) the same state is run again with the answer; a state that was forked first can be run
/// with another answer.
///
/// All terms that a machine and its states hold belong to the arena of the last [`begin`](Machine::begin).
pub trait Machine {
    type State;

    /// The state before the program's first instruction. The arena is fresh: nothing that was made of an earlier one
    /// is used any more, neither states nor inputs.
    fn begin(&mut self, terms: &mut Terms) -> Self::State;

    /// The inputs that any path since [`begin`](Machine::begin) has made.
    fn inputs(&self) -> &InputTable;

    fn inputs_mut(&mut self) -> &mut InputTable;

    /// The inputs of a state with the number of elements that it reads, in the order in which it made them.
    fn inputs_of(&self, state: &Self::State) -> Vec<(InputId, u32)>;

    /// Runs until there is something to ask, an end, or about `fuel` instructions were executed.
    fn run(&mut self, terms: &mut Terms, state: &mut Self::State, fuel: u64) -> Stop;

    /// Answers the last question.
    fn answer(&mut self, state: &mut Self::State, answer: &Answer);

    /// A second state, equal to the first and independent of it.
    fn fork(&mut self, state: &mut Self::State) -> Self::State;

    /// Whether the program lets a state fork. Otherwise it goes on where its input leads, and nowhere else.
    fn may_fork(&self, _state: &Self::State) -> bool {
        true
    }

    /// Where a state is.
    fn point(&self, state: &Self::State) -> Point;

    /// Where a state is and where it was called from, innermost first: where it is once its last question is answered
    /// with this choice. What lies very deep may be left out.
    fn stack(&self, state: &Self::State, _choice: Option<u32>) -> Vec<Point> {
        vec![self.point(state)]
    }

    /// What a point is called in every version of the program that has it.
    fn describe(&self, point: Point) -> CodePoint;

    /// The point that is called so. None if this program has none.
    fn find_point(&self, _symbol: &str, _block: u32, _instruction: u32) -> Option<Point> {
        None
    }

    /// How many instructions a state has executed since its program started.
    fn instructions(&self, state: &Self::State) -> u64;

    /// How often input decided that a loop goes on, of the loop with the most such iterations: those of a loop are
    /// counted from when the path entered it. Answers to questions count at once.
    fn unrolled(&self, _state: &Self::State) -> u32 {
        0
    }

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

    /// What the program would like to hold, if the path condition leaves a choice of inputs; what comes first matters
    /// most.
    fn preferences<'s>(&self, _state: &'s Self::State) -> &'s [Term] {
        &[]
    }

    /// Whether runs from here on note what code they execute.
    fn trace_code(&mut self, _on: bool) {}

    /// The code that was executed since this was last called, if that is noted: every block with the ways by which it
    /// was left, and every assumption that was satisfied. Blocks that are not among it had no part in it: a program in
    /// which only those are different does the same from the same state on. To be called before another state is run.
    fn take_ran(&mut self) -> &[CodePiece] {
        &[]
    }

    /// What a piece is called in every version of the program that has it.
    fn code(&self, _piece: CodePiece) -> CodeUnit {
        CodeUnit::default()
    }

    /// The hash of a block by the name that [`code`](Machine::code) gives it. None if this program has no such block.
    fn code_hash(&self, _symbol: &str, _block: u32) -> Option<u64> {
        None
    }

    /// What another run has executed counts as covered here, if this program has it unchanged: it is nothing new then.
    fn cover_code(&mut self, _unit: &CodeUnit) {}

    /// How many pieces of code were executed for the first time since this was last asked.
    fn newly_covered(&mut self) -> u64 {
        0
    }

    /// How far it is, in instructions at best, from where a state is to a goal, if its last question is answered with
    /// this choice. None if it cannot get there.
    fn distance(&mut self, _state: &Self::State, _choice: Option<u32>, _goal: Goal) -> Option<u32> {
        None
    }

    /// The same, as far as a [`stack`](Machine::stack) tells: no longer, where it does not.
    fn distance_of(&mut self, _stack: &[Point], _choice: Option<u32>, _goal: Goal) -> Option<u32> {
        None
    }
}
