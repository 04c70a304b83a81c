//! How to explore, and how far.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use refrain_solver::Solver;

use crate::memory::resident_bytes;
use crate::search::Search;

/// What is done at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every way is asked about, and a state goes each way that inputs lead to.
    Fork,
    /// An input is followed to its end; then the ways it did not take are asked about, one at a time.
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
    pub paths: u64,
    /// Instructions of a path.
    pub instructions: u64,
    /// Bytes of the process.
    pub memory: Option<u64>,
    /// How many bytes it has now.
    pub measure: fn() -> u64,
    pub forks: u64,
    /// Of one question.
    pub question: Option<Duration>,
    /// Set by somebody who wants it to stop.
    pub stop: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: None,
            depth: u32::MAX,
            paths: u64::MAX,
            instructions: u64::MAX,
            memory: None,
            measure: resident_bytes,
            forks: u64::MAX,
            question: None,
            stop: Arc::default(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub mode: Mode,
    pub search: Search,
    pub seed: u64,
    pub numbers: Numbers,
    pub limits: Limits,
    /// The way that the input at hand takes is not asked about.
    pub trust_model: bool,
    /// How many partial solutions a solve is asked for at most, to try them as inputs.
    pub partial_solutions: Option<usize>,
    /// Bytes of inputs, by name, that the first path goes by. What is missing is zero.
    pub first_input: Vec<(String, Vec<u8>)>,
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
        }
    }
}

/// Makes a solver, fresh: it is asked for again when everything that it knows has to go.
pub type MakeSolver<'a> = &'a dyn Fn() -> Box<dyn Solver>;
