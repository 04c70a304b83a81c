//! Checksums and hashes.

use std::hash::{BuildHasher, Hash, Hasher};

/// One bit after another, by the polynomial.
fn slow_crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// By tables, eight bytes at a time where there are so many.
#[refrain::test]
fn tables_are_the_polynomial(bytes: [u8; 3]) {
    assert!(crc32fast::hash(&bytes) == slow_crc(&bytes));
}

#[refrain::test]
fn crcs_of_parts_combine(a: [u8; 2], b: [u8; 2]) {
    let mut first = crc32fast::Hasher::new();
    first.update(&a);
    let mut second = crc32fast::Hasher::new();
    second.update(&b);
    first.combine(&second);
    assert!(first.finalize() == slow_crc(&[a[0], a[1], b[0], b[1]]));
}

fn slow_adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

#[refrain::test]
fn adler_is_its_definition(bytes: [u8; 12]) {
    assert!(adler2::adler32_slice(&bytes) == slow_adler(&bytes));
}

fn ahash(value: impl Hash) -> u64 {
    let state = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut hasher = state.build_hasher();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The hash of a number mixes it with a multiplication that can be undone.
#[refrain::test]
fn ahash_tells_bytes_apart(a: u8, b: u8) {
    assert!((ahash(a) == ahash(b)) == (a == b));
}

/// A table of the crate, whatever is put in.
#[refrain::test]
fn what_is_inserted_is_found(keys: [u8; 3]) {
    let state = ahash::RandomState::with_seeds(1, 2, 3, 4);
    let mut map = hashbrown::HashMap::with_hasher(state);
    for (place, &key) in keys.iter().enumerate() {
        map.insert(key, place);
    }
    assert!(map.get(&keys[2]) == Some(&2));
    let different = 1 + usize::from(keys[1] != keys[0]) + usize::from(keys[2] != keys[0] && keys[2] != keys[1]);
    assert!(map.len() == different);
}
