//! Arithmetic on floats of any format: exact on integers times powers of two, and then rounded.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem, SquareRoot};

use super::round::{round, shift_out};
use super::{Finite, FloatOp, Format, Number, Rounding};
use crate::Bv;

pub(super) fn operate(op: FloatOp, format: Format, result: (u32, u32), args: &[&Bv]) -> Bv {
    let rounding = match op.is_rounded() {
        true => Rounding::of_code(args[0].small().unwrap_or(u64::MAX)),
        false => Rounding::NearestEven,
    };
    let operands = &args[usize::from(op.is_rounded())..];
    let number = |place: usize| format.unpack(operands[place]);
    let context = Context { format, rounding };
    match op {
        FloatOp::Add => context.add(number(0), number(1)),
        FloatOp::Mul => context.mul(number(0), number(1)),
        FloatOp::Div => context.div(number(0), number(1)),
        FloatOp::Fma => context.fma(number(0), number(1), number(2)),
        FloatOp::Sqrt => context.sqrt(number(0)),
        FloatOp::Rem => context.rem(number(0), number(1)),
        FloatOp::RoundToIntegral => context.round_to_integral(number(0)),
        FloatOp::Convert => {
            let format = Format::of_width(result.0, result.1);
            Context { format, rounding }.convert(number(0))
        }
        FloatOp::FromSigned | FloatOp::FromUnsigned => {
            let negative = op == FloatOp::FromSigned && operands[0].sign();
            let magnitude = match negative {
                true => operands[0].neg(),
                false => operands[0].clone(),
            };
            round(format, rounding, negative, magnitude.to_ubig(), 0)
        }
        FloatOp::ToSigned | FloatOp::ToUnsigned => {
            context.to_integer(number(0), result.0, op == FloatOp::ToSigned)
        }
        // No other format has these functions.
        FloatOp::Function(_) => context.nan(),
        FloatOp::Eq => truth(compare(number(0), number(1)) == Some(Ordering::Equal)),
        FloatOp::Lt => truth(compare(number(0), number(1)) == Some(Ordering::Less)),
        FloatOp::Le => truth(matches!(
            compare(number(0), number(1)),
            Some(Ordering::Less | Ordering::Equal)
        )),
    }
}

fn truth(value: bool) -> Bv {
    Bv::new(1, value.into())
}

/// How two numbers are ordered; not a number has no order.
fn compare(a: Number, b: Number) -> Option<Ordering> {
    let sign = |negative: bool| if negative { -1 } else { 1 };
    // Infinities first, then signs, then magnitudes.
    let rank = |number: &Number| match number {
        Number::Nan => None,
        Number::Infinite { negative } => Some(2 * sign(*negative)),
        Number::Finite(number) if number.is_zero() => Some(0),
        Number::Finite(number) => Some(sign(number.negative)),
    };
    let order = rank(&a)?.cmp(&rank(&b)?);
    let (Number::Finite(a), Number::Finite(b)) = (a, b) else {
        return Some(order);
    };
    if order != Ordering::Equal || a.is_zero() {
        return Some(order);
    }
    let magnitudes = a.top().cmp(&b.top()).then_with(|| {
        let least = a.exponent.min(b.exponent);
        let aligned = |number: &Finite| &number.significand << (number.exponent - least) as usize;
        aligned(&a).cmp(&aligned(&b))
    });
    Some(match a.negative {
        true => magnitudes.reverse(),
        false => magnitudes,
    })
}

/// A quotient with at least `precision` bits and two more, the last of which says whether anything follows; and its
/// exponent. Dividend and divisor are integers, `exponent` belongs to their quotient.
pub(super) fn quotient(
    dividend: UBig,
    divisor: UBig,
    exponent: i64,
    precision: u32,
) -> (UBig, i64) {
    let wanted = precision as usize + 2 + divisor.bit_len();
    let shift = wanted.saturating_sub(dividend.bit_len());
    let (quotient, remainder) = (dividend << shift).div_rem(divisor);
    let inexact = UBig::from(u8::from(remainder != UBig::ZERO));
    ((quotient << 1) + inexact, exponent - shift as i64 - 1)
}

struct Context {
    format: Format,
    rounding: Rounding,
}

impl Context {
    fn nan(&self) -> Bv {
        self.format.nan()
    }

