//! The functions of the theory FloatingPoint.
//!
//! Scripts have floats and rounding modes as sorts of their own. Below that surface they are bit-vectors: a function
//! takes the bits of its arguments and gives the surface of a result.
//!
//! Where the standard leaves a result open (the minimum of two zeros, an integer that is too large for its bits), a
//! function that no script can name says what it is.

use refrain_term::{Format, Rounding, Sort, Term, Terms};

use crate::builtin::{Builtin, MAX_WIDTH, at_least, exactly};
use crate::sorts::with_article;

type Test = fn(&mut Terms, Format, Term) -> Term;
type Map = fn(&mut Terms, Format, Term) -> Term;
type Operator = fn(&mut Terms, Format, Term, Term, Term) -> Term;
type Comparison = fn(&mut Terms, Format, Term, Term) -> Term;

#[derive(Clone, Copy, Debug)]
pub enum Floats {
    /// A rounding mode, which takes no arguments.
    Mode(Rounding),
    /// From sign, exponent and fraction.
    Fp,
    /// What a float is like.
    Test(Test),
    /// Without rounding.
    Map(Map),
    /// A rounding mode and two floats.
    Operator(Operator),
    /// A rounding mode and one float.
    Rounded(Operator),
    Fma,
    Rem,
    /// The smaller one of two; the larger one if true.
    Least(bool),
    /// Each argument and the next.
    Compare(Comparison),
    /// From bits, from another format, from a number, from a signed bit-vector.
    ToFp,
    ToFpUnsigned,
    /// To a bit-vector; signed if true.
    ToBits(bool),
    ToReal,
    /// The bits of a float.
    ToIeee,
}

/// Of a rounding mode and one float, in the form of those of two.
pub fn sqrt(terms: &mut Terms, format: Format, rounding: Term, a: Term, _: Term) -> Term {
    terms.float_sqrt(format, rounding, a)
}

pub fn round_to_integral(
    terms: &mut Terms,
    format: Format,
    rounding: Term,
    a: Term,
    _: Term,
) -> Term {
    terms.float_round(format, rounding, a)
}

pub fn greater(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    terms.float_lt(format, b, a)
}

pub fn greater_or_equal(terms: &mut Terms, format: Format, a: Term, b: Term) -> Term {
    terms.float_le(format, b, a)
}

/// The format of these numerals; the message if there is none.
pub fn format(exponent: u32, significand: u32) -> Result<Format, String> {
    let format = Format::new(exponent, significand);
    let fits = u64::from(exponent) + u64::from(significand) <= u64::from(MAX_WIDTH);
    if !format.is_supported() || !fits {
        return Err(format!(
            "there is no format with {exponent} bits of exponent and {significand} of significand: an exponent has 2 to \
             {} bits, a significand at least 2",
            refrain_term::float::MAX_EXPONENT
        ));
    }
    Ok(format)
}

/// The constant `(_ name eb sb)`, if there is one of this name.
pub fn constant(terms: &mut Terms, name: &[u8], format: Format) -> Option<Term> {
    let bits = match name {
        b"+oo" => format.infinity(false),
        b"-oo" => format.infinity(true),
        b"+zero" => format.zero(false),
        b"-zero" => format.zero(true),
        b"NaN" => format.nan(),
        _ => return None,
    };
    let bits = terms.constant(bits);
    Some(terms.surface(Sort::Float(format), bits))
}

