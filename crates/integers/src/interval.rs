//! Between which numbers a translated term lies, whatever the path: from the bounds of the inputs alone.
//!
//! Intervals are what keeps the translation linear: a truncation, an extension or an unsigned reading that cannot
//! change anything is left out.

/// From the lower to the upper bound, inclusively. Where there is no bound, nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

impl Interval {
    pub const ALL: Interval = Interval {
        low: None,
        high: None,
    };

    pub fn new(low: i128, high: i128) -> Interval {
        Interval {
            low: Some(low),
            high: Some(high),
        }
    }

    /// What so many bits hold, two's complement. More than 128 bits are no bound worth knowing.
    pub fn signed(bits: u32) -> Interval {
        match bits {
            0..=128 => Interval::new(i128::MIN >> (128 - bits), i128::MAX >> (128 - bits)),
            _ => Interval::ALL,
        }
    }

    pub fn unsigned(bits: u32) -> Interval {
        Interval {
            low: Some(0),
            high: match bits {
                0..=127 => Some(i128::MAX >> (127 - bits)),
                _ => None,
            },
        }
    }

    fn is_bounded(self) -> bool {
        self.low.is_some() && self.high.is_some()
    }

    /// Whether all of it surely is in another one. A bound that the other one does not have is one that no `i128`
    /// reaches.
    pub fn is_within(self, other: Interval) -> bool {
        self.is_bounded()
            && other.low.is_none_or(|low| self.low >= Some(low))
            && other
                .high
                .is_none_or(|high| self.high.is_some_and(|own| own <= high))
    }

    pub fn add(self, other: Interval) -> Interval {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    /// Every product of two members.
    pub fn times(self, other: Interval) -> Interval {
        let product = |a: Option<i128>, b: Option<i128>| a?.checked_mul(b?);
        let ends = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let ends: Option<Vec<i128>> = ends.into_iter().collect();
        match ends {
            Some(ends) => Interval {
                low: ends.iter().copied().min(),
                high: ends.iter().copied().max(),
            },
            None => Interval::ALL,
        }
    }

    /// Divided by a positive number and rounded down.
    pub fn divided(self, divisor: i128) -> Interval {
        Interval {
            low: self.low.map(|low| low.div_euclid(divisor)),
            high: self.high.map(|high| high.div_euclid(divisor)),
        }
    }

    pub fn hull(self, other: Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// What is in both.
    pub fn meet(self, other: Interval) -> Interval {
        let either = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            _ => a.or(b),
        };
        Interval {
            low: either(self.low, other.low, i128::max),
            high: either(self.high, other.high, i128::min),
        }
    }

    /// Whether every member is less than every member of another one.
    pub fn is_below(self, other: Interval) -> bool {
        matches!((self.high, other.low), (Some(high), Some(low)) if high < low)
    }

    /// Whether no member is less than any member of another one.
    pub fn is_not_below(self, other: Interval) -> bool {
        matches!((self.low, other.high), (Some(low), Some(high)) if low >= high)
    }

    /// The multiples of `2^bits` that the first and the last member lie above, as factors.
    pub fn blocks(self, bits: u32) -> Option<(i128, i128)> {
        let (low, high) = (self.low?, self.high?);
        Some(match bits {
            0..=126 => (low >> bits, high >> bits),
            _ => (low >> 127, high >> 127),
        })
    }
}
