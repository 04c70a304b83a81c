//! Entries come back as they were put, by key, by secondary key and in order; newer ones replace older ones.

mod common;

use std::collections::BTreeMap;

use common::{entry, options};
use refrain_store::{Entry, EntryId, Options, Store, StoreError, Trouble};
use refrain_testing::Random;

fn fresh() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store"), &options()).unwrap();
    (directory, store)
}

#[test]
fn the_store_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Store>();
    let (_directory, store) = fresh();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = store.clone();
            scope.spawn(move || {
                for at in 0..200 {
                    let entry = entry(&format!("{thread} {at}"));
                    store.put(entry.clone()).unwrap();
                    if at % 50 == 0 {
                        store.flush().unwrap();
                        assert_eq!(store.get(&entry.key).unwrap().value, entry.value);
                    }
                }
            });
        }
    });
    store.flush().unwrap();
    assert_eq!(store.info().unwrap().entries, 800);
    assert!(store.verify().unwrap().is_sound());
    assert!(store.warnings().is_empty());
}

#[test]
fn what_is_put_is_found_here_and_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep/in/store");
    let entries: Vec<Entry> = (0..500).map(|at| entry(&at.to_string())).collect();
    {
        let store = Store::open(&path, &options()).unwrap();
        for entry in &entries {
            store.put(entry.clone()).unwrap();
        }
        // Closing writes.
    }
    let store = Store::open(&path, &options()).unwrap();
    let snapshot = store.snapshot().unwrap();
    for entry in &entries {
        let found = snapshot.get(&entry.key).unwrap();
        assert_eq!((&found.key, &found.value), (&entry.key, &entry.value));
        assert_eq!(snapshot.entry(found.id).as_ref(), Some(&found));
        for key in &entry.index {
            assert!(snapshot.find(key).any(|other| other == found));
        }
    }
    assert!(snapshot.get(b"something else").is_none());
    assert!(snapshot.get(b"").is_none());
    assert!(snapshot.entry(EntryId(u64::MAX)).is_none());
    assert_eq!(snapshot.find(b"no such key").count(), 0);
}

