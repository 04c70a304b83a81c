//! The type table, and the few types that instructions have without the table saying so.

use rustc_hash::FxHashMap;

use super::bitstream::Record;
use super::codes::{block, ty as code};
use super::module::{Reader, text};
use super::{ReadError, Result};
use crate::ir::{Type, TypeId, Types};

/// The widest integer of the language.
const MAX_INT_BITS: u64 = 1 << 23;
const MAX_VECTOR: u64 = 1 << 16;
/// How deep a type may nest, and how many steps it may take to lay it out, which is done by recursion.
const MAX_TYPE_DEPTH: u32 = 256;
const MAX_TYPE_STEPS: u64 = 1 << 24;

/// Types by what they are made of.
#[derive(Default)]
pub(super) struct Interned {
    pointers: FxHashMap<(Option<TypeId>, u32), TypeId>,
    vectors: FxHashMap<(TypeId, u64, bool), TypeId>,
    pairs: FxHashMap<(TypeId, TypeId), TypeId>,
    bit: Option<TypeId>,
    token: Option<TypeId>,
}

impl Reader<'_> {
    /// The type that a record names.
    pub fn ty(&self, id: u64) -> Result<TypeId> {
        match u32::try_from(id) {
            Ok(id) if (id as usize) < self.module.types.len() => Ok(TypeId(id)),
            _ => Err(self.bad(format!("no type {id}"))),
        }
    }

    pub fn read_types(&mut self) -> Result<()> {
        if !self.module.types.is_empty() {
            return Err(self.bad("a second table of types"));
        }
        let mut name = String::new();
        self.records(block::TYPE, |reader, record| {
            reader.read_type(record, &mut name)
        })?;
        check_types(&self.module.types).map_err(|what| ReadError::Invalid {
            file: self.module.name.clone(),
            what,
        })?;
        self.index_types();
        Ok(())
    }

    fn read_type(&mut self, record: &Record, name: &mut String) -> Result<()> {
        let ops = &record.ops;
        let op = |index: usize| {
            ops.get(index)
                .copied()
                .ok_or_else(|| self.bad("too few operands"))
        };
        // Types may name others that come later, so their numbers are checked when all are there.
        let id = |index: usize| -> Result<TypeId> {
            let id = op(index)?;
            u32::try_from(id)
                .map(TypeId)
                .map_err(|_| self.bad(format!("no type {id}")))
        };
        let ids = |from: usize| -> Result<Vec<TypeId>> { (from..ops.len()).map(id).collect() };
        let ty = match record.code {
            code::NUMENTRY => return Ok(()),
            code::STRUCT_NAME => {
                *name = text(ops);
                return Ok(());
            }
            code::VOID => Type::Void,
            code::HALF => Type::Half,
            code::BFLOAT => Type::BFloat,
            code::FLOAT => Type::Float,
            code::DOUBLE => Type::Double,
            code::X86_FP80 => Type::X86Fp80,
            code::FP128 => Type::Fp128,
            code::PPC_FP128 => Type::PpcFp128,
            code::LABEL => Type::Label,
            code::METADATA => Type::Metadata,
            code::TOKEN => Type::Token,
            code::X86_MMX => Type::X86Mmx,
            code::X86_AMX => Type::X86Amx,
            code::INTEGER | code::BYTE => match op(0)? {
                bits @ 1..=MAX_INT_BITS => Type::Int(bits as u32),
                bits => return Err(self.bad(format!("an integer of {bits} bits"))),
            },
            code::POINTER => Type::Pointer {
                pointee: Some(id(0)?),
                space: ops.get(1).map_or(0, |&space| space as u32),
            },
            code::OPAQUE_POINTER => Type::Pointer {
                pointee: None,
                space: op(0)? as u32,
            },
            code::STRUCT_ANON => Type::Struct {
                name: None,
                fields: ids(1)?,
                packed: op(0)? != 0,
            },
            code::STRUCT_NAMED => Type::Struct {
                fields: ids(1)?,
                packed: op(0)? != 0,
                name: Some(std::mem::take(name)),
            },
            code::OPAQUE => Type::Opaque {
                name: std::mem::take(name),
            },
            code::TARGET => Type::TargetExt {
                name: std::mem::take(name),
            },
            code::ARRAY => Type::Array {
                len: op(0)?,
                element: id(1)?,
            },
            code::VECTOR => match op(0)? {
                len @ 1..=MAX_VECTOR => Type::Vector {
                    len,
                    element: id(1)?,
                    scalable: ops.get(2).is_some_and(|&scalable| scalable != 0),
                },
                len => return Err(self.bad(format!("a vector of {len} elements"))),
            },
            code::FUNCTION => Type::Function {
                variadic: op(0)? != 0,
                result: id(1)?,
                params: ids(2)?,
            },
            code::FUNCTION_OLD => Type::Function {
                variadic: op(0)? != 0,
                result: id(2)?,
                params: ids(3)?,
            },
            _ => return Err(self.bad("an unknown kind of type")),
        };
        self.module.types.push(ty);
        Ok(())
    }

    fn index_types(&mut self) {
        let mut any_opaque = false;
        let mut any_typed = false;
        for index in 0..self.module.types.len() as u32 {
            let id = TypeId(index);
            match self.module.types.get(id) {
                Type::Pointer { pointee, space } => {
                    any_opaque |= pointee.is_none();
                    any_typed |= pointee.is_some();
                    self.interned
                        .pointers
                        .entry((*pointee, *space))
                        .or_insert(id);
                }
                Type::Vector {
                    element,
                    len,
                    scalable,
                } => {
                    self.interned
                        .vectors
                        .entry((*element, *len, *scalable))
                        .or_insert(id);
                }
                Type::Struct {
                    name: None,
                    fields,
                    packed: false,
                } => {
                    if let [first, second] = fields[..] {
                        self.interned.pairs.entry((first, second)).or_insert(id);
                    }
                }
                Type::Int(1) => self.interned.bit = self.interned.bit.or(Some(id)),
                Type::Token => self.interned.token = self.interned.token.or(Some(id)),
                _ => {}
            }
        }
        self.typed_pointers = any_typed && !any_opaque;
    }

    /// The type of a pointer to something.
    pub fn pointer_to(&mut self, pointee: TypeId, space: u32) -> TypeId {
        let pointee = self.typed_pointers.then_some(pointee);
        let types = &mut self.module.types;
        let entry = self.interned.pointers.entry((pointee, space));
        *entry.or_insert_with(|| types.push(Type::Pointer { pointee, space }))
    }

    pub fn vector_of(&mut self, element: TypeId, len: u64, scalable: bool) -> TypeId {
        let types = &mut self.module.types;
        let entry = self.interned.vectors.entry((element, len, scalable));
        *entry.or_insert_with(|| {
            types.push(Type::Vector {
                element,
                len,
                scalable,
            })
        })
    }

    pub fn pair_of(&mut self, first: TypeId, second: TypeId) -> TypeId {
        let types = &mut self.module.types;
        let entry = self.interned.pairs.entry((first, second));
        *entry.or_insert_with(|| {
            types.push(Type::Struct {
                name: None,
                fields: vec![first, second],
                packed: false,
            })
        })
    }

    pub fn bit(&mut self) -> TypeId {
        let types = &mut self.module.types;
        *self
            .interned
            .bit
            .get_or_insert_with(|| types.push(Type::Int(1)))
    }

    pub fn token(&mut self) -> TypeId {
        let types = &mut self.module.types;
        *self
            .interned
            .token
            .get_or_insert_with(|| types.push(Type::Token))
    }

    /// The pointee of a typed pointer, or of a vector of them: what records of old left unsaid.
    pub fn pointee(&self, pointer: TypeId) -> Result<TypeId> {
        let types = &self.module.types;
        let scalar = match types.get(pointer) {
            Type::Vector { element, .. } => *element,
            _ => pointer,
        };
        match types.get(scalar) {
            Type::Pointer {
                pointee: Some(pointee),
                ..
            } => Ok(*pointee),
            _ => Err(self.bad("nothing says what is pointed to")),
        }
    }
}