    fn round(&self, number: Finite) -> Bv {
        round(
            self.format,
            self.rounding,
            number.negative,
            number.significand,
            number.exponent,
        )
    }

    fn add(&self, a: Number, b: Number) -> Bv {
        match (a, b) {
            (Number::Nan, _) | (_, Number::Nan) => self.nan(),
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => {
                self.nan()
            }
            (Number::Infinite { negative }, _) | (_, Number::Infinite { negative }) => {
                self.format.infinity(negative)
            }
            (Number::Finite(a), Number::Finite(b)) => self.round(self.sum(a, b)),
        }
    }

    /// The sum, exact or with something in its last bits that rounds as the exact one does.
    fn sum(&self, a: Finite, b: Finite) -> Finite {
        if a.is_zero() && b.is_zero() {
            return Finite {
                negative: self.sign_of_zero(a.negative, b.negative),
                ..a
            };
        }
        if a.is_zero() {
            return b;
        }
        if b.is_zero() {
            return a;
        }
        let (large, mut small) = if a.top() >= b.top() { (a, b) } else { (b, a) };
        // So many bits below those of the larger one are beyond what rounding looks at closely.
        let guard = i64::from(self.format.significand) + 4;
        if small.top() < large.exponent - guard {
            small = Finite {
                significand: UBig::ONE,
                exponent: large.exponent - guard - 1,
                ..small
            };
        }
        let exponent = large.exponent.min(small.exponent);
        let aligned =
            |number: &Finite| &number.significand << (number.exponent - exponent) as usize;
        let (x, y) = (aligned(&large), aligned(&small));
        let (negative, significand) = match large.negative == small.negative {
            true => (large.negative, x + y),
            false => match x.cmp(&y) {
                Ordering::Greater => (large.negative, x - y),
                Ordering::Less => (small.negative, y - x),
                Ordering::Equal => (self.sign_of_zero(true, false), UBig::ZERO),
            },
        };
        Finite {
            negative,
            significand,
            exponent,
        }
    }

    /// The sign of a sum that is zero, by the signs of the addends.
    fn sign_of_zero(&self, a: bool, b: bool) -> bool {
        if a == b {
            a
        } else {
            self.rounding == Rounding::Down
        }
    }

    fn mul(&self, a: Number, b: Number) -> Bv {
        match product(a, b) {
            Number::Nan => self.nan(),
            Number::Infinite { negative } => self.format.infinity(negative),
            Number::Finite(product) => self.round(product),
        }
    }

    fn fma(&self, a: Number, b: Number, c: Number) -> Bv {
        self.add(product(a, b), c)
    }

    fn div(&self, a: Number, b: Number) -> Bv {
        let negative = sign(&a) != sign(&b);
        match (a, b) {
            (Number::Nan, _)
            | (_, Number::Nan)
            | (Number::Infinite { .. }, Number::Infinite { .. }) => self.nan(),
            (Number::Infinite { .. }, _) => self.format.infinity(negative),
            (_, Number::Infinite { .. }) => self.format.zero(negative),
            (Number::Finite(a), Number::Finite(b)) => match (a.is_zero(), b.is_zero()) {
                (true, true) => self.nan(),
                (_, true) => self.format.infinity(negative),
                (true, _) => self.format.zero(negative),
                _ => {
                    let (significand, exponent) = quotient(
                        a.significand,
                        b.significand,
                        a.exponent - b.exponent,
                        self.format.significand,
                    );
                    self.round(Finite {
                        negative,
                        significand,
                        exponent,
                    })
                }
            },
        }
    }

    fn sqrt(&self, a: Number) -> Bv {
        match a {
            Number::Finite(a) if a.is_zero() => self.format.zero(a.negative),
            Number::Infinite { negative: false } => self.format.infinity(false),
            Number::Finite(a) if !a.negative => {
                // An even exponent, and twice the bits that the root is to have.
                let wanted = 2 * (self.format.significand as usize + 2);
                let mut shift = wanted.saturating_sub(a.significand.bit_len());
                shift += (a.exponent - shift as i64).rem_euclid(2) as usize;
                let radicand = a.significand << shift;
                let root = radicand.sqrt();
                let inexact = UBig::from(u8::from(&root * &root != radicand));
                self.round(Finite {
                    negative: false,
                    significand: (root << 1) + inexact,
                    exponent: (a.exponent - shift as i64) / 2 - 1,
                })
            }
            _ => self.nan(),
        }
    }

