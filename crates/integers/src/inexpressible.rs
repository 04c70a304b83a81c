//! Why a condition has no form over integers.

use std::fmt;

/// What a condition has that integers cannot express. Its text is to be read after "cannot be expressed over
/// integers:".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inexpressible {
    /// An operand that is neither a condition nor a bit-vector.
    Sort,
    Array,
    ArrayComparison,
    /// A read at an index that may be any of many, or of an array of which nothing is known.
    SymbolicIndex,
    SymbolicShift,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    /// A mask whose ones are too scattered to be a sum of slices.
    ScatteredMask,
    UninterpretedFunction,
    Operation,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Inexpressible::Sort => "a term of another sort",
            Inexpressible::Array => "an array as a whole",
            Inexpressible::ArrayComparison => "a comparison of arrays",
            Inexpressible::SymbolicIndex => "an array at a symbolic index",
            Inexpressible::SymbolicShift => "a shift by a symbolic amount",
            Inexpressible::BitwiseAnd => "bitwise and of two symbolic values",
            Inexpressible::BitwiseOr => "bitwise or of two symbolic values",
            Inexpressible::BitwiseXor => "bitwise exclusive or of two symbolic values",
            Inexpressible::ScatteredMask => "a mask of many runs of bits",
            Inexpressible::UninterpretedFunction => "a function that nothing is known of",
            Inexpressible::Operation => "an operation that integers do not have",
        })
    }
}

impl std::error::Error for Inexpressible {}
