//! A test in the machine: the same code as the native program's, with the test's inputs, nothing symbolic.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use refrain_llvm::load::Options;
use refrain_llvm::machine::{Machine, Outline, State};
use refrain_llvm::native::trace::Trace;
use refrain_machine::{End, Machine as _, Place, Stop};
use refrain_results::{self as results, Test};
use refrain_term::Terms;

use crate::given::Given;
use crate::host_files::{Connection, HostFiles};
use crate::program::Bitcode;

/// What a program runs on: the files that it sees of the host, and which calls may fail.
#[derive(Clone)]
pub struct Platform {
    pub files: HostFiles,
    /// How many system calls may fail.
    pub max_fail: u32,
}

impl Platform {
    /// As a run that was recorded had them.
    pub fn of(run: &results::Run) -> Result<Platform, String> {
        let given = Given::read(&run.switches);
        let words = run.args.iter().skip(1);
        let words: Vec<Vec<u8>> = words.map(|word| word.clone().into_bytes()).collect();
        let behind = match given.has("posix-runtime") {
            true => crate::run::posix_max_fail(&words)?,
            false => None,
        };
        let in_front = given.value("max-fail").map_or(Ok(0), str::parse);
        let in_front = in_front.map_err(|error| format!("--max-fail: {error}"))?;
        Ok(Platform {
            files: HostFiles::of(run)?,
            max_fail: behind.unwrap_or(in_front),
        })
    }
}

/// A machine with a program in it, which is started for every test anew.
pub struct Concrete {
    machine: Machine,
    pristine: State,
    entry: Start,
}

/// Where a program starts.
#[derive(Clone)]
pub enum Start {
    /// At `main`, in the world that the run was told.
    Main(Box<results::Run>),
    /// At another function, whose pointers lead to buffers of so many bytes.
    Function(String, Vec<(String, u64)>),
    /// At a fuzz target, whose input has at most so many bytes.
    Fuzz(String, u32),
}

impl Start {
    /// Where a run that was recorded has started.
    pub fn of(run: &results::Run) -> Start {
        if run.parameters.is_empty() && matches!(run.entry.as_str(), "" | "main") {
            return Start::Main(Box::new(run.clone()));
        }
        if let [parameter] = &run.parameters[..]
            && parameter.sized
        {
            let most = parameter.buffer.unwrap_or(0) as u32;
            return Start::Fuzz(run.entry.clone(), most);
        }
        let buffers = run.parameters.iter().filter_map(|parameter| {
            let is_named = parameter.pointer && !parameter.by_value && !parameter.result;
            Some((
                parameter.name.clone(),
                parameter.buffer.filter(|_| is_named)?,
            ))
        });
        Start::Function(run.entry.clone(), buffers.collect())
    }
}

/// What a run did.
pub struct Run {
    /// Missing if its time was up.
    pub end: Option<End>,
    pub trace: Trace,
    /// Natively, threads may take turns in another order.
    pub has_threads: bool,
}

impl Concrete {
    pub fn new(
        bitcode: &Bitcode,
        options: Options,
        entry: Start,
        platform: &Platform,
    ) -> Result<Concrete, String> {
        let host = Connection::detached(&platform.files);
        let (machine, mut pristine) = bitcode.load(options, host)?;
        pristine.allow_failures(platform.max_fail);
        Ok(Concrete {
            machine,
            pristine,
            entry,
        })
    }

    /// The symbol of a function that the user has named.
    pub fn symbol(&self, name: &str) -> Result<String, String> {
        let symbol = self.machine.entry_symbol(name);
        symbol
            .map(str::to_string)
            .map_err(|error| error.to_string())
    }

    /// The error is what the test and the program do not agree on from the start.
    pub fn run(&mut self, test: &Test, limit: Duration) -> Result<Run, String> {
        let mut state = self.start(test)?;
        self.machine.has_threads = false;
        let end = self.finish(&mut state, limit)?;
        Ok(Run {
            end,
            trace: state.trace().clone(),
            has_threads: self.machine.has_threads,
        })
    }

    /// What of the program's source a test runs, as numbers of the outline's; and how it ended, unless its time was up.
    pub fn cover(
        &mut self,
        outline: &Outline,
        test: &Test,
        limit: Duration,
    ) -> Result<(BTreeSet<u32>, Option<End>), String> {
        self.machine.forget_coverage();
        let mut state = self.start(test)?;
        let end = self.finish(&mut state, limit)?;
        Ok((self.machine.ran_items(outline, &state), end))
    }

    /// The items of the source that are in files which are wanted.
    pub fn outline(&self, is_wanted: impl Fn(&str) -> bool) -> Outline {
        self.machine.outline(is_wanted)
    }

    /// The blocks that a run's numbers stand for: the function's symbol, and the address of the guard.
    pub fn blocks(&self, trace: &Trace) -> Vec<(String, u64)> {
        let functions = &self.machine.linked().functions;
        let name = |function: u32| functions.get(function as usize).map(|known| &known.name);
        let blocks = trace.blocks.iter();
        blocks
            .map(|&(function, guard)| (name(function).cloned().unwrap_or_default(), guard))
            .collect()
    }

    /// Where the machine is in this block of a test.
    pub fn place_of(&mut self, test: &Test, block: u64, limit: Duration) -> Option<Place> {
        let mut state = self.start(test).ok()?;
        state.end_with_block(block);
        self.finish(&mut state, limit).ok()?;
        self.machine.trace(&state).into_iter().next()
    }

    fn start(&mut self, test: &Test) -> Result<State, String> {
        let mut state = self.machine.fork(&mut self.pristine);
        // What of the world was symbolic is as the test has it.
        let inputs = test.inputs.iter().filter(|input| !input.role.is_of_world());
        state.give(inputs.map(|input| (input.name.clone(), input.bytes.clone())));
        let mut terms = Terms::new();
        let started = match &self.entry {
            Start::Main(run) => {
                let world = run.surroundings(test).into();
                self.machine
                    .start_in(&mut terms, &mut state, "main", &world)
            }
            Start::Function(name, buffers) => {
                let started = self
                    .machine
                    .start_function(&mut terms, &mut state, name, buffers);
                started.map(drop)
            }
            Start::Fuzz(name, most) => {
                let started =
                    { &mut self.machine }.start_fuzzing(&mut terms, &mut state, name, *most);
                started.map(drop)
            }
        };
        started.map_err(|error| error.to_string())?;
        Ok(state)
    }

    fn finish(&mut self, state: &mut State, limit: Duration) -> Result<Option<End>, String> {
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
