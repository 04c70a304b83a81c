//! The machine: runs a program's register code on values that may be symbolic, until it must ask.
//!
//! `run` is the main loop for what is plain; `symbolic` does the same operations on terms; `access` is memory; `call`
//! enters and leaves functions; `rare` is what has no operation of its own; `unwind` finds who catches an exception;
//! `report` says where and what.

mod access;
mod bits;
mod call;
mod coverage;
mod distance;
mod end;
mod entry;
pub(crate) mod float;
mod graph;
mod rare;
mod report;
mod run;
mod source;
mod start;
mod state;
mod symbolic;
mod target;
mod unwind;

use std::rc::Rc;
use std::time::Duration;

use refrain_explore::{Ask, Goal, Point, Stop};
use refrain_term::{Term, Terms};

pub use coverage::{Coverage, Mark, is_system_file};
pub use end::{End, Error, ErrorKind, Object, Place, Unsupported};
pub use entry::Parameter;
pub use report::demangle;
pub use source::{Item, Outline};
pub use start::StartError;
pub(crate) use state::{Frame, Jump, Then};
pub use state::{Input, Output, Printed, State};
pub(crate) use unwind::Found;

use crate::link::Program;
use crate::load::{LoadError, Options};
use crate::memory::Memory;
use crate::native::{Host, World};
use run::LoopExit;

pub use crate::load::Linked;

/// Why an instruction was not done: nothing of it has happened, except on the way to an end.
#[derive(Debug)]
pub enum Halt {
    Ask(Ask),
    End(End),
}

impl From<Halt> for Stop<End> {
    fn from(halt: Halt) -> Stop<End> {
        match halt {
            Halt::Ask(ask) => Stop::Ask(ask),
            Halt::End(end) => Stop::End(end),
        }
    }
}

/// Bytes of all objects of a path together. All may be touched, so the host must have them.
const MOST_MEMORY: u64 = 1 << 32;

/// Runs states of one program.
pub struct Machine {
    pub(crate) linked: Rc<Linked>,
    pub(crate) host: Box<dyn Host>,
    covered: coverage::Covered,
    ways: distance::Ways,
    pub(crate) prints_later: bool,
    symbolic_steps: u32,
    /// About what instructions on terms took.
    building: Duration,
}

impl Machine {
    /// Loads a program; the state is right before its first instruction.
    pub fn new(
        program: Program,
        options: Options,
        host: Box<dyn Host>,
    ) -> Result<(Machine, State), LoadError> {
        let mut memory = Memory::new(crate::memory::Options {
            track_uninitialised: options.check_uninitialised,
            limit: MOST_MEMORY,
        });
        let linked = Linked::load(program, options, &mut memory)?;
        let machine = Machine {
            covered: coverage::Covered::new(&linked),
            ways: distance::Ways::default(),
            prints_later: false,
            symbolic_steps: 0,
            building: Duration::ZERO,
            linked: Rc::new(linked),
            host,
        };
        let state = State {
            memory,
            registers: Vec::new(),
            terms: Vec::new(),
            frames: Vec::new(),
            objects: Vec::new(),
            answers: Vec::new(),
            asked: 0,
            keep_answers: false,
            landed: (0, 0),
            jumps: Vec::new(),
            inputs: Vec::new(),
            output: Vec::new(),
            instructions: 0,
            world: World::default(),
            start: Vec::new(),
            parameters: None,
            printed: Rc::default(),
        };
        Ok((machine, state))
    }

    /// Connects the program to something else from here on.
    pub fn set_host(&mut self, host: Box<dyn Host>) {
        self.host = host;
    }

    pub fn linked(&self) -> &Linked {
        &self.linked
    }

    /// Whether symbolic numbers that are only printed stay open: the path does not go on with one value of them. What
    /// was written is then to be had from [`State::written`] alone.
    pub fn print_later(&mut self, later: bool) {
        self.prints_later = later;
    }

    /// Asks, unless it is answered already.
    pub(crate) fn ask(&self, state: &mut State, ask: Ask) -> Result<u64, Halt> {
        match state.answers.get(state.asked) {
            Some(&answer) => {
                state.asked += 1;
                Ok(answer)
            }
            None => Err(Halt::Ask(ask)),
        }
    }

    /// Which of the conditions holds; one that is true already is not asked about.
    pub(crate) fn choose(&self, state: &mut State, conditions: Vec<Term>) -> Result<usize, Halt> {
        if let Some(known) = conditions
            .iter()
            .position(|&condition| condition == Term::TRUE)
        {
            return Ok(known);
        }
        let possible = conditions
            .iter()
            .filter(|&&condition| condition != Term::FALSE)
            .count();
        if possible == 1 {
            let only = conditions
                .iter()
                .position(|&condition| condition != Term::FALSE);
            return Ok(only.unwrap_or(0));
        }
        self.ask(state, Ask::Choose(conditions))
            .map(|answer| answer as usize)
    }

    /// Whether a condition holds on this path from here on.
    pub(crate) fn decide(
        &self,
        terms: &mut Terms,
        state: &mut State,
        condition: Term,
    ) -> Result<bool, Halt> {
        let not = terms.not(condition);
        Ok(self.choose(state, vec![condition, not])? == 0)
    }
}

impl refrain_explore::Machine for Machine {
    type State = State;
    type End = End;

    fn run(&mut self, terms: &mut Terms, state: &mut State, fuel: u64) -> Stop<End> {
        let limit = state.instructions.saturating_add(fuel);
        state.asked = 0;
        self.covered.begin();
        loop {
            let Some(frame) = state.frames.last() else {
                return Stop::End(End::Exit(0));
            };
            let exit = if frame.symbolic {
                self.steps::<true>(terms, state, limit)
            } else {
                self.steps::<false>(terms, state, limit)
            };
            match exit {
                LoopExit::OtherLoop => {}
                LoopExit::Stop(stop) => return stop,
            }
        }
    }

    fn answer(&mut self, state: &mut State, answer: u64) {
        state.answers.push(answer);
    }

    fn fork(&mut self, state: &mut State) -> State {
        state.fork()
    }

    fn point(&self, state: &State) -> Point {
        let site = state.site();
        Point {
            function: site.function,
            offset: site.pc,
        }
    }

    fn preferences<'s>(&self, state: &'s State) -> &'s [Term] {
        &state.world.preferences
    }

    fn instructions(&self, state: &State) -> u64 {
        state.instructions
    }

    fn building(&self) -> Duration {
        self.building
    }

    fn weight(&self, state: &State) -> usize {
        state.weight()
    }

    fn park(&mut self, state: &mut State) {
        state.memory.park();
    }

    fn ran(&self) -> &[u32] {
        &self.covered.ran
    }

    fn newly_covered(&mut self) -> u64 {
        self.count_new()
    }

    fn distance(&mut self, state: &State, way: Option<u32>, goal: Goal) -> Option<u32> {
        self.distance_to(state, way, goal)
    }
}
