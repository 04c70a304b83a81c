//! What several tests need: a seeded source of numbers, entries that tell their own value, and this test program again
//! as a child process.
#![allow(dead_code)]

use std::path::Path;
use std::process::Command;

use refrain_store::{Entry, Options};

/// Xorshift: the same numbers in every run.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            numbers.next();
        }
        numbers
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

pub fn options() -> Options {
    Options::new(b"tests, version 1".to_vec())
}

/// An entry whose value follows from its key: whoever finds it can tell whether it is right. Keys and values are short
/// and long.
pub fn entry(name: &str) -> Entry {
    let hash = name.bytes().fold(7u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut numbers = Numbers::new(hash);
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
    let length = numbers.below(length);
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
