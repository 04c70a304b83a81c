//! Checks that every value is computed on every way to where it is used.
//!
//! Dominators are found by the usual iteration over the blocks in reverse postorder. Blocks that nothing leads to
//! never run and are not looked at.

use super::validate::Check;
use super::validate_body::successors;
use crate::ir::{BlockId, Body, Call, Callee, Clause, InstKind, LocalId, Operand};

/// Where a local is defined.
#[derive(Clone, Copy)]
struct Definition {
    block: u32,
    /// Within its block; the result of an invoke is only there in the block that it continues in.
    position: u32,
}

const ARGUMENT: Definition = Definition {
    block: 0,
    position: 0,
};

/// Each block's place in reverse postorder; none for those that are not reached.
fn reverse_postorder(body: &Body) -> (Vec<BlockId>, Vec<Option<u32>>) {
    let mut order = Vec::new();
    let mut seen = vec![false; body.blocks.len()];
    let next_of = |block: u32| {
        let last = body.blocks[block as usize].insts.last();
        last.map(|inst| successors(&inst.kind)).unwrap_or_default()
    };
    let mut stack = vec![(0u32, next_of(0), 0)];
    seen[0] = true;
    while let Some((block, targets, next)) = stack.last_mut() {
        if let Some(target) = targets.get(*next) {
            *next += 1;
            let target = target.0;
            if !std::mem::replace(&mut seen[target as usize], true) {
                stack.push((target, next_of(target), 0));
            }
        } else {
            order.push(BlockId(*block));
            stack.pop();
        }
    }
    order.reverse();
    let mut places = vec![None; body.blocks.len()];
    for (place, block) in order.iter().enumerate() {
        places[block.0 as usize] = Some(place as u32);
    }
    (order, places)
}

/// The immediate dominator of every place in the order.
fn immediate_dominators(
    order: &[BlockId],
    places: &[Option<u32>],
    predecessors: &[Vec<BlockId>],
) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut dominators = vec![UNKNOWN; order.len()];
    dominators[0] = 0;
    loop {
        let mut changed = false;
        for (place, block) in order.iter().enumerate().skip(1) {
            let mut new = UNKNOWN;
            for from in &predecessors[block.0 as usize] {
                let Some(from) = places[from.0 as usize] else {
                    continue;
                };
                if dominators[from as usize] == UNKNOWN {
                    continue;
                }
                new = if new == UNKNOWN {
                    from
                } else {
                    common(&dominators, new, from)
                };
            }
            if dominators[place] != new {
                dominators[place] = new;
                changed = true;
            }
        }
        if !changed {
            return dominators;
        }
    }
}

fn common(dominators: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = dominators[a as usize];
        }
        while b > a {
            b = dominators[b as usize];
        }
    }
    a
}

/// Numbers the tree so that a block dominates those whose interval is within its own.
fn intervals(dominators: &[u32]) -> Vec<(u32, u32)> {
    let mut children = vec![Vec::new(); dominators.len()];
    for (place, &dominator) in dominators.iter().enumerate().skip(1) {
        children[dominator as usize].push(place as u32);
    }
    let mut intervals = vec![(0, 0); dominators.len()];
    let mut clock = 0;
    let mut stack = vec![(0u32, 0usize)];
    while let Some((place, next)) = stack.last_mut() {
        let place_index = *place as usize;
        if *next == 0 {
            clock += 1;
            intervals[place_index].0 = clock;
        }
        if let Some(&child) = children[place_index].get(*next) {
            *next += 1;
            stack.push((child, 0));
        } else {
            clock += 1;
            intervals[place_index].1 = clock;
            stack.pop();
        }
    }
    intervals
}

