//! Where things lie: which code can tell, and a hash of it.
//!
//! Variables have the slots of the address space in the order of modules and symbols, functions their addresses in the
//! same order (`load`); the stack and the heap come behind. So a variable or a function that is added, or is gone,
//! moves all that come after it, and with a variable the stack and the heap move too. Code that only goes where
//! pointers lead, and compares them for equality, does the same all the same. What does not: pointers that become
//! numbers and numbers that become pointers, by a cast or through memory, and the order of pointers.
//!
//! Through memory, that is seen where the type says that a pointer is there: in a variable on the stack or in a global
//! one, or a field of a structure. Single bytes that are read out of a stored pointer are not seen.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::unnumbered;
use super::{Node, hash_of, hash_of_text};
use crate::ir::{
    BinaryOp, Body, Callee, CastOp, ConstId, ConstKind, ICmpPredicate, Inst, InstKind, Module,
    Operand, SymbolId, SymbolKind, Type, TypeId,
};
use crate::link::Resolved;
use crate::load::Linked;
use crate::lower::{callee_name, operands};

/// Addresses below this one are nobody's: numbers that become such pointers say nothing of others.
const FIRST_ADDRESS: u64 = 1 << 24;

/// A body, and what its locals are.
struct Code<'a> {
    linked: &'a Linked,
    module: usize,
    body: &'a Body,
    /// By local.
    defined_by: FxHashMap<u32, &'a InstKind>,
}

impl Linked {
    /// By block of a function: whether it can tell where things lie.
    pub(crate) fn sees_layout(&self, function: u32) -> Vec<bool> {
        let entry = &self.functions[function as usize];
        let Some(module) = self.program.modules.get(entry.module) else {
            return Vec::new();
        };
        let SymbolKind::Function(function) = &module.symbols[entry.symbol.0 as usize].kind else {
            return Vec::new();
        };
        let Some(body) = &function.body else {
            return Vec::new();
        };
        let insts = body.blocks.iter().flat_map(|block| &block.insts);
        let defined = insts.filter_map(|inst| Some((inst.result?.0, &inst.kind)));
        let code = Code {
            linked: self,
            module: entry.module,
            body,
            defined_by: defined.collect(),
        };
        let blocks = body.blocks.iter();
        blocks
            .map(|block| block.insts.iter().any(|inst| code.sees(inst)))
            .collect()
    }

    /// Of where all functions and variables lie.
    pub(crate) fn layout_hash(&self) -> u64 {
        *self.cache.layout.get_or_init(|| {
            let mut numbers = Vec::new();
            for function in 0..self.functions.len() as u32 {
                numbers.push(self.functions[function as usize].address);
                numbers.push(hash_of_text(self.lasting_symbol(function)));
            }
            // Threads look through all variables for some that they cannot share.
            let by_contents = !self.thread_locals.is_empty();
            for (index, module) in self.program.modules.iter().enumerate() {
                for (symbol, node) in nodes(index, module) {
                    let entry = &module.symbols[symbol];
                    let SymbolKind::Variable(variable) = &entry.kind else {
                        continue;
                    };
                    let is_elsewhere = matches!(self.program.resolve(index, node.symbol),
                        Resolved::Defined { module, symbol } if (module, symbol) != (index, node.symbol));
                    if is_elsewhere {
                        continue;
                    }
                    numbers.push(self.address(index, node.symbol));
                    numbers.push(module.layout.size(&module.types, variable.ty));
                    let is_known = variable.initializer.is_some();
                    if is_known && (by_contents || unnumbered(entry).is_some()) {
                        numbers.push(self.contents_hash(node));
                    } else {
                        numbers.push(hash_of_text(&entry.name));
                    }
                }
            }
            hash_of(numbers)
        })
    }

    /// The variables whose initial values are made of where things lie, or lead to such variables.
    fn placed_variables(&self) -> &FxHashSet<Node> {
        self.cache.placed.get_or_init(|| {
            let mut users: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
            let mut waiting = Vec::new();
            for (index, module) in self.program.modules.iter().enumerate() {
                for (symbol, node) in nodes(index, module) {
                    let SymbolKind::Variable(variable) = &module.symbols[symbol].kind else {
                        continue;
                    };
                    let Some(initializer) = variable.initializer else {
                        continue;
                    };
                    if self.is_placed(index, initializer, |used| {
                        users.entry(used).or_default().push(node);
                        false
                    }) {
                        waiting.push(node);
                    }
                }
            }
            let mut placed = FxHashSet::default();
            while let Some(node) = waiting.pop() {
                if placed.insert(node) {
                    waiting.extend(users.get(&node).into_iter().flatten());
                }
            }
            placed
        })
    }

