//! Rows of the index: a secondary key and the id of an entry, as one ordered string of bytes.
//!
//! Rows must sort by key, then by id, although keys have any length and hold any bytes. So a zero byte of the key is
//! written as `00 FF`, and the key ends with `00 00`: no row of one key then lies among the rows of another, and a
//! prefix of keys is a prefix of rows. The escapes at most double a key, which is why LMDB is built to take long keys.

use crate::EntryId;

/// No secondary key is longer.
pub const MAX_INDEX_KEY: usize = 500;

const ID: usize = 8;

/// What all rows begin with whose key begins with `prefix`.
pub(crate) fn prefix(prefix: &[u8]) -> Vec<u8> {
    let mut row = Vec::with_capacity(prefix.len() + prefix.len() / 8 + 2 + ID);
    for &byte in prefix {
        row.push(byte);
        if byte == 0 {
            row.push(0xff);
        }
    }
    row
}

/// What all rows begin with whose key is `key`.
pub(crate) fn exactly(key: &[u8]) -> Vec<u8> {
    let mut row = prefix(key);
    row.extend([0, 0]);
    row
}

pub(crate) fn row(key: &[u8], id: EntryId) -> Vec<u8> {
    let mut row = exactly(key);
    row.extend(id.0.to_be_bytes());
    row
}

/// The id alone. `None`: not a row.
pub(crate) fn id(row: &[u8]) -> Option<EntryId> {
    let (_, id) = row.split_last_chunk::<ID>()?;
    Some(EntryId(u64::from_be_bytes(*id)))
}

/// Key and id. `None`: not a row.
pub(crate) fn split(row: &[u8]) -> Option<(Vec<u8>, EntryId)> {
    let (escaped, _) = row.split_last_chunk::<ID>()?;
    let escaped = escaped.strip_suffix(&[0, 0])?;
    let mut key = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        key.push(byte);
        if byte == 0 && bytes.next() != Some(&0xff) {
            return None;
        }
    }
    Some((key, id(row)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All keys of up to three bytes that matter to the escapes.
    fn keys() -> Vec<Vec<u8>> {
        let mut keys = vec![Vec::new()];
        for length in 0..3 {
            for key in keys.clone() {
                if key.len() == length {
                    for byte in [0, 1, 0xfe, 0xff] {
                        keys.push([&key[..], &[byte]].concat());
                    }
                }
            }
        }
        keys
    }

    #[test]
    fn rows_sort_like_their_keys_and_then_by_id() {
        let ids = [0, 1, 255, 256, u64::MAX].map(EntryId);
        let mut pairs: Vec<_> = keys()
            .into_iter()
            .flat_map(|key| ids.map(|id| (key.clone(), id)))
            .collect();
        pairs.sort();
        let rows: Vec<Vec<u8>> = pairs.iter().map(|(key, id)| row(key, *id)).collect();
        assert!(rows.is_sorted());
        for (pair, row) in pairs.iter().zip(&rows) {
            assert_eq!(split(row).as_ref(), Some(pair));
        }
    }

    #[test]
    fn a_row_has_the_prefix_of_its_key_and_of_no_other() {
        for key in keys() {
            for other in keys() {
                let row = row(&key, EntryId(0));
                assert_eq!(row.starts_with(&exactly(&other)), key == other);
                assert_eq!(row.starts_with(&prefix(&other)), key.starts_with(&other));
            }
        }
    }
}
