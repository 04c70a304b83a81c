//! The machine: runs a program's register code on values that may be symbolic, until it must ask.
//!
//! `run` is the main loop for what is plain; `symbolic` does the same operations on terms; `access` is memory; `call`
//! enters and leaves functions; `rare` is what has no operation of its own; `unwind` finds who catches an exception;
//! `report` says where and what.

mod access;
mod address;
mod bits;
mod call;
mod coverage;
mod distance;
mod entry;
mod facts;
pub(crate) mod float;
mod graph;
mod inputs;
mod loops;
mod point;
mod rare;
mod report;
mod run;
mod source;
mod start;
mod state;
mod symbolic;
mod target;
mod trace;
mod uninitialised;
mod unwind;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use refrain_machine::{
    Answer, Ask, CodePiece, CodePoint, CodeUnit, ExitStatus, Goal, InputId, InputTable, PathInputs,
    Point, Stop,
};
use refrain_term::{OneArena, Term, Terms};

pub(crate) use call::exited;
pub use coverage::{Coverage, Mark};
pub(crate) use inputs::NewInput;
pub use refrain_machine::{End, ErrorKind, Fault, Object, Parameter, Place, Unsupported};
pub use report::demangle;
pub use source::{Item, Outline};
pub use start::{Start, StartError};
pub(crate) use state::Stack;
pub(crate) use state::{Frame, Jump, Then};
pub use state::{Output, Printed, State};
pub(crate) use unwind::Found;
pub(crate) use world::{Unknown, Unsettled, Unstarted};

use crate::link::Program;
use crate::load::{LoadError, Options};
use crate::memory::Memory;
pub use crate::memory::Site;
use crate::native::file_system::FileSystem;
use crate::native::{Host, World};
use facts::Facts;
use run::LoopExit;

pub use crate::load::Linked;

/// Why an instruction was not done: nothing of it has happened, except on the way to an end.
#[derive(Debug)]
pub enum Halt {
    Ask(Ask),
    End(End),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Stop {
        match halt {
            Halt::Ask(ask) => Stop::Ask(ask),
            Halt::End(end) => Stop::End(end),
        }
    }
}

/// Bytes that the objects of a path may reserve together: half of the address space, as where memory is overcommitted.
const MOST_RESERVED: u64 = 1 << 46;

/// Bytes that they may touch, which the host must have.
const MOST_RESIDENT: u64 = 1 << 32;

