//! Calculations on numbers, in formats that the processor does not compute in, and functions of floats.

use refrain_term::Bv;
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

use crate::code::{Format, MathFn};
use crate::ir::BinaryOp;
use crate::ops::float::order_bit;

/// Runs `$body` with `$F` as the type of a format.
macro_rules! with_format {
    ($format:expr, $F:ident, $body:expr) => {
        match $format {
            Format::Half => {
                type $F = Half;
                $body
            }
            Format::BFloat => {
                type $F = BFloat;
                $body
            }
            Format::Single => {
                type $F = Single;
                $body
            }
            Format::Double => {
                type $F = Double;
                $body
            }
            Format::X87 => {
                type $F = X87DoubleExtended;
                $body
            }
            Format::Quad => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// A function of numbers, by their bits.
pub(crate) fn function(name: MathFn, format: Format, bits: &[u128]) -> u128 {
    match format {
        Format::Single if is_exact_in_double(name) => {
            let of = |index: usize| {
                f64::from(f32::from_bits(
                    bits.get(index).map_or(0, |&bits| bits as u32),
                ))
            };
            u128::from((math(name, of(0), of(1), of(2), second(bits)) as f32).to_bits())
        }
        Format::Single => {
            let of = |index: usize| f32::from_bits(bits.get(index).map_or(0, |&bits| bits as u32));
            u128::from(math_single(name, of(0), of(1), of(2), second(bits)).to_bits())
        }
        Format::Double => {
            let of = |index: usize| f64::from_bits(bits.get(index).map_or(0, |&bits| bits as u64));
            u128::from(math(name, of(0), of(1), of(2), second(bits)).to_bits())
        }
        _ => match exact(name, format, bits) {
            Some(bits) => bits,
            None => {
                // As near as a double gets.
                let of = |index: usize| {
                    let bits = bits
                        .get(index)
                        .map_or(0, |&bits| convert(bits, format, Format::Double));
                    f64::from_bits(bits as u64)
                };
                let value = math(name, of(0), of(1), of(2), second(bits));
                convert(u128::from(value.to_bits()), Format::Double, format)
            }
        },
    }
}

/// Whether a float is of one of some classes.
pub(crate) fn is_class(format: Format, bits: u128, classes: u32) -> bool {
    with_format!(format, F, float_class(F::from_bits(bits)) & classes != 0)
}

/// An integer of any width as a float.
pub(crate) fn from_integer_of_any_width(number: &Bv, signed: bool, to: Format) -> u128 {
    with_format!(to, F, from_wide_int::<F>(number, signed).to_bits())
}

/// A float as an integer of any width.
pub(crate) fn to_integer_of_any_width(
    bits: u128,
    from: Format,
    width: u32,
    signed: bool,
    saturating: bool,
) -> Bv {
    with_format!(from, F, to_int::<F>(bits, width, signed, saturating))
}

/// Whether a float without its fraction is an integer of so many bits.
pub(crate) fn fits(bits: u128, from: Format, width: u32, signed: bool) -> bool {
    with_format!(from, F, {
        let value = F::from_bits(bits);
        match width {
            0..=128 => truncate(value, width, signed).0,
            _ => fits_wide(value, width, signed),
        }
    })
}

/// Calculations on the bits of floats of any format, for constants.
pub(crate) fn calculate(op: BinaryOp, format: Format, a: u128, b: u128) -> u128 {
    with_format!(format, F, binary::<F>(op, a, b))
}

pub(crate) fn holds(predicate: crate::ir::FCmpPredicate, format: Format, a: u128, b: u128) -> bool {
    let order = with_format!(format, F, F::from_bits(a).partial_cmp(&F::from_bits(b)));
    u16::from(predicate.0) & order_bit(order) != 0
}

/// An integer of up to 128 bits as a float.
pub(crate) fn from_integer(bits: u128, width: u32, signed: bool, to: Format) -> u128 {
    let width = width.clamp(1, 128);
    let shift = 128 - width;
    with_format!(to, F, {
        let value: StatusAnd<F> = if signed {
            F::from_i128_r(((bits << shift) as i128) >> shift, Round::NearestTiesToEven)
        } else {
            F::from_u128_r(bits << shift >> shift, Round::NearestTiesToEven)
        };
        value.value.to_bits()
    })
}

pub(crate) fn to_integer(bits: u128, from: Format, width: u32, signed: bool) -> Bv {
    with_format!(from, F, to_int::<F>(bits, width, signed, false))
}

/// The second argument as an integer, for those that have one.
fn second(bits: &[u128]) -> i32 {
    bits.get(1).map_or(0, |&bits| bits as i32)
}

fn binary<F: Float>(op: BinaryOp, a: u128, b: u128) -> u128 {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        BinaryOp::FAdd => a + b,
        BinaryOp::FSub => a - b,
        BinaryOp::FMul => a * b,
        BinaryOp::FDiv => a / b,
        _ => a.c_fmod(b),
    };
    result.value.to_bits()
}

/// The same number in another format.
pub(crate) fn convert(bits: u128, from: Format, to: Format) -> u128 {
    fn to_format<A, B>(bits: u128) -> u128
    where
        A: FloatConvert<B>,
        B: Float,
    {
        let mut loses = false;
        let converted: StatusAnd<B> = A::from_bits(bits).convert(&mut loses);
        converted.value.to_bits()
    }
    if from == to {
        return bits;
    }
    with_format!(from, A, with_format!(to, B, to_format::<A, B>(bits)))
}

fn to_int<F: Float>(bits: u128, width: u32, signed: bool, saturating: bool) -> Bv {
    let value = F::from_bits(bits);
    if width > 128 {
        return to_wide_int(value, width, signed, saturating);
    }
    let (fits, nearest) = truncate(value, width, signed);
    let number = match (fits, saturating) {
        (false, true) if value.is_nan() => 0,
        (false, false) => 1u128 << (width - 1),
        _ => nearest,
    };
    let bv = Bv::from_words(128, vec![number as u64, (number >> 64) as u64]);
    if width < 128 {
        bv.extract(width - 1, 0)
    } else {
        bv
    }
}

/// Whether a float without its fraction is an integer of so many bits, at most 128; and the nearest one there is.
fn truncate<F: Float>(value: F, width: u32, signed: bool) -> (bool, u128) {
    let (width, mut exact) = (width as usize, false);
    let (status, number) = if signed {
        let converted = value.to_i128_r(width, Round::TowardZero, &mut exact);
        (converted.status, converted.value as u128)
    } else {
        let converted = value.to_u128_r(width, Round::TowardZero, &mut exact);
        (converted.status, converted.value)
    };
    (!status.contains(Status::INVALID_OP), number)
}

/// The same of more bits, without the integer.
fn fits_wide<F: Float>(value: F, width: u32, signed: bool) -> bool {
    if value.is_zero() {
        return true;
    }
    if !value.is_finite() {
        return false;
    }
    let highest = value.ilogb();
    match (signed, value.is_negative()) {
        (false, true) => highest < 0,
        (false, false) => highest < width as i32,
        (true, _) if highest < width as i32 - 1 => true,
        // The least integer.
        (true, negative) => {
            let one = -F::from_u128(1).value;
            negative && value.scalbn(1 - width as i32) == one
        }
    }
}

/// The same for integers of over 128 bits: what is too big for 128 has zeros at its end.
fn to_wide_int<F: Float>(value: F, width: u32, signed: bool, saturating: bool) -> Bv {
    let highest = if value.is_finite_non_zero() {
        value.ilogb()
    } else {
        0
    };
    if !fits_wide(value, width, signed) {
        return match (saturating, value.is_negative()) {
            (true, _) if value.is_nan() => Bv::zero(width),
            (true, true) if !signed => Bv::zero(width),
            (true, false) if signed => Bv::max_signed(width),
            (true, false) => Bv::ones(width),
            _ => Bv::min_signed(width),
        };
    }
    let by = (highest - 126).max(0);
    let mut exact = false;
    let number = value
        .scalbn(-by)
        .to_i128_r(128, Round::TowardZero, &mut exact)
        .value;
    let words = vec![number as u64, (number as u128 >> 64) as u64];
    let wide = Bv::from_words(128, words).sign_extend(width - 128);
    wide.shl(&Bv::new(width, by as u64))
}

/// An integer of over 128 bits as a float: its first 128 bits, the last of which says whether more follow.
fn from_wide_int<F: Float>(number: &Bv, signed: bool) -> F {
    let negative = signed && number.sign();
    let size = if negative {
        number.neg()
    } else {
        number.clone()
    };
    let words = size.words();
    let highest = words.iter().rposition(|&word| word != 0).unwrap_or(0);
    let used = 64 * highest as u32 + 64 - words[highest].leading_zeros();
    let by = used.saturating_sub(128);
    let shifted = size.lshr(&Bv::new(size.width(), u64::from(by)));
    let lost = shifted.shl(&Bv::new(size.width(), u64::from(by))) != size;
    let top =
        u128::from(shifted.words()[1]) << 64 | u128::from(shifted.words()[0]) | u128::from(lost);
    let value: StatusAnd<F> = F::from_u128_r(top, Round::NearestTiesToEven);
    let value = value.value.scalbn(by as i32);
    if negative { -value } else { value }
}

/// The bits of `llvm.is.fpclass`.
fn float_class<F: Float>(value: F) -> u32 {
    let sign = |negative: u32, positive: u32| {
        if value.is_negative() {
            negative
        } else {
            positive
        }
    };
    if value.is_nan() {
        if value.is_signaling() { 1 } else { 2 }
    } else if value.is_infinite() {
        sign(4, 512)
    } else if value.is_zero() {
        sign(32, 64)
    } else if value.is_denormal() {
        sign(16, 128)
    } else {
        sign(8, 256)
    }
}

/// Functions on any format without loss.
fn exact(name: MathFn, format: Format, bits: &[u128]) -> Option<u128> {
    with_format!(format, F, {
        let a = F::from_bits(bits[0]);
        let b = bits.get(1).map(|&bits| F::from_bits(bits));
        let round = |mode: Round| Some(a.round_to_integral(mode).value.to_bits());
        match name {
            MathFn::FAbs => Some(a.abs().to_bits()),
            MathFn::Floor => round(Round::TowardNegative),
            MathFn::Ceil => round(Round::TowardPositive),
            MathFn::Trunc => round(Round::TowardZero),
            MathFn::Rint | MathFn::RoundEven => round(Round::NearestTiesToEven),
            MathFn::Round => round(Round::NearestTiesToAway),
            MathFn::MinNum => b.map(|b| a.min(b).to_bits()),
            MathFn::MaxNum => b.map(|b| a.max(b).to_bits()),
            MathFn::CopySign => b.map(|b| a.copy_sign(b).to_bits()),
            MathFn::Minimum => b.map(|b| a.minimum(b).to_bits()),
            MathFn::Maximum => b.map(|b| a.maximum(b).to_bits()),
            MathFn::LdExp => Some(a.scalbn(second(bits)).to_bits()),
            MathFn::Fma => {
                let c = F::from_bits(*bits.get(2)?);
                Some(a.mul_add(b?, c).value.to_bits())
            }
            MathFn::Sqrt if format.bits() > 64 => Some(square_root(a).to_bits()),
            _ => None,
        }
    })
}

/// The square root in a format of over 64 bits, rounded to the nearest.
fn square_root<F: Float>(a: F) -> F {
    if a.is_nan() || a.is_zero() || (a.is_infinite() && !a.is_negative()) {
        return a;
    }
    if a.is_negative() {
        return F::NAN;
    }
    // As an integer times an even power of two: its root has more bits than the format and two.
    let exponent = a.ilogb();
    let scale = 126 - exponent - (exponent & 1);
    let mut exact = false;
    let number = a
        .scalbn(scale)
        .to_u128_r(128, Round::TowardZero, &mut exact)
        .value;
    let radicand = Bv::from_words(256, vec![0, 0, number as u64, (number >> 64) as u64]);
    let square = |root: u128| {
        let root = Bv::from_words(256, vec![root as u64, (root >> 64) as u64, 0, 0]);
        root.mul(&root)
    };
    // Bit by bit from the top.
    let mut root = 0u128;
    for bit in (0..128).rev() {
        let tried = root | 1 << bit;
        if !radicand.ult(&square(tried)) {
            root = tried;
        }
    }
    // What is left over shows in the last bit, far behind the last one of the format.
    let root = root | u128::from(square(root) != radicand);
    let root: StatusAnd<F> = F::from_u128_r(root, Round::NearestTiesToEven);
    root.value.scalbn(-(scale + 128) / 2)
}

/// A result in double precision, rounded, is the right one in single precision.
fn is_exact_in_double(name: MathFn) -> bool {
    use MathFn::*;
    matches!(
        name,
        Sqrt | FAbs
            | MinNum
            | MaxNum
            | Minimum
            | Maximum
            | CopySign
            | Floor
            | Ceil
            | Trunc
            | Rint
            | Round
            | RoundEven
            | LdExp
    )
}

pub(crate) fn math(name: MathFn, a: f64, b: f64, c: f64, n: i32) -> f64 {
    match name {
        MathFn::Sqrt => a.sqrt(),
        MathFn::Sin => a.sin(),
        MathFn::Cos => a.cos(),
        MathFn::Tan => a.tan(),
        MathFn::Asin => a.asin(),
        MathFn::Acos => a.acos(),
        MathFn::Atan => a.atan(),
        MathFn::Atan2 => a.atan2(b),
        MathFn::Sinh => a.sinh(),
        MathFn::Cosh => a.cosh(),
        MathFn::Tanh => a.tanh(),
        MathFn::Pow => a.powf(b),
        MathFn::Powi => powi(a, n),
        MathFn::Exp => a.exp(),
        MathFn::Exp2 => a.exp2(),
        MathFn::Exp10 => 10f64.powf(a),
        MathFn::Log => a.ln(),
        MathFn::Log2 => a.log2(),
        MathFn::Log10 => a.log10(),
        MathFn::Fma => a.mul_add(b, c),
        MathFn::FAbs => a.abs(),
        MathFn::MinNum => a.min(b),
        MathFn::MaxNum => a.max(b),
        MathFn::Minimum => {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else if a == b {
                if a.is_sign_negative() { a } else { b }
            } else {
                a.min(b)
            }
        }
        MathFn::Maximum => {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else if a == b {
                if a.is_sign_negative() { b } else { a }
            } else {
                a.max(b)
            }
        }
        MathFn::CopySign => a.copysign(b),
        MathFn::Floor => a.floor(),
        MathFn::Ceil => a.ceil(),
        MathFn::Trunc => a.trunc(),
        MathFn::Rint | MathFn::RoundEven => a.round_ties_even(),
        MathFn::Round => a.round(),
        MathFn::LdExp => ldexp(a, n),
        MathFn::IsFpClass => 0.0,
    }
}

fn math_single(name: MathFn, a: f32, b: f32, c: f32, n: i32) -> f32 {
    match name {
        MathFn::Sin => a.sin(),
        MathFn::Cos => a.cos(),
        MathFn::Tan => a.tan(),
        MathFn::Asin => a.asin(),
        MathFn::Acos => a.acos(),
        MathFn::Atan => a.atan(),
        MathFn::Atan2 => a.atan2(b),
        MathFn::Sinh => a.sinh(),
        MathFn::Cosh => a.cosh(),
        MathFn::Tanh => a.tanh(),
        MathFn::Pow => a.powf(b),
        MathFn::Exp => a.exp(),
        MathFn::Exp2 => a.exp2(),
        MathFn::Exp10 => 10f32.powf(a),
        MathFn::Log => a.ln(),
        MathFn::Log2 => a.log2(),
        MathFn::Log10 => a.log10(),
        MathFn::Fma => a.mul_add(b, c),
        MathFn::Powi => {
            let (mut result, mut base, mut left) = (1f32, a, n.unsigned_abs());
            while left > 0 {
                if left & 1 == 1 {
                    result *= base;
                }
                base *= base;
                left >>= 1;
            }
            if n < 0 { 1.0 / result } else { result }
        }
        _ => math(name, f64::from(a), f64::from(b), f64::from(c), n) as f32,
    }
}

/// As the compiler's runtime multiplies.
fn powi(a: f64, n: i32) -> f64 {
    let (mut result, mut base, mut left) = (1f64, a, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            result *= base;
        }
        left >>= 1;
        if left > 0 {
            base *= base;
        }
    }
    if n < 0 { 1.0 / result } else { result }
}

fn ldexp(a: f64, n: i32) -> f64 {
    let scaled = Double::from_bits(u128::from(a.to_bits())).scalbn(n);
    f64::from_bits(scaled.to_bits() as u64)
}
