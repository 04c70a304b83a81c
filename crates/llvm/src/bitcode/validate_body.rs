//! Checks function bodies: control flow first, then every instruction.

use super::validate::{Check, Checker, ensure, is_int, scalar};
use crate::ir::{
    Block, BlockId, Body, Call, Callee, Clause, ConstKind, Function, Inst, InstKind, Operand, Type,
    TypeId,
};

struct BodyChecker<'c, 'm> {
    checker: &'c Checker<'m>,
    body: &'c Body,
    /// What the function returns.
    result: TypeId,
    /// By block, sorted.
    predecessors: Vec<Vec<BlockId>>,
}

pub(super) fn check(checker: &Checker, function: &Function, body: &Body) -> Check {
    let Type::Function { result, .. } = *checker.types().get(function.ty) else {
        return Err("a function that has no function type".into());
    };
    let mut predecessors = vec![Vec::new(); body.blocks.len()];
    for (index, block) in body.blocks.iter().enumerate() {
        check_shape(block, body.blocks.len()).map_err(|what| format!("block {index}: {what}"))?;
        if let Some(last) = block.insts.last() {
            for successor in successors(&last.kind) {
                predecessors[successor.0 as usize].push(BlockId(index as u32));
            }
        }
    }
    for blocks in &mut predecessors {
        // Blocks are visited in order, so this sorts nothing and only drops what is there twice.
        blocks.dedup();
    }
    ensure(
        predecessors.first().is_some_and(Vec::is_empty),
        "a jump to the first block",
    )?;
    let checker = BodyChecker {
        checker,
        body,
        result,
        predecessors,
    };
    for (block, contents) in body.blocks.iter().enumerate() {
        for (index, inst) in contents.insts.iter().enumerate() {
            checker
                .check_inst(BlockId(block as u32), inst)
                .map_err(|what| format!("block {block}, instruction {index}: {what}"))?;
        }
    }
    super::dominance::check(body, &checker.predecessors)
}

/// Where control may go after a terminator.
pub(super) fn successors(kind: &InstKind) -> Vec<BlockId> {
    match kind {
        InstKind::Br(target) => vec![*target],
        InstKind::CondBr { then, other, .. } => vec![*then, *other],
        InstKind::Switch { default, cases, .. } => std::iter::once(*default)
            .chain(cases.iter().map(|&(_, target)| target))
            .collect(),
        InstKind::IndirectBr { targets, .. } => targets.clone(),
        InstKind::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
        InstKind::CallBr {
            normal, indirect, ..
        } => std::iter::once(*normal)
            .chain(indirect.iter().copied())
            .collect(),
        _ => Vec::new(),
    }
}

/// Phis first, one terminator at the end, and no jump to a block that does not exist.
fn check_shape(block: &Block, blocks: usize) -> Check {
    let Some((last, rest)) = block.insts.split_last() else {
        return Err("empty".into());
    };
    ensure(last.kind.is_terminator(), "no terminator")?;
    ensure(
        !rest.iter().any(|inst| inst.kind.is_terminator()),
        "a terminator in the middle",
    )?;
    let in_range = successors(&last.kind)
        .iter()
        .all(|target| (target.0 as usize) < blocks);
    ensure(in_range, "a jump to no block")?;
    let phis = block
        .insts
        .iter()
        .take_while(|inst| matches!(inst.kind, InstKind::Phi(_)))
        .count();
    let late = block.insts[phis..]
        .iter()
        .any(|inst| matches!(inst.kind, InstKind::Phi(_)));
    ensure(!late, "a phi behind other instructions")?;
    let pads = |inst: &Inst| matches!(inst.kind, InstKind::LandingPad { .. });
    ensure(
        !block.insts[phis..].iter().skip(1).any(pads),
        "a landing pad behind other instructions",
    )
}

impl BodyChecker<'_, '_> {
    fn ty(&self, operand: &Operand) -> TypeId {
        match *operand {
            Operand::Const(id) => self.checker.constant(id).ty,
            Operand::Local(id) => self.body.locals[id.0 as usize],
        }
    }

    fn pointer(&self, operand: &Operand) -> Check {
        ensure(
            self.checker.types().is_pointer(self.ty(operand)),
            "an access through no pointer",
        )
    }

    fn sized(&self, ty: TypeId) -> Check {
        ensure(
            self.checker.is_sized(ty),
            "an access of a type without a size",
        )
    }

    /// The first instruction of a block that is no phi.
    fn first(&self, block: BlockId) -> Option<&InstKind> {
        let insts = &self.body.blocks[block.0 as usize].insts;
        insts
            .iter()
            .map(|inst| &inst.kind)
            .find(|kind| !matches!(kind, InstKind::Phi(_)))
    }

