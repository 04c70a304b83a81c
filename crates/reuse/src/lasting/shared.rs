//! Answers that several chains share, each in a thread of its own with terms of its own: canonical forms mean the
//! same to all of them.
//!
//! What is taken from here is believed no more than what is taken from a store. Which answers are there depends on
//! who was faster: a run that must be the same every time has one worker, to whom this gives back what it has itself.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHasher};

use super::IndexKey;

/// How many locks there are: so many that workers hardly ever wait for each other.
const SHARDS: usize = 64;

/// How many bytes are kept unless somebody says otherwise.
const MOST_BYTES: usize = 256 << 20;

/// About what an entry takes beside its bytes.
const OVERHEAD: usize = 64;

/// The most forms that are listed under one key.
const MOST_LISTED: usize = 1_024;

type Entries = FxHashMap<Box<[u8]>, Box<[u8]>>;
type Lists = FxHashMap<IndexKey, Vec<Box<[u8]>>>;

/// Encoded records by canonical form.
pub struct SharedAnswers {
    shards: [RwLock<Entries>; SHARDS],
    /// Forms by what they are listed under.
    lists: [RwLock<Lists>; SHARDS],
    bytes: AtomicUsize,
    most_bytes: usize,
}

impl Default for SharedAnswers {
    fn default() -> SharedAnswers {
        SharedAnswers::new(MOST_BYTES)
    }
}

impl SharedAnswers {
    /// Takes in answers until they have about so many bytes, and no more from then on.
    pub fn new(most_bytes: usize) -> SharedAnswers {
        SharedAnswers {
            shards: std::array::from_fn(|_| RwLock::default()),
            lists: std::array::from_fn(|_| RwLock::default()),
            bytes: AtomicUsize::new(0),
            most_bytes,
        }
    }

    pub fn len(&self) -> usize {
        let length = |shard: &RwLock<Entries>| {
            let entries = shard.read().unwrap_or_else(PoisonError::into_inner);
            entries.len()
        };
        self.shards.iter().map(length).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, key: &[u8]) -> &RwLock<Entries> {
        &self.shards[shard_of(key)]
    }

    /// What `read` makes of the record of a form.
    pub(super) fn get<T>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        // Entries are put in whole: whoever panicked left none half done.
        let entries = self.shard(key).read();
        let entries = entries.unwrap_or_else(PoisonError::into_inner);
        entries.get(key).and_then(|value| read(value))
    }

    /// The forms that are listed under a key, but for the first so many.
    pub(super) fn listed(&self, under: IndexKey, skipped: usize) -> Vec<Box<[u8]>> {
        let lists = self.lists[shard_of(&under)].read();
        let lists = lists.unwrap_or_else(PoisonError::into_inner);
        let forms = lists.get(&under).and_then(|forms| forms.get(skipped..));
        forms.unwrap_or_default().to_vec()
    }

    /// Keeps a record, unless the form has one or there is no more room, and lists it under some keys.
    pub(super) fn put(&self, key: &[u8], value: &[u8], index: impl IntoIterator<Item = IndexKey>) {
        if !self.keep(key, value) {
            return;
        }
        for under in index {
            let lists = self.lists[shard_of(&under)].write();
            let mut lists = lists.unwrap_or_else(PoisonError::into_inner);
            let forms = lists.entry(under).or_default();
            if forms.len() < MOST_LISTED {
                forms.push(key.into());
                self.bytes
                    .fetch_add(key.len() + OVERHEAD, Ordering::Relaxed);
            }
        }
    }

    fn keep(&self, key: &[u8], value: &[u8]) -> bool {
        let size = key.len() + value.len() + OVERHEAD;
        if self.bytes.load(Ordering::Relaxed) + size > self.most_bytes {
            return false;
        }
        let entries = self.shard(key).write();
        let mut entries = entries.unwrap_or_else(PoisonError::into_inner);
        if entries.contains_key(key) {
            return false;
        }
        entries.insert(key.into(), value.into());
        self.bytes.fetch_add(size, Ordering::Relaxed);
        true
    }
}

fn shard_of(key: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    // Tables use the lowest and the highest bits themselves.
    (hasher.finish() >> 40) as usize % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(shared: &SharedAnswers, key: &[u8]) -> Option<Vec<u8>> {
        shared.get(key, |value| Some(value.to_vec()))
    }

    #[test]
    fn the_first_record_of_a_form_stays() {
        let shared = SharedAnswers::default();
        shared.put(b"form", b"first", [*b"U00000000"]);
        shared.put(b"form", b"second", [*b"U00000000"]);
        assert_eq!(held(&shared, b"form").as_deref(), Some(&b"first"[..]));
        assert_eq!(held(&shared, b"other"), None);
        assert_eq!(shared.listed(*b"U00000000", 0), [b"form"[..].into()]);
        assert!(shared.listed(*b"U00000000", 1).is_empty());
        assert!(shared.listed(*b"S00000000", 3).is_empty());
        assert_eq!(shared.len(), 1);
    }

    #[test]
    fn what_has_no_room_is_not_kept() {
        let shared = SharedAnswers::new(100 * (OVERHEAD + 12));
        for i in 0..1000u32 {
            shared.put(&i.to_le_bytes(), b"8 bytes.", []);
        }
        assert_eq!(shared.len(), 100);
        assert!(held(&shared, &99u32.to_le_bytes()).is_some());
        assert!(held(&shared, &100u32.to_le_bytes()).is_none());
    }

    #[test]
    fn threads_see_each_others_records() {
        let shared = SharedAnswers::default();
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let shared = &shared;
                scope.spawn(move || {
                    for i in 0..500u32 {
                        shared.put(&(500 * thread + i).to_le_bytes(), &thread.to_le_bytes(), []);
                    }
                });
            }
        });
        assert_eq!(shared.len(), 2_000);
        let value = held(&shared, &1_600u32.to_le_bytes());
        assert_eq!(value.as_deref(), Some(&3u32.to_le_bytes()[..]));
    }
}
