//! Floats that depend on input: the bits of results as terms of the bits of operands, as the processor has them.
//!
//! Terms have one NaN. A processor has many: it gives the one that an operand is, made quiet, or else its own, which is
//! negative. So the bits of a result that may be NaN are a choice; operators on floats see through it.

use refrain_term::{Bv, Format as Shape, Function, Op, Rounding, Term, Terms};

use crate::code::{Format, MathFn};
use crate::ir::{BinaryOp, FCmpPredicate};

/// What terms call a format. In memory the one of the x87 has the first bit of the significand too.
pub(crate) fn shape(format: Format) -> Shape {
    match format {
        Format::Half => Shape::HALF,
        Format::BFloat => Shape::BRAIN,
        Format::Single => Shape::SINGLE,
        Format::Double => Shape::DOUBLE,
        Format::X87 => Shape::EXTENDED,
        Format::Quad => Shape::QUAD,
    }
}

/// The bits in memory as those of the format's shape.
pub(super) fn unpacked(terms: &mut Terms, format: Format, bits: Term) -> Term {
    if format != Format::X87 {
        return bits;
    }
    if let Some(shape) = packed_from(terms, bits) {
        return shape;
    }
    let sign_and_exponent = terms.extract(bits, 79, 64);
    let exponent = terms.extract(bits, 78, 64);
    let first = terms.extract(bits, 63, 63);
    let fraction = terms.extract(bits, 62, 0);
    let plain = terms.concat(sign_and_exponent, fraction);
    let (zero, one) = (terms.bv(15, 0), terms.bv(1, 1));
    let is_least = terms.eq(exponent, zero);
    let has_first = terms.eq(first, one);
    // With the first bit but without an exponent it is the smallest normal number; without it, with one, it is none.
    let sign = terms.extract(bits, 79, 79);
    let least = terms.bv(15, 1);
    let normal = terms.concat(sign, least);
    let normal = terms.concat(normal, fraction);
    let nan = terms.constant(Shape::EXTENDED.nan());
    let with_first = terms.ite(is_least, normal, plain);
    let without = terms.ite(is_least, plain, nan);
    terms.ite(has_first, with_first, without)
}

/// The bits of the format's shape as they are in memory.
fn packed(terms: &mut Terms, format: Format, bits: Term) -> Term {
    if format != Format::X87 {
        return bits;
    }
    let sign_and_exponent = terms.extract(bits, 78, 63);
    let exponent = terms.extract(bits, 77, 63);
    let fraction = terms.extract(bits, 62, 0);
    let zero = terms.bv(15, 0);
    let is_least = terms.eq(exponent, zero);
    let (no, yes) = (terms.bv(1, 0), terms.bv(1, 1));
    let first = terms.ite(is_least, no, yes);
    let low = terms.concat(first, fraction);
    terms.concat(sign_and_exponent, low)
}

/// What was packed to these bits, if they are that.
fn packed_from(terms: &mut Terms, bits: Term) -> Option<Term> {
    if terms.op(bits) != Op::Concat {
        return None;
    }
    let high = terms.arg(bits, 0);
    if !matches!(terms.op(high), Op::Extract { lo: 63 }) {
        return None;
    }
    let shape = terms.arg(high, 0);
    let is_whole = terms.width(shape) == Shape::EXTENDED.width();
    (is_whole && packed(terms, Format::X87, shape) == bits).then_some(shape)
}

/// A result with the NaN that the processor gives: that of the first operand that is one, or its own.
fn with_nan(terms: &mut Terms, shape: Shape, result: Term, operands: &[Term]) -> Term {
    let own = Bv::one(shape.width()).shl(&Bv::new(shape.width(), u64::from(shape.width()) - 1));
    let mut nan = terms.constant(shape.nan().or(&own));
    let quiet = terms.constant(shape.nan());
    for &operand in operands.iter().rev() {
        let is_nan = terms.float_is_nan(shape, operand);
        let quieted = terms.bv_or(quiet, operand);
        nan = terms.ite(is_nan, quieted, nan);
    }
    let is_nan = terms.float_is_nan(shape, result);
    terms.ite(is_nan, nan, result)
}

