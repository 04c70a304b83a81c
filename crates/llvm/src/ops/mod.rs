//! What the integer operations mean, each said once.
//!
//! [`table`](self::table) has one row an operation: where LLVM has it, what it does to words, the term that does the
//! same, and when it is an error. Everything else is read off the rows: the main loop calls the functions in
//! [`word64`], lowering and verification ask for operands and encodings, constants and integers that are too wide for
//! a register are [folded](IntOp::fold), and symbolic execution builds [terms](IntOp::term). A test goes through the
//! rows and holds words, terms and folding against one another.
//!
//! An operand of `w` bits is kept zero-extended, and so is a result. Meanings are total: where an operation is an error
//! or undefined, its words are what the SMT-LIB operator of that name gives.

mod cast;
mod define;
pub mod float;
mod fold;
mod table;
mod terms;
#[cfg(test)]
mod tests;

pub use cast::Cast;
pub use fold::WIDEST_WORD;
pub use table::{IntOp, error64, word64, word128};

use thiserror::Error;

use crate::ir::{BinaryOp, ICmpPredicate};

/// Operands of an operation; those that it does not have are ignored.
pub type Operands<T> = [T; 3];

/// Where LLVM has an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Binary(BinaryOp),
    Compare(ICmpPredicate),
    /// `llvm.NAME.TYPES`.
    Intrinsic(&'static str),
    /// Nowhere: it is the condition of an error.
    Condition,
}

/// What an operation gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A value as wide as the operands.
    Word,
    /// One bit; its term is a Boolean.
    Bit,
}

/// Why an operation must not be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ArithmeticError {
    #[error("division by zero")]
    DivisionByZero,
    #[error("division of the least number by -1")]
    DivisionOverflow,
    #[error("signed calculation that overflows")]
    SignedOverflow,
    #[error("shift by the width or more")]
    ShiftTooFar,
}

impl IntOp {
    pub fn of_binary(op: BinaryOp) -> Option<IntOp> {
        IntOp::from(Source::Binary(op))
    }

    pub fn of_compare(predicate: ICmpPredicate) -> IntOp {
        IntOp::from(Source::Compare(predicate)).expect("every predicate has its row")
    }

    /// By the intrinsic's name, without `llvm.` and without its types.
    pub fn of_intrinsic(name: &str) -> Option<IntOp> {
        let is_named = |op: &&IntOp| matches!(op.source(), Source::Intrinsic(own) if own == name);
        IntOp::ALL.iter().find(is_named).copied()
    }

    fn from(source: Source) -> Option<IntOp> {
        let has_source = |op: &&IntOp| op.source() == source;
        IntOp::ALL.iter().find(has_source).copied()
    }

    /// An order of signed numbers or its reverse: unlike others, it depends on where the sign bit is.
    pub fn is_signed_compare(self) -> bool {
        matches!(self, IntOp::Slt | IntOp::Sle | IntOp::Sgt | IntOp::Sge)
    }

    /// Whether there are operands of this width.
    pub fn has_width(self, width: u32) -> bool {
        width > 0 && width.is_multiple_of(self.width_step())
    }
}
