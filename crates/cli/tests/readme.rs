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

#[test]
fn the_path_example_answers() {
    let answers = smt("examples/smt/path.smt2");
    let verdicts: Vec<&str> = answers
        .lines()
        .filter(|line| line.ends_with("sat"))
        .collect();
    assert_eq!(verdicts, ["sat", "sat", "unsat", "sat"]);
}
