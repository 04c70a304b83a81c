//! Rounding: the one place where bits get lost.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

use super::{Format, Rounding};
use crate::Bv;

/// Whether what is cut off makes the magnitude one larger: `half` is its first bit, `rest` whether any other is set.
fn goes_up(rounding: Rounding, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
    match rounding {
        Rounding::NearestEven => half && (rest || odd),
        Rounding::NearestAway => half,
        Rounding::Up => !negative && (half || rest),
        Rounding::Down => negative && (half || rest),
        Rounding::ToZero => false,
    }
}

/// A magnitude without its last `shift` bits.
pub(super) fn shift_out(
    rounding: Rounding,
    negative: bool,
    magnitude: &UBig,
    shift: usize,
) -> UBig {
    if shift == 0 {
        return magnitude.clone();
    }
    let kept = magnitude >> shift;
    let half = magnitude.bit(shift - 1);
    let rest = magnitude
        .trailing_zeros()
        .is_some_and(|zeros| zeros < shift - 1);
    let odd = kept.bit(0);
    if goes_up(rounding, negative, odd, half, rest) {
        kept + UBig::ONE
    } else {
        kept
    }
}

/// The float for `significand` times two to the power `exponent`.
pub(super) fn round(
    format: Format,
    rounding: Rounding,
    negative: bool,
    significand: UBig,
    exponent: i64,
) -> Bv {
    if significand == UBig::ZERO {
        return format.zero(negative);
    }
    let precision = i64::from(format.significand);
    // The exponent of the last bit that is kept.
    let mut last = (exponent + significand.bit_len() as i64 - precision).max(format.least());
    let mut kept = if last >= exponent {
        shift_out(rounding, negative, &significand, (last - exponent) as usize)
    } else {
        significand << (exponent - last) as usize
    };
    if kept.bit_len() as i64 > precision {
        kept >>= 1;
        last += 1;
    }
    if last + precision - 1 > format.bias() {
        let away = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::Up => !negative,
            Rounding::Down => negative,
            Rounding::ToZero => false,
        };
        return if away {
            format.infinity(negative)
        } else {
            format.largest(negative)
        };
    }
    // The first bit of a normal number is not written: it counts one in the exponent.
    let field = UBig::from((last - format.least()) as u64) << format.fraction() as usize;
    let magnitude = Bv::from_ubig(format.width() - 1, &(kept + field));
    Bv::new(1, negative.into()).concat(&magnitude)
}
