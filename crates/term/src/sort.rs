//! Sorts: what kind of value a term has.

use std::fmt;

use crate::{Format, Rounding};

/// The sort of a term. Arrays map bit-vectors to bit-vectors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    Bool,
    /// A bit-vector of this many bits; never zero.
    BitVec(u32),
    /// An array by the widths of its index and its elements.
    Array {
        index: u32,
        element: u32,
    },
    /// The mathematical integers.
    Int,
    /// The reals; every value that a term can be given is rational.
    Real,
    /// Floats, as scripts have them. Below that surface they are bit-vectors.
    Float(Format),
    /// How to round, as scripts have it.
    RoundingMode,
}

impl Sort {
    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }

    pub fn is_number(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// Whether terms of this sort are bit-vectors below the surface: how many bits these have.
    pub fn surface_width(self) -> Option<u32> {
        match self {
            Sort::Float(format) => Some(format.width()),
            Sort::RoundingMode => Some(Rounding::WIDTH),
            _ => None,
        }
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array { index, element } => {
                write!(f, "(Array (_ BitVec {index}) (_ BitVec {element}))")
            }
            Sort::Int => f.write_str("Int"),
            Sort::Real => f.write_str("Real"),
            Sort::Float(format) => {
                write!(
                    f,
                    "(_ FloatingPoint {} {})",
                    format.exponent, format.significand
                )
            }
            Sort::RoundingMode => f.write_str("RoundingMode"),
        }
    }
}
