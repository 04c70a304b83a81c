//! Debug information: which metadata says where code comes from and what variables are called.
//!
//! Metadata is numbered in the order it comes, strings first; only the kinds that are of use are kept. Whatever is
//! wrong with it costs debug information, never the module.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::Result;
use super::bitstream::Record;
use super::codes::{block, metadata as code};
use super::module::Reader;
use crate::ir::{DebugInfo, LocId, Location, Scope, ScopeId, SymbolId, SymbolKind};

/// The kind of attachment that says where something comes from.
const DEBUG_KIND: u64 = 0;

/// Scopes and inlining nest; a chain of more is a cycle.
const MAX_CHAIN: usize = 1024;

#[derive(Clone, Copy, Default)]
enum Node<'a> {
    String(&'a [u8]),
    /// A value, by its number.
    Value(u64),
    File {
        name: u64,
        directory: u64,
    },
    Subprogram {
        name: u64,
        linkage_name: u64,
        file: u64,
        line: u32,
    },
    LexicalBlock {
        scope: u64,
    },
    Location {
        line: u32,
        column: u32,
        scope: u64,
        inlined_at: u64,
    },
    LocalVariable {
        name: u64,
        is_parameter: bool,
    },
    #[default]
    Other,
}

/// Scopes and locations that are known, by a number that is one more than the node's.
#[derive(Default)]
struct Known {
    scopes: FxHashMap<u64, Option<ScopeId>>,
    inlinings: FxHashMap<u64, LocId>,
}

pub(super) struct Metadata<'a> {
    data: &'a [u8],
    nodes: Vec<Node<'a>>,
    debug: DebugInfo,
    known_locations: FxHashMap<Location, LocId>,
    /// What has been made of the module's nodes.
    of_module: Known,
    /// And of those of the current function, which are forgotten with it.
    of_function: Known,
    /// Nodes of the module that are attached to functions.
    subprograms: Vec<(SymbolId, u64)>,
    /// How many of the nodes belong to the module.
    module_nodes: usize,
    /// How many more bytes names may take: one string may be the name of many things.
    text_left: Cell<usize>,
}

