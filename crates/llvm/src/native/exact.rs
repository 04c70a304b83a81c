//! Functions of `math.h` on floats that depend on input: those whose results are exact, or rounded once, as terms.

use refrain_term::{Bv, Format as Shape, Function, Term};

use super::{Call, Flow};
use crate::code::{Calculation, Format, MathFn};
use crate::ir::{BinaryOp, FCmpPredicate};
use crate::machine::Halt;
use crate::machine::float::exceptions::of_function;
use crate::machine::float::terms as float;
use crate::memory::Value;

const EDOM: i32 = 33;
const ERANGE: i32 = 34;

/// Whether an argument depends on input.
fn is_symbolic(call: &Call<'_>, index: usize) -> bool {
    let words = call.words(index);
    words
        .iter()
        .any(|value| matches!(value, Value::Symbolic(_)))
}

/// The bits of an argument.
fn bits(call: &mut Call<'_>, index: usize, width: u32) -> Result<Term, Halt> {
    let words = call.words(index);
    let value = words.first().copied().unwrap_or(Value::Concrete(0));
    let value = call
        .machine
        .calculated_with(call.terms, call.state, value)?;
    Ok(call.machine.term(call.terms, value, width))
}

fn returned(call: &Call<'_>, term: Term) -> Option<Flow> {
    Some(Flow::Return(vec![call.machine.value_of(call.terms, term)]))
}

/// The function of this name, without what says which format it is for.
fn plain(name: &str, format: Format) -> &str {
    match format {
        Format::Single => name.strip_suffix('f').unwrap_or(name),
        _ => name,
    }
}

/// What a function of floats gives if one of them depends on input: `None` where none does, or where terms do not have
/// the function.
pub fn apply(call: &mut Call<'_>, name: &str, format: Format) -> Result<Option<Flow>, Halt> {
    let count = call.site.args.len();
    if !matches!(format, Format::Single | Format::Double)
        || !(0..count).any(|index| is_symbolic(call, index))
    {
        return Ok(None);
    }
    let shape = float::shape(format);
    let function = match plain(name, format) {
        "sqrt" => MathFn::Sqrt,
        "fabs" => MathFn::FAbs,
        "floor" => MathFn::Floor,
        "ceil" => MathFn::Ceil,
        "trunc" => MathFn::Trunc,
        "round" => MathFn::Round,
        "rint" | "nearbyint" => MathFn::Rint,
        "roundeven" => MathFn::RoundEven,
        "fmin" => MathFn::MinNum,
        "fmax" => MathFn::MaxNum,
        "copysign" => MathFn::CopySign,
        "fma" => MathFn::Fma,
        "ldexp" | "scalbn" | "scalbln" => MathFn::LdExp,
        other => return special(call, other, format),
    };
    let mut args = Vec::new();
    for index in 0..count {
        let width = match function {
            MathFn::LdExp if index == 1 && name.starts_with("scalbln") => 64,
            MathFn::LdExp if index == 1 => 32,
            _ => format.bits(),
        };
        args.push(bits(call, index, width)?);
    }
    let Some(result) = float::math(call.terms, function, format, &args) else {
        return Ok(None);
    };
    let floats = &args[..args.len().min(function.floats())];
    check(call, Calculation::Math(function), format, floats, result)?;
    match function {
        MathFn::Sqrt => {
            let zero = call.terms.constant(shape.zero(false));
            let is_negative = call.terms.float_lt(shape, args[0], zero);
            fails_if(call, is_negative, EDOM)?;
        }
        MathFn::LdExp => {
            let is_lost = lost_range(call, shape, args[0], result);
            fails_if(call, is_lost, ERANGE)?;
        }
        _ => {}
    }
    Ok(returned(call, result))
}

/// Whether a number that was neither zero nor infinite has become so.
fn lost_range(call: &mut Call<'_>, shape: Shape, before: Term, after: Term) -> Term {
    let terms = &mut *call.terms;
    let [was, is] = [before, after].map(|bits| {
        let (zero, infinite) = (
            terms.float_is_zero(shape, bits),
            terms.float_is_infinite(shape, bits),
        );
        terms.or2(zero, infinite)
    });
    let was_not = terms.not(was);
    terms.and2(was_not, is)
}

/// The error number is set where a condition holds, which has a path of its own.
fn fails_if(call: &mut Call<'_>, condition: Term, error: i32) -> Result<(), Halt> {
    if call.machine.decide(call.terms, call.state, condition)? {
        call.set_errno(error);
    }
    Ok(())
}

