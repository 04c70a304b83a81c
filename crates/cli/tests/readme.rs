//! The README's first run shows what really comes out, and the other example answers what its comments say.

use std::path::Path;
use std::process::Command;

fn smt(script: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .env("REFRAIN_STORE", "none")
        .args(["smt", script])
        .current_dir(root)
        .output()
        .expect("refrain starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_first_run_is_as_the_readme_says() {
    let readme = include_str!("../../../README.md");
    let command = "$ cargo run --release -- smt examples/smt/midpoint.smt2\n";
    let (_, after) = readme
        .split_once(command)
        .expect("the README's first command");
    let (shown, _) = after.split_once("```").expect("the end of the block");
    assert_eq!(smt("examples/smt/midpoint.smt2"), shown);
}

/// What follows a command in the README, up to the next one.
fn shown_after(command: &str) -> String {
    let readme = include_str!("../../../README.md");
    let (_, after) = readme
        .split_once(&format!("$ {command}\n"))
        .unwrap_or_else(|| panic!("the README has no {command}"));
    let ends = ["```", "$ "].map(|end| after.find(end).unwrap_or(after.len()));
    after[..ends[0].min(ends[1])].to_string()
}

/// Without what differs from run to run: the seconds.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" s: ") {
        Some((before, after)) if line.contains("paths: ") => {
            let paths = before
                .rsplit_once(" in ")
                .map_or(before, |(paths, _)| paths);
            format!("{paths} in s: {after}")
        }
        _ => line.to_string(),
    });
    lines.map(|line| line + "\n").collect()
}

/// The examples as they are seen from the repository, in a place where results may be left.
#[test]
fn programs_are_explored_as_the_readme_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = tempfile::tempdir().expect("a temporary folder");
    for name in ["explore/percent.rs", "explore/sort.c", "run/words.c"] {
        let copy = place.path().join("examples").join(name);
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        std::fs::copy(root.join("examples").join(name), copy).expect("a copy");
    }
    for (prefix, arguments) in [
        (
            "cargo run --release --",
            "run --out percent examples/explore/percent.rs",
        ),
        ("cargo run --release --", "replay percent"),
        ("cargo run --release --", "cover percent --html report"),
        (
            "refrain",
            "run --cflags=-DMISTAKE --out sorted examples/explore/sort.c",
        ),
        ("refrain", "run examples/run/words.c"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_refrain"))
            .args(arguments.split(' '))
            .current_dir(place.path())
            .env("REFRAIN_STORE", "none")
            .env_remove("RUST_BACKTRACE")
            .output()
            .expect("refrain starts");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("text");
        let wanted = shown_after(&format!("{prefix} {arguments}"));
        assert_eq!(timeless(&said), timeless(&wanted), "{arguments}");
    }
}

#[test]
fn the_path_example_answers() {
    let answers = smt("examples/smt/path.smt2");
    let verdicts: Vec<&str> = answers
        .lines()
        .filter(|line| line.ends_with("sat"))
        .collect();
    assert_eq!(verdicts, ["sat", "sat", "unsat", "sat"]);
}
