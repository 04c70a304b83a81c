//! Who uses a local, and which blocks are in a loop.

use crate::ir::{BlockId, Body, Callee, Clause, InstKind, LocalId, Operand};

/// A use: the instruction at `index` of `block`. A phi uses its operands at the end of the block they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub block: BlockId,
    pub index: u32,
    /// In a phi, on the edge that leaves `block`.
    pub on_edge: bool,
}

pub struct Uses {
    by_local: Vec<Vec<Use>>,
    in_loop: Vec<bool>,
    /// Where every instruction's result is defined.
    definitions: Vec<Option<(BlockId, u32)>>,
    predecessors: Vec<Vec<BlockId>>,
    successors: Vec<Vec<BlockId>>,
}

impl Uses {
    pub fn of(body: &Body) -> Uses {
        let blocks = body.blocks.len();
        let mut uses = Uses {
            by_local: vec![Vec::new(); body.locals.len()],
            in_loop: vec![false; blocks],
            definitions: vec![None; body.locals.len()],
            predecessors: vec![Vec::new(); blocks],
            successors: vec![Vec::new(); blocks],
        };
        for (number, block) in body.blocks.iter().enumerate() {
            let id = BlockId(number as u32);
            for (index, inst) in block.insts.iter().enumerate() {
                let index = index as u32;
                if let Some(result) = inst.result {
                    uses.definitions[result.0 as usize] = Some((id, index));
                }
                if let InstKind::Phi(incoming) = &inst.kind {
                    for &(operand, from) in incoming {
                        uses.add(operand, from, u32::MAX, true);
                    }
                    continue;
                }
                operands(&inst.kind, |operand| uses.add(operand, id, index, false));
            }
            if let Some(last) = block.insts.last() {
                successors(&last.kind, |to| {
                    uses.successors[number].push(to);
                    uses.predecessors[to.0 as usize].push(id);
                    // Blocks come in an order where an edge backwards closes a loop.
                    if to.0 as usize <= number {
                        uses.in_loop[to.0 as usize..=number].fill(true);
                    }
                });
            }
        }
        uses
    }

    fn add(&mut self, operand: Operand, block: BlockId, index: u32, on_edge: bool) {
        if let Operand::Local(local) = operand {
            self.by_local[local.0 as usize].push(Use {
                block,
                index,
                on_edge,
            });
        }
    }

    pub fn of_local(&self, local: LocalId) -> &[Use] {
        &self.by_local[local.0 as usize]
    }

    pub fn in_loop(&self, block: BlockId) -> bool {
        self.in_loop[block.0 as usize]
    }

    pub fn definition(&self, local: LocalId) -> Option<(BlockId, u32)> {
        self.definitions[local.0 as usize]
    }

    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.0 as usize]
    }

    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.0 as usize]
    }

    /// The instructions that read a local's slots: its uses, and those of the results that lowering lets share them
    /// or puts off.
    pub fn reads(&self, body: &Body, local: LocalId) -> Option<Vec<Use>> {
        let mut reads = Vec::new();
        let mut work = vec![local];
        let mut steps = 0;
        while let Some(local) = work.pop() {
            for &used in self.of_local(local) {
                steps += 1;
                if steps > 64 {
                    return None;
                }
                reads.push(used);
                if used.on_edge {
                    continue;
                }
                let inst = &body.blocks[used.block.0 as usize].insts[used.index as usize];
                if let Some(result) = inst.result
                    && is_put_off(&inst.kind)
                {
                    work.push(result);
                }
            }
        }
        Some(reads)
    }
}

/// Lowering may read the operands of such an instruction where its result is used.
fn is_put_off(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Cast { .. }
            | InstKind::Freeze(_)
            | InstKind::Gep { .. }
            | InstKind::ICmp { .. }
            | InstKind::ExtractElement { .. }
            | InstKind::InsertElement { .. }
            | InstKind::Shuffle { .. }
            | InstKind::ExtractValue { .. }
            | InstKind::InsertValue { .. }
            | InstKind::Call(_)
    )
}

pub fn successors(kind: &InstKind, mut visit: impl FnMut(BlockId)) {
    match kind {
        InstKind::Br(to) => visit(*to),
        InstKind::CondBr { then, other, .. } => {
            visit(*then);
            visit(*other);
        }
        InstKind::Switch { default, cases, .. } => {
            visit(*default);
            cases.iter().for_each(|&(_, to)| visit(to));
        }
        InstKind::IndirectBr { targets, .. } => targets.iter().for_each(|&to| visit(to)),
        InstKind::Invoke { normal, unwind, .. } => {
            visit(*normal);
            visit(*unwind);
        }
        InstKind::CallBr {
            normal, indirect, ..
        } => {
            visit(*normal);
            indirect.iter().for_each(|&to| visit(to));
        }
        _ => {}
    }
}

/// Visits the operands of an instruction that is no phi.
pub fn operands(kind: &InstKind, mut visit: impl FnMut(Operand)) {
    match kind {
        InstKind::Binary { a, b, .. }
        | InstKind::ICmp { a, b, .. }
        | InstKind::FCmp { a, b, .. }
        | InstKind::Shuffle { a, b, .. } => {
            visit(*a);
            visit(*b);
        }
        InstKind::FNeg(a) | InstKind::Freeze(a) | InstKind::Resume(a) => visit(*a),
        InstKind::Cast { value, .. } => visit(*value),
        InstKind::Select {
            condition,
            then,
            other,
        } => {
            visit(*condition);
            visit(*then);
            visit(*other);
        }
        InstKind::ExtractElement { vector, index } => {
            visit(*vector);
            visit(*index);
        }
        InstKind::InsertElement {
            vector,
            value,
            index,
        } => {
            visit(*vector);
            visit(*value);
            visit(*index);
        }
        InstKind::ExtractValue { aggregate, .. } => visit(*aggregate),
        InstKind::InsertValue {
            aggregate, value, ..
        } => {
            visit(*aggregate);
            visit(*value);
        }
        InstKind::Phi(_) => {}
        InstKind::Alloca { count, .. } => visit(*count),
        InstKind::Load { pointer, .. } => visit(*pointer),
        InstKind::Store { pointer, value } | InstKind::AtomicRmw { pointer, value, .. } => {
            visit(*pointer);
            visit(*value);
        }
        InstKind::Gep { base, indices, .. } => {
            visit(*base);
            indices.iter().for_each(|&index| visit(index));
        }
        InstKind::CmpXchg {
            pointer,
            expected,
            new,
        } => {
            visit(*pointer);
            visit(*expected);
            visit(*new);
        }
        InstKind::VaArg { list, .. } => visit(*list),
        InstKind::Call(call) | InstKind::Invoke { call, .. } | InstKind::CallBr { call, .. } => {
            if let Callee::Value(callee) = &call.callee {
                visit(*callee);
            }
            call.args.iter().for_each(|&arg| visit(arg));
        }
        InstKind::LandingPad { clauses, .. } => {
            for clause in clauses {
                let (Clause::Catch(operand) | Clause::Filter(operand)) = clause;
                visit(*operand);
            }
        }
        InstKind::Ret(Some(value)) => visit(*value),
        InstKind::CondBr { condition, .. } => visit(*condition),
        InstKind::Switch { value, .. } => visit(*value),
        InstKind::IndirectBr { address, .. } => visit(*address),
        InstKind::Ret(None)
        | InstKind::Fence
        | InstKind::Br(_)
        | InstKind::Unreachable
        | InstKind::Unsupported(_) => {}
    }
}
