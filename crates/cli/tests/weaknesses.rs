//! Mistakes that programs make with what they are given: arguments, environment, standard input and files. Every
//! program of `tests/programs/weaknesses` and `tests/programs/tools` says in its first lines how it is run and which
//! error is in it; with `-DGOOD` it is mended. The error must be found, and nothing in the mended version, of which
//! every path must be explored, unless it says that something is sampled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn programs() -> Vec<PathBuf> {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut programs = Vec::new();
    for folder in ["weaknesses", "tools"] {
        let entries = fs::read_dir(base.join(folder)).expect("a folder of programs");
        programs.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    programs.sort();
    programs
}

/// What is behind `// KEY: ` in the first lines.
fn said<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let start = format!("// {key}: ");
    let mut lines = text.lines().take_while(|line| line.starts_with("//"));
    lines.find_map(|line| line.strip_prefix(&start))
}

fn run(program: &Path, text: &str, out: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrain"))
        .env("REFRAIN_STORE", "none")
        .args(["run", "--config", "none", "--max-time", "60", "--out"])
        .arg(out)
        .args(said(text, "run").expect("switches").split_whitespace())
        .args(more)
        .arg(program)
        .output()
        .expect("refrain starts")
}

#[test]
fn mistakes_are_found_and_what_is_mended_has_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = programs();
    assert!(programs.len() > 25, "{} programs", programs.len());
    let mut wrong = Vec::new();
    for program in &programs {
        let text = fs::read_to_string(program).expect("a program");
        let name = program.file_stem().expect("a name").to_string_lossy();
        let bad = run(
            program,
            &text,
            &folder.path().join(format!("{name}-bad")),
            &[],
        );
        let report = String::from_utf8_lossy(&bad.stderr);
        // The first is what it is about; others may come with it.
        let expected = said(&text, "error").expect("an error").split(", ");
        let expected: Vec<String> = expected.map(|kind| format!("error: {kind}")).collect();
        let mut errors = report.lines().filter(|line| line.starts_with("error: "));
        let is_expected =
            errors.all(|line| expected.iter().any(|expected| line.starts_with(expected)));
        if bad.status.code() != Some(1) || !report.contains(&expected[0]) || !is_expected {
            wrong.push(format!("{name}: {}\n{report}", bad.status));
        }
        let out = folder.path().join(format!("{name}-good"));
        let mut switches = vec!["--cflags=-DGOOD"];
        if said(&text, "sampled").is_none() {
            switches.push("--complete");
        }
        let good = run(program, &text, &out, &switches);
        if good.status.code() != Some(0) {
            let report = String::from_utf8_lossy(&good.stderr);
            wrong.push(format!("{name}, mended: {}\n{report}", good.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
