//! What the tests of the command share. Not every test uses all of it.
#![allow(dead_code)]

pub mod browser;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use refrain_results::{PACK, TestPack};

pub const REFRAIN: &str = env!("CARGO_BIN_EXE_refrain");

pub fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(REFRAIN);
    command.env("REFRAIN_STORE", "none");
    command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

/// A file in a folder of this test program's own.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    fs::create_dir_all(&folder).expect("the test's folder can be made");
    let path = folder.join(name);
    fs::write(&path, content).expect("the test's folder can be written");
    path
}

/// What is answered to a script; the exit status must be as expected.
pub fn answers(name: &str, arguments: &[&str], script: &str, status: i32) -> String {
    let path = file(name, script.as_bytes());
    let mut all = vec!["smt"];
    all.extend(arguments);
    all.push(path.to_str().expect("UTF-8"));
    let found = run(&all);
    let remarks = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(status), "{name}: {remarks}");
    String::from_utf8_lossy(&found.stdout).into_owned()
}

/// Runs a script with `--stats`: what was said, and what was counted.
pub fn run_counted(name: &str, script: &str, arguments: &[&str]) -> (Output, serde_json::Value) {
    let script = file(name, script.as_bytes());
    let stats = script.with_extension("json");
    let mut all = vec!["smt"];
    all.extend(arguments);
    all.extend(["--stats", stats.to_str().expect("UTF-8")]);
    all.push(script.to_str().expect("UTF-8"));
    let found = run(&all);
    let stats = fs::read(&stats).expect("statistics are written");
    (found, serde_json::from_slice(&stats).expect("JSON"))
}

/// The tests of an output directory, which are all whole, as JSON.
pub fn tests_in(directory: &Path) -> Vec<serde_json::Value> {
    let pack = TestPack::open(&directory.join(PACK)).expect("it can be read");
    assert_eq!(pack.damage(), Vec::<String>::new());
    let read = |number| {
        let test = pack.read(number).expect("a test is whole");
        serde_json::from_str(&test.to_json()).expect("JSON")
    };
    pack.numbers().into_iter().map(read).collect()
}

/// Changes a byte of a test in an output directory.
pub fn damage(directory: &Path, number: u32) {
    let path = directory.join(PACK);
    let mut bytes = fs::read(&path).expect("a file");
    let start = format!("{{ \"test\": {number},");
    let at = bytes
        .windows(start.len())
        .position(|part| part == start.as_bytes());
    bytes[at.expect("it is there") + start.len() + 20] ^= 1;
    fs::write(&path, bytes).expect("a file");
}