/// A function of floats applied to arguments; the message if it does not fit them.
pub fn apply(
    terms: &mut Terms,
    builtin: &Builtin,
    function: Floats,
    indices: [u32; 2],
    args: &[Term],
) -> Result<Term, String> {
    let float =
        |terms: &mut Terms, format: Format, bits: Term| terms.surface(Sort::Float(format), bits);
    match function {
        Floats::Mode(rounding) => {
            exactly::<0>(builtin, args)?;
            let code = terms.rounding(rounding);
            Ok(terms.surface(Sort::RoundingMode, code))
        }
        Floats::Fp => {
            let [sign, exponent, fraction] = exactly(builtin, args)?;
            let [one, eb, fb] = [sign, exponent, fraction].map(|arg| terms.sort(arg).width());
            let (Some(1), Some(eb), Some(fb)) = (one, eb, fb) else {
                return Err(
                    "'fp' takes a bit, and the bit-vectors of exponent and fraction".to_owned(),
                );
            };
            let format = format(eb, fb + 1)?;
            let high = terms.concat(sign, exponent);
            let bits = terms.concat(high, fraction);
            Ok(float(terms, format, bits))
        }
        Floats::Test(test) => {
            let [a] = exactly(builtin, args)?;
            let (format, a) = operand(terms, builtin, a)?;
            Ok(test(terms, format, a))
        }
        Floats::Map(map) => {
            let [a] = exactly(builtin, args)?;
            let (format, a) = operand(terms, builtin, a)?;
            let bits = map(terms, format, a);
            Ok(float(terms, format, bits))
        }
        Floats::Operator(operator) => {
            let [rounding, a, b] = exactly(builtin, args)?;
            let rounding = mode(terms, builtin, rounding)?;
            let (format, [a, b]) = operands(terms, builtin, [a, b])?;
            let bits = operator(terms, format, rounding, a, b);
            Ok(float(terms, format, bits))
        }
        Floats::Rounded(operator) => {
            let [rounding, a] = exactly(builtin, args)?;
            let rounding = mode(terms, builtin, rounding)?;
            let (format, a) = operand(terms, builtin, a)?;
            let bits = operator(terms, format, rounding, a, a);
            Ok(float(terms, format, bits))
        }
        Floats::Fma => {
            let [rounding, a, b, c] = exactly(builtin, args)?;
            let rounding = mode(terms, builtin, rounding)?;
            let (format, [a, b, c]) = operands(terms, builtin, [a, b, c])?;
            let bits = terms.float_fma(format, rounding, [a, b], c);
            Ok(float(terms, format, bits))
        }
        Floats::Rem => {
            let [a, b] = exactly(builtin, args)?;
            let (format, [a, b]) = operands(terms, builtin, [a, b])?;
            let bits = terms.float_rem(format, a, b);
            Ok(float(terms, format, bits))
        }
        Floats::Least(greatest) => {
            let [a, b] = exactly(builtin, args)?;
            let (format, [a, b]) = operands(terms, builtin, [a, b])?;
            let bits = least(terms, format, a, b, greatest);
            Ok(float(terms, format, bits))
        }
        Floats::Compare(compare) => {
            at_least(builtin, args, 2)?;
            let mut links = Vec::new();
            for pair in args.windows(2) {
                let (format, [a, b]) = operands(terms, builtin, [pair[0], pair[1]])?;
                links.push(compare(terms, format, a, b));
            }
            Ok(terms.and(&links))
        }
        Floats::ToFp => {
            let to = format(indices[0], indices[1])?;
            let bits = to_float(terms, builtin, to, args)?;
            Ok(float(terms, to, bits))
        }
        Floats::ToFpUnsigned => {
            let to = format(indices[0], indices[1])?;
            let [rounding, a] = exactly(builtin, args)?;
            let rounding = mode(terms, builtin, rounding)?;
            if terms.sort(a).width().is_none() {
                return Err(refused(terms, builtin, "a bit-vector", a));
            }
            let bits = terms.float_from_integer(to, rounding, a, false);
            Ok(float(terms, to, bits))
        }
        Floats::ToBits(signed) => {
            let [rounding, a] = exactly(builtin, args)?;
            let rounding = mode(terms, builtin, rounding)?;
            let (format, a) = operand(terms, builtin, a)?;
            let width = indices[0];
            if width == 0 || width > MAX_WIDTH {
                return Err(format!(
                    "the width of a bit-vector is from 1 to {MAX_WIDTH}"
                ));
            }
            Ok(to_integer(terms, format, rounding, a, width, signed))
        }
        Floats::ToReal => {
            let [a] = exactly(builtin, args)?;
            let (format, a) = operand(terms, builtin, a)?;
            let value = terms.value(a).and_then(|bits| format.to_rational(bits));
            match value {
                Some(value) => Ok(terms.number(Sort::Real, value)),
                None => Err(format!(
                    "'{}' takes a constant that is a number",
                    builtin.name
                )),
            }
        }
        Floats::ToIeee => {
            let [a] = exactly(builtin, args)?;
            let (format, a) = operand(terms, builtin, a)?;
            Ok(terms.float_canonical(format, a))
        }
    }
}

