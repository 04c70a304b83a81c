//! Full disks, missing permissions, foreign and damaged files: an error that says which, and never a crash, a wrong
//! value, or a file that is not ours touched.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{child, child_of, entry, options, task};
use refrain_store::{Entry, Options, Store, StoreError, Trouble};
use refrain_testing::{Mount, Random, Reachable, is_root};

fn read_only() -> Options {
    Options {
        read_only: true,
        ..options()
    }
}

/// A store with some history: entries replaced and removed, free pages, overflow pages.
fn filled(path: &Path) {
    let store = Store::open(path, &options()).unwrap();
    for round in 0..4 {
        for at in 0..150 {
            store.put(entry(&format!("{round}.{at}"))).unwrap();
        }
        store.flush().unwrap();
    }
    let weight = store.info().unwrap().weight;
    store.gc(weight).unwrap();
    for at in 0..100 {
        store.put(entry(&format!("late.{at}"))).unwrap();
    }
}

fn generation(store: &Path) -> PathBuf {
    let mut entries = fs::read_dir(store)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries.find(|path| path.is_dir()).unwrap()
}

#[test]
fn what_is_not_ours_is_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "text").unwrap();
    let other = directory.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("data.mdb"), "text").unwrap();
    let marked = directory.path().join("marked");
    fs::create_dir(&marked).unwrap();
    fs::write(marked.join("REFRAIN-STORE.txt"), "shopping list").unwrap();
    for path in [&file, &other, &marked, &file.join("below")] {
        for options in [options(), read_only()] {
            let refused = Store::open(path, &options).err().unwrap();
            let expected = match path.ends_with("below") {
                true => matches!(refused, StoreError::Io { .. }),
                false => matches!(refused, StoreError::Foreign { .. }),
            };
            assert!(expected, "{refused:?}");
        }
        assert!(refrain_store::remove(path).is_err());
    }
    assert_eq!(fs::read(&file).unwrap(), b"text");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&marked).unwrap().count(), 1);
}

#[test]
fn a_store_of_the_future_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(
        path.join("REFRAIN-STORE.txt"),
        "refrain store, format 17\nmore",
    )
    .unwrap();
    let refused = Store::open(path, &options()).err().unwrap();
    assert!(matches!(refused, StoreError::Future { found: 17, .. }));
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

#[test]
fn nothing_is_begun_for_reading() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let refused = Store::open(&path, &read_only()).err().unwrap();
    assert!(matches!(refused, StoreError::Missing { .. }));
    assert!(!path.exists());
    drop(Store::open(&path, &Options::new("another validity")).unwrap());
    let refused = Store::open(&path, &read_only()).err().unwrap();
    assert!(matches!(refused, StoreError::OtherValidity { .. }));
}

#[test]
fn what_was_hardly_begun_is_no_store_yet() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    drop(Store::open(&path, &options()).unwrap());
    File::create(generation(&path).join("data.mdb")).unwrap();
    let refused = Store::open(&path, &read_only()).err().unwrap();
    assert!(
        !matches!(refused, StoreError::Damaged { .. }),
        "{refused:?}"
    );
    // Whoever may write begins it.
    let store = Store::open(&path, &options()).unwrap();
    store.put(entry("1")).unwrap();
    store.flush().unwrap();
    assert!(store.get(&entry("1").key).is_some());
}

#[test]
fn a_marker_that_was_begun_is_finished() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("REFRAIN-STORE.txt"), "").unwrap();
    drop(Store::open(directory.path(), &options()).unwrap());
    drop(Store::open(directory.path(), &read_only()).unwrap());
}

/// A child without rights: opens for writing, for reading, and for whichever is possible, and says how that went.
#[test]
fn humble_child() {
    let Some(path) = task() else { return };
    let path = Path::new(&path);
    let ways: [&dyn Fn() -> Result<Store, StoreError>; 3] = [
        &|| Store::open(path, &options()),
        &|| Store::open(path, &read_only()),
        &|| Store::open_or_read(path, &options()),
    ];
    for open in ways {
        let outcome = match open() {
            Ok(store) => read_what_cannot_be_written(&store, &entry("late.1")),
            Err(StoreError::NoPermission { .. }) => "no permission".to_string(),
            Err(other) => format!("{other:?}"),
        };
        println!("\noutcome: {outcome}");
    }
}

