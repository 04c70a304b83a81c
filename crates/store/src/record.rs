//! An entry as it lies on disk: a checksum, then everything that the entry consists of.
//!
//! The checksum covers the whole body and is seeded with the entry's id, so a record that lies in the wrong place does
//! not match either. A record that does not match is no record: [`Record::decode`] gives `None`, whatever the bytes.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::EntryId;

const CHECKSUM: usize = 8;
/// Cost, time, length of the key, number of index keys.
const HEAD: usize = 16;

/// A record that agrees with its checksum.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    bytes: Vec<u8>,
    key_bytes: usize,
    index_bytes: usize,
    /// Microseconds that the answer cost to find.
    pub cost: u32,
    /// When it was written, in seconds of Unix time.
    pub stored: u32,
}

impl Record {
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

    pub fn decode(id: EntryId, bytes: Vec<u8>) -> Option<Record> {
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
        let [cost, stored] = [number(0), number(1)];
        let [key_bytes, index_bytes] = [number(2) as usize, number(3) as usize];
        (key_bytes.checked_add(index_bytes)? <= rest.len()).then_some(Record {
            key_bytes,
            index_bytes,
            cost,
            stored,
            bytes,
        })
    }

    /// Key, index and value.
    fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        let body = &self.bytes[CHECKSUM + HEAD..];
        let (key, rest) = body.split_at(self.key_bytes);
        let (index, value) = rest.split_at(self.index_bytes);
        (key, index, value)
    }

    pub fn key(&self) -> &[u8] {
        self.parts().0
    }

    pub fn value(&self) -> &[u8] {
        self.parts().2
    }

    /// The secondary keys of the entry, in the order in which they were given.
    pub fn index(&self) -> impl Iterator<Item = &[u8]> {
        let (_, mut rest, _) = self.parts();
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
        let record = Record::decode(EntryId(7), bytes.clone()).unwrap();
        assert_eq!((record.key(), record.value()), (&b"key"[..], &b"value"[..]));
        assert_eq!((record.cost, record.stored), (12, 34));
        assert!(
            record
                .index()
                .eq([&b"one"[..], &b""[..], &b"three"[..]].into_iter())
        );
        assert!(Record::decode(EntryId(8), bytes.clone()).is_none());
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Record::decode(EntryId(7), flipped).is_none());
        }
        for length in 0..bytes.len() {
            assert!(Record::decode(EntryId(7), bytes[..length].to_vec()).is_none());
        }
    }
}
