//! What a whole program is started in: arguments, environment, standard input and files, of which some bytes are
//! inputs.
//!
//! How many arguments there are is one question, at the program's first instruction: `argc` and `argv` are concrete from
//! there on; so is the length of what a fuzz target is called with. How long a file is, or standard input, is asked
//! when the program first does something that depends on it (`native/lengths`): a program that never looks has no
//! paths for it.

use std::rc::Rc;

use refrain_machine::{ArgumentShape, Contents, Named, Number, Parameter, Role, World, join_bytes};
use refrain_term::{Term, Terms};

use super::start::FUZZ_PREPARATION;
use super::{Halt, Machine, StartError, State};
use crate::memory::{self, Kind, Site, Value};
use crate::native::file_system::Content;

/// What the program is called with, and is not in memory yet.
#[derive(Clone)]
pub(crate) enum Unstarted {
    Arguments {
        world: Rc<World>,
        /// The function that was entered first is called with them.
        is_called_with_them: bool,
    },
    /// The bytes of a fuzz target, at most so many.
    Bytes { most: u32 },
}

/// Contents of which something is not known yet.
#[derive(Clone)]
pub(crate) struct Unsettled {
    /// The node of the file system that holds them.
    pub node: usize,
    pub what: Unknown,
}

#[derive(Clone)]
pub(crate) enum Unknown {
    /// They are as long as they can be.
    Length(Number),
    /// The host has them.
    Everything,
}

/// The input of a fuzz target, and the one that says how long it is.
const FUZZED: &str = "data";

fn fuzzed_length(most: u32) -> Number {
    Number {
        name: format!("{FUZZED}-size"),
        role: Role::Length,
        least: 0,
        most,
    }
}

impl Machine {
    /// Gets the environment, standard input and files ready, and the arguments, unless there may be more or fewer.
    pub(super) fn furnish(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        world: &World,
        is_called_with_them: bool,
    ) -> Result<(), StartError> {
        let counts = world.argument_counts();
        for count in &counts {
            self.world_input(terms, state, &count.name, count.role, Number::BYTES);
        }
        let mut arguments = [0; 3];
        if counts.is_empty() {
            let shapes = world.arguments(|_| Err(StartError::Memory))?;
            arguments[0] = shapes.len() as u64;
            arguments[1] = self.argument_strings(terms, state, shapes)?;
        } else {
            state.world.unstarted = Some(Unstarted::Arguments {
                world: Rc::new(world.clone()),
                is_called_with_them,
            });
        }
        let variables = world.environment.iter();
        let variables: Vec<Vec<Value>> = variables
            .map(|variable| self.variable(terms, state, variable))
            .collect();
        let envp = self.strings(terms, state, &variables)?;
        arguments[2] = envp;
        for name in ["environ", "__environ", "_environ"] {
            if let Some(address) = self.linked.address_of(name)
                && state.memory.contains(address, 8)
            {
                state.memory.initialise(address, &envp.to_le_bytes());
            }
        }
        state.world.arguments = arguments;
        if let Some(contents) = &world.stdin {
            let (content, length) = self.content(terms, state, contents, "stdin", Role::Stdin);
            let files = Rc::make_mut(&mut state.world.files);
            files.set_input(content);
            let node = files.node_behind(0);
            self.leave_unsettled(state, node, length);
        }
        for file in &world.files {
            let input = World::file_input(&file.name.0);
            let (content, length) = self.content(terms, state, &file.contents, &input, Role::File);
            let files = Rc::make_mut(&mut state.world.files);
            files.add_file(&file.name.0, content);
            let node = files.node_named(&file.name.0);
            self.leave_unsettled(state, node, length);
        }
        Ok(())
    }

    /// Puts what the program is called with into memory, once it is known how much that is.
    pub(super) fn finish_starting(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
    ) -> Result<(), Halt> {
        let Some(unstarted) = state.world.unstarted.clone() else {
            return Ok(());
        };
        match unstarted {
            Unstarted::Arguments {
                world,
                is_called_with_them,
            } => {
                let shapes = world.arguments(|count| self.choose_number(terms, state, count))?;
                state.world.arguments[0] = shapes.len() as u64;
                state.world.arguments[1] = self
                    .argument_strings(terms, state, shapes)
                    .map_err(|error| self.unsupported(state, error.to_string()))?;
                if is_called_with_them {
                    self.call_first_with(state, &state.world.arguments.clone());
                }
            }
            Unstarted::Bytes { most } => {
                let length = self.choose_number(terms, state, &fuzzed_length(most))?;
                let words = self
                    .fuzzed_bytes(terms, state, u64::from(length))
                    .map_err(|error| self.unsupported(state, error.to_string()))?;
                // Nothing comes before the target.
                if state.start.is_empty() {
                    self.call_first_with(state, &words);
                }
            }
        }
        state.world.unstarted = None;
        state.answers.clear();
        state.asked = 0;
        Ok(())
    }

