//! IEEE 754 numbers: what the operators on floats compute.
//!
//! A float is a bit-vector in the interchange encoding of its [`Format`]: sign, exponent, significand. So whatever
//! works on bits works on floats, and only arithmetic needs operators of its own ([`FloatOp`]). Their results have one
//! NaN only, [`Format::nan`].
//!
//! [`operate`] computes what an operator gives: the processor for `f32` and `f64` where it rounds to the nearest
//! (`native`), and elsewhere exact arithmetic on integers times powers of two, rounded once (`exact`, `round`).

mod exact;
mod host;
mod native;
mod round;

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;

use crate::{Bv, Rational};

/// A format: how many bits the exponent and the significand have. The significand's first bit is not written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Format {
    /// Bits of the exponent; at least two.
    pub exponent: u32,
    /// Bits of the significand with its first one; at least two.
    pub significand: u32,
}

/// How a result that is not exact is rounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, ties to the one whose last bit is zero.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    Up,
    Down,
    ToZero,
}

impl Rounding {
    /// All of them, in the order of their codes.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::ToZero,
    ];

    /// How many bits a term has that says how to round.
    pub const WIDTH: u32 = 3;

    pub fn code(self) -> u64 {
        self as u64
    }

    /// What a code stands for; those that are too large stand for the last.
    pub fn of_code(code: u64) -> Rounding {
        Rounding::ALL[code.min(4) as usize]
    }

    /// SMT-LIB's short name.
    pub fn name(self) -> &'static str {
        match self {
            Rounding::NearestEven => "RNE",
            Rounding::NearestAway => "RNA",
            Rounding::Up => "RTP",
            Rounding::Down => "RTN",
            Rounding::ToZero => "RTZ",
        }
    }
}

/// An operator on floats. Where a result may be inexact, the first operand says how to round: a bit-vector of
/// [`Rounding::WIDTH`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOp {
    Add,
    Mul,
    Div,
    /// Rounding, factor, factor, addend.
    Fma,
    Sqrt,
    /// The remainder by the nearest quotient, ties to even; always exact, so nothing says how to round.
    Rem,
    /// To an integer in the same format.
    RoundToIntegral,
    /// To another format.
    Convert,
    /// From a bit-vector, in two's complement.
    FromSigned,
    FromUnsigned,
    /// To a bit-vector, in two's complement; zero where there is none.
    ToSigned,
    ToUnsigned,
    /// As numbers: not a number is neither less nor equal, and zeros are equal.
    Eq,
    Lt,
    Le,
    /// A function that no circuit has: what the host's library computes in `f32` or `f64`.
    Function(Function),
}

/// A function of the host's mathematical library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1P,
    Cbrt,
    Pow,
    Atan2,
    Hypot,
}

impl Function {
    pub const ALL: [Function; 20] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Exp,
        Function::Exp2,
        Function::ExpM1,
        Function::Log,
        Function::Log2,
        Function::Log10,
        Function::Log1P,
        Function::Cbrt,
        Function::Pow,
        Function::Atan2,
        Function::Hypot,
    ];

    /// How many operands it has.
    pub fn arity(self) -> usize {
        match self {
            Function::Pow | Function::Atan2 | Function::Hypot => 2,
            _ => 1,
        }
    }

    /// C's name of the function on doubles.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Asin => "asin",
            Function::Acos => "acos",
            Function::Atan => "atan",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Tanh => "tanh",
            Function::Exp => "exp",
            Function::Exp2 => "exp2",
            Function::ExpM1 => "expm1",
            Function::Log => "log",
            Function::Log2 => "log2",
            Function::Log10 => "log10",
            Function::Log1P => "log1p",
            Function::Cbrt => "cbrt",
            Function::Pow => "pow",
            Function::Atan2 => "atan2",
            Function::Hypot => "hypot",
        }
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<Function> {
        Function::ALL
            .into_iter()
            .find(|function| function.name() == name)
    }
}