pub(super) fn check(body: &Body, predecessors: &[Vec<BlockId>]) -> Check {
    let (order, places) = reverse_postorder(body);
    let dominators = immediate_dominators(&order, &places, predecessors);
    let intervals = intervals(&dominators);
    let mut definitions = vec![ARGUMENT; body.locals.len()];
    for (block, contents) in body.blocks.iter().enumerate() {
        for (position, inst) in contents.insts.iter().enumerate() {
            if let Some(local) = inst.result {
                definitions[local.0 as usize] = Definition {
                    block: block as u32,
                    position: position as u32 + 1,
                };
            }
        }
    }
    // Whether the value of a local is there at a position of a block.
    let available = |local: LocalId, block: u32, position: u32| {
        let definition = definitions[local.0 as usize];
        if definition.position == 0 {
            return true;
        }
        let Some(mut defined) = places[definition.block as usize] else {
            return false;
        };
        if let Some(last) = body.blocks[definition.block as usize].insts.last()
            && last.result == Some(local)
        {
            // The result of a call that ends its block is there where it returns to: in the block that the edge
            // leads to, which must be entered in no other way.
            match &last.kind {
                InstKind::Invoke { normal, .. } => {
                    let entered = &predecessors[normal.0 as usize];
                    match places[normal.0 as usize] {
                        Some(place) if entered.len() == 1 => defined = place,
                        _ => return false,
                    }
                }
                // The result of a callbr is there on every edge.
                _ if definition.block == block => return false,
                _ => {}
            }
        } else if definition.block == block {
            return definition.position <= position;
        }
        let Some(used) = places[block as usize] else {
            return true;
        };
        let (outer, inner) = (intervals[defined as usize], intervals[used as usize]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    };
    for block in &order {
        for (position, inst) in body.blocks[block.0 as usize].insts.iter().enumerate() {
            let mut undefined = None;
            if let InstKind::Phi(incoming) = &inst.kind {
                for (value, from) in incoming {
                    let Operand::Local(local) = value else {
                        continue;
                    };
                    if places[from.0 as usize].is_none() {
                        continue;
                    }
                    let end = body.blocks[from.0 as usize].insts.len() as u32;
                    // The result of the invoke at the end of the block is there on the edge to where it continues.
                    let on_edge = body.blocks[from.0 as usize]
                        .insts
                        .last()
                        .is_some_and(|last| {
                            last.result == Some(*local)
                                && match &last.kind {
                                    InstKind::Invoke { normal, .. } => normal == block,
                                    _ => true,
                                }
                        });
                    if !on_edge && !available(*local, from.0, end) {
                        undefined = Some(*local);
                    }
                }
            } else {
                each_local(&inst.kind, &mut |local| {
                    if !available(local, block.0, position as u32) {
                        undefined = Some(local);
                    }
                });
            }
            if let Some(local) = undefined {
                return Err(format!(
                    "block {}, instruction {position}: local {} is used where it may not be defined",
                    block.0, local.0
                ));
            }
        }
    }
    Ok(())
}

/// Calls a function with every local that an instruction other than a phi uses.
fn each_local(kind: &InstKind, each: &mut impl FnMut(LocalId)) {
    let mut operand = |operand: &Operand| {
        if let Operand::Local(local) = operand {
            each(*local);
        }
    };
    let call_operands = |call: &Call, operand: &mut dyn FnMut(&Operand)| {
        if let Callee::Value(callee) = &call.callee {
            operand(callee);
        }
        call.args.iter().for_each(operand);
    };
    match kind {
        InstKind::Binary { a, b, .. }
        | InstKind::ICmp { a, b, .. }
        | InstKind::FCmp { a, b, .. }
        | InstKind::Shuffle { a, b, .. } => [a, b].into_iter().for_each(operand),
        InstKind::FNeg(value)
        | InstKind::Cast { value, .. }
        | InstKind::Freeze(value)
        | InstKind::Resume(value)
        | InstKind::Ret(Some(value))
        | InstKind::ExtractValue {
            aggregate: value, ..
        }
        | InstKind::Alloca { count: value, .. }
        | InstKind::Load { pointer: value, .. }
        | InstKind::VaArg { list: value, .. }
        | InstKind::CondBr {
            condition: value, ..
        }
        | InstKind::Switch { value, .. }
        | InstKind::IndirectBr { address: value, .. } => operand(value),
        InstKind::Select {
            condition,
            then,
            other,
        } => [condition, then, other].into_iter().for_each(operand),
        InstKind::ExtractElement { vector, index } => [vector, index].into_iter().for_each(operand),
        InstKind::InsertElement {
            vector,
            value,
            index,
        } => [vector, value, index].into_iter().for_each(operand),
        InstKind::InsertValue {
            aggregate, value, ..
        } => [aggregate, value].into_iter().for_each(operand),
        InstKind::Store { pointer, value } | InstKind::AtomicRmw { pointer, value, .. } => {
            [pointer, value].into_iter().for_each(operand);
        }
        InstKind::Gep { base, indices, .. } => {
            operand(base);
            indices.iter().for_each(operand);
        }
        InstKind::CmpXchg {
            pointer,
            expected,
            new,
        } => [pointer, expected, new].into_iter().for_each(operand),
        InstKind::Call(call) | InstKind::Invoke { call, .. } | InstKind::CallBr { call, .. } => {
            call_operands(call, &mut operand);
        }
        InstKind::LandingPad { clauses, .. } => {
            for clause in clauses {
                let (Clause::Catch(value) | Clause::Filter(value)) = clause;
                operand(value);
            }
        }
        InstKind::Phi(_)
        | InstKind::Fence
        | InstKind::Ret(None)
        | InstKind::Br(_)
        | InstKind::Unreachable
        | InstKind::Unsupported(_) => {}
    }
}
