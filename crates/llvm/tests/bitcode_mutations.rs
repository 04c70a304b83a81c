//! The reader on files that are broken: whatever the bytes, it answers, in time, and does not panic.
//!
//! Valid bitcode is made with `rustc`, then changed by a generator with a fixed seed. `REFRAIN_MUTANTS` sets how many
//! mutants are read, `REFRAIN_MUTATION_SEEDS` names a directory of more files to start from.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use refrain_llvm::bitcode::read_file;
use refrain_llvm::link::link;

const SOURCE: &str = r#"
#![crate_type = "lib"]
#[derive(Clone, Copy)]
pub struct Pair { a: u32, b: [u64; 3] }
pub static TABLE: [&str; 3] = ["one", "two", "three"];
#[unsafe(no_mangle)]
pub fn choose(value: u32, pair: Pair) -> u64 {
    match value {
        0 => pair.b[0],
        7 => u64::from(pair.a),
        90 => TABLE[value as usize % 3].len() as u64,
        _ => pair.b.iter().sum(),
    }
}
#[unsafe(no_mangle)]
pub fn floats(values: &[f64]) -> f64 {
    values.iter().fold(0.5, |sum, value| sum * 1.25 + value.abs())
}
#[unsafe(no_mangle)]
pub fn wide(a: u128, b: u128) -> Option<u128> {
    a.checked_mul(b ^ 0x1234_5678_9abc_def0_1234_5678)
}
#[unsafe(no_mangle)]
pub fn drops(items: Vec<String>) -> usize {
    items.iter().map(|item| item.len()).sum()
}
"#;

struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn scratch(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("refrain-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn seeds(directory: &Path) -> Vec<Vec<u8>> {
    let source = directory.join("seed.rs");
    fs::write(&source, SOURCE).unwrap();
    let mut files = Vec::new();
    for (index, options) in [
        &["-Copt-level=0"][..],
        &["-Copt-level=0", "-g"],
        &["-Copt-level=2"],
    ]
    .iter()
    .enumerate()
    {
        let output = directory.join(format!("seed{index}.bc"));
        let status = Command::new("rustc")
            .args([
                "--edition=2024",
                "--emit=llvm-bc",
                "-Ccodegen-units=1",
                "-o",
            ])
            .arg(&output)
            .args(*options)
            .arg(&source)
            .status()
            .unwrap();
        assert!(status.success());
        files.push(fs::read(output).unwrap());
    }
    if let Some(more) = std::env::var_os("REFRAIN_MUTATION_SEEDS") {
        for entry in fs::read_dir(more).unwrap() {
            files.push(fs::read(entry.unwrap().path()).unwrap());
        }
    }
    files
}

fn mutate(generator: &mut Generator, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[generator.below(seeds.len())].clone();
    // Most of a file is debug information and strings; a mutant that dies at once says little, so few changes are
    // made to each.
    for _ in 0..1 + generator.below(4) {
        let at = generator.below(bytes.len());
        match generator.below(8) {
            0..=2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << generator.below(8);
                }
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = generator.next() as u8;
                }
            }
            4 => {
                let word = [0, 1, u32::MAX, 0x8000_0000][generator.below(4)];
                let at = at & !3;
                if let Some(bytes) = bytes.get_mut(at..at + 4) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
            }
            5 => {
                let from = &seeds[generator.below(seeds.len())];
                let start = generator.below(from.len()) & !3;
                let length = generator.below(256) & !3;
                let part = from.get(start..start + length).unwrap_or_default();
                let at = at & !3;
                if let Some(bytes) = bytes.get_mut(at..at + part.len()) {
                    bytes.copy_from_slice(part);
                }
            }
            6 => {
                let count = 4 * (1 + generator.below(8));
                let added: Vec<u8> = (0..count).map(|_| generator.next() as u8).collect();
                let at = at & !3;
                bytes.splice(at..at, added);
            }
            _ => {
                if generator.below(4) == 0 {
                    bytes.truncate(at);
                } else {
                    let end = (at + 4 * (1 + generator.below(8))).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
    }
    bytes
}

#[test]
fn broken_files_are_errors() {
    let directory = scratch("mutations");
    let seeds = seeds(&directory);
    for seed in &seeds {
        read_file("seed", seed).unwrap();
    }
    let count: u64 = std::env::var("REFRAIN_MUTANTS").map_or(3000, |count| count.parse().unwrap());
    let mut generator = Generator(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for number in 0..count {
        let mutant = mutate(&mut generator, &seeds);
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| match read_file("mutant", &mutant) {
            Ok(contents) => link(contents.modules).is_err(),
            Err(error) => {
                assert!(error.to_string().starts_with("mutant"));
                true
            }
        }));
        let keep = || {
            let path = directory.join(format!("mutant{number}.bc"));
            fs::write(&path, &mutant).unwrap();
            path
        };
        match outcome {
            Ok(was_refused) => refused += u64::from(was_refused),
            Err(_) => panic!("mutant {number} panics: {}", keep().display()),
        }
        let taken = start.elapsed();
        assert!(
            taken < Duration::from_secs(1),
            "mutant {number} takes {taken:?}: {}",
            keep().display()
        );
    }
    // Both happen often, or the mutants are of no use.
    assert!(
        refused > count / 10 && refused < count,
        "{refused} of {count} were refused"
    );
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn every_truncation_is_an_error() {
    let directory = scratch("truncations");
    let seed = seeds(&directory).swap_remove(2);
    let step = 1 + seed.len() / 4000;
    // Names come last; up to them something always is missing.
    for length in (0..seed.len() / 2).step_by(step) {
        assert!(
            read_file("cut", &seed[..length]).is_err(),
            "{length} bytes of {}",
            seed.len()
        );
    }
    fs::remove_dir_all(directory).unwrap();
}

/// Writes a bitstream without abbreviations.
#[derive(Default)]
struct Writer {
    bits: Vec<bool>,
    /// Where each open block's length is.
    open: Vec<usize>,
}

impl Writer {
    fn fixed(&mut self, value: u64, width: u32) {
        self.bits
            .extend((0..width).map(|bit| value >> bit & 1 == 1));
    }

    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        let length = self.bits.len().next_multiple_of(32);
        self.bits.resize(length, false);
    }

    /// Identifiers take three bits within blocks, two outside of all.
    fn id(&mut self, id: u64) {
        self.fixed(id, if self.open.is_empty() { 2 } else { 3 });
    }

    fn enter(&mut self, block: u64) {
        self.id(1);
        self.vbr(block, 8);
        self.vbr(3, 4);
        self.align();
        self.open.push(self.bits.len());
        self.fixed(0, 32);
    }

    fn end(&mut self) {
        self.id(0);
        self.align();
        let at = self.open.pop().unwrap();
        let words = (self.bits.len() - at) / 32 - 1;
        for bit in 0..32 {
            self.bits[at + bit] = words >> bit & 1 == 1;
        }
    }

    fn record(&mut self, code: u64, ops: &[u64]) {
        self.id(3);
        self.vbr(code, 6);
        self.vbr(ops.len() as u64, 6);
        for &op in ops {
            self.vbr(op, 6);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            bits.iter()
                .rev()
                .fold(0, |byte, &bit| byte << 1 | u8::from(bit))
        };
        self.bits.chunks(8).map(byte).collect()
    }
}

