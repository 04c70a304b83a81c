//! Constants blocks, of the module and of functions.
//!
//! Constants refer to others by value number, before or after them. While a block is read the numbers are kept as they
//! are; when it ends every constant has its place and they are replaced.

use super::Result;
use super::bitstream::Record;
use super::codes::{block, constant as code};
use super::constexpr::{binary_op, cast_op, float_predicate, int_predicate};
use super::module::Reader;
use crate::ir::{
    BlockId, CastOp, ConstId, ConstKind, Constant, SymbolId, SymbolKind, Type, TypeId,
};

/// Integers of more bits are read as types only.
const MAX_CONSTANT_BITS: u32 = 4096;

/// A constant of a block that is not complete yet; its operands are value numbers.
pub(super) struct Pending {
    ty: TypeId,
    kind: PendingKind,
}

pub(super) enum PendingKind {
    Ready(ConstKind),
    /// A vector whose elements all are this.
    Splat(ConstKind),
    /// A shuffle whose mask is this value.
    Shuffle {
        a: ConstId,
        b: ConstId,
        mask: ConstId,
    },
    BlockAddress {
        function: ConstId,
        block: BlockId,
    },
}

/// Undoes the encoding that puts the sign into the lowest bit.
pub(super) fn signed(value: u64) -> u64 {
    match value {
        1 => 1 << 63,
        _ if value & 1 == 0 => value >> 1,
        _ => (value >> 1).wrapping_neg(),
    }
}

/// An integer constant of sign-encoded words.
pub(super) fn int_constant(bits: u32, words: &[u64]) -> ConstKind {
    let first = words.first().map_or(0, |&word| signed(word));
    if bits <= 64 {
        return ConstKind::Int(first & (u64::MAX >> (64 - bits)));
    }
    let count = bits.div_ceil(64) as usize;
    let mut value: Vec<u64> = words.iter().map(|&word| signed(word)).take(count).collect();
    // Leading words that are zero are left out, never those of a sign.
    value.resize(count, 0);
    if !bits.is_multiple_of(64)
        && let Some(last) = value.last_mut()
    {
        *last &= u64::MAX >> (64 - bits % 64);
    }
    ConstKind::Wide(value)
}

