//! The table of integer operations.
//!
//! `words` is an expression of the operands as unsigned words of `w` bits, written for words of any size: `Word` is
//! the word's type, `mask(w)` its low bits, `sext(a, w)` a signed number. `terms` is the same of terms of one width.
//! `swapped` is the operation that gives the same with its operands exchanged, `negated` the one that gives the other
//! bit. `errors` lists the conditions under which the operation is an error, `checks` those that are only looked at
//! when overflow is to be found; a condition is an operation of the table itself, on the same operands.

use refrain_term::{Term, Terms};

use super::define::int_operations;
use super::terms::{count_ones, first_set, limit_by_sign, ones, order, reversed, zero};
use super::{ArithmeticError, Operands, Outcome, Source};
use crate::ir::{BinaryOp, ICmpPredicate};

int_operations! {
    // Arithmetic.
    Add(a, b) -> Word {
        source: Source::Binary(BinaryOp::Add),
        words: |w| a.wrapping_add(b) & mask(w),
        terms: |t| t.bv_add(a, b),
        swapped: Add,
        checks: [SAddO => SignedOverflow],
    }
    Sub(a, b) -> Word {
        source: Source::Binary(BinaryOp::Sub),
        words: |w| a.wrapping_sub(b) & mask(w),
        terms: |t| t.bv_sub(a, b),
        checks: [SSubO => SignedOverflow],
    }
    Mul(a, b) -> Word {
        source: Source::Binary(BinaryOp::Mul),
        words: |w| a.wrapping_mul(b) & mask(w),
        terms: |t| t.bv_mul(a, b),
        swapped: Mul,
        checks: [SMulO => SignedOverflow],
    }
    UDiv(a, b) -> Word {
        source: Source::Binary(BinaryOp::UDiv),
        words: |w| a.checked_div(b).unwrap_or(mask(w)),
        terms: |t| t.bv_udiv(a, b),
        errors: [DivByZero(a, b) => DivisionByZero],
    }
    URem(a, b) -> Word {
        source: Source::Binary(BinaryOp::URem),
        words: |w| a.checked_rem(b).unwrap_or(a),
        terms: |t| t.bv_urem(a, b),
        errors: [DivByZero(a, b) => DivisionByZero],
    }
    SDiv(a, b) -> Word {
        source: Source::Binary(BinaryOp::SDiv),
        words: |w| match (sext(a, w), sext(b, w)) {
            (a, 0) => if a < 0 { 1 } else { mask(w) },
            (a, b) => a.wrapping_div(b) as Word & mask(w),
        },
        terms: |t| t.bv_sdiv(a, b),
        errors: [DivByZero(a, b) => DivisionByZero, SDivO(a, b) => DivisionOverflow],
    }
    SRem(a, b) -> Word {
        source: Source::Binary(BinaryOp::SRem),
        words: |w| match (sext(a, w), sext(b, w)) {
            (_, 0) => a,
            (a, b) => a.wrapping_rem(b) as Word & mask(w),
        },
        terms: |t| t.bv_srem(a, b),
        errors: [DivByZero(a, b) => DivisionByZero, SDivO(a, b) => DivisionOverflow],
    }

    // Bits.
    Shl(a, b) -> Word {
        source: Source::Binary(BinaryOp::Shl),
        words: |w| if b < Word::from(w) { a << b & mask(w) } else { 0 },
        terms: |t| t.bv_shl(a, b),
        checks: [ShiftTooFar => ShiftTooFar],
    }
    LShr(a, b) -> Word {
        source: Source::Binary(BinaryOp::LShr),
        words: |w| if b < Word::from(w) { a >> b } else { 0 },
        terms: |t| t.bv_lshr(a, b),
        checks: [ShiftTooFar => ShiftTooFar],
    }
    AShr(a, b) -> Word {
        source: Source::Binary(BinaryOp::AShr),
        words: |w| (sext(a, w) >> b.min(Word::from(w) - 1)) as Word & mask(w),
        terms: |t| t.bv_ashr(a, b),
        checks: [ShiftTooFar => ShiftTooFar],
    }
    And(a, b) -> Word {
        source: Source::Binary(BinaryOp::And),
        words: |w| a & b,
        terms: |t| t.bv_and(a, b),
        swapped: And,
    }
    Or(a, b) -> Word {
        source: Source::Binary(BinaryOp::Or),
        words: |w| a | b,
        terms: |t| t.bv_or(a, b),
        swapped: Or,
    }
    Xor(a, b) -> Word {
        source: Source::Binary(BinaryOp::Xor),
        words: |w| a ^ b,
        terms: |t| t.bv_xor(a, b),
        swapped: Xor,
    }
    CtPop(a) -> Word {
        source: Source::Intrinsic("ctpop"),
        words: |w| Word::from(a.count_ones()),
        terms: |t| count_ones(t, a),
    }
    /// Zeros before the first bit that is set.
    Ctlz(a) -> Word {
        source: Source::Intrinsic("ctlz"),
        words: |w| Word::from(a.leading_zeros() - (Word::BITS - w)),
        terms: |t| { let width = t.width(a); first_set(t, a, |distance| width - 1 - distance) },
    }
    /// Zeros behind the last bit that is set.
    Cttz(a) -> Word {
        source: Source::Intrinsic("cttz"),
        words: |w| Word::from(a.trailing_zeros().min(w)),
        terms: |t| first_set(t, a, |distance| distance),
    }
    BSwap(a) -> Word {
        source: Source::Intrinsic("bswap"),
        words: |w| a.swap_bytes() >> (Word::BITS - w),
        terms: |t| reversed(t, a, 8),
        width_step: 8,
    }
    BitReverse(a) -> Word {
        source: Source::Intrinsic("bitreverse"),
        words: |w| a.reverse_bits() >> (Word::BITS - w),
        terms: |t| reversed(t, a, 1),
    }
    /// The high half of `a:b` shifted left by `c`, of which only the remainder by the width counts.
    FShl(a, b, c) -> Word {
        source: Source::Intrinsic("fshl"),
        words: |w| match c % Word::from(w) {
            0 => a,
            by => (a << by | b >> (Word::from(w) - by)) & mask(w),
        },
        terms: |t| {
            let width = t.width(a);
            let modulus = t.bv(width, u64::from(width));
            let by = t.bv_urem(c, modulus);
            // A shift by the whole width gives 0.
            let rest = t.bv_sub(modulus, by);
            let (high, low) = (t.bv_shl(a, by), t.bv_lshr(b, rest));
            t.bv_or(high, low)
        },
    }
    /// The low half of `a:b` shifted right.
    FShr(a, b, c) -> Word {
        source: Source::Intrinsic("fshr"),
        words: |w| match c % Word::from(w) {
            0 => b,
            by => (a << (Word::from(w) - by) | b >> by) & mask(w),
        },
        terms: |t| {
            let width = t.width(a);
            let modulus = t.bv(width, u64::from(width));
            let by = t.bv_urem(c, modulus);
            let rest = t.bv_sub(modulus, by);
            let (high, low) = (t.bv_shl(a, rest), t.bv_lshr(b, by));
            t.bv_or(high, low)
        },
    }

    // Order.
    Eq(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Eq),
        words: |w| a == b,
        terms: |t| t.eq(a, b),
        swapped: Eq,
        negated: Ne,
    }
    Ne(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Ne),
        words: |w| a != b,
        terms: |t| { let equal = t.eq(a, b); t.not(equal) },
        swapped: Ne,
        negated: Eq,
    }
    Ult(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Ult),
        words: |w| a < b,
        terms: |t| t.bv_ult(a, b),
        swapped: Ugt,
        negated: Uge,
    }
    Ule(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Ule),
        words: |w| a <= b,
        terms: |t| t.bv_ule(a, b),
        swapped: Uge,
        negated: Ugt,
    }
    Ugt(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Ugt),
        words: |w| a > b,
        terms: |t| t.bv_ugt(a, b),
        swapped: Ult,
        negated: Ule,
    }
    Uge(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Uge),
        words: |w| a >= b,
        terms: |t| t.bv_uge(a, b),
        swapped: Ule,
        negated: Ult,
    }
    Slt(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Slt),
        words: |w| sext(a, w) < sext(b, w),
        terms: |t| t.bv_slt(a, b),
        swapped: Sgt,
        negated: Sge,
    }
    Sle(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Sle),
        words: |w| sext(a, w) <= sext(b, w),
        terms: |t| t.bv_sle(a, b),
        swapped: Sge,
        negated: Sgt,
    }
    Sgt(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Sgt),
        words: |w| sext(a, w) > sext(b, w),
        terms: |t| t.bv_sgt(a, b),
        swapped: Slt,
        negated: Sle,
    }
    Sge(a, b) -> Bit {
        source: Source::Compare(ICmpPredicate::Sge),
        words: |w| sext(a, w) >= sext(b, w),
        terms: |t| t.bv_sge(a, b),
        swapped: Sle,
        negated: Slt,
    }
    UMin(a, b) -> Word {
        source: Source::Intrinsic("umin"),
        words: |w| a.min(b),
        terms: |t| { let less = t.bv_ult(a, b); t.ite(less, a, b) },
        swapped: UMin,
    }
    UMax(a, b) -> Word {
        source: Source::Intrinsic("umax"),
        words: |w| a.max(b),
        terms: |t| { let less = t.bv_ult(a, b); t.ite(less, b, a) },
        swapped: UMax,
    }
    SMin(a, b) -> Word {
        source: Source::Intrinsic("smin"),
        words: |w| if sext(a, w) < sext(b, w) { a } else { b },
        terms: |t| { let less = t.bv_slt(a, b); t.ite(less, a, b) },
        swapped: SMin,
    }
    SMax(a, b) -> Word {
        source: Source::Intrinsic("smax"),
        words: |w| if sext(a, w) < sext(b, w) { b } else { a },
        terms: |t| { let less = t.bv_slt(a, b); t.ite(less, b, a) },
        swapped: SMax,
    }
    /// -1, 0 or 1.
    UCmp(a, b) -> Word {
        source: Source::Intrinsic("ucmp"),
        words: |w| if a < b { mask(w) } else { Word::from(a > b) },
        terms: |t| { let (less, greater) = (t.bv_ult(a, b), t.bv_ult(b, a)); order(t, a, less, greater) },
    }
    SCmp(a, b) -> Word {
        source: Source::Intrinsic("scmp"),
        words: |w| if sext(a, w) < sext(b, w) { mask(w) } else { Word::from(a != b) },
        terms: |t| { let (less, greater) = (t.bv_slt(a, b), t.bv_slt(b, a)); order(t, a, less, greater) },
    }

    // Saturation: what leaves the range stays at its end.
    UAddSat(a, b) -> Word {
        source: Source::Intrinsic("uadd.sat"),
        words: |w| a.saturating_add(b).min(mask(w)),
        terms: |t| { let (over, sum, most) = (t.bv_uaddo(a, b), t.bv_add(a, b), ones(t, a)); t.ite(over, most, sum) },
        swapped: UAddSat,
    }
    USubSat(a, b) -> Word {
        source: Source::Intrinsic("usub.sat"),
        words: |w| a.saturating_sub(b),
        terms: |t| {
            let (over, difference, least) = (t.bv_usubo(a, b), t.bv_sub(a, b), zero(t, a));
            t.ite(over, least, difference)
        },
    }
    SAddSat(a, b) -> Word {
        source: Source::Intrinsic("sadd.sat"),
        words: |w| sext(a, w).saturating_add(sext(b, w)).clamp(!most(w), most(w)) as Word & mask(w),
        terms: |t| {
            let (over, sum, limit) = (t.bv_saddo(a, b), t.bv_add(a, b), limit_by_sign(t, a));
            t.ite(over, limit, sum)
        },
        swapped: SAddSat,
    }
    SSubSat(a, b) -> Word {
        source: Source::Intrinsic("ssub.sat"),
        words: |w| sext(a, w).saturating_sub(sext(b, w)).clamp(!most(w), most(w)) as Word & mask(w),
        terms: |t| {
            let (over, difference, limit) = (t.bv_ssubo(a, b), t.bv_sub(a, b), limit_by_sign(t, a));
            t.ite(over, limit, difference)
        },
    }
    UShlSat(a, b) -> Word {
        source: Source::Intrinsic("ushl.sat"),
        words: |w| if Word::from(a.leading_zeros() - (Word::BITS - w)) >= b || a == 0 { Shl(a, b, w) } else { mask(w) },
        terms: |t| {
            let shifted = t.bv_shl(a, b);
            let (back, most) = (t.bv_lshr(shifted, b), ones(t, a));
            let kept = t.eq(back, a);
            t.ite(kept, shifted, most)
        },
        checks: [ShiftTooFar => ShiftTooFar],
    }
    SShlSat(a, b) -> Word {
        source: Source::Intrinsic("sshl.sat"),
        words: |w| {
            let shifted = Shl(a, b, w);
            let limit = if sext(a, w) < 0 { !most(w) } else { most(w) };
            if AShr(shifted, b, w) == a { shifted } else { limit as Word & mask(w) }
        },
        terms: |t| {
            let shifted = t.bv_shl(a, b);
            let (back, limit) = (t.bv_ashr(shifted, b), limit_by_sign(t, a));
            let kept = t.eq(back, a);
            t.ite(kept, shifted, limit)
        },
        checks: [ShiftTooFar => ShiftTooFar],
    }
    /// Of the least number, itself.
    Abs(a) -> Word {
        source: Source::Intrinsic("abs"),
        words: |w| sext(a, w).wrapping_abs() as Word & mask(w),
        terms: |t| {
            let (least, negated) = (zero(t, a), t.bv_neg(a));
            let negative = t.bv_slt(a, least);
            t.ite(negative, negated, a)
        },
    }

    // Overflow of a calculation: the second result of an intrinsic.
    UAddO(a, b) -> Bit {
        source: Source::Intrinsic("uadd.with.overflow"),
        words: |w| { let (sum, over) = a.overflowing_add(b); over || sum > mask(w) },
        terms: |t| t.bv_uaddo(a, b),
        swapped: UAddO,
        overflow_of: Add,
    }
    USubO(a, b) -> Bit {
        source: Source::Intrinsic("usub.with.overflow"),
        words: |w| a < b,
        terms: |t| t.bv_usubo(a, b),
        overflow_of: Sub,
    }
    UMulO(a, b) -> Bit {
        source: Source::Intrinsic("umul.with.overflow"),
        words: |w| { let (product, over) = a.overflowing_mul(b); over || product > mask(w) },
        terms: |t| t.bv_umulo(a, b),
        swapped: UMulO,
        overflow_of: Mul,
    }
    SAddO(a, b) -> Bit {
        source: Source::Intrinsic("sadd.with.overflow"),
        words: |w| { let (sum, over) = sext(a, w).overflowing_add(sext(b, w)); over || sum != sext(sum as Word, w) },
        terms: |t| t.bv_saddo(a, b),
        swapped: SAddO,
        overflow_of: Add,
    }
    SSubO(a, b) -> Bit {
        source: Source::Intrinsic("ssub.with.overflow"),
        words: |w| {
            let (difference, over) = sext(a, w).overflowing_sub(sext(b, w));
            over || difference != sext(difference as Word, w)
        },
        terms: |t| t.bv_ssubo(a, b),
        overflow_of: Sub,
    }
    SMulO(a, b) -> Bit {
        source: Source::Intrinsic("smul.with.overflow"),
        words: |w| {
            let (product, over) = sext(a, w).overflowing_mul(sext(b, w));
            over || product != sext(product as Word, w)
        },
        terms: |t| t.bv_smulo(a, b),
        swapped: SMulO,
        overflow_of: Mul,
    }

    // Conditions of errors.
    DivByZero(a, b) -> Bit {
        source: Source::Condition,
        words: |w| b == 0,
        terms: |t| { let zero = zero(t, b); t.eq(b, zero) },
    }
    SDivO(a, b) -> Bit {
        source: Source::Condition,
        words: |w| sext(b, w) == -1 && sext(a, w) == !most(w),
        terms: |t| t.bv_sdivo(a, b),
    }
    ShiftTooFar(a, b) -> Bit {
        source: Source::Condition,
        words: |w| b >= Word::from(w),
        terms: |t| { let width = t.width(b); let limit = t.bv(width, u64::from(width)); t.bv_uge(b, limit) },
    }
}
