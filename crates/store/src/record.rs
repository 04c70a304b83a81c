//! An entry as it lies on disk: a checksum, then everything that the entry consists of.
//!
//! The checksum covers the whole body and is seeded with the entry's id, so a record that lies in the wrong place does
//! not match either. A record that does not match is no record: [`Record::decode`] gives `None`, whatever the bytes.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::EntryId;

const CHECKSUM: usize = 8;
/// Cost, time, length of the key, number of index keys.
const HEAD: usize = 16;

/// A record, borrowed from the bytes it was read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub key: &'a [u8],
    pub value: &'a [u8],
    /// Microseconds that the answer cost to find.
    pub cost: u32,
    /// When it was written, in seconds of Unix time.
    pub stored: u32,
    index: &'a [u8],
}

impl<'a> Record<'a> {
    pub fn encode(
        id: EntryId,
        key: &[u8],
        value: &[u8],
        index: &[Box<[u8]>],
        cost: u32,
        stored: u32,
    ) -> Vec<u8> {
        let index_bytes: usize = index.iter().map(|key| key.len() + 2).sum();
        let length = CHECKSUM + HEAD + key.len() + index_bytes + value.len();
        let mut bytes = Vec::with_capacity(length);
        bytes.extend([0; CHECKSUM]);
        for number in [cost, stored, key.len() as u32, index_bytes as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(key);
        for key in index {
            bytes.extend((key.len() as u16).to_le_bytes());
            bytes.extend(&**key);
        }
        bytes.extend(value);
        let checksum = xxh3_64_with_seed(&bytes[CHECKSUM..], id.0);
        bytes[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub fn decode(id: EntryId, bytes: &'a [u8]) -> Option<Record<'a>> {
        let (checksum, body) = bytes.split_first_chunk::<CHECKSUM>()?;
        if u64::from_le_bytes(*checksum) != xxh3_64_with_seed(body, id.0) {
            return None;
        }
        let (head, rest) = body.split_first_chunk::<HEAD>()?;
        let number = |at: usize| {
            u32::from_le_bytes([
                head[4 * at],
                head[4 * at + 1],
                head[4 * at + 2],
                head[4 * at + 3],
            ])
        };
        let (key, rest) = rest.split_at_checked(number(2) as usize)?;
        let (index, value) = rest.split_at_checked(number(3) as usize)?;
        Some(Record {
            key,
            value,
            cost: number(0),
            stored: number(1),
            index,
        })
    }

    /// The secondary keys of the entry, in the order in which they were given.
    pub fn index(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.index;
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<2>()?;
            let (key, after) = after.split_at_checked(u16::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(key)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_and_every_flipped_bit_is_noticed() {
        let index = [Box::from(*b"one"), Box::from(*b""), Box::from(*b"three")];
        let bytes = Record::encode(EntryId(7), b"key", b"value", &index, 12, 34);
        let record = Record::decode(EntryId(7), &bytes).unwrap();
        assert_eq!((record.key, record.value), (&b"key"[..], &b"value"[..]));
        assert_eq!((record.cost, record.stored), (12, 34));
        assert!(
            record
                .index()
                .eq([&b"one"[..], &b""[..], &b"three"[..]].into_iter())
        );
        assert!(Record::decode(EntryId(8), &bytes).is_none());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Record::decode(EntryId(7), &flipped).is_none());
        }
        for length in 0..bytes.len() {
            assert!(Record::decode(EntryId(7), &bytes[..length]).is_none());
        }
    }
}
