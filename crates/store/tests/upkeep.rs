//! Bounding, merging, exporting, compacting, describing.

mod common;

use common::{entry, options};
use refrain_store::{Entry, Options, Store, StoreError};
use refrain_testing::Random;

#[test]
fn the_least_useful_entries_go_first() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store"), &options()).unwrap();
    for at in 0..3000u32 {
        let mut value = vec![0; 200];
        value[0] = at as u8;
        let cost = if at % 3 == 0 { 100_000 } else { 10 };
        let group = at % 7;
        let entry = Entry::new(at.to_le_bytes(), value).under(group.to_le_bytes());
        store.put(entry.costing(cost)).unwrap();
    }
    store.flush().unwrap();
    // Used often enough, a cheap one is worth more than an expensive one.
    let used = store.get(&1u32.to_le_bytes()).unwrap().id;
    store.touch(std::iter::repeat_n(used, 50_000));
    store.flush().unwrap();
    let before = store.info().unwrap().weight;
    // The weight may be half of the bound, and a tenth of that is freed in advance.
    let collected = store.gc(before).unwrap();
    assert_eq!(collected.weight_before, before);
    assert!(collected.weight_after <= before * 45 / 100);
    assert!(collected.weight_after >= before * 44 / 100);
    assert!((1600..1700).contains(&collected.removed));
    assert_eq!(collected.swept, 0);
    for at in (0..3000u32).step_by(3).chain([1]) {
        assert!(store.get(&at.to_le_bytes()).is_some(), "entry {at}");
    }
    let report = store.verify().unwrap();
    assert!(report.is_sound());
    assert_eq!(report.entries, 3000 - collected.removed);
    assert_eq!(report.index_rows, report.entries);
    store.gc(0).unwrap();
    assert_eq!(store.info().unwrap().entries, 0);
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn the_bound_holds_while_writing_and_the_file_does_not_grow_on() {
    let directory = tempfile::tempdir().unwrap();
    let bounded = Options {
        max_bytes: 1 << 20,
        ..options()
    };
    let store = Store::open(&directory.path().join("store"), &bounded).unwrap();
    let mut most = 0;
    for at in 0..20_000 {
        store.put(entry(&at.to_string())).unwrap();
        if at % 200 == 199 {
            store.flush().unwrap();
            let info = store.info().unwrap();
            assert!(info.weight <= 1 << 19);
            assert!(info.used_bytes <= 5 << 18, "{} bytes", info.used_bytes);
            most = most.max(info.file_bytes);
        }
    }
    assert!(store.verify().unwrap().is_sound());
    // A batch rewrites most pages of so small a store, and the old ones are free only after the next.
    assert!(most < 8 << 20, "{most} bytes");
    assert!(store.info().unwrap().entries > 100);
    assert!(store.warnings().is_empty());
}

#[test]
fn a_merge_is_the_union() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let open = |name: &str| Store::open(&path(name), &options()).unwrap();
    let ours = open("ours");
    for at in 0..1500 {
        ours.put(entry(&at.to_string())).unwrap();
    }
    ours.put(Entry::new("shared", "ours")).unwrap();
    ours.flush().unwrap();
    // The same entries are stored later there: that alone replaces nothing.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    {
        let theirs = open("theirs");
        for at in 1000..4000 {
            theirs.put(entry(&at.to_string())).unwrap();
        }
        theirs.put(Entry::new("shared", "theirs")).unwrap();
        theirs.flush().unwrap();
        let id = theirs.get(b"shared").unwrap().id;
        theirs.touch([id, id, id]);
    }
    let merged = ours.merge(&path("theirs")).unwrap();
    assert_eq!(merged.added, 2500);
    assert_eq!(merged.replaced + merged.kept, 501);
    let again = ours.merge(&path("theirs")).unwrap();
    assert_eq!((again.added, again.replaced, again.kept), (0, 0, 3001));
    assert_eq!(ours.merge(&path("ours")).unwrap(), Default::default());
    for at in 0..4000 {
        let entry = entry(&at.to_string());
        assert_eq!(ours.get(&entry.key).unwrap().value, entry.value);
    }
    assert_eq!(ours.get(b"shared").unwrap().value, b"theirs");
    let report = ours.verify().unwrap();
    assert!(report.is_sound() && report.entries == 4001);
    drop(Store::open(
        &path("other"),
        &Options::new("another validity"),
    ));
    assert!(matches!(
        ours.merge(&path("other")),
        Err(StoreError::OtherValidity { .. })
    ));
    assert!(matches!(
        ours.merge(&path("nothing")),
        Err(StoreError::Missing { .. })
    ));
    assert!(!path("nothing").exists());
}

#[test]
fn an_export_is_json_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store"), &options()).unwrap();
    store
        .put(Entry::new("key", [0, 255]).under(*b"i").costing(9))
        .unwrap();
    store.put(Entry::new("silent", "")).unwrap();
    store.flush().unwrap();
    let mut out = Vec::new();
    let show =
        |key: &[u8], _: &[u8]| (key == b"key").then(|| format!("\"{}\"", key.escape_ascii()));
    assert_eq!(store.export(&mut out, Some(&show)).unwrap(), 2);
    let mut lines: Vec<serde_json::Value> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.sort_by_key(|line| line["key"].to_string());
    assert_eq!(lines[0]["key"], "6b6579");
    assert_eq!(lines[0]["value"], "00ff");
    assert_eq!(lines[0]["index"][0], "69");
    assert_eq!(lines[0]["cost"], 9);
    assert_eq!(lines[0]["uses"], 0);
    assert_eq!(lines[0]["text"], "\"key\"");
    assert!(lines[1].get("text").is_none());
}

#[test]
fn info_tells_kinds_apart() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store"), &options()).unwrap();
    for at in 0..30u8 {
        let entry = Entry::new([at], [at % 3, 9]).under([at]).costing(10);
        store.put(entry).unwrap();
    }
    store.put(Entry::new("empty", "")).unwrap();
    store.flush().unwrap();
    let info = store.info().unwrap();
    assert_eq!((info.entries, info.index_rows, info.format), (31, 30, 1));
    assert_eq!(info.validity, "tests, version 1");
    assert_eq!(info.kinds.len(), 4);
    let kind = info.kinds[&Some(2)];
    assert_eq!((kind.entries, kind.bytes, kind.cost), (10, 30, 100));
    assert_eq!(info.kinds[&None].entries, 1);
}

#[test]
fn compacting_gives_the_room_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut numbers = Random::new(3);
    {
        let store = Store::open(&path, &options()).unwrap();
        for at in 0..3000 {
            store.put(entry(&at.to_string())).unwrap();
        }
        store.flush().unwrap();
        assert!(matches!(
            Store::compact(&path, &options()),
            Err(StoreError::InUse { .. })
        ));
        store.gc(1 << 20).unwrap();
    }
    let (before, after) = Store::compact(&path, &options()).unwrap();
    assert!(after < before / 2 && after < 2 << 20, "{before} → {after}");
    let store = Store::open(&path, &options()).unwrap();
    assert!(store.verify().unwrap().is_sound());
    assert!(store.info().unwrap().entries > 100);
    for _ in 0..1000 {
        store.put(entry(&numbers.below(5000).to_string())).unwrap();
    }
    store.flush().unwrap();
    assert!(store.verify().unwrap().is_sound());
}