    /// The function that was entered first is called with these words.
    fn call_first_with(&self, state: &mut State, words: &[u64]) {
        let Some(frame) = state.frames.last() else {
            return;
        };
        let params = { self.linked.code(frame.function) }.map_or(0, |code| code.params);
        let registers = &mut state.registers[frame.base as usize..];
        for (register, word) in registers.iter_mut().zip(words).take(params as usize) {
            *register = *word;
        }
    }

    /// Gets a state ready to call a fuzz target: a function of a pointer and of how many bytes, at most so many, it
    /// leads to. What lies behind them is not the target's.
    pub fn start_fuzzing(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        entry: &str,
        most: u32,
    ) -> Result<Vec<Parameter>, StartError> {
        state.arena.check(terms);
        let function = self.entry(entry)?;
        if !self.takes_bytes(function) {
            return Err(StartError::NoFuzzTarget(entry.into()));
        }
        let world = World::given(&[entry.as_bytes().to_vec()], &[]);
        self.prepare(terms, state, function, &world)?;
        self.initialise_fuzzing(state)?;
        let given = { state.world.given.as_ref() }
            .map(|given| given.get(FUZZED).map_or(0, |bytes| bytes.len() as u64));
        match given {
            Some(length) => {
                self.fuzzed_bytes(terms, state, length)?;
            }
            None => {
                let length = fuzzed_length(most);
                self.world_input(terms, state, &length.name, length.role, Number::BYTES);
                state.parameters = Some(Rc::new(vec![Value::Concrete(0); 2]));
                state.world.unstarted = Some(Unstarted::Bytes { most });
            }
        }
        self.enter_first(state)?;
        Ok(vec![Parameter {
            name: FUZZED.into(),
            bits: 64,
            pointer: true,
            buffer: Some(u64::from(most)),
            sized: true,
            ..Parameter::default()
        }])
    }

    /// Has the program's own preparation called before the target, with places for the arguments.
    fn initialise_fuzzing(&self, state: &mut State) -> Result<(), StartError> {
        let Some(function) = self.linked.find(FUZZ_PREPARATION) else {
            return Ok(());
        };
        let origin = memory::Origin {
            kind: Kind::Runtime,
            name: 0,
            site: Site::default(),
        };
        let mut places = Vec::new();
        for word in state.world.arguments {
            let place = state.memory.allocate(8, 8, origin);
            let place = place.ok_or(StartError::Memory)?;
            state.memory.initialise(place, &word.to_le_bytes());
            places.push(place);
        }
        // The target itself comes last.
        state.start.insert(1, (function, Some(places)));
        Ok(())
    }

    /// A buffer with exactly so many bytes of input: its address and its length, which the target is called with.
    fn fuzzed_bytes(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        length: u64,
    ) -> Result<[u64; 2], StartError> {
        let words = [self.buffer(terms, state, FUZZED, length, false)?, length];
        state.parameters = Some(Rc::new(words.map(Value::Concrete).to_vec()));
        Ok(words)
    }

    /// The number that inputs choose on this path from here on.
    pub(crate) fn choose_number(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        number: &Number,
    ) -> Result<u32, Halt> {
        let Number {
            name,
            role,
            least,
            most,
        } = number;
        let input = self.inputs.declare(terms, name, *role, 8, Number::BYTES);
        let bytes = self.inputs.elements(input)[..Number::BYTES as usize].to_vec();
        let value = join_bytes(terms, &bytes).unwrap_or(Term::TRUE);
        // What is less or more than can be counts as the least or the most.
        let condition = |value_is: u32| {
            let constant = terms.bv(8 * Number::BYTES, u64::from(value_is));
            match value_is {
                it if it == *least => terms.bv_ule(value, constant),
                it if it == *most => terms.bv_ule(constant, value),
                _ => terms.eq(value, constant),
            }
        };
        let conditions = (*least..=*most).map(condition).collect();
        Ok(least + self.choose(terms, state, conditions)? as u32)
    }

