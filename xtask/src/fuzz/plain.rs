//! The same meaning in words that every oracle knows: overflow predicates by their definitions in the
//! standard, n-ary forms as nested binary ones, and division by zero as what the standard leaves it: a
//! function of the dividend about which nothing is known. So are floats that it leaves open.

use super::ast::{
    Node, Notation, Op, Rounding, Sort, T, apply, bv, float, int, not, op, real, rebuild, rounding,
    subterms,
};
use super::evaluate::{Model, Value, evaluate, zero_division};
use super::floats::{self, Format};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;

/// The term in operators that every oracle has. Division by zero stays: see `for_oracle`.
pub fn in_plain_words(term: &T) -> T {
    let mut args: Vec<T> = term.args.iter().map(in_plain_words).collect();
    if let Node::Real(value, _) = &term.node {
        return real(value.clone(), Notation::Decimal);
    }
    let Node::Op(operator) = term.node else {
        return if args.is_empty() {
            term.clone()
        } else {
            rebuild(term, args)
        };
    };
    match operator {
        Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::Concat | Op::Sub
            if args.len() > 2 =>
        {
            let first = args.remove(0);
            args.into_iter()
                .fold(first, |left, right| op(operator, [left, right]))
        }
        Op::Le
        | Op::Lt
        | Op::Ge
        | Op::Gt
        | Op::FpLeq
        | Op::FpLt
        | Op::FpGeq
        | Op::FpGt
        | Op::FpEq
            if args.len() > 2 =>
        {
            let links: Vec<T> = args.windows(2).map(|pair| op(operator, pair)).collect();
            op(Op::And, links)
        }
        Op::Divisible(by) => {
            let rest = op(Op::Mod, [args.remove(0), int(by)]);
            op(Op::Eq, [rest, int(0)])
        }
        _ => overflow_definition(operator, &args).unwrap_or_else(|| rebuild(term, args)),
    }
}

/// SMT-LIB 2.7's overflow predicates: does the result, computed exactly, fit?
pub fn overflow_definition(operator: Op, args: &[T]) -> Option<T> {
    let width = args.first().and_then(|arg| {
        if let Sort::Bv(w) = arg.sort {
            Some(w)
        } else {
            None
        }
    })?;
    let smallest = |width: u32| op(Op::Concat, [bv(1, 1), bv(0, width - 1)]);
    let smallest = |width: u32| {
        if width == 1 {
            bv(1, 1)
        } else {
            smallest(width)
        }
    };
    // Computed in `extra` more bits, does the result differ from its own low bits, extended again?
    let inexact = |extend: fn(u32) -> Op, extra: u32, operator: Op| {
        let wide = op(
            operator,
            [
                op(extend(extra), [args[0].clone()]),
                op(extend(extra), [args[1].clone()]),
            ],
        );
        let back = op(
            extend(extra),
            [op(Op::Extract(width - 1, 0), [wide.clone()])],
        );
        op(Op::Distinct, [wide, back])
    };
    Some(match operator {
        Op::BvNegO => op(Op::Eq, [args[0].clone(), smallest(width)]),
        Op::BvUaddO => inexact(Op::ZeroExtend, 1, Op::BvAdd),
        Op::BvSaddO => inexact(Op::SignExtend, 1, Op::BvAdd),
        Op::BvUmulO => inexact(Op::ZeroExtend, width, Op::BvMul),
        Op::BvSmulO => inexact(Op::SignExtend, width, Op::BvMul),
        Op::BvUsubO => op(Op::BvUlt, [args[0].clone(), args[1].clone()]),
        Op::BvSsubO => inexact(Op::SignExtend, 1, Op::BvSub),
        Op::BvSdivO => op(
            Op::And,
            [
                op(Op::Eq, [args[0].clone(), smallest(width)]),
                op(Op::Eq, [args[1].clone(), op(Op::BvNot, [bv(0, width)])]),
            ],
        ),
        _ => return None,
    })
}

/// The term as oracles get it: plain, and with functions in the place of division by zero, so that it does
/// not matter what an oracle thinks of it.
pub fn for_oracle(term: &T) -> T {
    name_choices(&in_plain_words(term))
}

fn name_choices(term: &T) -> T {
    let args: Vec<T> = term.args.iter().map(name_choices).collect();
    let plain = if args.is_empty() {
        term.clone()
    } else {
        rebuild(term, args.clone())
    };
    match term.node {
        Node::Op(Op::Div | Op::Mod | Op::Over) => name_zero_division(term, args),
        Node::Op(operator) if floats::leaves_open(operator) => {
            let (function, result) = floats::open_function(operator, args[1].sort);
            let choice = apply(function, args.clone(), result);
            match operator {
                Op::FpMin | Op::FpMax => {
                    let [a, b] = [0, 1].map(|place| args[place].clone());
                    let format = Format::of(a.sort);
                    let zero = |negative| {
                        float(format.zero(negative), format.exponent, format.significand)
                    };
                    let open = [
                        op(Op::FpIsZero, [a.clone()]),
                        op(Op::FpIsZero, [b.clone()]),
                        op(Op::Distinct, [a, b]),
                    ];
                    let negative = op(Op::Eq, [choice, bv(1, 1)]);
                    let choice = op(Op::Ite, [negative, zero(true), zero(false)]);
                    op(Op::Ite, [op(Op::And, open), choice, plain])
                }
                _ => op(Op::Ite, [fits(operator, &args), plain, choice]),
            }
        }
        // Not every oracle knows the minus of numbers.
        Node::Op(Op::ToFp(..)) if args.len() == 2 => match &args[1].node {
            Node::Real(value, notation) if value.is_negative() => {
                let size = real(value.abs(), *notation);
                let mirrored = mirrored(&args[0]);
                op(Op::FpNeg, [rebuild(term, vec![mirrored, size])])
            }
            _ => plain,
        },
        Node::Op(Op::FpToReal) => match evaluate(term, &Model::default()) {
            Ok(Value::Real(value)) => real(value, Notation::Decimal),
            _ => plain,
        },
        // z3 has it, with any NaN.
        Node::Op(Op::FpToIeee) => {
            let format = Format::of(args[0].sort);
            let nan = bv(format.nan(), format.width());
            op(Op::Ite, [op(Op::FpIsNan, args), nan, plain])
        }
        _ => plain,
    }
}