fn special(call: &mut Call<'_>, name: &str, format: Format) -> Result<Option<Flow>, Halt> {
    let (shape, width) = (float::shape(format), format.bits());
    let nan = |call: &mut Call<'_>, bits: Term| call.terms.float_is_nan(shape, bits);
    let result = match name {
        "fmod" | "remainder" | "drem" => {
            let (a, b) = (bits(call, 0, width)?, bits(call, 1, width)?);
            let result = match name {
                "fmod" => float::binary(call.terms, BinaryOp::FRem, format, a, b),
                _ => float::remainder(call.terms, format, a, b),
            };
            let calculation = Calculation::Binary(BinaryOp::FRem);
            check(call, calculation, format, &[a, b], result)?;
            // Where no operand is NaN and the result is.
            let any = [nan(call, a), nan(call, b)];
            let any = call.terms.or2(any[0], any[1]);
            let neither = call.terms.not(any);
            let is_nan = nan(call, result);
            let is_undefined = call.terms.and2(neither, is_nan);
            fails_if(call, is_undefined, EDOM)?;
            result
        }
        "fdim" => {
            let (a, b) = (bits(call, 0, width)?, bits(call, 1, width)?);
            let difference = float::binary(call.terms, BinaryOp::FSub, format, a, b);
            let at_most = float::compare(call.terms, FCmpPredicate(5), format, a, b);
            let zero = call.terms.constant(shape.zero(false));
            let result = call.terms.ite(at_most, zero, difference);
            let calculation = Calculation::Binary(BinaryOp::FSub);
            check(call, calculation, format, &[a, b], result)?;
            let infinite = [a, b].map(|bits| call.terms.float_is_infinite(shape, bits));
            let any = call.terms.or2(infinite[0], infinite[1]);
            let neither = call.terms.not(any);
            let is_infinite = call.terms.float_is_infinite(shape, result);
            let is_lost = call.terms.and2(neither, is_infinite);
            fails_if(call, is_lost, ERANGE)?;
            result
        }
        "isnan" | "__isnan" | "isinf" | "__isinf" | "finite" | "__finite" | "__signbit"
        | "__fpclassify" => {
            let a = bits(call, 0, width)?;
            classified(call, name, shape, a)
        }
        name => {
            let Some(function) = Function::named(name) else {
                return Ok(None);
            };
            return library(call, function, format);
        }
    };
    Ok(returned(call, result))
}

/// A function of the host's library, and its errors.
fn library(call: &mut Call<'_>, function: Function, format: Format) -> Result<Option<Flow>, Halt> {
    let (shape, width) = (float::shape(format), format.bits());
    let mut args = Vec::new();
    for index in 0..call.site.args.len() {
        args.push(bits(call, index, width)?);
    }
    let Some(result) = float::function(call.terms, function, format, &args) else {
        return Ok(None);
    };
    check(call, Calculation::Library(function), format, &args, result)?;
    let exceptions = of_function(call.terms, shape, function, &args, result);
    let lost = call.terms.or2(exceptions.infinite, exceptions.vanished);
    fails_if(call, exceptions.invalid, EDOM)?;
    fails_if(call, lost, ERANGE)?;
    Ok(returned(call, result))
}

/// Ends the path where the calculation is an error that is looked for.
fn check(
    call: &mut Call<'_>,
    calculation: Calculation,
    format: Format,
    operands: &[Term],
    result: Term,
) -> Result<(), Halt> {
    let operands: Vec<(Format, Term)> = operands.iter().map(|&term| (format, term)).collect();
    let result = (format, result);
    call.machine
        .check_calculation(call.terms, call.state, calculation, &operands, result)
}

/// What a function says about a float, as an `int`.
fn classified(call: &mut Call<'_>, name: &str, shape: Shape, a: Term) -> Term {
    let terms = &mut *call.terms;
    let nan = terms.float_is_nan(shape, a);
    let infinite = terms.float_is_infinite(shape, a);
    let top = shape.width() - 1;
    let sign = terms.extract(a, top, top);
    let one_bit = terms.bv(1, 1);
    let negative = terms.eq(sign, one_bit);
    let [zero, one] = [0, 1].map(|value| terms.bv(32, value));
    match name {
        "isnan" | "__isnan" => terms.ite(nan, one, zero),
        "isinf" | "__isinf" => {
            let minus = terms.constant(Bv::ones(32));
            let signed = terms.ite(negative, minus, one);
            terms.ite(infinite, signed, zero)
        }
        "finite" | "__finite" => {
            let other = terms.or2(nan, infinite);
            terms.ite(other, zero, one)
        }
        "__signbit" => {
            // The host gives some bit or other.
            let bit = terms.bv(32, if shape == Shape::SINGLE { 8 } else { 128 });
            terms.ite(negative, bit, zero)
        }
        _ => {
            let subnormal = terms.float_is_subnormal(shape, a);
            let is_zero = terms.float_is_zero(shape, a);
            let [two, three, four] = [2, 3, 4].map(|value| terms.bv(32, value));
            let other = terms.ite(subnormal, three, four);
            let other = terms.ite(is_zero, two, other);
            let other = terms.ite(infinite, one, other);
            terms.ite(nan, zero, other)
        }
    }
}