fn nearest(terms: &mut Terms) -> Term {
    terms.rounding(Rounding::NearestEven)
}

/// A calculation on two floats.
pub(crate) fn binary(terms: &mut Terms, op: BinaryOp, format: Format, a: Term, b: Term) -> Term {
    let shape = shape(format);
    let (a, b) = (unpacked(terms, format, a), unpacked(terms, format, b));
    let rounding = nearest(terms);
    let result = match op {
        BinaryOp::FAdd => terms.float_add(shape, rounding, a, b),
        BinaryOp::FSub => terms.float_sub(shape, rounding, a, b),
        BinaryOp::FMul => terms.float_mul(shape, rounding, a, b),
        BinaryOp::FDiv => terms.float_div(shape, rounding, a, b),
        _ => truncated_remainder(terms, shape, a, b),
    };
    let result = with_nan(terms, shape, result, &[a, b]);
    packed(terms, format, result)
}

/// The remainder of the nearest quotient.
pub(crate) fn remainder(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    let shape = shape(format);
    let (a, b) = (unpacked(terms, format, a), unpacked(terms, format, b));
    let result = terms.float_rem(shape, a, b);
    let result = with_nan(terms, shape, result, &[a, b]);
    packed(terms, format, result)
}

/// The remainder of the quotient rounded towards zero, as `fmod` has it: from the one of the nearest quotient.
fn truncated_remainder(terms: &mut Terms, shape: Shape, a: Term, b: Term) -> Term {
    let (x, y) = (terms.float_abs(shape, a), terms.float_abs(shape, b));
    let near = terms.float_rem(shape, x, y);
    let zero = terms.constant(shape.zero(false));
    let is_below = terms.float_lt(shape, near, zero);
    // This sum is exact.
    let rounding = terms.rounding(Rounding::ToZero);
    let above = terms.float_add(shape, rounding, near, y);
    let magnitude = terms.ite(is_below, above, near);
    with_sign(terms, shape, magnitude, a)
}

/// A number with the sign of another; what is NaN stays.
fn with_sign(terms: &mut Terms, shape: Shape, magnitude: Term, sign: Term) -> Term {
    let top = shape.width() - 1;
    let sign = terms.extract(sign, top, top);
    let rest = terms.extract(magnitude, top - 1, 0);
    let signed = terms.concat(sign, rest);
    let is_nan = terms.float_is_nan(shape, magnitude);
    terms.ite(is_nan, magnitude, signed)
}

/// Whether a predicate holds.
pub(crate) fn compare(
    terms: &mut Terms,
    predicate: FCmpPredicate,
    format: Format,
    a: Term,
    b: Term,
) -> Term {
    let shape = shape(format);
    let (a, b) = (unpacked(terms, format, a), unpacked(terms, format, b));
    // What holds of what has no order is the negation of what does not.
    if predicate.0 & 8 != 0 {
        let ordered = ordered(terms, !predicate.0 & 7, shape, a, b);
        return terms.not(ordered);
    }
    ordered(terms, predicate.0, shape, a, b)
}

/// Whether two floats have one of some orders: equal, greater, less.
fn ordered(terms: &mut Terms, orders: u8, shape: Shape, a: Term, b: Term) -> Term {
    match orders {
        0 => Term::FALSE,
        1 => terms.float_eq(shape, a, b),
        2 => terms.float_lt(shape, b, a),
        3 => terms.float_le(shape, b, a),
        4 => terms.float_lt(shape, a, b),
        5 => terms.float_le(shape, a, b),
        6 => {
            let (less, greater) = (terms.float_lt(shape, a, b), terms.float_lt(shape, b, a));
            terms.or2(less, greater)
        }
        _ => {
            let (x, y) = (terms.float_is_nan(shape, a), terms.float_is_nan(shape, b));
            let any = terms.or2(x, y);
            terms.not(any)
        }
    }
}

