//! Floats in decimal: few digits, and enough to read the same bits back.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Half, Quad, X87DoubleExtended};

/// A float by its bits, of which there are so many; `None` where no format has as many.
pub(crate) fn decimal(width: u32, bits: u128) -> Option<String> {
    Some(match width {
        16 => of(Half::from_bits(bits)),
        32 => format!("{:?}", f32::from_bits(bits as u32)),
        64 => format!("{:?}", f64::from_bits(bits as u64)),
        80 => of(X87DoubleExtended::from_bits(bits)),
        128 => of(Quad::from_bits(bits)),
        _ => return None,
    })
}

/// As the standard library writes those that it knows.
fn of<F: Float>(value: F) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        let sign = if value.is_negative() { "-" } else { "" };
        return format!("{sign}inf");
    }
    let text = value.to_string();
    match text.contains(['.', 'e', 'E']) {
        true => text.replace("E+", "e").replace('E', "e"),
        false => text + ".0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back<F: Float>(width: u32, bits: u128) {
        let text = decimal(width, bits).expect("a format");
        let value = F::from_bits(bits);
        if value.is_nan() {
            assert_eq!(text, "NaN");
        } else if value.is_infinite() {
            assert!(text.ends_with("inf"), "{text}");
        } else {
            let read: F = text
                .parse()
                .unwrap_or_else(|_| panic!("{text} is no number"));
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
        }
    }

    #[test]
    fn every_half_reads_back() {
        for bits in 0..1 << 16 {
            reads_back::<Half>(16, bits);
        }
    }

    #[test]
    fn wide_floats_read_back() {
        let mut number = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
        for round in 0..100u32 {
            number = number
                .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
                .rotate_left(17)
                ^ u128::from(round);
            reads_back::<Quad>(128, number);
            // Numbers have the first bit of the significand, but for the smallest.
            reads_back::<X87DoubleExtended>(80, number >> 48 | 1 << 63);
            reads_back::<X87DoubleExtended>(80, number & ((1 << 63) - 1));
        }
    }

    #[test]
    fn what_is_written() {
        let double = |value: f64| decimal(64, u128::from(value.to_bits()));
        assert_eq!(double(0.1).as_deref(), Some("0.1"));
        assert_eq!(double(-0.0).as_deref(), Some("-0.0"));
        assert_eq!(double(5e-324).as_deref(), Some("5e-324"));
        assert_eq!(double(f64::NEG_INFINITY).as_deref(), Some("-inf"));
        assert_eq!(decimal(80, 0x3fff << 64 | 1 << 63).as_deref(), Some("1.0"));
        assert_eq!(decimal(80, 0x8000 << 64).as_deref(), Some("-0.0"));
        assert_eq!(decimal(80, 0x7fff << 64 | 1 << 63).as_deref(), Some("inf"));
        assert_eq!(decimal(24, 0), None);
    }
}
