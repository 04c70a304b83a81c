//! The module block: what it holds, in the order it comes, handed to the part that reads it.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::attributes::Attributes;
use super::bitstream::{BLOCKINFO, Entry, Place, Record, Stream};
use super::codes::{block, module as code, symtab};
use super::metadata::Metadata;
use super::types::Interned;
use super::{ReadError, Result, validate};
use crate::ir::{ConstId, ConstKind, DataLayout, Linkage, LocalId, Module, SymbolId, SymbolKind};

/// A module that is being read.
pub(super) struct Reader<'a> {
    pub stream: Stream<'a>,
    pub strtab: &'a [u8],
    pub module: Module,
    /// The version of the module block: from 1 on operands are relative, from 2 on names are in the string table.
    pub version: u64,
    pub interned: Interned,
    /// Whether pointers know what they point to.
    pub typed_pointers: bool,
    /// The module's values by their numbers: symbols first, then constants.
    pub values: Vec<ConstId>,
    pub attributes: Attributes,
    pub sections: Vec<String>,
    pub comdats: Vec<String>,
    /// Defined functions, in the order that their bodies come in.
    pub awaiting_bodies: std::collections::VecDeque<SymbolId>,
    /// Bodies that are read when they turn out to be needed, where only those are.
    pub selection: Option<Selection>,
    /// What symbols refer to by value number, which may come later.
    pub references: Vec<Reference>,
    pub metadata: Metadata<'a>,
    /// Calls that may declare where a variable is: that depends on the name of the callee, which may come later.
    pub declarations: Vec<Declaration>,
    /// The number of the value that stands for all metadata arguments.
    pub metadata_argument: FxHashMap<u32, ConstId>,
    /// How many more bytes may come from spelling out what records only hint at.
    pub expansion: u64,
    /// The number of the record that is being read, for errors.
    pub code: u32,
}

/// The functions of a library that a program needs.
#[derive(Default)]
pub(super) struct Selection {
    places: FxHashMap<SymbolId, Place>,
    /// Constants that the bodies read so far use.
    pub used: RefCell<Vec<ConstId>>,
}

pub(super) struct Reference {
    pub symbol: SymbolId,
    pub role: Role,
    pub value: u64,
}

#[derive(Clone, Copy)]
pub(super) enum Role {
    Initializer,
    Target,
    Personality,
}

pub(super) struct Declaration {
    pub function: SymbolId,
    pub callee: SymbolId,
    pub local: LocalId,
    pub name: String,
    /// The variable is a parameter.
    pub is_parameter: bool,
}

/// Reads the module whose block starts at a byte.
pub(super) fn read(name: String, data: &[u8], byte: usize, strtab: &[u8]) -> Result<Module> {
    let mut reader = Reader::new(name, data, byte, strtab);
    reader.read_module()?;
    reader.finish()
}

/// Reads of a module its variables, the functions of names that are wanted, and those that they need. Of all others
/// nothing is left but the names by which a program could ask for them ([`Module::left_out`]).
pub(super) fn read_wanted(
    name: String,
    data: &[u8],
    byte: usize,
    strtab: &[u8],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Module> {
    let mut reader = Reader::new(name, data, byte, strtab);
    reader.selection = Some(Selection::default());
    reader.read_module()?;
    reader.read_selected(is_wanted)?;
    reader.finish()
}

impl<'a> Reader<'a> {
    fn new(name: String, data: &'a [u8], byte: usize, strtab: &'a [u8]) -> Reader<'a> {
        Reader {
            stream: Stream::new(data, byte),
            strtab,
            module: Module {
                name,
                ..Module::default()
            },
            version: 0,
            interned: Interned::default(),
            typed_pointers: false,
            values: Vec::new(),
            attributes: Attributes::default(),
            sections: Vec::new(),
            comdats: Vec::new(),
            awaiting_bodies: std::collections::VecDeque::new(),
            selection: None,
            references: Vec::new(),
            metadata: Metadata::new(data),
            declarations: Vec::new(),
            metadata_argument: FxHashMap::default(),
            expansion: (64 << 20) + 16 * data.len() as u64,
            code: 0,
        }
    }

    /// Reads the bodies that are wanted, and what they need in turn.
    fn read_selected(&mut self, is_wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let Some(mut selection) = self.selection.take() else {
            return Ok(());
        };
        let mut seen = vec![false; self.module.symbols.len()];
        let mut seen_constants = FxHashSet::default();
        let mut symbols: Vec<SymbolId> = Vec::new();
        let mut constants: Vec<ConstId> = Vec::new();
        for (symbol, index) in self.module.symbols.iter().zip(0..) {
            if is_wanted(&symbol.name) {
                symbols.push(SymbolId(index));
            }
        }
        for reference in &self.references {
            let value = usize::try_from(reference.value).ok();
            constants.extend(value.and_then(|value| self.values.get(value)));
        }
        loop {
            while let Some(constant) = constants.pop() {
                if !seen_constants.insert(constant) {
                    continue;
                }
                let kind = &self.module.constants[constant.0 as usize].kind;
                constants.extend(kind.operands());
                if let ConstKind::Symbol(symbol)
                | ConstKind::BlockAddress {
                    function: symbol, ..
                } = *kind
                {
                    symbols.push(symbol);
                }
            }
            let Some(symbol) = symbols.pop() else {
                break;
            };
            if std::mem::replace(&mut seen[symbol.0 as usize], true) {
                continue;
            }
            if let Some(place) = selection.places.remove(&symbol) {
                self.stream.go_to(place);
                self.awaiting_bodies.push_front(symbol);
                self.selection = Some(selection);
                self.read_function()?;
                selection = self.selection.take().unwrap_or_default();
                constants.append(selection.used.get_mut());
            }
        }
        for symbol in selection.places.into_keys() {
            let symbol = &mut self.module.symbols[symbol.0 as usize];
            let name = std::mem::take(&mut symbol.name);
            if !symbol.linkage.is_local() {
                self.module.left_out.push(name);
            }
            symbol.linkage = Linkage::External;
            symbol.comdat = None;
        }
        Ok(())
    }
}

