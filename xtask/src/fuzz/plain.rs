//! The same meaning in words that every oracle knows: overflow predicates by their definitions in the
//! standard, n-ary forms as nested binary ones, and division by zero as what the standard leaves it: a
//! function of the dividend about which nothing is known.

use super::ast::{Node, Notation, Op, Sort, T, apply, bv, int, op, real, rebuild};
use super::evaluate::zero_division;
use num_rational::BigRational;
use num_traits::Zero;

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
        Op::Le | Op::Lt | Op::Ge | Op::Gt if args.len() > 2 => {
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
    name_zero_divisions(&in_plain_words(term))
}

fn name_zero_divisions(term: &T) -> T {
    let args: Vec<T> = term.args.iter().map(name_zero_divisions).collect();
    let Node::Op(operator @ (Op::Div | Op::Mod | Op::Over)) = term.node else {
        return if args.is_empty() {
            term.clone()
        } else {
            rebuild(term, args)
        };
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