impl FloatOp {
    /// All that circuits have.
    pub const ALL: [FloatOp; 15] = [
        FloatOp::Add,
        FloatOp::Mul,
        FloatOp::Div,
        FloatOp::Fma,
        FloatOp::Sqrt,
        FloatOp::Rem,
        FloatOp::RoundToIntegral,
        FloatOp::Convert,
        FloatOp::FromSigned,
        FloatOp::FromUnsigned,
        FloatOp::ToSigned,
        FloatOp::ToUnsigned,
        FloatOp::Eq,
        FloatOp::Lt,
        FloatOp::Le,
    ];

    /// A number that stands for it in every run.
    pub fn code(self) -> u8 {
        match self {
            FloatOp::Function(function) => 64 + function as u8,
            op => FloatOp::ALL
                .iter()
                .position(|&known| known == op)
                .map_or(u8::MAX, |place| place as u8),
        }
    }

    pub fn of_code(code: u8) -> Option<FloatOp> {
        let code = usize::from(code);
        match code.checked_sub(64) {
            Some(place) => Function::ALL.get(place).copied().map(FloatOp::Function),
            None => FloatOp::ALL.get(code).copied(),
        }
    }

    /// How many operands it has, with the one that says how to round.
    pub fn arity(self) -> usize {
        match self {
            FloatOp::Fma => 4,
            FloatOp::Add | FloatOp::Mul | FloatOp::Div => 3,
            FloatOp::Function(function) => function.arity(),
            _ => 2,
        }
    }

    /// Whether the first operand says how to round.
    pub fn is_rounded(self) -> bool {
        use FloatOp::*;
        !matches!(self, Rem | Eq | Lt | Le | Function(_))
    }

    /// Whether the result is a float.
    pub fn gives_float(self) -> bool {
        use FloatOp::*;
        !matches!(self, ToSigned | ToUnsigned | Eq | Lt | Le)
    }

    /// Whether the operands, but for what says how to round, are floats.
    pub fn takes_floats(self) -> bool {
        !matches!(self, FloatOp::FromSigned | FloatOp::FromUnsigned)
    }
}

/// The most bits of an exponent: exponents are computed with in machine words.
pub const MAX_EXPONENT: u32 = 30;

impl Format {
    /// Whether there are numbers in this format, and arithmetic on them.
    pub fn is_supported(self) -> bool {
        (2..=MAX_EXPONENT).contains(&self.exponent) && self.significand >= 2
    }

    pub const HALF: Format = Format::new(5, 11);
    pub const BRAIN: Format = Format::new(8, 8);
    pub const SINGLE: Format = Format::new(8, 24);
    pub const DOUBLE: Format = Format::new(11, 53);
    /// What the 80-bit format of the x87 can represent; that has the significand's first bit too.
    pub const EXTENDED: Format = Format::new(15, 64);
    pub const QUAD: Format = Format::new(15, 113);

    pub const fn new(exponent: u32, significand: u32) -> Format {
        Format {
            exponent,
            significand,
        }
    }

    /// The format with this many bits, of which the exponent has so many.
    pub fn of_width(width: u32, exponent: u32) -> Format {
        Format::new(exponent, width - exponent)
    }

    /// How many bits a float has.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// How many bits of the significand are written.
    pub fn fraction(self) -> u32 {
        self.significand - 1
    }

    /// The largest exponent of a number, and what is added to exponents.
    pub(crate) fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the last bit of the smallest numbers.
    pub(crate) fn least(self) -> i64 {
        2 - self.bias() - i64::from(self.significand)
    }

    fn parts(self, negative: bool, exponent: &Bv, fraction: &Bv) -> Bv {
        Bv::new(1, negative.into())
            .concat(exponent)
            .concat(fraction)
    }

    pub fn zero(self, negative: bool) -> Bv {
        let fraction = Bv::zero(self.fraction());
        self.parts(negative, &Bv::zero(self.exponent), &fraction)
    }

    pub fn infinity(self, negative: bool) -> Bv {
        let fraction = Bv::zero(self.fraction());
        self.parts(negative, &Bv::ones(self.exponent), &fraction)
    }

