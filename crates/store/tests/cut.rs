//! The file of a store is cut short while processes read and write it. They go on: what they find is right, they say
//! that the store is lost, and from then on they find nothing. If little is missing, somebody else may have filled the
//! gap by writing on: then nothing but single entries may be lost.
//!
//! `CUT_ROUNDS=300 cargo test --release -p refrain-store --test cut` runs longer.
#![cfg(unix)]

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{child, entry, options, task};
use refrain_store::{Options, Store, StoreError, Trouble};
use refrain_testing::Random;

const ENTRIES: u64 = 400;

fn filled(path: &Path) -> PathBuf {
    let store = Store::open(path, &options()).unwrap();
    for at in 0..ENTRIES {
        store.put(entry(&at.to_string())).unwrap();
    }
    store.flush().unwrap();
    let mut entries = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries.find(|path| path.is_dir()).unwrap().join("data.mdb")
}

/// A child: uses the store in every way until it is lost, and a while longer.
#[test]
fn busy_child() {
    let Some(task) = task() else { return };
    let (way, path) = task.split_once(' ').unwrap();
    let writes = way == "write";
    let options = Options {
        read_only: !writes,
        ..options()
    };
    let store = Store::open(Path::new(path), &options).unwrap();
    println!("\nready");
    let is_cut = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_cut);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        told.store(true, Ordering::Release);
    });
    let mut numbers = Random::new(std::process::id().into());
    let mut is_lost = false;
    let (mut rounds_cut, mut rounds_lost) = (0, 0);
    while rounds_lost < 20 && rounds_cut < 300 {
        rounds_cut += u32::from(is_cut.load(Ordering::Acquire));
        rounds_lost += u32::from(is_lost);
        for _ in 0..50 {
            let known = entry(&numbers.below(ENTRIES).to_string());
            if let Some(found) = store.get(&known.key) {
                assert_eq!(found.value, known.value);
                store.touch([found.id]);
            }
        }
        let snapshot = match numbers.below(4) {
            0 => store.snapshot(),
            _ => store.glimpse(),
        };
        match snapshot {
            Ok(snapshot) => {
                let group = format!("group {}", numbers.below(20));
                for found in snapshot.find(group.as_bytes()) {
                    let name = String::from_utf8_lossy(&found.key);
                    let expected = entry(name.split(' ').next().unwrap_or_default());
                    assert!(expected.key == found.key && expected.value == found.value);
                }
            }
            Err(StoreError::Lost { .. }) => {}
            Err(other) => panic!("{other}"),
        }
        if writes {
            write(&store, &mut numbers);
        }
        for warning in store.warnings() {
            match warning.trouble {
                Trouble::Lost => {
                    assert!(!is_lost, "said twice");
                    is_lost = true;
                }
                Trouble::DamagedEntry | Trouble::DamagedIndex => {}
                _ => panic!("{warning}"),
            }
        }
    }
    if !is_lost {
        return println!("\noutcome: served on");
    }
    assert!(store.get(&entry("1").key).is_none());
    assert!(matches!(store.snapshot(), Err(StoreError::Lost { .. })));
    if writes {
        let refused = store.put(entry("more"));
        assert!(matches!(refused, Err(StoreError::Lost { .. })));
    }
    drop(store);
    println!("\noutcome: went on without");
}

fn write(store: &Store, numbers: &mut Random) {
    for _ in 0..numbers.below(30) {
        match store.put(entry(&format!("new.{}", numbers.below(3000)))) {
            Ok(()) | Err(StoreError::Lost { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    let done = match numbers.below(8) {
        0 => store.gc(500_000).map(|_| ()),
        _ => store.flush(),
    };
    match done {
        // A walk over the pages finds them missing before anybody else does.
        Ok(()) | Err(StoreError::Lost { .. } | StoreError::Damaged { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

struct Busy {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Busy {
    /// A child that has the store open.
    fn start(way: &str, path: &Path) -> Busy {
        let mut command = child("busy_child", &format!("{way} {}", path.display()));
        command.stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("ready") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended early");
        }
        Busy { child, said }
    }

    /// Says that the file is cut, and waits for what becomes of it. Returns whether the store was lost.
    fn finish(mut self, what: &str) -> bool {
        drop(self.child.stdin.take());
        let mut text = String::new();
        self.said.read_to_string(&mut text).unwrap();
        let output = self.child.wait_with_output().unwrap();
        let is_lost = text.contains("outcome: went on without");
        assert!(
            output.status.success() && (is_lost || text.contains("outcome: served on")),
            "{what}: signal {:?}\n{text}\n{}",
            output.status.signal(),
            String::from_utf8_lossy(&output.stderr)
        );
        is_lost
    }
}

/// Where to cut: from nothing to nearly all, at the edge of a page and within one.
fn lengths(length: u64, numbers: &mut Random) -> Vec<u64> {
    let page = 4096;
    vec![
        0,
        100,
        page,
        2 * page,
        numbers.below(length / page) * page,
        numbers.below(length),
        length - page,
    ]
}

#[test]
fn processes_outlive_the_file_they_write() {
    let mut numbers = Random::new(1);
    for round in 0..refrain_testing::count("CUT_ROUNDS", 3, 40) {
        for at in 0..lengths(4096, &mut Random::new(0)).len() {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("store");
            let data = filled(&path);
            let children = [Busy::start("write", &path), Busy::start("write", &path)];
            std::thread::sleep(Duration::from_millis(numbers.below(60)));
            let file = File::options().write(true).open(&data).unwrap();
            let length = file.metadata().unwrap().len();
            let kept = lengths(length, &mut numbers)[at];
            file.set_len(kept).unwrap();
            for child in children {
                let what = format!("round {round}, {kept} of {length}");
                assert!(child.finish(&what) || kept > length / 2, "{what}");
            }
        }
    }
}

#[test]
fn processes_outlive_the_file_they_read() {
    let mut numbers = Random::new(2);
    for kept in [0, 100, 4096, 2 * 4096, 3 * 4096 + 17] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let data = filled(&path);
        let child = Busy::start("read", &path);
        std::thread::sleep(Duration::from_millis(numbers.below(60)));
        let file = File::options().write(true).open(&data).unwrap();
        file.set_len(kept).unwrap();
        assert!(child.finish(&format!("{kept} bytes")));
    }
}
