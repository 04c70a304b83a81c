//! Definitions and constants as bytes. Every field of the intermediate language is named in these files, so that one
//! that is added is not forgotten.

use rustc_hash::FxHashMap;

use super::inst::Origin;
use super::names::unnumbered;
use super::position::location_file;
use super::{Node, Text};
use crate::ir::{
    ConstId, ConstKind, Constant, Function, InlineAsm, Linkage, LocalId, Module, ParamAttrs,
    SymbolId, SymbolKind, TypeId, Variable,
};
use crate::link::Resolved;
use crate::load::Linked;

pub(super) struct Encoder<'a> {
    pub(super) linked: &'a Linked,
    pub(super) module_index: usize,
    pub(super) module: &'a Module,
    text: Text,
    /// By local, in a function.
    pub(super) origins: Vec<Origin>,
    pub(super) block: u32,
    /// Variables of the function whose contents can change and whose names do not last: which of those with the same
    /// stem each is, in the order in which the function comes across them.
    nameless: FxHashMap<Node, u32>,
    stems: FxHashMap<String, u32>,
    /// Variables of the function that need no memory.
    pub(super) promoted: Vec<LocalId>,
}

impl<'a> Encoder<'a> {
    pub fn new(linked: &'a Linked, module: usize) -> Encoder<'a> {
        Encoder {
            linked,
            module_index: module,
            module: &linked.program.modules[module],
            text: Text::default(),
            origins: Vec::new(),
            block: 0,
            nameless: FxHashMap::default(),
            stems: FxHashMap::default(),
            promoted: Vec::new(),
        }
    }

    /// Something that is known by its contents.
    pub fn definition(linked: &'a Linked, node: Node) -> Text {
        let mut encoder = Encoder::new(linked, node.module as usize);
        let symbol = &encoder.module.symbols[node.symbol.0 as usize];
        match unnumbered(symbol) {
            Some(stem) => {
                encoder.tag(0);
                encoder.string(&stem);
            }
            None => {
                encoder.tag(1);
                encoder.string(&symbol.name);
                encoder.flag(symbol.linkage.is_local());
                encoder.flag(linked.is_library(node.module as usize));
                if let Some(file) = linked.telling_file(node.module as usize, symbol) {
                    encoder.string(file);
                }
            }
        }
        match &symbol.kind {
            SymbolKind::Variable(variable) => encoder.variable(variable),
            SymbolKind::Function(function) => {
                encoder.signature(function);
                if let Some(body) = &function.body {
                    encoder.enter(body);
                    for number in 0..body.blocks.len() {
                        encoder.block(body, number);
                    }
                }
            }
            SymbolKind::Alias(target) | SymbolKind::Ifunc(target) => encoder.constant(*target),
        }
        encoder.text
    }

    /// The hash of what was written so far, which is then gone.
    pub fn take_hash(&mut self) -> u64 {
        let linked = self.linked;
        let hash = self.text.hash(|node| linked.contents_hash(node));
        self.text.bytes.clear();
        self.text.refs.clear();
        hash
    }

    pub(super) fn tag(&mut self, tag: u8) {
        self.text.bytes.push(tag);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.tag(u8::from(flag));
    }

    pub(super) fn number(&mut self, number: u64) {
        self.text.bytes.extend(number.to_le_bytes());
    }

    pub(super) fn index(&mut self, index: u32) {
        self.text.bytes.extend(index.to_le_bytes());
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(super) fn string(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.text.bytes.extend(bytes);
    }

    pub(super) fn ty(&mut self, ty: TypeId) {
        self.number(self.linked.type_hash(self.module_index, ty));
    }

    pub(super) fn optional_ty(&mut self, ty: Option<TypeId>) {
        self.flag(ty.is_some());
        if let Some(ty) = ty {
            self.ty(ty);
        }
    }

    // Definitions.

    fn variable(&mut self, variable: &Variable) {
        let Variable {
            ty,
            constant,
            thread_local,
            initializer,
            align,
        } = variable;
        self.flag(*constant);
        self.flag(*thread_local);
        self.number(*align);
        self.ty(*ty);
        self.flag(initializer.is_some());
        if let Some(initializer) = initializer {
            self.value(*initializer);
        }
    }

    pub fn signature(&mut self, function: &Function) {
        let Function {
            ty,
            params,
            personality,
            body: _,
            debug: _,
        } = function;
        self.ty(*ty);
        self.count(params.len());
        for param in params {
            let ParamAttrs {
                by_value,
                struct_return,
                align,
                sign_extend,
                zero_extend,
            } = *param;
            self.optional_ty(by_value);
            self.optional_ty(struct_return);
            self.number(align);
            self.flag(sign_extend);
            self.flag(zero_extend);
        }
        self.flag(personality.is_some());
        if let Some(personality) = personality {
            self.constant(*personality);
        }
    }

    // Constants.

    /// A constant with its type.
    pub(super) fn constant(&mut self, id: ConstId) {
        self.ty(self.module.constants[id.0 as usize].ty);
        self.value(id);
    }

    fn constants(&mut self, ids: &[ConstId]) {
        self.count(ids.len());
        for &id in ids {
            self.constant(id);
        }
    }

    /// A constant whose type is known from elsewhere. Constants nest to a bounded depth.
    pub(super) fn value(&mut self, id: ConstId) {
        let Constant { ty: _, kind } = &self.module.constants[id.0 as usize];
        match kind {
            ConstKind::Zero => self.tag(0),
            ConstKind::Undef => self.tag(1),
            ConstKind::Poison => self.tag(2),
            ConstKind::Int(value) => {
                self.tag(3);
                self.number(*value);
            }
            ConstKind::Wide(words) => {
                self.tag(4);
                self.count(words.len());
                words.iter().for_each(|&word| self.number(word));
            }
            ConstKind::Float(bits) => {
                self.tag(5);
                self.text.bytes.extend(bits.to_le_bytes());
            }
            ConstKind::Data(bytes) => {
                self.tag(6);
                self.bytes(bytes);
            }
            ConstKind::Aggregate(elements) => {
                self.tag(7);
                self.count(elements.len());
                elements.iter().for_each(|&element| self.value(element));
            }
            ConstKind::Symbol(symbol) => {
                self.tag(8);
                self.symbol(*symbol);
            }
            ConstKind::BlockAddress { function, block } => {
                self.tag(9);
                self.symbol(*function);
                self.index(block.0);
            }
            ConstKind::Cast { op, value } => {
                self.tag(10);
                self.tag(*op as u8);
                self.constant(*value);
            }
            ConstKind::Binary { op, a, b } => {
                self.tag(11);
                self.tag(*op as u8);
                self.constants(&[*a, *b]);
            }
            ConstKind::Compare { predicate, a, b } => {
                self.tag(12);
                self.tag(*predicate as u8);
                self.constants(&[*a, *b]);
            }
            ConstKind::FCompare { predicate, a, b } => {
                self.tag(13);
                self.tag(predicate.0);
                self.constants(&[*a, *b]);
            }
            ConstKind::Select {
                condition,
                then,
                other,
            } => {
                self.tag(14);
                self.constants(&[*condition, *then, *other]);
            }
            ConstKind::Gep {
                source,
                base,
                indices,
            } => {
                self.tag(15);
                self.ty(*source);
                self.constant(*base);
                self.constants(indices);
            }
            ConstKind::ExtractElement { vector, index } => {
                self.tag(16);
                self.constants(&[*vector, *index]);
            }
            ConstKind::InsertElement {
                vector,
                value,
                index,
            } => {
                self.tag(17);
                self.constants(&[*vector, *value, *index]);
            }
            ConstKind::Shuffle { a, b, mask } => {
                self.tag(18);
                self.constants(&[*a, *b]);
                self.mask(mask);
            }
            ConstKind::InlineAsm(asm) => {
                self.tag(19);
                self.inline_asm(asm);
            }
        }
    }

    pub(super) fn mask(&mut self, mask: &[i32]) {
        self.count(mask.len());
        mask.iter().for_each(|&lane| self.index(lane as u32));
    }

    pub(super) fn inline_asm(&mut self, asm: &InlineAsm) {
        let InlineAsm {
            text,
            constraints,
            side_effects,
            is_intel,
        } = asm;
        self.string(text);
        self.string(constraints);
        self.flag(*side_effects);
        self.flag(*is_intel);
    }

    /// A reference to a symbol: by name, or by what it contains.
    fn symbol(&mut self, id: SymbolId) {
        let (module, symbol) = match self.linked.program.resolve(self.module_index, id) {
            Resolved::Defined { module, symbol } => (module, symbol),
            Resolved::Undefined => return self.undefined(id),
        };
        let node = Node {
            module: module as u32,
            symbol,
        };
        let definition = &self.linked.program.modules[module].symbols[symbol.0 as usize];
        match &definition.kind {
            SymbolKind::Function(_) => {
                let function = self.linked.callable(module, symbol);
                match function.filter(|_| unnumbered(definition).is_none()) {
                    Some((function, _)) => {
                        self.tag(0);
                        self.string(self.linked.callee(function));
                        // The runtime's code gives way to the program's.
                        self.flag(self.linked.is_library(module));
                    }
                    None => {
                        self.tag(1);
                        self.text.refs.push(node);
                    }
                }
            }
            SymbolKind::Variable(variable) => {
                if let Some(file) = location_file(&self.linked.program.modules[module], symbol) {
                    self.tag(2);
                    self.text.refs.push(Node {
                        module: module as u32,
                        symbol: file,
                    });
                    return;
                }
                self.tag(3);
                self.text.refs.push(node);
                if !variable.constant
                    && let Some(stem) = unnumbered(definition)
                {
                    self.nameless(node, stem);
                }
            }
            SymbolKind::Alias(_) | SymbolKind::Ifunc(_) => {
                self.tag(4);
                self.text.refs.push(node);
            }
        }
    }

    fn undefined(&mut self, id: SymbolId) {
        let symbol = &self.module.symbols[id.0 as usize];
        self.tag(5);
        self.string(&symbol.name);
        self.flag(symbol.linkage == Linkage::ExternWeak);
        // Whether the machine has it decides what a call does.
        let callable = self.linked.callable(self.module_index, id);
        self.flag(callable.is_some());
        if let Some((function, _)) = callable {
            self.flag(self.linked.is_native(function));
        }
    }

    /// Two of them may have the same contents, and are two all the same.
    fn nameless(&mut self, node: Node, stem: String) {
        let stems = &mut self.stems;
        let index = *self
            .nameless
            .entry(node)
            .or_insert_with(|| next(stems, stem));
        self.index(index);
    }
}

/// Counts up.
pub(super) fn next<K: std::hash::Hash + Eq>(counts: &mut FxHashMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count += 1;
    *count - 1
}
