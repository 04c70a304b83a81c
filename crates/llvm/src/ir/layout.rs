//! Sizes and alignments: the data layout string and what follows from it.
//!
//! The machine is little-endian with pointers of 64 bits; another layout is refused when it is read.

use super::types::{Type, TypeId, Types};

/// In bytes: more is no alignment that any target asks for.
const MAX_ALIGN: u64 = 1 << 16;

/// The next multiple; sizes that no memory has saturate.
fn rounded(size: u64, align: u64) -> u64 {
    size.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// The part of a data layout string that sizes depend on.
#[derive(Clone, Debug)]
pub struct DataLayout {
    /// ABI alignment in bytes of integers, by width in bits, ascending.
    ints: Vec<(u32, u64)>,
    fp80_align: u64,
    fp128_align: u64,
    /// ABI alignment of vectors by width in bits.
    vectors: Vec<(u64, u64)>,
}

impl Default for DataLayout {
    fn default() -> DataLayout {
        DataLayout {
            ints: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 8)],
            fp80_align: 16,
            fp128_align: 16,
            vectors: vec![(64, 8), (128, 16)],
        }
    }
}

impl DataLayout {
    /// Reads a layout string. What it cannot be run with is the error.
    pub fn parse(text: &str) -> Result<DataLayout, String> {
        let mut layout = DataLayout::default();
        for part in text.split('-').filter(|part| !part.is_empty()) {
            let mut fields = part.split(':');
            let head = fields.next().unwrap_or_default();
            let numbers: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
            let (kind, rest) = head.split_at(
                head.find(|c: char| c.is_ascii_digit())
                    .unwrap_or(head.len()),
            );
            let align = |index: usize| {
                numbers
                    .get(index)
                    .map(|bits| (bits / 8).clamp(1, MAX_ALIGN))
            };
            match kind {
                "E" => return Err("a big-endian target".into()),
                "p" if rest.is_empty() || rest == "0" => match numbers.first() {
                    None | Some(64) => {}
                    Some(bits) => return Err(format!("pointers of {bits} bits")),
                },
                "i" => {
                    if let (Ok(bits), Some(align)) = (rest.parse::<u32>(), align(0)) {
                        layout.ints.retain(|&(known, _)| known != bits);
                        layout.ints.push((bits, align));
                        layout.ints.sort_unstable();
                    }
                }
                "f" => match (rest, align(0)) {
                    ("80", Some(align)) => layout.fp80_align = align,
                    ("128", Some(align)) => layout.fp128_align = align,
                    _ => {}
                },
                "v" => {
                    if let (Ok(bits), Some(align)) = (rest.parse::<u64>(), align(0)) {
                        layout.vectors.retain(|&(known, _)| known != bits);
                        layout.vectors.push((bits, align));
                    }
                }
                _ => {}
            }
        }
        Ok(layout)
    }

    fn int_align(&self, bits: u32) -> u64 {
        let fitting = self.ints.iter().find(|&&(known, _)| known >= bits);
        fitting.or(self.ints.last()).map_or(8, |&(_, align)| align)
    }

    /// ABI alignment in bytes.
    pub fn align(&self, types: &Types, ty: TypeId) -> u64 {
        match types.get(ty) {
            Type::Int(bits) => self.int_align(*bits),
            Type::Half | Type::BFloat => 2,
            Type::Float => 4,
            Type::Double | Type::Pointer { .. } | Type::X86Mmx => 8,
            Type::X86Fp80 => self.fp80_align,
            Type::Fp128 | Type::PpcFp128 => self.fp128_align,
            Type::Array { element, .. } => self.align(types, *element),
            Type::Vector { .. } => {
                let bits = self.bits(types, ty);
                let given = self.vectors.iter().find(|&&(known, _)| known == bits);
                given.map_or_else(
                    || bits.div_ceil(8).max(1).next_power_of_two(),
                    |&(_, align)| align,
                )
            }
            Type::Struct { packed: true, .. } => 1,
            Type::Struct { fields, .. } => fields
                .iter()
                .map(|&field| self.align(types, field))
                .max()
                .unwrap_or(1),
            _ => 1,
        }
    }

    /// How many bits a value holds (vectors are packed: `<8 x i1>` is 8).
    pub fn bits(&self, types: &Types, ty: TypeId) -> u64 {
        match types.get(ty) {
            Type::Int(bits) => u64::from(*bits),
            Type::Half | Type::BFloat => 16,
            Type::Float => 32,
            Type::Double | Type::Pointer { .. } | Type::X86Mmx => 64,
            Type::X86Fp80 => 80,
            Type::Fp128 | Type::PpcFp128 => 128,
            Type::Vector { element, len, .. } => self.bits(types, *element).saturating_mul(*len),
            Type::Struct { .. } | Type::Array { .. } => self.size(types, ty).saturating_mul(8),
            _ => 0,
        }
    }

    /// How many bytes a store of the type writes.
    pub fn store_size(&self, types: &Types, ty: TypeId) -> u64 {
        match types.get(ty) {
            Type::Struct { .. } | Type::Array { .. } => self.size(types, ty),
            _ => self.bits(types, ty).div_ceil(8),
        }
    }

    /// The distance between two elements of an array of the type.
    pub fn size(&self, types: &Types, ty: TypeId) -> u64 {
        match types.get(ty) {
            Type::Array { element, len } => self.size(types, *element).saturating_mul(*len),
            Type::Struct { fields, .. } => {
                let end = self.field_offset(types, ty, fields.len());
                rounded(end, self.align(types, ty))
            }
            _ => rounded(self.store_size(types, ty), self.align(types, ty)),
        }
    }

    /// Where a field of a structure starts; for the number of fields, where the last one ends.
    pub fn field_offset(&self, types: &Types, ty: TypeId, index: usize) -> u64 {
        let Type::Struct { fields, packed, .. } = types.get(ty) else {
            return 0;
        };
        let mut offset = 0u64;
        for (position, &field) in fields.iter().enumerate() {
            if !packed {
                offset = offset.saturating_add(self.align(types, field) - 1)
                    / self.align(types, field)
                    * self.align(types, field);
            }
            if position == index {
                return offset;
            }
            offset = offset.saturating_add(self.size(types, field));
        }
        offset
    }
}
