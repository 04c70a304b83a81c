//! Before `main`: arguments, environment, and the functions that run at start.

use refrain_machine::{InputTable, Machine as _, Parameter, World};
use refrain_term::Terms;
use thiserror::Error;

use super::coverage::is_own;
use super::report::demangle;
use super::{Halt, Machine, State};
use crate::fingerprint;
use crate::ir::SymbolId;
use crate::load::FunctionKind;

/// Where a program starts.
#[derive(Clone, Debug)]
pub enum Start {
    /// At a function like `main`.
    Main { entry: String, world: World },
    /// At a function of any type; its pointers lead to buffers of so many bytes, by the names of its parameters.
    Function {
        entry: String,
        buffers: Vec<(String, u64)>,
    },
    /// At a function of a pointer and a number of bytes, at most so many.
    Fuzz { entry: String, most: u32 },
}

/// Where every exploration starts: the state of a program that was only loaded, and what is called.
pub(super) struct Origin {
    loaded: State,
    start: Start,
    parameters: Vec<Parameter>,
    calls: Calls,
}

/// Functions to be called before anything else, last first, some with an argument of their own.
type Calls = Vec<(u32, Option<Vec<u64>>)>;

#[derive(Debug, Error)]
pub enum StartError {
    #[error("no function {name} in the program{}", start_elsewhere(others))]
    NoEntry { name: String, others: Vec<String> },
    #[error("{0} has no body")]
    NoBody(String),
    #[error("the program's arguments do not fit into memory")]
    Memory,
    #[error("{name} is the name of several functions: {}", candidates.join(", "))]
    Ambiguous {
        name: String,
        candidates: Vec<String>,
    },
    #[error("the parameter {0} is a pointer: say what it points to with --buffer {0}=SIZE")]
    NoBuffer(String),
    #[error("there is no pointer parameter {name} for a buffer; the parameters are: {}", parameters.join(", "))]
    NoParameter {
        name: String,
        parameters: Vec<String>,
    },
    #[error("{0} is no fuzz target: it is to take a pointer and a number of bytes")]
    NoFuzzTarget(String),
    #[error("the parameter {0} cannot be symbolic: {1}")]
    Parameter(String, String),
    #[error("{0}")]
    Code(String),
}

/// What a program without the function that was named can start at.
fn start_elsewhere(others: &[String]) -> String {
    const MOST: usize = 8;
    if others.is_empty() {
        return String::new();
    }
    let more = if others.len() > MOST { ", …" } else { "" };
    let others = &others[..others.len().min(MOST)];
    format!("; --entry can name one of: {}{more}", others.join(", "))
}

/// What a fuzzer calls once, before its target.
pub(super) const FUZZ_PREPARATION: &str = "LLVMFuzzerInitialize";

impl Machine {
    pub(super) fn no_entry(&self, name: &str) -> StartError {
        let functions = 0..self.linked.functions.len() as u32;
        let own = functions.filter(|&function| is_own(&self.linked, function));
        let names = own.map(|function| demangle(&self.linked.functions[function as usize].name));
        StartError::NoEntry {
            name: name.to_string(),
            others: names.collect(),
        }
    }

    /// From here on, explorations start there, from a state in which nothing has run. The parameters of an entry
    /// function other than `main`.
    pub fn set_start(
        &mut self,
        mut loaded: State,
        start: Start,
    ) -> Result<Vec<Parameter>, StartError> {
        let mut state = loaded.fork();
        let parameters = self.start_at(&mut Terms::new(), &mut state, &start)?;
        self.inputs = InputTable::new();
        self.origin = Some(Origin {
            calls: self.constructor_calls(&mut loaded),
            loaded,
            start,
            parameters: parameters.clone(),
        });
        Ok(parameters)
    }