/// Reads in every way, and tries to write.
fn read_what_cannot_be_written(store: &Store, known: &Entry) -> String {
    let refused = store.put(entry("one more"));
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
    let id = match store.get(&known.key) {
        Some(found) => {
            assert_eq!(found.value, known.value);
            found.id
        }
        None => return "missed".to_string(),
    };
    store.touch([id]);
    store.flush().unwrap();
    assert!(store.get(b"something else").is_none());
    let snapshot = store.snapshot().unwrap();
    for key in &known.index {
        assert!(snapshot.find(key).any(|found| found.key == known.key));
    }
    let entries = snapshot.entries().count() as u64;
    assert_eq!(entries, store.info().unwrap().entries);
    assert!(store.verify().unwrap().is_sound());
    for refused in [store.clear(), store.gc(0).map(|_| ())] {
        assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
    }
    let warnings = store.warnings();
    assert!(
        warnings
            .iter()
            .all(|warning| warning.trouble == Trouble::Unwritable)
    );
    match warnings.len() {
        0 => "found".to_string(),
        count => format!("found, {count} warning"),
    }
}

/// What the child says, run as nobody if we are root: root has every permission.
fn outcomes(program: &Reachable, path: &Path) -> Vec<String> {
    let mut command = child_of(&program.program, "humble_child", path.to_str().unwrap());
    if is_root() {
        command.uid(65534).gid(65534);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let lines = said
        .lines()
        .filter_map(|line| line.strip_prefix("outcome: "));
    lines.map(String::from).collect()
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn without_permission_the_store_says_so() {
    let directory = tempfile::tempdir().unwrap();
    allow(directory.path(), 0o755);
    let program = Reachable::copy(&std::env::current_exe().unwrap());
    let outcomes = |path: &Path| outcomes(&program, path);
    let locked = directory.path().join("locked");
    fs::create_dir(&locked).unwrap();
    allow(&locked, 0o555);
    for path in [&locked, &locked.join("store")] {
        let outcomes = outcomes(path);
        assert_eq!(
            (&*outcomes[0], &*outcomes[2]),
            ("no permission", "no permission")
        );
    }
    allow(&locked, 0o000);
    assert_eq!(outcomes(&locked), ["no permission"; 3]);
    // A store of somebody else, readable but not writable.
    let store = directory.path().join("store");
    filled(&store);
    let generation = generation(&store);
    for file in fs::read_dir(&generation).unwrap() {
        allow(&file.unwrap().path(), 0o444);
    }
    for path in [&generation, &store] {
        allow(path, 0o555);
    }
    let expected = ["no permission", "found", "found, 1 warning"];
    assert_eq!(outcomes(&store), expected);
    // The same without what LMDB and the locks need.
    for path in [&generation, &store] {
        allow(path, 0o755);
    }
    for name in ["lock.mdb", "in-use", "validity", "checked"] {
        fs::remove_file(generation.join(name)).unwrap();
        allow(&generation, 0o555);
        assert_eq!(outcomes(&store), expected, "without {name}");
        allow(&generation, 0o755);
    }
    for path in [&generation, &store, &locked] {
        allow(path, 0o755);
    }
}

/// A store that somebody else writes, from where its readers cannot be seen.
#[test]
fn what_cannot_be_written_is_read_while_others_write_it() {
    let directory = tempfile::tempdir().unwrap();
    allow(directory.path(), 0o755);
    let path = directory.path().join("store");
    filled(&path);
    let store = Store::open(&path, &options()).unwrap();
    let generation = generation(&path);
    for file in fs::read_dir(&generation).unwrap() {
        let file = file.unwrap().path();
        let is_for_writers = file.ends_with("lock.mdb") || file.ends_with("in-use");
        let mode = if is_for_writers { 0o600 } else { 0o644 };
        allow(&file, mode);
    }
    for path in [&generation, &path] {
        allow(path, 0o755);
    }
    let program = Reachable::copy(&std::env::current_exe().unwrap());
    let mut command = child_of(&program.program, "unseen_child", path.to_str().unwrap());
    if is_root() {
        command.uid(65534).gid(65534);
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut round = 0;
    while child.try_wait().unwrap().is_none() {
        // Nothing stays where it is.
        for at in 0..100 {
            store.put(entry(&format!("{round}.{at}"))).unwrap();
        }
        store.flush().unwrap();
        store.gc(300_000).unwrap();
        round += 1;
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("outcome: read beside a writer"), "{said}");
    assert!(round > 2, "{round} rounds");
}

/// What was read. On a slow machine a writer that never rests may overwrite it at every attempt: it is tried again.
fn when_free<T>(mut read: impl FnMut() -> Result<T, StoreError>) -> T {
    loop {
        match read() {
            Err(StoreError::InUse { .. }) => std::thread::yield_now(),
            result => return result.unwrap(),
        }
    }
}

/// A child: reads for a while. Any value must be right, and nothing must look damaged.
#[test]
fn unseen_child() {
    let Some(path) = task() else { return };
    let store = when_free(|| Store::open_or_read(Path::new(&path), &options()));
    let mut found = 0;
    let mut states = BTreeSet::new();
    while states.len() < 20 {
        states.insert(when_free(|| store.info()).weight);
        for at in 0..100 {
            let entry = entry(&format!("{}.{at}", states.len()));
            if let Some(value) = store.get(&entry.key) {
                assert_eq!(value.value, entry.value);
                found += 1;
            }
        }
        let snapshot = when_free(|| store.glimpse());
        for group in 0..20 {
            for entry in snapshot.find(format!("group {group}").as_bytes()) {
                check(&entry.key, &entry.value);
                found += 1;
            }
        }
        for warning in store.warnings() {
            let expected = matches!(warning.trouble, Trouble::Unwritable | Trouble::ReadFailed);
            assert!(expected, "{warning}");
        }
    }
    assert!(found > 100);
    println!("\noutcome: read beside a writer");
}

#[test]
fn a_full_disk_costs_only_what_does_not_fit() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mount) = Mount::new(directory.path().join("small"), "1m") else {
        return;
    };
    let path = mount.0.join("store");
    {
        let store = Store::open(&path, &options()).unwrap();
        let mut kept = Vec::new();
        let mut failures = 0;
        for at in 0..2000 {
            let entry = entry(&at.to_string());
            store.put(entry.clone()).unwrap();
            match store.flush() {
                Ok(()) => kept.push(entry),
                Err(error) => {
                    assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
                    failures += 1;
                }
            }
        }
        assert!(failures > 0 && kept.len() > 50);
        assert!(store.verify().unwrap().is_sound());
        for entry in &kept {
            assert_eq!(store.get(&entry.key).unwrap().value, entry.value);
        }
        assert!(!store.warnings().is_empty());
        // Written in the background, it is a warning.
        store.put(Entry::new("large", vec![0; 2 << 20])).unwrap();
        while store.warnings().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(store.get(b"large").is_none());
    }
    let store = Store::open(&path, &options()).unwrap();
    assert!(store.verify().unwrap().is_sound());
    assert!(store.info().unwrap().entries > 50);
    // No room to begin another one.
    fs::write(mount.0.join("filler"), vec![0; 1 << 20]).unwrap_err();
    let second = mount.0.join("second");
    for refused in [
        Store::open(&second, &options()),
        Store::open_or_read(&second, &options()),
    ] {
        assert!(matches!(refused, Err(StoreError::DiskFull { .. })));
    }
    // Room for nothing at all, not even for the list of readers: the answers can be read.
    drop(store);
    let known = entry("1");
    fs::remove_file(generation(&path).join("lock.mdb")).unwrap();
    fs::write(mount.0.join("more filler"), vec![0; 1 << 20]).unwrap_err();
    let refused = Store::open(&path, &options());
    assert!(matches!(refused, Err(StoreError::DiskFull { .. })));
    let store = Store::open_or_read(&path, &options()).unwrap();
    assert_eq!(
        read_what_cannot_be_written(&store, &known),
        "found, 1 warning"
    );
}

#[test]
fn a_read_only_file_system_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let Some(mount) = Mount::new(directory.path().join("small"), "32m") else {
        return;
    };
    let path = mount.0.join("store");
    {
        let store = Store::open(&path, &options()).unwrap();
        store.put(Entry::new("key", "value")).unwrap();
    }
    mount.make_read_only();
    let refused = Store::open(&path, &options());
    assert!(matches!(refused, Err(StoreError::NoPermission { .. })));
    let known = Entry::new("key", "value");
    {
        let store = Store::open(&path, &read_only()).unwrap();
        assert_eq!(read_what_cannot_be_written(&store, &known), "found");
    }
    let store = Store::open_or_read(&path, &options()).unwrap();
    assert_eq!(
        read_what_cannot_be_written(&store, &known),
        "found, 1 warning"
    );
}

