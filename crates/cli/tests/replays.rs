//! Every test replays: what exploring says of a path is what the native program does, over the corpus, the examples
//! and random programs.
//!
//! `REFRAIN_REPLAY_PROGRAMS` (how many random programs) and `REFRAIN_REPLAY_SEED` have it try others.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;
mod random;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::REFRAIN;
use random::{program, render};

fn refrain(arguments: &[&str], folder: &Path) -> Output {
    Command::new(REFRAIN)
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("refrain runs")
}

/// Explores a program and replays its tests; how many there were, or what went wrong.
fn replayed(source: &Path, options: &[&str], folder: &Path) -> Result<usize, String> {
    let name = source.display();
    let out = folder.join("out");
    let out_text = out.to_str().ok_or("a path that is no text")?;
    let source = source.to_str().ok_or("a path that is no text")?;
    let run = refrain(
        &[
            &["run", "--tests", "all", "--out", out_text],
            options,
            &[source],
        ]
        .concat(),
        folder,
    );
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    if said.contains("invalid module") && is_refused_by_clang(source, options, folder) {
        return Ok(0);
    }
    if run.status.code().is_none_or(|code| code > 1) {
        return Err(format!("{name}: {said}"));
    }
    let summary = said + &String::from_utf8_lossy(&run.stdout);
    let is_left = ["unexplored:", "given up:"]
        .iter()
        .any(|what| summary.contains(what));
    let replay = refrain(&["replay", out_text], folder);
    let told = String::from_utf8_lossy(&replay.stdout).into_owned();
    if replay.status.code() != Some(0) {
        let complaint = String::from_utf8_lossy(&replay.stderr).into_owned();
        return Err(format!("{name}: {told}{complaint}"));
    }
    if let Some(expected) = expected_statuses(source)
        && (is_left || !has_statuses(&expected, &statuses(out_text, folder), options))
    {
        return Err(format!(
            "{name}: ends otherwise than with {expected:?}: {summary}"
        ));
    }
    let first = told.lines().last().and_then(|line| line.split(' ').next());
    let count = first.and_then(|count| count.parse().ok());
    count.ok_or_else(|| format!("{name}: no count in {told}"))
}

/// The statuses that a program says its inputs lead to, if it does.
fn expected_statuses(source: &str) -> Option<BTreeSet<i32>> {
    let text = fs::read_to_string(source).ok()?;
    let numbers = text.lines().next()?.strip_prefix("// statuses: ")?;
    let numbers = numbers.split(' ').map(|number| number.parse().ok());
    numbers.collect()
}

/// Optimised, a status may be chosen without a branch: then one path has several of them, and its test one.
fn has_statuses(expected: &BTreeSet<i32>, found: &BTreeSet<i32>, options: &[&str]) -> bool {
    let is_plain = options.iter().any(|option| option.contains("-O0"));
    match is_plain {
        true => found == expected,
        false => !found.is_empty() && found.is_subset(expected),
    }
}

/// The statuses that the tests of a run end with.
fn statuses(out: &str, folder: &Path) -> BTreeSet<i32> {
    let shown = refrain(&["show", out, "--json"], folder);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let starts = text
        .split("\"outcome\": {\"kind\":\"exit\",\"status\":")
        .skip(1);
    let is_end = |c: char| !c.is_ascii_digit();
    let numbers = starts.filter_map(|rest| rest.split(is_end).next()?.parse().ok());
    numbers.collect()
}

/// Whether clang does not take what it wrote itself: clang 14 has been seen to truncate eight bits to 32.
fn is_refused_by_clang(source: &str, options: &[&str], folder: &Path) -> bool {
    let assembly = folder.join("own.ll");
    let flags = options
        .iter()
        .find_map(|option| option.strip_prefix("--cflags="));
    let written = Command::new("clang")
        .args(flags.unwrap_or_default().split(' '))
        .args(["-S", "-emit-llvm", "-o"])
        .arg(&assembly)
        .arg(source)
        .status();
    let mut again = Command::new("clang");
    again.args(["-c", "-o", "/dev/null"]).arg(&assembly);
    let refused = again.output().is_ok_and(|output| !output.status.success());
    written.is_ok_and(|status| status.success()) && refused
}

