//! Sorts: what kind of value a term has.

use std::fmt;
use std::sync::{Mutex, PoisonError};

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
    /// A sort that a script declares or builds, other than those above. Below that surface its elements are integers.
    Coded(Coded),
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

    /// What terms of this sort are below the surface, if only scripts have it.
    pub fn below(self) -> Option<Sort> {
        match self {
            Sort::Float(format) => Some(Sort::BitVec(format.width())),
            Sort::RoundingMode => Some(Sort::BitVec(Rounding::WIDTH)),
            Sort::Coded(_) => Some(Sort::Int),
            _ => None,
        }
    }
}

/// A sort by its text. Two with the same text are the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Coded(u32);

struct CodedSort {
    text: Box<str>,
    /// The sorts of index and elements, if these are arrays.
    sides: Option<(Sort, Sort)>,
}

/// All coded sorts of the process. There are as many as scripts have texts for sorts.
static CODED: Mutex<Vec<CodedSort>> = Mutex::new(Vec::new());

impl Coded {
    fn intern(text: String, sides: Option<(Sort, Sort)>) -> Coded {
        let mut known = CODED.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|sort| *sort.text == *text);
        let place = place.unwrap_or_else(|| {
            let text = text.into_boxed_str();
            known.push(CodedSort { text, sides });
            known.len() - 1
        });
        Coded(place as u32)
    }

    /// The sort that this text names.
    pub fn named(text: String) -> Coded {
        Coded::intern(text, None)
    }

    /// The arrays with these indices and elements.
    pub fn array(index: Sort, element: Sort) -> Coded {
        let text = format!("(Array {index} {element})");
        Coded::intern(text, Some((index, element)))
    }

    fn get<T>(self, of: impl FnOnce(&CodedSort) -> T) -> T {
        let known = CODED.lock().unwrap_or_else(PoisonError::into_inner);
        of(&known[self.0 as usize])
    }

    /// The sorts of index and elements, if these are arrays.
    pub fn sides(self) -> Option<(Sort, Sort)> {
        self.get(|sort| sort.sides)
    }

    pub fn text(self) -> String {
        self.get(|sort| sort.text.to_string())
    }

    /// The same in every run.
    pub(crate) fn hash(self) -> u64 {
        let bytes = self.text().into_bytes();
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
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
            Sort::Coded(coded) => f.write_str(&coded.text()),
        }
    }
}
