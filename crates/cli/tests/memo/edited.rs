//! `refrain diff` after random edits of real programs: what it leaves is what a whole run of the edited program leaves.

use std::fs;
use std::path::{Path, PathBuf};

use refrain_testing::edits::{self, Language};
use refrain_testing::{Random, count};

use crate::common::run;
use crate::results::{Results, json, replays, tests_of};

/// Programs that are explored to their ends, in C and in Rust.
fn programs() -> Vec<(PathBuf, Language)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        ("tests/programs/paths/c", Language::C),
        ("examples/explore", Language::C),
        ("examples/study/memoise", Language::C),
        ("tests/programs/paths/rust", Language::Rust),
        ("tests/programs/paths/rust", Language::Rust),
        ("tests/programs/paths/rust", Language::Rust),
        ("examples/explore", Language::Rust),
    ];
    let mut programs = Vec::new();
    for (folder, language) in folders {
        let ending = match language {
            Language::C => "c",
            Language::Rust => "rs",
        };
        let entries = fs::read_dir(root.join(folder)).expect("the programs are there");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.retain(|path| path.extension().is_some_and(|found| found == ending));
        files.sort();
        programs.extend(files.into_iter().map(|path| (path, language)));
    }
    programs
}

/// Explores within bounds that do not depend on the order of things. False: it cannot be compiled, or has too many paths.
fn explored(arguments: &[&str], out: &Path) -> bool {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !said.contains("panicked") && !said.contains("bug of Refrain"),
        "{said}"
    );
    if !out.join("stats.json").exists() {
        // What has no symbolic input any more just runs, and its status is the program's.
        assert!(said.is_empty() || output.status.code() == Some(2), "{said}");
        return false;
    }
    let left = json(out, "boundary.json").to_string();
    !left.contains("enough paths") && !left.contains("the time was up")
}

const BOUNDS: [&str; 4] = [
    "--max-instructions=60000",
    "--max-paths=3000",
    "--max-time=60",
    "-q",
];

#[derive(Default)]
struct Sums {
    compared: u64,
    kept: u64,
    paths: u64,
}

/// One edit of one program.
fn check(seed: u64, program: &Path, language: Language, sums: &mut Sums) {
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a directory");
    let at = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(program).expect("a text");
    let name = program.file_name().expect("a name");
    let source = at("version").join(name);
    fs::create_dir(at("version")).expect("a directory");
    let which = random.pick(&["all", "covering"]);
    let (tests, flags) = match language {
        Language::C => {
            let level = random.pick(&["-O0", "-O1", "-O2"]);
            (format!("--tests={which}"), format!("--cflags={level}"))
        }
        Language::Rust => (format!("--tests={which}"), "--rustflags=-g".to_string()),
    };
    let [old, new, whole] = ["old", "new", "whole"].map(at);
    let path = |path: &Path| path.to_str().expect("UTF-8").to_string();
    let whole_run = |out: &Path| {
        let out_flag = format!("--out={}", path(out));
        let source = path(&source);
        let mut arguments = vec!["run", &tests, &flags, &out_flag];
        arguments.extend(BOUNDS);
        arguments.push(&source);
        explored(&arguments, out)
    };
    fs::write(&source, &text).expect("a file");
    if !whole_run(&old) {
        return;
    }
    let edited = edits::edited(&text, language, &mut random);
    fs::write(&source, &edited).expect("a file");
    if !whole_run(&whole) {
        return;
    }
    let what = format!("seed {seed}: {} {tests} {flags}", program.display());
    let (old_path, source_path) = (path(&old), path(&source));
    let out = format!("--out={}", path(&new));
    let is_done = explored(&["diff", "-q", &out, &old_path, &source_path], &new);
    assert!(is_done, "{what}: it can be explored");
    let (mut found, mut expected) = (Results::of(&new), Results::of(&whole));
    // Values that are chosen are among the decisions, and are larger than any choice.
    let chooses = |directory: &Path| {
        let tests = tests_of(directory);
        tests
            .iter()
            .any(|test| test.decisions.iter().any(|&value| value > 64))
    };
    if chooses(&new) || chooses(&whole) {
        (found, expected) = (found.without_choices(), expected.without_choices());
    }
    if which == "covering" {
        // Which paths stand for the code that they cover is a matter of luck.
        found.tests.clear();
        expected.tests.clear();
    }
    if found != expected {
        let kept = std::env::temp_dir().join(format!("refrain-edit-{seed}"));
        let _ = fs::remove_dir_all(&kept);
        let _ = fs::create_dir(&kept);
        let _ = fs::write(kept.join("before"), &text);
        let _ = fs::write(kept.join("after"), &edited);
        panic!(
            "{what}: found {found:#?}, expected {expected:#?}; see {}",
            kept.display()
        );
    }
    // An edit may leave a program whose behaviour is undefined, as a shift too far: no test of it need replay.
    if let Err(said) = replays(&new) {
        assert!(replays(&whole).is_err(), "{what}: {said}");
    }
    let stats = json(&new, "stats.json");
    sums.compared += 1;
    sums.kept += stats["memo"]["paths_kept"].as_u64().expect("a number");
    sums.paths += tests_of(&new).len() as u64;
}

#[test]
fn after_an_edit_the_results_are_those_of_a_whole_run() {
    let programs = programs();
    let first = count("REFRAIN_FIRST_EDIT", 0, 0);
    let edits = count("REFRAIN_EDITS", 16, 600);
    let mut sums = Sums::default();
    for seed in first..first + edits {
        // All programs come in turn, in an order that mixes them.
        let (program, language) = &programs[(seed as usize * 37) % programs.len()];
        check(seed, program, *language, &mut sums);
    }
    eprintln!(
        "{} of {edits} edits compared, {} paths kept",
        sums.compared, sums.kept
    );
    assert!(
        sums.compared * 3 > edits && sums.kept > 0,
        "{} of {edits}",
        sums.compared
    );
}
