//! Floats of the formats that the processor computes in, as words.

use std::cmp::Ordering;

use super::word64::mask;

/// A float and its bits in a word.
pub trait Hardware {
    fn from_word(word: u64) -> Self;
    fn to_word(self) -> u64;
}

impl Hardware for f32 {
    #[inline(always)]
    fn from_word(word: u64) -> f32 {
        f32::from_bits(word as u32)
    }

    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Hardware for f64 {
    #[inline(always)]
    fn from_word(word: u64) -> f64 {
        f64::from_bits(word)
    }

    #[inline(always)]
    fn to_word(self) -> u64 {
        self.to_bits()
    }
}

/// The bit of a predicate that an order satisfies.
pub fn order_bit(order: Option<Ordering>) -> u16 {
    match order {
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        Some(Ordering::Less) => 4,
        None => 8,
    }
}

/// Out of range is undefined; here as the processor does it.
pub fn to_signed(value: f64, width: u32) -> u64 {
    let high = if width > 32 { 63 } else { 31 };
    let in_range = value.trunc() >= -(2f64.powi(high)) && value.trunc() < 2f64.powi(high);
    let converted = if in_range {
        value as i64
    } else {
        i64::MIN >> (63 - high)
    };
    converted as u64 & mask(width)
}

pub fn to_unsigned(value: f64, width: u32) -> u64 {
    if width < 64 {
        return to_signed(value, 64) & mask(width);
    }
    if value >= 9_223_372_036_854_775_808.0 {
        value as u64
    } else {
        to_signed(value, 64)
    }
}