const MODULE: u64 = 8;
const FUNCTION: u64 = 12;
const SYMBOL_NAMES: u64 = 14;
const TYPES: u64 = 17;

/// A module with one function; `extra` adds to its body, `types` to its types (0 is i32, 1 the function's).
fn handmade(types: &dyn Fn(&mut Writer), extra: &dyn Fn(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.fixed(0xdec0_4342, 32);
    writer.enter(MODULE);
    writer.record(1, &[1]);
    writer.enter(TYPES);
    writer.record(7, &[32]);
    writer.record(21, &[0, 0, 0]);
    types(&mut writer);
    writer.end();
    writer.record(8, &[1, 0, 0, 0, 0, 0, 0, 0]);
    writer.enter(FUNCTION);
    writer.record(1, &[1]);
    extra(&mut writer);
    writer.record(10, &[1]);
    writer.end();
    writer.enter(SYMBOL_NAMES);
    writer.record(1, &[0, u64::from(b'o'), u64::from(b'l'), u64::from(b'd')]);
    writer.end();
    writer.end();
    writer.bytes()
}

#[test]
fn names_of_before_the_string_table() {
    let bytes = handmade(&|_| {}, &|_| {});
    let module = refrain_llvm::bitcode::read_module("old", &bytes).unwrap();
    assert_eq!(module.symbols[0].name, "old");
    assert!(!module.symbols[0].is_declaration());
}

#[test]
fn what_means_nothing_is_refused() {
    let refused = |types: &dyn Fn(&mut Writer), extra: &dyn Fn(&mut Writer), expected: &str| {
        let error = read_file("bad", &handmade(types, extra))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    let none = |_: &mut Writer| {};
    refused(&none, &|writer| writer.record(99, &[]), "bad record 99");
    refused(
        &none,
        &|writer| writer.record(15, &[]),
        "outside of every block",
    );
    refused(
        &none,
        &|writer| writer.record(2, &[1, 77, 0]),
        "a value that it never defines",
    );
    // An addition of its own result, and of a later one.
    refused(
        &none,
        &|writer| writer.record(2, &[1, 0, 0]),
        "may not be defined",
    );
    refused(&none, &|writer| writer.record(11, &[3]), "no block 3");
    refused(
        &none,
        &|writer| writer.record(20, &[1, 0, 0, 0]),
        "through no pointer",
    );
    refused(
        &|writer| writer.record(18, &[0, 2]),
        &none,
        "contains itself",
    );
    refused(
        &|writer| writer.record(11, &[3, 9]),
        &none,
        "there is no type 9",
    );
    refused(
        &|writer| writer.record(12, &[1 << 20, 0]),
        &none,
        "a vector of 1048576 elements",
    );
    refused(&|writer| writer.record(7, &[1 << 40]), &none, "bits");
    // Each structure holds the one before it twice.
    let doubling = |writer: &mut Writer| {
        for inner in 1..60 {
            writer.record(
                18,
                &[
                    0,
                    if inner == 1 { 0 } else { inner },
                    if inner == 1 { 0 } else { inner },
                ],
            );
        }
    };
    refused(&doubling, &none, "nested beyond reason");
    let deep = |writer: &mut Writer| {
        for inner in 1..1000 {
            writer.record(11, &[1, if inner == 1 { 0 } else { inner }]);
        }
    };
    refused(&deep, &none, "nested beyond reason");
}
