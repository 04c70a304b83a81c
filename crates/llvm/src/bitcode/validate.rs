//! Checks a module for all that lowering relies on: types, constants and symbols here, bodies in `validate_body`.
//!
//! Whatever a compiler writes passes. What does not is an error rather than a surprise while it runs.

use super::validate_body;
use crate::ir::{
    BinaryOp, CastOp, ConstId, ConstKind, Constant, Module, SymbolKind, Type, TypeId, Types,
};

/// Constants nest in each other and are evaluated by recursion.
const MAX_CONSTANT_DEPTH: u32 = 512;
/// How many parts a constant may have when all are spelled out.
const MAX_CONSTANT_PARTS: u64 = 1 << 24;
/// The same of a calculation, which is made again wherever it is used.
const MAX_CALCULATION_PARTS: u64 = 1 << 16;

pub(super) type Check = Result<(), String>;

/// What is wrong, where a condition does not hold.
pub(super) fn ensure(condition: bool, what: &str) -> Check {
    if condition {
        Ok(())
    } else {
        Err(what.to_string())
    }
}

/// Types of one table that are the same to the machine: typed pointers differ in name only.
pub(super) fn same_type(types: &Types, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Type::Pointer { .. }, Type::Pointer { .. }) => true,
        (
            Type::Vector { element, len, .. },
            Type::Vector {
                element: other,
                len: other_len,
                ..
            },
        ) => len == other_len && same_type(types, *element, *other),
        // Structures are told apart by their ids; what is left is cheap to compare.
        (Type::Struct { .. } | Type::Array { .. } | Type::Function { .. }, _) => false,
        (a, b) => a == b,
    }
}

/// The element where it is a vector, and how many.
pub(super) fn scalar(types: &Types, ty: TypeId) -> (TypeId, Option<u64>) {
    match types.get(ty) {
        Type::Vector { element, len, .. } => (*element, Some(*len)),
        _ => (ty, None),
    }
}

pub(super) fn is_int(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Int(_))
}

/// A field's number, as an index of a structure says it.
pub(super) fn field_index(module: &Module, id: ConstId) -> Option<usize> {
    let element = |id: ConstId| match &module.constants[id.0 as usize].kind {
        ConstKind::Int(index) => usize::try_from(*index).ok(),
        ConstKind::Zero => Some(0),
        _ => None,
    };
    match &module.constants[id.0 as usize].kind {
        // A vector of pointers is indexed by a vector of equal numbers.
        ConstKind::Aggregate(elements) => elements.first().copied().and_then(element),
        ConstKind::Data(bytes) => bytes
            .first_chunk()
            .map(|bytes| u32::from_le_bytes(*bytes) as usize),
        _ => element(id),
    }
}

/// A module and what has been found out about it.
pub(super) struct Checker<'m> {
    pub module: &'m Module,
    /// By type.
    sized: Vec<bool>,
}

pub(super) fn check(module: &Module) -> Check {
    let checker = Checker {
        module,
        sized: sized_types(&module.types),
    };
    checker.check_nesting()?;
    for (index, constant) in module.constants.iter().enumerate() {
        checker
            .check_constant(constant)
            .map_err(|what| format!("constant {index}: {what}"))?;
    }
    for symbol in &module.symbols {
        checker
            .check_symbol(&symbol.kind)
            .map_err(|what| format!("`{}`: {what}", symbol.name))?;
    }
    Ok(())
}

fn sized_types(types: &Types) -> Vec<bool> {
    // Types nest to a bounded depth (the table was checked), so this ends after as many rounds.
    let mut sized: Vec<bool> = (0..types.len())
        .map(|index| {
            !matches!(
                types.get(TypeId(index as u32)),
                Type::Void
                    | Type::Label
                    | Type::Metadata
                    | Type::Token
                    | Type::Opaque { .. }
                    | Type::Function { .. }
                    | Type::TargetExt { .. }
            )
        })
        .collect();
    loop {
        let mut changed = false;
        for index in 0..types.len() {
            let holds = match types.get(TypeId(index as u32)) {
                Type::Struct { fields, .. } => fields.iter().all(|field| sized[field.0 as usize]),
                Type::Array { element, .. } => sized[element.0 as usize],
                _ => continue,
            };
            if sized[index] && !holds {
                sized[index] = false;
                changed = true;
            }
        }
        if !changed {
            return sized;
        }
    }
}