/// The mode for the negative of a number.
fn mirrored(mode: &T) -> T {
    if let Node::Rounding(mode, spelled_out) = mode.node {
        return rounding(mode.mirrored(), spelled_out);
    }
    let [up, down] = [Rounding::Positive, Rounding::Negative].map(|mode| rounding(mode, false));
    let is = |other: &T| op(Op::Eq, [mode.clone(), other.clone()]);
    let otherwise = op(Op::Ite, [is(&down), up.clone(), mode.clone()]);
    op(Op::Ite, [is(&up), down, otherwise])
}

/// Does the integer of a float fit its bits? The whole float next to it is compared with powers of two, which are
/// floats themselves or larger than all of them.
fn fits(operator: Op, args: &[T]) -> T {
    let format = Format::of(args[1].sort);
    let whole = op(Op::FpRound, args);
    let power = |exponent: u32, negative: bool| {
        let field = u128::from(exponent) + format.largest_exponent() as u128;
        let bits = field << (format.significand - 1) | u128::from(negative) << (format.width() - 1);
        float(bits, format.exponent, format.significand)
    };
    let mut conditions = vec![
        not(op(Op::FpIsNan, [args[1].clone()])),
        not(op(Op::FpIsInfinite, [args[1].clone()])),
    ];
    let top = match operator {
        Op::FpToUbv(width) => {
            let zero = float(format.zero(true), format.exponent, format.significand);
            conditions.push(op(Op::FpGeq, [whole.clone(), zero]));
            width
        }
        Op::FpToSbv(width) => width - 1,
        other => panic!("{} gives no integer", other.name()),
    };
    let beyond = i64::from(top) - format.largest_exponent();
    if beyond <= 1 {
        // What would be the next exponent is infinite.
        conditions.push(op(Op::FpLt, [whole.clone(), power(top, false)]));
        if matches!(operator, Op::FpToSbv(_)) {
            conditions.push(op(Op::FpGeq, [whole, power(top, true)]));
        }
    }
    op(Op::And, conditions)
}

fn name_zero_division(term: &T, args: Vec<T>) -> T {
    let Node::Op(operator) = term.node else {
        unreachable!("only divisions are named")
    };
    let (dividend, divisor) = (args[0].clone(), args[1].clone());
    let by_zero = apply(zero_division(operator), vec![dividend], term.sort);
    match is_zero(&divisor) {
        Some(true) => by_zero,
        Some(false) => rebuild(term, args),
        None => {
            let zero = match divisor.sort {
                Sort::Int => int(0),
                _ => real(BigRational::zero(), Notation::Decimal),
            };
            let test = op(Op::Eq, [divisor, zero]);
            op(Op::Ite, [test, by_zero, rebuild(term, args)])
        }
    }
}

/// `None` for what is no constant.
fn is_zero(term: &T) -> Option<bool> {
    match &term.node {
        Node::Int(value) => Some(value.is_zero()),
        Node::Real(value, _) => Some(value.is_zero()),
        _ => None,
    }
}

/// The declarations that `for_oracle` relies on, for scripts over numbers of this sort.
pub fn zero_division_declarations(sort: Sort) -> String {
    let operators: &[Op] = match sort {
        Sort::Int => &[Op::Div, Op::Mod],
        Sort::Real => &[Op::Over],
        _ => &[],
    };
    operators
        .iter()
        .map(|&operator| {
            let name = zero_division(operator);
            format!("(declare-fun {name} ({sort}) {sort})\n")
        })
        .collect()
}

/// The same for what these terms, as the solver under test gets them, leave open of floats.
pub fn choice_declarations<'t>(terms: impl Iterator<Item = &'t T>) -> String {
    let mut declarations = BTreeSet::new();
    for term in terms {
        subterms(term, &mut |term| {
            let Node::Op(operator) = term.node else {
                return;
            };
            if floats::leaves_open(operator) {
                let [first, second] = [0, 1].map(|place| term.args[place].sort);
                let (function, result) = floats::open_function(operator, second);
                declarations.insert(format!(
                    "(declare-fun {function} ({first} {second}) {result})\n"
                ));
            }
        });
    }
    declarations.into_iter().collect()
}