#[test]
fn entries_are_written_without_a_flush_after_a_moment() {
    let (_directory, store) = fresh();
    store.put(Entry::new("key", "value")).unwrap();
    for _ in 0..1000 {
        if store.get(b"key").is_some() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the entry did not appear");
}

#[test]
fn random_changes_agree_with_a_map() {
    let (_directory, store) = fresh();
    let mut numbers = Random::new(1);
    let mut expected: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
    for round in 0..60 {
        for _ in 0..numbers.below(80) {
            let key = vec![b'k'; numbers.below(700) as usize];
            let value = vec![round; numbers.below(6000) as usize];
            let mut entry = Entry::new(key, value).costing(round.into());
            for _ in 0..numbers.below(4) {
                let length = numbers.below(4) as usize;
                let index_key: Vec<u8> = (0..length).map(|_| numbers.below(2) as u8).collect();
                if !entry.index.iter().any(|known| **known == *index_key) {
                    entry = entry.under(index_key);
                }
            }
            expected.insert(entry.key.clone(), entry.clone());
            store.put(entry).unwrap();
        }
        store.flush().unwrap();
    }
    assert!(store.verify().unwrap().is_sound());
    let snapshot = store.snapshot().unwrap();
    let mut rows = Vec::new();
    for (key, entry) in &expected {
        let found = snapshot.get(key).unwrap();
        assert_eq!(found.value, entry.value);
        rows.extend(entry.index.iter().map(|key| (key.to_vec(), found.id)));
    }
    assert_eq!(snapshot.entries().count(), expected.len());
    rows.sort();
    for (prefix, from) in [
        (&[][..], &[][..]),
        (&[0], &[]),
        (&[1, 0], &[]),
        (&[0], &[0, 0, 1]),
        (&[], &[1]),
        (&[0], &[1]),
    ] {
        let inside = |(key, _): &&(Vec<u8>, EntryId)| key.starts_with(prefix) && &key[..] >= from;
        let expected: Vec<_> = rows.iter().filter(inside).cloned().collect();
        let found: Vec<_> = snapshot.range(prefix, from).collect();
        assert!(found == expected, "prefix {prefix:?} from {from:?}");
    }
    for key in [&[][..], &[0], &[0, 0], &[1, 0, 1]] {
        let ids: Vec<_> = snapshot.find(key).map(|found| found.id).collect();
        let of_key = rows.iter().filter(|(other, _)| other == key);
        assert_eq!(ids, of_key.map(|&(_, id)| id).collect::<Vec<_>>());
    }
}

#[test]
fn a_replaced_entry_keeps_its_id_and_its_uses() {
    let (_directory, store) = fresh();
    store
        .put(Entry::new("key", "old").under(*b"a").under(*b"b"))
        .unwrap();
    store.flush().unwrap();
    let old = store.get(b"key").unwrap();
    store.touch([old.id, old.id, EntryId(12345)]);
    store
        .put(
            Entry::new("key", "new")
                .under(*b"b")
                .under(*b"c")
                .costing(5),
        )
        .unwrap();
    store.flush().unwrap();
    let new = store.get(b"key").unwrap();
    assert_eq!((new.id, &new.value[..]), (old.id, &b"new"[..]));
    let snapshot = store.snapshot().unwrap();
    let count = |key: &[u8]| snapshot.find(key).count();
    assert_eq!((count(b"a"), count(b"b"), count(b"c")), (0, 1, 1));
    let usage = snapshot.usage(new.id).unwrap();
    assert_eq!((usage.uses, usage.cost), (2, 5));
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn a_snapshot_stays_as_it_is_until_refreshed() {
    let (_directory, store) = fresh();
    let mut snapshot = store.snapshot().unwrap();
    store.put(Entry::new("key", "value")).unwrap();
    store.flush().unwrap();
    assert!(snapshot.get(b"key").is_none());
    snapshot.refresh().unwrap();
    assert!(snapshot.get(b"key").is_some());
}

#[test]
fn entries_of_another_validity_are_never_seen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let version = |version: u32| Options::new(format!("version {version}"));
    for round in 0..2 {
        for number in 1..4 {
            let store = Store::open(&path, &version(number)).unwrap();
            let found = store.get(b"key").map(|found| found.value);
            let expected = (round > 0).then(|| vec![number as u8]);
            assert_eq!(found, expected);
            let notices = store.warnings();
            assert_eq!(notices.len(), usize::from(round == 0 && number > 1));
            assert!(
                notices
                    .iter()
                    .all(|notice| notice.trouble == Trouble::OtherValidity)
            );
            store.put(Entry::new("key", vec![number as u8])).unwrap();
        }
    }
    // Only a few others are kept.
    for number in 4..9 {
        Store::open(&path, &version(number)).unwrap();
    }
    let first = Store::open(&path, &version(1)).unwrap();
    assert!(first.get(b"key").is_none());
    assert!(std::fs::read_dir(&path).unwrap().count() <= 5);
}

#[test]
fn two_stores_of_one_process_are_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let first = Store::open(&path, &options()).unwrap();
    let reading = Options {
        read_only: true,
        ..options()
    };
    let second = Store::open(&path, &reading).unwrap();
    first.put(Entry::new("key", "value")).unwrap();
    first.flush().unwrap();
    assert!(second.get(b"key").is_some());
    assert!(matches!(
        second.put(Entry::default()),
        Err(StoreError::ReadOnly { .. })
    ));
    drop(first);
    assert!(second.get(b"key").is_some());
    drop(second);
    for _ in 0..50 {
        let path = &path;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    let store = Store::open(path, &options()).unwrap();
                    assert!(store.get(b"key").is_some());
                });
            }
        });
    }
    let reader = Store::open(&path, &reading).unwrap();
    assert!(matches!(
        Store::open(&path, &options()),
        Err(StoreError::InUse { .. })
    ));
    assert!(reader.get(b"key").is_some());
}

#[test]
fn entries_beyond_the_limits_are_refused() {
    let (_directory, store) = fresh();
    let long = vec![0u8; refrain_store::MAX_INDEX_KEY];
    store.put(Entry::new("fits", "").under(&long[..])).unwrap();
    let longer = vec![0u8; refrain_store::MAX_INDEX_KEY + 1];
    let refused = store.put(Entry::new("key", "").under(&longer[..]));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })));
    let refused = store.put(Entry::new("key", vec![0; refrain_store::MAX_ENTRY + 1]));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })));
    store
        .put(Entry::new("large", vec![1; 10 << 20]).under(*b""))
        .unwrap();
    store.flush().unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.find(&long).count(), 1);
    assert_eq!(snapshot.get(b"large").unwrap().value.len(), 10 << 20);
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn clearing_leaves_nothing_but_the_store() {
    let (directory, store) = fresh();
    for at in 0..50 {
        store.put(entry(&at.to_string())).unwrap();
    }
    store.flush().unwrap();
    store.clear().unwrap();
    let report = store.verify().unwrap();
    assert!(report.is_sound() && report.entries == 0 && report.index_rows == 0);
    store.put(entry("7")).unwrap();
    store.flush().unwrap();
    assert!(store.get(&entry("7").key).is_some());
    let path = directory.path().join("store");
    assert!(matches!(
        refrain_store::remove(&path),
        Err(StoreError::InUse { .. })
    ));
    drop(store);
    refrain_store::remove(&path).unwrap();
    assert!(!path.exists());
}
