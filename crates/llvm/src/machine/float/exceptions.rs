//! Where calculations leave the numbers, as conditions: on the operands as far as that can be said, so that a program's
//! own tests of them decide the question.

use refrain_term::float::operate;
use refrain_term::{Bv, FloatOp, Format as Shape, Function, Rounding, Term, Terms};

use super::terms::{library, shape, unpacked};
use crate::code::{Calculation, Format, MathFn, Special};
use crate::ir::BinaryOp;

/// Where the result of a calculation is special, and no operand is. Operands are those that are floats.
pub(crate) fn appears(
    terms: &mut Terms,
    special: Special,
    calculation: Calculation,
    operands: &[(Format, Term)],
    (format, result): (Format, Term),
) -> Term {
    let function = match calculation {
        Calculation::Library(function) => Some(function),
        Calculation::Math(name) if matches!(format, Format::Single | Format::Double) => {
            library(name)
        }
        _ => None,
    };
    if let Some(function) = function {
        let args: Vec<Term> = operands.iter().map(|&(_, operand)| operand).collect();
        let exceptions = of_function(terms, shape(format), function, &args, result);
        return match special {
            Special::Nan => exceptions.invalid,
            Special::Infinity => exceptions.infinite,
        };
    }
    if special == Special::Nan
        && let Some(invalid) = invalid(terms, calculation, operands)
    {
        return invalid;
    }
    let mut conditions = Vec::new();
    for &(format, operand) in operands {
        let is_special = is_special(terms, special, format, operand);
        conditions.push(terms.not(is_special));
    }
    conditions.push(is_special(terms, special, format, result));
    terms.and(&conditions)
}

pub(super) fn is_special(terms: &mut Terms, special: Special, format: Format, a: Term) -> Term {
    let (shape, a) = (shape(format), unpacked(terms, format, a));
    match special {
        Special::Nan => terms.float_is_nan(shape, a),
        Special::Infinity => terms.float_is_infinite(shape, a),
    }
}

pub(super) fn is_zero(terms: &mut Terms, format: Format, a: Term) -> Term {
    let (shape, a) = (shape(format), unpacked(terms, format, a));
    terms.float_is_zero(shape, a)
}

/// Where an operation is invalid: operands that are no NaN give one. `None`: only the result tells.
fn invalid(
    terms: &mut Terms,
    calculation: Calculation,
    operands: &[(Format, Term)],
) -> Option<Term> {
    match (calculation, operands) {
        (Calculation::Math(MathFn::Sqrt), &[(format, a)]) => {
            let (shape, a) = (shape(format), unpacked(terms, format, a));
            let zero = terms.constant(shape.zero(false));
            Some(terms.float_lt(shape, a, zero))
        }
        (Calculation::Binary(op), &[(format, a), (_, b)]) => {
            let shape = shape(format);
            let [a, b] = [a, b].map(|operand| unpacked(terms, format, operand));
            let infinite = [a, b].map(|operand| terms.float_is_infinite(shape, operand));
            let zero = [a, b].map(|operand| terms.float_is_zero(shape, operand));
            let both = |terms: &mut Terms, pair: [Term; 2]| terms.and2(pair[0], pair[1]);
            Some(match op {
                BinaryOp::FAdd | BinaryOp::FSub => {
                    let top = shape.width() - 1;
                    let signs = [a, b].map(|operand| terms.extract(operand, top, top));
                    let same = terms.eq(signs[0], signs[1]);
                    let cancels = match op {
                        BinaryOp::FAdd => terms.not(same),
                        _ => same,
                    };
                    let infinite = both(terms, infinite);
                    terms.and2(infinite, cancels)
                }
                BinaryOp::FMul => {
                    let pairs = [[zero[0], infinite[1]], [infinite[0], zero[1]]];
                    let pairs = pairs.map(|pair| both(terms, pair));
                    terms.or2(pairs[0], pairs[1])
                }
                BinaryOp::FDiv => {
                    let pairs = [zero, infinite].map(|pair| both(terms, pair));
                    terms.or2(pairs[0], pairs[1])
                }
                BinaryOp::FRem => {
                    let any = [a, b].map(|operand| terms.float_is_nan(shape, operand));
                    let any = terms.or2(any[0], any[1]);
                    let neither = terms.not(any);
                    let outside = terms.or2(infinite[0], zero[1]);
                    terms.and2(neither, outside)
                }
                _ => return None,
            })
        }
        _ => None,
    }
}

/// Where a function of the host's library leaves the numbers.
pub(crate) struct Exceptions {
    /// The result is NaN, and no argument is.
    pub invalid: Term,
    /// The result is infinite, and no argument is.
    pub infinite: Term,
    /// The result is zero for being too small.
    pub vanished: Term,
}

