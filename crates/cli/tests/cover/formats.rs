//! What is written: the table, and a tracefile that lcov agrees with.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::REFRAIN;
use crate::scene::{OVERLOADS, Scene, cover, exit, kinds, shapes};
use refrain_results::Run;

#[test]
fn the_table_has_a_line_for_each_file() {
    let expected = "\
file                  lines            branches           functions
kinds.c        25/29  86.2%        18/19  94.7%          3/4  75.0%
total          25/29  86.2%        18/19  94.7%          3/4  75.0%
";
    assert_eq!(kinds().covered(&[]), expected);
}

/// The guide shows what really comes out.
#[test]
fn the_guide_is_right() {
    let guide = include_str!("../../../../docs/src/coverage.md");
    let (_, after) = guide
        .split_once("$ refrain cover percent\n")
        .expect("a command");
    let (shown, _) = after.split_once("```").expect("the end of the block");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("percent");
    let out = out.to_str().expect("UTF-8");
    let explored = Command::new(REFRAIN)
        .args(["run", "--out", out, "examples/explore/percent.rs"])
        .current_dir(&root)
        .env("REFRAIN_STORE", "none")
        .output()
        .expect("refrain starts");
    assert_eq!(explored.status.code(), Some(1), "{explored:?}");
    let covered = cover(&root, out, &[]);
    assert_eq!(String::from_utf8_lossy(&covered.stdout), shown);
}

/// Percentages and counts, as `lcov --summary` prints them and as the table says.
#[test]
fn lcov_agrees() {
    let tests = [1u8, 150].map(|n| ("n", vec![n], exit(if n == 150 { 97 } else { 2 })));
    let overloads = Scene::new("overloads.cpp", OVERLOADS, &tests, Run::default());
    for (scene, more) in [
        (kinds(), None),
        (shapes(), None),
        (overloads, Some("--all-files")),
    ] {
        let mut arguments = vec!["--lcov", "cover.info"];
        arguments.extend(more);
        let table = scene.covered(&arguments);
        let total = table.lines().last().expect("a line of totals");
        let numbers: Vec<&str> = total.split_whitespace().skip(1).collect();
        let output = Command::new("lcov")
            .args(["--rc", "lcov_branch_coverage=1"])
            .args(["--rc", "branch_coverage=1"])
            .args(["--ignore-errors", "source"])
            .args(["--summary", "cover.info"])
            .current_dir(scene.folder.path())
            .output()
            .expect("lcov; `cargo xtask install` gets it");
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        for (what, at) in [("lines", 0), ("branches", 2), ("functions", 4)] {
            let (covered, all) = numbers[at].split_once('/').expect("two numbers");
            let expected = format!("{} ({covered} of {all} {what})", numbers[at + 1]);
            let line = said.lines().find(|line| line.trim().starts_with(what));
            assert!(
                line.is_some_and(|line| line.ends_with(&expected)),
                "{expected}\n{said}"
            );
        }
    }
}

#[test]
fn a_tracefile_names_the_program_and_its_file() {
    let scene = kinds();
    scene.covered(&["--lcov", "cover.info"]);
    let text = fs::read_to_string(scene.path("cover.info")).expect("a file");
    let source = scene.source.canonicalize().expect("a file");
    let start = format!("TN:kinds_c\nSF:{}\nFN:7,leave\n", source.display());
    assert!(text.starts_with(&start), "{text}");
    assert!(text.contains("FNDA:0,never\n") && text.contains("DA:13,0\n"));
}