impl<'a> Metadata<'a> {
    pub fn new(data: &'a [u8]) -> Metadata<'a> {
        Metadata {
            data,
            nodes: Vec::new(),
            debug: DebugInfo::default(),
            known_locations: FxHashMap::default(),
            of_module: Known::default(),
            of_function: Known::default(),
            subprograms: Vec::new(),
            module_nodes: 0,
            text_left: Cell::new((16 << 20) + 16 * data.len()),
        }
    }

    pub fn take_debug(&mut self) -> DebugInfo {
        std::mem::take(&mut self.debug)
    }

    /// Called at the start of a function.
    pub fn enter_function(&mut self) {
        self.module_nodes = self.nodes.len();
    }

    /// Called at its end: its own metadata is gone.
    pub fn leave_function(&mut self) {
        self.nodes.truncate(self.module_nodes);
        self.of_function = Known::default();
    }

    fn known(&mut self, number: u64) -> &mut Known {
        if number <= self.module_nodes as u64 {
            &mut self.of_module
        } else {
            &mut self.of_function
        }
    }

    fn node(&self, number: u64) -> Node<'a> {
        let index = usize::try_from(number).ok();
        index
            .and_then(|index| self.nodes.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// The node of a number that is one more than it, as optional operands are written.
    fn optional(&self, number: u64) -> Node<'a> {
        number
            .checked_sub(1)
            .map_or(Node::Other, |number| self.node(number))
    }

    fn string(&self, number: u64) -> String {
        match self.optional(number) {
            Node::String(bytes) => match self.text_left.get().checked_sub(bytes.len()) {
                Some(left) => {
                    self.text_left.set(left);
                    String::from_utf8_lossy(bytes).into_owned()
                }
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    fn path(&self, file: u64) -> String {
        let Node::File { name, directory } = self.optional(file) else {
            return String::new();
        };
        let (name, directory) = (self.string(name), self.string(directory));
        if name.starts_with('/') || directory.is_empty() {
            name
        } else {
            format!("{}/{name}", directory.trim_end_matches('/'))
        }
    }

    fn read_strings(&mut self, ops: &[u64], blob: &'a [u8]) {
        let [count, offset, ..] = *ops else {
            return;
        };
        let (lengths, chars) = match usize::try_from(offset)
            .ok()
            .and_then(|offset| blob.split_at_checked(offset))
        {
            Some(split) => split,
            None => (blob, &[][..]),
        };
        let mut lengths = Vbr6 {
            data: lengths,
            bit: 0,
        };
        let mut rest = chars;
        // Every string has its length in the blob, which bounds their number.
        for _ in 0..count.min(blob.len() as u64 * 2) {
            let length = lengths
                .next()
                .and_then(|length| usize::try_from(length).ok());
            let split = length.and_then(|length| rest.split_at_checked(length));
            let (string, after) = split.unwrap_or((&[], rest));
            self.nodes.push(Node::String(string));
            rest = after;
        }
    }

    fn read(&mut self, record: &Record) {
        let ops = &record.ops[..];
        let op = |index: usize| ops.get(index).copied().unwrap_or(0);
        let small = |index: usize| u32::try_from(op(index)).unwrap_or(0);
        let node = match record.code {
            code::NAME
            | code::KIND
            | code::NAMED_NODE
            | code::ATTACHMENT
            | code::INDEX_OFFSET
            | code::INDEX => return,
            code::STRINGS => {
                if let Some(blob) = record.blob.clone().and_then(|blob| self.data.get(blob)) {
                    self.read_strings(ops, blob);
                }
                return;
            }
            code::GLOBAL_DECL_ATTACHMENT => return,
            code::STRING_OLD => Node::Other,
            code::VALUE => Node::Value(op(1)),
            code::FILE => Node::File {
                name: op(1),
                directory: op(2),
            },
            code::SUBPROGRAM => Node::Subprogram {
                name: op(2),
                linkage_name: op(3),
                file: op(4),
                line: small(5),
            },
            code::LEXICAL_BLOCK | code::LEXICAL_BLOCK_FILE => Node::LexicalBlock { scope: op(1) },
            code::LOCATION => Node::Location {
                line: small(1),
                column: small(2),
                // The scope is not optional; told apart by adding the one here.
                scope: op(3).saturating_add(1),
                inlined_at: op(4),
            },
            code::LOCAL_VAR => {
                // Of old a tag came before the scope.
                let has_alignment = op(0) & 2 != 0;
                let tag = usize::from(!has_alignment && ops.len() > 8);
                Node::LocalVariable {
                    name: op(2 + tag),
                    is_parameter: op(6 + tag) != 0,
                }
            }
            _ => Node::Other,
        };
        self.nodes.push(node);
    }

    /// The function that a scope is in; `number` is one more than the node's.
    fn scope(&mut self, number: u64) -> Option<ScopeId> {
        if let Some(&known) = self.known(number).scopes.get(&number) {
            return known;
        }
        let mut at = number;
        let mut found = None;
        for _ in 0..MAX_CHAIN {
            match self.optional(at) {
                Node::LexicalBlock { scope } => at = scope,
                Node::Subprogram {
                    name,
                    linkage_name,
                    file,
                    line,
                } => {
                    if let Some(&known) = self.known(at).scopes.get(&at) {
                        found = known;
                        break;
                    }
                    let scope = Scope {
                        name: self.string(name),
                        linkage_name: self.string(linkage_name),
                        file: self.path(file),
                        line,
                    };
                    let id = ScopeId(self.debug.scopes.len() as u32);
                    self.debug.scopes.push(scope);
                    self.known(at).scopes.insert(at, Some(id));
                    found = Some(id);
                    break;
                }
                _ => break,
            }
        }
        self.known(number).scopes.insert(number, found);
        found
    }

    fn intern(&mut self, location: Location) -> LocId {
        if location == Location::default() {
            return LocId(0);
        }
        let locations = &mut self.debug.locations;
        *self.known_locations.entry(location).or_insert_with(|| {
            locations.push(location);
            LocId(locations.len() as u32 - 1)
        })
    }

    /// The location that a node says; `number` is one more than the node's.
    fn location_node(&mut self, number: u64) -> LocId {
        // From the outermost call inwards, since a location names the one it was inlined at.
        let mut chain = Vec::new();
        let mut at = number;
        let mut id = LocId(0);
        while at != 0 && chain.len() < MAX_CHAIN {
            if let Some(&known) = self.known(at).inlinings.get(&at) {
                id = known;
                break;
            }
            let Node::Location {
                line,
                column,
                scope,
                inlined_at,
            } = self.optional(at)
            else {
                break;
            };
            chain.push((at, line, column, scope));
            at = inlined_at;
        }
        for (node, line, column, scope) in chain.into_iter().rev() {
            let scope = self.scope(scope);
            id = self.intern(Location {
                line,
                column,
                scope,
                inlined_at: id,
            });
            self.known(node).inlinings.insert(node, id);
        }
        id
    }

    /// The location of a debug location record.
    pub fn location(&mut self, ops: &[u64]) -> LocId {
        let [line, column, scope, inlined_at, ..] = *ops else {
            return LocId(0);
        };
        let inlined_at = self.location_node(inlined_at);
        let scope = self.scope(scope);
        self.intern(Location {
            line: u32::try_from(line).unwrap_or(0),
            column: u32::try_from(column).unwrap_or(0),
            scope,
            inlined_at,
        })
    }

    /// The value and the variable's name, where the metadata of a declaration says so.
    pub fn declared(&self, value: u64, variable: u64) -> Option<(u64, String)> {
        match (self.node(value), self.node(variable)) {
            (Node::Value(value), Node::LocalVariable { name, .. }) => {
                let name = self.string(name);
                (!name.is_empty()).then_some((value, name))
            }
            _ => None,
        }
    }

    /// The text that is an argument of a call.
    pub fn text(&self, argument: u64) -> Option<&'a [u8]> {
        match self.node(argument) {
            Node::String(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The name of a variable that is a parameter.
    pub fn parameter(&self, variable: u64) -> Option<String> {
        match self.node(variable) {
            Node::LocalVariable {
                name,
                is_parameter: true,
            } => Some(self.string(name)).filter(|name| !name.is_empty()),
            _ => None,
        }
    }
}

/// The lengths of strings: numbers of six bits at a time.
struct Vbr6<'a> {
    data: &'a [u8],
    bit: usize,
}

impl Vbr6<'_> {
    fn chunk(&mut self) -> Option<u64> {
        let byte = self.bit / 8;
        let low = u32::from(*self.data.get(byte)?);
        let high = self.data.get(byte + 1).map_or(0, |&byte| u32::from(byte));
        let chunk = (low | high << 8) >> (self.bit % 8) & 63;
        self.bit += 6;
        Some(u64::from(chunk))
    }

    fn next(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..60).step_by(5) {
            let chunk = self.chunk()?;
            value |= (chunk & 31) << shift;
            if chunk & 32 == 0 {
                return Some(value);
            }
        }
        None
    }
}

impl Reader<'_> {
    pub fn read_metadata(&mut self) -> Result<()> {
        self.records(block::METADATA, |reader, record| {
            reader.metadata.read(record);
            if let (code::GLOBAL_DECL_ATTACHMENT, [value, attachments @ ..]) =
                (record.code, &record.ops[..])
            {
                let id = usize::try_from(*value)
                    .ok()
                    .and_then(|value| reader.values.get(value));
                if let Some(crate::ir::ConstKind::Symbol(symbol)) =
                    id.map(|id| &reader.module.constants[id.0 as usize].kind)
                {
                    reader.metadata.attach(*symbol, attachments);
                }
            }
            Ok(())
        })
    }

    /// Attachments of a function: those of its instructions are of no use.
    pub fn read_attachments(&mut self, function: SymbolId) -> Result<()> {
        self.records(block::METADATA_ATTACHMENT, |reader, record| {
            if record.code == code::ATTACHMENT && record.ops.len() % 2 == 0 {
                for pair in record
                    .ops
                    .chunks_exact(2)
                    .filter(|pair| pair[0] == DEBUG_KIND)
                {
                    // The node may be one of the function's own, so it is looked at now.
                    let scope = reader.metadata.scope(pair[1].saturating_add(1));
                    if let SymbolKind::Function(function) =
                        &mut reader.module.symbols[function.0 as usize].kind
                    {
                        function.debug = scope;
                    }
                }
            }
            Ok(())
        })
    }

    /// Gives declarations the scopes that were attached to them.
    pub fn attach_subprograms(&mut self) {
        for (symbol, node) in std::mem::take(&mut self.metadata.subprograms) {
            let scope = self.metadata.scope(node.saturating_add(1));
            if let SymbolKind::Function(function) = &mut self.module.symbols[symbol.0 as usize].kind
            {
                function.debug = scope;
            }
        }
    }
}

impl Metadata<'_> {
    fn attach(&mut self, symbol: SymbolId, attachments: &[u64]) {
        for pair in attachments.chunks_exact(2) {
            if pair[0] == DEBUG_KIND {
                self.subprograms.push((symbol, pair[1]));
            }
        }
    }
}