/// The same number in another format.
pub(crate) fn convert(terms: &mut Terms, from: Format, to: Format, a: Term) -> Term {
    let (source, target) = (shape(from), shape(to));
    let a = unpacked(terms, from, a);
    let rounding = nearest(terms);
    let number = terms.float_convert(source, target, rounding, a);
    // The first bits of what a NaN carries stay.
    let (own, wanted) = (source.fraction(), target.fraction());
    let payload = match own >= wanted {
        true => terms.extract(a, own - 1, own - wanted),
        false => {
            let payload = terms.extract(a, own - 1, 0);
            let rest = terms.constant(Bv::zero(wanted - own));
            terms.concat(payload, rest)
        }
    };
    let sign = terms.extract(a, source.width() - 1, source.width() - 1);
    let exponent = terms.constant(Bv::ones(target.exponent));
    let high = terms.concat(sign, exponent);
    let nan = terms.concat(high, payload);
    let quiet = terms.constant(target.nan());
    let nan = terms.bv_or(quiet, nan);
    let is_nan = terms.float_is_nan(source, a);
    let result = terms.ite(is_nan, nan, number);
    packed(terms, to, result)
}

/// What a float becomes as an integer where it is out of range.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutOfRange {
    /// What the processor gives, which converts to 32 or 64 bits.
    AsTheProcessor,
    /// One bit only.
    HighestBit,
    /// The nearest integer there is, and zero for NaN.
    Saturates,
}

/// The integer of a float, cut to a width.
pub(crate) fn to_int(
    terms: &mut Terms,
    from: Format,
    width: u32,
    signed: bool,
    otherwise: OutOfRange,
    a: Term,
) -> Term {
    let shape = shape(from);
    let a = unpacked(terms, from, a);
    match otherwise {
        OutOfRange::Saturates => {
            let negative = terms.extract(a, shape.width() - 1, shape.width() - 1);
            let one = terms.bv(1, 1);
            let is_negative = terms.eq(negative, one);
            let (least, most) = match signed {
                true => (Bv::min_signed(width), Bv::max_signed(width)),
                false => (Bv::zero(width), Bv::ones(width)),
            };
            let (least, most) = (terms.constant(least), terms.constant(most));
            let bound = terms.ite(is_negative, least, most);
            let zero = terms.constant(Bv::zero(width));
            let is_nan = terms.float_is_nan(shape, a);
            let otherwise = terms.ite(is_nan, zero, bound);
            truncated(terms, shape, a, width, signed, otherwise)
        }
        OutOfRange::HighestBit => {
            let otherwise = terms.constant(Bv::min_signed(width));
            truncated(terms, shape, a, width, signed, otherwise)
        }
        OutOfRange::AsTheProcessor => {
            let wide = if signed && width <= 32 { 32 } else { 64 };
            let indefinite = terms.constant(Bv::min_signed(wide));
            let mut result = truncated(terms, shape, a, wide, true, indefinite);
            if !signed && width == 64 {
                let most = terms.constant(Bv::ones(64));
                let unsigned = truncated(terms, shape, a, 64, false, most);
                let bound = Rounding::ToZero;
                let two_to_63 = terms.rounding(bound);
                let one = terms.constant(Bv::one(65).shl(&Bv::new(65, 63)));
                let bound = terms.float_from_integer(shape, two_to_63, one, true);
                let is_large = terms.float_le(shape, bound, a);
                result = terms.ite(is_large, unsigned, result);
            }
            if width < wide {
                result = terms.extract(result, width - 1, 0);
            }
            result
        }
    }
}

/// The integer of a float without its fraction, or something else where there is none of this width.
fn truncated(
    terms: &mut Terms,
    shape: Shape,
    a: Term,
    width: u32,
    signed: bool,
    otherwise: Term,
) -> Term {
    let rounding = terms.rounding(Rounding::ToZero);
    let fits = terms.float_fits_integer(shape, rounding, a, width, signed);
    let integer = terms.float_to_integer(shape, rounding, a, width, signed);
    terms.ite(fits, integer, otherwise)
}

/// An integer as a float.
pub(crate) fn from_int(terms: &mut Terms, to: Format, signed: bool, a: Term) -> Term {
    let rounding = nearest(terms);
    let result = terms.float_from_integer(shape(to), rounding, a, signed);
    packed(terms, to, result)
}

