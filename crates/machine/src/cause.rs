//! Boundaries: places that inputs lead to, or may lead to, and that were not explored further.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a path was not followed to its end, or not followed at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "what", rename_all = "kebab-case")]
pub enum Cause {
    /// The path executed as many instructions as it may.
    Instructions,
    /// The path took as many branches as it may.
    Depth,
    /// A loop went on, by input, as often as it may.
    Unroll,
    /// There was no memory to go on with the path, or to keep it.
    Memory,
    /// The time for exploring was up.
    Time,
    /// As many paths as were asked for have ended.
    Paths,
    /// The run was interrupted.
    Interrupted,
    /// There were as many forks as there may be.
    Forks,
    /// The program switched forking off.
    ForkingOff,
    /// Representative values of a term were followed, and these are the others.
    OtherValues,
    /// The solver did not decide whether the path is feasible.
    Undecided(String),
    /// The machine cannot do what the program asks for.
    Unsupported(String),
    /// What the program does has no counterpart over mathematical integers.
    Inexpressible(String),
    /// The machine was in a state that it can never be in: a bug of Refrain.
    Internal(String),
    /// The file does not say how the path ends: KLEE's format has inputs only.
    NotRecorded,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let text = match self {
            Cause::Instructions => "more instructions than a path may have",
            Cause::Depth => "more branches than a path may have",
            Cause::Unroll => "more iterations of a loop than input may decide on",
            Cause::Memory => "there was not enough memory",
            Cause::Time => "the time was up",
            Cause::Paths => "enough paths were explored",
            Cause::Interrupted => "the run was interrupted",
            Cause::Forks => "there were enough forks",
            Cause::ForkingOff => "the program switched forking off",
            Cause::OtherValues => "other values than the representative ones",
            Cause::Undecided(reason) => {
                return write!(formatter, "the solver could not decide: {reason}");
            }
            Cause::Unsupported(what) => what,
            Cause::Inexpressible(what) => return write!(formatter, "over the integers: {what}"),
            Cause::Internal(what) => return write!(formatter, "a bug of Refrain: {what}"),
            Cause::NotRecorded => "how it ends is not recorded",
        };
        formatter.write_str(text)
    }
}
