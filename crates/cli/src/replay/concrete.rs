//! A test in the machine: the same code as the native program's, with the test's inputs, nothing symbolic.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use refrain_explore::{Machine as _, Stop};
use refrain_llvm::image::Options;
use refrain_llvm::machine::{End, Machine, State};
use refrain_llvm::native::{Host, trace::Trace};
use refrain_results::{Place, Test};
use refrain_term::Terms;

use crate::program::Bitcode;

/// A program runs in a fresh directory: only what has an absolute path is there.
struct Elsewhere;

impl Host for Elsewhere {
    fn write(&mut self, _descriptor: i32, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&mut self, _len: usize) -> Vec<u8> {
        Vec::new()
    }

    fn read_file(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        let path = Path::new(OsStr::from_bytes(path));
        std::fs::read(path).ok().filter(|_| path.is_absolute())
    }
}

/// A machine with a program in it, which is started for every test anew.
pub struct Concrete {
    machine: Machine,
    pristine: State,
    entry: String,
    environment: Vec<Vec<u8>>,
}

/// What a run did.
pub struct Run {
    /// Missing if its time was up.
    pub end: Option<End>,
    pub trace: Trace,
}

impl Concrete {
    pub fn new(bitcode: &Bitcode, options: Options, entry: &str) -> Result<Concrete, String> {
        let (machine, pristine) = bitcode.load(options, Box::new(Elsewhere))?;
        let environment = std::env::vars_os()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        Ok(Concrete {
            machine,
            pristine,
            entry: entry.to_string(),
            environment: environment.collect(),
        })
    }

    /// The functions that are used and not defined.
    pub fn missing(&self) -> Vec<String> {
        let missing = self.machine.linked().missing();
        missing.iter().map(ToString::to_string).collect()
    }

    pub fn run(&mut self, test: &Test, limit: Duration) -> Result<Run, String> {
        let mut state = self.start(test)?;
        let end = self.to_its_end(&mut state, limit)?;
        let trace = state.trace().clone();
        Ok(Run { end, trace })
    }

    /// Where the machine is in this block of a test.
    pub fn place_of(&mut self, test: &Test, block: u64, limit: Duration) -> Option<Place> {
        let mut state = self.start(test).ok()?;
        state.end_with_block(block);
        self.to_its_end(&mut state, limit).ok()?;
        let place = self.machine.trace(&state).into_iter().next()?;
        Some(Place {
            function: place.function,
            file: place.file,
            line: place.line,
            column: place.column,
        })
    }

    fn start(&mut self, test: &Test) -> Result<State, String> {
        let mut state = self.machine.fork(&mut self.pristine);
        let inputs = test.inputs.iter();
        state.give(inputs.map(|input| (input.name.clone(), input.bytes.clone())));
        self.machine
            .start(&mut state, &self.entry, &test.args, &self.environment)
            .map_err(|error| error.to_string())?;
        Ok(state)
    }

    fn to_its_end(&mut self, state: &mut State, limit: Duration) -> Result<Option<End>, String> {
        const SLICE: u64 = 50_000_000;
        let deadline = Instant::now() + limit;
        let mut terms = Terms::new();
        loop {
            match self.machine.run(&mut terms, state, SLICE) {
                Stop::End(end) => return Ok(Some(end)),
                Stop::OutOfFuel if Instant::now() < deadline => {}
                Stop::OutOfFuel => return Ok(None),
                Stop::Ask(_) => {
                    return Err("something is symbolic though all inputs are given".into());
                }
            }
        }
    }
}
