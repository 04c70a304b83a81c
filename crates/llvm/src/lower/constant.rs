//! Constants as words for registers and as bytes for memory. Addresses are known by then.

use refrain_term::Bv;

use super::Linked;
use super::shape::{Class, Leaf, Shape};
use crate::code::Format;
use crate::ir::{BinaryOp, CastOp, ConstId, ConstKind, Type, TypeId};
use crate::machine::float;
use crate::ops::{Cast, IntOp};

/// Calculations nest no deeper in anything that a compiler writes.
const DEEPEST: u32 = 2000;

/// Evaluates the constants of one module.
pub struct Constants<'a> {
    pub linked: &'a Linked,
    pub module: usize,
}

impl Constants<'_> {
    /// The words of a constant, in the order of its type's slots.
    pub fn words(&self, id: ConstId) -> Result<Vec<u64>, String> {
        self.words_at(id, 0)
    }

    /// The value of a constant that is one word.
    pub fn word(&self, id: ConstId) -> Result<u64, String> {
        Ok(self.words(id)?.first().copied().unwrap_or(0))
    }

    fn words_at(&self, id: ConstId, depth: u32) -> Result<Vec<u64>, String> {
        if depth > DEEPEST {
            return Err("constants nested too deeply".into());
        }
        let module = &self.linked.program.modules[self.module];
        let constant = &module.constants[id.0 as usize];
        if matches!(module.types.get(constant.ty), Type::Vector { .. })
            && is_scalar_calculation(&constant.kind)
        {
            return Err("a constant calculation on vectors".into());
        }
        // What has no words, however many elements, is not spelled out.
        if matches!(constant.kind, ConstKind::Aggregate(_))
            && Shape::of(module, constant.ty)?.words == 0
        {
            return Ok(Vec::new());
        }
        let one = |value: u64| Ok(vec![value]);
        match &constant.kind {
            ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => {
                Ok(vec![0; Shape::of(module, constant.ty)?.words as usize])
            }
            ConstKind::Int(value) => one(*value),
            ConstKind::Wide(words) => {
                let mut words = words.clone();
                words.resize(Shape::of(module, constant.ty)?.words as usize, 0);
                Ok(words)
            }
            ConstKind::Float(bits) => {
                let words = Shape::of(module, constant.ty)?.words as usize;
                Ok([*bits as u64, (*bits >> 64) as u64][..words].to_vec())
            }
            ConstKind::Data(bytes) => {
                let shape = Shape::of(module, constant.ty)?;
                Ok(shape
                    .leaves
                    .iter()
                    .map(|leaf| read_word(bytes, leaf))
                    .collect())
            }
            ConstKind::Aggregate(parts) => {
                let mut words = Vec::new();
                for &part in parts {
                    words.extend(self.words_at(part, depth + 1)?);
                }
                Ok(words)
            }
            ConstKind::Symbol(symbol) => one(self.linked.address(self.module, *symbol)),
            ConstKind::BlockAddress { function, block } => {
                one(self.linked.block_address(self.module, *function, *block))
            }
            ConstKind::Cast { op, value } => self.cast(*op, *value, constant.ty, depth),
            ConstKind::Binary { op, a, b } if self.format(*a)?.is_some() => {
                let format = self.format(*a)?.unwrap_or(Format::Double);
                let bits = float::calculate(
                    *op,
                    format,
                    self.bits_of(*a, depth)?,
                    self.bits_of(*b, depth)?,
                );
                let words = format.bits().div_ceil(64) as usize;
                Ok([bits as u64, (bits >> 64) as u64][..words].to_vec())
            }
            ConstKind::Binary { op, a, b } => {
                let op = IntOp::of_binary(*op).ok_or("a constant calculation on floats")?;
                self.calculate(op, *a, *b, depth)
            }
            ConstKind::Compare { predicate, a, b } => {
                self.calculate(IntOp::of_compare(*predicate), *a, *b, depth)
            }
            ConstKind::Select {
                condition,
                then,
                other,
            } => {
                let condition = self.words_at(*condition, depth + 1)?;
                let [condition] = condition[..] else {
                    return Err("a constant choice of vectors".into());
                };
                let chosen = condition != 0;
                self.words_at(if chosen { *then } else { *other }, depth + 1)
            }
            ConstKind::Gep {
                source,
                base,
                indices,
            } => {
                let base = self
                    .words_at(*base, depth + 1)?
                    .first()
                    .copied()
                    .unwrap_or(0);
                one(base.wrapping_add(self.offset(*source, indices, depth)?))
            }
            ConstKind::ExtractElement { vector, index } => {
                let words = self.words_at(*vector, depth + 1)?;
                let index = self
                    .words_at(*index, depth + 1)?
                    .first()
                    .copied()
                    .unwrap_or(0);
                let each = Shape::of(module, constant.ty)?.words as usize;
                let lanes = words.chunks(each.max(1)).nth(index as usize);
                Ok(lanes.map_or_else(|| vec![0; each], <[u64]>::to_vec))
            }
            ConstKind::InsertElement {
                vector,
                value,
                index,
            } => {
                let mut words = self.words_at(*vector, depth + 1)?;
                let value = self.words_at(*value, depth + 1)?;
                let index = self
                    .words_at(*index, depth + 1)?
                    .first()
                    .copied()
                    .unwrap_or(0);
                let from = (index as usize).saturating_mul(value.len());
                if let Some(place) = words.get_mut(from..from.saturating_add(value.len())) {
                    place.copy_from_slice(&value);
                }
                Ok(words)
            }
            ConstKind::Shuffle { a, b, mask } => {
                let lanes = Shape::of(module, constant.ty)?.words as usize;
                let each = lanes / mask.len().max(1);
                let mut both = self.words_at(*a, depth + 1)?;
                both.extend(self.words_at(*b, depth + 1)?);
                let lane = |&index: &i32| {
                    let from = usize::try_from(index).ok().map(|index| index * each);
                    let lane = from.and_then(|from| both.get(from..from + each));
                    lane.map_or_else(|| vec![0; each], <[u64]>::to_vec)
                };
                Ok(mask.iter().flat_map(lane).collect())
            }
            ConstKind::FCompare { predicate, a, b } => match self.format(*a)? {
                Some(format) => {
                    let (a, b) = (self.bits_of(*a, depth)?, self.bits_of(*b, depth)?);
                    one(u64::from(float::holds(*predicate, format, a, b)))
                }
                None => Err("a constant comparison of vectors of floats".into()),
            },
            ConstKind::InlineAsm(_) => Err("inline assembly as a value".into()),
        }
    }

    fn bits(&self, ty: TypeId) -> u32 {
        let module = &self.linked.program.modules[self.module];
        module.layout.bits(&module.types, ty).clamp(1, 1 << 24) as u32
    }

    fn number(&self, id: ConstId, depth: u32) -> Result<Bv, String> {
        let module = &self.linked.program.modules[self.module];
        let width = self.bits(module.constants[id.0 as usize].ty);
        Ok(Bv::from_words(width, self.words_at(id, depth + 1)?))
    }

    fn calculate(&self, op: IntOp, a: ConstId, b: ConstId, depth: u32) -> Result<Vec<u64>, String> {
        let (a, b) = (self.number(a, depth)?, self.number(b, depth)?);
        if a.width() != b.width() {
            return Err("a constant calculation on integers of two widths".into());
        }
        let folded = op
            .fold(&[a, b])
            .map_err(|error| format!("a constant {error}"))?;
        Ok(folded.words().to_vec())
    }

    fn cast(&self, op: CastOp, value: ConstId, to: TypeId, depth: u32) -> Result<Vec<u64>, String> {
        let module = &self.linked.program.modules[self.module];
        let from = module.constants[value.0 as usize].ty;
        match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::SExt => {
                if let (
                    CastOp::Trunc,
                    ConstKind::Binary {
                        op: BinaryOp::Sub,
                        a,
                        ..
                    },
                ) = (op, &module.constants[value.0 as usize].kind)
                {
                    // An entry of a table of distances: too short for what lies far apart here.
                    let target = self.number(*a, depth)?;
                    self.linked
                        .note_distant(target.words().first().copied().unwrap_or(0));
                }
                let number = self.number(value, depth)?;
                let width = self.bits(to);
                let cast = Cast::of(op, number.width(), width).ok_or("a cast of no integer")?;
                Ok(cast.fold(&number, width).words().to_vec())
            }
            CastOp::Bitcast | CastOp::AddrSpaceCast => {
                let words = self.words_at(value, depth + 1)?;
                let (from, to) = (Shape::of(module, from)?, Shape::of(module, to)?);
                Ok(repack(&words, &from, &to))
            }
            CastOp::UiToFp
            | CastOp::SiToFp
            | CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::FpTrunc
            | CastOp::FpExt => {
                let bits = self.bits_of(value, depth)?;
                let (from, to) = (Shape::of(module, from)?, Shape::of(module, to)?);
                let (Some(from), Some(to)) = (from.scalar(), to.scalar()) else {
                    return Err("a constant conversion of vectors of floats".into());
                };
                let bits = match (from.class, to.class) {
                    (Class::Float(from), Class::Float(to)) => float::convert(bits, from, to),
                    (Class::Float(from), _) => {
                        let signed = op == CastOp::FpToSi;
                        return Ok(float::to_integer(bits, from, to.bits, signed)
                            .words()
                            .to_vec());
                    }
                    (_, Class::Float(format)) => {
                        float::from_integer(bits, from.bits, op == CastOp::SiToFp, format)
                    }
                    _ => return Err("a conversion of floats without one".into()),
                };
                Ok([bits as u64, (bits >> 64) as u64][..to.words() as usize].to_vec())
            }
        }
    }

    /// The bits of a scalar of up to 128 bits.
    fn bits_of(&self, id: ConstId, depth: u32) -> Result<u128, String> {
        let words = self.words_at(id, depth + 1)?;
        let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
        Ok(word(0) | word(1) << 64)
    }

    /// The format of a constant that is one float.
    fn format(&self, id: ConstId) -> Result<Option<Format>, String> {
        let module = &self.linked.program.modules[self.module];
        let shape = Shape::of(module, module.constants[id.0 as usize].ty)?;
        Ok(shape.scalar().and_then(|leaf| match leaf.class {
            Class::Float(format) => Some(format),
            _ => None,
        }))
    }

    /// The distance that indices step from a base of type `source`.
    fn offset(&self, source: TypeId, indices: &[ConstId], depth: u32) -> Result<u64, String> {
        let module = &self.linked.program.modules[self.module];
        let (types, layout) = (&module.types, &module.layout);
        let mut ty = source;
        let mut offset = 0u64;
        for (position, &index) in indices.iter().enumerate() {
            let number = self.number(index, depth)?;
            let index = refrain_term::value::sign_extend_u64(
                number.words().first().copied().unwrap_or(0),
                number.width().min(64),
            ) as u64;
            if position == 0 {
                offset = index.wrapping_mul(layout.size(types, ty));
                continue;
            }
            match types.get(ty) {
                Type::Struct { fields, .. } => {
                    offset = offset.wrapping_add(layout.field_offset(types, ty, index as usize));
                    ty = *fields
                        .get(index as usize)
                        .ok_or("an index out of its structure")?;
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    offset = offset.wrapping_add(index.wrapping_mul(layout.size(types, *element)));
                    ty = *element;
                }
                _ => return Err("an index into a scalar".into()),
            }
        }
        Ok(offset)
    }

    /// Writes the bytes of a constant that are not zero to `out`, which takes them by their place in it.
    pub fn bytes(&self, id: ConstId, out: &mut dyn FnMut(u64, &[u8])) -> Result<(), String> {
        let module = &self.linked.program.modules[self.module];
        let (types, layout) = (&module.types, &module.layout);
        let mut work = vec![(id, 0u64)];
        while let Some((id, at)) = work.pop() {
            let constant = &module.constants[id.0 as usize];
            match &constant.kind {
                ConstKind::Zero | ConstKind::Undef | ConstKind::Poison => {}
                ConstKind::Data(bytes) => out(at, bytes),
                ConstKind::Aggregate(parts)
                    if !matches!(types.get(constant.ty), Type::Vector { .. }) =>
                {
                    let step = match types.get(constant.ty) {
                        Type::Array { element, .. } => Some(layout.size(types, *element)),
                        _ => None,
                    };
                    for (index, &part) in parts.iter().enumerate() {
                        let offset = step.map_or_else(
                            || layout.field_offset(types, constant.ty, index),
                            |step| step.saturating_mul(index as u64),
                        );
                        work.push((part, at.saturating_add(offset)));
                    }
                }
                _ => {
                    let shape = Shape::of(module, constant.ty)?;
                    let words = self.words(id)?;
                    write_words(&words, &shape, at, out);
                }
            }
        }
        Ok(())
    }
}