/// Replays several programs on all cores; how many tests there were.
fn replay_all(jobs: &[(PathBuf, Vec<String>)]) -> usize {
    let next = AtomicUsize::new(0);
    let tests = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((source, options)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let folder = tempfile::tempdir().expect("a temporary folder");
                    let options: Vec<&str> = options.iter().map(String::as_str).collect();
                    match replayed(source, &options, folder.path()) {
                        Ok(count) => {
                            tests.fetch_add(count, Ordering::Relaxed);
                        }
                        Err(what) => failures.lock().unwrap().push(what),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    tests.into_inner()
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&root)
        .expect("it is in the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            let ending = path.extension().unwrap_or_default();
            ["c", "cpp", "rs"].iter().any(|known| ending == *known)
        })
        .filter(|path| !path.ends_with("oracle.c"))
        .collect();
    found.sort();
    found
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

#[test]
fn every_test_of_the_corpus_replays() {
    let folders = ["c", "cpp", "rust"].map(|language| format!("tests/programs/paths/{language}"));
    let programs: Vec<PathBuf> = folders.iter().flat_map(|folder| sources(folder)).collect();
    assert!(programs.len() >= 40);
    let jobs: Vec<_> = programs
        .into_iter()
        .enumerate()
        .map(|(index, path)| (path, words(["", "--mode concolic"][index % 2])))
        .collect();
    assert!(replay_all(&jobs) > 400);
}

/// Streams, containers, regular expressions and threads of C++: explored completely, to the statuses that each program
/// names. A third of them at one level, or all of them at three in a long run: the library's headers take long to compile.
#[test]
fn every_test_of_cxx_programs_replays() {
    let programs = sources("tests/programs/explored");
    assert!(programs.len() >= 15);
    let mut jobs = Vec::new();
    for (index, path) in programs.into_iter().enumerate() {
        for (place, level) in ["-O0", "-O1", "-O2"].into_iter().enumerate() {
            if refrain_testing::is_long() || (index % 3 == 0 && index / 3 % 3 == place) {
                let flags = format!("--cflags=-std=c++17 {level}");
                jobs.push((path.clone(), vec![flags]));
            }
        }
    }
    assert!(replay_all(&jobs) >= 4 * jobs.len());
}

#[test]
fn every_test_of_the_examples_replays() {
    // Of floats, the queries that are left after two seconds take long.
    let folders = [("examples/explore", 10), ("examples/study/numeric", 2)];
    let mut jobs = Vec::new();
    for (folder, seconds) in folders {
        let options = words(&format!("--max-paths 40 --max-time {seconds}"));
        jobs.extend(
            sources(folder)
                .into_iter()
                .map(|path| (path, options.clone())),
        );
    }
    assert!(jobs.len() >= 30);
    assert!(replay_all(&jobs) > 100);
}

#[test]
fn every_test_of_random_programs_replays() {
    let count = refrain_testing::count("REFRAIN_REPLAY_PROGRAMS", 8, 200);
    let first = refrain_testing::count("REFRAIN_REPLAY_SEED", 1, 1);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jobs: Vec<_> = (first..first + count)
        .map(|seed| {
            let function = program::function(seed * 7919);
            let text = format!(
                "{}{}\nvoid klee_make_symbolic(void *, unsigned long, const char *);\nint putchar(int);\n\
                 int main(void) {{\n  klee_make_symbolic(in, 8, \"in\");\n  u64 r = f0();\n  \
                 for (int i = 0; i < 8; i++) putchar((int)(r >> 8 * i & 255));\n  return 0;\n}}\n",
                render::PRELUDE,
                render::one(&function, 0)
            );
            let path = folder.path().join(format!("random{seed}.c"));
            fs::write(&path, text).expect("a program");
            let level = ["-O0", "-O1", "-O2"][seed as usize % 3];
            let mode = ["fork", "concolic"][seed as usize % 2];
            let mut options = words(&format!("--max-paths 30 --max-time 10 --mode {mode}"));
            options.push(format!("--cflags=-w {level}"));
            (path, options)
        })
        .collect();
    let tests = replay_all(&jobs);
    eprintln!("{count} random programs, {tests} tests");
    assert!(tests as u64 > count);
}