/// A function whose result is exact, or rounded once. `None`: terms do not have it.
pub(crate) fn math(terms: &mut Terms, name: MathFn, format: Format, args: &[Term]) -> Option<Term> {
    let shape = shape(format);
    let a = unpacked(terms, format, *args.first()?);
    let second = |terms: &mut Terms| Some(unpacked(terms, format, *args.get(1)?));
    let round = |terms: &mut Terms, mode: Rounding| {
        let mode = terms.rounding(mode);
        let result = terms.float_round(shape, mode, a);
        with_nan(terms, shape, result, &[a])
    };
    let result = match name {
        MathFn::Sqrt => {
            let rounding = nearest(terms);
            let result = terms.float_sqrt(shape, rounding, a);
            with_nan(terms, shape, result, &[a])
        }
        MathFn::Fma => {
            let b = second(terms)?;
            let c = unpacked(terms, format, *args.get(2)?);
            let rounding = nearest(terms);
            let result = terms.float_fma(shape, rounding, [a, b], c);
            with_nan(terms, shape, result, &[a, b, c])
        }
        MathFn::FAbs => terms.float_abs(shape, a),
        MathFn::CopySign => {
            let b = second(terms)?;
            let top = shape.width() - 1;
            let sign = terms.extract(b, top, top);
            let rest = terms.extract(a, top - 1, 0);
            terms.concat(sign, rest)
        }
        MathFn::MinNum => {
            let b = second(terms)?;
            terms.float_min(shape, a, b)
        }
        MathFn::MaxNum => {
            let b = second(terms)?;
            terms.float_max(shape, a, b)
        }
        MathFn::Minimum | MathFn::Maximum => {
            let b = second(terms)?;
            extreme(terms, shape, a, b, name == MathFn::Maximum)
        }
        MathFn::Floor => round(terms, Rounding::Down),
        MathFn::Ceil => round(terms, Rounding::Up),
        MathFn::Trunc => round(terms, Rounding::ToZero),
        MathFn::Rint | MathFn::RoundEven => round(terms, Rounding::NearestEven),
        MathFn::Round => round(terms, Rounding::NearestAway),
        MathFn::LdExp => {
            let result = scaled(terms, shape, a, *args.get(1)?)?;
            with_nan(terms, shape, result, &[a])
        }
        MathFn::Powi => {
            let power = terms.small_value(*args.get(1)?)? as i32;
            let result = power_of(terms, shape, a, power);
            with_nan(terms, shape, result, &[a])
        }
        name => return function(terms, library(name)?, format, args),
    };
    Some(packed(terms, format, result))
}

/// A function of the host's library.
pub(crate) fn function(
    terms: &mut Terms,
    function: Function,
    format: Format,
    args: &[Term],
) -> Option<Term> {
    if !matches!(format, Format::Single | Format::Double) || args.len() != function.arity() {
        return None;
    }
    let shape = shape(format);
    let result = terms.float_function(shape, function, args);
    Some(with_nan(terms, shape, result, args))
}

/// The function of the host's library that an intrinsic is.
pub(super) fn library(name: MathFn) -> Option<Function> {
    Some(match name {
        MathFn::Sin => Function::Sin,
        MathFn::Cos => Function::Cos,
        MathFn::Tan => Function::Tan,
        MathFn::Asin => Function::Asin,
        MathFn::Acos => Function::Acos,
        MathFn::Atan => Function::Atan,
        MathFn::Atan2 => Function::Atan2,
        MathFn::Sinh => Function::Sinh,
        MathFn::Cosh => Function::Cosh,
        MathFn::Tanh => Function::Tanh,
        MathFn::Pow => Function::Pow,
        MathFn::Exp => Function::Exp,
        MathFn::Exp2 => Function::Exp2,
        MathFn::Log => Function::Log,
        MathFn::Log2 => Function::Log2,
        MathFn::Log10 => Function::Log10,
        _ => return None,
    })
}

