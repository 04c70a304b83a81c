//! An independent count: the examples natively, with clang's own instrumentation, test by test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use refrain_results::Test;
use serde_json::Value;

use crate::common::REFRAIN;
use crate::scene::cover;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("REFRAIN_STORE", "none")
        .env("INPUT", "input")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|_| panic!("{program}; `cargo xtask install` gets it"))
}

/// The lines that gcov's report of the last execution says have run.
fn lines_that_ran(folder: &Path) -> BTreeSet<u64> {
    let report = run(folder, "llvm-cov-14", &["gcov", "-t", "program.o"]);
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    let lines = report.lines().filter_map(|line| {
        let mut parts = line.split(':');
        let count = parts.next()?.trim();
        let line: u64 = parts.next()?.trim().parse().ok()?;
        (count.parse::<u64>().is_ok() && line > 0).then_some(line)
    });
    lines.collect()
}

fn set(lines: &Value) -> BTreeSet<u64> {
    let lines = lines.as_array().expect("a list").iter();
    lines.filter_map(Value::as_u64).collect()
}

#[test]
fn clang_counts_the_same_lines() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
    let mut compared = 0;
    for name in ["expression", "packet", "regex", "triangle"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path();
        fs::copy(
            examples.join(name).with_extension("c"),
            folder.join("program.c"),
        )
        .expect("an example");
        fs::write(folder.join("native.c"), include_str!("programs/native.c")).expect("a file");
        fs::create_dir(folder.join("klee")).expect("a folder");
        let header = "void klee_make_symbolic(void *, unsigned long, const char *);\nvoid klee_assume(unsigned long);\n";
        fs::write(folder.join("klee/klee.h"), header).expect("a file");
        let native = ["-w", "-O0", "-g", "--coverage", "-I."];
        for command in [
            &["-c", "program.c"][..],
            &["program.o", "native.c", "-o", "native"],
        ] {
            let built = run(folder, "clang-14", &[&native, command].concat());
            assert!(built.status.success(), "{built:?}");
        }
        run(
            folder,
            REFRAIN,
            &[
                "run",
                "--tests",
                "all",
                "--max-paths",
                "20",
                "--out",
                "out",
                "program.c",
            ],
        );
        let covered = cover(folder, "out", &["--json", "cover.json"]);
        assert!(covered.status.success(), "{covered:?}");
        let json = fs::read(folder.join("cover.json")).expect("a file");
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let file = &json["files"][0];
        for test in json["tests"].as_array().expect("a list") {
            // A program that dies writes no counts.
            if !test["outcome"]
                .as_str()
                .is_some_and(|how| how.starts_with("exit"))
            {
                continue;
            }
            let path = format!("out:{}", test["test"]);
            let inputs = Test::read(&folder.join(path)).expect("a test").inputs;
            let bytes: Vec<u8> = inputs.into_iter().flat_map(|input| input.bytes).collect();
            fs::write(folder.join("input"), bytes).expect("a file");
            let _ = fs::remove_file(folder.join("program.gcda"));
            run(folder, "./native", &[]);
            let path = file["path"].as_str().expect("a path");
            let ours = set(&test["lines"][path]);
            assert_eq!(ours, lines_that_ran(folder), "{name}: {test}");
            assert!(!ours.is_empty());
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}
