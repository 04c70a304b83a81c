//! Instructions as bytes.
//!
//! A local is written as where it comes from: the parameter, the stack variable among those of its type, or the
//! result among those of its type in a block so far away. Instructions that are inserted elsewhere leave that alone,
//! unless they make something of the same type in front of it.

use rustc_hash::FxHashMap;

use super::encode::{Encoder, next};
use super::is_debug;
use super::position::line_argument;
use crate::ir::{
    Block, BlockId, Body, ByValueArg, Call, Callee, Clause, FCmpPredicate, Inst, InstKind, LocalId,
    Operand, TypeId, Wrap,
};
use crate::lower::promoted;

/// Where a local comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    Parameter { index: u32, ty: u64 },
    Variable { index: u32, ty: u64 },
    Result { block: u32, index: u32, ty: u64 },
}

impl Encoder<'_> {
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
        self.promoted = promoted(self.linked, self.module, body);
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
                // Other code of the function decides that. What needs memory moves what comes after it.
                let is_promoted = |local: &LocalId| self.promoted.contains(local);
                self.flag(result.as_ref().is_some_and(is_promoted));
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
            predicate,
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
        let line = line_argument(self.linked, self.module_index, callee);
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
        if let Some(FCmpPredicate(predicate)) = *predicate {
            self.number(u64::from(predicate));
        }
    }
}