/// The smaller or the larger one, where NaN goes first and zeros are ordered by their signs.
fn extreme(terms: &mut Terms, shape: Shape, a: Term, b: Term, greatest: bool) -> Term {
    let (x, y) = if greatest { (b, a) } else { (a, b) };
    let less = terms.float_lt(shape, x, y);
    let equal = terms.float_eq(shape, a, b);
    let negative = |terms: &mut Terms, term: Term| {
        let sign = terms.extract(term, shape.width() - 1, shape.width() - 1);
        let one = terms.bv(1, 1);
        terms.eq(sign, one)
    };
    let first_is_negative = negative(terms, a);
    let first = match greatest {
        true => terms.not(first_is_negative),
        false => first_is_negative,
    };
    let tie = terms.and2(equal, first);
    let takes_first = terms.or2(less, tie);
    let chosen = terms.ite(takes_first, a, b);
    let any_nan = [a, b].map(|operand| terms.float_is_nan(shape, operand));
    let is_nan = terms.or2(any_nan[0], any_nan[1]);
    let nan = terms.constant(shape.nan());
    terms.ite(is_nan, nan, chosen)
}

/// A number times two to an integer power, rounded once: exact in a format of larger exponents, and converted back.
fn scaled(terms: &mut Terms, shape: Shape, a: Term, power: Term) -> Option<Term> {
    let wide = Shape::new(shape.exponent + 4, shape.significand);
    let width = terms.sort(power).width()?;
    // Powers beyond these give zero or infinity all the same.
    let most = 1i64 << (shape.exponent + 1);
    let least = terms.constant(Bv::new(64, (-most) as u64));
    let most = terms.constant(Bv::new(64, most as u64));
    let power = match width {
        64 => power,
        _ => terms.sign_extend(power, 64 - width),
    };
    let is_below = terms.bv_slt(power, least);
    let is_above = terms.bv_slt(most, power);
    let power = terms.ite(is_above, most, power);
    let power = terms.ite(is_below, least, power);
    let bias = terms.bv(64, (1 << (wide.exponent - 1)) - 1);
    let field = terms.bv_add(power, bias);
    let field = terms.extract(field, wide.exponent - 1, 0);
    let sign = terms.bv(1, 0);
    let fraction = terms.constant(Bv::zero(wide.fraction()));
    let high = terms.concat(sign, field);
    let factor = terms.concat(high, fraction);
    let rounding = nearest(terms);
    let a = terms.float_convert(shape, wide, rounding, a);
    let product = terms.float_mul(wide, rounding, a, factor);
    Some(terms.float_convert(wide, shape, rounding, product))
}

/// A power as the compiler's runtime multiplies it.
fn power_of(terms: &mut Terms, shape: Shape, a: Term, power: i32) -> Term {
    let rounding = nearest(terms);
    let one = terms.bv(2, 1);
    let one = terms.float_from_integer(shape, rounding, one, true);
    let (mut result, mut base, mut left) = (one, a, power.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            result = terms.float_mul(shape, rounding, result, base);
        }
        left >>= 1;
        if left > 0 {
            base = terms.float_mul(shape, rounding, base, base);
        }
    }
    match power < 0 {
        true => terms.float_div(shape, rounding, one, result),
        false => result,
    }
}

/// Whether a float is of one of some classes, by the bits of `llvm.is.fpclass`.
pub(crate) fn is_class(terms: &mut Terms, format: Format, a: Term, classes: u32) -> Term {
    let shape = shape(format);
    let a = unpacked(terms, format, a);
    let top = shape.width() - 1;
    let sign = terms.extract(a, top, top);
    let one = terms.bv(1, 1);
    let negative = terms.eq(sign, one);
    let positive = terms.not(negative);
    let quiet = terms.extract(a, shape.fraction() - 1, shape.fraction() - 1);
    let quiet = terms.eq(quiet, one);
    let signalling = terms.not(quiet);
    let nan = terms.float_is_nan(shape, a);
    let infinite = terms.float_is_infinite(shape, a);
    let normal = terms.float_is_normal(shape, a);
    let subnormal = terms.float_is_subnormal(shape, a);
    let zero = terms.float_is_zero(shape, a);
    let tests = [
        (nan, signalling),
        (nan, quiet),
        (infinite, negative),
        (normal, negative),
        (subnormal, negative),
        (zero, negative),
        (zero, positive),
        (subnormal, positive),
        (normal, positive),
        (infinite, positive),
    ];
    let mut any = Vec::new();
    for (bit, (kind, sign)) in tests.into_iter().enumerate() {
        if classes >> bit & 1 == 1 {
            any.push(terms.and2(kind, sign));
        }
    }
    terms.or(&any)
}