    /// The largest number.
    pub fn largest(self, negative: bool) -> Bv {
        let exponent = Bv::ones(self.exponent).sub(&Bv::one(self.exponent));
        self.parts(negative, &exponent, &Bv::ones(self.fraction()))
    }

    /// Not a number, as every operator gives it: positive and quiet.
    pub fn nan(self) -> Bv {
        let top =
            Bv::one(self.fraction()).shl(&Bv::new(self.fraction(), u64::from(self.fraction()) - 1));
        self.parts(false, &Bv::ones(self.exponent), &top)
    }

    pub fn is_nan(self, bits: &Bv) -> bool {
        let magnitude = bits.extract(self.width() - 2, 0);
        self.infinity(false)
            .extract(self.width() - 2, 0)
            .ult(&magnitude)
    }

    /// The number of these bits.
    pub(crate) fn unpack(self, bits: &Bv) -> Number {
        debug_assert_eq!(bits.width(), self.width());
        let negative = bits.sign();
        let exponent = bits.extract(self.width() - 2, self.fraction());
        let fraction = bits.extract(self.fraction() - 1, 0).to_ubig();
        let field = exponent.to_u64().expect("an exponent of at most 64 bits") as i64;
        if exponent.is_ones() {
            return match fraction == UBig::ZERO {
                true => Number::Infinite { negative },
                false => Number::Nan,
            };
        }
        let hidden = UBig::from(u8::from(field > 0)) << self.fraction() as usize;
        Number::Finite(Finite {
            negative,
            significand: fraction + hidden,
            exponent: field.max(1) - 1 + self.least(),
        })
    }

    /// The exact value, if it is a number.
    pub fn to_rational(self, bits: &Bv) -> Option<Rational> {
        let Number::Finite(number) = self.unpack(bits) else {
            return None;
        };
        let power = UBig::ONE << number.exponent.unsigned_abs() as usize;
        let (numerator, denominator) = match number.exponent >= 0 {
            true => (number.significand * power, UBig::ONE),
            false => (number.significand, power),
        };
        let value = RBig::from_parts(numerator.into(), denominator);
        let value = Rational::from_big(value);
        Some(if number.negative { -value } else { value })
    }

    /// The float nearest to an exact number in the sense of `rounding`.
    pub fn of_rational(self, rounding: Rounding, value: &Rational) -> Bv {
        let big = value.to_big();
        let (numerator, denominator) = big.into_parts();
        let (sign, numerator) = numerator.into_parts();
        let quotient = exact::quotient(numerator, denominator, 0, self.significand);
        let negative = sign == dashu_int::Sign::Negative;
        round::round(self, rounding, negative, quotient.0, quotient.1)
    }
}

/// A float by what it stands for.
pub(crate) enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

/// An integer times a power of two; zero has a sign too.
#[derive(Clone)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    pub(crate) significand: UBig,
    pub(crate) exponent: i64,
}

impl Finite {
    pub(crate) fn is_zero(&self) -> bool {
        self.significand == UBig::ZERO
    }

    /// The exponent of the bit above the first one.
    pub(crate) fn top(&self) -> i64 {
        self.exponent + self.significand.bit_len() as i64
    }
}

/// What an operator gives: bits, or for a comparison one bit. `format` is that of the operands, or of the result where
/// these are integers; `result` is the result's width, and its format's exponent where it is converted.
pub fn operate(op: FloatOp, format: Format, result: (u32, u32), args: &[&Bv]) -> Bv {
    if let Some(word) = native::operate(op, format, result, args) {
        return Bv::new(result.0, word);
    }
    operate_exactly(op, format, result, args)
}

/// The same without the processor.
pub fn operate_exactly(op: FloatOp, format: Format, result: (u32, u32), args: &[&Bv]) -> Bv {
    exact::operate(op, format, result, args)
}

pub use host::HostFunction;
pub(crate) use native::operate_words;