/// Entries tell what their values must be.
fn check(key: &[u8], value: &[u8]) {
    let name = String::from_utf8_lossy(key);
    let expected = entry(name.split(' ').next().unwrap_or_default());
    assert!(expected.key == key && expected.value == value, "{name}");
}

/// A child: opens a damaged store, and uses it in every way. Any value must be right.
#[test]
fn suspicious_child() {
    let Some(path) = task() else { return };
    let store = match Store::open(Path::new(&path), &options()) {
        Ok(store) => store,
        Err(StoreError::Damaged { .. }) => return println!("\noutcome: refused"),
        Err(other) => panic!("{other:?}"),
    };
    {
        let snapshot = store.snapshot().unwrap();
        for found in snapshot.entries() {
            check(&found.key, &found.value);
        }
        for group in 0..20 {
            for found in snapshot.find(format!("group {group}").as_bytes()) {
                check(&found.key, &found.value);
            }
        }
        for (_, id) in snapshot.range(b"", b"") {
            if let Some(found) = snapshot.entry(id) {
                check(&found.key, &found.value);
            }
        }
        for at in 0..100 {
            let entry = entry(&format!("late.{at}"));
            if let Some(found) = snapshot.get(&entry.key) {
                assert_eq!(found.value, entry.value);
            }
        }
    }
    store.verify().unwrap();
    for at in 0..300 {
        store.put(entry(&format!("3.{at}"))).unwrap();
    }
    store.flush().unwrap();
    store.gc(200_000).unwrap();
    assert!(store.verify().unwrap().is_sound());
    println!("\noutcome: served");
}

