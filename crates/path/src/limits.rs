//! How far a check may go, and why one was not decided.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Why a check was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time given ran out.
    Timeout,
    /// Someone asked to stop.
    Interrupted,
    /// As many conflicts as it was allowed were met: with more it may be decided.
    Conflicts,
    /// Another resource ran out.
    ResourceLimit(String),
    /// The question is outside what the solver decides.
    Incomplete(String),
    /// The solver failed: a process died or answered nonsense.
    Failed(String),
    /// Two ways of answering the same question disagree.
    Disagreement(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => f.write_str("timeout"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Conflicts => f.write_str("more conflicts than allowed"),
            Reason::ResourceLimit(what) => write!(f, "resource limit: {what}"),
            Reason::Incomplete(what) => write!(f, "incomplete: {what}"),
            Reason::Failed(what) => write!(f, "failed: {what}"),
            Reason::Disagreement(what) => write!(f, "disagreement: {what}"),
        }
    }
}

/// How long a check may take, and who may stop it.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub deadline: Option<Instant>,
    pub stop: Option<Arc<AtomicBool>>,
    /// How many conflicts one search of the native solver may meet: a limit that is the same on every machine.
    pub conflicts: Option<u64>,
}

impl Limits {
    /// The reason to stop now, if there is one.
    pub fn exceeded(&self) -> Option<Reason> {
        if self
            .stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
        {
            return Some(Reason::Interrupted);
        }
        self.deadline
            .filter(|&deadline| Instant::now() >= deadline)
            .map(|_| Reason::Timeout)
    }
}