/// The types that a value of a type holds within itself.
fn parts(ty: &Type) -> &[TypeId] {
    match ty {
        Type::Struct { fields, .. } => fields,
        Type::Array { element, .. } | Type::Vector { element, .. } => std::slice::from_ref(element),
        _ => &[],
    }
}

/// Whether a value of the type can be in memory or in a register.
pub(super) fn is_value(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::Function { .. })
}

fn check_types(types: &Types) -> std::result::Result<(), String> {
    let count = types.len();
    let get = |id: TypeId| {
        types
            .find(id)
            .ok_or_else(|| format!("there is no type {}", id.0))
    };
    for index in 0..count {
        let ty = types.get(TypeId(index as u32));
        for &part in parts(ty) {
            let part = get(part)?;
            if !is_value(part) || matches!(part, Type::Label | Type::Metadata) {
                return Err(format!(
                    "type {index} is made of something that is no value"
                ));
            }
        }
        match ty {
            Type::Vector { element, .. } => {
                let is_number =
                    matches!(types.get(*element), Type::Int(_)) || types.is_float(*element);
                if !is_number && !types.is_pointer(*element) {
                    return Err(format!("type {index} is a vector of aggregates"));
                }
            }
            Type::Pointer {
                pointee: Some(pointee),
                ..
            } => {
                get(*pointee)?;
            }
            Type::Function { result, params, .. } => {
                if matches!(get(*result)?, Type::Function { .. } | Type::Label) {
                    return Err(format!("type {index} is of functions that return no value"));
                }
                for &param in params {
                    if !is_value(get(param)?) {
                        return Err(format!(
                            "type {index} is of functions that take what is no value"
                        ));
                    }
                }
            }
            _ => {}
        }
    }
    check_nesting(types)
}

