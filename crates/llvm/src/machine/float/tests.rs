//! Which floats fit into which integers, against exact arithmetic on their digits.

use refrain_term::{Rounding, Terms};

use super::{concrete, of_u128, terms};
use crate::code::Format;

const FORMATS: [Format; 6] = [
    Format::Half,
    Format::BFloat,
    Format::Single,
    Format::Double,
    Format::X87,
    Format::Quad,
];

/// Bits of the fraction in memory, with the first bit where it is written, and of the exponent.
fn layout(format: Format) -> (u32, u32) {
    match format {
        Format::Half => (10, 5),
        Format::BFloat => (7, 8),
        Format::Single => (23, 8),
        Format::Double => (52, 11),
        Format::X87 => (64, 15),
        Format::Quad => (112, 15),
    }
}

/// The sign, an integer and the power of two that it is multiplied with; `None` for what is no number.
fn digits(format: Format, bits: u128) -> Option<(bool, u128, i32)> {
    let (fraction, exponent) = layout(format);
    let bias = (1 << (exponent - 1)) - 1;
    let is_negative = bits >> (fraction + exponent) & 1 == 1;
    let field = (bits >> fraction) as i32 & ((1 << exponent) - 1);
    let low = bits & ((1 << fraction) - 1);
    if field == (1 << exponent) - 1 {
        return None;
    }
    let point = if format == Format::X87 { 63 } else { fraction } as i32;
    let significand = match (format, field) {
        (Format::X87, _) | (_, 0) => low,
        _ => low | 1 << fraction,
    };
    Some((is_negative, significand, field.max(1) - bias - point))
}

/// Whether the integer of a float is one of so many bits.
fn fits_exactly(format: Format, bits: u128, width: u32, signed: bool) -> bool {
    let Some((is_negative, significand, power)) = digits(format, bits) else {
        return false;
    };
    let magnitude = match power {
        ..=-128 => 0,
        -127..0 => significand >> -power,
        _ if significand == 0 => 0,
        // Beyond 128 bits nothing fits.
        _ if significand.leading_zeros() < power as u32 => return false,
        _ => significand << power,
    };
    let limit = 1u128 << (width - u32::from(signed));
    match (signed, is_negative) {
        (true, true) => magnitude <= limit,
        (false, true) => magnitude == 0,
        (_, false) => magnitude < limit,
    }
}

fn check(format: Format, bits: u128) {
    let mut all = Terms::new();
    let float = all.constant(of_u128(bits, format.bits()));
    let float = terms::unpacked(&mut all, format, float);
    let rounding = all.rounding(Rounding::ToZero);
    for width in [8, 16, 32, 64] {
        for signed in [true, false] {
            let wanted = fits_exactly(format, bits, width, signed);
            let number = concrete::fits(bits, format, width, signed);
            let shape = terms::shape(format);
            let term = all.float_fits_integer(shape, rounding, float, width, signed);
            let case = format!("{format:?} {bits:#x} to {width} bits, signed: {signed}");
            assert_eq!(number, wanted, "{case}");
            assert_eq!(term, refrain_term::Term::bool(wanted), "{case}");
        }
    }
}

#[test]
fn every_half() {
    for bits in 0..1 << 16 {
        check(Format::Half, bits);
        check(Format::BFloat, bits);
    }
}

/// The powers of two at which integers end, a half and one, with their neighbours.
#[test]
fn boundaries_of_every_format() {
    for format in FORMATS {
        let (fraction, exponent) = layout(format);
        let bias = (1i32 << (exponent - 1)) - 1;
        let first = match format {
            Format::X87 => 1u128 << 63,
            _ => 0,
        };
        let mut bits = vec![0, 1, ((1 << exponent) - 1) << fraction | first];
        bits.push(((1u128 << exponent) - 1) << fraction | first | 1 << (fraction - 2));
        for power in [-1, 0, 7, 8, 15, 16, 31, 32, 63, 64] {
            if power > bias {
                continue;
            }
            let field = |power: i32| u128::from((power + bias) as u32) << fraction;
            let number = field(power) | first;
            let below = field(power - 1) | ((1 << fraction) - 1);
            bits.extend([number, number + 1, number + 2, below, below - 1]);
            // The integer above and below, with a half of one behind it.
            if fraction as i32 > power + 1 && power > 0 {
                let one = 1u128 << (fraction as i32 - power - i32::from(format == Format::X87));
                bits.extend([number + one, number + one - 1, number + one / 2]);
            }
        }
        for bits in bits {
            check(format, bits);
            check(format, bits | 1 << (format.bits() - 1));
        }
    }
}
