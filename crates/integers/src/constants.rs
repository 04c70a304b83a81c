//! Constants: bit-vectors and machine integers as numbers, and back.

use refrain_term::{Bv, Rational};

pub(crate) fn whole(value: i128) -> Rational {
    Rational::from_ibig(value.into())
}

/// The value, if it is an integer and not too large.
pub(crate) fn to_i128(value: &Rational) -> Option<i128> {
    if let Some(small) = value.to_i64() {
        return Some(i128::from(small));
    }
    if !value.is_integer() {
        return None;
    }
    i128::try_from(value.to_big().numerator()).ok()
}

pub(crate) fn power_of_two(exponent: u32) -> Rational {
    let mut power = whole(1 << (exponent % 64));
    let word = whole(1 << 64);
    for _ in 0..exponent / 64 {
        power = &power * &word;
    }
    power
}

pub(crate) fn unsigned(value: &Bv) -> Rational {
    let word = whole(1 << 64);
    value
        .words()
        .iter()
        .rev()
        .fold(Rational::ZERO, |high, &low| {
            &(&high * &word) + &whole(i128::from(low))
        })
}

pub(crate) fn signed(value: &Bv) -> Rational {
    let unsigned = unsigned(value);
    match value.sign() {
        true => &unsigned - &power_of_two(value.width()),
        false => unsigned,
    }
}

/// The low bits of an integer, at most 64 of them.
pub(crate) fn wrapped(value: &Rational, bits: u32) -> u64 {
    let low = value.rem_euclid(&power_of_two(bits));
    to_i128(&low).map_or(0, |low| low as u64)
}

/// The low bits of an integer.
pub(crate) fn to_bit_vector(value: &Rational, width: u32) -> Bv {
    if width <= 64 {
        return Bv::new(width, wrapped(value, width));
    }
    let word = power_of_two(64);
    let mut rest = value.clone();
    let words = (0..width.div_ceil(64)).map(|_| {
        let low = wrapped(&rest, 64);
        rest = rest.div_euclid(&word);
        low
    });
    Bv::from_words(width, words.collect())
}
