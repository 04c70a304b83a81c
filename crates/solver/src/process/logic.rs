//! The logic that a program is told to expect: the narrowest it knows for all it has been asked.
//!
//! The names of the standard are made of parts (`QF_` `UF` `L` `IA`), but no program knows all of them, and some take
//! one name for more than another, so each has a dialect. What no logic of a program has room for it is not asked.

use super::features::Features;

/// What a program makes of the names of logics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Standard,
    /// In `QF_BV` the cost of a check grows with the height of the stack; `QF_UFBV` is as fast on a single question and
    /// many times faster on a stack of hundreds of levels. Constant arrays are outside of the `QF_…` logics, and
    /// functions over integers and reals together have none.
    Z3,
    /// `ALL` is without products of numbers; logics with products are without bit-vectors, and without cores.
    Yices,
    /// Bit-vectors, arrays and functions only.
    BitVectors,
}

impl Dialect {
    /// The name of the logic; or what it has none for.
    pub fn logic(self, features: Features) -> Result<String, &'static str> {
        let is_mixed = features.bit_vectors || features.arrays;
        match self {
            _ if features.functions_of_floats => {
                Err("it knows no functions of floats such as sines")
            }
            Dialect::Yices if features.floats => Err("it knows no floats"),
            _ if features.floats && features.has_numbers() => Ok("ALL".to_owned()),
            _ if features.floats => Ok(with_floats(features).to_owned()),
            _ if !features.has_numbers() => Ok(self.without_numbers(features).to_owned()),
            Dialect::BitVectors => Err("it knows no integers and no reals"),
            Dialect::Yices if is_mixed && features.products => {
                Err("it knows no products of numbers beside bit-vectors")
            }
            _ if is_mixed => Ok("ALL".to_owned()),
            Dialect::Z3 if features.integers && features.reals => Ok("ALL".to_owned()),
            _ => Ok(of_numbers(features)),
        }
    }

    fn without_numbers(self, features: Features) -> &'static str {
        match (features.arrays, features.functions) {
            _ if features.constant_arrays && self == Dialect::Z3 => "ALL",
            (false, false) if self == Dialect::Z3 => "QF_UFBV",
            (false, false) => "QF_BV",
            (true, false) => "QF_ABV",
            (false, true) => "QF_UFBV",
            (true, true) => "QF_AUFBV",
        }
    }

    /// Whether a check under assumptions can be explained.
    pub fn has_cores(self, features: Features) -> bool {
        self != Dialect::Yices || !features.products
    }
}

fn with_floats(features: Features) -> &'static str {
    match (features.arrays, features.functions) {
        _ if features.constant_arrays => "ALL",
        (false, false) => "QF_BVFP",
        (true, false) => "QF_ABVFP",
        _ => "ALL",
    }
}

fn of_numbers(features: Features) -> String {
    let part = |is_there: bool, name| if is_there { name } else { "" };
    format!(
        "QF_{}{}{}{}A",
        part(features.functions, "UF"),
        if features.products { "N" } else { "L" },
        part(features.integers, "I"),
        part(features.reals, "R"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logics_are_narrow() {
        let integers = Features {
            integers: true,
            ..Features::default()
        };
        let products = Features {
            products: true,
            ..integers
        };
        let functions = Features {
            functions: true,
            ..integers
        };
        let both = Features {
            reals: true,
            ..functions
        };
        let bits = Features {
            bit_vectors: true,
            ..products
        };
        let floats = Features {
            floats: true,
            bit_vectors: true,
            ..Features::default()
        };
        let cases = [
            (Features::default(), ["QF_BV", "QF_UFBV", "QF_BV", "QF_BV"]),
            (integers, ["QF_LIA", "QF_LIA", "QF_LIA", ""]),
            (products, ["QF_NIA", "QF_NIA", "QF_NIA", ""]),
            (functions, ["QF_UFLIA", "QF_UFLIA", "QF_UFLIA", ""]),
            (both, ["QF_UFLIRA", "ALL", "QF_UFLIRA", ""]),
            (bits, ["ALL", "ALL", "", ""]),
            (floats, ["QF_BVFP", "QF_BVFP", "", "QF_BVFP"]),
        ];
        let dialects = [
            Dialect::Standard,
            Dialect::Z3,
            Dialect::Yices,
            Dialect::BitVectors,
        ];
        for (features, expected) in cases {
            let found = dialects.map(|dialect| dialect.logic(features).unwrap_or_default());
            assert_eq!(found, expected, "{features:?}");
        }
    }
}
