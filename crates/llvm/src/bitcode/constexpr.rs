//! What constants and instructions encode alike, and the constants whose records take some reading.

use super::Result;
use super::bitstream::Record;
use super::codes::constant as code;
use super::module::{Reader, text};
use crate::ir::{
    BinaryOp, CastOp, ConstId, ConstKind, FCmpPredicate, ICmpPredicate, InlineAsm, RmwOp,
};

pub(super) fn binary_op(code: u64, float: bool) -> Option<BinaryOp> {
    Some(match (code, float) {
        (0, false) => BinaryOp::Add,
        (1, false) => BinaryOp::Sub,
        (2, false) => BinaryOp::Mul,
        (3, false) => BinaryOp::UDiv,
        (4, false) => BinaryOp::SDiv,
        (5, false) => BinaryOp::URem,
        (6, false) => BinaryOp::SRem,
        (7, false) => BinaryOp::Shl,
        (8, false) => BinaryOp::LShr,
        (9, false) => BinaryOp::AShr,
        (10, false) => BinaryOp::And,
        (11, false) => BinaryOp::Or,
        (12, false) => BinaryOp::Xor,
        (0, true) => BinaryOp::FAdd,
        (1, true) => BinaryOp::FSub,
        (2, true) => BinaryOp::FMul,
        (4, true) => BinaryOp::FDiv,
        (6, true) => BinaryOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast_op(code: u64) -> Option<CastOp> {
    Some(match code {
        0 => CastOp::Trunc,
        1 => CastOp::ZExt,
        2 => CastOp::SExt,
        3 => CastOp::FpToUi,
        4 => CastOp::FpToSi,
        5 => CastOp::UiToFp,
        6 => CastOp::SiToFp,
        7 => CastOp::FpTrunc,
        8 => CastOp::FpExt,
        // The second is of pointers whose address is not all of them, which they are here.
        9 | 13 => CastOp::PtrToInt,
        10 => CastOp::IntToPtr,
        11 => CastOp::Bitcast,
        12 => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

pub(super) fn int_predicate(code: u64) -> Option<ICmpPredicate> {
    Some(match code {
        32 => ICmpPredicate::Eq,
        33 => ICmpPredicate::Ne,
        34 => ICmpPredicate::Ugt,
        35 => ICmpPredicate::Uge,
        36 => ICmpPredicate::Ult,
        37 => ICmpPredicate::Ule,
        38 => ICmpPredicate::Sgt,
        39 => ICmpPredicate::Sge,
        40 => ICmpPredicate::Slt,
        41 => ICmpPredicate::Sle,
        _ => return None,
    })
}

pub(super) fn float_predicate(code: u64) -> Option<FCmpPredicate> {
    (code < 16).then_some(FCmpPredicate(code as u8))
}

pub(super) fn rmw_op(code: u64) -> Option<RmwOp> {
    const OPS: [RmwOp; 19] = [
        RmwOp::Xchg,
        RmwOp::Add,
        RmwOp::Sub,
        RmwOp::And,
        RmwOp::Nand,
        RmwOp::Or,
        RmwOp::Xor,
        RmwOp::Max,
        RmwOp::Min,
        RmwOp::UMax,
        RmwOp::UMin,
        RmwOp::FAdd,
        RmwOp::FSub,
        RmwOp::FMax,
        RmwOp::FMin,
        RmwOp::UIncWrap,
        RmwOp::UDecWrap,
        RmwOp::USubCond,
        RmwOp::USubSat,
    ];
    usize::try_from(code)
        .ok()
        .and_then(|code| OPS.get(code))
        .copied()
}

impl Reader<'_> {
    pub fn read_constant_gep(&self, record: &Record) -> Result<ConstKind> {
        let mut rest = record.ops.iter().copied();
        let mut next = || rest.next().ok_or_else(|| self.bad("too few operands"));
        let explicit = match record.code {
            code::GEP_OLD | code::INBOUNDS_GEP => record.ops.len() % 2 == 1,
            _ => true,
        };
        let source = if explicit {
            Some(self.ty(next()?)?)
        } else {
            None
        };
        match record.code {
            code::GEP_OLD | code::INBOUNDS_GEP => {}
            code::GEP_WITH_INRANGE => {
                next()?;
                let bits = next()?;
                let words = if bits > 64 {
                    let counts = next()?;
                    (counts & 0xffff_ffff) + (counts >> 32)
                } else {
                    2
                };
                for _ in 0..words {
                    next()?;
                }
            }
            _ => {
                next()?;
            }
        }
        let mut base_ty = None;
        let mut values = Vec::new();
        let rest: Vec<u64> = rest.collect();
        for pair in rest.chunks(2) {
            let [ty, value] = *pair else {
                return Err(self.bad("a type without a value"));
            };
            let ty = self.ty(ty)?;
            base_ty.get_or_insert(ty);
            values.push(ConstId(u32::try_from(value).unwrap_or(u32::MAX)));
        }
        let Some(base_ty) = base_ty else {
            return Err(self.bad("no base"));
        };
        let source = match source {
            Some(source) => source,
            None => self.pointee(base_ty)?,
        };
        let base = values.remove(0);
        Ok(ConstKind::Gep {
            source,
            base,
            indices: values,
        })
    }

    pub fn read_inline_asm(&self, record: &Record) -> Result<ConstKind> {
        let cut = || self.bad("inline assembly that is cut off");
        // The newest form says the function type first.
        let ops = match record.code {
            code::INLINEASM => record.ops.get(1..).ok_or_else(cut)?,
            _ => &record.ops[..],
        };
        let (&flags, rest) = ops.split_first().ok_or_else(cut)?;
        let (asm, rest) = sized(rest).ok_or_else(cut)?;
        let (constraints, _) = sized(rest).ok_or_else(cut)?;
        Ok(ConstKind::InlineAsm(InlineAsm {
            text: text(asm),
            constraints: text(constraints),
            side_effects: flags & 1 != 0,
            is_intel: flags & 4 != 0,
        }))
    }
}

/// A sequence that starts with its length, and what follows it.
fn sized(ops: &[u64]) -> Option<(&[u64], &[u64])> {
    let (&len, rest) = ops.split_first()?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}
