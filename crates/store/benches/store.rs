//! What reading and writing cost, by the number of entries: hits and misses with a new snapshot each and within one, a
//! search by secondary key, writing in batches, opening with and without a walk over the pages, and a reader beside
//! another process that writes.
//!
//! `cargo bench -p refrain-store -- 1000 10000`: other numbers of entries.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use refrain_store::{Entry, Options, Store};

const WRITER: &str = "--writer";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path] = &arguments[..]
        && flag == WRITER
    {
        return write_until_killed(Path::new(path));
    }
    let asked: Vec<u64> = arguments
        .iter()
        .filter_map(|count| count.parse().ok())
        .collect();
    let counts = match asked.is_empty() {
        true => vec![1_000, 10_000, 100_000, 1_000_000],
        false => asked,
    };
    for count in counts {
        measure(count);
    }
}

fn options() -> Options {
    Options {
        max_bytes: 8 << 30,
        ..Options::new("benchmark")
    }
}

/// Some 100 bytes of key and 150 of value, under two secondary keys.
fn entry(number: u64) -> Entry {
    Entry::new(key(number), vec![number as u8; 150])
        .under(format!("group {}", number / 10).into_bytes())
        .under(number.to_be_bytes())
        .costing(1000)
}

fn key(number: u64) -> Vec<u8> {
    format!("{number:0100}").into_bytes()
}

/// Numbers below `count` in no order.
fn scattered(count: u64) -> impl Iterator<Item = u64> {
    (0..100_000u64).map(move |at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) % count)
}

fn each(what: &str, times: u64, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    let nanoseconds = start.elapsed().as_nanos() as f64 / times as f64;
    println!("  {what:44} {:9.2} µs", nanoseconds / 1000.0);
}

fn measure(count: u64) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store");
    println!("{count} entries");
    let store = Store::open(&path, &options()).expect("a store");
    const BATCH: u64 = 10_000;
    each("put, flushed in batches of 10000", count, || {
        for number in 0..count {
            store.put(entry(number)).expect("it fits");
            if number % BATCH == BATCH - 1 {
                store.flush().expect("room");
            }
        }
        store.flush().expect("room");
    });
    read(&store, count);
    for batch in [1, 100, 1000] {
        let rounds = 20;
        let what = format!("put, flushed in batches of {batch}");
        each(&what, rounds * batch, || {
            for number in 0..rounds * batch {
                let fresh = entry(count + batch * 1_000_000 + number);
                store.put(fresh).expect("it fits");
                if number % batch == batch - 1 {
                    store.flush().expect("room");
                }
            }
        });
    }
    beside_a_writer(&store, &path, count);
    let bytes = store.info().expect("information").file_bytes;
    drop(store);
    each("open, closed in good order", 1, || {
        drop(Store::open(&path, &options()));
    });
    forget_the_stamp(&path);
    each("open, after a crash", 1, || {
        drop(Store::open(&path, &options()));
    });
    println!("  {:44} {:9} MB", "size of the file", bytes >> 20);
}

fn read(store: &Store, count: u64) {
    let snapshot = store.snapshot().expect("a snapshot");
    let keys: Vec<Vec<u8>> = scattered(count).map(key).collect();
    let others: Vec<Vec<u8>> = scattered(count).map(|number| key(number + count)).collect();
    let times = keys.len() as u64;
    each("hit, a snapshot each", times, || {
        for key in &keys {
            assert!(black_box(store.get(key)).is_some());
        }
    });
    each("hit", times, || {
        for key in &keys {
            assert!(black_box(snapshot.get(key)).is_some());
        }
    });
    each("miss", times, || {
        for key in &others {
            assert!(black_box(snapshot.get(key)).is_none());
        }
    });
    each("find, ten entries", times, || {
        for number in scattered(count) {
            let group = format!("group {}", number / 10);
            black_box(snapshot.find(group.as_bytes()).count());
        }
    });
    each("range, ten rows", times, || {
        for number in scattered(count) {
            let rows = snapshot.range(&[], &number.to_be_bytes());
            black_box(rows.take(10).count());
        }
    });
    each("snapshot", times, || {
        for _ in 0..times {
            black_box(store.snapshot().is_ok());
        }
    });
}

/// Reads while another process writes as fast as it can.
fn beside_a_writer(store: &Store, path: &Path, count: u64) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    let mut writer = command
        .arg(WRITER)
        .arg(path)
        .spawn()
        .expect("another process");
    std::thread::sleep(Duration::from_millis(500));
    let keys: Vec<Vec<u8>> = scattered(count).map(key).collect();
    each(
        "hit, beside a process that writes",
        keys.len() as u64,
        || {
            for key in &keys {
                assert!(black_box(store.get(key)).is_some());
            }
        },
    );
    each("put and flush, beside a process that writes", 20, || {
        for number in 0..20 {
            store.put(entry(number + (1 << 41))).expect("it fits");
            store.flush().expect("room");
        }
    });
    writer.kill().expect("it runs");
    writer.wait().expect("it ends");
}

fn write_until_killed(path: &Path) {
    let store = Store::open(path, &options()).expect("a store");
    for number in 0u64.. {
        store.put(entry(number + (1 << 40))).expect("it fits");
        if number % 100 == 99 {
            store.flush().expect("room");
        }
    }
}

fn forget_the_stamp(path: &Path) {
    for entry in std::fs::read_dir(path).expect("a directory").flatten() {
        let _ = std::fs::remove_file(entry.path().join("checked"));
    }
}
