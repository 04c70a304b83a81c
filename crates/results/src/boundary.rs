//! Where exploring stopped, and why.

use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// Why a path was not followed to its end, or not followed at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", content = "what", rename_all = "kebab-case")]
pub enum Cause {
    /// The path executed as many instructions as it may.
    Instructions,
    /// The path took as many branches as it may.
    Depth,
    /// The path needed more memory than there is.
    Memory,
    /// The time for exploring was up.
    Time,
    /// As many paths as were asked for have ended.
    Paths,
    /// Somebody interrupted the run.
    Interrupted,
    /// The pending state was evicted, and not even its prefix was kept.
    Evicted,
    /// There were as many forks as there may be.
    Forks,
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
            Cause::Memory => "more memory than there is",
            Cause::Time => "the time was up",
            Cause::Paths => "enough paths were explored",
            Cause::Interrupted => "it was interrupted",
            Cause::Evicted => "there was no memory to keep it",
            Cause::Forks => "there were enough forks",
            Cause::OtherValues => "only some of the values were followed",
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

/// The boundary of what was explored: the paths that were left for one cause.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Boundary {
    pub cause: Cause,
    /// How many paths were left.
    pub paths: u64,
    /// Where they were, as the decisions that lead there; not endless.
    #[serde(default)]
    pub places: Vec<String>,
}

impl Serialize for Boundary {
    /// With the cause in words too, as `why`, for people and scripts.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Boundary", 4)?;
        fields.serialize_field("cause", &self.cause)?;
        fields.serialize_field("why", &self.cause.to_string())?;
        fields.serialize_field("paths", &self.paths)?;
        fields.serialize_field("places", &self.places)?;
        fields.end()
    }
}
