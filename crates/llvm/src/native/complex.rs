//! Products and quotients of complex numbers, which compilers leave to their runtime. The formulas are those of the C
//! standard's annex G.

use super::{Call, Flow, NativeFn};
use crate::code::Format;
use crate::machine::{Halt, float};
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__mulsc3", |call| single(call, product)),
    ("__muldc3", |call| double(call, product)),
    ("__mulxc3", |call| extended(call, product)),
    ("__divsc3", |call| single(call, quotient)),
    ("__divdc3", |call| double(call, quotient)),
    ("__divxc3", |call| extended(call, quotient)),
    ("cabs", absolute),
    ("carg", argument),
    ("creal", |call| Ok(Flow::Return(vec![call.arg(0)]))),
    ("cimag", |call| Ok(Flow::Return(vec![call.arg(1)]))),
    ("conj", conjugate),
];

type Operation = fn(f64, f64, f64, f64) -> (f64, f64);

/// The four numbers of two complex ones.
fn operands(call: &mut Call<'_>, convert: impl Fn(&[u64]) -> f64) -> Result<[f64; 4], Halt> {
    let mut numbers = [0.0; 4];
    for (index, number) in numbers.iter_mut().enumerate() {
        let mut words = Vec::new();
        for word in call.words(index) {
            words.push(call.machine.float_word(call.terms, call.state, word)?);
        }
        *number = convert(&words);
    }
    Ok(numbers)
}

/// Ends the path where a part of the result is an error that is looked for.
fn check(call: &mut Call<'_>, operands: [f64; 4], parts: [f64; 2]) -> Result<(), Halt> {
    let bits = |value: f64| (Format::Double, u128::from(value.to_bits()));
    for part in parts {
        call.machine
            .check_numbers(call.state, &operands.map(bits), bits(part))?;
    }
    Ok(())
}

fn single(call: &mut Call<'_>, operation: Operation) -> Result<Flow, Halt> {
    let operands = operands(call, |words| f64::from(f32::from_bits(words[0] as u32)))?;
    let [a, b, c, d] = operands;
    let (real, imaginary) = operation(a, b, c, d);
    let parts = [real, imaginary].map(|part| part as f32);
    check(call, operands, parts.map(f64::from))?;
    let words = parts.map(|part| Value::Concrete(u64::from(part.to_bits())));
    Ok(Flow::Return(words.to_vec()))
}

fn double(call: &mut Call<'_>, operation: Operation) -> Result<Flow, Halt> {
    let operands = operands(call, |words| f64::from_bits(words[0]))?;
    let [a, b, c, d] = operands;
    let (real, imaginary) = operation(a, b, c, d);
    check(call, operands, [real, imaginary])?;
    Ok(Flow::Return(vec![
        Value::Concrete(real.to_bits()),
        Value::Concrete(imaginary.to_bits()),
    ]))
}

/// As near as doubles get.
fn extended(call: &mut Call<'_>, operation: Operation) -> Result<Flow, Halt> {
    let number = |words: &[u64]| {
        let bits = u128::from(words[0]) | u128::from(words.get(1).copied().unwrap_or(0)) << 64;
        f64::from_bits(float::convert(bits, Format::X87, Format::Double) as u64)
    };
    let operands = operands(call, number)?;
    let [a, b, c, d] = operands;
    let (real, imaginary) = operation(a, b, c, d);
    check(call, operands, [real, imaginary])?;
    let words = [real, imaginary].into_iter().flat_map(|value| {
        let bits = float::convert(u128::from(value.to_bits()), Format::Double, Format::X87);
        [
            Value::Concrete(bits as u64),
            Value::Concrete((bits >> 64) as u64),
        ]
    });
    Ok(Flow::Return(words.collect()))
}

fn absolute(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(
        call.double(0)?.hypot(call.double(1)?).to_bits(),
    ))
}

fn argument(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(
        call.double(1)?.atan2(call.double(0)?).to_bits(),
    ))
}

fn conjugate(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (real, imaginary) = (call.double(0)?, call.double(1)?);
    Ok(Flow::Return(vec![
        Value::Concrete(real.to_bits()),
        Value::Concrete((-imaginary).to_bits()),
    ]))
}

fn product(mut a: f64, mut b: f64, mut c: f64, mut d: f64) -> (f64, f64) {
    let (ac, bd, ad, bc) = (a * c, b * d, a * d, b * c);
    let (real, imaginary) = (ac - bd, ad + bc);
    if !(real.is_nan() && imaginary.is_nan()) {
        return (real, imaginary);
    }
    let boxed = |value: f64| (if value.is_infinite() { 1f64 } else { 0.0 }).copysign(value);
    let zeroed = |value: f64| {
        if value.is_nan() {
            0f64.copysign(value)
        } else {
            value
        }
    };
    let mut again = false;
    if a.is_infinite() || b.is_infinite() {
        (a, b, c, d) = (boxed(a), boxed(b), zeroed(c), zeroed(d));
        again = true;
    }
    if c.is_infinite() || d.is_infinite() {
        (a, b, c, d) = (zeroed(a), zeroed(b), boxed(c), boxed(d));
        again = true;
    }
    if !again && (ac.is_infinite() || bd.is_infinite() || ad.is_infinite() || bc.is_infinite()) {
        (a, b, c, d) = (zeroed(a), zeroed(b), zeroed(c), zeroed(d));
        again = true;
    }
    if again {
        return (
            f64::INFINITY * (a * c - b * d),
            f64::INFINITY * (a * d + b * c),
        );
    }
    (real, imaginary)
}

fn quotient(mut a: f64, mut b: f64, mut c: f64, mut d: f64) -> (f64, f64) {
    let mut scale = 0;
    let largest = c.abs().max(d.abs());
    if largest.is_finite() && largest != 0.0 {
        scale = exponent(largest);
        (c, d) = (power(c, -scale), power(d, -scale));
    }
    let denominator = c * c + d * d;
    let real = power((a * c + b * d) / denominator, -scale);
    let imaginary = power((b * c - a * d) / denominator, -scale);
    if !(real.is_nan() && imaginary.is_nan()) {
        return (real, imaginary);
    }
    let boxed = |value: f64| (if value.is_infinite() { 1f64 } else { 0.0 }).copysign(value);
    if denominator == 0.0 && !(a.is_nan() && b.is_nan()) {
        let infinite = f64::INFINITY.copysign(c);
        return (infinite * a, infinite * b);
    }
    if (a.is_infinite() || b.is_infinite()) && c.is_finite() && d.is_finite() {
        (a, b) = (boxed(a), boxed(b));
        return (
            f64::INFINITY * (a * c + b * d),
            f64::INFINITY * (b * c - a * d),
        );
    }
    if largest.is_infinite() && a.is_finite() && b.is_finite() {
        (c, d) = (boxed(c), boxed(d));
        return (0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
    }
    (real, imaginary)
}

/// The exponent of a finite number that is not zero.
fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52 & 0x7ff) as i32;
    if biased == 0 {
        return exponent(value * 2f64.powi(64)) - 64;
    }
    biased - 1023
}

/// Times a power of two.
fn power(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * 2f64.powi(half) * 2f64.powi(exponent - half)
}