pub(super) fn text(ops: &[u64]) -> String {
    let bytes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

impl<'a> Reader<'a> {
    /// An error at the record that was read last.
    #[cold]
    pub fn bad(&self, what: impl Into<String>) -> ReadError {
        ReadError::Record {
            file: self.module.name.clone(),
            bit: self.stream.entry_bit(),
            block: block::name(self.stream.block()),
            code: self.code,
            what: what.into(),
        }
    }

    #[cold]
    pub fn invalid(&self, what: impl Into<String>) -> ReadError {
        ReadError::Invalid {
            file: self.module.name.clone(),
            what: what.into(),
        }
    }

    pub fn next(&mut self, record: &mut Record) -> Result<Entry> {
        let entry = self.stream.next(record);
        self.code = record.code;
        self.streamed(entry)
    }

    pub fn enter(&mut self, block: u32) -> Result<()> {
        let entered = self.stream.enter(block);
        self.streamed(entered)
    }

    pub fn skip(&mut self) -> Result<()> {
        let skipped = self.stream.skip();
        self.streamed(skipped)
    }

    fn streamed<T>(&self, result: std::result::Result<T, super::StreamProblem>) -> Result<T> {
        result.map_err(|problem| super::stream_error(&self.module.name, &self.stream, problem))
    }

    /// Enters a block and hands each of its records to a function.
    pub fn records(
        &mut self,
        block: u32,
        mut each: impl FnMut(&mut Self, &Record) -> Result<()>,
    ) -> Result<()> {
        self.enter(block)?;
        let mut record = Record::default();
        loop {
            match self.next(&mut record)? {
                Entry::EndBlock => return Ok(()),
                Entry::Block(_) => self.skip()?,
                Entry::Record => each(self, &record)?,
            }
        }
    }

    fn read_module(&mut self) -> Result<()> {
        let mut record = Record::default();
        let Entry::Block(block::MODULE) = self.next(&mut record)? else {
            return Err(self.bad("not a module"));
        };
        self.enter(block::MODULE)?;
        loop {
            match self.next(&mut record)? {
                Entry::EndBlock => return Ok(()),
                Entry::Block(kind) => self.read_block(kind)?,
                Entry::Record => self.read_record(&record)?,
            }
        }
    }

    fn read_block(&mut self, kind: u32) -> Result<()> {
        match kind {
            BLOCKINFO => {
                let read = self.stream.read_block_info();
                self.streamed(read)
            }
            block::PARAMATTR_GROUP => self.read_attribute_groups(),
            block::PARAMATTR => self.read_attribute_lists(),
            block::TYPE => self.read_types(),
            block::CONSTANTS => {
                let constants = self.read_constants(0, &[])?;
                self.values.extend(constants);
                Ok(())
            }
            block::METADATA => self.read_metadata(),
            block::VALUE_SYMTAB => self.read_symbol_names(),
            block::FUNCTION => match &mut self.selection {
                Some(selection) => {
                    let symbol = self.awaiting_bodies.pop_front();
                    if let Some(symbol) = symbol {
                        selection.places.insert(symbol, self.stream.place());
                    }
                    self.skip()
                }
                None => self.read_function(),
            },
            _ => self.skip(),
        }
    }

    fn read_record(&mut self, record: &Record) -> Result<()> {
        let ops = &record.ops;
        match record.code {
            code::VERSION => {
                self.version = *ops.first().ok_or_else(|| self.bad("no version"))?;
                if self.version > 2 {
                    return Err(self.bad(format!("bitcode of version {}", self.version)));
                }
            }
            code::TRIPLE => self.module.triple = text(ops),
            code::DATALAYOUT => {
                self.module.layout =
                    DataLayout::parse(&text(ops)).map_err(|what| ReadError::Target {
                        file: self.module.name.clone(),
                        what,
                    })?;
            }
            code::SECTIONNAME => self.sections.push(text(ops)),
            code::SOURCE_FILENAME => self.module.source_file = text(ops),
            code::COMDAT => self.read_comdat(ops)?,
            code::GLOBALVAR => self.read_variable(ops)?,
            code::FUNCTION => self.read_declaration(ops)?,
            code::ALIAS | code::ALIAS_OLD | code::IFUNC => self.read_alias(record.code, ops)?,
            // Inline assembly of the module, hashes and the like mean nothing here.
            _ => {}
        }
        Ok(())
    }

    /// The names of symbols in modules of before the string table.
    fn read_symbol_names(&mut self) -> Result<()> {
        let in_strtab = self.version >= 2;
        self.records(block::VALUE_SYMTAB, |reader, record| {
            let name_at = match record.code {
                symtab::ENTRY => 1,
                symtab::FUNCTION_ENTRY => 2,
                _ => return Ok(()),
            };
            if in_strtab {
                return Ok(());
            }
            let [value, ..] = record.ops[..] else {
                return Err(reader.bad("no value"));
            };
            let name = text(record.ops.get(name_at..).unwrap_or_default());
            let id = usize::try_from(value)
                .ok()
                .and_then(|value| reader.values.get(value));
            let id = *id.ok_or_else(|| reader.bad("a name of an unknown value"))?;
            if let ConstKind::Symbol(symbol) = reader.module.constants[id.0 as usize].kind {
                let symbol = &mut reader.module.symbols[symbol.0 as usize];
                symbol.name = super::globals::plain_name(name);
                if symbol.comdat.as_deref() == Some("") {
                    symbol.comdat = Some(symbol.name.clone());
                }
            }
            Ok(())
        })
    }

    /// Joins what could not be joined while reading, and checks the whole.
    fn finish(mut self) -> Result<Module> {
        if let Some(symbol) = self.awaiting_bodies.front() {
            let name = &self.module.symbols[symbol.0 as usize].name;
            return Err(self.invalid(format!("function `{name}` is defined and has no body")));
        }
        for reference in std::mem::take(&mut self.references) {
            let value = usize::try_from(reference.value).ok();
            let value = value.and_then(|value| self.values.get(value)).copied();
            let symbol = &mut self.module.symbols[reference.symbol.0 as usize];
            let Some(value) = value else {
                let what = format!("`{}` refers to a value that does not exist", symbol.name);
                return Err(self.invalid(what));
            };
            match (&mut symbol.kind, reference.role) {
                (SymbolKind::Variable(variable), Role::Initializer) => {
                    variable.initializer = Some(value)
                }
                (SymbolKind::Alias(target) | SymbolKind::Ifunc(target), Role::Target) => {
                    *target = value
                }
                (SymbolKind::Function(function), Role::Personality) => {
                    function.personality = Some(value)
                }
                _ => {}
            }
        }
        self.apply_declarations();
        self.attach_subprograms();
        self.module.debug = self.metadata.take_debug();
        validate::check(&self.module).map_err(|what| self.invalid(what))?;
        Ok(self.module)
    }

    fn apply_declarations(&mut self) {
        for declaration in std::mem::take(&mut self.declarations) {
            let callee = &self.module.symbols[declaration.callee.0 as usize].name;
            let is_address = match callee.as_str() {
                "llvm.dbg.declare" => true,
                "llvm.dbg.value" if declaration.is_parameter => false,
                _ => continue,
            };
            let symbol = &mut self.module.symbols[declaration.function.0 as usize];
            if let SymbolKind::Function(function) = &mut symbol.kind
                && let Some(body) = &mut function.body
            {
                let Declaration { local, name, .. } = declaration;
                let is_known = body.parameters.iter().any(|&(known, _)| known == local);
                if is_address {
                    body.variables.push((local, name));
                } else if (local.0 as usize) < function.params.len() && !is_known {
                    body.parameters.push((local, name));
                }
            }
        }
        for symbol in &mut self.module.symbols {
            if let SymbolKind::Function(function) = &mut symbol.kind
                && let Some(body) = &mut function.body
            {
                body.variables.sort();
                body.variables.dedup_by_key(|&mut (local, _)| local);
            }
        }
    }
}
