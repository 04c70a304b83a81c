//! Numbers without rounding, and the one rounding that turns them into floats.

use super::Format;
use crate::fuzz::ast::{Rounding, mask};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// What a float stands for, or would stand for if it were exact.
#[derive(Clone, Debug)]
pub enum Number {
    Nan,
    /// Is it negative?
    Infinite(bool),
    Zero(bool),
    Finite(Exact),
}

/// A number that is not zero: above / below * 2^exponent, with its sign.
#[derive(Clone, Debug)]
pub struct Exact {
    pub negative: bool,
    pub above: BigUint,
    pub below: BigUint,
    pub exponent: i64,
}

impl Exact {
    pub fn whole(negative: bool, above: BigUint, exponent: i64) -> Exact {
        Exact {
            negative,
            above,
            below: BigUint::one(),
            exponent,
        }
    }

    /// The integer above * 2^(exponent - quantum), its sign included; of numbers that are whole multiples.
    fn scaled(&self, quantum: i64) -> BigInt {
        debug_assert!(self.below.is_one() && self.exponent >= quantum);
        let sign = if self.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_biguint(sign, &self.above << (self.exponent - quantum) as u64)
    }

    /// The largest k such that 2^k is not above the magnitude.
    fn logarithm(&self) -> i64 {
        let guess = self.above.bits() as i64 - self.below.bits() as i64;
        let reached = match guess {
            0.. => self.above >= &self.below << guess as u64,
            _ => &self.above << -guess as u64 >= self.below,
        };
        guess + self.exponent - i64::from(!reached)
    }

    /// The magnitude as a multiple of 2^quantum, rounded.
    fn rounded(&self, quantum: i64, mode: Rounding) -> BigUint {
        let shift = self.exponent - quantum;
        let (above, below) = match shift {
            0.. => (&self.above << shift as u64, self.below.clone()),
            _ => (self.above.clone(), &self.below << -shift as u64),
        };
        let (whole, rest) = above.div_rem(&below);
        let half = (&rest << 1_u32).cmp(&below);
        let up = match mode {
            Rounding::NearestEven => half.is_gt() || half.is_eq() && whole.is_odd(),
            Rounding::NearestAway => half.is_ge(),
            Rounding::Positive => !rest.is_zero() && !self.negative,
            Rounding::Negative => !rest.is_zero() && self.negative,
            Rounding::Zero => false,
        };
        whole + u32::from(up)
    }

    pub fn to_integer(&self, mode: Rounding) -> BigInt {
        let magnitude = BigInt::from(self.rounded(0, mode));
        if self.negative { -magnitude } else { magnitude }
    }

    fn bits(&self, format: Format, mode: Rounding) -> u128 {
        let fraction = i64::from(format.significand) - 1;
        let mut quantum = self.logarithm().max(format.smallest_exponent()) - fraction;
        let mut digits = small(&self.rounded(quantum, mode));
        if digits >> format.significand != 0 {
            digits >>= 1;
            quantum += 1;
        }
        if quantum + fraction > format.largest_exponent() {
            let beyond = match mode {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::Positive => !self.negative,
                Rounding::Negative => self.negative,
                Rounding::Zero => false,
            };
            return match beyond {
                true => format.infinity(self.negative),
                false => format.largest(self.negative),
            };
        }
        let normal = digits >> fraction != 0;
        let exponent = match normal {
            true => (quantum + fraction + format.largest_exponent()) as u128,
            false => 0,
        };
        let digits = digits & mask(format.significand - 1);
        format.sign(self.negative) | exponent << fraction | digits
    }
}

/// A significand: no format here has more than 128 bits.
fn small(digits: &BigUint) -> u128 {
    let words = digits.to_u64_digits();
    assert!(words.len() <= 2, "a significand of many bits");
    let word = |index: usize| u128::from(words.get(index).copied().unwrap_or(0));
    word(1) << 64 | word(0)
}

impl Number {
    pub fn of(format: Format, bits: u128) -> Number {
        let negative = format.is_negative(bits);
        let fraction = bits & mask(format.significand - 1);
        let exponent = (bits & format.top()) >> (format.significand - 1);
        let unit = format.smallest_exponent() - i64::from(format.significand) + 1;
        match (exponent, fraction) {
            _ if format.is_nan(bits) => Number::Nan,
            _ if exponent == mask(format.exponent) => Number::Infinite(negative),
            (0, 0) => Number::Zero(negative),
            (0, _) => Number::Finite(Exact::whole(negative, fraction.into(), unit)),
            _ => {
                let hidden = 1 << (format.significand - 1);
                let above = BigUint::from(fraction | hidden);
                Number::Finite(Exact::whole(negative, above, unit + exponent as i64 - 1))
            }
        }
    }

    pub fn bits(&self, format: Format, mode: Rounding) -> u128 {
        match self {
            Number::Nan => format.nan(),
            Number::Infinite(negative) => format.infinity(*negative),
            Number::Zero(negative) => format.zero(*negative),
            Number::Finite(exact) => exact.bits(format, mode),
        }
    }

    fn is_negative(&self) -> bool {
        match self {
            Number::Nan => false,
            Number::Infinite(negative) | Number::Zero(negative) => *negative,
            Number::Finite(exact) => exact.negative,
        }
    }