    /// Whether a constant is made of where things lie, or of a variable that counts as such.
    fn is_placed(
        &self,
        module: usize,
        constant: ConstId,
        mut counts: impl FnMut(Node) -> bool,
    ) -> bool {
        let unit = &self.program.modules[module];
        let mut waiting = vec![constant];
        let mut is_placed = false;
        while let Some(id) = waiting.pop() {
            let kind = &unit.constants[id.0 as usize].kind;
            if let Some(ends) = distance(unit, kind) {
                waiting.extend(ends);
                continue;
            }
            is_placed |= match kind {
                ConstKind::Symbol(symbol) => match self.program.resolve(module, *symbol) {
                    Resolved::Defined { module, symbol } => counts(Node {
                        module: module as u32,
                        symbol,
                    }),
                    Resolved::Undefined => false,
                },
                ConstKind::Cast {
                    op: CastOp::PtrToInt,
                    ..
                } => true,
                ConstKind::Cast {
                    op: CastOp::IntToPtr,
                    value,
                } => !is_small(unit, *value),
                ConstKind::Compare { predicate, a, .. } => {
                    let ty = unit.constants[a.0 as usize].ty;
                    is_order(*predicate) && holds_pointers(unit, ty)
                }
                _ => false,
            };
            waiting.extend(kind.operands());
        }
        is_placed
    }
}

fn nodes(index: usize, module: &Module) -> impl Iterator<Item = (usize, Node)> {
    (0..module.symbols.len()).map(move |symbol| {
        let node = Node {
            module: index as u32,
            symbol: SymbolId(symbol as u32),
        };
        (symbol, node)
    })
}

/// The two places whose distance an entry of a table is, which compilers make of tables of pointers: only an intrinsic
/// reads it, and that adds it to one of the places again.
fn distance(module: &Module, kind: &ConstKind) -> Option<[ConstId; 2]> {
    let kind_of = |id: ConstId| &module.constants[id.0 as usize].kind;
    let place = |id: ConstId| match *kind_of(id) {
        ConstKind::Cast {
            op: CastOp::PtrToInt,
            value,
        } => Some(value),
        _ => None,
    };
    let ConstKind::Cast {
        op: CastOp::Trunc,
        value,
    } = *kind
    else {
        return None;
    };
    match *kind_of(value) {
        ConstKind::Binary {
            op: BinaryOp::Sub,
            a,
            b,
        } => Some([place(a)?, place(b)?]),
        _ => None,
    }
}

fn is_order(predicate: ICmpPredicate) -> bool {
    !matches!(predicate, ICmpPredicate::Eq | ICmpPredicate::Ne)
}

/// Whether a number is below all addresses.
fn is_small(module: &Module, id: ConstId) -> bool {
    match module.constants[id.0 as usize].kind {
        ConstKind::Zero => true,
        ConstKind::Int(value) => value < FIRST_ADDRESS,
        _ => false,
    }
}

fn holds_pointers(module: &Module, ty: TypeId) -> bool {
    match module.types.get(ty) {
        Type::Pointer { .. } => true,
        Type::Struct { fields, .. } => fields.iter().any(|&field| holds_pointers(module, field)),
        Type::Array { element, .. } | Type::Vector { element, .. } => {
            holds_pointers(module, *element)
        }
        _ => false,
    }
}

