//! What a machine asks, and what it is answered.

use refrain_term::{Term, Value};

use crate::End;

/// Why a machine stopped running a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It goes on when the question is answered.
    Ask(Ask),
    /// The path has ended.
    End(End),
    /// The fuel is spent.
    OutOfFuel,
}

/// A question about the values that the path condition leaves possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Which of these holds? Exactly one does for every input. The answer is the index of a feasible one, and it joins
    /// the path condition.
    Choose(Vec<Term>),
    /// The path goes on with the inputs for which this holds. The answer is a choice: 0, it joined the path condition;
    /// 1, it holds for no input of the path.
    Assume(Term),
    /// A value that the term may have on this path. Nothing joins the path condition: it is a hint where to look
    /// first.
    Witness(Term),
    /// A value of the term, and the path goes on with the inputs that give it this value. Every value gets its path.
    Fix(Term),
    /// The same for a term of which few representative values will do: the least and the greatest, a small one, that
    /// of the input at hand. All others are one boundary.
    Sample(Term),
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The index of a condition.
    Choice(u32),
    /// A value of the sort of the term.
    Value(Value),
}

impl Answer {
    /// The value of an answer that is at most 64 bits wide, or the index of a choice.
    pub fn word(&self) -> Option<u64> {
        match self {
            Answer::Choice(index) => Some(u64::from(*index)),
            Answer::Value(Value::Bool(value)) => Some(u64::from(*value)),
            Answer::Value(value) => value.as_bv()?.to_u64(),
        }
    }
}