impl Checker<'_> {
    pub fn types(&self) -> &Types {
        &self.module.types
    }

    pub fn is_sized(&self, ty: TypeId) -> bool {
        self.sized[ty.0 as usize]
    }

    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        same_type(self.types(), a, b)
    }

    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.module.constants[id.0 as usize]
    }

    /// No constant is made of itself, nor of too much.
    fn check_nesting(&self) -> Check {
        #[derive(Clone, Copy)]
        enum Seen {
            Not,
            Open,
            Done { depth: u32, count: u64 },
        }
        let constants = &self.module.constants;
        let mut seen = vec![Seen::Not; constants.len()];
        let mut stack: Vec<(usize, Vec<ConstId>, usize)> = Vec::new();
        for root in 0..constants.len() {
            if !matches!(seen[root], Seen::Not) {
                continue;
            }
            seen[root] = Seen::Open;
            stack.push((root, constants[root].kind.operands(), 0));
            while let Some((index, operands_here, next)) = stack.last_mut() {
                if let Some(operand) = operands_here.get(*next) {
                    *next += 1;
                    let operand = operand.0 as usize;
                    match seen.get(operand) {
                        None => return Err(format!("there is no constant {operand}")),
                        Some(Seen::Done { .. }) => {}
                        Some(Seen::Open) => {
                            return Err(format!("constant {operand} is made of itself"));
                        }
                        Some(Seen::Not) => {
                            seen[operand] = Seen::Open;
                            stack.push((operand, constants[operand].kind.operands(), 0));
                        }
                    }
                    continue;
                }
                let mut depth = 0;
                let mut count = 1u64;
                for operand in operands_here.iter() {
                    if let Seen::Done {
                        depth: inner,
                        count: inner_count,
                    } = seen[operand.0 as usize]
                    {
                        depth = depth.max(inner + 1);
                        count = count.saturating_add(inner_count);
                    }
                }
                let most = match constants[*index].kind {
                    ConstKind::Aggregate(_) => MAX_CONSTANT_PARTS,
                    _ => MAX_CALCULATION_PARTS,
                };
                if depth > MAX_CONSTANT_DEPTH || count > most {
                    return Err(format!("constant {index} is nested beyond reason"));
                }
                seen[*index] = Seen::Done { depth, count };
                stack.pop();
            }
        }
        Ok(())
    }

    fn check_constant(&self, constant: &Constant) -> Check {
        let types = self.types();
        let ty = constant.ty;
        let of = |id: &ConstId| self.constant(*id).ty;
        match &constant.kind {
            ConstKind::Zero => ensure(
                self.is_sized(ty) || matches!(types.get(ty), Type::Token | Type::TargetExt { .. }),
                "zero of a type without a size",
            ),
            ConstKind::Undef | ConstKind::Poison => Ok(()),
            ConstKind::Int(_) => ensure(
                matches!(types.get(ty), Type::Int(1..=64)),
                "not of an integer type",
            ),
            ConstKind::Wide(words) => ensure(
                matches!(types.get(ty), Type::Int(bits) if *bits > 64 && words.len() == bits.div_ceil(64) as usize),
                "not of a wide integer type",
            ),
            ConstKind::Float(_) => ensure(types.is_float(ty), "not of a floating-point type"),
            ConstKind::Data(bytes) => {
                let (element, len) = match types.get(ty) {
                    Type::Array { element, len } | Type::Vector { element, len, .. } => {
                        (*element, *len)
                    }
                    _ => return Err("data of a type that is no sequence".into()),
                };
                ensure(
                    is_int(types, element) || types.is_float(element),
                    "data of no numbers",
                )?;
                let size = self.module.layout.bits(types, element);
                ensure(
                    matches!(size, 8 | 16 | 32 | 64),
                    "data of numbers of odd sizes",
                )?;
                ensure(
                    len.checked_mul(size / 8) == Some(bytes.len() as u64),
                    "more or less data than its type has",
                )
            }
            ConstKind::Aggregate(elements) => {
                let matches = match types.get(ty) {
                    Type::Struct { fields, .. } => {
                        fields.len() == elements.len()
                            && fields
                                .iter()
                                .zip(elements)
                                .all(|(&field, id)| self.same(field, of(id)))
                    }
                    Type::Array { element, len } | Type::Vector { element, len, .. } => {
                        *len == elements.len() as u64
                            && elements.iter().all(|id| self.same(*element, of(id)))
                    }
                    _ => false,
                };
                ensure(matches, "elements that do not fit its type")
            }
            ConstKind::Symbol(symbol) => ensure(
                types.is_pointer(ty) && (symbol.0 as usize) < self.module.symbols.len(),
                "the address of no symbol",
            ),
            ConstKind::BlockAddress { function, block } => {
                let body = match &self.module.symbols[function.0 as usize].kind {
                    SymbolKind::Function(function) => function.body.as_ref(),
                    _ => None,
                };
                let exists = body.is_some_and(|body| (block.0 as usize) < body.blocks.len());
                ensure(types.is_pointer(ty) && exists, "the address of no block")
            }
            ConstKind::Cast { op, value } => self.check_cast(*op, of(value), ty),
            ConstKind::Binary { op, a, b } => self.check_binary(*op, of(a), of(b), ty),
            ConstKind::Compare { a, b, .. } => self.check_compare(of(a), of(b), ty, false),
            ConstKind::FCompare { a, b, .. } => self.check_compare(of(a), of(b), ty, true),
            ConstKind::Select {
                condition,
                then,
                other,
            } => self.check_select(of(condition), of(then), of(other), ty),
            ConstKind::Gep {
                source,
                base,
                indices,
            } => self.check_gep(
                *source,
                of(base),
                indices.iter().map(|id| (of(id), Some(*id))),
                ty,
            ),
            ConstKind::ExtractElement { vector, index } => {
                let (element, len) = scalar(types, of(vector));
                ensure(
                    len.is_some() && self.same(element, ty) && is_int(types, of(index)),
                    "an odd element",
                )
            }
            ConstKind::InsertElement {
                vector,
                value,
                index,
            } => {
                let (element, len) = scalar(types, of(vector));
                let fits =
                    len.is_some() && self.same(element, of(value)) && self.same(of(vector), ty);
                ensure(fits && is_int(types, of(index)), "an odd element")
            }
            ConstKind::Shuffle { a, b, mask } => self.check_shuffle(of(a), of(b), mask, ty),
            ConstKind::InlineAsm(_) => ensure(types.is_pointer(ty), "assembly that is no pointer"),
        }
    }

    pub fn check_cast(&self, op: CastOp, from: TypeId, to: TypeId) -> Check {
        let types = self.types();
        let layout = &self.module.layout;
        if op == CastOp::Bitcast {
            let plain = |ty| {
                let (ty, _) = scalar(types, ty);
                is_int(types, ty)
                    || types.is_float(ty)
                    || types.is_pointer(ty)
                    || matches!(types.get(ty), Type::X86Mmx | Type::X86Amx)
            };
            return ensure(
                plain(from) && plain(to) && layout.bits(types, from) == layout.bits(types, to),
                "a bitcast between types of different sizes",
            );
        }
        let ((a, a_len), (b, b_len)) = (scalar(types, from), scalar(types, to));
        let int = |ty| is_int(types, ty);
        let float = |ty| types.is_float(ty);
        let pointer = |ty| types.is_pointer(ty);
        let (a_bits, b_bits) = if (int(a) || float(a)) && (int(b) || float(b)) {
            (layout.bits(types, a), layout.bits(types, b))
        } else {
            (0, 0)
        };
        let fits = match op {
            CastOp::Trunc => int(a) && int(b) && a_bits > b_bits,
            CastOp::ZExt | CastOp::SExt => int(a) && int(b) && a_bits < b_bits,
            CastOp::FpToUi | CastOp::FpToSi => float(a) && int(b),
            CastOp::UiToFp | CastOp::SiToFp => int(a) && float(b),
            CastOp::FpTrunc => float(a) && float(b) && a_bits > b_bits,
            CastOp::FpExt => float(a) && float(b) && a_bits < b_bits,
            CastOp::PtrToInt => pointer(a) && int(b),
            CastOp::IntToPtr => int(a) && pointer(b),
            CastOp::AddrSpaceCast => pointer(a) && pointer(b),
            CastOp::Bitcast => true,
        };
        ensure(
            fits && a_len == b_len,
            "a cast between types that it does not fit",
        )
    }

    pub fn check_binary(&self, op: BinaryOp, a: TypeId, b: TypeId, result: TypeId) -> Check {
        ensure(
            self.same(a, b) && self.same(a, result),
            "operands of different types",
        )?;
        let (element, _) = scalar(self.types(), a);
        let float = matches!(
            op,
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem
        );
        let fits = if float {
            self.types().is_float(element)
        } else {
            is_int(self.types(), element)
        };
        ensure(fits, "an operation on a type that it does not fit")
    }

    pub fn check_compare(&self, a: TypeId, b: TypeId, result: TypeId, float: bool) -> Check {
        let types = self.types();
        ensure(self.same(a, b), "a comparison of different types")?;
        let (element, len) = scalar(types, a);
        let fits = if float {
            types.is_float(element)
        } else {
            is_int(types, element) || types.is_pointer(element)
        };
        ensure(fits, "a comparison of what cannot be compared")?;
        self.check_bits(result, len, "a comparison whose result is no truth value")
    }

    /// That a type is one bit, or as many as said.
    pub fn check_bits(&self, ty: TypeId, lanes: Option<u64>, what: &str) -> Check {
        let (element, len) = scalar(self.types(), ty);
        ensure(
            matches!(self.types().get(element), Type::Int(1)) && len == lanes,
            what,
        )
    }

    pub fn check_select(
        &self,
        condition: TypeId,
        then: TypeId,
        other: TypeId,
        result: TypeId,
    ) -> Check {
        ensure(
            self.same(then, other) && self.same(then, result),
            "a choice between different types",
        )?;
        let (_, lanes) = scalar(self.types(), condition);
        self.check_bits(condition, lanes, "a choice by no truth value")?;
        ensure(
            lanes.is_none() || scalar(self.types(), then).1 == lanes,
            "a choice by more or fewer truth values than there are elements",
        )
    }

    pub fn check_shuffle(&self, a: TypeId, b: TypeId, mask: &[i32], result: TypeId) -> Check {
        let (element, Some(len)) = scalar(self.types(), a) else {
            return Err("a shuffle of no vectors".into());
        };
        let (result_element, result_len) = scalar(self.types(), result);
        let fits = self.same(a, b)
            && self.same(element, result_element)
            && result_len == Some(mask.len() as u64);
        ensure(fits, "a shuffle of vectors that do not fit")?;
        let in_range = |&index: &i32| index == -1 || (index >= 0 && (index as u64) < 2 * len);
        ensure(
            mask.iter().all(in_range),
            "a shuffle of elements that do not exist",
        )
    }

    pub fn check_gep(
        &self,
        source: TypeId,
        base: TypeId,
        indices: impl Iterator<Item = (TypeId, Option<ConstId>)>,
        result: TypeId,
    ) -> Check {
        let types = self.types();
        let (pointer, mut lanes) = scalar(types, base);
        ensure(types.is_pointer(pointer), "an address of no pointer")?;
        ensure(self.is_sized(source), "steps over a type without a size")?;
        let mut ty = None;
        for (index_ty, index) in indices {
            let (element, len) = scalar(types, index_ty);
            ensure(is_int(types, element), "an index that is no integer")?;
            ensure(
                lanes.is_none() || len.is_none() || lanes == len,
                "indices of different lengths",
            )?;
            lanes = lanes.or(len);
            // The first steps over the whole type.
            let Some(outer) = ty else {
                ty = Some(source);
                continue;
            };
            let inner = match types.get(outer) {
                Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
                Type::Struct { fields, .. } => {
                    let index = index.and_then(|index| field_index(self.module, index));
                    index.and_then(|index| fields.get(index)).copied()
                }
                _ => None,
            };
            ty = Some(inner.ok_or("an index that leads nowhere")?);
        }
        let (result_pointer, result_lanes) = scalar(types, result);
        ensure(
            types.is_pointer(result_pointer) && result_lanes == lanes,
            "an address that is no pointer",
        )
    }

    fn check_symbol(&self, kind: &SymbolKind) -> Check {
        let types = self.types();
        match kind {
            SymbolKind::Variable(variable) => {
                let Some(initializer) = variable.initializer else {
                    return Ok(());
                };
                ensure(
                    self.is_sized(variable.ty),
                    "a variable of a type without a size",
                )?;
                let ty = self.constant(initializer).ty;
                ensure(
                    self.same(ty, variable.ty),
                    "an initial value of another type",
                )
            }
            SymbolKind::Alias(target) | SymbolKind::Ifunc(target) => ensure(
                types.is_pointer(self.constant(*target).ty),
                "another name for what has no address",
            ),
            SymbolKind::Function(function) => {
                for attrs in &function.params {
                    if let Some(ty) = attrs.by_value {
                        ensure(self.is_sized(ty), "a parameter by value without a size")?;
                    }
                }
                if let Some(personality) = function.personality {
                    ensure(
                        types.is_pointer(self.constant(personality).ty),
                        "a personality that is no function",
                    )?;
                }
                match &function.body {
                    Some(body) => validate_body::check(self, function, body),
                    None => Ok(()),
                }
            }
        }
    }
}
