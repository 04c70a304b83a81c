//! The evaluator's half for numbers: integers and rationals of any size, by the definitions of the
//! standard. Division is Euclidean: the remainder is never negative.

use super::ast::{Notation, Op, Sort, T, int, real};
use super::evaluate::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// The value of an arithmetic operator; `None` for division by zero, which the standard leaves open.
pub fn operate(operator: Op, args: &[Value]) -> Option<Value> {
    if let Some(ints) = all(args, Value::integer) {
        return on_integers(operator, &ints);
    }
    let rationals = all(args, Value::rational)
        .unwrap_or_else(|| panic!("{} applied to {args:?}", operator.name()));
    on_rationals(operator, &rationals)
}

fn all<N>(args: &[Value], number: fn(&Value) -> Option<&N>) -> Option<Vec<&N>> {
    args.iter().map(number).collect()
}

fn on_integers(operator: Op, args: &[&BigInt]) -> Option<Value> {
    let number = |value: BigInt| Some(Value::Int(value));
    match operator {
        Op::Add => number(args.iter().copied().sum()),
        Op::Mul => number(args.iter().copied().product()),
        Op::Sub if args.len() == 1 => number(-args[0]),
        Op::Sub => number(
            args[1..]
                .iter()
                .fold(args[0].clone(), |all, &arg| all - arg),
        ),
        Op::Abs => number(args[0].abs()),
        Op::Div => euclidean(args[0], args[1]).map(|(quotient, _)| Value::Int(quotient)),
        Op::Mod => euclidean(args[0], args[1]).map(|(_, rest)| Value::Int(rest)),
        Op::Divisible(by) => Some(Value::Bool((args[0] % BigInt::from(by)).is_zero())),
        _ => Some(Value::Bool(ordered(operator, args))),
    }
}

fn on_rationals(operator: Op, args: &[&BigRational]) -> Option<Value> {
    let number = |value: BigRational| Some(Value::Real(value));
    match operator {
        Op::Add => number(args.iter().copied().sum()),
        Op::Mul => number(args.iter().copied().product()),
        Op::Sub if args.len() == 1 => number(-args[0]),
        Op::Sub => number(
            args[1..]
                .iter()
                .fold(args[0].clone(), |all, &arg| all - arg),
        ),
        Op::Over if args[1].is_zero() => None,
        Op::Over => number(args[0] / args[1]),
        _ => Some(Value::Bool(ordered(operator, args))),
    }
}

/// Comparisons chain: (< a b c) is a < b and b < c.
fn ordered<N: PartialOrd>(operator: Op, args: &[&N]) -> bool {
    let holds: fn(&N, &N) -> bool = match operator {
        Op::Le => |a, b| a <= b,
        Op::Lt => |a, b| a < b,
        Op::Ge => |a, b| a >= b,
        Op::Gt => |a, b| a > b,
        other => panic!("{} does not compare numbers", other.name()),
    };
    args.windows(2).all(|pair| holds(pair[0], pair[1]))
}

/// Quotient and remainder with dividend = divisor * quotient + remainder, 0 <= remainder < |divisor|.
fn euclidean(dividend: &BigInt, divisor: &BigInt) -> Option<(BigInt, BigInt)> {
    if divisor.is_zero() {
        return None;
    }
    let (quotient, rest) = dividend.div_mod_floor(&divisor.abs());
    Some((quotient * divisor.signum(), rest))
}

/// The number as a term.
pub fn literal(value: &Value) -> Option<T> {
    match value {
        Value::Int(value) => Some(int(value.clone())),
        Value::Real(value) => Some(real(value.clone(), Notation::Decimal)),
        _ => None,
    }
}

/// A small number that depends on the hash alone.
pub fn hashed(hash: u128, sort: Sort) -> Value {
    let small = BigInt::from(hash % 23) - 11;
    match sort {
        Sort::Int => Value::Int(small),
        _ => Value::Real(small.into()),
    }
}
