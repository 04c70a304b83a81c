//! Numbers with an infinitesimal part, in which a strict bound is a bound like any other: `x < 3` is `x <= 3 - δ`.

use std::cmp::Ordering;

use refrain_term::Rational;

/// `standard + infinitesimal * δ`, for a positive δ smaller than any number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delta {
    pub standard: Rational,
    pub infinitesimal: Rational,
}

impl Delta {
    pub fn new(standard: Rational, infinitesimal: i64) -> Delta {
        Delta {
            standard,
            infinitesimal: Rational::from(infinitesimal),
        }
    }

    #[inline]
    pub fn is_integer(&self) -> bool {
        self.infinitesimal.is_zero() && self.standard.is_integer()
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> Rational {
        let floor = self.standard.floor();
        if self.infinitesimal.is_negative() && self.standard.is_integer() {
            &floor - &Rational::ONE
        } else {
            floor
        }
    }

    /// Adds `factor * value`.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rational, value: &Delta) {
        self.standard.add_mul(factor, &value.standard);
        if !value.infinitesimal.is_zero() {
            self.infinitesimal.add_mul(factor, &value.infinitesimal);
        }
    }

    /// Multiplies by `own`, and adds `factor * value`.
    #[inline]
    pub fn mul_add_mul(&mut self, own: &Rational, factor: &Rational, value: &Delta) {
        self.standard.mul_add_mul(own, factor, &value.standard);
        if !self.infinitesimal.is_zero() || !value.infinitesimal.is_zero() {
            self.infinitesimal
                .mul_add_mul(own, factor, &value.infinitesimal);
        }
    }

    /// Divides by an integer that is not zero; quick where it is a divisor.
    #[inline]
    pub fn divide(&mut self, divisor: &Rational) {
        self.standard.divide(divisor);
        if !self.infinitesimal.is_zero() {
            self.infinitesimal.divide(divisor);
        }
    }

    /// How it compares with `scale * value`, for a positive scale.
    #[inline]
    pub fn cmp_scaled(&self, scale: &Rational, value: &Delta) -> Ordering {
        if scale.is_one() {
            return self.cmp(value);
        }
        let standard = self.standard.cmp(&(scale * &value.standard));
        standard.then_with(|| self.infinitesimal.cmp(&(scale * &value.infinitesimal)))
    }

    #[inline]
    pub fn minus(&self, other: &Delta) -> Delta {
        Delta {
            standard: &self.standard - &other.standard,
            infinitesimal: &self.infinitesimal - &other.infinitesimal,
        }
    }

    #[inline]
    pub fn divided_by(&self, divisor: &Rational) -> Delta {
        let mut quotient = self.clone();
        quotient.standard = &quotient.standard / divisor;
        if !quotient.infinitesimal.is_zero() {
            quotient.infinitesimal = &quotient.infinitesimal / divisor;
        }
        quotient
    }

    /// The number for a particular δ.
    pub fn at(&self, delta: &Rational) -> Rational {
        let mut value = self.standard.clone();
        value.add_mul(&self.infinitesimal, delta);
        value
    }
}

impl From<Rational> for Delta {
    #[inline]
    fn from(standard: Rational) -> Delta {
        Delta {
            standard,
            infinitesimal: Rational::ZERO,
        }
    }
}

impl Ord for Delta {
    #[inline]
    fn cmp(&self, other: &Delta) -> Ordering {
        self.standard
            .cmp(&other.standard)
            .then_with(|| self.infinitesimal.cmp(&other.infinitesimal))
    }
}

impl PartialOrd for Delta {
    #[inline]
    fn partial_cmp(&self, other: &Delta) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
