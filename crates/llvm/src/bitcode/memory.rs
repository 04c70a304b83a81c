//! Instructions that make, read and write memory.

use super::Result;
use super::codes::function as code;
use super::constexpr::rmw_op;
use super::function::{Frame, Ops};
use super::module::Reader;
use crate::ir::{InstKind, Operand, Type, TypeId};

impl Reader<'_> {
    pub fn read_memory(&mut self, frame: &mut Frame, record: u32, ops: &mut Ops) -> Result<()> {
        match record {
            code::ALLOCA => self.read_alloca(frame, ops),
            code::LOAD | code::LOADATOMIC => {
                let (pointer, pointer_ty) = self.value(frame, ops)?;
                // Then alignment and volatility, and for atomic ones ordering and scope; before them the type,
                // unless it is of the days when the pointer said it.
                let said = if record == code::LOAD { 3 } else { 5 };
                let ty = if ops.left() >= said {
                    self.ty_op(ops)?
                } else {
                    self.pointee(pointer_ty)?
                };
                frame.say(ops.rest());
                self.emit(frame, InstKind::Load { pointer, ty }, Some(ty))
            }
            code::STORE | code::STOREATOMIC => {
                let (pointer, _) = self.value(frame, ops)?;
                let (value, _) = self.value(frame, ops)?;
                frame.say(ops.rest());
                self.emit(frame, InstKind::Store { pointer, value }, None)
            }
            code::STORE_OLD | code::STOREATOMIC_OLD => {
                let (pointer, ty) = self.value(frame, ops)?;
                let ty = self.pointee(ty)?;
                let value = self.value_of(frame, ops, ty)?;
                frame.say(ops.rest());
                self.emit(frame, InstKind::Store { pointer, value }, None)
            }
            code::GEP | code::GEP_OLD | code::INBOUNDS_GEP_OLD => self.read_gep(frame, record, ops),
            code::CMPXCHG | code::CMPXCHG_OLD => {
                let (pointer, pointer_ty) = self.value(frame, ops)?;
                let (expected, ty) = if record == code::CMPXCHG {
                    self.value(frame, ops)?
                } else {
                    let ty = self.pointee(pointer_ty)?;
                    (self.value_of(frame, ops, ty)?, ty)
                };
                let new = self.value_of(frame, ops, ty)?;
                let bit = self.bit();
                let result = self.pair_of(ty, bit);
                frame.say(ops.rest());
                let kind = InstKind::CmpXchg {
                    pointer,
                    expected,
                    new,
                };
                self.emit(frame, kind, Some(result))
            }
            code::ATOMICRMW | code::ATOMICRMW_OLD => {
                let (pointer, pointer_ty) = self.value(frame, ops)?;
                let (value, ty) = if record == code::ATOMICRMW {
                    self.value(frame, ops)?
                } else {
                    let ty = self.pointee(pointer_ty)?;
                    (self.value_of(frame, ops, ty)?, ty)
                };
                let op = self.op(ops)?;
                frame.say(ops.rest());
                let kind = match rmw_op(op) {
                    Some(op) => InstKind::AtomicRmw { op, pointer, value },
                    None => InstKind::Unsupported("atomicrmw of an operation of another time"),
                };
                self.emit(frame, kind, Some(ty))
            }
            code::FENCE => {
                frame.say(ops.rest());
                self.emit(frame, InstKind::Fence, None)
            }
            code::VAARG => {
                let list_ty = self.ty_op(ops)?;
                let list = self.value_of(frame, ops, list_ty)?;
                let ty = self.ty_op(ops)?;
                self.emit(frame, InstKind::VaArg { list, ty }, Some(ty))
            }
            _ => Err(self.bad("an unknown instruction")),
        }
    }

    fn read_alloca(&mut self, frame: &mut Frame, ops: &mut Ops) -> Result<()> {
        let said = self.ty_op(ops)?;
        let count_ty = self.ty_op(ops)?;
        // The one operand that is not relative.
        let number = u32::try_from(self.op(ops)?).unwrap_or(u32::MAX);
        let count = self.numbered(frame, number, count_ty);
        let packed = self.op(ops)?;
        let space = ops.rest().first().map_or(0, |&space| space as u32);
        let explicit = packed & (1 << 6) != 0;
        let ty = if explicit { said } else { self.pointee(said)? };
        let align = self.alignment((packed & 31) | (packed >> 8 & 7) << 5)?;
        let pointer = self.pointer_to(ty, space);
        self.emit(frame, InstKind::Alloca { ty, count, align }, Some(pointer))
    }

    fn read_gep(&mut self, frame: &mut Frame, record: u32, ops: &mut Ops) -> Result<()> {
        let source = if record == code::GEP {
            frame.say(&[self.op(ops)?]);
            Some(self.ty_op(ops)?)
        } else {
            None
        };
        let (base, base_ty) = self.value(frame, ops)?;
        let source = match source {
            Some(source) => source,
            None => self.pointee(base_ty)?,
        };
        let mut indices = Vec::new();
        let mut lanes = self.lanes(base_ty);
        while ops.left() > 0 {
            let (index, ty) = self.value(frame, ops)?;
            lanes = lanes.or(self.lanes(ty));
            indices.push(index);
        }
        let pointer = match self.module.types.get(base_ty) {
            Type::Vector { element, .. } => *element,
            _ => base_ty,
        };
        let Type::Pointer { space, .. } = *self.module.types.get(pointer) else {
            return Err(self.bad("the base is no pointer"));
        };
        let mut result = pointer;
        if self.typed_pointers {
            let target = self.stepped_into(source, &indices)?;
            result = self.pointer_to(target, space);
        }
        if let Some((len, scalable)) = lanes {
            result = self.vector_of(result, len, scalable);
        }
        let kind = InstKind::Gep {
            source,
            base,
            indices,
        };
        self.emit(frame, kind, Some(result))
    }

    fn lanes(&self, ty: TypeId) -> Option<(u64, bool)> {
        match *self.module.types.get(ty) {
            Type::Vector { len, scalable, .. } => Some((len, scalable)),
            _ => None,
        }
    }

    /// The type that indices lead to.
    fn stepped_into(&self, source: TypeId, indices: &[Operand]) -> Result<TypeId> {
        let types = &self.module.types;
        let mut ty = source;
        for index in indices.iter().skip(1) {
            let next = match types.get(ty) {
                Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
                Type::Struct { fields, .. } => self
                    .field_index(*index)
                    .and_then(|index| fields.get(index))
                    .copied(),
                _ => None,
            };
            ty = next.ok_or_else(|| self.bad("an index that leads nowhere"))?;
        }
        Ok(ty)
    }

    fn field_index(&self, index: Operand) -> Option<usize> {
        let Operand::Const(id) = index else {
            return None;
        };
        super::validate::field_index(&self.module, id)
    }
}
