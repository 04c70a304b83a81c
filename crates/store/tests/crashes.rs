//! Several processes write and read one store and are killed at any moment. What they were told is safe must be there
//! afterwards.
//!
//! `CRASH_ROUNDS=500 cargo test --release -p refrain-store --test crashes` runs longer.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::{child, entry, options, task};
use refrain_store::{Entry, Options, Store};
use refrain_testing::Random;

const PROCESSES: u64 = 4;

/// A child: writes until it is killed, and says what is acknowledged. Reads what it and others wrote, and says what is
/// wrong.
#[test]
fn writing_child() {
    let Some(task) = task() else { return };
    let mut words = task.splitn(3, ' ');
    let (name, bound, path) = (
        words.next().unwrap(),
        words.next().unwrap(),
        words.next().unwrap(),
    );
    let bounded = Options {
        max_bytes: bound.parse().unwrap(),
        ..options()
    };
    let seed = name
        .bytes()
        .fold(0, |seed, byte| seed * 31 + u64::from(byte));
    let mut numbers = Random::new(seed);
    let mut out = std::io::stdout();
    let mut say = |text: String| {
        // One write, so that a line is said whole or not at all.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    };
    let store = match Store::open(Path::new(path), &bounded) {
        Ok(store) => store,
        Err(error) => return say(format!("\nwrong {error}\n")),
    };
    let mut number = 0;
    loop {
        let names: Vec<String> = (0..1 + numbers.below(20))
            .map(|at| format!("{name}.{}", number + at))
            .collect();
        number += names.len() as u64;
        for name in &names {
            store.put(entry(name)).expect("it fits");
        }
        match store.flush() {
            Ok(()) => say(format!("\nsafe {}\n", names.join(" "))),
            Err(error) => say(format!("\nwrong {error}\n")),
        }
        let snapshot = store.snapshot().expect("a snapshot");
        let group = format!("group {}", numbers.below(20));
        for found in snapshot.find(group.as_bytes()).take(50) {
            let name = String::from_utf8_lossy(&found.key);
            let expected = entry(name.split(' ').next().unwrap_or_default());
            if expected.value != found.value || expected.key != found.key {
                say(format!("\nwrong value of {name}\n"));
            }
            store.touch([found.id]);
        }
        drop(snapshot);
        for warning in store.warnings() {
            say(format!("\nwrong {warning}\n"));
        }
    }
}

/// Lets children work on the store for a moment, kills them one by one, and collects what they said was safe.
fn round(path: &Path, round: u64, bound: u64, numbers: &mut Random) -> Vec<String> {
    let mut children: Vec<_> = (0..PROCESSES)
        .map(|at| {
            let task = format!("{round}.{at} {bound} {}", path.display());
            let mut command = child("writing_child", &task);
            command
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child process")
        })
        .collect();
    let mut readers = Vec::new();
    for child in &mut children {
        let mut pipe = child.stdout.take().expect("its output");
        readers.push(std::thread::spawn(move || {
            let mut said = String::new();
            pipe.read_to_string(&mut said).map(|_| said)
        }));
    }
    for child in &mut children {
        std::thread::sleep(Duration::from_micros(numbers.below(40_000)));
        child.kill().expect("it can be killed");
    }
    for mut child in children {
        child.wait().expect("it ends");
    }
    let mut safe = Vec::new();
    for reader in readers {
        let said = reader.join().expect("the reader").expect("text");
        assert!(!said.contains("\nwrong "), "{said}");
        // The last line may be cut: then it was not said.
        let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().filter_map(|line| line.strip_prefix("safe "));
        safe.extend(lines.flat_map(|line| line.split(' ').map(String::from)));
    }
    safe
}

fn rounds(usual: u64) -> u64 {
    refrain_testing::count("CRASH_ROUNDS", usual, 20 * usual)
}

#[test]
fn what_was_acknowledged_survives_kills() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut numbers = Random::new(rounds(0) + 1);
    let mut safe = BTreeSet::new();
    let mut total = 0;
    for number in 0..rounds(25) {
        // Begin anew now and then: the first moments of a store are the most delicate.
        if numbers.below(6) == 0 && path.exists() {
            refrain_store::remove(&path).unwrap();
            safe.clear();
        }
        let said = round(&path, number, 1 << 30, &mut numbers);
        total += said.len();
        safe.extend(said);
        let store = Store::open(&path, &options()).unwrap();
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "round {number}: {report:?}");
        let snapshot = store.snapshot().unwrap();
        for name in &safe {
            let entry = entry(name);
            let found = snapshot.get(&entry.key);
            assert!(
                found.is_some_and(|found| found.value == entry.value),
                "round {number}: {name} is lost"
            );
        }
    }
    assert!(total > 0, "all were killed before they did anything");
    println!("{total} entries were acknowledged");
}

#[test]
fn a_bounded_store_stays_sound_under_kills() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut numbers = Random::new(2);
    for number in 0..rounds(10) {
        round(&path, number, 300_000, &mut numbers);
        let store = Store::open(&path, &options()).unwrap();
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "round {number}: {report:?}");
        let info = store.info().unwrap();
        assert!(info.file_bytes < 16 << 20, "{} bytes", info.file_bytes);
    }
}

/// A child: puts one entry and ends in good order.
#[test]
fn brief_child() {
    let Some(path) = task() else { return };
    let store = Store::open(Path::new(&path), &options()).unwrap();
    store.put(entry("from the child")).unwrap();
}

#[test]
fn a_process_sees_what_another_has_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = Store::open(&path, &options()).unwrap();
    let mut snapshot = store.snapshot().unwrap();
    let expected = entry("from the child");
    assert!(snapshot.get(&expected.key).is_none());
    let status = child("brief_child", path.to_str().unwrap())
        .output()
        .unwrap();
    assert!(status.status.success());
    assert!(snapshot.get(&expected.key).is_none());
    snapshot.refresh().unwrap();
    assert_eq!(snapshot.get(&expected.key).unwrap().value, expected.value);
    assert!(store.get(&expected.key).is_some());
}

/// A child: holds a snapshot until it is killed.
#[test]
fn reading_child() {
    let Some(path) = task() else { return };
    let store = Store::open(Path::new(&path), &options()).unwrap();
    let snapshot = store.snapshot().unwrap();
    println!("\nholding {}", snapshot.entries().count());
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_killed_reader_does_not_make_the_file_grow() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = Store::open(&path, &options()).unwrap();
    let rewrite = |round: u64| {
        for at in 0..20u64 {
            let value = vec![round as u8; 2000];
            store.put(Entry::new(at.to_le_bytes(), value)).unwrap();
        }
        store.flush().unwrap();
    };
    rewrite(0);
    let mut command = child("reading_child", path.to_str().unwrap());
    let mut reader = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(reader.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("holding 20")));
    reader.kill().unwrap();
    reader.wait().unwrap();
    for round in 1..60 {
        rewrite(round);
    }
    let bytes = store.info().unwrap().file_bytes;
    assert!(bytes < 1 << 20, "{bytes} bytes");
}
