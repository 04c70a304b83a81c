//! A library that is also one for C, with a build script, a feature, and a dependency.

pub fn most() -> u8 {
    env!("MOST").parse().unwrap()
}

pub fn price(pieces: u8) -> u8 {
    let price = pieces.min(most());
    if cfg!(feature = "rebate") {
        price - 1
    } else {
        price
    }
}

pub fn label(pieces: u8) -> String {
    itoa::Buffer::new().format(price(pieces)).to_string()
}

/// Where the currency is; the search asks the processor what it can do.
pub fn currency(label: &[u8]) -> Option<usize> {
    memchr::memchr(b'$', label)
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

    #[refrain::test]
    fn the_currency_is_found(label: [u8; 3]) {
        let first = label.iter().position(|&byte| byte == b'$');
        assert_eq!(currency(&label), first);
    }

    // An ordinary test is none of our business.
    #[test]
    fn ordinary() {
        assert_eq!(price(3), 3);
    }
}