/// Runs states of one program.
pub struct Machine {
    pub(crate) linked: Rc<Linked>,
    /// The inputs of all paths since the last start.
    pub(crate) inputs: InputTable,
    /// Assumptions that a path has passed.
    passed: BTreeSet<Site>,
    /// Where every exploration starts.
    origin: Option<start::Origin>,
    pub(crate) host: Box<dyn Host>,
    covered: coverage::Covered,
    splits: uninitialised::Splits,
    /// Some path has started a thread.
    pub has_threads: bool,
    ways: distance::Ways,
    loops: loops::Loops,
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
        mut host: Box<dyn Host>,
    ) -> Result<(Machine, State), LoadError> {
        let mut memory = Memory::new(crate::memory::Options {
            track_uninitialised: options.check_uninitialised,
            limit: MOST_RESERVED,
            resident: MOST_RESIDENT,
        });
        let linked = Linked::load(program, options, &mut memory)?;
        let mut files = FileSystem::new(host.seen());
        files.begin(&host.seen(), &mut *host);
        let world = World {
            files: Rc::new(files),
            ..World::default()
        };
        let machine = Machine {
            covered: coverage::Covered::new(&linked),
            splits: uninitialised::Splits::default(),
            has_threads: false,
            ways: distance::Ways::default(),
            loops: loops::Loops::default(),
            prints_later: false,
            symbolic_steps: 0,
            building: Duration::ZERO,
            linked: Rc::new(linked),
            inputs: InputTable::new(),
            passed: BTreeSet::new(),
            origin: None,
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
            parked: BTreeMap::new(),
            inputs: PathInputs::default(),
            internal: None,
            output: Vec::new(),
            output_len: 0,
            instructions: 0,
            unrolled: Vec::new(),
            world,
            start: Vec::new(),
            parameters: None,
            printed: Rc::default(),
            facts: Facts::default(),
            arena: OneArena::new(),
        };
        Ok((machine, state))
    }

    /// Connects the program to something else from here on.
    pub fn set_host(&mut self, host: Box<dyn Host>) {
        self.host = host;
    }

    /// The assumptions of the program that some path has passed, by where they are called.
    pub fn passed_assumptions(&self) -> impl Iterator<Item = Site> {
        self.passed.iter().copied()
    }

    /// The assumption that is made at a place is satisfied.
    pub(crate) fn pass(&mut self, site: Site) {
        self.passed.insert(site);
        self.covered.trace_passed(&self.linked, site);
    }

    pub fn linked(&self) -> &Linked {
        &self.linked
    }

    /// Whether symbolic numbers that are only printed stay open: the path does not go on with one value of them. What
    /// was written is then to be had from [`State::written`] alone.
    pub fn print_later(&mut self, later: bool) {
        self.prints_later = later;
    }

    fn run_frames(&mut self, terms: &mut Terms, state: &mut State, limit: u64) -> Stop {
        loop {
            let Some(frame) = state.frames.last() else {
                return Stop::End(End::Exit(ExitStatus::Known(0)));
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

    /// Where things lie in memory may have mattered to this run.
    pub(crate) fn note_layout(&self) {
        self.covered.note_layout();
    }

    /// Asks, unless it is answered already.
    pub(crate) fn ask(&self, terms: &mut Terms, state: &mut State, ask: Ask) -> Result<u64, Halt> {
        let ask = self.about_inputs(terms, state, ask)?;
        match state.answers.get(state.asked) {
            Some(&answer) => {
                state.asked += 1;
                Ok(answer)
            }
            None => Err(Halt::Ask(ask)),
        }
    }

    /// Which of the conditions holds; one that is true already is not asked about.
    pub(crate) fn choose(
        &self,
        terms: &mut Terms,
        state: &mut State,
        mut conditions: Vec<Term>,
    ) -> Result<usize, Halt> {
        self.conditions_on_inputs(terms, state, &mut conditions)?;
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
        let answer = self.ask(terms, state, Ask::Choose(conditions.clone()))? as usize;
        state.facts.tell(conditions[answer]);
        Ok(answer)
    }

    /// Whether a condition holds on this path from here on.
    pub(crate) fn decide(
        &self,
        terms: &mut Terms,
        state: &mut State,
        condition: Term,
    ) -> Result<bool, Halt> {
        let not = terms.not(condition);
        Ok(self.choose(terms, state, vec![condition, not])? == 0)
    }
}

impl refrain_machine::Machine for Machine {
    type State = State;

    fn begin(&mut self, terms: &mut Terms) -> State {
        self.start_anew(terms)
    }

    fn inputs(&self) -> &InputTable {
        &self.inputs
    }

    fn inputs_mut(&mut self) -> &mut InputTable {
        &mut self.inputs
    }

    fn inputs_of(&self, state: &State) -> Vec<(InputId, u32)> {
        state.inputs.iter().collect()
    }

    fn run(&mut self, terms: &mut Terms, state: &mut State, fuel: u64) -> Stop {
        if let Some(what) = &state.internal {
            return Stop::End(End::Internal(what.clone()));
        }
        state.asked = 0;
        state.facts.forget_told();
        self.covered.begin(&self.linked, state);
        if let Err(halt) = self.finish_starting(terms, state) {
            return halt.into();
        }
        let limit = state.instructions.saturating_add(fuel);
        self.run_frames(terms, state, limit)
    }

    fn answer(&mut self, state: &mut State, answer: &Answer) {
        if self.loops.is_counting
            && state.world.unstarted.is_none()
            && let Answer::Choice(choice) = answer
        {
            self.count_decision(state, *choice);
        }
        match answer.word() {
            Some(word) => state.answers.push(word),
            // Nothing that is asked here is wider than a word.
            None => state.internal = Some(format!("an answer that is no word: {answer:?}")),
        }
    }

    fn fork(&mut self, state: &mut State) -> State {
        state.fork()
    }

    fn may_fork(&self, state: &State) -> bool {
        !state.world.stays_whole
    }

    fn point(&self, state: &State) -> Point {
        self.point_of(state.site())
    }

    fn stack(&self, state: &State, choice: Option<u32>) -> Vec<Point> {
        self.points_of(state, choice)
    }

    fn describe(&self, point: Point) -> CodePoint {
        self.code_point(point)
    }

    fn find_point(&self, symbol: &str, block: u32, instruction: u32) -> Option<Point> {
        self.point_by_name(symbol, block, instruction)
    }

    fn preferences<'s>(&self, state: &'s State) -> &'s [Term] {
        &state.world.preferences
    }

    fn instructions(&self, state: &State) -> u64 {
        state.instructions
    }

    fn unrolled(&self, state: &State) -> u32 {
        state.most_unrolled()
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

    fn trace_code(&mut self, on: bool) {
        self.start_tracing(on);
    }

    fn take_ran(&mut self) -> &[CodePiece] {
        self.covered.take_ran()
    }

    fn code(&self, piece: CodePiece) -> CodeUnit {
        self.code_unit(piece)
    }

    fn code_hash(&self, symbol: &str, block: u32) -> Option<u64> {
        self.hash_of_code(symbol, block)
    }

    fn cover_code(&mut self, unit: &CodeUnit) {
        self.cover_unit(unit);
    }

    fn newly_covered(&mut self) -> u64 {
        self.count_new()
    }

    fn distance(&mut self, state: &State, choice: Option<u32>, goal: Goal) -> Option<u32> {
        self.distance_to(state, choice, goal)
    }

    fn distance_of(&mut self, stack: &[Point], choice: Option<u32>, goal: Goal) -> Option<u32> {
        self.distance_along(stack, choice, goal)
    }
}
