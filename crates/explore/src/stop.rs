//! Why a run stops.

use refrain_machine::Cause;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left to explore.
    Done,
    Time,
    Paths,
    /// Somebody asked to stop.
    Interrupted,
}

impl StopReason {
    /// Why what was pending is not explored further.
    pub fn cause(self) -> Cause {
        match self {
            StopReason::Time => Cause::Time,
            StopReason::Paths => Cause::Paths,
            StopReason::Done | StopReason::Interrupted => Cause::Interrupted,
        }
    }
}
