//! Memory: variables, loads, stores and addresses.

use super::promote::is_lifetime_marker;
use super::shape::{Class, Leaf, Shape};
use super::uses::Use;
use super::{Address, Lowered, Lowerer};
use crate::code::{Fields, Op, Src};
use crate::ir::{BinaryOp, InstKind, LocalId, Operand, RmwOp, Type, TypeId};
use crate::ops::IntOp;

impl Lowerer<'_> {
    pub(super) fn place_promoted(&mut self) {
        for local in self.promotion.locals() {
            let register = self.new_slots(1);
            self.promotion.place(local, register);
        }
    }

    pub(super) fn alloca(
        &mut self,
        result: Option<LocalId>,
        ty: TypeId,
        count: Operand,
        align: u64,
    ) -> Lowered<()> {
        let Some(local) = result else { return Ok(()) };
        if self.promotion.is_promoted(local) {
            return Ok(());
        }
        let (types, layout) = (&self.module.types, &self.module.layout);
        let size = layout.size(types, ty);
        let align = align.max(layout.align(types, ty)).max(1);
        let x = align.trailing_zeros() as u16;
        let count = self.word(count)?;
        let dst = self.result(result)?;
        let pc = self.pc();
        match count {
            Src::Const(count) => {
                let size = size.saturating_mul(count);
                self.emit(Op::Alloca, x, dst, size as u32, (size >> 32) as u32);
            }
            Src::Reg(count) => {
                let size = self.reg(Src::Const(size));
                let pc = self.pc();
                self.emit(Op::AllocaN, x, dst, count, 0);
                self.emit(Op::More, 0, 0, size, 0);
                self.note_object(pc, local, ty);
                return Ok(());
            }
        }
        self.note_object(pc, local, ty);
        Ok(())
    }

    /// What the object of a variable is called, and what it is.
    fn note_object(&mut self, pc: u32, local: LocalId, ty: TypeId) {
        if let Some(bits) = self.module.types.float_bits(ty) {
            self.code.floats.push((pc, bits));
        }
        let variables = &self.body.variables;
        if let Ok(index) = variables.binary_search_by_key(&local, |&(local, _)| local) {
            let name = self.linked.intern(&variables[index].1);
            self.code.names.push((pc, name));
        }
    }

    // Addresses.

    /// Puts address arithmetic off to the loads and stores that use it, or works it out.
    pub(super) fn gep(
        &mut self,
        result: Option<LocalId>,
        source: TypeId,
        base: Operand,
        indices: &[Operand],
    ) -> Lowered<()> {
        let Some(local) = result else { return Ok(()) };
        if !self.module.types.is_pointer(self.type_of(local)) {
            return self.vector_gep(local, source, base, indices);
        }
        let base = self.address(base)?;
        let address = self.step(base, source, indices)?;
        let is_fixed = self.places[local.0 as usize].is_some();
        if !is_fixed && (address.index.is_none() || self.folds_everywhere(local)) {
            self.addresses.insert(local, address);
            return Ok(());
        }
        let dst = self.result(result)?;
        self.materialise(address, dst);
        Ok(())
    }

    /// An index is worth folding if it is not worked out again and again.
    fn folds_everywhere(&self, local: LocalId) -> bool {
        let uses = self.uses.of_local(local);
        uses.len() <= 2 && uses.iter().all(|used| self.is_scalar_access(used, local))
    }

    fn is_scalar_access(&self, used: &Use, local: LocalId) -> bool {
        if used.on_edge {
            return false;
        }
        let (pointer, ty) =
            match &self.body.blocks[used.block.0 as usize].insts[used.index as usize].kind {
                InstKind::Load { pointer, ty } => (*pointer, *ty),
                InstKind::Store { pointer, value } if *value != Operand::Local(local) => {
                    (*pointer, self.operand_type(*value))
                }
                _ => return false,
            };
        pointer == Operand::Local(local)
            && Shape::of(self.module, ty).is_ok_and(|shape| {
                shape
                    .scalar()
                    .is_some_and(|leaf| matches!(leaf.bits, 1..=8 | 16 | 32 | 64))
            })
    }

    /// The address an operand is, put off or not.
    fn address(&mut self, pointer: Operand) -> Lowered<Address> {
        if let Operand::Local(local) = pointer
            && let Some(&address) = self.addresses.get(&local)
        {
            return Ok(address);
        }
        let base = self.word(pointer)?;
        Ok(Address {
            base,
            index: None,
            offset: 0,
        })
    }

    fn step(
        &mut self,
        mut address: Address,
        source: TypeId,
        indices: &[Operand],
    ) -> Lowered<Address> {
        let mut ty = source;
        for (position, &index) in indices.iter().enumerate() {
            let (types, layout) = (&self.module.types, &self.module.layout);
            let scale;
            if position == 0 {
                scale = layout.size(types, ty);
            } else {
                match types.get(ty) {
                    Type::Struct { fields, .. } => {
                        let Operand::Const(id) = index else {
                            return Err("a field that is no constant".into());
                        };
                        let field = self.constants.word(id)? as usize;
                        let offset = layout.field_offset(types, ty, field) as i64;
                        address.offset = address.offset.wrapping_add(offset);
                        ty = *fields.get(field).ok_or("a field out of its structure")?;
                        continue;
                    }
                    Type::Array { element, .. } | Type::Vector { element, .. } => {
                        scale = layout.size(types, *element);
                        ty = *element;
                    }
                    _ => return Err("an index into a scalar".into()),
                }
            }
            match self.index_word(index)? {
                Src::Const(index) => {
                    address.offset = address
                        .offset
                        .wrapping_add((index.wrapping_mul(scale)) as i64);
                }
                Src::Reg(index) => address = self.add_index(address, index, scale),
            }
        }
        Ok(address)
    }

    fn add_index(&mut self, address: Address, index: u32, scale: u64) -> Address {
        let mut address = address;
        if address.index.is_some() {
            let dst = self.new_slots(1);
            self.materialise(address, dst);
            address = Address {
                base: Src::Reg(dst),
                index: None,
                offset: 0,
            };
        }
        let (index, scale) = match u16::try_from(scale) {
            Ok(scale) => (index, scale),
            Err(_) => {
                let dst = self.new_slots(1);
                self.int(IntOp::Mul, 64, dst, &[Src::Reg(index), Src::Const(scale)]);
                (dst, 1)
            }
        };
        address.index = Some((index, scale));
        address
    }

    /// Works an address out into a slot.
    pub(super) fn materialise(&mut self, address: Address, dst: u32) {
        let mut base = address.base;
        if let Src::Const(value) = base {
            base = Src::Const(value.wrapping_add(address.offset as u64));
        }
        let offset = if matches!(base, Src::Const(_)) {
            0
        } else {
            address.offset
        };
        if let Some((index, scale)) = address.index {
            let base_reg = self.reg(base);
            let target = if offset == 0 { dst } else { self.new_slots(1) };
            self.emit(Op::Lea, scale, target, base_reg, index);
            base = Src::Reg(target);
        }
        if offset != 0 {
            self.int(IntOp::Add, 64, dst, &[base, Src::Const(offset as u64)]);
        } else {
            self.set(dst, base);
        }
    }

    fn vector_gep(
        &mut self,
        local: LocalId,
        source: TypeId,
        base: Operand,
        indices: &[Operand],
    ) -> Lowered<()> {
        let lanes = self.shape(self.type_of(local))?.leaves.len();
        let dst = self.define(local)?;
        let base = self.words(base)?;
        // One index of one type: what vectorised code has.
        let [index] = indices else {
            return Err("an address of vectors with several indices".into());
        };
        let bits = self
            .operand_shape(*index)?
            .leaves
            .first()
            .map_or(64, |leaf| leaf.bits);
        let index = self.words(*index)?;
        let scale = self.module.layout.size(&self.module.types, source);
        for lane in 0..lanes {
            let base = base[lane.min(base.len() - 1)];
            let mut index = index[lane.min(index.len() - 1)];
            if bits < 64 {
                let wide = self.new_slots(1);
                let narrow = self.reg(index);
                self.emit(Op::SExt64, bits as u16, wide, narrow, 0);
                index = Src::Reg(wide);
            }
            let scaled = self.new_slots(1);
            self.int(IntOp::Mul, 64, scaled, &[index, Src::Const(scale)]);
            self.int(IntOp::Add, 64, dst + lane as u32, &[base, Src::Reg(scaled)]);
        }
        Ok(())
    }

    // Loads and stores.

    pub(super) fn load(
        &mut self,
        result: Option<LocalId>,
        pointer: Operand,
        ty: TypeId,
        index: usize,
    ) -> Lowered<()> {
        if let (Some(register), Operand::Local(variable), Some(loaded)) =
            (self.promotion.register(pointer), pointer, result)
        {
            let shares = self.promotion.may_share(
                self.body,
                &self.uses,
                variable,
                self.current,
                index,
                loaded,
            );
            if shares {
                self.alias(result, vec![Src::Reg(register)]);
            } else {
                let dst = self.result(result)?;
                self.set(dst, Src::Reg(register));
            }
            return Ok(());
        }
        let shape = self.shape_in_memory(ty)?;
        let address = self.address(pointer)?;
        let dst = self.result(result)?;
        self.load_shape(&shape, address, dst);
        Ok(())
    }

    fn shape_in_memory(&self, ty: TypeId) -> Lowered<Shape> {
        let shape = self.shape(ty)?;
        if shape.has_packed {
            return Err("a structure in memory that has a vector of parts of bytes".into());
        }
        Ok(shape)
    }

    pub(super) fn load_shape(&mut self, shape: &Shape, address: Address, dst: u32) {
        if shape.packed {
            let bits = shape.size as u32 * 8;
            let whole = Shape::integer(bits);
            let temporary = self.new_slots(whole.words);
            self.load_shape(&whole, address, temporary);
            let words: Vec<Src> = (temporary..temporary + whole.words).map(Src::Reg).collect();
            self.repack(&whole, &words, shape, dst);
            return;
        }
        let address = if shape.words > 1 {
            self.single(address)
        } else {
            address
        };
        for leaf in &shape.leaves {
            for word in 0..leaf.words() {
                let bits = (leaf.bits - word * 64).min(64);
                let mut at = address;
                at.offset = at
                    .offset
                    .wrapping_add((leaf.offset + u64::from(word) * 8) as i64);
                self.load_word(at, bits, dst + leaf.word + word);
                if leaf.class == Class::Pointer {
                    self.code.pointers.push(self.pc() - 1);
                }
            }
        }
    }

    /// An address without an index, for several accesses.
    fn single(&mut self, address: Address) -> Address {
        if address.index.is_none() {
            return address;
        }
        let dst = self.new_slots(1);
        self.materialise(address, dst);
        Address {
            base: Src::Reg(dst),
            index: None,
            offset: 0,
        }
    }

    /// An address that an instruction can name: a register, and an offset that fits or an index.
    fn nameable(&mut self, address: Address) -> Address {
        let fits = i32::try_from(address.offset).is_ok();
        let is_constant = matches!(address.base, Src::Const(_));
        if (address.index.is_some() && address.offset != 0 && !is_constant) || !fits {
            let dst = self.new_slots(1);
            self.materialise(address, dst);
            return Address {
                base: Src::Reg(dst),
                index: None,
                offset: 0,
            };
        }
        address
    }

    fn load_word(&mut self, address: Address, bits: u32, dst: u32) {
        let width = match bits {
            8 => 0,
            16 => 1,
            32 => 2,
            64 => 3,
            _ => {
                let address = self.single(address);
                let address = self.nameable(address);
                let (base, offset) = self.base_and_offset(address);
                self.emit(Op::LoadN, bits as u16, dst, base, offset as u32);
                self.emit(Op::More, 0, 0, bits.div_ceil(8), 0);
                return;
            }
        };
        let address = self.nameable(address);
        match (address.base, address.index) {
            (Src::Const(base), None) => {
                let at = base.wrapping_add(address.offset as u64);
                let op = [Op::LoadAbs8, Op::LoadAbs16, Op::LoadAbs32, Op::LoadAbs64][width];
                self.emit(op, 0, dst, at as u32, (at >> 32) as u32);
            }
            (base, Some((index, scale))) => {
                let base = self.indexed_base(base, address.offset);
                let op = [Op::LoadX8, Op::LoadX16, Op::LoadX32, Op::LoadX64][width];
                self.emit(op, scale, dst, base, index);
            }
            (Src::Reg(base), None) => {
                let op = [Op::Load8, Op::Load16, Op::Load32, Op::Load64][width];
                self.emit(op, 0, dst, base, address.offset as i32 as u32);
            }
        }
    }

    fn indexed_base(&mut self, base: Src, offset: i64) -> u32 {
        match base {
            Src::Const(base) => self.reg(Src::Const(base.wrapping_add(offset as u64))),
            Src::Reg(base) => base,
        }
    }

    fn base_and_offset(&mut self, address: Address) -> (u32, i32) {
        match address.base {
            Src::Const(base) => (
                self.reg(Src::Const(base.wrapping_add(address.offset as u64))),
                0,
            ),
            Src::Reg(base) => (base, address.offset as i32),
        }
    }

    pub(super) fn store(&mut self, pointer: Operand, value: Operand) -> Lowered<()> {
        if let Some(register) = self.promotion.register(pointer) {
            let from = self.word(value)?;
            if !self.retarget(value, from, register) {
                self.set(register, from);
            }
            return Ok(());
        }
        let shape = self.shape_in_memory(self.operand_type(value))?;
        let words = self.words(value)?;
        let address = self.address(pointer)?;
        self.store_shape(&shape, address, &words);
        Ok(())
    }

    /// Lets the instruction just emitted write straight to a variable, if what it calculates is used nowhere else.
    fn retarget(&mut self, value: Operand, from: Src, register: u32) -> bool {
        let (Operand::Local(local), Src::Reg(slot)) = (value, from) else {
            return false;
        };
        let defined_here = self
            .uses
            .definition(local)
            .is_some_and(|(block, _)| block == self.current);
        // A slot that it shares is read by others.
        let is_own = self.owners.get(&slot) == Some(&local);
        if !defined_here || !is_own || self.uses.of_local(local).len() != 1 {
            return false;
        }
        let start = self.block_pcs[self.current.0 as usize] as usize;
        let Some(last) = self.code.instrs.get_mut(start..).and_then(<[_]>::last_mut) else {
            return false;
        };
        if last.dst == slot
            && last.op.is_calculation()
            && slot >= self.code.params
            && slot != register
        {
            last.dst = register;
            return true;
        }
        false
    }

    pub(super) fn store_shape(&mut self, shape: &Shape, address: Address, words: &[Src]) {
        if shape.packed {
            let whole = Shape::integer(shape.size as u32 * 8);
            let temporary = self.new_slots(whole.words);
            self.repack(shape, words, &whole, temporary);
            let words: Vec<Src> = (temporary..temporary + whole.words).map(Src::Reg).collect();
            return self.store_shape(&whole, address, &words);
        }
        let address = if shape.words > 1 {
            self.single(address)
        } else {
            address
        };
        for leaf in &shape.leaves {
            for word in 0..leaf.words() {
                let bits = (leaf.bits - word * 64).min(64);
                let mut at = address;
                at.offset = at
                    .offset
                    .wrapping_add((leaf.offset + u64::from(word) * 8) as i64);
                self.store_word(at, bits, words[(leaf.word + word) as usize]);
            }
        }
    }

    fn store_word(&mut self, address: Address, bits: u32, value: Src) {
        let bytes = bits.div_ceil(8);
        let width = match bytes {
            1 => 0,
            2 => 1,
            4 => 2,
            8 => 3,
            _ => {
                let address = self.single(address);
                let address = self.nameable(address);
                let (base, offset) = self.base_and_offset(address);
                let value = self.reg(value);
                self.emit(Op::StoreN, bytes as u16, offset as u32, base, value);
                return;
            }
        };
        let address = self.nameable(address);
        match (address.base, address.index) {
            (Src::Const(base), None) => {
                let at = base.wrapping_add(address.offset as u64);
                let value = self.reg(value);
                let op = [
                    Op::StoreAbs8,
                    Op::StoreAbs16,
                    Op::StoreAbs32,
                    Op::StoreAbs64,
                ][width];
                self.emit(op, 0, value, at as u32, (at >> 32) as u32);
            }
            (base, Some((index, scale))) => {
                let base = self.indexed_base(base, address.offset);
                let value = self.reg(value);
                let op = [Op::StoreX8, Op::StoreX16, Op::StoreX32, Op::StoreX64][width];
                self.emit(op, scale, value, base, index);
            }
            (Src::Reg(base), None) => {
                let offset = address.offset as i32 as u32;
                if let Src::Const(constant) = value
                    && let Ok(small) = u32::try_from(constant)
                {
                    let op = [Op::Store8I, Op::Store16I, Op::Store32I, Op::Store64I][width];
                    self.emit(op, 0, offset, base, small);
                    return;
                }
                let value = self.reg(value);
                let op = [Op::Store8, Op::Store16, Op::Store32, Op::Store64][width];
                self.emit(op, 0, offset, base, value);
            }
        }
    }

    // Atomics, as one thread sees them.

    pub(super) fn compare_exchange(
        &mut self,
        result: Option<LocalId>,
        pointer: Operand,
        expected: Operand,
        new: Operand,
    ) -> Lowered<()> {
        let shape = self.operand_shape(expected)?;
        let leaf = shape
            .scalar()
            .filter(|leaf| leaf.bits <= 64)
            .ok_or("a compare-exchange of over 64 bits")?;
        let address = self.address(pointer)?;
        let address = self.single(address);
        let (expected, new) = (self.word(expected)?, self.word(new)?);
        let dst = self.result(result)?;
        self.load_shape(&shape, address, dst);
        let expected = self.reg(expected);
        self.emit(Op::SetEq, leaf.bits as u16, dst + 1, dst, expected);
        let stored = self.new_slots(1);
        self.choose(stored, Src::Reg(dst + 1), new, Src::Reg(dst));
        self.store_shape(&shape, address, &[Src::Reg(stored)]);
        Ok(())
    }

    pub(super) fn read_modify_write(
        &mut self,
        result: Option<LocalId>,
        op: RmwOp,
        pointer: Operand,
        value: Operand,
    ) -> Lowered<()> {
        use super::shape::Class;
        let shape = self.operand_shape(value)?;
        let leaf = shape
            .scalar()
            .filter(|leaf| leaf.bits <= 64)
            .ok_or("an atomic operation of over 64 bits")?;
        let width = leaf.bits;
        let address = self.address(pointer)?;
        let address = self.single(address);
        let value = self.word(value)?;
        let old = self.result(result)?;
        self.load_shape(&shape, address, old);
        let new = self.new_slots(1);
        let from = Src::Reg(old);
        let calculation = match op {
            RmwOp::Add => Some(IntOp::Add),
            RmwOp::Sub => Some(IntOp::Sub),
            RmwOp::And | RmwOp::Nand => Some(IntOp::And),
            RmwOp::Or => Some(IntOp::Or),
            RmwOp::Xor => Some(IntOp::Xor),
            RmwOp::Max => Some(IntOp::SMax),
            RmwOp::Min => Some(IntOp::SMin),
            RmwOp::UMax => Some(IntOp::UMax),
            RmwOp::UMin => Some(IntOp::UMin),
            RmwOp::USubSat => Some(IntOp::USubSat),
            _ => None,
        };
        match calculation {
            Some(calculation) => self.int(calculation, width, new, &[from, value]),
            None => match (op, leaf.class) {
                (RmwOp::Xchg, _) => self.set(new, value),
                (RmwOp::FAdd, Class::Float(format)) => {
                    self.float_binary(BinaryOp::FAdd, format, new, vec![from], vec![value]);
                }
                (RmwOp::FSub, Class::Float(format)) => {
                    self.float_binary(BinaryOp::FSub, format, new, vec![from], vec![value]);
                }
                _ => return Err(format!("atomicrmw {op:?}")),
            },
        }
        if op == RmwOp::Nand {
            let ones = Src::Const(crate::code::mask(width));
            self.int(IntOp::Xor, width, new, &[Src::Reg(new), ones]);
        }
        self.store_shape(&shape, address, &[Src::Reg(new)]);
        Ok(())
    }

    /// The instruction of that name; the list is laid out as `VaStart` does: all arguments in one area.
    pub(super) fn va_arg(
        &mut self,
        result: Option<LocalId>,
        list: Operand,
        ty: TypeId,
    ) -> Lowered<()> {
        let shape = self.shape_in_memory(ty)?;
        let list = self.address(list)?;
        let list = self.single(list);
        let mut overflow = list;
        overflow.offset += 8;
        let area = self.new_slots(1);
        let pointer = Shape::integer(64);
        self.load_shape(&pointer, overflow, area);
        if self.module.layout.align(&self.module.types, ty) > 8 {
            self.int(IntOp::Add, 64, area, &[Src::Reg(area), Src::Const(15)]);
            self.int(IntOp::And, 64, area, &[Src::Reg(area), Src::Const(!15)]);
        }
        let dst = self.result(result)?;
        let at = Address {
            base: Src::Reg(area),
            index: None,
            offset: 0,
        };
        self.load_shape(&shape, at, dst);
        let next = self.new_slots(1);
        let size = self
            .module
            .layout
            .size(&self.module.types, ty)
            .next_multiple_of(8);
        self.int(IntOp::Add, 64, next, &[Src::Reg(area), Src::Const(size)]);
        self.store_shape(&pointer, overflow, &[Src::Reg(next)]);
        Ok(())
    }

    pub(super) fn is_debug(&self, call: &crate::ir::Call) -> bool {
        is_lifetime_marker(self.module, call)
            || super::promote::callee_name(self.module, call)
                .is_some_and(|name| name.starts_with("llvm.dbg."))
    }

    /// The comparison that a branch makes itself: its only use is the branch that ends the block.
    pub(super) fn is_branch_condition(&self, local: LocalId) -> bool {
        let [used] = self.uses.of_local(local) else {
            return false;
        };
        let Some((block, at)) = self.uses.definition(local) else {
            return false;
        };
        let insts = &self.body.blocks[block.0 as usize].insts;
        let fits = match &insts[at as usize].kind {
            InstKind::ICmp { predicate, a, .. } => {
                let bits = self
                    .operand_shape(*a)
                    .ok()
                    .and_then(|shape| shape.scalar())
                    .map_or(0, |leaf| leaf.bits);
                let op = IntOp::of_compare(*predicate);
                let has_branch = |op: IntOp| Op::for_branch(op, bits, Fields::Two).is_some();
                has_branch(op) || op.swapped().is_some_and(has_branch)
            }
            _ => false,
        };
        fits && used.block == block
            && !used.on_edge
            && used.index as usize == insts.len() - 1
            && matches!(insts[used.index as usize].kind, InstKind::CondBr { .. })
    }
}

impl Shape {
    /// The shape of an integer of so many bits.
    pub fn integer(bits: u32) -> Shape {
        let leaf = Leaf {
            class: Class::Int,
            bits,
            word: 0,
            offset: 0,
        };
        Shape {
            leaves: vec![leaf],
            words: leaf.words(),
            packed: false,
            has_packed: false,
            size: u64::from(bits.div_ceil(8)),
        }
    }
}
