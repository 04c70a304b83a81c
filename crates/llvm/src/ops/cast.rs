//! Conversions between integers of two widths.

use refrain_term::{Term, Terms};

use super::{word64, word128};
use crate::ir::CastOp;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    Truncate,
    ZeroExtend,
    SignExtend,
}

impl Cast {
    pub const ALL: [Cast; 3] = [Cast::Truncate, Cast::ZeroExtend, Cast::SignExtend];

    /// What one of LLVM's conversions of integers and pointers does to the bits.
    pub fn of(op: CastOp, from: u32, to: u32) -> Option<Cast> {
        match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::PtrToInt | CastOp::IntToPtr => {}
            _ => return None,
        }
        Some(if to < from {
            Cast::Truncate
        } else if op == CastOp::SExt {
            Cast::SignExtend
        } else {
            Cast::ZeroExtend
        })
    }

    /// Whether it leads from one width to another.
    pub fn fits(self, from: u32, to: u32) -> bool {
        match self {
            Cast::Truncate => to <= from,
            Cast::ZeroExtend | Cast::SignExtend => from <= to,
        }
    }

    /// Its meaning on words of at most 64 bits.
    #[inline(always)]
    pub fn word64(self, a: u64, from: u32, to: u32) -> u64 {
        match self {
            Cast::Truncate => a & word64::mask(to),
            Cast::ZeroExtend => a,
            Cast::SignExtend => word64::sext(a, from) as u64 & word64::mask(to),
        }
    }

    /// Its meaning on words of at most 128 bits.
    pub fn word128(self, a: u128, from: u32, to: u32) -> u128 {
        match self {
            Cast::Truncate => a & word128::mask(to),
            Cast::ZeroExtend => a,
            Cast::SignExtend => word128::sext(a, from) as u128 & word128::mask(to),
        }
    }

    /// The term of `to` bits of one of `from` bits.
    pub fn term(self, terms: &mut Terms, a: Term, to: u32) -> Term {
        let from = terms.width(a);
        match self {
            Cast::Truncate => terms.extract(a, to - 1, 0),
            Cast::ZeroExtend => terms.zero_extend(a, to - from),
            Cast::SignExtend => terms.sign_extend(a, to - from),
        }
    }
}