/// Calculates one number of others.
fn is_scalar_calculation(kind: &ConstKind) -> bool {
    match kind {
        ConstKind::Binary { .. } | ConstKind::Compare { .. } | ConstKind::Gep { .. } => true,
        ConstKind::Cast { op, .. } => !matches!(op, CastOp::Bitcast | CastOp::AddrSpaceCast),
        _ => false,
    }
}

fn read_word(bytes: &[u8], leaf: &Leaf) -> u64 {
    let at = leaf.offset as usize;
    let mut word = [0; 8];
    let len = (leaf.bytes() as usize).min(8);
    if let Some(part) = bytes.get(at..at + len) {
        word[..len].copy_from_slice(part);
    }
    u64::from_le_bytes(word)
}

fn write_words(words: &[u64], shape: &Shape, at: u64, out: &mut dyn FnMut(u64, &[u8])) {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    if shape.packed {
        let mut bytes = vec![0; shape.size as usize];
        for leaf in &shape.leaves {
            for bit in 0..leaf.bits as usize {
                let value = word(leaf.word as usize + bit / 64) >> (bit % 64) & 1;
                let place = leaf.offset as usize + bit;
                bytes[place / 8] |= (value as u8) << (place % 8);
            }
        }
        return out(at, &bytes);
    }
    for leaf in &shape.leaves {
        let bytes: Vec<u8> = (0..leaf.words())
            .flat_map(|index| word((leaf.word + index) as usize).to_le_bytes())
            .collect();
        out(
            at.saturating_add(leaf.offset),
            &bytes[..leaf.bytes() as usize],
        );
    }
}

/// The same bits in other scalars.
fn repack(words: &[u64], from: &Shape, to: &Shape) -> Vec<u64> {
    let mut result = vec![0u64; to.words as usize];
    let bits = from.leaves.iter().flat_map(|leaf| {
        (0..leaf.bits as usize).map(|bit| words[leaf.word as usize + bit / 64] >> (bit % 64) & 1)
    });
    let places = to.leaves.iter().flat_map(|leaf| {
        (0..leaf.bits as usize).map(|bit| (leaf.word as usize + bit / 64, bit % 64))
    });
    for (bit, (word, shift)) in bits.zip(places) {
        result[word] |= bit << shift;
    }
    result
}
