//! How a type's values lie in slots and in memory.

use crate::code::Format;
use crate::ir::{Module, Type, TypeId};

/// A value wider than this many slots is not held in registers.
pub const MOST_WORDS: u64 = 1 << 14;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Int,
    Pointer,
    Float(Format),
}

/// One scalar of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub class: Class,
    pub bits: u32,
    /// The first of its slots; one for every 64 bits.
    pub word: u32,
    /// Where it lies in memory, in bytes; in bits within a packed vector.
    pub offset: u64,
}

impl Leaf {
    pub fn words(&self) -> u32 {
        self.bits.div_ceil(64).max(1)
    }

    pub fn bytes(&self) -> u32 {
        self.bits.div_ceil(8)
    }
}

/// A type as scalars.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub leaves: Vec<Leaf>,
    pub words: u32,
    /// A vector of elements that are not whole bytes: bits side by side in memory.
    pub packed: bool,
    /// Has such a vector as a part: it has a place in slots, but none in memory that is told here.
    pub has_packed: bool,
    /// Bytes a store writes.
    pub size: u64,
}

impl Shape {
    /// The shape of a type; what is too big for slots is the error.
    pub fn of(module: &Module, ty: TypeId) -> Result<Shape, String> {
        let mut shape = Shape {
            size: module.layout.store_size(&module.types, ty),
            ..Shape::default()
        };
        if let Type::Vector { element, .. } = module.types.get(ty) {
            shape.packed = !module
                .layout
                .bits(&module.types, *element)
                .is_multiple_of(8);
        }
        shape.add(module, ty, 0)?;
        Ok(shape)
    }

    fn add(&mut self, module: &Module, ty: TypeId, offset: u64) -> Result<(), String> {
        let (types, layout) = (&module.types, &module.layout);
        let format = match types.get(ty) {
            Type::Half => Some(Format::Half),
            Type::BFloat => Some(Format::BFloat),
            Type::Float => Some(Format::Single),
            Type::Double => Some(Format::Double),
            Type::X86Fp80 => Some(Format::X87),
            Type::Fp128 => Some(Format::Quad),
            _ => None,
        };
        if let Some(format) = format {
            return self.leaf(Class::Float(format), format.bits(), offset);
        }
        match types.get(ty) {
            Type::Int(bits) => self.leaf(Class::Int, *bits, offset),
            Type::Pointer { .. } => self.leaf(Class::Pointer, 64, offset),
            Type::X86Mmx => self.leaf(Class::Int, 64, offset),
            Type::Array { element, len } => {
                let step = layout.size(types, *element);
                self.repeat(module, *element, *len, offset, step)
            }
            Type::Vector { scalable: true, .. } => Err("a vector of unknown length".into()),
            Type::Vector { element, len, .. } => {
                let bits = layout.bits(types, *element);
                self.has_packed |= !self.packed && !bits.is_multiple_of(8);
                let step = if self.packed { bits } else { bits / 8 };
                self.repeat(module, *element, *len, offset, step)
            }
            Type::Struct { fields, .. } => {
                for (index, &field) in fields.iter().enumerate() {
                    self.add(
                        module,
                        field,
                        offset + layout.field_offset(types, ty, index),
                    )?;
                }
                Ok(())
            }
            Type::Void | Type::Metadata | Type::Token | Type::Label => Ok(()),
            other => Err(format!("values of type {other:?}")),
        }
    }

    fn repeat(
        &mut self,
        module: &Module,
        element: TypeId,
        len: u64,
        offset: u64,
        step: u64,
    ) -> Result<(), String> {
        let before = self.leaves.len();
        if len > MOST_WORDS {
            return Err(format!("a value of {len} elements in a register"));
        }
        for index in 0..len {
            self.add(module, element, offset + index * step)?;
            if self.leaves.len() == before {
                // The element has no words, nor have the others.
                break;
            }
        }
        Ok(())
    }

    fn leaf(&mut self, class: Class, bits: u32, offset: u64) -> Result<(), String> {
        let leaf = Leaf {
            class,
            bits,
            word: self.words,
            offset,
        };
        self.words += leaf.words();
        self.leaves.push(leaf);
        if u64::from(self.words) > MOST_WORDS {
            return Err(format!("a value of over {MOST_WORDS} words in a register"));
        }
        Ok(())
    }

    /// The bits of each word.
    pub fn word_bits(&self) -> impl Iterator<Item = u32> {
        self.leaves
            .iter()
            .flat_map(|leaf| (0..leaf.words()).map(|word| (leaf.bits - 64 * word).min(64)))
    }

    /// Where each word lies in memory, and how many bytes it has there.
    pub fn word_layout(&self) -> Vec<(u64, u32)> {
        let words = self.leaves.iter().flat_map(|leaf| {
            (0..leaf.words()).map(move |word| {
                let bits = (leaf.bits - 64 * word).min(64);
                (leaf.offset + 8 * u64::from(word), bits.div_ceil(8))
            })
        });
        words.collect()
    }

    /// The single scalar that the type is.
    pub fn scalar(&self) -> Option<Leaf> {
        match self.leaves[..] {
            [leaf] => Some(leaf),
            _ => None,
        }
    }
}

/// The type at a path into an aggregate and how many slots lie before it.
pub fn at_path(module: &Module, mut ty: TypeId, path: &[u32]) -> Result<(TypeId, u32), String> {
    let mut before = 0;
    for &index in path {
        match module.types.get(ty) {
            Type::Struct { fields, .. } => {
                for &field in fields.get(..index as usize).unwrap_or(&[]) {
                    before += Shape::of(module, field)?.words;
                }
                ty = *fields
                    .get(index as usize)
                    .ok_or("a path out of its structure")?;
            }
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                let words = u64::from(Shape::of(module, *element)?.words) * u64::from(index);
                before += u32::try_from(words)
                    .ok()
                    .filter(|&words| u64::from(words) <= MOST_WORDS)
                    .ok_or("a path into a value too big for registers")?;
                ty = *element;
            }
            _ => return Err("a path into a scalar".into()),
        }
    }
    Ok((ty, before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_elements_have_no_words() {
        let mut module = Module::default();
        let mut ty = module.types.push(Type::Struct {
            name: None,
            fields: Vec::new(),
            packed: false,
        });
        for _ in 0..20 {
            ty = module.types.push(Type::Array {
                element: ty,
                len: MOST_WORDS,
            });
        }
        let shape = Shape::of(&module, ty).unwrap();
        assert_eq!((shape.words, shape.leaves.len()), (0, 0));
    }

    #[test]
    fn a_path_into_what_is_too_big_is_an_error() {
        let mut module = Module::default();
        let word = module.types.push(Type::Int(64));
        let inner = module.types.push(Type::Array {
            element: word,
            len: 1 << 10,
        });
        let outer = module.types.push(Type::Array {
            element: inner,
            len: 1 << 32,
        });
        assert!(Shape::of(&module, outer).is_err());
        assert!(at_path(&module, outer, &[u32::MAX]).is_err());
        assert_eq!(at_path(&module, inner, &[7]), Ok((word, 7)));
    }
}
