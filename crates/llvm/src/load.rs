//! Loading: a linked program in memory. Every symbol has its address, every function its id.
//!
//! Addresses are given once, in the order of modules and symbols, so that they are the same in every run.

use std::cell::{OnceCell, RefCell};

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use thiserror::Error;

use crate::code::{Code, Special};
use crate::fingerprint::{self, Fingerprint};
use crate::ir::{
    BlockId, Body, ConstId, ConstKind, InstKind, Linkage, Module, SymbolId, SymbolKind, Type,
    TypeId,
};
use crate::link::{Program, Resolved};
use crate::lower;
use crate::lower::constant::Constants;
use crate::memory::{Kind, Memory, Origin, Site};
use crate::native::{self, NativeFn};

/// What the machine looks out for beyond what always ends a path.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Signed calculations that leave their range are errors.
    pub check_overflow: bool,
    /// Reads of memory that nothing was written to are errors.
    pub check_uninitialised: bool,
    /// Every variable has an address. Slower; implied by looking for uninitialised reads.
    pub keep_variables_in_memory: bool,
    pub floats: FloatChecks,
}

/// What is an error of calculations with floats.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatChecks {
    /// A result that is NaN, of operands that are not.
    pub nan: bool,
    /// A result that is infinite, of operands that are not.
    pub infinity: bool,
    /// A division by zero.
    pub division: bool,
    /// A number that the integer it is converted to does not have.
    pub to_integer: bool,
}

impl FloatChecks {
    /// Whether such results of numbers are errors.
    pub fn has(self, special: Special) -> bool {
        match special {
            Special::Nan => self.nan,
            Special::Infinity => self.infinity,
        }
    }
}

#[derive(Debug, Error)]
pub enum LoadError {
    #[error("{module}: the initial value of {symbol}: {what}")]
    Initializer {
        module: String,
        symbol: String,
        what: String,
    },
    #[error("{0}: not enough memory for the variable")]
    Memory(String),
}

/// How the names of the runtime's modules start.
pub const LIBRARY_PREFIX: &str = "refrain/";

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callable {
    Code,
    Native,
}

/// One function, whoever provides it.
pub struct Function {
    pub name: String,
    pub module: usize,
    pub symbol: SymbolId,
    pub address: u64,
    pub kind: FunctionKind,
    code: OnceCell<Result<Box<Code>, String>>,
    pub(crate) fingerprint: OnceCell<Fingerprint>,
}

#[derive(Clone, Copy)]
pub enum FunctionKind {
    Code,
    Native(NativeFn),
    /// Nobody has it: a call ends the path with its name.
    Missing,
}

/// A variable that every thread has its own contents of.
pub struct ThreadLocal {
    pub address: u64,
    pub size: u64,
    /// What it starts with: bytes at offsets, and zeros elsewhere.
    pub initial: Vec<(u64, Vec<u8>)>,
}

/// A program whose symbols have addresses.
pub struct Linked {
    pub program: Program,
    pub options: Options,
    pub functions: Vec<Function>,
    pub thread_locals: Vec<ThreadLocal>,
    /// Variables that nobody defines, each at an address of its own: touching one ends the path with its name.
    missing_variables: Vec<(String, u64)>,
    /// Variables that consist of floats, by their addresses: how many bits each has.
    pub(crate) float_variables: HashMap<u64, u32, FxBuildHasher>,
    /// By module and symbol.
    addresses: Vec<Vec<u64>>,
    function_of: Vec<Vec<Option<u32>>>,
    by_name: HashMap<String, u32, FxBuildHasher>,
    strings: RefCell<Strings>,
    type_numbers: RefCell<HashMap<u64, u32, FxBuildHasher>>,
    /// Addresses that tables of 32-bit distances lead to, by their low halves.
    distant: RefCell<HashMap<u32, u64, FxBuildHasher>>,
    pub(crate) cache: fingerprint::Cache,
}

#[derive(Default)]
struct Strings {
    texts: Vec<String>,
    ids: HashMap<String, u32, FxBuildHasher>,
}

