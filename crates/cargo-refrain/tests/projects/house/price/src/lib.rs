//! A library that is also one for C, with a build script, a feature, and a dependency.

pub fn most() -> u8 {
    env!("MOST").parse().unwrap()
}

pub fn price(pieces: u8) -> u8 {
    let price = pieces.min(most());
    if cfg!(feature = "rebate") { price - 1 } else { price }
}

pub fn label(pieces: u8) -> String {
    itoa::Buffer::new().format(price(pieces)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[refrain::test]
    fn prices_are_not_too_high(pieces: u8) {
        assert!(price(pieces) <= most());
    }

    #[refrain::test]
    fn labels_are_short(pieces: u8) {
        assert!(matches!(label(pieces).len(), 1..=3));
    }

    // An ordinary test is none of our business.
    #[test]
    fn ordinary() {
        assert_eq!(price(3), 3);
    }
}
