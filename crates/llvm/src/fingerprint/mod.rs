//! Fingerprints: hashes of code that are the same in every build that has this code, whatever was edited elsewhere.
//!
//! The intermediate language of a block is written out as bytes (`inst`, `encode`) and hashed. In are operations,
//! types by their layout (`types`), constants by value, callees by name (`names`), and the initial contents of
//! variables, with all that those point to (`contents`). Out are addresses, debug information, lines (`position`),
//! names of values, and every number that only says in which order a compiler came across things. A callee's code is
//! not in: that has a hash of its own. Nor is where things lie, which also has a hash of its own, for the code that
//! can tell (`addresses`).
//!
//! The hash is XXH3 with 64 bits, over little-endian numbers. Nothing here is computed before somebody asks.

mod addresses;
mod contents;
mod encode;
mod inst;
mod names;
mod position;
mod types;

use std::cell::{OnceCell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::ir::{Function, InstKind, Module, SymbolId, SymbolKind};
use crate::load::Linked;
use crate::lower::callee_name;
use encode::Encoder;

/// Hashes of different encodings have nothing in common: raise this with every change of what is written.
const VERSION: u64 = 2;

/// Hashes of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Of all its blocks. Its name is not in.
    pub function: u64,
    /// Of each block; that of the first has the function's signature in it. One that refers to others does so by
    /// distance, so that not all change where one is inserted.
    pub blocks: Vec<u64>,
}

/// What has been found out so far.
#[derive(Default)]
pub(crate) struct Cache {
    /// By module and type.
    types: RefCell<Vec<Vec<Option<u64>>>>,
    /// Of what enters by its contents.
    contents: RefCell<FxHashMap<Node, u64>>,
    /// By function: what callers know it by, where that is not its name.
    callees: OnceCell<Vec<Option<String>>>,
    /// By function, and the functions by that.
    symbols: OnceCell<Vec<String>>,
    by_symbol: OnceCell<FxHashMap<String, u32>>,
    /// How many things have a name, and how many local ones of a file.
    names: OnceCell<names::Counts>,
    /// Of where everything lies.
    layout: OnceCell<u64>,
    placed: OnceCell<FxHashSet<Node>>,
}

/// A definition that enters hashes by its contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Node {
    module: u32,
    symbol: SymbolId,
}

/// Something written out: its own bytes, and what it refers to in the order of the references.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    refs: Vec<Node>,
}

impl Text {
    fn hash(&self, contents: impl Fn(Node) -> u64) -> u64 {
        let own = xxh3_64_with_seed(&self.bytes, VERSION);
        if self.refs.is_empty() {
            return own;
        }
        let refs = self.refs.iter().map(|&node| contents(node));
        hash_of([own].into_iter().chain(refs))
    }
}

fn hash_of(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
    xxh3_64_with_seed(&bytes, VERSION)
}

pub(crate) fn hash_of_text(text: &str) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), VERSION)
}

/// Whether an instruction is there for debuggers alone. Such are not counted: code with and without debug information
/// is the same code.
pub(crate) fn is_debug(module: &Module, kind: &InstKind) -> bool {
    let InstKind::Call(call) = kind else {
        return false;
    };
    callee_name(module, call).is_some_and(|name| name.starts_with("llvm.dbg."))
}

impl Linked {
    /// The hashes of a function; of one without code, a hash of its name.
    pub fn fingerprint(&self, function: u32) -> &Fingerprint {
        let entry = &self.functions[function as usize];
        entry.fingerprint.get_or_init(|| {
            let module = self.program.modules.get(entry.module);
            let symbol = module.and_then(|module| module.symbols.get(entry.symbol.0 as usize));
            match symbol.map(|symbol| &symbol.kind) {
                Some(SymbolKind::Function(code)) => self.function_fingerprint(entry.module, code),
                _ => Fingerprint {
                    function: hash_of_text(&entry.name),
                    blocks: Vec::new(),
                },
            }
        })
    }

    fn function_fingerprint(&self, module: usize, function: &Function) -> Fingerprint {
        let mut encoder = Encoder::new(self, module);
        encoder.signature(function);
        let mut blocks = Vec::new();
        if let Some(body) = &function.body {
            encoder.enter(body);
            for number in 0..body.blocks.len() {
                encoder.block(body, number);
                blocks.push(encoder.take_hash());
            }
        }
        let rest = encoder.take_hash();
        Fingerprint {
            function: hash_of(blocks.iter().copied().chain([rest])),
            blocks,
        }
    }

    /// What a function is called in every build: its symbol, without what compilers number. No two functions of a
    /// program have the same.
    pub fn lasting_symbol(&self, function: u32) -> &str {
        let symbols = self.cache.symbols.get_or_init(|| self.lasting_symbols());
        symbols.get(function as usize).map_or("", String::as_str)
    }

    /// The function of that lasting symbol.
    pub(crate) fn by_lasting_symbol(&self, symbol: &str) -> Option<u32> {
        let functions = self.cache.by_symbol.get_or_init(|| {
            let functions = 0..self.functions.len() as u32;
            let named = |function| (self.lasting_symbol(function).to_string(), function);
            functions.map(named).collect()
        });
        functions.get(symbol).copied()
    }
}