    fn leave_unsettled(&self, state: &mut State, node: Option<usize>, what: Option<Unknown>) {
        if let (Some(node), Some(what)) = (node, what) {
            Rc::make_mut(&mut state.world.unsettled).push(Unsettled { node, what });
        }
    }

    /// Contents as long as they can be, and what is not known of them.
    fn content(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        contents: &Contents,
        name: &str,
        role: Role,
    ) -> (Content, Option<Unknown>) {
        match contents {
            Contents::Given(bytes) => (Content::from(&bytes.0[..]), None),
            Contents::Piped => (Content::default(), Some(Unknown::Everything)),
            Contents::Symbolic { most, .. } => {
                let mut content = Content::default();
                for term in self.world_input(terms, state, name, role, *most) {
                    content.push(self.value_of(terms, term));
                }
                let length = World::length_of(name, contents);
                if let Some(length) = &length {
                    self.world_input(terms, state, &length.name, length.role, Number::BYTES);
                }
                (content, length.map(Unknown::Length))
            }
        }
    }

    /// `NAME=value`
    fn variable(&mut self, terms: &mut Terms, state: &mut State, variable: &Named) -> Vec<Value> {
        let name = &variable.name.0;
        let input = World::variable_input(name);
        let concrete = |&byte: &u8| Value::Concrete(u64::from(byte));
        let mut bytes: Vec<Value> = name.iter().chain(b"=").map(concrete).collect();
        match &variable.contents {
            Contents::Given(value) => bytes.extend(value.0.iter().map(concrete)),
            Contents::Piped => {}
            // A zero ends it.
            Contents::Symbolic { most, .. } => {
                let value = self.world_input(terms, state, &input, Role::Environment, *most);
                bytes.extend(value.into_iter().map(|term| self.value_of(terms, term)));
            }
        }
        bytes
    }

    fn argument_strings(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        shapes: Vec<ArgumentShape>,
    ) -> Result<u64, StartError> {
        let own_name = shapes.first().map(|shape| shape.given.clone());
        let mut strings = Vec::new();
        for shape in shapes {
            let given = shape.given.into_iter();
            let mut bytes: Vec<Value> =
                given.map(|byte| Value::Concrete(u64::from(byte))).collect();
            if let Some((name, most)) = shape.input {
                let symbolic = self.world_input(terms, state, &name, Role::Argument, most);
                bytes.extend(symbolic.into_iter().map(|term| self.value_of(terms, term)));
            }
            strings.push(bytes);
        }
        let argv = self.strings(terms, state, &strings)?;
        if let Some(name) = own_name {
            self.name_program(state, argv, &name);
        }
        Ok(argv)
    }

    /// The bytes of a new input.
    fn world_input(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        name: &str,
        role: Role,
        bytes: u32,
    ) -> Vec<Term> {
        let id = self.inputs.declare(terms, name, role, 8, bytes);
        state.inputs.add_of_world(id, bytes);
        self.inputs.elements(id)[..bytes as usize].to_vec()
    }

    /// An array of strings as C has it, with a null at its end.
    fn strings(
        &self,
        terms: &mut Terms,
        state: &mut State,
        strings: &[Vec<Value>],
    ) -> Result<u64, StartError> {
        let origin = |name: &str| memory::Origin {
            kind: Kind::Runtime,
            name: self.linked.intern(name),
            site: Site::default(),
        };
        let size = 8 * (strings.len() as u64 + 1);
        let array = state
            .memory
            .allocate(size, 16, origin("argv"))
            .ok_or(StartError::Memory)?;
        let mut pointers = Vec::new();
        for string in strings {
            let size = string.len() as u64 + 1;
            let place = state.memory.allocate(size, 1, origin("argv"));
            let place = place.ok_or(StartError::Memory)?;
            let concrete = |value: &Value| match value {
                Value::Concrete(byte) => *byte as u8,
                Value::Symbolic(_) => 0,
            };
            let mut bytes: Vec<u8> = string.iter().map(concrete).collect();
            bytes.push(0);
            state.memory.initialise(place, &bytes);
            for (at, &value) in (place..).zip(string) {
                if matches!(value, Value::Symbolic(_))
                    && state.memory.store(terms, at, 1, value).is_err()
                {
                    return Err(StartError::Memory);
                }
            }
            pointers.extend(place.to_le_bytes());
        }
        pointers.extend([0; 8]);
        state.memory.initialise(array, &pointers);
        Ok(array)
    }
}
