//! Control flow: phi nodes become moves on edges, comparisons fold into branches.
//!
//! A branch is taken to its target or falls through. Moves of the edge that falls through stand right there; those of
//! a taken edge stand behind the blocks (a trampoline) unless there are none. A value that only feeds a phi of the
//! loop it is in is calculated in the phi's own slot where the old value is dead, so that a counter
//! costs one instruction.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{Lowered, Lowerer};
use crate::code::{Edge, JumpTable, Op, Slow, Src};
use crate::ir::{BlockId, ConstId, InstKind, LocalId, Operand};
use crate::ops::IntOp;

impl Lowerer<'_> {
    /// Phis have their slots before any code is lowered, since edges come in any order.
    pub(super) fn place_phis(&mut self) -> Lowered<()> {
        let body = self.body;
        let mut phis = Vec::new();
        for (number, block) in body.blocks.iter().enumerate() {
            for inst in &block.insts {
                let (InstKind::Phi(incoming), Some(result)) = (&inst.kind, inst.result) else {
                    break;
                };
                self.define(result)?;
                phis.push((BlockId(number as u32), result, incoming));
            }
        }
        for (block, phi, incoming) in phis {
            for &(operand, from) in incoming {
                self.join(block, phi, operand, from);
            }
        }
        Ok(())
    }

    /// Lets `operand`, which flows into `phi` of `block` from `from`, be calculated in the phi's slot, where that is
    /// right.
    fn join(&mut self, block: BlockId, phi: LocalId, operand: Operand, from: BlockId) {
        let Operand::Local(next) = operand else {
            return;
        };
        let Some((defined_in, at)) = self.uses.definition(next) else {
            return;
        };
        if next == phi || defined_in != from || self.places[next.0 as usize].is_some() {
            return;
        }
        let inst = &self.body.blocks[defined_in.0 as usize].insts[at as usize];
        let is_calculated = matches!(
            inst.kind,
            InstKind::Binary { .. } | InstKind::Load { .. } | InstKind::Gep { .. }
        );
        if !is_calculated
            || self
                .shape(self.type_of(next))
                .is_ok_and(|shape| shape.words != 1)
        {
            return;
        }
        let Some(reads) = self.uses.reads(self.body, phi) else {
            return;
        };
        let mut after = None;
        let old_value_is_dead = reads.iter().all(|read| {
            if read.block == defined_in {
                return !read.on_edge && read.index <= at;
            }
            let reachable = after.get_or_insert_with(|| self.reachable_without(defined_in, block));
            !reachable[read.block.0 as usize]
        });
        // The slot must not be set again, by another edge into the phi, while `next` is still read.
        let next_stays = self
            .uses
            .reads(self.body, next)
            .is_some_and(|reads| reads.iter().all(|read| read.block == defined_in));
        if old_value_is_dead && next_stays {
            self.places[next.0 as usize] = self.places[phi.0 as usize].clone();
        }
    }

    /// The blocks that can be reached from the end of one without entering another.
    fn reachable_without(&self, from: BlockId, avoid: BlockId) -> Vec<bool> {
        let mut seen = vec![false; self.body.blocks.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            for &to in self.uses.successors(block) {
                if to != avoid && !seen[to.0 as usize] {
                    seen[to.0 as usize] = true;
                    work.push(to);
                }
            }
        }
        seen
    }

    // Edges.

    fn moves(&mut self, from: BlockId, to: BlockId) -> Vec<(u32, Src)> {
        let body = self.body;
        let mut moves = Vec::new();
        for inst in &body.blocks[to.0 as usize].insts {
            let (InstKind::Phi(incoming), Some(result)) = (&inst.kind, inst.result) else {
                break;
            };
            let Some(&(operand, _)) = incoming.iter().find(|&&(_, block)| block == from) else {
                continue;
            };
            let Ok(words) = self.words(operand) else {
                continue;
            };
            let places = self.places[result.0 as usize].clone().unwrap_or_default();
            for (place, word) in places.into_iter().zip(words) {
                if let Src::Reg(to) = place
                    && place != word
                {
                    moves.push((to, word));
                }
            }
        }
        moves
    }

    /// Whether anything moves on an edge. An address that is put off would be worked out there.
    fn has_moves(&mut self, from: BlockId, to: BlockId) -> bool {
        let body = self.body;
        let phis = body.blocks[to.0 as usize].insts.iter();
        for inst in phis.take_while(|inst| matches!(inst.kind, InstKind::Phi(_))) {
            let (InstKind::Phi(incoming), Some(result)) = (&inst.kind, inst.result) else {
                continue;
            };
            let Some(&(operand, _)) = incoming.iter().find(|&&(_, block)| block == from) else {
                continue;
            };
            let is_there = match operand {
                Operand::Const(_) => false,
                Operand::Local(local) => {
                    self.places[local.0 as usize] == self.places[result.0 as usize]
                }
            };
            if !is_there {
                return true;
            }
        }
        false
    }

    /// Emits moves as if they happened at once.
    pub(super) fn emit_moves(&mut self, from: BlockId, to: BlockId) {
        let moves = self.moves(from, to);
        // By destination: where from, and how many moves are still to read what is there.
        let mut sources: HashMap<u32, Src, FxBuildHasher> = HashMap::default();
        let mut readers: HashMap<u32, u32, FxBuildHasher> = HashMap::default();
        for &(to, from) in &moves {
            sources.insert(to, from);
            if let Src::Reg(from) = from {
                *readers.entry(from).or_default() += 1;
            }
        }
        let is_read = |readers: &HashMap<u32, u32, FxBuildHasher>, register: u32| {
            readers.get(&register).is_some_and(|&count| count > 0)
        };
        let mut free: Vec<u32> = moves
            .iter()
            .map(|&(to, _)| to)
            .filter(|&to| !is_read(&readers, to))
            .collect();
        free.reverse();
        let mut left = moves.iter().map(|&(to, _)| to);
        loop {
            while let Some(to) = free.pop() {
                let Some(from) = sources.remove(&to) else {
                    continue;
                };
                self.set(to, from);
                if let Src::Reg(from) = from
                    && let Some(count) = readers.get_mut(&from)
                {
                    *count -= 1;
                    if *count == 0 && sources.contains_key(&from) {
                        free.push(from);
                    }
                }
            }
            // Only cycles are left: one register is copied to a temporary, and its reader reads that instead.
            let Some(held) = left.find(|to| sources.contains_key(to)) else {
                break;
            };
            let temporary = self.new_slots(1);
            self.set(temporary, Src::Reg(held));
            // In a cycle, each register is read once.
            let reader = moves
                .iter()
                .find(|&&(to, from)| from == Src::Reg(held) && sources.contains_key(&to));
            if let Some(&(reader, _)) = reader {
                sources.insert(reader, Src::Reg(temporary));
            }
            readers.remove(&held);
            free.push(held);
        }
    }

    /// Moves and a jump that counts no instructions of the source.
    pub(super) fn emit_edge(&mut self, target: BlockId) {
        self.emit_moves(self.current, target);
        let index = self.emit(Op::Jump, 0, 0, 0, 0);
        self.jumps.push((index, target));
        self.edge(index, Edge::TAKEN, target, false);
    }

    /// Whether a block comes right after the one at hand, and from nowhere else.
    pub(super) fn is_only_next(&self, target: BlockId) -> bool {
        target.0 == self.current.0 + 1 && self.uses.predecessors(target).len() == 1
    }

    pub(super) fn jump_to(&mut self, target: BlockId) {
        self.emit_moves(self.current, target);
        // A call that does not return would seem to have run what comes after it, if nothing stood between.
        if self.is_only_next(target) && !self.calls {
            self.code.follows[self.current.0 as usize] = true;
            return;
        }
        let index = self.emit_counted(Op::Jump, 0, 0, 0);
        self.jumps.push((index, target));
        self.edge(index, Edge::TAKEN, target, false);
    }

    /// Where a taken branch goes: to the block, or to the moves before it.
    fn patch_later(&mut self, branch: usize, target: BlockId) {
        if self.has_moves(self.current, target) {
            self.trampolines.push((branch, self.current, target));
        } else {
            self.jumps.push((branch, target));
        }
    }

    pub(super) fn emit_trampolines(&mut self) {
        for (branch, from, to) in std::mem::take(&mut self.trampolines) {
            self.code.instrs[branch].dst = self.trampoline(from, to);
        }
        // Table targets are block numbers until now.
        let mut targets: HashMap<(usize, u32), u32, FxBuildHasher> = HashMap::default();
        for (table, from, to) in std::mem::take(&mut self.table_trampolines) {
            let pc = self.trampoline(from, to);
            targets.insert((table, UNPATCHED | to.0), pc);
        }
        for (table, to) in std::mem::take(&mut self.table_jumps) {
            targets.insert((table, UNPATCHED | to.0), self.block_pcs[to.0 as usize]);
        }
        for edge in &mut self.code.edges {
            let i = self.code.instrs[edge.pc as usize];
            if i.op == Op::Switch {
                let target = targets.get(&(i.b as usize, UNPATCHED | edge.to));
                edge.way = target.copied().unwrap_or(0);
            }
        }
        for (number, table) in self.code.tables.iter_mut().enumerate() {
            let places = table
                .cases
                .iter_mut()
                .map(|(_, target)| target)
                .chain([&mut table.default]);
            for target in places {
                *target = targets.get(&(number, *target)).copied().unwrap_or(*target);
            }
            table.make_dense();
        }
    }

    fn trampoline(&mut self, from: BlockId, to: BlockId) -> u32 {
        self.current = from;
        self.block_constants.clear();
        let pc = self.pc();
        self.code.trampolines.push((pc, to.0));
        self.emit_moves(from, to);
        let index = self.emit(Op::Jump, 0, 0, 0, 0);
        self.jumps.push((index, to));
        pc
    }

    // Branches.

    pub(super) fn branch(
        &mut self,
        condition: Operand,
        then: BlockId,
        other: BlockId,
    ) -> Lowered<()> {
        if then == other {
            self.jump_to(then);
            return Ok(());
        }
        // Fall through to the next block where one side is it.
        let (taken, fallen, inverted) = if then.0 == self.current.0 + 1 {
            (other, then, true)
        } else {
            (then, other, false)
        };
        let branch = match self.condition_of(condition) {
            Some((op, a, b, width)) => {
                let op = if inverted { op.negated() } else { Some(op) };
                op.and_then(|op| self.branch_compare(op, width, a, b))
                    .ok_or("a comparison that does not fold")?
            }
            None => match self.word(condition)? {
                Src::Const(value) => {
                    self.jump_to(if value & 1 == 1 { then } else { other });
                    return Ok(());
                }
                Src::Reg(reg) => {
                    let op = if inverted { Op::BrUnless } else { Op::BrIf };
                    self.emit_counted(op, 0, reg, 0)
                }
            },
        };
        self.patch_later(branch, taken);
        self.edge(branch, Edge::TAKEN, taken, true);
        self.edge(branch, Edge::NOT_TAKEN, fallen, true);
        self.emit_moves(self.current, fallen);
        let is_next = fallen.0 == self.current.0 + 1;
        if !is_next {
            let index = self.emit(Op::Jump, 0, 0, 0, 0);
            self.jumps.push((index, fallen));
        }
        Ok(())
    }

    fn condition_of(&mut self, condition: Operand) -> Option<(IntOp, Src, Src, u32)> {
        let Operand::Local(local) = condition else {
            return None;
        };
        if !self.is_branch_condition(local) {
            return None;
        }
        let (block, at) = self.uses.definition(local)?;
        let InstKind::ICmp { predicate, a, b } =
            self.body.blocks[block.0 as usize].insts[at as usize].kind
        else {
            return None;
        };
        let width = self.operand_shape(a).ok()?.scalar()?.bits;
        let (a, b) = (self.word(a).ok()?, self.word(b).ok()?);
        // Two constants fold badly into an instruction: one goes to a register.
        let a = match (a, b) {
            (Src::Const(value), Src::Const(_)) => Src::Reg(self.constant_reg(value)),
            _ => a,
        };
        Some((IntOp::of_compare(predicate), a, b, width))
    }

    pub(super) fn switch(
        &mut self,
        value: Operand,
        default: BlockId,
        cases: &[(ConstId, BlockId)],
    ) -> Lowered<()> {
        let width = self.scalar(self.operand_type(value))?.bits;
        if width > 64 {
            return self.wide_switch(value, width, default, cases);
        }
        let value = self.word(value)?;
        let mut values = Vec::new();
        for &(id, target) in cases {
            values.push((self.constants.word(id)?, target));
        }
        self.jump_table(value, width, Some(default), values);
        Ok(())
    }

    /// Without a default, a value that is none of the cases is an error.
    fn jump_table(
        &mut self,
        value: Src,
        width: u32,
        default: Option<BlockId>,
        cases: Vec<(u64, BlockId)>,
    ) {
        let value = self.reg(value);
        let count = u32::from(self.take_count());
        let table = self.code.tables.len();
        let mut sorted: Vec<(u64, u32)> = cases
            .iter()
            .map(|&(value, target)| (value, UNPATCHED | target.0))
            .collect();
        sorted.sort_by_key(|&(value, _)| value);
        sorted.dedup_by_key(|&mut (value, _)| value);
        self.code.tables.push(JumpTable {
            width,
            cases: sorted,
            dense: None,
            // What follows the switch, where there is no block for it.
            default: default.map_or(self.pc() + 1, |default| UNPATCHED | default.0),
            count,
        });
        let switch = self.emit(Op::Switch, 0, 0, value, table as u32);
        if default.is_none() {
            self.slow(Slow::BadGoto);
            self.emit(Op::Unreachable, 0, 0, 0, 0);
        }
        let mut targets: Vec<BlockId> = cases
            .iter()
            .map(|&(_, target)| target)
            .chain(default)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        let is_outcome = default.is_some() && targets.len() > 1;
        for target in targets {
            self.edge(switch, 0, target, is_outcome);
            if self.has_moves(self.current, target) {
                self.table_trampolines.push((table, self.current, target));
            } else {
                self.table_jumps.push((table, target));
            }
        }
    }

    fn wide_switch(
        &mut self,
        value: Operand,
        width: u32,
        default: BlockId,
        cases: &[(ConstId, BlockId)],
    ) -> Lowered<()> {
        let words = self.words(value)?;
        // Any of the branches may close a loop.
        let count = std::mem::take(&mut self.count);
        self.emit(Op::Count, 0, 0, count, 0);
        let mut targets = vec![default];
        for &(id, target) in cases {
            let case = self
                .constants
                .words(id)?
                .into_iter()
                .map(Src::Const)
                .collect();
            let dst = self.new_slots(1);
            self.wide_int(IntOp::Eq, width, dst, vec![words.clone(), case]);
            let branch = self.emit(Op::BrIf, 0, 0, dst, 0);
            self.patch_later(branch, target);
            self.edge(branch, Edge::TAKEN, target, !targets.contains(&target));
            targets.push(target);
        }
        self.emit_moves(self.current, default);
        let index = self.emit_counted(Op::Jump, 0, 0, 0);
        self.jumps.push((index, default));
        self.edge(index, Edge::TAKEN, default, !cases.is_empty());
        Ok(())
    }

    pub(super) fn indirect_branch(&mut self, address: Operand, targets: &[BlockId]) -> Lowered<()> {
        let address = self.word(address)?;
        let cases = targets
            .iter()
            .map(|&target| {
                (
                    self.linked
                        .block_address(self.module_index, self.symbol, target),
                    target,
                )
            })
            .collect();
        self.jump_table(address, 64, None, cases);
        Ok(())
    }

    pub(super) fn ret(&mut self, value: Option<Operand>) -> Lowered<()> {
        let words = match value {
            Some(value) => self.words(value)?,
            None => Vec::new(),
        };
        let first = match words[..] {
            [] => {
                self.emit_counted(Op::RetVoid, 0, 0, 0);
                return Ok(());
            }
            [Src::Reg(reg)] => reg,
            _ => {
                let first = self.new_slots(words.len() as u32);
                for (index, &word) in words.iter().enumerate() {
                    self.set(first + index as u32, word);
                }
                first
            }
        };
        let count = u32::from(self.take_count());
        self.emit(Op::Ret, words.len() as u16, 0, first, count);
        Ok(())
    }
}

/// Marks a jump table's target as a block number.
const UNPATCHED: u32 = 1 << 31;

impl JumpTable {
    /// Finds targets by position where the values lie close together.
    fn make_dense(&mut self) {
        let (Some(&(low, _)), Some(&(high, _))) = (self.cases.first(), self.cases.last()) else {
            return;
        };
        let span = high - low;
        if self.cases.len() >= 4 && span < self.cases.len() as u64 * 4 {
            let mut targets = vec![self.default; span as usize + 1];
            for &(value, target) in &self.cases {
                targets[(value - low) as usize] = target;
            }
            self.dense = Some((low, targets));
        }
    }
}