/// A structure that contains itself has no size, and one that nests too deep none worth computing.
fn check_nesting(types: &Types) -> std::result::Result<(), String> {
    #[derive(Clone, Copy)]
    enum Seen {
        Not,
        Open,
        Done { depth: u32, parts: u64, steps: u64 },
    }
    let mut seen = vec![Seen::Not; types.len()];
    let mut stack: Vec<(TypeId, usize)> = Vec::new();
    for root in 0..types.len() as u32 {
        if !matches!(seen[root as usize], Seen::Not) {
            continue;
        }
        seen[root as usize] = Seen::Open;
        stack.push((TypeId(root), 0));
        while let Some((id, next)) = stack.last_mut() {
            let id = *id;
            let parts = parts(types.get(id));
            if let Some(&part) = parts.get(*next) {
                *next += 1;
                match seen[part.0 as usize] {
                    Seen::Done { .. } => {}
                    Seen::Open => return Err(format!("type {} contains itself", part.0)),
                    Seen::Not => {
                        seen[part.0 as usize] = Seen::Open;
                        stack.push((part, 0));
                    }
                }
                continue;
            }
            let mut depth = 0;
            let mut count = 1u64;
            let mut work = 1u64;
            for part in parts {
                if let Seen::Done {
                    depth: inner,
                    parts,
                    steps,
                } = seen[part.0 as usize]
                {
                    depth = depth.max(inner + 1);
                    count = count.saturating_add(parts);
                    // The alignment of a part is asked for several times, and looks at all of its parts.
                    work = work
                        .saturating_add(steps)
                        .saturating_add(parts.saturating_mul(4));
                }
            }
            if depth > MAX_TYPE_DEPTH || work > MAX_TYPE_STEPS {
                return Err(format!("type {} is nested beyond reason", id.0));
            }
            seen[id.0 as usize] = Seen::Done {
                depth,
                parts: count,
                steps: work,
            };
            stack.pop();
        }
    }
    Ok(())
}