    pub fn negated(&self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            Number::Infinite(negative) => Number::Infinite(!negative),
            Number::Zero(negative) => Number::Zero(!negative),
            Number::Finite(exact) => Number::Finite(Exact {
                negative: !exact.negative,
                ..exact.clone()
            }),
        }
    }

    /// The mode matters for the sign of a zero alone.
    pub fn add(&self, other: &Number, mode: Rounding) -> Number {
        use Number::*;
        let cancelled = Zero(mode == Rounding::Negative);
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(a), Infinite(b)) if a != b => Nan,
            (Infinite(_), _) => self.clone(),
            (_, Infinite(_)) => other.clone(),
            (Zero(a), Zero(b)) if a == b => Zero(*a),
            (Zero(_), Zero(_)) => cancelled,
            (Zero(_), _) => other.clone(),
            (_, Zero(_)) => self.clone(),
            (Finite(a), Finite(b)) => {
                let quantum = a.exponent.min(b.exponent);
                let sum = a.scaled(quantum) + b.scaled(quantum);
                match sum.sign() {
                    Sign::NoSign => cancelled,
                    sign => {
                        let (_, above) = sum.into_parts();
                        Finite(Exact::whole(sign == Sign::Minus, above, quantum))
                    }
                }
            }
        }
    }

    pub fn times(&self, other: &Number) -> Number {
        use Number::*;
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(_), Zero(_)) | (Zero(_), Infinite(_)) => Nan,
            (Infinite(_), _) | (_, Infinite(_)) => Infinite(negative),
            (Zero(_), _) | (_, Zero(_)) => Zero(negative),
            (Finite(a), Finite(b)) => Finite(Exact::whole(
                negative,
                &a.above * &b.above,
                a.exponent + b.exponent,
            )),
        }
    }

    pub fn divided_by(&self, other: &Number) -> Number {
        use Number::*;
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(_), Infinite(_)) | (Zero(_), Zero(_)) => Nan,
            (Infinite(_), _) | (_, Zero(_)) => Infinite(negative),
            (Zero(_), _) | (_, Infinite(_)) => Zero(negative),
            (Finite(a), Finite(b)) => Finite(Exact {
                negative,
                above: a.above.clone(),
                below: b.above.clone(),
                exponent: a.exponent - b.exponent,
            }),
        }
    }

    /// Right to more digits than the significand has; one last digit says whether there are others.
    pub fn square_root(&self, significand: u32) -> Number {
        match self {
            Number::Finite(exact) if exact.negative => Number::Nan,
            Number::Infinite(true) => Number::Nan,
            Number::Finite(exact) => {
                let mut shift = 2 * u64::from(significand) + 4;
                shift += u64::from((exact.exponent - shift as i64).is_odd());
                let square = &exact.above << shift;
                let root = square.sqrt();
                let more = &root * &root != square;
                let digits = (root << 1_u32) + u32::from(more);
                let exponent = (exact.exponent - shift as i64) / 2 - 1;
                Number::Finite(Exact::whole(false, digits, exponent))
            }
            other => other.clone(),
        }
    }

    /// x - y * n, where n is the integer nearest to x / y, the even one of two.
    pub fn remainder(&self, other: &Number) -> Number {
        use Number::*;
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite(_), _) | (_, Zero(_)) => Nan,
            (_, Infinite(_)) | (Zero(_), _) => self.clone(),
            (Finite(a), Finite(b)) => {
                let quantum = a.exponent.min(b.exponent);
                let quotient = match self.divided_by(other) {
                    Finite(quotient) => quotient.to_integer(Rounding::NearestEven),
                    _ => unreachable!("both are finite and not zero"),
                };
                let rest = a.scaled(quantum) - b.scaled(quantum) * quotient;
                match rest.sign() {
                    Sign::NoSign => Zero(a.negative),
                    sign => {
                        let (_, above) = rest.into_parts();
                        Finite(Exact::whole(sign == Sign::Minus, above, quantum))
                    }
                }
            }
        }
    }

    pub fn integral(&self, mode: Rounding) -> Number {
        match self {
            Number::Finite(exact) => {
                let magnitude = exact.rounded(0, mode);
                match magnitude.is_zero() {
                    true => Number::Zero(exact.negative),
                    false => Number::Finite(Exact::whole(exact.negative, magnitude, 0)),
                }
            }
            other => other.clone(),
        }
    }

    /// The order of numbers; nothing for a NaN.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        use Number::*;
        let side = |number: &Number| match number {
            Infinite(true) => -2,
            Finite(exact) if exact.negative => -1,
            Finite(_) => 1,
            Infinite(false) => 2,
            Zero(_) | Nan => 0,
        };
        match (self, other) {
            (Nan, _) | (_, Nan) => None,
            (Finite(a), Finite(b)) if a.negative == b.negative => {
                let quantum = a.exponent.min(b.exponent);
                Some(a.scaled(quantum).cmp(&b.scaled(quantum)))
            }
            _ => Some(side(self).cmp(&side(other))),
        }
    }

    pub fn rational(&self) -> Option<BigRational> {
        match self {
            Number::Nan | Number::Infinite(_) => None,
            Number::Zero(_) => Some(BigRational::zero()),
            Number::Finite(exact) => {
                let quantum = exact.exponent.min(0);
                let below = BigInt::one() << -quantum as u64;
                Some(BigRational::new(exact.scaled(quantum), below))
            }
        }
    }
}
