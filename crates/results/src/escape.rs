//! Bytes as people read them.

/// Printable characters as they are, everything else escaped as C and Rust do.
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        push_escaped(&mut text, byte);
    }
    text
}

/// Text as it is; bytes that are no UTF-8 as `\xNN`.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for &byte in chunk.invalid() {
            push_hex(&mut text, byte);
        }
    }
    text
}

fn push_escaped(text: &mut String, byte: u8) {
    match byte {
        b'\n' => text.push_str("\\n"),
        b'\t' => text.push_str("\\t"),
        b'\r' => text.push_str("\\r"),
        b'\\' => text.push_str("\\\\"),
        b'"' => text.push_str("\\\""),
        0x20..0x7f => text.push(char::from(byte)),
        _ => push_hex(text, byte),
    }
}

fn push_hex(text: &mut String, byte: u8) {
    text.push_str("\\x");
    push_digits(text, byte);
}

fn push_digits(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 15)]));
}

pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for &byte in bytes {
        push_digits(&mut text, byte);
    }
    text
}

/// The opposite of [`hex`].
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        &[high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_readable() {
        assert_eq!(text(b"a\"\\\n\0\xffz"), r#"a\"\\\n\x00\xffz"#);
        assert_eq!(escaped("ü\n\u{0}".as_bytes()), "ü\n\u{0}");
        assert_eq!(escaped(b"a\xc3(\xff"), r"a\xc3(\xff");
        assert_eq!(unhex(&hex(b"\x00\x7f\xff")), Some(b"\x00\x7f\xff".to_vec()));
        for wrong in ["0", "0g", "+1", "ü"] {
            assert_eq!(unhex(wrong), None, "{wrong}");
        }
    }
}
