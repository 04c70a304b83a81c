//! Boundaries: places that inputs lead to, or may lead to, and that were not explored further.

use std::fmt;

use refrain_integers::Inexpressible;
use refrain_solver::Reason;

/// Why a path was not explored further.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The whole run stopped.
    Stopped(StopReason),
    /// It has as many branches as a path may have.
    Depth,
    /// It has executed as many instructions as a path may.
    Instructions,
    /// There was no memory to keep it or to go on.
    Memory,
    /// The run has forked as often as it may.
    Forks,
    /// The program switched forking off.
    ForkingOff,
    /// Representative values of a term have their paths; these are all others.
    OtherValues,
    /// The solver could not decide whether inputs lead there.
    Unknown(Reason),
    /// Over the integers, something on it has no meaning.
    Inexpressible(Inexpressible),
    /// Over the integers, the input at hand makes none of the choices that there are.
    NoChoice,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left to explore.
    Done,
    Time,
    Paths,
    /// Somebody asked to stop.
    Interrupted,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Cause::Stopped(StopReason::Time) => formatter.write_str("the time was up"),
            Cause::Stopped(StopReason::Paths) => formatter.write_str("enough paths were explored"),
            Cause::Stopped(_) => formatter.write_str("the run was interrupted"),
            Cause::Depth => formatter.write_str("more branches than a path may have"),
            Cause::Instructions => formatter.write_str("more instructions than a path may have"),
            Cause::Memory => formatter.write_str("not enough memory"),
            Cause::Forks => formatter.write_str("the run has forked often enough"),
            Cause::ForkingOff => formatter.write_str("the program switched forking off"),
            Cause::OtherValues => formatter.write_str("other values than the representative ones"),
            Cause::Unknown(reason) => write!(formatter, "the solver could not decide: {reason}"),
            Cause::Inexpressible(what) => write!(formatter, "over the integers: {what}"),
            Cause::NoChoice => formatter.write_str("over the integers: a choice that no input makes"),
        }
    }
}