    fn rem(&self, a: Number, b: Number) -> Bv {
        let (a, b) = match (a, b) {
            (Number::Finite(a), Number::Finite(b)) if !b.is_zero() => (a, b),
            (Number::Finite(a), Number::Infinite { .. }) => return self.round(a),
            _ => return self.nan(),
        };
        // Less than half of the divisor is the remainder itself.
        if a.is_zero() || a.top() < b.top() - 1 {
            return self.round(a);
        }
        // Both in units of the smaller exponent. Twice the divisor also tells whether the quotient is odd.
        let exponent = a.exponent.min(b.exponent);
        let divisor = b.significand << (b.exponent - exponent) as usize;
        let twice = &divisor << 1;
        let power = power_of_two((a.exponent - exponent) as u64, &twice);
        let twofold = (a.significand % &twice) * power % &twice;
        let odd = twofold >= divisor;
        let remainder = if odd { twofold - &divisor } else { twofold };
        let double = &remainder << 1;
        let goes_over = match double.cmp(&divisor) {
            Ordering::Greater => true,
            Ordering::Equal => odd,
            Ordering::Less => false,
        };
        let (negative, significand) = match goes_over {
            true => (!a.negative, divisor - remainder),
            false => (a.negative, remainder),
        };
        self.round(Finite {
            negative,
            significand,
            exponent,
        })
    }

    /// The magnitude of the integer that a number is rounded to.
    fn integer(&self, number: &Finite) -> UBig {
        if number.exponent >= 0 {
            return &number.significand << number.exponent as usize;
        }
        let shift = number.exponent.unsigned_abs() as usize;
        shift_out(self.rounding, number.negative, &number.significand, shift)
    }

    fn round_to_integral(&self, a: Number) -> Bv {
        match a {
            Number::Nan => self.nan(),
            Number::Infinite { negative } => self.format.infinity(negative),
            Number::Finite(a) if a.exponent >= 0 => self.round(a),
            Number::Finite(a) => self.round(Finite {
                significand: self.integer(&a),
                exponent: 0,
                ..a
            }),
        }
    }

    fn convert(&self, a: Number) -> Bv {
        match a {
            Number::Nan => self.nan(),
            Number::Infinite { negative } => self.format.infinity(negative),
            Number::Finite(a) => self.round(a),
        }
    }

    /// Zero where the integer does not fit.
    fn to_integer(&self, a: Number, width: u32, signed: bool) -> Bv {
        let Number::Finite(a) = a else {
            return Bv::zero(width);
        };
        if a.top() > i64::from(width) + 1 {
            return Bv::zero(width);
        }
        let magnitude = self.integer(&a);
        let bits = magnitude.bit_len() as u32;
        let fits = match (signed, a.negative) {
            (false, false) => bits <= width,
            (false, true) => bits == 0,
            (true, false) => bits < width,
            (true, true) => bits < width || magnitude == UBig::ONE << (width as usize - 1),
        };
        if !fits {
            return Bv::zero(width);
        }
        let integer = Bv::from_ubig(width, &magnitude);
        if a.negative { integer.neg() } else { integer }
    }
}

fn sign(number: &Number) -> bool {
    match number {
        Number::Nan => false,
        Number::Infinite { negative } => *negative,
        Number::Finite(number) => number.negative,
    }
}

/// The exact product.
fn product(a: Number, b: Number) -> Number {
    let negative = sign(&a) != sign(&b);
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite { .. }, Number::Finite(other))
        | (Number::Finite(other), Number::Infinite { .. })
            if other.is_zero() =>
        {
            Number::Nan
        }
        (Number::Infinite { .. }, _) | (_, Number::Infinite { .. }) => {
            Number::Infinite { negative }
        }
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite {
            negative,
            significand: a.significand * b.significand,
            exponent: a.exponent + b.exponent,
        }),
    }
}

/// Two to a power, modulo a number.
fn power_of_two(mut power: u64, modulus: &UBig) -> UBig {
    let (mut result, mut base) = (UBig::ONE % modulus, UBig::from(2u8) % modulus);
    while power > 0 {
        if power & 1 == 1 {
            result = result * &base % modulus;
        }
        base = &base * &base % modulus;
        power >>= 1;
    }
    result
}
