//! What ends a run before its time. Everything else that stops a path is a [`Cause`](crate::Cause).

use std::io;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum ExploreError {
    /// A path took another course when it was executed again from its decisions.
    #[error("a path that was executed again diverged: {0}; please report this as a bug")]
    Diverged(Divergence),
    /// An answer that was reused is not the solver's.
    #[error("{0}")]
    Disagreement(String),
    /// What is found out could not be recorded.
    #[error(transparent)]
    Memo(#[from] refrain_memo::MemoError),
    #[error("a worker cannot be started: {0}")]
    Spawn(#[source] io::Error),
    /// What a worker needs could not be had.
    #[error(transparent)]
    Setup(Box<dyn std::error::Error + Send + Sync>),
}

/// How an execution differs from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Divergence {
    #[error("it ended before its last decision")]
    Ended,
    #[error("it asked another question")]
    OtherQuestion,
    #[error("a condition has no meaning over the integers any more")]
    Inexpressible,
}

impl From<Divergence> for ExploreError {
    fn from(divergence: Divergence) -> ExploreError {
        ExploreError::Diverged(divergence)
    }
}