    fn check_inst(&self, block: BlockId, inst: &Inst) -> Check {
        let checker = self.checker;
        let types = checker.types();
        let result = inst.result.map(|local| self.body.locals[local.0 as usize]);
        // Void results are none; of the instructions below only calls may lack one, and those do not ask.
        let own = || result.ok_or("no result");
        match &inst.kind {
            InstKind::Binary { op, a, b, .. } => {
                checker.check_binary(*op, self.ty(a), self.ty(b), own()?)
            }
            InstKind::FNeg(value) => {
                let (element, _) = scalar(types, self.ty(value));
                ensure(types.is_float(element), "a negation of no float")
            }
            InstKind::Cast { op, value } => checker.check_cast(*op, self.ty(value), own()?),
            InstKind::ICmp { a, b, .. } => {
                checker.check_compare(self.ty(a), self.ty(b), own()?, false)
            }
            InstKind::FCmp { a, b, .. } => {
                checker.check_compare(self.ty(a), self.ty(b), own()?, true)
            }
            InstKind::Select {
                condition,
                then,
                other,
            } => checker.check_select(self.ty(condition), self.ty(then), self.ty(other), own()?),
            InstKind::Freeze(value) => ensure(checker.same(self.ty(value), own()?), "another type"),
            InstKind::ExtractElement { index, .. } => {
                ensure(is_int(types, self.ty(index)), "an index that is no integer")
            }
            InstKind::InsertElement {
                vector,
                value,
                index,
            } => {
                let (element, _) = scalar(types, self.ty(vector));
                ensure(
                    checker.same(element, self.ty(value)),
                    "an element of another type",
                )?;
                ensure(is_int(types, self.ty(index)), "an index that is no integer")
            }
            InstKind::Shuffle { a, b, mask } => {
                checker.check_shuffle(self.ty(a), self.ty(b), mask, own()?)
            }
            InstKind::ExtractValue { aggregate, path } => {
                let end = self.path_end(self.ty(aggregate), path)?;
                ensure(checker.same(end, own()?), "a part of another type")
            }
            InstKind::InsertValue {
                aggregate,
                value,
                path,
            } => {
                let end = self.path_end(self.ty(aggregate), path)?;
                ensure(checker.same(end, self.ty(value)), "a part of another type")
            }
            InstKind::Phi(incoming) => self.check_phi(block, incoming, own()?),

            InstKind::Alloca { ty, count, .. } => {
                self.sized(*ty)?;
                ensure(is_int(types, self.ty(count)), "a count that is no integer")
            }
            InstKind::Load { pointer, ty } => {
                self.pointer(pointer)?;
                self.sized(*ty)
            }
            InstKind::Store { pointer, value } => {
                self.pointer(pointer)?;
                self.sized(self.ty(value))
            }
            InstKind::Gep {
                source,
                base,
                indices,
            } => {
                let indices = indices.iter().map(|index| match index {
                    Operand::Const(id) => (self.ty(index), Some(*id)),
                    Operand::Local(_) => (self.ty(index), None),
                });
                checker.check_gep(*source, self.ty(base), indices, own()?)
            }
            InstKind::CmpXchg {
                pointer,
                expected,
                new,
            } => {
                self.pointer(pointer)?;
                let ty = self.ty(expected);
                ensure(
                    checker.same(ty, self.ty(new)),
                    "an exchange of different types",
                )?;
                ensure(
                    is_int(types, ty) || types.is_pointer(ty),
                    "an exchange of what cannot be compared",
                )
            }
            InstKind::AtomicRmw { pointer, value, .. } => {
                self.pointer(pointer)?;
                let (ty, _) = scalar(types, self.ty(value));
                ensure(
                    is_int(types, ty) || types.is_float(ty) || types.is_pointer(ty),
                    "an operation on an aggregate",
                )
            }
            InstKind::VaArg { list, ty } => {
                self.pointer(list)?;
                self.sized(*ty)
            }

            InstKind::Call(call) => self.check_call(call),
            InstKind::Invoke {
                call,
                normal,
                unwind,
            } => {
                self.check_call(call)?;
                ensure(
                    normal != unwind,
                    "an invoke that continues where it unwinds to",
                )?;
                let pad = matches!(
                    self.first(*unwind),
                    Some(InstKind::LandingPad { .. } | InstKind::Unsupported(_))
                );
                ensure(pad, "an invoke that unwinds to no landing pad")
            }
            InstKind::CallBr { call, .. } => self.check_call(call),
            InstKind::LandingPad { clauses, .. } => {
                let invoked = self.predecessors[block.0 as usize].iter().all(|&from| {
                    let last = self.body.blocks[from.0 as usize].insts.last();
                    matches!(last.map(|inst| &inst.kind), Some(InstKind::Invoke { unwind, .. }) if *unwind == block)
                });
                ensure(invoked && block.0 != 0, "a landing pad that is jumped to")?;
                for clause in clauses {
                    let fits = match clause {
                        Clause::Catch(value) => types.is_pointer(self.ty(value)),
                        Clause::Filter(value) => {
                            matches!(types.get(self.ty(value)), Type::Array { .. })
                        }
                    };
                    let (Clause::Catch(value) | Clause::Filter(value)) = clause;
                    ensure(
                        fits && matches!(value, Operand::Const(_)),
                        "a clause of no type information",
                    )?;
                }
                Ok(())
            }
            InstKind::Ret(None) => ensure(
                matches!(types.get(self.result), Type::Void),
                "nothing is returned",
            ),
            InstKind::Ret(Some(value)) => ensure(
                checker.same(self.ty(value), self.result),
                "another type is returned",
            ),
            InstKind::CondBr { condition, .. } => {
                checker.check_bits(self.ty(condition), None, "a branch by no truth value")
            }
            InstKind::Switch { value, cases, .. } => {
                let ty = self.ty(value);
                ensure(is_int(types, ty), "a switch of no integer")?;
                for (case, _) in cases {
                    let case = checker.constant(*case);
                    let number = matches!(
                        case.kind,
                        ConstKind::Int(_) | ConstKind::Wide(_) | ConstKind::Zero
                    );
                    ensure(
                        number && checker.same(case.ty, ty),
                        "a case of another type",
                    )?;
                }
                Ok(())
            }
            InstKind::IndirectBr { address, .. } => self.pointer(address),
            InstKind::Resume(_)
            | InstKind::Fence
            | InstKind::Br(_)
            | InstKind::Unreachable
            | InstKind::Unsupported(_) => Ok(()),
        }
    }

