//! The operators of a key.
//!
//! A node is its operator, its operands (how many, where the operator does not say), each a distance back and a sign,
//! and then whatever else the operator needs.

pub(super) const SLOT: u8 = 0;
pub(super) const TRUE: u8 = 1;
/// Width, value.
pub(super) const CONST: u8 = 2;
pub(super) const INT: u8 = 3;
pub(super) const REAL: u8 = 4;
/// A function and its arguments.
pub(super) const APPLY: u8 = 5;
pub(super) const AND: u8 = 6;
pub(super) const IFF: u8 = 7;
pub(super) const EQ: u8 = 8;
pub(super) const ITE: u8 = 9;
pub(super) const BV_NOT: u8 = 10;
pub(super) const BV_AND: u8 = 11;
pub(super) const BV_OR: u8 = 12;
pub(super) const BV_XOR: u8 = 13;
/// Of bit-vectors or of numbers, without constants.
pub(super) const MUL: u8 = 14;
pub(super) const UDIV: u8 = 15;
pub(super) const UREM: u8 = 16;
pub(super) const SHL: u8 = 17;
pub(super) const LSHR: u8 = 18;
pub(super) const ASHR: u8 = 19;
pub(super) const CONCAT: u8 = 20;
/// Lowest bit, width.
pub(super) const EXTRACT: u8 = 21;
/// Width.
pub(super) const SIGN_EXTEND: u8 = 22;
pub(super) const ULT: u8 = 23;
pub(super) const SLT: u8 = 24;
pub(super) const SELECT: u8 = 25;
pub(super) const STORE: u8 = 26;
/// Width of the index.
pub(super) const CONST_ARRAY: u8 = 27;
/// How many cells; index and element of each.
pub(super) const TABLE: u8 = 28;
/// A read at a constant index, which follows.
pub(super) const CELL: u8 = 29;
/// Operands with coefficients; a constant that is added.
pub(super) const SUM: u8 = 30;
/// Operands with coefficients; the constant that their sum is equal to.
pub(super) const EQUATION: u8 = 31;
/// Likewise, at most.
pub(super) const LE: u8 = 32;
/// Likewise, less.
pub(super) const LT: u8 = 33;
pub(super) const DIV: u8 = 34;
/// Which operator on floats; bits of the exponents, and of the result; how to round.
pub(super) const FLOAT: u8 = 35;
pub(super) const TO_REAL: u8 = 36;
pub(super) const TO_INT: u8 = 37;

/// The first operand says how to round, or there is nothing to round.
pub(super) const ROUNDING_OPERAND: u8 = 7;

/// How many operands a node has; `None` if it says so itself.
pub(super) fn arity(code: u8) -> Option<usize> {
    match code {
        APPLY | AND | FLOAT | SUM | EQUATION | LE | LT => None,
        SLOT | TRUE | CONST | INT | REAL => Some(0),
        BV_NOT | EXTRACT | SIGN_EXTEND | CONST_ARRAY | TABLE | CELL | TO_REAL | TO_INT => Some(1),
        ITE | STORE => Some(3),
        _ => Some(2),
    }
}

/// Whether operands have coefficients.
pub(super) fn is_weighted(code: u8) -> bool {
    matches!(code, SUM | EQUATION | LE | LT)
}
