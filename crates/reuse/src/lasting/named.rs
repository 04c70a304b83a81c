//! Keys of answers that are looked up by name.
//!
//! A chain without canonical forms knows a set again only over the same symbols. Its entries have the names of their
//! slots in the key, so that the same form under other names is an entry of its own.

use super::record::{SlotName, put_name};
use crate::canon::FORMAT;
use crate::canon::bytes::{Reader, put_varint};

/// What a key with names begins with.
const NAMED: u8 = b'n';
const _: () = assert!(NAMED != FORMAT);

/// The key of a form over symbols of these names.
pub fn named_key(form: &[u8], names: &[SlotName]) -> Vec<u8> {
    let mut written = Vec::new();
    for name in names {
        put_name(&mut written, name);
    }
    let mut key = vec![NAMED];
    put_varint(&mut key, written.len() as u64);
    key.extend_from_slice(&written);
    key.extend_from_slice(form);
    key
}

/// The canonical form in a key, whether it has names or not.
pub fn form_of(key: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(key);
    if reader.byte()? != NAMED {
        return Some(key);
    }
    let length = usize::try_from(reader.varint()?).ok()?;
    reader.bytes(length)?;
    Some(reader.rest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_off_again() {
        let form = [FORMAT, 1, 2, 3];
        let names = ["x", "long name"].map(|name| SlotName::Symbol(name.into()));
        let key = named_key(&form, &names);
        assert_eq!(form_of(&key), Some(&form[..]));
        assert_ne!(key, named_key(&form, &names[..1]));
        assert_eq!(form_of(&form), Some(&form[..]));
        for length in 0..key.len() - form.len() {
            assert_eq!(form_of(&key[..length]), None, "{length}");
        }
    }
}