impl Linked {
    /// Gives every symbol its address and fills in initial values.
    pub fn load(
        program: Program,
        options: Options,
        memory: &mut Memory,
    ) -> Result<Linked, LoadError> {
        let modules = program.modules.len();
        let sizes: Vec<usize> = program
            .modules
            .iter()
            .map(|module| module.symbols.len())
            .collect();
        let mut linked = Linked {
            program,
            options,
            functions: Vec::new(),
            thread_locals: Vec::new(),
            missing_variables: Vec::new(),
            float_variables: HashMap::default(),
            addresses: sizes.iter().map(|&len| vec![0; len]).collect(),
            function_of: sizes.iter().map(|&len| vec![None; len]).collect(),
            by_name: HashMap::default(),
            strings: RefCell::default(),
            type_numbers: RefCell::default(),
            distant: RefCell::default(),
            cache: fingerprint::Cache::default(),
        };
        linked.intern("");
        let mut undefined = Vec::new();
        for module in 0..modules {
            for index in 0..linked.program.modules[module].symbols.len() {
                let symbol = SymbolId(index as u32);
                match linked.program.resolve(module, symbol) {
                    Resolved::Defined {
                        module: at,
                        symbol: which,
                    } if (at, which) == (module, symbol) => {
                        linked.place(module, symbol, memory)?;
                    }
                    Resolved::Defined { .. } => {}
                    Resolved::Undefined => undefined.push((module, symbol)),
                }
            }
        }
        for (module, symbol) in undefined {
            linked.place_undefined(module, symbol, memory);
        }
        for name in native::INTRINSIC_NAMES {
            if !linked.by_name.contains_key(*name) {
                let kind = native::find(name).map_or(FunctionKind::Missing, FunctionKind::Native);
                linked.add_function(name, usize::MAX, SymbolId(0), kind, memory);
            }
        }
        linked.follow_references();
        linked.place_aliases()?;
        linked.follow_references();
        linked.thread_locals = linked.initialise(memory)?;
        Ok(linked)
    }

    fn place(
        &mut self,
        module: usize,
        symbol: SymbolId,
        memory: &mut Memory,
    ) -> Result<(), LoadError> {
        let unit = &self.program.modules[module];
        let entry = &unit.symbols[symbol.0 as usize];
        match &entry.kind {
            SymbolKind::Function(_) => {
                let name = entry.name.clone();
                let index = self.add_function(&name, module, symbol, FunctionKind::Code, memory);
                self.function_of[module][symbol.0 as usize] = Some(index);
                self.addresses[module][symbol.0 as usize] = self.functions[index as usize].address;
            }
            SymbolKind::Variable(variable) => {
                let size = unit.layout.size(&unit.types, variable.ty);
                let align = variable
                    .align
                    .max(unit.layout.align(&unit.types, variable.ty));
                let origin = Origin {
                    kind: Kind::Global,
                    name: self.intern(&entry.name),
                    site: Site::default(),
                };
                let address = memory
                    .allocate(size, align, origin)
                    .ok_or_else(|| LoadError::Memory(entry.name.clone()))?;
                self.addresses[module][symbol.0 as usize] = address;
                if let Some(bits) = unit.types.float_bits(variable.ty) {
                    self.float_variables.insert(address, bits);
                }
            }
            SymbolKind::Ifunc(_) => {
                // The resolver would ask the processor what it can do.
                let name = format!("{} (an ifunc)", entry.name);
                let index = self.add_function(
                    &name,
                    usize::MAX,
                    SymbolId(0),
                    FunctionKind::Missing,
                    memory,
                );
                self.function_of[module][symbol.0 as usize] = Some(index);
                self.addresses[module][symbol.0 as usize] = self.functions[index as usize].address;
            }
            SymbolKind::Alias(_) => {}
        }
        Ok(())
    }

