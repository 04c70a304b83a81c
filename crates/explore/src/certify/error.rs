//! Why a tree is refused: the first difference, and where it is.

use std::fmt;

use refrain_machine::CodePoint;
use refrain_memo::MemoError;
use refrain_solver::Reason;
use thiserror::Error;

use crate::trail::Decision;

#[derive(Debug, Error)]
pub enum CertifyError {
    /// The tree cannot be read, or is not sealed.
    #[error(transparent)]
    Memo(#[from] MemoError),
    /// What is below an edge is there in short only.
    #[error("a tree that was compressed cannot be certified ({0})")]
    Summary(Site),
    #[error("the tree is not that of the program: {difference} ({site})")]
    Refused { difference: Difference, site: Site },
}

/// A path and where it has come to.
#[derive(Clone, Debug)]
pub struct Site {
    pub decisions: Vec<Decision>,
    pub point: CodePoint,
}

impl fmt::Display for Site {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let CodePoint {
            symbol,
            block,
            instruction,
            ..
        } = &self.point;
        write!(
            formatter,
            "in {symbol}, block {block}, instruction {instruction}, after"
        )?;
        if self.decisions.is_empty() {
            return write!(formatter, " no decision");
        }
        for decision in &self.decisions {
            match decision {
                Decision::Choice(choice) => write!(formatter, " {choice}")?,
                Decision::Implied(choices) => write!(formatter, " {choices:?}")?,
                Decision::Assumed(true) => write!(formatter, " assumed")?,
                Decision::Assumed(false) => write!(formatter, " excluded")?,
                Decision::Witness(value) => write!(formatter, " ~{value:?}")?,
                Decision::Fixed(value) => write!(formatter, " ={value:?}")?,
                Decision::Other(value) => write!(formatter, " !={value:?}")?,
            }
        }
        Ok(())
    }
}

/// What a tree says and the program does not do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Difference {
    /// See [`CertifyError::Summary`].
    #[error("the tree has it in short only")]
    Summary,
    #[error("the path asks something, and the tree says that it ends")]
    Asks,
    #[error("the path ends, and the tree says that it asks something")]
    Ends,
    #[error("the path ends with {found}, and the tree says {said}")]
    OtherEnd { found: String, said: String },
    #[error("the path was cut, and never is where the tree says")]
    NeverThere,
    #[error("the path is longer than any that was followed")]
    TooLong,
    #[error("another question is asked")]
    OtherQuestion,
    #[error("the question has other conditions or another value")]
    OtherConditions,
    #[error("the value is none of the term")]
    OtherValue,
    #[error("the question is asked at another point")]
    OtherPoint,
    #[error("the path condition leaves other choices alone")]
    OtherImplied,
    #[error("other code runs")]
    OtherCode,
    #[error("there is no input")]
    NoInput,
    #[error("the input does not take the path")]
    OtherInput,
    #[error("alternative {0} is open, and nothing is said of why")]
    Open(u32),
    #[error("alternative {0} is false, and the tree says that inputs take it")]
    False(u32),
    #[error("nothing is infeasible here, and the tree says that alternative {0} is")]
    Certain(u32),
    #[error("all alternatives are said to be infeasible")]
    NoWay,
    #[error("the core of alternative {0} is not on the path")]
    OtherCore(u32),
    #[error("alternative {0} is said to be infeasible, and is not")]
    Feasible(u32),
    #[error("whether alternative {0} is infeasible could not be decided: {1}")]
    Undecided(u32, Reason),
}
