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

    #[inline]
    pub fn minus(&self, other: &Delta) -> Delta {
        Delta {
            standard: &self.standard - &other.standard,
            infinitesimal: &self.infinitesimal - &other.infinitesimal,
        }
    }

    #[inline]
    pub fn divided_by(&self, divisor: &Rational) -> Delta {
        Delta {
            standard: &self.standard / divisor,
            infinitesimal: &self.infinitesimal / divisor,
        }
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