pub(crate) fn of_function(
    terms: &mut Terms,
    shape: Shape,
    function: Function,
    args: &[Term],
    result: Term,
) -> Exceptions {
    let mut exceptions = Exceptions {
        invalid: Term::FALSE,
        infinite: Term::FALSE,
        vanished: Term::FALSE,
    };
    let Some(&a) = args.first() else {
        return exceptions;
    };
    match function {
        Function::Sin | Function::Cos | Function::Tan => {
            exceptions.invalid = terms.float_is_infinite(shape, a);
        }
        Function::Asin | Function::Acos => {
            let (magnitude, one) = (terms.float_abs(shape, a), unit(terms, shape, false));
            exceptions.invalid = terms.float_lt(shape, one, magnitude);
        }
        Function::Log | Function::Log2 | Function::Log10 | Function::Log1P => {
            let pole = match function {
                Function::Log1P => unit(terms, shape, true),
                _ => terms.constant(shape.zero(false)),
            };
            exceptions.invalid = terms.float_lt(shape, a, pole);
            exceptions.infinite = terms.float_eq(shape, a, pole);
        }
        Function::Exp | Function::Exp2 | Function::ExpM1 | Function::Sinh | Function::Cosh => {
            let infinite = terms.float_is_infinite(shape, a);
            let finite = terms.not(infinite);
            let of = match function {
                Function::Sinh | Function::Cosh => terms.float_abs(shape, a),
                _ => a,
            };
            let last = terms.constant(last_finite(shape, function));
            let beyond = terms.float_lt(shape, last, of);
            exceptions.infinite = terms.and2(finite, beyond);
            if matches!(function, Function::Exp | Function::Exp2) {
                let least = terms.constant(last_positive(shape, function));
                let below = terms.float_lt(shape, of, least);
                exceptions.vanished = terms.and2(finite, below);
            }
        }
        Function::Pow | Function::Hypot | Function::Atan2 => {
            let mut finite = Vec::new();
            for &arg in args {
                let (nan, infinite) = (
                    terms.float_is_nan(shape, arg),
                    terms.float_is_infinite(shape, arg),
                );
                finite.push(terms.not(nan));
                finite.push(terms.not(infinite));
            }
            let finite = terms.and(&finite);
            if function == Function::Pow
                && let Some(&power) = args.get(1)
            {
                // A power of a negative number whose exponent is no integer.
                let zero = terms.constant(shape.zero(false));
                let negative = terms.float_lt(shape, a, zero);
                let rounding = terms.rounding(Rounding::ToZero);
                let integer = terms.float_round(shape, rounding, power);
                let is_integer = terms.float_eq(shape, power, integer);
                let is_none = terms.not(is_integer);
                exceptions.invalid = terms.and(&[finite, negative, is_none]);
            }
            if function != Function::Atan2 {
                let infinite = terms.float_is_infinite(shape, result);
                exceptions.infinite = terms.and2(finite, infinite);
            }
            if function != Function::Hypot {
                let was_zero = terms.float_is_zero(shape, a);
                let was_not = terms.not(was_zero);
                let is_zero = terms.float_is_zero(shape, result);
                exceptions.vanished = terms.and(&[finite, was_not, is_zero]);
            }
        }
        Function::Atan | Function::Tanh | Function::Cbrt => {}
    }
    exceptions
}

/// One, or its negation.
fn unit(terms: &mut Terms, shape: Shape, negative: bool) -> Term {
    let integer = Bv::new(2, if negative { 3 } else { 1 });
    let rounding = Bv::new(Rounding::WIDTH, Rounding::ToZero.code());
    let width = (shape.width(), 0);
    terms.constant(operate(
        FloatOp::FromSigned,
        shape,
        width,
        &[&rounding, &integer],
    ))
}

/// The number farthest from zero, on one side of it, up to which something holds.
fn last_where(shape: Shape, negative: bool, holds: impl Fn(&Bv) -> bool) -> Bv {
    let with_sign = |magnitude: u64| {
        let bits = Bv::new(shape.width(), magnitude);
        bits.or(&shape.zero(negative))
    };
    let (mut yes, mut no) = (0, shape.infinity(false).small().unwrap_or(0));
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        match holds(&with_sign(middle)) {
            true => yes = middle,
            false => no = middle,
        }
    }
    with_sign(yes)
}

fn value_at(shape: Shape, function: Function, a: &Bv) -> Bv {
    let result = (shape.width(), 0);
    operate(FloatOp::Function(function), shape, result, &[a])
}

/// The largest number of which a function is finite.
fn last_finite(shape: Shape, function: Function) -> Bv {
    let infinity = shape.infinity(false);
    last_where(shape, false, |a| value_at(shape, function, a) != infinity)
}

/// The smallest number of which a function is not zero.
fn last_positive(shape: Shape, function: Function) -> Bv {
    last_where(shape, true, |a| !value_at(shape, function, a).is_zero())
}
