//! Variables in registers: a stack variable that is only ever loaded and stored whole needs no memory.
//!
//! Code without optimisation keeps every variable on the stack; this is what makes it run nearly as fast as optimised
//! code. A load then shares the variable's slot, where the variable is not stored to before the last read of what was
//! loaded.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::shape::Shape;
use super::uses::Uses;
use crate::ir::{BlockId, Body, InstKind, LocalId, Module, Operand, TypeId};

pub struct Promotion {
    /// The register of each promoted variable, once it has one.
    variables: HashMap<LocalId, Option<u32>, FxBuildHasher>,
}

impl Promotion {
    pub fn of(module: &Module, body: &Body, uses: &Uses, keep_in_memory: bool) -> Promotion {
        let mut variables = HashMap::default();
        let entry = body
            .blocks
            .first()
            .map_or(&[][..], |block| &block.insts[..]);
        if !keep_in_memory {
            for inst in entry {
                if let (InstKind::Alloca { ty, count, .. }, Some(local)) = (&inst.kind, inst.result)
                    && is_one(module, *count)
                    && is_only_loaded_and_stored(module, body, uses, local, *ty)
                {
                    variables.insert(local, None);
                }
            }
        }
        Promotion { variables }
    }

    pub fn locals(&self) -> Vec<LocalId> {
        let mut locals: Vec<LocalId> = self.variables.keys().copied().collect();
        locals.sort_unstable();
        locals
    }

    pub fn place(&mut self, local: LocalId, register: u32) {
        self.variables.insert(local, Some(register));
    }

    pub fn is_promoted(&self, local: LocalId) -> bool {
        self.variables.contains_key(&local)
    }

    pub fn register(&self, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Local(local) => self.variables.get(&local).copied().flatten(),
            Operand::Const(_) => None,
        }
    }

    pub fn registers(&self) -> impl Iterator<Item = u32> {
        self.variables.values().copied().flatten()
    }

    /// A load at `index` of `block` may share the variable's slot: all reads of what it loads come before the next
    /// store.
    pub fn may_share(
        &self,
        body: &Body,
        uses: &Uses,
        variable: LocalId,
        block: BlockId,
        index: usize,
        loaded: LocalId,
    ) -> bool {
        let insts = &body.blocks[block.0 as usize].insts;
        let stores_here = |kind: &InstKind| matches!(kind, InstKind::Store { pointer, .. } if *pointer == Operand::Local(variable));
        let next_store = insts[index..]
            .iter()
            .position(|inst| stores_here(&inst.kind))
            .map_or(u32::MAX - 1, |distance| (index + distance) as u32);
        uses.reads(body, loaded).is_some_and(|reads| {
            reads
                .iter()
                .all(|read| read.block == block && !read.on_edge && read.index <= next_store)
        })
    }
}

fn is_one(module: &Module, count: Operand) -> bool {
    use crate::ir::ConstKind;
    matches!(count, Operand::Const(id) if matches!(module.constants[id.0 as usize].kind, ConstKind::Int(1)))
}

fn is_only_loaded_and_stored(
    module: &Module,
    body: &Body,
    uses: &Uses,
    local: LocalId,
    ty: TypeId,
) -> bool {
    let Ok(shape) = Shape::of(module, ty) else {
        return false;
    };
    let Some(scalar) = shape.scalar() else {
        return false;
    };
    let is_same = |other: TypeId| {
        Shape::of(module, other)
            .ok()
            .and_then(|shape| shape.scalar())
            .is_some_and(|other| other.bits == scalar.bits)
    };
    scalar.bits <= 64
        && uses.of_local(local).iter().all(|used| {
            if used.on_edge {
                return false;
            }
            match &body.blocks[used.block.0 as usize].insts[used.index as usize].kind {
                InstKind::Load { ty, .. } => is_same(*ty),
                InstKind::Store { pointer, value } => {
                    let stored = match value {
                        Operand::Local(value) => body.locals[value.0 as usize],
                        Operand::Const(id) => module.constants[id.0 as usize].ty,
                    };
                    *pointer == Operand::Local(local)
                        && *value != Operand::Local(local)
                        && is_same(stored)
                }
                // Where a variable's scope starts and ends.
                InstKind::Call(call) => is_lifetime_marker(module, call),
                _ => false,
            }
        })
}

pub fn is_lifetime_marker(module: &Module, call: &crate::ir::Call) -> bool {
    callee_name(module, call).is_some_and(|name| name.starts_with("llvm.lifetime."))
}

pub fn callee_name<'m>(module: &'m Module, call: &crate::ir::Call) -> Option<&'m str> {
    use crate::ir::{Callee, ConstKind};
    let Callee::Value(Operand::Const(id)) = &call.callee else {
        return None;
    };
    match module.constants[id.0 as usize].kind {
        ConstKind::Symbol(symbol) => Some(&module.symbols[symbol.0 as usize].name),
        _ => None,
    }
}
