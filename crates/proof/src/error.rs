//! What can be wrong with a proof.

use thiserror::Error;

/// The encoding of a script is larger than any that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the encoding is too large")]
pub struct Outgrown;

/// Why a step is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    #[error(transparent)]
    Outgrown(#[from] Outgrown),
    #[error("{0}")]
    Wrong(String),
}

impl Fault {
    pub fn wrong(what: impl Into<String>) -> Fault {
        Fault::Wrong(what.into())
    }
}

/// Why a proof is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// At this line of the proof.
    #[error("line {line}: {fault}")]
    At { line: usize, fault: Fault },
    #[error("the proof ends before it has come to a contradiction")]
    Unfinished,
    #[error("there is no proof")]
    Empty,
}
