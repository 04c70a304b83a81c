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

impl Cause {
    /// The cause that is shown as these words.
    pub fn of(words: &str) -> Cause {
        const PLAIN: [Cause; 11] = [
            Cause::Instructions,
            Cause::Depth,
            Cause::Unroll,
            Cause::Memory,
            Cause::Time,
            Cause::Paths,
            Cause::Interrupted,
            Cause::Forks,
            Cause::ForkingOff,
            Cause::OtherValues,
            Cause::NotRecorded,
        ];
        const DETAILED: [fn(String) -> Cause; 3] =
            [Cause::Undecided, Cause::Inexpressible, Cause::Internal];
        let mut plain = PLAIN.into_iter();
        if let Some(cause) = plain.find(|cause| cause.words().0 == words) {
            return cause;
        }
        for detailed in DETAILED {
            if let Some(what) = words.strip_prefix(detailed(String::new()).words().0) {
                return detailed(what.into());
            }
        }
        Cause::Unsupported(words.into())
    }

    /// What all of its kind are shown as, and what this one adds.
    fn words(&self) -> (&'static str, &str) {
        match self {
            Cause::Instructions => ("more instructions than a path may have", ""),
            Cause::Depth => ("more branches than a path may have", ""),
            Cause::Unroll => ("more iterations of a loop than input may decide on", ""),
            Cause::Memory => ("there was not enough memory", ""),
            Cause::Time => ("the time was up", ""),
            Cause::Paths => ("enough paths were explored", ""),
            Cause::Interrupted => ("the run was interrupted", ""),
            Cause::Forks => ("there were enough forks", ""),
            Cause::ForkingOff => ("the program switched forking off", ""),
            Cause::OtherValues => ("other values than the representative ones", ""),
            Cause::Undecided(reason) => ("the solver could not decide: ", reason),
            Cause::Unsupported(what) => ("", what),
            Cause::Inexpressible(what) => ("over the integers: ", what),
            Cause::Internal(what) => ("a bug of Refrain: ", what),
            Cause::NotRecorded => ("how it ends is not recorded", ""),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let (kind, what) = self.words();
        write!(formatter, "{kind}{what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_known_by_their_words() {
        let detailed = [Cause::Undecided, Cause::Unsupported, Cause::Inexpressible];
        let detailed = detailed.map(|cause| cause("time: the time was up".into()));
        let plain = [Cause::Depth, Cause::Time, Cause::NotRecorded];
        for cause in plain.into_iter().chain(detailed) {
            assert_eq!(Cause::of(&cause.to_string()), cause);
        }
    }
}
