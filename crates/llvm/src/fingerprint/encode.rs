//! The intermediate language as bytes. Every field of it is named here, so that one that is added is not forgotten.
//!
//! A local is written as where it comes from: the parameter, the stack variable among those of its type, or the
//! result among those of its type in a block so far away. Instructions that are inserted elsewhere leave that alone,
//! unless they make something of the same type in front of it.

use rustc_hash::FxHashMap;

use super::names::unnumbered;
use super::{Node, Text, hash_of, is_debug};
use crate::ir::{
    Block, BlockId, Body, ByValueArg, Call, Callee, Clause, ConstId, ConstKind, Constant, Function,
    InlineAsm, Inst, InstKind, Linkage, LocalId, Module, Operand, ParamAttrs, SymbolId, SymbolKind,
    Type, TypeId, Variable, Wrap,
};
use crate::link::Resolved;
use crate::load::{Callable, Linked};

/// Functions that end a path because of a condition that does not hold, and which of their arguments is the line
/// where it stands: as good as debug information.
const LINE_ARGUMENTS: [(&str, usize); 2] = [("__assert_fail", 2), ("__assert", 2)];

/// Where a local comes from.
#[derive(Clone, Copy)]
enum Origin {
    Parameter { index: u32, ty: u64 },
    Variable { index: u32, ty: u64 },
    Result { block: u32, index: u32, ty: u64 },
}

