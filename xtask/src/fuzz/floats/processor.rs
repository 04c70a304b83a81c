//! The same by the processor's own floats, of 32 and 64 bits: what it rounds to nearest, and what needs no
//! rounding.

use super::{Format, mode};
use crate::fuzz::ast::{Op, Rounding, Sort};
use crate::fuzz::evaluate::Value;

/// The bits of the result; `None` for what the processor does not have.
pub fn compute(operator: Op, sorts: &[Sort], args: &[Value]) -> Option<u128> {
    let bits: Vec<u128> = args
        .iter()
        .map(|arg| matches!(arg, Value::Bv(_)).then(|| arg.bits()))
        .collect::<Option<_>>()?;
    match operator {
        Op::ToFp(8, 24) | Op::ToFpUnsigned(8, 24) if bits.len() == 2 => {
            let nearest = mode(bits[0]) == Rounding::NearestEven;
            let value = nearest.then(|| single(operator, sorts[1], bits[1]))??;
            Some(of_single(value))
        }
        Op::ToFp(11, 53) | Op::ToFpUnsigned(11, 53) if bits.len() == 2 => {
            let nearest = mode(bits[0]) == Rounding::NearestEven;
            let value = nearest.then(|| double(operator, sorts[1], bits[1]))??;
            Some(of_double(value))
        }
        _ => match sorts.last()? {
            Sort::Float(8, 24) => on_singles(operator, &bits),
            Sort::Float(11, 53) => on_doubles(operator, &bits),
            _ => None,
        },
    }
}

fn of_single(value: f32) -> u128 {
    let format = Format::of(Sort::Float(8, 24));
    format.canonical(value.to_bits().into())
}

fn of_double(value: f64) -> u128 {
    let format = Format::of(Sort::Float(11, 53));
    format.canonical(value.to_bits().into())
}

/// An integer or a double as a float of 32 bits.
fn single(operator: Op, from: Sort, bits: u128) -> Option<f32> {
    match (from, operator) {
        (Sort::Float(11, 53), _) => Some(f64::from_bits(bits as u64) as f32),
        (Sort::Bv(_), Op::ToFpUnsigned(..)) => Some(bits as f32),
        (Sort::Bv(width), _) => Some(signed(bits, width) as f32),
        _ => None,
    }
}

fn double(operator: Op, from: Sort, bits: u128) -> Option<f64> {
    match (from, operator) {
        (Sort::Float(8, 24), _) => Some(f32::from_bits(bits as u32).into()),
        (Sort::Bv(_), Op::ToFpUnsigned(..)) => Some(bits as f64),
        (Sort::Bv(width), _) => Some(signed(bits, width) as f64),
        _ => None,
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((bits << unused) as i128) >> unused
}

macro_rules! operators {
    ($name:ident, $float:ident, $bits:ident, $result:ident) => {
        fn $name(operator: Op, args: &[u128]) -> Option<u128> {
            let float = |index: usize| $float::from_bits(args[index] as $bits);
            let nearest = || (mode(args[0]) == Rounding::NearestEven).then_some(());
            let value = match operator {
                Op::FpAdd => nearest().map(|()| float(1) + float(2))?,
                Op::FpSub => nearest().map(|()| float(1) - float(2))?,
                Op::FpMul => nearest().map(|()| float(1) * float(2))?,
                Op::FpDiv => nearest().map(|()| float(1) / float(2))?,
                Op::FpFma => nearest().map(|()| float(1).mul_add(float(2), float(3)))?,
                Op::FpSqrt => nearest().map(|()| float(1).sqrt())?,
                Op::FpRound => match mode(args[0]) {
                    Rounding::NearestEven => float(1).round_ties_even(),
                    Rounding::NearestAway => float(1).round(),
                    Rounding::Positive => float(1).ceil(),
                    Rounding::Negative => float(1).floor(),
                    Rounding::Zero => float(1).trunc(),
                },
                Op::FpAbs => float(0).abs(),
                Op::FpNeg => -float(0),
                Op::FpMin => float(0).min(float(1)),
                Op::FpMax => float(0).max(float(1)),
                Op::FpToUbv(64) if mode(args[0]) == Rounding::Zero => {
                    return Some((float(1) as u64).into());
                }
                Op::FpToSbv(64) if mode(args[0]) == Rounding::Zero => {
                    return Some((float(1) as i64 as u64).into());
                }
                _ => return None,
            };
            Some($result(value))
        }
    };
}

operators!(on_singles, f32, u32, of_single);
operators!(on_doubles, f64, u64, of_double);
