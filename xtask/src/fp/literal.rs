//! Floats as the standard writes them.

/// Single or double precision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Single,
    Double,
}

use Precision::{Double, Single};

impl Precision {
    pub fn sort(self) -> &'static str {
        match self {
            Single => "(_ FloatingPoint 8 24)",
            Double => "(_ FloatingPoint 11 53)",
        }
    }

    /// The value, rounded if need be.
    pub fn literal(self, value: f64) -> String {
        let (bits, width, significand) = match self {
            Single => (u64::from((value as f32).to_bits()), 32, 23),
            Double => (value.to_bits(), 64, 52),
        };
        let text = format!("{bits:0width$b}");
        let exponent = width - significand;
        format!(
            "(fp #b{} #b{} #b{})",
            &text[..1],
            &text[1..exponent],
            &text[exponent..]
        )
    }

    /// Calculates in this precision: what doubles give is rounded once more, which is exact for one operator on singles.
    pub fn round(self, value: f64) -> f64 {
        match self {
            Single => f64::from(value as f32),
            Double => value,
        }
    }
}