impl Reader<'_> {
    /// Reads a constants block. `arguments` many values that are none of them come between the module's values and
    /// those of the block, of which `earlier` ones have been read.
    pub fn read_constants(&mut self, arguments: u32, earlier: &[ConstId]) -> Result<Vec<ConstId>> {
        let mut pending: Vec<Pending> = Vec::new();
        let mut ty = None;
        self.records(block::CONSTANTS, |reader, record| {
            if record.code == code::SETTYPE {
                let id = *record.ops.first().ok_or_else(|| reader.bad("no type"))?;
                let id = reader.ty(id)?;
                if !super::types::is_value(reader.module.types.get(id)) {
                    return Err(reader.bad("constants of a type that has no values"));
                }
                ty = Some(id);
                return Ok(());
            }
            let ty = ty.ok_or_else(|| reader.bad("a constant without a type"))?;
            let kind = reader.read_constant(record, ty)?;
            pending.push(Pending { ty, kind });
            Ok(())
        })?;
        let first = self.module.constants.len();
        let ids: Vec<ConstId> = (0..pending.len())
            .map(|index| ConstId((first + index) as u32))
            .collect();
        let place = |reader: &Reader, number: ConstId| -> Result<ConstId> {
            let number = number.0 as usize;
            let found = match number.checked_sub(reader.values.len()) {
                None => reader.values.get(number),
                Some(beyond) => beyond.checked_sub(arguments as usize).and_then(|index| {
                    let own = index.checked_sub(earlier.len());
                    earlier
                        .get(index)
                        .or_else(|| own.and_then(|own| ids.get(own)))
                }),
            };
            found.copied().ok_or_else(|| {
                reader.invalid(format!(
                    "a constant refers to value {number}, which is none"
                ))
            })
        };
        // Masks and block addresses look at other constants, so everything else is in place first.
        let mut late = Vec::new();
        let mut splats = Vec::new();
        for (index, pending) in pending.into_iter().enumerate() {
            let kind = match pending.kind {
                PendingKind::Ready(mut kind) => {
                    for operand in operands_mut(&mut kind) {
                        *operand = place(self, *operand)?;
                    }
                    kind
                }
                PendingKind::Splat(element) => {
                    splats.push((first + index, element));
                    ConstKind::Undef
                }
                other => {
                    late.push((first + index, other));
                    ConstKind::Undef
                }
            };
            self.module.constants.push(Constant {
                ty: pending.ty,
                kind,
            });
        }
        for (index, element) in splats {
            let kind = self.splat(self.module.constants[index].ty, element)?;
            self.module.constants[index].kind = kind;
        }
        for (index, pending) in late {
            let kind = match pending {
                PendingKind::Shuffle { a, b, mask } => {
                    let mask = place(self, mask)?;
                    ConstKind::Shuffle {
                        a: place(self, a)?,
                        b: place(self, b)?,
                        mask: self.mask(mask)?,
                    }
                }
                PendingKind::BlockAddress { function, block } => {
                    let function = place(self, function)?;
                    match self.function_symbol(function) {
                        Some(function) => ConstKind::BlockAddress { function, block },
                        None => return Err(self.invalid("the address of a block of no function")),
                    }
                }
                PendingKind::Ready(kind) | PendingKind::Splat(kind) => kind,
            };
            self.module.constants[index].kind = kind;
        }
        Ok(ids)
    }

    fn function_symbol(&self, id: ConstId) -> Option<SymbolId> {
        match self.module.constants[id.0 as usize].kind {
            ConstKind::Symbol(symbol) => match self.module.symbols[symbol.0 as usize].kind {
                SymbolKind::Function(_) => Some(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    /// Counts bytes that the file did not have to spell out.
    pub fn expand(&mut self, bytes: u64) -> Result<()> {
        match self.expansion.checked_sub(bytes) {
            Some(left) => {
                self.expansion = left;
                Ok(())
            }
            None => Err(self.bad("constants that take more memory than the file could mean")),
        }
    }

    /// The constant of a vector of equal elements.
    fn splat(&mut self, ty: TypeId, element: ConstKind) -> Result<ConstKind> {
        let Type::Vector {
            element: element_ty,
            len,
            ..
        } = *self.module.types.get(ty)
        else {
            return Ok(element);
        };
        let bits = self.module.layout.bits(&self.module.types, element_ty);
        self.expand(len * bits.div_ceil(8))?;
        let value = match element {
            ConstKind::Int(value) => u128::from(value),
            ConstKind::Float(value) => value,
            _ => 0,
        };
        if matches!(element, ConstKind::Int(_) | ConstKind::Float(_))
            && matches!(bits, 8 | 16 | 32 | 64)
        {
            let bytes = value.to_le_bytes();
            let element = &bytes[..bits as usize / 8];
            return Ok(ConstKind::Data(element.repeat(len as usize)));
        }
        let id = ConstId(self.module.constants.len() as u32);
        self.module.constants.push(Constant {
            ty: element_ty,
            kind: element,
        });
        self.expand(len * 4)?;
        Ok(ConstKind::Aggregate(vec![id; len as usize]))
    }

    /// The mask that a constant vector of integers means.
    pub fn mask(&mut self, id: ConstId) -> Result<Vec<i32>> {
        if let Type::Vector { len, .. } = *self
            .module
            .types
            .get(self.module.constants[id.0 as usize].ty)
        {
            self.expand(len * 4)?;
        }
        let constant = &self.module.constants[id.0 as usize];
        let Type::Vector { len, .. } = *self.module.types.get(constant.ty) else {
            return Err(self.bad("a mask that is no vector"));
        };
        let element = |id: &ConstId| match &self.module.constants[id.0 as usize].kind {
            ConstKind::Zero => Ok(0),
            ConstKind::Undef | ConstKind::Poison => Ok(-1),
            ConstKind::Int(value) => Ok(*value as i32),
            _ => Err(self.bad("a mask that is no number")),
        };
        match &constant.kind {
            ConstKind::Zero => Ok(vec![0; len as usize]),
            ConstKind::Undef | ConstKind::Poison => Ok(vec![-1; len as usize]),
            ConstKind::Data(bytes) => Ok(bytes
                .chunks_exact(4)
                .map(|chunk| i32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]))
                .collect()),
            ConstKind::Aggregate(elements) => elements.iter().map(element).collect(),
            _ => Err(self.bad("a mask that is not constant")),
        }
    }

    fn read_constant(&mut self, record: &Record, ty: TypeId) -> Result<PendingKind> {
        let ops = &record.ops[..];
        // Numbers of values fit 32 bits; one that does not is refused as any that does not exist.
        let value = |index: usize| -> Result<ConstId> {
            let op = ops
                .get(index)
                .copied()
                .ok_or_else(|| self.bad("too few operands"))?;
            Ok(ConstId(u32::try_from(op).unwrap_or(u32::MAX)))
        };
        let op = |index: usize| {
            ops.get(index)
                .copied()
                .ok_or_else(|| self.bad("too few operands"))
        };
        let types = &self.module.types;
        let scalar = match types.get(ty) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        };
        let is_vector = scalar != ty;
        let splat = |kind| {
            if is_vector {
                PendingKind::Splat(kind)
            } else {
                PendingKind::Ready(kind)
            }
        };
        let kind = match record.code {
            code::NULL => ConstKind::Zero,
            code::UNDEF => ConstKind::Undef,
            code::POISON => ConstKind::Poison,
            code::INTEGER | code::WIDE_INTEGER | code::BYTE | code::WIDE_BYTE => {
                let Type::Int(bits) = *types.get(scalar) else {
                    return Err(self.bad("a number of a type that is no integer"));
                };
                op(0)?;
                if bits > MAX_CONSTANT_BITS {
                    return Err(self.bad(format!("a constant of {bits} bits")));
                }
                self.expand(if bits > 64 { u64::from(bits) / 8 } else { 0 })?;
                return Ok(splat(int_constant(bits, ops)));
            }
            code::FLOAT => {
                let bits = match types.get(scalar) {
                    Type::Half | Type::BFloat => u128::from(op(0)? as u16),
                    Type::Float => u128::from(op(0)? as u32),
                    Type::Double => u128::from(op(0)?),
                    Type::X86Fp80 => u128::from(op(0)?) << 16 | u128::from(op(1)? & 0xffff),
                    Type::Fp128 | Type::PpcFp128 => u128::from(op(0)?) | u128::from(op(1)?) << 64,
                    _ => return Err(self.bad("a number of a type that is no float")),
                };
                return Ok(splat(ConstKind::Float(bits)));
            }
            code::AGGREGATE => {
                ConstKind::Aggregate((0..ops.len()).map(value).collect::<Result<_>>()?)
            }
            code::STRING | code::CSTRING => {
                let mut bytes: Vec<u8> = ops.iter().map(|&op| op as u8).collect();
                if record.code == code::CSTRING {
                    bytes.push(0);
                }
                ConstKind::Data(bytes)
            }
            code::DATA => {
                let element = match types.get(ty) {
                    Type::Array { element, .. } | Type::Vector { element, .. } => *element,
                    _ => return Err(self.bad("data of a type that is no sequence")),
                };
                let is_scalar =
                    types.is_float(element) || matches!(types.get(element), Type::Int(_));
                let bits = if is_scalar {
                    self.module.layout.bits(types, element)
                } else {
                    0
                };
                if !matches!(bits, 8 | 16 | 32 | 64) {
                    return Err(self.bad("data of elements that are no plain numbers"));
                }
                let size = bits as usize / 8;
                let mut bytes = Vec::new();
                for op in ops {
                    bytes.extend_from_slice(&op.to_le_bytes()[..size]);
                }
                ConstKind::Data(bytes)
            }
            code::BINOP => {
                let op = binary_op(op(0)?, types.is_float(scalar));
                ConstKind::Binary {
                    op: op.ok_or_else(|| self.bad("an unknown operation"))?,
                    a: value(1)?,
                    b: value(2)?,
                }
            }
            code::CAST => ConstKind::Cast {
                op: cast_op(op(0)?).ok_or_else(|| self.bad("an unknown cast"))?,
                value: value(2)?,
            },
            code::GEP_OLD
            | code::INBOUNDS_GEP
            | code::GEP_WITH_INRANGE_INDEX
            | code::GEP_WITH_INRANGE
            | code::GEP => self.read_constant_gep(record)?,
            code::SELECT => ConstKind::Select {
                condition: value(0)?,
                then: value(1)?,
                other: value(2)?,
            },
            code::EXTRACTELT => ConstKind::ExtractElement {
                vector: value(1)?,
                index: value(if ops.len() >= 4 { 3 } else { 2 })?,
            },
            code::INSERTELT => ConstKind::InsertElement {
                vector: value(0)?,
                value: value(1)?,
                index: value(if ops.len() >= 4 { 3 } else { 2 })?,
            },
            code::SHUFFLEVEC | code::SHUFVEC_EX => {
                let from = usize::from(record.code == code::SHUFVEC_EX);
                return Ok(PendingKind::Shuffle {
                    a: value(from)?,
                    b: value(from + 1)?,
                    mask: value(from + 2)?,
                });
            }
            code::CMP => {
                let operand = self.ty(op(0)?)?;
                let scalar = match types.get(operand) {
                    Type::Vector { element, .. } => *element,
                    _ => operand,
                };
                let (a, b) = (value(1)?, value(2)?);
                let unknown = || self.bad("an unknown comparison");
                if types.is_float(scalar) {
                    let predicate = float_predicate(op(3)?).ok_or_else(unknown)?;
                    ConstKind::FCompare { predicate, a, b }
                } else {
                    let predicate = int_predicate(op(3)?).ok_or_else(unknown)?;
                    ConstKind::Compare { predicate, a, b }
                }
            }
            code::INLINEASM_OLD | code::INLINEASM_OLD2 | code::INLINEASM_OLD3 | code::INLINEASM => {
                self.read_inline_asm(record)?
            }
            code::BLOCKADDRESS => {
                return Ok(PendingKind::BlockAddress {
                    function: value(1)?,
                    block: BlockId(u32::try_from(op(2)?).unwrap_or(u32::MAX)),
                });
            }
            // Other names for the address of a function.
            code::DSO_LOCAL_EQUIVALENT | code::NO_CFI => ConstKind::Cast {
                op: CastOp::Bitcast,
                value: value(1)?,
            },
            // The signature of a signed pointer is of no use here.
            code::PTRAUTH | code::PTRAUTH2 => ConstKind::Cast {
                op: CastOp::Bitcast,
                value: value(0)?,
            },
            _ => return Err(self.bad("an unknown kind of constant")),
        };
        Ok(PendingKind::Ready(kind))
    }
}

/// The constants that a constant is made of.
fn operands_mut(kind: &mut ConstKind) -> Vec<&mut ConstId> {
    match kind {
        ConstKind::Aggregate(elements) => elements.iter_mut().collect(),
        ConstKind::Cast { value, .. } => vec![value],
        ConstKind::Binary { a, b, .. }
        | ConstKind::Compare { a, b, .. }
        | ConstKind::FCompare { a, b, .. }
        | ConstKind::Shuffle { a, b, .. } => vec![a, b],
        ConstKind::Select {
            condition,
            then,
            other,
        } => vec![condition, then, other],
        ConstKind::Gep { base, indices, .. } => std::iter::once(base).chain(indices).collect(),
        ConstKind::ExtractElement { vector, index } => vec![vector, index],
        ConstKind::InsertElement {
            vector,
            value,
            index,
        } => vec![vector, value, index],
        ConstKind::Zero
        | ConstKind::Undef
        | ConstKind::Poison
        | ConstKind::Int(_)
        | ConstKind::Wide(_)
        | ConstKind::Float(_)
        | ConstKind::Data(_)
        | ConstKind::Symbol(_)
        | ConstKind::BlockAddress { .. }
        | ConstKind::InlineAsm(_) => Vec::new(),
    }
}