pub(super) struct Encoder<'a> {
    linked: &'a Linked,
    module_index: usize,
    module: &'a Module,
    text: Text,
    /// By local, in a function.
    origins: Vec<Origin>,
    block: u32,
    /// Variables of the function whose contents can change and whose names do not last: which of those with the same
    /// stem each is, in the order in which the function comes across them.
    nameless: FxHashMap<Node, u32>,
    stems: FxHashMap<String, u32>,
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

    fn tag(&mut self, tag: u8) {
        self.text.bytes.push(tag);
    }

    fn flag(&mut self, flag: bool) {
        self.tag(u8::from(flag));
    }

    fn number(&mut self, number: u64) {
        self.text.bytes.extend(number.to_le_bytes());
    }

    fn index(&mut self, index: u32) {
        self.text.bytes.extend(index.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn string(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.text.bytes.extend(bytes);
    }

    fn ty(&mut self, ty: TypeId) {
        self.number(self.linked.type_hash(self.module_index, ty));
    }

    fn optional_ty(&mut self, ty: Option<TypeId>) {
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

    /// Finds out where the locals of a body come from.
    pub fn enter(&mut self, body: &Body) {
        let hash = |ty: TypeId| self.linked.type_hash(self.module_index, ty);
        let locals = (0..).zip(&body.locals);
        let mut origins: Vec<Origin> = locals
            .map(|(index, &ty)| Origin::Parameter {
                index,
                ty: hash(ty),
            })
            .collect();
        let mut variables: FxHashMap<u64, u32> = FxHashMap::default();
        let mut results: FxHashMap<u64, u32> = FxHashMap::default();
        for (block, insts) in (0..).zip(body.blocks.iter().map(|block| &block.insts)) {
            results.clear();
            for inst in insts {
                let Some(LocalId(local)) = inst.result else {
                    continue;
                };
                origins[local as usize] = if let InstKind::Alloca { ty, .. } = inst.kind {
                    let ty = hash(ty);
                    let index = next(&mut variables, ty);
                    Origin::Variable { index, ty }
                } else {
                    let ty = hash(body.locals[local as usize]);
                    let index = next(&mut results, ty);
                    Origin::Result { block, index, ty }
                };
            }
        }
        self.origins = origins;
    }

    pub fn block(&mut self, body: &Body, number: usize) {
        self.block = number as u32;
        let Block { insts } = &body.blocks[number];
        for inst in insts {
            if !is_debug(self.module, &inst.kind) {
                self.inst(body, inst);
            }
        }
    }

    // Constants.

    /// A constant with its type.
    fn constant(&mut self, id: ConstId) {
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
    fn value(&mut self, id: ConstId) {
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

    fn mask(&mut self, mask: &[i32]) {
        self.count(mask.len());
        mask.iter().for_each(|&lane| self.index(lane as u32));
    }

    fn inline_asm(&mut self, asm: &InlineAsm) {
        let InlineAsm {
            text,
            constraints,
            side_effects,
        } = asm;
        self.string(text);
        self.string(constraints);
        self.flag(*side_effects);
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

    // Instructions.

    fn operand(&mut self, operand: Operand) {
        let local = match operand {
            Operand::Const(id) => {
                self.tag(0);
                return self.constant(id);
            }
            Operand::Local(local) => local,
        };
        match self.origins[local.0 as usize] {
            Origin::Parameter { index, ty } => {
                self.tag(1);
                self.index(index);
                self.number(ty);
            }
            Origin::Variable { index, ty } => {
                self.tag(2);
                self.index(index);
                self.number(ty);
            }
            Origin::Result { block, index, ty } => {
                self.tag(3);
                self.target(BlockId(block));
                self.index(index);
                self.number(ty);
            }
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        self.count(operands.len());
        for &operand in operands {
            self.operand(operand);
        }
    }

    /// A block, by how far it is from the one at hand.
    fn target(&mut self, block: BlockId) {
        self.index(block.0.wrapping_sub(self.block));
    }

    fn targets(&mut self, blocks: &[BlockId]) {
        self.count(blocks.len());
        for &block in blocks {
            self.target(block);
        }
    }

    fn path(&mut self, path: &[u32]) {
        self.count(path.len());
        path.iter().for_each(|&index| self.index(index));
    }

    fn inst(&mut self, body: &Body, inst: &Inst) {
        let Inst {
            result,
            kind,
            loc: _,
            flags,
        } = inst;
        self.optional_ty(result.map(|local| body.locals[local.0 as usize]));
        self.index(*flags);
        match kind {
            InstKind::Binary { op, a, b, wrap } => {
                self.tag(0);
                self.tag(*op as u8);
                let Wrap {
                    no_signed,
                    no_unsigned,
                } = *wrap;
                self.flag(no_signed);
                self.flag(no_unsigned);
                self.operands(&[*a, *b]);
            }
            InstKind::FNeg(value) => {
                self.tag(1);
                self.operand(*value);
            }
            InstKind::Cast { op, value } => {
                self.tag(2);
                self.tag(*op as u8);
                self.operand(*value);
            }
            InstKind::ICmp { predicate, a, b } => {
                self.tag(3);
                self.tag(*predicate as u8);
                self.operands(&[*a, *b]);
            }
            InstKind::FCmp { predicate, a, b } => {
                self.tag(4);
                self.tag(predicate.0);
                self.operands(&[*a, *b]);
            }
            InstKind::Select {
                condition,
                then,
                other,
            } => {
                self.tag(5);
                self.operands(&[*condition, *then, *other]);
            }
            InstKind::Freeze(value) => {
                self.tag(6);
                self.operand(*value);
            }
            InstKind::ExtractElement { vector, index } => {
                self.tag(7);
                self.operands(&[*vector, *index]);
            }
            InstKind::InsertElement {
                vector,
                value,
                index,
            } => {
                self.tag(8);
                self.operands(&[*vector, *value, *index]);
            }
            InstKind::Shuffle { a, b, mask } => {
                self.tag(9);
                self.operands(&[*a, *b]);
                self.mask(mask);
            }
            InstKind::ExtractValue { aggregate, path } => {
                self.tag(10);
                self.operand(*aggregate);
                self.path(path);
            }
            InstKind::InsertValue {
                aggregate,
                value,
                path,
            } => {
                self.tag(11);
                self.operands(&[*aggregate, *value]);
                self.path(path);
            }
            InstKind::Phi(incoming) => {
                self.tag(12);
                self.count(incoming.len());
                for &(value, from) in incoming {
                    self.target(from);
                    self.operand(value);
                }
            }
            InstKind::Alloca { ty, count, align } => {
                self.tag(13);
                self.ty(*ty);
                self.operand(*count);
                self.number(*align);
            }
            InstKind::Load { pointer, ty } => {
                self.tag(14);
                self.operand(*pointer);
                self.ty(*ty);
            }
            InstKind::Store { pointer, value } => {
                self.tag(15);
                self.operands(&[*pointer, *value]);
            }
            InstKind::Gep {
                source,
                base,
                indices,
            } => {
                self.tag(16);
                self.ty(*source);
                self.operand(*base);
                self.operands(indices);
            }
            InstKind::CmpXchg {
                pointer,
                expected,
                new,
            } => {
                self.tag(17);
                self.operands(&[*pointer, *expected, *new]);
            }
            InstKind::AtomicRmw { op, pointer, value } => {
                self.tag(18);
                self.tag(*op as u8);
                self.operands(&[*pointer, *value]);
            }
            InstKind::Fence => self.tag(19),
            InstKind::VaArg { list, ty } => {
                self.tag(20);
                self.operand(*list);
                self.ty(*ty);
            }
            InstKind::Call(call) => {
                self.tag(21);
                self.call(call);
            }
            InstKind::Invoke {
                call,
                normal,
                unwind,
            } => {
                self.tag(22);
                self.call(call);
                self.targets(&[*normal, *unwind]);
            }
            InstKind::CallBr {
                call,
                normal,
                indirect,
            } => {
                self.tag(23);
                self.call(call);
                self.target(*normal);
                self.targets(indirect);
            }
            InstKind::LandingPad { cleanup, clauses } => {
                self.tag(24);
                self.flag(*cleanup);
                self.count(clauses.len());
                for clause in clauses {
                    let (is_filter, operand) = match clause {
                        Clause::Catch(operand) => (false, operand),
                        Clause::Filter(operand) => (true, operand),
                    };
                    self.flag(is_filter);
                    self.operand(*operand);
                }
            }
            InstKind::Resume(value) => {
                self.tag(25);
                self.operand(*value);
            }
            InstKind::Ret(value) => {
                self.tag(26);
                self.operands(value.as_slice());
            }
            InstKind::Br(to) => {
                self.tag(27);
                self.target(*to);
            }
            InstKind::CondBr {
                condition,
                then,
                other,
            } => {
                self.tag(28);
                self.operand(*condition);
                self.targets(&[*then, *other]);
            }
            InstKind::Switch {
                value,
                default,
                cases,
            } => {
                self.tag(29);
                self.operand(*value);
                self.target(*default);
                self.count(cases.len());
                for &(case, to) in cases {
                    self.value(case);
                    self.target(to);
                }
            }
            InstKind::IndirectBr { address, targets } => {
                self.tag(30);
                self.operand(*address);
                self.targets(targets);
            }
            InstKind::Unreachable => self.tag(31),
            InstKind::Unsupported(what) => {
                self.tag(32);
                self.string(what);
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let Call {
            callee,
            ty,
            args,
            by_value,
        } = call;
        match callee {
            Callee::Value(operand) => {
                self.tag(0);
                self.operand(*operand);
            }
            Callee::Asm(asm) => {
                self.tag(1);
                self.inline_asm(asm);
            }
        }
        self.ty(*ty);
        let line = self.line_argument(callee);
        self.count(args.len());
        for (index, &arg) in args.iter().enumerate() {
            if Some(index) == line && matches!(arg, Operand::Const(_)) {
                self.tag(0);
            } else {
                self.tag(1);
                self.operand(arg);
            }
        }
        self.count(by_value.len());
        for arg in by_value {
            self.flag(arg.is_some());
            if let Some(ByValueArg { ty, align }) = *arg {
                self.ty(ty);
                self.number(align);
            }
        }
    }

    /// The argument that only says at which line of the source a call of the machine's own function stands.
    fn line_argument(&self, callee: &Callee) -> Option<usize> {
        let Callee::Value(Operand::Const(id)) = callee else {
            return None;
        };
        let ConstKind::Symbol(symbol) = self.module.constants[id.0 as usize].kind else {
            return None;
        };
        let name = self.module.symbols[symbol.0 as usize].name.as_str();
        let (_, index) = LINE_ARGUMENTS.iter().find(|&&(known, _)| known == name)?;
        let (function, callable) = self.linked.callable(self.module_index, symbol)?;
        let is_native = callable == Callable::Native && self.linked.is_native(function);
        is_native.then_some(*index)
    }
}

/// Counts up.
fn next<K: std::hash::Hash + Eq>(counts: &mut FxHashMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count += 1;
    *count - 1
}

/// Where Rust code can panic, it refers to a constant with its file, line and column, for the message. The result is
/// the file, if a constant is one: line and column are debug information, and change with every line above.
fn location_file(module: &Module, symbol: SymbolId) -> Option<SymbolId> {
    let symbol = &module.symbols[symbol.0 as usize];
    let constant = |symbol: SymbolId| match &module.symbols[symbol.0 as usize].kind {
        SymbolKind::Variable(variable) if variable.constant => variable.initializer,
        _ => None,
    };
    let kind = |id: ConstId| &module.constants[id.0 as usize].kind;
    let SymbolKind::Variable(Variable {
        constant: true,
        initializer: Some(initializer),
        ..
    }) = symbol.kind
    else {
        return None;
    };
    if symbol.linkage != Linkage::Private || !symbol.name.starts_with("alloc_") {
        return None;
    }
    let ConstKind::Aggregate(fields) = kind(initializer) else {
        return None;
    };
    let [pointer, numbers] = fields[..] else {
        return None;
    };
    let (ConstKind::Symbol(file), ConstKind::Data(numbers)) = (kind(pointer), kind(numbers)) else {
        return None;
    };
    let text = match kind(constant(*file)?) {
        ConstKind::Aggregate(fields) => kind(*fields.first()?),
        text => text,
    };
    let ConstKind::Data(text) = text else {
        return None;
    };
    let path = text.strip_suffix(&[0]).unwrap_or(text);
    let (length, position) = numbers.split_first_chunk()?;
    let is_path = path.ends_with(b".rs") && u64::from_le_bytes(*length) == path.len() as u64;
    (is_path && position.len() == 8).then_some(*file)
}

impl Linked {
    /// Of a type's layout and of what calculations do with it. Names are not in, nor what pointers point to.
    pub(super) fn type_hash(&self, module: usize, ty: TypeId) -> u64 {
        let known = |cache: &Vec<Vec<Option<u64>>>| *cache.get(module)?.get(ty.0 as usize)?;
        if let Some(hash) = known(&self.cache.types.borrow()) {
            return hash;
        }
        let Module { types, layout, .. } = &self.program.modules[module];
        let of = |ty: &TypeId| self.type_hash(module, *ty);
        let hash = match types.get(ty) {
            Type::Void => hash_of([0]),
            Type::Half => hash_of([1]),
            Type::BFloat => hash_of([2]),
            Type::Float => hash_of([3]),
            Type::Double => hash_of([4]),
            Type::X86Fp80 => hash_of([5, layout.align(types, ty)]),
            Type::Fp128 => hash_of([6, layout.align(types, ty)]),
            Type::PpcFp128 => hash_of([7, layout.align(types, ty)]),
            Type::Label => hash_of([8]),
            Type::Metadata => hash_of([9]),
            Type::Token => hash_of([10]),
            Type::X86Mmx => hash_of([11]),
            Type::X86Amx => hash_of([12]),
            Type::Int(bits) => hash_of([13, u64::from(*bits), layout.align(types, ty)]),
            Type::Pointer { pointee: _, space } => hash_of([14, u64::from(*space)]),
            Type::Struct {
                name: _,
                fields,
                packed,
            } => hash_of(
                [15, u64::from(*packed)]
                    .into_iter()
                    .chain(fields.iter().map(of)),
            ),
            Type::Opaque { name: _ } => hash_of([16]),
            Type::Array { element, len } => hash_of([17, of(element), *len]),
            Type::Vector {
                element,
                len,
                scalable,
            } => hash_of([
                18,
                of(element),
                *len,
                u64::from(*scalable),
                layout.align(types, ty),
            ]),
            Type::Function {
                result,
                params,
                variadic,
            } => hash_of(
                [19, u64::from(*variadic), of(result)]
                    .into_iter()
                    .chain(params.iter().map(of)),
            ),
            Type::TargetExt { name } => {
                hash_of([20].into_iter().chain(name.bytes().map(u64::from)))
            }
        };
        let mut cache = self.cache.types.borrow_mut();
        if cache.is_empty() {
            let modules = self.program.modules.iter();
            *cache = modules
                .map(|module| vec![None; module.types.len()])
                .collect();
        }
        cache[module][ty.0 as usize] = Some(hash);
        hash
    }
}
