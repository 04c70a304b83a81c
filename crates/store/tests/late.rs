//! LMDB is mapped when something is written, not when a store is opened whose file is known to be sound.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{entry, options};
use refrain_store::{Store, StoreError, Trouble};

/// A store that was closed in good order, and its file of entries.
fn closed(directory: &Path, entries: u32) -> (PathBuf, PathBuf) {
    let path = directory.join("store");
    let store = Store::open(&path, &options()).unwrap();
    for at in 0..entries {
        store.put(entry(&at.to_string())).unwrap();
    }
    drop(store);
    let mut found = fs::read_dir(&path)
        .unwrap()
        .map(|found| found.unwrap().path());
    let generation = found.find(|path| path.is_dir()).unwrap();
    (path, generation.join("data.mdb"))
}

fn is_mapped(data: &Path) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.contains(&*data.to_string_lossy())
}

#[test]
fn lookups_map_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (path, data) = closed(directory.path(), 20);
    let before = fs::metadata(&data).unwrap().modified().unwrap();
    let store = Store::open(&path, &options()).unwrap();
    for at in 0..20 {
        let wanted = entry(&at.to_string());
        let found = store.get(&wanted.key).unwrap();
        assert_eq!(found.value, wanted.value);
        store.touch([found.id]);
    }
    assert!(!is_mapped(&data));
    drop(store);
    // Uses alone are only noted.
    assert_eq!(fs::metadata(&data).unwrap().modified().unwrap(), before);

    let store = Store::open(&path, &options()).unwrap();
    store.put(entry("new")).unwrap();
    store.commit().unwrap();
    assert!(is_mapped(&data));
    assert!(store.get(&entry("new").key).is_some());
    assert!(store.verify().unwrap().is_sound());
    drop(store);
    assert!(!is_mapped(&data));
}

#[test]
fn uses_without_entries_are_written_with_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let (path, data) = closed(directory.path(), 20);
    let key = entry("7").key;
    let in_all = |store: &Store| -> u64 {
        let info = store.info().unwrap();
        info.kinds.values().map(|kind| kind.uses).sum()
    };
    for times in 1..=3 {
        let store = Store::open(&path, &options()).unwrap();
        let id = store.get(&key).unwrap().id;
        store.touch([id, id]);
        store.commit().unwrap();
        assert_eq!(in_all(&store), 2 * times);
        assert_eq!(store.snapshot().unwrap().usage(id).unwrap().uses, 0);
    }
    let noted = data.with_file_name("uses");
    // The end of a row that somebody could not write.
    let half = [fs::read(&noted).unwrap(), vec![1, 2, 3]].concat();
    fs::write(&noted, half).unwrap();
    let store = Store::open(&path, &options()).unwrap();
    store.put(entry("new")).unwrap();
    store.commit().unwrap();
    assert!(!noted.exists());
    let id = store.get(&key).unwrap().id;
    assert_eq!(store.snapshot().unwrap().usage(id).unwrap().uses, 6);
    assert_eq!(in_all(&store), 6);
}

#[test]
fn a_file_that_was_replaced_meanwhile_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let (path, data) = closed(directory.path(), 20);
    let store = Store::open(&path, &options()).unwrap();
    assert!(store.get(&entry("3").key).is_some());
    let copy = data.with_file_name("copy");
    fs::copy(&data, &copy).unwrap();
    fs::rename(&copy, &data).unwrap();
    let before = fs::read(&data).unwrap();
    store.put(entry("new")).unwrap();
    let refused = store.commit();
    assert!(
        matches!(refused, Err(StoreError::Lost { .. })),
        "{refused:?}"
    );
    let warnings = store.warnings();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.trouble == Trouble::Lost)
    );
    drop(store);
    assert_eq!(fs::read(&data).unwrap(), before);
    // Whoever opens it next walks it: nothing vouches for it.
    let store = Store::open(&path, &options()).unwrap();
    assert!(store.verify().unwrap().is_sound());
    assert!(store.get(&entry("3").key).is_some());
}

#[test]
fn what_others_have_written_meanwhile_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (path, _) = closed(directory.path(), 20);
    let store = Store::open(&path, &options()).unwrap();
    let other = common::child("writing_child", &path.to_string_lossy())
        .status()
        .unwrap();
    assert!(other.success());
    store.put(entry("ours")).unwrap();
    store.commit().unwrap();
    for name in ["3", "theirs", "ours"] {
        assert!(store.get(&entry(name).key).is_some(), "{name}");
    }
    assert!(store.verify().unwrap().is_sound());
    assert!(store.warnings().is_empty());
}

#[test]
fn writing_child() {
    let Some(path) = common::task() else { return };
    let store = Store::open(Path::new(&path), &options()).unwrap();
    store.put(entry("theirs")).unwrap();
}