/// Damages a copy of a file in one of the ways in which files get damaged.
fn damage(file: &File, numbers: &mut Random) -> String {
    let length = file.metadata().unwrap().len();
    // Half of the time in the first pages of something, where numbers matter most.
    let place = |numbers: &mut Random| match numbers.below(4) {
        0 => numbers.below(2 * 4096),
        1 => numbers.below(length / 4096) * 4096 + numbers.below(64),
        _ => numbers.below(length),
    };
    match numbers.below(6) {
        0 => {
            let kept = numbers.below(length);
            file.set_len(kept).unwrap();
            format!("cut to {kept} of {length}")
        }
        1 => {
            let (from, to) = (numbers.below(length / 4096), numbers.below(length / 4096));
            let mut page = [0; 4096];
            file.read_exact_at(&mut page, from * 4096).unwrap();
            file.write_all_at(&page, to * 4096).unwrap();
            format!("page {from} over page {to}")
        }
        2 => {
            let at = numbers.below(length / 512) * 512;
            file.write_all_at(&[0; 512], at).unwrap();
            format!("zeros at {at}")
        }
        _ => {
            let mut what = String::from("flipped");
            for _ in 0..1 + numbers.below(4) {
                let (at, bit) = (place(numbers), numbers.below(8));
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).unwrap();
                file.write_all_at(&[byte[0] ^ (1 << bit)], at).unwrap();
                what += &format!(" {at}.{bit}");
            }
            what
        }
    }
}

#[test]
fn a_damaged_file_is_refused_or_serves_only_what_is_right() {
    // In memory if possible: the disk is not what is tested.
    let directory = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let path = directory.path().join("store");
    filled(&path);
    let data = generation(&path).join("data.mdb");
    let sound = fs::read(&data).unwrap();
    let rounds = refrain_testing::count("DAMAGE_ROUNDS", 200, 4000);
    let (mut refused, mut served) = (0, 0);
    for round in 0..rounds {
        let mut numbers = Random::new(round);
        fs::write(&data, &sound).unwrap();
        let file = File::options().read(true).write(true).open(&data).unwrap();
        let what = damage(&file, &mut numbers);
        let child = child("suspicious_child", path.to_str().unwrap()).output();
        let output = child.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "round {round}, {what}: signal {:?}\n{said}\n{}",
            output.status.signal(),
            String::from_utf8_lossy(&output.stderr)
        );
        refused += usize::from(said.contains("outcome: refused"));
        served += usize::from(said.contains("outcome: served"));
    }
    println!("{refused} refused, {served} served");
    assert_eq!(refused + served, rounds as usize);
    assert!(refused > 0 && served > 0);
}

#[test]
fn damage_right_after_closing_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    filled(&path);
    let data = generation(&path).join("data.mdb");
    for round in 0..20 {
        let store = Store::open(&path, &options()).unwrap();
        store.put(entry(&format!("again {round}"))).unwrap();
        drop(store);
        // No time passes, and the length stays. LMDB itself would not notice.
        let file = File::options().read(true).write(true).open(&data).unwrap();
        let pages = file.metadata().unwrap().len() / 4096;
        let mut heads = vec![[0; 8]; pages as usize];
        for (at, head) in heads.iter_mut().enumerate().skip(2) {
            file.read_exact_at(head, at as u64 * 4096).unwrap();
            file.write_all_at(&[0xff; 8], at as u64 * 4096).unwrap();
        }
        let refused = Store::open(&path, &options());
        assert!(matches!(refused, Err(StoreError::Damaged { .. })));
        for (at, head) in heads.iter().enumerate().skip(2) {
            file.write_all_at(head, at as u64 * 4096).unwrap();
        }
    }
    refrain_store::remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn damage_to_the_small_files_does_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    filled(&path);
    for name in ["lock.mdb", "in-use", "checked", "compacted.mdb"] {
        let file = generation(&path).join(name);
        for content in [&b""[..], &[0xa5; 100], &[0x5a; 100_000]] {
            fs::write(&file, content).unwrap();
            let store = Store::open(&path, &options()).unwrap();
            assert!(store.verify().unwrap().is_sound(), "{name}");
            assert!(store.get(&entry("late.1").key).is_some());
            store.put(entry("more")).unwrap();
            store.flush().unwrap();
        }
    }
    fs::write(generation(&path).join("validity"), "tests, version 2").unwrap();
    let refused = Store::open(&path, &options());
    assert!(matches!(refused, Err(StoreError::Damaged { .. })));
}
