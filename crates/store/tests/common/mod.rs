//! What several tests need: entries that tell their own value, and this test program again as a child process.
#![allow(dead_code)]

use std::path::Path;
use std::process::Command;

use refrain_store::{Entry, Options};
use refrain_testing::Random;

pub fn options() -> Options {
    Options::new(b"tests, version 1".to_vec())
}

/// An entry whose value follows from its key: whoever finds it can tell whether it is right. Keys and values are short
/// and long.
pub fn entry(name: &str) -> Entry {
    let hash = name.bytes().fold(7u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut numbers = Random::new(hash);
    let padding = match numbers.below(8) {
        0 => 3000,
        1..3 => 600,
        _ => 20,
    };
    let key = format!("{name} {}", "k".repeat(numbers.below(padding) as usize));
    let length = match numbers.below(10) {
        0 => 20_000,
        _ => 300,
    };
    let length: u32 = numbers.below(length);
    let value: Vec<u8> = (0..length).map(|_| numbers.next() as u8).collect();
    Entry::new(key.into_bytes(), value)
        .under(format!("group {}", numbers.below(20)).into_bytes())
        .under(vec![0, numbers.below(3) as u8, 0])
        .costing(numbers.below(100_000) as u32)
}

/// This test program as a child that runs one of its tests, `name`, which does something only if the variable `CHILD`
/// is set.
pub fn child(name: &str, what: &str) -> Command {
    let program = std::env::current_exe().expect("the path of this program");
    child_of(&program, name, what)
}

/// The same from a copy of this program.
pub fn child_of(program: &Path, name: &str, what: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args([name, "--exact", "--nocapture", "--include-ignored"])
        .env("CHILD", what);
    command
}

/// What this process is to do as a child, if it is one.
pub fn task() -> Option<String> {
    std::env::var("CHILD").ok()
}