/// `to_fp` in all its forms.
fn to_float(
    terms: &mut Terms,
    builtin: &Builtin,
    to: Format,
    args: &[Term],
) -> Result<Term, String> {
    if let &[bits] = args {
        return match terms.sort(bits) {
            Sort::BitVec(width) if width == to.width() => Ok(bits),
            sort => Err(format!(
                "'{}' takes a bit-vector of {} bits, not {}",
                builtin.name,
                to.width(),
                with_article(sort)
            )),
        };
    }
    let [rounding, a] = exactly(builtin, args)?;
    let rounding = mode(terms, builtin, rounding)?;
    match terms.sort(a) {
        Sort::Float(from) => {
            let bits = terms.below_surface(a);
            Ok(terms.float_convert(from, to, rounding, bits))
        }
        Sort::BitVec(_) => Ok(terms.float_from_integer(to, rounding, a, true)),
        Sort::Int | Sort::Real => {
            let Some(value) = terms.number_value(a).cloned() else {
                return Err(format!(
                    "'{}' takes a constant here: conversion of other numbers is not supported",
                    builtin.name
                ));
            };
            // One float for each mode, where the mode is not known.
            let mut result = terms.constant(to.of_rational(Rounding::ToZero, &value));
            for choice in &Rounding::ALL[..4] {
                let code = terms.rounding(*choice);
                let is_choice = terms.eq(rounding, code);
                let bits = terms.constant(to.of_rational(*choice, &value));
                result = terms.ite(is_choice, bits, result);
            }
            Ok(result)
        }
        _ => Err(refused(
            terms,
            builtin,
            "a float, a number or a bit-vector",
            a,
        )),
    }
}

/// The integer of a float, or what nobody knows where it does not fit.
fn to_integer(
    terms: &mut Terms,
    format: Format,
    rounding: Term,
    a: Term,
    width: u32,
    signed: bool,
) -> Term {
    let fits = terms.float_fits_integer(format, rounding, a, width, signed);
    let integer = terms.float_to_integer(format, rounding, a, width, signed);
    if fits == Term::TRUE {
        return integer;
    }
    let kind = if signed { "sbv" } else { "ubv" };
    let Format {
        exponent,
        significand,
    } = format;
    let name = format!("\\fp.to_{kind}.{exponent}.{significand}.{width}");
    let sorts = [Sort::BitVec(Rounding::WIDTH), Sort::BitVec(format.width())];
    let otherwise = terms.func(&name, &sorts, Sort::BitVec(width));
    let canonical = terms.float_canonical(format, a);
    let otherwise = terms.apply(otherwise, &[rounding, canonical]);
    terms.ite(fits, integer, otherwise)
}

/// The smaller or the larger of two; of two zeros with different signs, either.
fn least(terms: &mut Terms, format: Format, a: Term, b: Term, greatest: bool) -> Term {
    let chosen = match greatest {
        true => terms.float_max(format, a, b),
        false => terms.float_min(format, a, b),
    };
    let zeros = [
        terms.float_is_zero(format, a),
        terms.float_is_zero(format, b),
    ];
    let top = format.width() - 1;
    let [sign, other] = [a, b].map(|bits| terms.extract(bits, top, top));
    let same = terms.eq(sign, other);
    let differ = terms.not(same);
    let is_open = terms.and(&[zeros[0], zeros[1], differ]);
    if is_open == Term::FALSE {
        return chosen;
    }
    let kind = if greatest { "max" } else { "min" };
    let Format {
        exponent,
        significand,
    } = format;
    let name = format!("\\fp.{kind}.{exponent}.{significand}");
    let first = terms.func(&name, &[Sort::BitVec(1)], Sort::Bool);
    let first = terms.apply(first, &[sign]);
    let either = terms.ite(first, a, b);
    terms.ite(is_open, either, chosen)
}

/// The bits of a rounding mode.
fn mode(terms: &Terms, builtin: &Builtin, term: Term) -> Result<Term, String> {
    match terms.sort(term) {
        Sort::RoundingMode => Ok(terms.below_surface(term)),
        _ => Err(refused(terms, builtin, "a RoundingMode first", term)),
    }
}

/// The format and the bits of a float.
fn operand(terms: &Terms, builtin: &Builtin, term: Term) -> Result<(Format, Term), String> {
    match terms.sort(term) {
        Sort::Float(format) => Ok((format, terms.below_surface(term))),
        _ => Err(refused(terms, builtin, "a float", term)),
    }
}

/// The same for several of one format.
fn operands<const N: usize>(
    terms: &Terms,
    builtin: &Builtin,
    args: [Term; N],
) -> Result<(Format, [Term; N]), String> {
    let (format, _) = operand(terms, builtin, args[0])?;
    for arg in args {
        let (other, _) = operand(terms, builtin, arg)?;
        if other != format {
            let (one, other) = (Sort::Float(format), Sort::Float(other));
            return Err(format!(
                "sorts {one} and {other} are incompatible in '{}'",
                builtin.name
            ));
        }
    }
    Ok((format, args.map(|arg| terms.below_surface(arg))))
}

#[cold]
fn refused(terms: &Terms, builtin: &Builtin, wanted: &str, term: Term) -> String {
    let sort = with_article(terms.sort(term));
    format!("'{}' takes {wanted}, not {sort}", builtin.name)
}
