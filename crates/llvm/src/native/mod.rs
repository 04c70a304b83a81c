//! Functions that the machine itself provides: what a program needs of its platform and what is faster done at once.
//!
//! A native function must ask all it wants to know before it changes anything: it is called again, from its start,
//! when a question is answered.

mod annotations;
mod clock;
mod comparison;
mod complex;
pub mod errno;
mod exact;
pub(crate) mod failing;
pub mod file_system;
mod files;
pub mod format;
pub mod kernel;
mod lengths;
mod math;
mod memory;
pub mod number;
mod platform;
mod process;
pub mod rust;
mod stdio;
pub(crate) mod threads;
pub mod trace;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::LazyLock;

use refrain_term::{Term, Terms};

use self::file_system::{Content, FileSystem, HostEntry, NameShape, Seen};
use crate::code::{Arg, ArgClass, CallSite};
use crate::machine::{ErrorKind, Halt, Machine, Output, State, Unsettled, Unstarted};
use crate::memory::{Fault, Value};

/// A function of the machine's own.
pub type NativeFn = fn(&mut Call<'_>) -> Result<Flow, Halt>;

/// What happens after a native function.
pub enum Flow {
    /// The caller goes on with these words as the result.
    Return(Vec<Value>),
    /// This function is called with these arguments, and its result is the result.
    Enter(u32, Vec<Value>),
    /// Control is elsewhere already.
    Jumped,
}

impl Flow {
    pub fn value(value: u64) -> Flow {
        Flow::Return(vec![Value::Concrete(value)])
    }

    pub fn void() -> Flow {
        Flow::Return(Vec::new())
    }
}

/// What a running program is connected to.
pub trait Host {
    /// Takes what the program writes. `false`: it is to be kept with the path instead.
    fn write(&mut self, descriptor: i32, bytes: &[u8]) -> bool;
    /// Up to so many bytes of standard input; empty at its end.
    fn read(&mut self, len: usize) -> Vec<u8>;
    /// All of standard input, the same whenever it is asked for. It may take until there is something.
    fn input(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// What of its files the program sees. It never writes any: see [`file_system`].
    fn seen(&self) -> Seen {
        Seen::Nothing
    }
    /// What a name of one of its files leads to, links not followed; or the number of an error.
    fn look(&mut self, _path: &[u8]) -> Result<HostEntry, i32> {
        Err(errno::ENOENT)
    }
    /// The names in a directory.
    fn list(&mut self, _path: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
        Err(errno::ENOENT)
    }
    /// Those of them that a text of a shape can begin with.
    fn list_fitting(&mut self, path: &[u8], shape: &NameShape) -> Result<Vec<Vec<u8>>, i32> {
        let mut names = self.list(path)?;
        names.retain(|name| shape.fits(name));
        Ok(names)
    }
    /// The contents of a file.
    fn read_file(&mut self, _path: &[u8]) -> Result<Vec<u8>, i32> {
        Err(errno::ENOENT)
    }
}

/// A host for exploring: output stays with its path, and there is no input.
pub struct Detached;

impl Host for Detached {
    fn write(&mut self, _descriptor: i32, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&mut self, _len: usize) -> Vec<u8> {
        Vec::new()
    }
}

/// What the platform keeps for one path.
#[derive(Clone, Default)]
pub struct World {
    /// `argc`, `argv`, `envp`.
    pub arguments: [u64; 3],
    /// An exception that nobody catches is on its way out.
    pub uncaught: bool,
    /// Nanoseconds that have passed for the program.
    pub clock: u64,
    pub sleeps: kernel::Sleeps,
    /// A buffer for handing text to code.
    pub scratch: Option<(u64, u64)>,
    pub files: Rc<FileSystem>,
    /// The end of what was written to standard error.
    pub said: Rc<Vec<u8>>,
    /// Where bytes that look random come from.
    pub random: u64,
    /// How many calls may still fail although nothing is wrong with them.
    pub failures_left: u32,
    /// What the program would like to hold of an input.
    pub preferences: Rc<Vec<Term>>,
    /// Warnings that were given already.
    pub warned: Rc<BTreeSet<String>>,
    /// The values of inputs by their names, where they are given and not symbolic.
    pub given: Option<Rc<HashMap<String, Vec<u8>>>>,
    /// What is called in the place of a function.
    pub stands_for: Option<Rc<BTreeMap<u32, u32>>>,
    /// The path goes on without forking.
    pub stays_whole: bool,
    /// Which blocks were run, if the program says so.
    pub trace: Rc<trace::Trace>,
    /// What the program is called with is not in memory: how much that is was not asked yet.
    pub(crate) unstarted: Option<Unstarted>,
    /// Standard input and files of which something is not known, until the program looks.
    pub(crate) unsettled: Rc<Vec<Unsettled>>,
}

impl World {
    /// Keeps the end of what is written to standard error; the message of a panic is there.
    fn remember(&mut self, content: &Content) {
        const KEPT: usize = 4096;
        let said = Rc::make_mut(&mut self.said);
        let start = said.len();
        said.extend_from_slice(&content.bytes);
        for &at in content.terms.keys() {
            said[start + at] = b'?';
        }
        if said.len() > 2 * KEPT {
            said.drain(..said.len() - KEPT);
        }
    }
}

/// One call of a native function.
pub struct Call<'a> {
    pub machine: &'a mut Machine,
    pub terms: &'a mut Terms,
    pub state: &'a mut State,
    pub site: &'a CallSite,
    /// Where the result goes.
    pub dst: u32,
    pub name: &'a str,
}

impl Call<'_> {
    /// The first word of an argument; zero where it is missing.
    pub fn arg(&self, index: usize) -> Value {
        let word = self.site.args.get(index).and_then(|arg| arg.words.first());
        word.map_or(Value::Concrete(0), |&src| match src {
            crate::code::Src::Reg(register) => self.state.get(register),
            crate::code::Src::Const(value) => Value::Concrete(value),
        })
    }

    /// All words of an argument.
    pub fn words(&self, index: usize) -> Vec<Value> {
        let words = self.site.args.get(index).map_or(&[][..], |arg| &arg.words);
        let value = |&src: &crate::code::Src| match src {
            crate::code::Src::Reg(register) => self.state.get(register),
            crate::code::Src::Const(value) => Value::Concrete(value),
        };
        words.iter().map(value).collect()
    }

    pub fn class(&self, index: usize) -> Option<ArgClass> {
        self.site.args.get(index).map(|arg| arg.class)
    }

    /// An argument as a number: the path goes on with the inputs that give it this value.
    pub fn number(&mut self, index: usize) -> Result<u64, Halt> {
        let value = self.arg(index);
        let bits = match self.site.args.get(index).map(|arg| arg.class) {
            Some(ArgClass::Int(bits)) => bits,
            _ => 64,
        };
        self.machine.fixed_bits(self.terms, self.state, value, bits)
    }

    pub fn int(&mut self, index: usize) -> Result<i32, Halt> {
        Ok(self.number(index)? as i32)
    }

    /// A double argument. Symbolic floats are not supported.
    pub fn double(&mut self, index: usize) -> Result<f64, Halt> {
        let value = self.arg(index);
        let bits = self.machine.float_word(self.terms, self.state, value)?;
        Ok(f64::from_bits(bits))
    }

    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Halt {
        self.machine.error(self.state, kind, message)
    }

    pub fn unsupported(&self, what: impl Into<String>) -> Halt {
        self.machine.unsupported(self.state, what)
    }

    pub fn fault(&self, fault: Fault, bytes: u64, write: bool) -> Halt {
        self.machine.fault(self.state, fault, bytes, write)
    }

    /// Bytes of memory as numbers; symbolic ones are fixed.
    pub fn bytes(&mut self, address: u64, len: u64) -> Result<Vec<u8>, Halt> {
        let mut bytes = Vec::new();
        let concrete = self
            .state
            .memory
            .concrete_bytes(address, len, &mut bytes)
            .map_err(|fault| self.fault(fault, len, false))?;
        if concrete {
            return Ok(bytes);
        }
        bytes.clear();
        for offset in 0..len {
            let value =
                self.machine
                    .read(self.terms, self.state, Value::Concrete(address + offset), 1)?;
            bytes.push(self.machine.fixed(self.terms, self.state, value)? as u8);
        }
        Ok(bytes)
    }

    /// A C string as numbers, without its end.
    pub fn string(&mut self, address: u64) -> Result<Vec<u8>, Halt> {
        let len = self
            .state
            .memory
            .concrete_len_to_nul(address)
            .map_err(|fault| self.fault(fault, 1, false))?;
        if let Some(len) = len {
            return self.bytes(address, len);
        }
        let mut bytes = Vec::new();
        loop {
            let at = address + bytes.len() as u64;
            let value = self
                .machine
                .read(self.terms, self.state, Value::Concrete(at), 1)?;
            match self.machine.fixed(self.terms, self.state, value)? as u8 {
                0 => return Ok(bytes),
                byte => bytes.push(byte),
            }
        }
    }

    pub fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), Halt> {
        self.state
            .memory
            .write_bytes(address, bytes)
            .map_err(|fault| self.fault(fault, bytes.len() as u64, true))
    }

    /// What the program wrote to a descriptor.
    pub fn output(&mut self, descriptor: i32, bytes: Vec<Value>) -> Result<(), Halt> {
        let mut content = Content::default();
        for byte in bytes {
            content.push(byte);
        }
        self.check_written(&mut content)?;
        self.output_content(descriptor, &content);
        Ok(())
    }

    /// Bytes that leave the program, of which none may be uninitialised.
    pub fn check_written(&mut self, content: &mut Content) -> Result<(), Halt> {
        let terms: Vec<(usize, Term)> = content.terms.iter().map(|(&at, &t)| (at, t)).collect();
        for (at, term) in terms {
            let value = Value::Symbolic(term);
            match self.machine.written_out(self.terms, self.state, value)? {
                Value::Symbolic(term) => content.terms.insert(at, term),
                Value::Concrete(byte) => {
                    content.bytes[at] = byte as u8;
                    content.terms.remove(&at)
                }
            };
        }
        Ok(())
    }

    pub fn output_content(&mut self, descriptor: i32, content: &Content) {
        if descriptor == 2 {
            self.state.world.remember(content);
        }
        let is_plain = content.terms.is_empty();
        if is_plain && self.machine.host.write(descriptor, &content.bytes) {
            return;
        }
        let bytes = content.values();
        self.state.output_len += bytes.len() as u64;
        self.state
            .output
            .push(Rc::new(Output { descriptor, bytes }));
    }

    /// Puts text where code can read it, until the next time.
    pub fn scratch(&mut self, bytes: &[u8]) -> Result<u64, Halt> {
        let len = bytes.len() as u64;
        let address = match self.state.world.scratch {
            Some((address, room)) if room >= len => address,
            _ => {
                let room = len.max(4096).next_power_of_two();
                let origin = crate::memory::Origin {
                    kind: crate::memory::Kind::Runtime,
                    name: 0,
                    site: self.state.site(),
                };
                let Some(address) = self.state.memory.allocate(room, 16, origin) else {
                    return Err(self.error(ErrorKind::OutOfMemory, ""));
                };
                if let Some((old, _)) = self.state.world.scratch {
                    let site = self.state.site();
                    self.state.memory.release(old, site);
                }
                self.state.world.scratch = Some((address, room));
                address
            }
        };
        self.write_bytes(address, bytes)?;
        Ok(address)
    }

    /// Calls a function of the program or its library by name.
    pub fn enter(&self, name: &str, args: Vec<Value>) -> Result<Flow, Halt> {
        match self.machine.linked.find(name) {
            Some(function) => Ok(Flow::Enter(function, args)),
            None => Err(self.unsupported(format!("a call of {name}, which is not there"))),
        }
    }

    /// The arguments beyond those that the callee names.
    pub fn variadic(&self) -> &[Arg] {
        &self.site.args[self.site.fixed.min(self.site.args.len())..]
    }
}

/// Functions that intrinsics become; they are there even if the program never names them.
pub const INTRINSIC_NAMES: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "__refrain_trap",
    "__refrain_load_relative",
];

/// The native function of a name.
pub fn find(name: &str) -> Option<NativeFn> {
    static FUNCTIONS: LazyLock<HashMap<&str, NativeFn>> = LazyLock::new(|| {
        let tables = [
            annotations::TABLE,
            clock::TABLE,
            comparison::TABLE,
            complex::TABLE,
            memory::TABLE,
            number::TABLE,
            platform::TABLE,
            process::TABLE,
            rust::TABLE,
            stdio::TABLE,
            threads::TABLE,
            trace::TABLE,
        ];
        let all = tables
            .into_iter()
            .chain(math::TABLES.iter().copied())
            .chain(files::TABLES.iter().copied())
            .flatten();
        all.copied().collect()
    });
    let known = |name: &str| FUNCTIONS.get(name).copied();
    known(name).or_else(|| math::plain_name(name).and_then(known))
}