impl Code<'_> {
    fn unit(&self) -> &Module {
        &self.linked.program.modules[self.module]
    }

    fn ty(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Const(id) => self.unit().constants[id.0 as usize].ty,
            Operand::Local(local) => self.body.locals[local.0 as usize],
        }
    }

    fn has_pointers(&self, operand: Operand) -> bool {
        holds_pointers(self.unit(), self.ty(operand))
    }

    fn is_placed(&self, operand: Operand) -> bool {
        let Operand::Const(id) = operand else {
            return false;
        };
        let placed = self.linked.placed_variables();
        let counts = |node: Node| placed.contains(&node);
        self.linked.is_placed(self.module, id, counts)
    }

    fn sees(&self, inst: &Inst) -> bool {
        let mut sees = false;
        match &inst.kind {
            InstKind::Phi(incoming) => incoming
                .iter()
                .for_each(|&(operand, _)| sees |= self.is_placed(operand)),
            kind => operands(kind, |operand| sees |= self.is_placed(operand)),
        }
        sees || match &inst.kind {
            InstKind::Cast { op, value } => match op {
                CastOp::PtrToInt => true,
                CastOp::IntToPtr => {
                    !matches!(*value, Operand::Const(id) if is_small(self.unit(), id))
                }
                _ => false,
            },
            InstKind::ICmp { predicate, a, .. } => is_order(*predicate) && self.has_pointers(*a),
            InstKind::IndirectBr { .. } => true,
            InstKind::Load { pointer, ty } => self.is_punned(*pointer, *ty),
            InstKind::Store { pointer, value } => self.is_punned(*pointer, self.ty(*value)),
            InstKind::Call(call) | InstKind::Invoke { call, .. } => {
                if matches!(call.callee, Callee::Asm(_)) {
                    return call.args.iter().any(|&arg| self.has_pointers(arg));
                }
                match callee_name(self.unit(), call) {
                    Some(name) if name.starts_with("llvm.ptrmask") => true,
                    Some(name) if name.starts_with("llvm.mem") || is_copy(name) => {
                        match call.args[..] {
                            [to, from, ..] => self.is_copied_over(to, from),
                            _ => false,
                        }
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether something without pointers is read or written where a pointer is, or the other way around.
    fn is_punned(&self, pointer: Operand, ty: TypeId) -> bool {
        let unit = self.unit();
        let Some(there) = self.pointee(pointer) else {
            return false;
        };
        let (there, here) = (self.first_field(there), self.first_field(ty));
        // What is plain bytes can hold anything.
        let is_known = !matches!(unit.types.get(there), Type::Int(8));
        is_known && unit.types.is_pointer(there) != unit.types.is_pointer(here)
    }

    /// Whether bytes are copied between something with pointers and something without.
    fn is_copied_over(&self, to: Operand, from: Operand) -> bool {
        let (Some(to), Some(from)) = (self.pointee(to), self.pointee(from)) else {
            return false;
        };
        holds_pointers(self.unit(), to) != holds_pointers(self.unit(), from)
    }

    /// The type of what begins where a structure or an array begins.
    fn first_field(&self, mut ty: TypeId) -> TypeId {
        loop {
            ty = match self.unit().types.get(ty) {
                Type::Struct { fields, .. } => match fields.first() {
                    Some(&first) => first,
                    None => return ty,
                },
                Type::Array { element, .. } => *element,
                _ => return ty,
            };
        }
    }

    /// The type of what is known to lie at an address.
    fn pointee(&self, pointer: Operand) -> Option<TypeId> {
        let unit = self.unit();
        match pointer {
            Operand::Local(local) => match *self.defined_by.get(&local.0)? {
                InstKind::Alloca { ty, .. } => Some(*ty),
                InstKind::Gep {
                    source, indices, ..
                } => {
                    let indices = indices.iter().map(|&index| match index {
                        Operand::Const(id) => Some(id),
                        Operand::Local(_) => None,
                    });
                    self.at(*source, indices)
                }
                _ => None,
            },
            Operand::Const(id) => match &unit.constants[id.0 as usize].kind {
                ConstKind::Symbol(symbol) => match &unit.symbols[symbol.0 as usize].kind {
                    SymbolKind::Variable(variable) => Some(variable.ty),
                    _ => None,
                },
                ConstKind::Gep {
                    source, indices, ..
                } => self.at(*source, indices.iter().map(|&id| Some(id))),
                _ => None,
            },
        }
    }

    /// The type that indices lead to.
    fn at(&self, source: TypeId, indices: impl Iterator<Item = Option<ConstId>>) -> Option<TypeId> {
        let unit = self.unit();
        let mut ty = source;
        for index in indices.skip(1) {
            ty = match unit.types.get(ty) {
                Type::Struct { fields, .. } => {
                    let field = match unit.constants[index?.0 as usize].kind {
                        ConstKind::Zero => 0,
                        ConstKind::Int(field) => field as usize,
                        _ => return None,
                    };
                    *fields.get(field)?
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => *element,
                _ => return None,
            };
        }
        Some(ty)
    }
}

fn is_copy(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "mempcpy" | "memcmp" | "bcmp")
}
