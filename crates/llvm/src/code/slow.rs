//! What is too rare for an opcode of its own is described.

use refrain_term::Function;

use super::{Format, Src};
use crate::ir::{BinaryOp, FCmpPredicate};
use crate::ops::{ArithmeticError, Cast, IntOp};

/// What is too rare for an operation of its own.
#[derive(Clone, Debug)]
pub enum Slow {
    /// An operation on integers of more than 64 bits, or one without an opcode. The overflow of a calculation comes
    /// behind the calculation's own words.
    Int {
        op: IntOp,
        width: u32,
        dst: u32,
        args: Vec<Vec<Src>>,
    },
    /// A conversion from or to an integer of more than 64 bits.
    IntCast {
        cast: Cast,
        from: u32,
        to: u32,
        dst: u32,
        a: Vec<Src>,
    },
    /// Floats of a format that the processor does not compute in, or rare operations.
    FloatBinary {
        op: BinaryOp,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    FloatCompare {
        predicate: FCmpPredicate,
        format: Format,
        dst: u32,
        a: Vec<Src>,
        b: Vec<Src>,
    },
    FloatCast {
        from: Format,
        to: Format,
        dst: u32,
        a: Vec<Src>,
    },
    FloatToInt {
        from: Format,
        to: u32,
        signed: bool,
        saturating: bool,
        dst: u32,
        a: Vec<Src>,
    },
    IntToFloat {
        from: u32,
        signed: bool,
        to: Format,
        dst: u32,
        a: Vec<Src>,
    },
    FloatMath {
        name: MathFn,
        format: Format,
        dst: u32,
        args: Vec<Vec<Src>>,
    },
    /// The same bits in scalars of other widths.
    Repack {
        from: Vec<(Src, u32)>,
        to: Vec<(u32, u32)>,
    },
    /// `dst.. = lanes[index]`, `words` slots a lane.
    ExtractLane {
        lanes: Vec<Src>,
        words: u32,
        index: Src,
        dst: u32,
    },
    InsertLane {
        lanes: Vec<Src>,
        words: u32,
        index: Src,
        value: Vec<Src>,
        dst: u32,
    },
    VaStart {
        list: Src,
    },
    StackSave {
        dst: u32,
    },
    StackRestore {
        a: Src,
    },
    /// The exception and its selector, at a landing pad.
    LandingPad {
        dst: u32,
    },
    FrameAddress {
        dst: u32,
        level: Src,
    },
    /// Ends the path where a calculation with floats is an error, where that is asked for.
    CheckFloat(FloatCheck),
    /// Ends the path: the operation that follows would be undefined, where that is asked for.
    Error(ArithmeticError),
    /// A computed goto whose address is none of its labels'.
    BadGoto,
    /// Ends the path with these words.
    Unsupported(String),
}

/// What is looked at in a calculation with floats.
#[derive(Clone, Debug)]
pub enum FloatCheck {
    /// The result is special, and no operand is.
    Result {
        special: Special,
        calculation: Calculation,
        /// Those that are floats.
        operands: Vec<(Format, Vec<Src>)>,
        format: Format,
        result: Vec<Src>,
    },
    /// The divisor is zero.
    Divisor { format: Format, a: Vec<Src> },
    /// The integer is not one of so many bits.
    Range {
        from: Format,
        to: u32,
        signed: bool,
        a: Vec<Src>,
    },
}

/// What no number is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    Nan,
    Infinity,
}

/// What calculates a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calculation {
    Binary(BinaryOp),
    Math(MathFn),
    /// A function of the host's library.
    Library(Function),
    /// From another format, or from an integer.
    Conversion,
}

impl Calculation {
    /// What it can give of numbers.
    pub fn specials(self) -> &'static [Special] {
        use MathFn::*;
        const BOTH: &[Special] = &[Special::Nan, Special::Infinity];
        match self {
            Calculation::Binary(BinaryOp::FRem)
            | Calculation::Math(Sqrt | Sin | Cos | Tan | Asin | Acos) => &[Special::Nan],
            Calculation::Math(Sinh | Cosh | Exp | Exp2 | Exp10 | LdExp | Powi)
            | Calculation::Conversion => &[Special::Infinity],
            Calculation::Binary(_)
            | Calculation::Library(_)
            | Calculation::Math(Log | Log2 | Log10 | Pow | Fma) => BOTH,
            Calculation::Math(_) => &[],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MathFn {
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Pow,
    Powi,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Fma,
    FAbs,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    CopySign,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Round,
    RoundEven,
    LdExp,
    IsFpClass,
}

impl MathFn {
    /// How many of its arguments, from the first, are floats; the rest are integers.
    pub fn floats(self) -> usize {
        match self {
            MathFn::LdExp | MathFn::Powi | MathFn::IsFpClass => 1,
            _ => usize::MAX,
        }
    }
}