    fn add_function(
        &mut self,
        name: &str,
        module: usize,
        symbol: SymbolId,
        kind: FunctionKind,
        memory: &mut Memory,
    ) -> u32 {
        let index = self.functions.len() as u32;
        let address = memory.place_function(index);
        self.functions.push(Function {
            name: name.to_string(),
            module,
            symbol,
            address,
            kind,
            code: OnceCell::new(),
            fingerprint: OnceCell::new(),
        });
        let is_local = module != usize::MAX
            && self.program.modules[module].symbols[symbol.0 as usize]
                .linkage
                .is_local();
        if !is_local || !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_string(), index);
        }
        index
    }

    fn place_undefined(&mut self, module: usize, symbol: SymbolId, memory: &mut Memory) {
        let entry = &self.program.modules[module].symbols[symbol.0 as usize];
        if entry.name.is_empty() {
            // Nothing refers to it: it was not read.
            return;
        }
        let name = entry.name.clone();
        let is_weak = entry.linkage == Linkage::ExternWeak;
        let is_function = matches!(entry.kind, SymbolKind::Function(_));
        let place = symbol.0 as usize;
        if is_function {
            let found = native::find(&name);
            if name.starts_with("llvm.") || (is_weak && found.is_none()) {
                return;
            }
            let known = self.by_name.get(&name).copied();
            let index = known.unwrap_or_else(|| {
                let kind = found.map_or(FunctionKind::Missing, FunctionKind::Native);
                self.add_function(&name, usize::MAX, SymbolId(0), kind, memory)
            });
            self.function_of[module][place] = Some(index);
            self.addresses[module][place] = self.functions[index as usize].address;
        } else if !is_weak {
            let known = self.missing_variables.iter().find(|known| known.0 == name);
            self.addresses[module][place] = match known {
                Some(&(_, address)) => address,
                None => {
                    let origin = Origin {
                        kind: Kind::Global,
                        name: self.intern(&name),
                        site: Site::default(),
                    };
                    let address = memory.allocate(0, 16, origin).unwrap_or(0);
                    self.missing_variables.push((name, address));
                    address
                }
            };
        }
    }

    /// Symbols that another module defines get what that one has.
    fn follow_references(&mut self) {
        for module in 0..self.addresses.len() {
            for index in 0..self.addresses[module].len() {
                if let Resolved::Defined { module: at, symbol } =
                    self.program.resolve(module, SymbolId(index as u32))
                {
                    self.addresses[module][index] = self.addresses[at][symbol.0 as usize];
                    self.function_of[module][index] = self.function_of[at][symbol.0 as usize];
                }
            }
        }
    }

    /// Gives aliases the addresses that they stand for. Aliases may name aliases: those come first.
    fn place_aliases(&mut self) -> Result<(), LoadError> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            /// On the chain that is being followed.
            Open,
            Placed,
        }
        let mut seen: HashMap<(usize, usize), Seen> = HashMap::default();
        for module in 0..self.addresses.len() {
            for index in 0..self.addresses[module].len() {
                let mut chain = vec![(module, index)];
                while let Some(&(module, index)) = chain.last() {
                    let kind = &self.program.modules[module].symbols[index].kind;
                    let SymbolKind::Alias(target) = *kind else {
                        chain.pop();
                        continue;
                    };
                    match seen.insert((module, index), Seen::Open) {
                        Some(Seen::Placed) => {
                            seen.insert((module, index), Seen::Placed);
                            chain.pop();
                        }
                        // What it names has been followed to its end.
                        Some(Seen::Open) => {
                            self.place_alias(module, index, target)?;
                            seen.insert((module, index), Seen::Placed);
                            chain.pop();
                        }
                        None => {
                            for (_, named) in self.named_by(module, target) {
                                if seen.get(&named) == Some(&Seen::Open) {
                                    let what = "an alias that leads to itself".to_string();
                                    return Err(self.bad_initializer(module, index, what));
                                }
                                chain.push(named);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The symbols that a constant is made of, and where they are defined.
    fn named_by(&self, module: usize, constant: ConstId) -> Vec<(usize, (usize, usize))> {
        let constants = &self.program.modules[module].constants;
        let mut named = Vec::new();
        let mut waiting = vec![constant];
        while let Some(id) = waiting.pop() {
            match &constants[id.0 as usize].kind {
                &ConstKind::Symbol(own) => {
                    if let Resolved::Defined { module, symbol } = self.program.resolve(module, own)
                    {
                        named.push((own.0 as usize, (module, symbol.0 as usize)));
                    }
                }
                kind => waiting.extend(kind.operands()),
            }
        }
        named
    }

    fn place_alias(
        &mut self,
        module: usize,
        index: usize,
        target: ConstId,
    ) -> Result<(), LoadError> {
        // A name may stand for what another module has.
        for (own, (at, symbol)) in self.named_by(module, target) {
            self.addresses[module][own] = self.addresses[at][symbol];
            self.function_of[module][own] = self.function_of[at][symbol];
        }
        let constants = Constants {
            linked: self,
            module,
        };
        let address = constants
            .word(target)
            .map_err(|what| self.bad_initializer(module, index, what))?;
        self.function_of[module][index] = self.alias_function(module, target);
        self.addresses[module][index] = address;
        Ok(())
    }

    fn alias_function(&self, module: usize, target: ConstId) -> Option<u32> {
        match self.program.modules[module].constants[target.0 as usize].kind {
            ConstKind::Symbol(symbol) => self.function_of[module][symbol.0 as usize],
            ConstKind::Cast { value, .. } => self.alias_function(module, value),
            _ => None,
        }
    }

    fn bad_initializer(&self, module: usize, symbol: usize, what: String) -> LoadError {
        let unit = &self.program.modules[module];
        LoadError::Initializer {
            module: unit.name.clone(),
            symbol: unit.symbols[symbol].name.clone(),
            what,
        }
    }

    /// Gives variables their initial contents. The result is those of threads.
    fn initialise(&self, memory: &mut Memory) -> Result<Vec<ThreadLocal>, LoadError> {
        let mut thread_locals = Vec::new();
        for (module, unit) in self.program.modules.iter().enumerate() {
            for (index, symbol) in unit.symbols.iter().enumerate() {
                let id = SymbolId(index as u32);
                let is_here = matches!(self.program.resolve(module, id),
                    Resolved::Defined { module: at, symbol } if (at, symbol) == (module, id));
                let SymbolKind::Variable(variable) = &symbol.kind else {
                    continue;
                };
                let Some(initializer) = variable.initializer.filter(|_| is_here) else {
                    continue;
                };
                let address = self.addresses[module][index];
                let size = unit.layout.size(&unit.types, variable.ty);
                let is_thread_local = variable.thread_local && !variable.constant && size > 0;
                let mut initial = Vec::new();
                let mut write = |at: u64, bytes: &[u8]| {
                    // Everything is zero already, and most of a big variable stays so.
                    let fits = at
                        .checked_add(bytes.len() as u64)
                        .is_some_and(|end| end <= size);
                    if fits && bytes.iter().any(|&byte| byte != 0) {
                        memory.initialise(address + at, bytes);
                        if is_thread_local {
                            initial.push((at, bytes.to_vec()));
                        }
                    }
                };
                let constants = Constants {
                    linked: self,
                    module,
                };
                constants
                    .bytes(initializer, &mut write)
                    .map_err(|what| self.bad_initializer(module, index, what))?;
                if variable.constant {
                    memory.set_read_only(address);
                }
                if is_thread_local {
                    thread_locals.push(ThreadLocal {
                        address,
                        size,
                        initial,
                    });
                }
            }
        }
        Ok(thread_locals)
    }

    pub fn address(&self, module: usize, symbol: SymbolId) -> u64 {
        self.addresses[module][symbol.0 as usize]
    }

    /// Block addresses lie behind their function's, where nothing else is.
    pub fn block_address(&self, module: usize, function: SymbolId, block: BlockId) -> u64 {
        self.address(module, function) + 16 * (u64::from(block.0) + 1)
    }

    pub fn callable(&self, module: usize, symbol: SymbolId) -> Option<(u32, Callable)> {
        let index = self.function_of[module][symbol.0 as usize]?;
        let callable = match self.functions[index as usize].kind {
            FunctionKind::Code => Callable::Code,
            FunctionKind::Native(_) | FunctionKind::Missing => Callable::Native,
        };
        Some((index, callable))
    }

    pub(crate) fn is_native(&self, function: u32) -> bool {
        let function = &self.functions[function as usize];
        matches!(function.kind, FunctionKind::Native(_))
    }

    /// Where the program's own variables are that all threads see.
    pub fn shared_variables(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for (module, unit) in self.program.modules.iter().enumerate() {
            if self.is_library(module) {
                continue;
            }
            for (symbol, address) in unit.symbols.iter().zip(&self.addresses[module]) {
                if let SymbolKind::Variable(variable) = &symbol.kind
                    && !variable.constant
                    && !variable.thread_local
                {
                    found.push(*address);
                }
            }
        }
        found
    }

    /// The program's own functions that take more arguments than they name, or a list of such arguments.
    pub fn variadic_functions(&self) -> Vec<String> {
        let takes_list = |module: &Module, body: &Body| {
            let insts = body.blocks.iter().flat_map(|block| &block.insts);
            let mut sources = insts.filter_map(|inst| match inst.kind {
                InstKind::Gep { source, .. } => Some(source),
                _ => None,
            });
            sources.any(|source| is_argument_list(module, source))
        };
        let is_variadic = |function: &&Function| {
            let Some(module) = self.program.modules.get(function.module) else {
                return false;
            };
            let SymbolKind::Function(ir) = &module.symbols[function.symbol.0 as usize].kind else {
                return false;
            };
            matches!(function.kind, FunctionKind::Code)
                && !self.is_library(function.module)
                && (matches!(
                    module.types.get(ir.ty),
                    Type::Function { variadic: true, .. }
                ) || ir
                    .body
                    .as_ref()
                    .is_some_and(|body| takes_list(module, body)))
        };
        let variadic = self.functions.iter().filter(is_variadic);
        variadic.map(|function| function.name.clone()).collect()
    }

    /// Whether the program calls anything that makes input symbolic.
    pub fn makes_input(&self) -> bool {
        let makes = |function: &Function| {
            let name = function.name.as_str();
            matches!(function.kind, FunctionKind::Native(_))
                && (name.starts_with("__VERIFIER_nondet_")
                    || matches!(
                        name,
                        "klee_make_symbolic" | "klee_range" | "klee_int" | "klee_choose"
                    ))
        };
        self.functions.iter().any(makes)
    }

    /// Names of functions and variables that are used and that nobody provides; sorted.
    pub fn missing(&self) -> Vec<&str> {
        let is_missing = |function: &&Function| matches!(function.kind, FunctionKind::Missing);
        let functions = self.functions.iter().filter(is_missing);
        let variables = self.missing_variables.iter().map(|(name, _)| name.as_str());
        let mut names: Vec<&str> = functions
            .map(|function| function.name.as_str())
            .chain(variables)
            .collect();
        names.sort_unstable();
        names
    }

    /// The variable that has this address and that nobody provides.
    pub fn missing_variable(&self, address: u64) -> Option<&str> {
        let mut variables = self.missing_variables.iter();
        let found = variables.find(|&&(_, place)| place == address);
        found.map(|(name, _)| name.as_str())
    }

    /// Whether a module is one of the runtime's rather than the program's.
    pub fn is_library(&self, module: usize) -> bool {
        self.program
            .modules
            .get(module)
            .is_some_and(|module| module.name.starts_with(LIBRARY_PREFIX))
    }

    /// The number of a function by name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The address of a variable or function by name.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let (module, symbol) = self.program.find(name)?;
        Some(self.address(module, symbol))
    }

    /// A function's code, lowered when it is first asked for.
    pub fn code(&self, function: u32) -> Result<&Code, &str> {
        let entry = &self.functions[function as usize];
        let lowered = entry
            .code
            .get_or_init(|| lower::lower(self, entry.module, entry.symbol).map(Box::new));
        match lowered {
            Ok(code) => Ok(code),
            Err(what) => Err(what),
        }
    }

    /// Remembers an address that a distance of 32 bits stands for.
    pub fn note_distant(&self, address: u64) {
        self.distant.borrow_mut().insert(address as u32, address);
    }

    /// The address that a table of distances meant, from what the distance gives.
    pub fn distant(&self, sum: u64) -> u64 {
        self.distant
            .borrow()
            .get(&(sum as u32))
            .copied()
            .unwrap_or(sum)
    }

    pub fn intern(&self, text: &str) -> u32 {
        let mut strings = self.strings.borrow_mut();
        if let Some(&id) = strings.ids.get(text) {
            return id;
        }
        let id = strings.texts.len() as u32;
        strings.texts.push(text.to_string());
        strings.ids.insert(text.to_string(), id);
        id
    }

    pub fn string(&self, id: u32) -> String {
        self.strings
            .borrow()
            .texts
            .get(id as usize)
            .cloned()
            .unwrap_or_default()
    }

    /// What `llvm.eh.typeid.for` says of a type: a number from 1 on.
    pub fn type_number(&self, address: u64) -> u32 {
        let mut numbers = self.type_numbers.borrow_mut();
        let next = numbers.len() as u32 + 1;
        *numbers.entry(address).or_insert(next)
    }
}

/// Whether a type is what the platform keeps of a list of arguments.
fn is_argument_list(module: &Module, ty: TypeId) -> bool {
    let ty = module.types.get(ty);
    matches!(ty, Type::Struct { name: Some(name), .. } if name.contains("__va_list_tag"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Constant, Module, Symbol, Variable};
    use crate::memory;

    fn symbol(name: String, kind: SymbolKind) -> Symbol {
        Symbol {
            name,
            linkage: Linkage::External,
            comdat: None,
            section: None,
            kind,
        }
    }

    /// A variable and aliases, each by its number; what an alias names comes by number, too: 0 is the variable.
    fn load(aliases: &[u32]) -> Result<Vec<u64>, LoadError> {
        let mut module = Module::default();
        let int = module.types.push(Type::Int(32));
        let pointer = module.types.push(Type::Pointer {
            pointee: None,
            space: 0,
        });
        module.constants.push(Constant {
            ty: int,
            kind: ConstKind::Zero,
        });
        module.symbols.push(symbol(
            "variable".to_string(),
            SymbolKind::Variable(Variable {
                ty: int,
                constant: false,
                thread_local: false,
                initializer: Some(ConstId(0)),
                align: 4,
            }),
        ));
        for (index, &named) in aliases.iter().enumerate() {
            module.constants.push(Constant {
                ty: pointer,
                kind: ConstKind::Symbol(SymbolId(named)),
            });
            let target = ConstId(module.constants.len() as u32 - 1);
            module
                .symbols
                .push(symbol(format!("alias {index}"), SymbolKind::Alias(target)));
        }
        let program = crate::link::link(vec![module]).expect("names are distinct");
        let mut memory = Memory::new(memory::Options::default());
        let linked = Linked::load(program, Options::default(), &mut memory)?;
        Ok(linked.addresses[0].clone())
    }

    #[test]
    fn aliases_of_aliases_lead_to_the_end_of_the_chain() {
        // Each names the next, and the last one the variable: a longer way than any stack is deep.
        let count = 100_000;
        let mut chain: Vec<u32> = (2..=count).collect();
        chain.push(0);
        let addresses = load(&chain).expect("a chain has an end");
        assert!(addresses[0] != 0);
        assert!(addresses.iter().all(|&address| address == addresses[0]));
    }

    #[test]
    fn an_alias_of_itself_is_refused() {
        for circle in [&[1][..], &[2, 1], &[0, 3, 4, 2]] {
            let refused = load(circle).expect_err("a circle has no end");
            assert!(refused.to_string().contains("leads to itself"), "{refused}");
        }
    }
}
