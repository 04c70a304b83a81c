//! Text of any bytes, as strings.
//!
//! Quoted symbols, strings and comments may have bytes that are not UTF-8: the standard allows all from 128 on. But
//! names of terms and messages are strings. So there each byte that belongs to no character stands as one character
//! of a range for private use, and so do the bytes of that range's own characters. Whatever a script contains has one
//! such text; where answers are written, its bytes are put back.

use std::borrow::Cow;
use std::io::{self, Write};

/// The character that stands for byte 0; those from 128 on stand for theirs.
const FIRST: u32 = 0xf700;

/// What UTF-8 begins each of these characters with.
const LEAD: u8 = 0xef;

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).expect("a character for private use")
}

/// The byte that a character stands for.
fn byte(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

/// Bytes as a string.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && (memchr::memchr(LEAD, bytes).is_none() || !text.chars().any(|c| byte(c).is_some()))
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if byte(character).is_some() {
                let mut buffer = [0; 4];
                let bytes = character.encode_utf8(&mut buffer).bytes();
                text.extend(bytes.map(stand_in));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| stand_in(byte)));
    }
    Cow::Owned(text)
}

/// The bytes of a string.
pub fn raw(text: &str) -> Cow<'_, [u8]> {
    if memchr::memchr(LEAD, text.as_bytes()).is_none() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Writes strings as their bytes.
pub struct Raw<'a>(pub &'a mut dyn Write);

impl Write for Raw<'_> {
    /// Formatting passes on whole strings.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(piece) {
            Ok(text) => self.0.write_all(&raw(text))?,
            Err(_) => self.0.write_all(piece)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bytes_come_back_and_no_two_are_one_text() {
        let parts: [&[u8]; 10] = [
            b"a",
            b"\x80",
            b"\xff",
            b"\xef",
            b"\x9e",
            b"\xbf",
            "é".as_bytes(),
            "\u{f77f}".as_bytes(),
            "\u{f780}".as_bytes(),
            "\u{f7ff}".as_bytes(),
        ];
        let mut texts = std::collections::HashMap::new();
        for first in parts {
            for second in parts {
                for third in parts {
                    let bytes = [first, second, third].concat();
                    let text = text(&bytes).into_owned();
                    assert_eq!(*raw(&text), bytes);
                    let known = texts.insert(text, bytes.clone());
                    assert!(known.is_none_or(|known| known == bytes));
                }
            }
        }
    }

    #[test]
    fn what_is_utf8_is_itself() {
        assert!(matches!(
            text("ünï→ \u{fffd}".as_bytes()),
            Cow::Borrowed("ünï→ \u{fffd}")
        ));
        assert!(matches!(raw("ünï→"), Cow::Borrowed(_)));
    }
}
