//! How to explore, and how far.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use refrain_machine::InputValue;
use refrain_solver::Solver;
use refrain_term::Value;

use crate::eviction::{resident_bytes, trim};
use crate::frontier::Search;
use crate::memo::Memo;
use crate::trail::PlaceId;

/// What is done at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The feasibility of every choice is decided, and a state forks for each that is feasible.
    Fork,
    /// An input is followed to its end; then the choices it did not take are asked about, one at a time.
    Concolic,
}

/// What numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Words of so many bits.
    Machine,
    /// Mathematical integers: nothing overflows.
    Integers,
}

/// Where exploring stops, with everything that was found.
#[derive(Clone, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Branches of a path.
    pub depth: u32,
    /// Iterations of a loop that input decided on, from one time that a path enters it to the next.
    pub unroll: u32,
    pub paths: u64,
    /// Instructions of a path.
    pub instructions: u64,
    /// Bytes of the process.
    pub memory: Option<u64>,
    /// How many bytes it has now.
    pub measure: fn() -> u64,
    /// Gives what is free back to the system, which the allocator may keep.
    pub give_back: fn(),
    pub forks: u64,
    /// Of one query.
    pub query: Option<Duration>,
    /// Set by whoever wants the run to stop.
    pub stop: Arc<AtomicBool>,
    /// The process ends with the run: what is pending then need not be freed.
    pub ends_process: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: None,
            depth: u32::MAX,
            unroll: u32::MAX,
            paths: u64::MAX,
            instructions: u64::MAX,
            memory: None,
            measure: resident_bytes,
            give_back: trim,
            forks: u64::MAX,
            query: None,
            stop: Arc::default(),
            ends_process: false,
        }
    }
}

#[derive(Clone)]
pub struct Options {
    pub mode: Mode,
    pub search: Search,
    pub seed: u64,
    pub numbers: Numbers,
    pub limits: Limits,
    /// The choice that the input at hand takes is not asked about.
    pub trust_model: bool,
    /// How many partial solutions a solve is asked for at most, to try them as inputs.
    pub partial_solutions: Option<usize>,
    /// The input of the first path. What is missing is zero.
    pub first_input: Vec<InputValue>,
    /// Inputs that are followed before anything else is, after the first.
    pub more_inputs: Vec<Vec<InputValue>>,
    /// What earlier runs know, and where this one records what it finds out.
    pub memo: Option<Arc<Memo>>,
    /// Values that an earlier run chose: they are chosen again.
    pub recorded: Option<Arc<dyn RecordedValues>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Fork,
            search: Search::Interleaved,
            seed: 0,
            numbers: Numbers::Machine,
            limits: Limits::default(),
            trust_model: true,
            partial_solutions: None,
            first_input: Vec::new(),
            more_inputs: Vec::new(),
            memo: None,
            recorded: None,
        }
    }
}

impl Options {
    pub(crate) fn recorded_value(&self, place: PlaceId) -> Option<Value> {
        self.recorded.as_ref()?.value(place)
    }
}

/// Values that were chosen in an earlier run, by the place of the question. With them a run has the places of that
/// run, whatever its solver and presets are.
pub trait RecordedValues: Send + Sync {
    fn value(&self, place: PlaceId) -> Option<Value>;
}

/// Makes a solver, fresh: it is asked for again when everything that it knows has to go.
pub type MakeSolver<'a> = &'a dyn Fn() -> Box<dyn Solver>;