    /// A hash of all that happens before the first instruction: what is called, with which arguments, and what the
    /// program has in the place of functions and variables of the runtime.
    pub(super) fn start_hash(&self) -> u64 {
        let mut text = String::new();
        if let Some(origin) = &self.origin {
            text += &format!("{:?} {:?}\n", origin.start, origin.parameters);
            let functions = origin.calls.iter().flat_map(|(function, words)| {
                let first = words.as_ref().and_then(|words| words.first());
                let argument = first.and_then(|&address| origin.loaded.memory.function_at(address));
                [Some(*function), argument]
            });
            let last = [self.linked.find(FUZZ_PREPARATION), self.entry_function()];
            for function in functions.chain(last).flatten() {
                text += self.linked.lasting_symbol(function);
                text.push('\n');
            }
        }
        for name in self.linked.replaced_names() {
            text += name;
            text.push('\n');
        }
        fingerprint::hash_of_text(&text)
    }

    /// The function that explorations start at.
    fn entry_function(&self) -> Option<u32> {
        match &self.origin.as_ref()?.start {
            Start::Main { entry, .. } => self.linked.find(entry),
            Start::Function { entry, .. } | Start::Fuzz { entry, .. } => self.entry(entry).ok(),
        }
    }

    /// What may be called once a function has returned that nobody called: after what comes before the entry, anything
    /// of that.
    pub(super) fn called_after(&self, function: Option<u32>) -> Vec<u32> {
        let entry = self.entry_function();
        match &self.origin {
            Some(origin) if function != entry => {
                let calls = origin.calls.iter().map(|&(function, _)| function);
                calls.chain(entry).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The state that explorations start from, in a fresh arena.
    pub(super) fn start_anew(&mut self, terms: &mut Terms) -> State {
        self.inputs = InputTable::new();
        let mut origin = self.origin.take().expect("a start was set");
        let mut state = origin.loaded.fork();
        if let Err(error) = self.start_at(terms, &mut state, &origin.start) {
            state.internal = Some(format!("a program that started once does not: {error}"));
        }
        self.origin = Some(origin);
        state
    }

    fn start_at(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        start: &Start,
    ) -> Result<Vec<Parameter>, StartError> {
        match start {
            Start::Main { entry, world } => {
                self.start_in(terms, state, entry, world)?;
                Ok(Vec::new())
            }
            Start::Function { entry, buffers } => self.start_function(terms, state, entry, buffers),
            Start::Fuzz { entry, most } => self.start_fuzzing(terms, state, entry, *most),
        }
    }

    /// Gets a state ready to run `entry` after everything that runs before it, with standard input as the host has it.
    pub fn start(
        &mut self,
        state: &mut State,
        entry: &str,
        args: &[Vec<u8>],
        environment: &[Vec<u8>],
    ) -> Result<(), StartError> {
        let world = World::given(args, environment);
        // Nothing of it is symbolic.
        self.start_in(&mut Terms::new(), state, entry, &world)
    }

    /// The same in a world of which some may be inputs.
    pub fn start_in(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        entry: &str,
        world: &World,
    ) -> Result<(), StartError> {
        let function = self
            .linked
            .find(entry)
            .ok_or_else(|| self.no_entry(entry))?;
        if !matches!(
            self.linked.functions[function as usize].kind,
            FunctionKind::Code
        ) {
            return Err(StartError::NoBody(entry.into()));
        }
        self.prepare(terms, state, function, world)?;
        self.enter_first(state)
    }

    /// Gets the world ready and lists what is to be called, the entry last.
    pub(super) fn prepare(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        function: u32,
        world: &World,
    ) -> Result<(), StartError> {
        let calls = self.constructor_calls(state);
        let is_called_with_them = calls.last().is_none_or(|(_, own)| own.is_none());
        self.furnish(terms, state, world, is_called_with_them)?;
        state.start = calls;
        state.start.insert(0, (function, None));
        Ok(())
    }

    /// Tells the library by which name the program was called.
    pub(super) fn name_program(&self, state: &mut State, argv: u64, name: &[u8]) {
        let whole = read(state, argv, 8);
        let slash = name.iter().rposition(|&byte| byte == b'/');
        let short = whole + slash.map_or(0, |slash| slash as u64 + 1);
        for (variable, address) in [
            ("program_invocation_name", whole),
            ("__progname_full", whole),
            ("program_invocation_short_name", short),
            ("__progname", short),
        ] {
            if let Some(place) = self.linked.address_of(variable)
                && state.memory.contains(place, 8)
            {
                state.memory.initialise(place, &address.to_le_bytes());
            }
        }
    }

    /// What is called before the entry.
    fn constructor_calls(&self, state: &mut State) -> Calls {
        let mut start = self.constructors(state, "llvm.global_ctors", ".init_array");
        // What runs at the end is registered before anything else is, so that it runs last.
        if let Some(register) = self.linked.find("atexit") {
            let destructors = self.constructors(state, "llvm.global_dtors", ".fini_array");
            start.splice(
                0..0,
                destructors
                    .into_iter()
                    .map(|(_, address)| (Some(register), address)),
            );
        }
        let calls = start.into_iter().rev();
        calls
            .filter_map(|(function, address)| match function {
                Some(register) => Some((register, Some(vec![address]))),
                None => Some((state.memory.function_at(address)?, None)),
            })
            .collect()
    }

    /// Enters the first of the functions to be called.
    pub(super) fn enter_first(&mut self, state: &mut State) -> Result<(), StartError> {
        match self.start_next(state) {
            Ok(()) => Ok(()),
            Err(Halt::End(super::End::Unsupported(what))) => Err(StartError::Code(what.what)),
            Err(_) => Err(StartError::Code("the program ends before it starts".into())),
        }
    }

    /// Writes what the program's streams still hold, after its path has ended. The stack is gone then.
    pub fn flush(&mut self, terms: &mut Terms, state: &mut State) {
        const ENOUGH: u64 = 10_000_000;
        let Some(flush) = self.linked.find("__refrain_flush_all") else {
            return;
        };
        self.pop_to(state, 0);
        state.answers.clear();
        state.start.clear();
        state.world.failures_left = 0;
        if self.enter(state, flush, &[], 0, super::Then::Start).is_ok() {
            // However that ends, there is nobody to tell.
            let _ = self.run(terms, state, ENOUGH);
        }
    }

    /// Functions listed by the modules to run at start or end: those of shared libraries before the program's, of each
    /// by priority.
    fn constructors(
        &self,
        state: &mut State,
        list: &str,
        section: &str,
    ) -> Vec<(Option<u32>, u64)> {
        let mut found = Vec::new();
        let linked = self.linked.clone();
        for (module, unit) in linked.program.modules.iter().enumerate() {
            // A library is after those that are linked with it.
            let library = std::cmp::Reverse(linked.program.library_of(module));
            for (index, symbol) in unit.symbols.iter().enumerate() {
                let address = linked.address(module, SymbolId(index as u32));
                if symbol.is_declaration() || address == 0 {
                    continue;
                }
                if symbol.name == list {
                    let size = state
                        .memory
                        .object_at(address)
                        .map_or(0, |object| object.size);
                    for entry in 0..size / 24 {
                        let priority = (library, read(state, address + entry * 24, 4));
                        found.push((priority, read(state, address + entry * 24 + 8, 8)));
                    }
                } else if symbol
                    .section
                    .as_deref()
                    .is_some_and(|name| name.starts_with(section))
                {
                    let size = state
                        .memory
                        .object_at(address)
                        .map_or(0, |object| object.size);
                    let priority = symbol
                        .section
                        .as_deref()
                        .and_then(|name| name.rsplit('.').next()?.parse().ok());
                    for entry in 0..size / 8 {
                        found.push((
                            (library, priority.unwrap_or(65535)),
                            read(state, address + entry * 8, 8),
                        ));
                    }
                }
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        found
            .into_iter()
            .map(|(_, address)| (None, address))
            .filter(|&(_, address)| address != 0)
            .collect()
    }
}

fn read(state: &mut State, address: u64, bytes: u32) -> u64 {
    let mut read = Vec::new();
    let is_there = state
        .memory
        .concrete_bytes(address, u64::from(bytes), &mut read);
    if !matches!(is_there, Ok(true)) {
        return 0;
    }
    read.resize(8, 0);
    u64::from_le_bytes(read.try_into().unwrap_or_default())
}