    fn path_end(&self, mut ty: TypeId, path: &[u32]) -> Result<TypeId, String> {
        for &index in path {
            let inner = match self.checker.types().get(ty) {
                Type::Struct { fields, .. } => fields.get(index as usize).copied(),
                Type::Array { element, len } => (u64::from(index) < *len).then_some(*element),
                _ => None,
            };
            ty = inner.ok_or("a path that leads out of the aggregate")?;
        }
        Ok(ty)
    }

    /// Whether a block ends with a terminator that is not supported, whose targets are not known here. It is never
    /// run to its end.
    fn ends_a_funclet(&self, block: BlockId) -> bool {
        let insts = &self.body.blocks[block.0 as usize].insts;
        matches!(
            insts[..],
            [
                ..,
                Inst {
                    kind: InstKind::Unsupported(_),
                    ..
                },
                Inst {
                    kind: InstKind::Unreachable,
                    ..
                }
            ]
        )
    }

    fn check_phi(&self, block: BlockId, incoming: &[(Operand, BlockId)], ty: TypeId) -> Check {
        let mut sorted: Vec<_> = incoming.iter().collect();
        sorted.sort_by_key(|(_, from)| *from);
        for pair in sorted.windows(2) {
            let ambiguous = pair[0].1 == pair[1].1 && pair[0].0 != pair[1].0;
            ensure(!ambiguous, "a phi with two values for one block")?;
        }
        sorted.dedup_by_key(|(_, from)| *from);
        sorted.retain(|(_, from)| !self.ends_a_funclet(*from));
        let predecessors = &self.predecessors[block.0 as usize];
        let named = sorted
            .iter()
            .map(|(_, from)| *from)
            .eq(predecessors.iter().copied());
        ensure(named, "a phi that does not name the blocks before it")?;
        let fits = incoming
            .iter()
            .all(|(value, _)| self.checker.same(self.ty(value), ty));
        ensure(fits, "a phi of different types")
    }

    fn check_call(&self, call: &Call) -> Check {
        let types = self.checker.types();
        if let Callee::Value(callee) = &call.callee {
            ensure(types.is_pointer(self.ty(callee)), "a call of no pointer")?;
        }
        let Type::Function {
            params, variadic, ..
        } = types.get(call.ty)
        else {
            return Err("a call of no function type".into());
        };
        let counted =
            call.args.len() == params.len() || (*variadic && call.args.len() > params.len());
        ensure(counted, "more or fewer arguments than the callee takes")?;
        let fits = call
            .args
            .iter()
            .zip(params)
            .all(|(arg, &param)| self.checker.same(self.ty(arg), param));
        ensure(fits, "an argument of another type")?;
        ensure(
            call.by_value.is_empty() || call.by_value.len() == call.args.len(),
            "attributes of arguments that do not exist",
        )?;
        for (by_value, arg) in call.by_value.iter().zip(&call.args) {
            if let Some(ty) = by_value {
                self.sized(ty.ty)?;
                self.pointer(arg)?;
            }
        }
        Ok(())
    }
}
