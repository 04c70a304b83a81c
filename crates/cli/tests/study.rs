//! `refrain study`: tables and files from small scripts and programs, and what happens if a run fails or lies.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{file, run};

const SMALL: &str = "\
(set-logic QF_BV)
(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(push 1)
(assert (bvult a #x10))
(set-info :status sat)
(check-sat)
(push 1)
(assert (bvult #x20 (bvadd a b)))
(check-sat)
(assert (bvult #x30 a))
(set-info :status unsat)
(check-sat)
(pop 2)
(assert (bvult a #x11))
(check-sat)
";

const OTHER: &str = "\
(set-logic QF_LIA)
(declare-const x Int)
(declare-const y Int)
(assert (< (+ x y) 7))
(check-sat)
(assert (> x 3))
(assert (> y 3))
(check-sat)
";

fn study(arguments: &[&str]) -> Output {
    let mut all = vec!["study", "reuse", "--rounds", "1", "--edits", "4"];
    all.extend(arguments);
    run(&all)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn said(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).expect("text")
}

/// The lines of the table with this title.
fn table<'a>(output: &'a str, title: &str) -> Vec<&'a str> {
    let after = output.lines().skip_while(|line| *line != title).skip(2);
    let lines: Vec<&str> = after.take_while(|line| !line.is_empty()).collect();
    assert!(!lines.is_empty(), "no table {title:?} in\n{output}");
    lines
}

/// The figures of the row that begins with these words.
fn row(table: &[&str], begin: &str) -> Vec<String> {
    let found = table.iter().find_map(|line| line.strip_prefix(begin));
    let found = found.unwrap_or_else(|| panic!("no row {begin:?} in {table:?}"));
    found.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn all_experiments_end_in_tables_and_files() {
    let small = file("study-small.smt2", SMALL.as_bytes());
    let other = file("study-other.smt2", OTHER.as_bytes());
    let out = small.with_file_name("study-out");
    let found = study(&["--out", text(&out), text(&small), text(&other)]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    // A preset that makes no difference on this solver says so.
    let stderr = said(&found.stderr);
    let mut notes = stderr.lines();
    assert!(
        notes.all(|note| note.ends_with("it names terms for solver processes")),
        "{stderr}"
    );
    let shown = said(&found.stdout);

    let presets = table(&shown, "Presets on study-small (4 checks)");
    assert_eq!(row(&presets, "baseline")[2], "4");
    assert!(row(&presets, "full")[2].parse::<u64>().expect("calls") < 4);
    table(&shown, "Presets on all scripts (2)");

    // The store answers the second run, and a copy of it the edits.
    let again = table(&shown, "The store on study-small (4 checks)");
    assert_eq!(row(&again, "full, second run")[2], "0");
    let matrix = table(
        &shown,
        "Solver calls with the store that another script has left",
    );
    assert_eq!(matrix.len(), 6, "{matrix:?}");
    let rates = table(&shown, "Hit rates on 4 variants of each script");
    row(&rates, "study-small  exact match");
    row(&rates, "study-other  full");

    let layers = table(&shown, "Layers on all scripts");
    row(&layers, "nothing, again");
    row(&layers, "partial-solutions");

    let csv = fs::read_to_string(out.join("measurements.csv")).expect("written");
    let json = fs::read_to_string(out.join("measurements.json")).expect("written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let measurements = json["measurements"].as_array().expect("an array");
    assert_eq!(csv.lines().count(), measurements.len() + 1);
    assert_eq!(json["setup"]["rounds"], 1);
    let markdown = fs::read_to_string(out.join("tables.md")).expect("written");
    assert!(markdown.contains("\n## Presets on study-other (2 checks)\n\n| preset |"));
}

/// What the original has stored answers its variants.
#[test]
fn edits_find_what_the_original_stored() {
    let script = file("study-edited.smt2", SMALL.as_bytes());
    let out = script.with_file_name("study-edited-out");
    let found = study(&["--experiment", "edits", "--out", text(&out), text(&script)]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let json = fs::read_to_string(out.join("measurements.json")).expect("written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let measurements = json["measurements"].as_array().expect("an array");
    let calls = |store: &str| -> u64 {
        let of = measurements
            .iter()
            .filter(|run| run["store"] == store && !run["edit"].is_null());
        of.map(|run| run["calls"].as_u64().expect("a number")).sum()
    };
    assert!(
        calls("original") < calls(""),
        "{} and {}",
        calls("original"),
        calls("")
    );
}

#[test]
fn without_scripts_it_studies_its_own() {
    let found = study(&[
        "--experiment",
        "presets",
        "--presets",
        "stack,full",
        "--kp",
        "4",
        "--ks",
        "2",
    ]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let shown = said(&found.stdout);
    let all = table(&shown, "Presets on all scripts (4)");
    row(&all, "stack");
    row(&all, "full");
    assert!(!shown.contains("baseline"));
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let small = file("study-fine.smt2", SMALL.as_bytes());
    let wrong = file(
        "study-wrong.smt2",
        b"(declare-const p Bool)\n(assert (and p q))\n(check-sat)\n",
    );
    let idle = file("study-idle.smt2", b"(declare-const p Bool)\n(assert p)\n");
    let cases: &[(&[&str], &str)] = &[
        (&["no-such-script.smt2"], "no-such-script.smt2"),
        (
            &[text(&small), text(&wrong)],
            "study-wrong: exit status 1: (error \"line 2 column 16",
        ),
        (&[text(&idle)], "study-idle: nothing is checked in it"),
        (&["--out", text(&small), text(&small)], "study-fine.smt2"),
        (&["--out", "/dev/null/out", text(&small)], "/dev/null/out"),
        (&["--experiment", "dreams"], "dreams"),
        (
            &["--presets", "full,dreams"],
            "no such preset; there are baseline,",
        ),
        (&["--rounds", "0"], "0"),
        (&["--solver", "dreams", text(&small)], "dreams"),
        (
            &["--program", "no-such-program", text(&small)],
            "cannot start no-such-program",
        ),
    ];
    for (arguments, expected) in cases {
        let mut all = vec!["study", "reuse", "--experiment", "presets"];
        if arguments[0] == "--experiment" {
            all.truncate(2);
        }
        all.extend(*arguments);
        let found = run(&all);
        assert_eq!(found.status.code(), Some(2), "{arguments:?}: {found:?}");
        assert_eq!(said(&found.stdout), "", "{arguments:?}");
        let complaint = said(&found.stderr);
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
    }
}

/// A program in place of this one: it passes its arguments on, but for what a preset adds to its script.
fn impostor(name: &str, body: &str) -> PathBuf {
    let script = format!("#!/bin/sh\nREFRAIN='{}'\n{body}\n", common::REFRAIN);
    let path = file(name, script.as_bytes());
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&path, mode).expect("the test's own file");
    path
}

#[test]
fn a_run_that_answers_otherwise_is_reported() {
    let script = file("study-lied-about.smt2", SMALL.as_bytes());
    let liar = impostor(
        "study-liar",
        r#"case "$*" in *"--reuse klee"*) "$REFRAIN" "$@" | sed 's/^unsat$/sat/';; *) exec "$REFRAIN" "$@";; esac"#,
    );
    let presets = ["--experiment", "presets", "--presets", "baseline,klee"];
    let found = study(&[&presets[..], &["--program", text(&liar), text(&script)]].concat());
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let complaint = said(&found.stderr);
    let expected = "presets: study-lied-about, klee: 1 WRONG of 4 answers: check 3 is Sat here and Unsat without reuse";
    assert!(complaint.contains(expected), "{complaint}");
    let shown = said(&found.stdout);
    let presets = table(&shown, "Presets on study-lied-about (4 checks)");
    assert_eq!(row(&presets, "klee"), ["failed"]);
    assert_eq!(row(&presets, "baseline")[2], "4");
}

#[test]
fn a_run_that_fails_is_reported_and_the_others_go_on() {
    let script = file("study-failed.smt2", SMALL.as_bytes());
    let failing = impostor(
        "study-failing",
        r#"case "$*" in *"--without reduce"*) echo 'refrain: out of luck' >&2; exit 2;; *) exec "$REFRAIN" "$@";; esac"#,
    );
    let found = study(&[
        "--experiment",
        "layers",
        "--program",
        text(&failing),
        text(&script),
    ]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let complaint = said(&found.stderr);
    let expected = "layers: study-failed, full without reduce: exit status 2: out of luck";
    // A second failure would tell nothing new.
    assert_eq!(complaint.matches(expected).count(), 1, "{complaint}");
    let shown = said(&found.stdout);
    let layers = table(&shown, "Layers on study-failed (4 checks)");
    assert_eq!(row(&layers, "reduce"), ["failed"]);
    assert!(row(&layers, "gates").len() >= 3);
}

const PROGRAM: &str = "\
#include <klee/klee.h>
int main(void) {
    unsigned char a, b, table[4] = {0};
    klee_make_symbolic(&a, sizeof a, \"a\");
    klee_make_symbolic(&b, sizeof b, \"b\");
#ifndef PRODUCT
#define PRODUCT 1
#endif
    if (a * b == 221)
        return PRODUCT;
    if (a + b > 400 && (a ^ b) == 77)
        return table[a & 7];
    return a < b ? 2 : 3;
}
";

fn study_exploring(arguments: &[&str]) -> Output {
    let mut all = vec!["study", "explore", "--rounds", "1"];
    all.extend(arguments);
    run(&all)
}

#[test]
fn all_experiments_on_exploring_end_in_tables_and_files() {
    let program = file("study-program.c", PROGRAM.as_bytes());
    let out = program.with_file_name("study-explore-out");
    let found = study_exploring(&["--programs", text(&program), "--out", text(&out)]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    assert_eq!(said(&found.stderr), "");
    let shown = said(&found.stdout);

    let rates = table(&shown, "Exploring programs");
    let paths = row(&rates, "study-program  dfs")[0].clone();
    assert_eq!(row(&rates, "study-program  interleaved")[0], paths);
    // Every preset finds the same.
    let presets = table(
        &shown,
        &format!("Presets on study-program, all {paths} paths"),
    );
    assert_eq!(presets.len(), 13, "{presets:?}");
    for preset in ["baseline", "stack-opt", "full"] {
        assert_eq!(row(&presets, &format!("{preset} "))[6], "same");
    }
    for setting in ["concolic", "fork, pscache", "fork, full"] {
        let counts = table(
            &shown,
            &format!("Partial solutions, {setting}: what they answer"),
        );
        assert_eq!(row(&counts, "study-program")[..2], [&*paths, &*paths]);
    }
    let workers = table(&shown, "Two workers against one");
    assert_eq!(row(&workers, "study-program")[..2], [&*paths, &*paths]);
    let again = table(&shown, "The same seed twice, the first 200 paths");
    // Two modes, seven searches, the head and a remark.
    assert_eq!(again.len(), 17, "{again:?}");
    let natively = table(&shown, "Every test natively");
    for mode in ["fork", "concolic"] {
        let replayed = row(&natively, &format!("study-program  {mode}"));
        assert_eq!(replayed[0], paths);
        assert!(replayed.join(" ").ends_with(", 0 differ"), "{replayed:?}");
    }
    let memory = table(&shown, "Memory within 300MB, breadth-first");
    assert_eq!(row(&memory, "study-program  300MB")[2], paths);

    let csv = fs::read_to_string(out.join("measurements.csv")).expect("written");
    let json = fs::read_to_string(out.join("measurements.json")).expect("written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let measurements = json["measurements"].as_array().expect("an array");
    assert_eq!(csv.lines().count(), measurements.len() + 1);
    assert_eq!(json["setup"]["programs"][0], "study-program");
    let markdown = fs::read_to_string(out.join("tables.md")).expect("written");
    assert!(markdown.starts_with("# Exploring, measured\n"));
}

#[test]
fn examples_are_known_by_name() {
    let found = study_exploring(&["--experiment", "table", "--programs", "triangle"]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let shown = said(&found.stdout);
    row(&table(&shown, "Exploring programs"), "triangle  dfs");
}

/// One mode is enough where only that is asked for, and tests that native code contradicts are a problem.
#[test]
fn a_test_that_replays_otherwise_is_reported() {
    let program = file("study-replayed.c", PROGRAM.as_bytes());
    let liar = impostor(
        "study-replay-liar",
        r#"case "$1" in replay) echo '4 tests: 3 the same, 1 differ'; exit 1;; *) exec "$REFRAIN" "$@";; esac"#,
    );
    let found = study_exploring(&[
        "--experiment",
        "replay",
        "--mode",
        "concolic",
        "--program",
        text(&liar),
        "--programs",
        text(&program),
    ]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let complaint = said(&found.stderr);
    let expected = "replay: study-replayed, concolic: 4 tests: 3 the same, 1 differ";
    assert!(complaint.contains(expected), "{complaint}");
    assert!(!said(&found.stdout).contains("fork"));
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["--programs", "no-such-program.c"], "no-such-program.c"),
        (&["--experiment", "dreams"], "dreams"),
        (&["--max-time", "0"], "not a number of seconds"),
        (
            &["--program", "no-such-refrain"],
            "cannot start no-such-refrain",
        ),
    ];
    for (arguments, expected) in cases {
        let found = study_exploring(arguments);
        assert_eq!(found.status.code(), Some(2), "{arguments:?}: {found:?}");
        let complaint = said(&found.stderr);
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
    }
}

/// A preset that ends a path otherwise and a run that fails are told, and the others go on.
#[test]
fn exploring_that_differs_or_fails_is_reported() {
    let program = file("study-explored.c", PROGRAM.as_bytes());
    let cheat = impostor(
        "study-cheat",
        r#"case "$*" in
*"--reuse green"*) echo 'refrain: out of luck' >&2; exit 2;;
esac
case "$*" in *"--recheck --reuse caching "*) export CFLAGS=-DPRODUCT=77;; esac
exec "$REFRAIN" "$@""#,
    );
    let found = study_exploring(&[
        "--experiment",
        "presets",
        "--presets",
        "caching,green,full",
        "--program",
        text(&cheat),
        "--programs",
        text(&program),
    ]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let complaint = said(&found.stderr);
    let expected = [
        "presets: study-explored, green: exit status 2: out of luck",
        "presets: study-explored, caching: 1 paths missing, 1 surplus, 0 found twice",
    ];
    for expected in expected {
        assert!(complaint.contains(expected), "{complaint}");
    }
    let shown = said(&found.stdout);
    let title = shown.lines().find(|line| line.starts_with("Presets on"));
    let presets = table(&shown, title.expect("a table"));
    assert_eq!(row(&presets, "green"), ["failed"]);
    assert_eq!(row(&presets, "caching")[6], "DIFFERENT");
    assert_eq!(row(&presets, "full")[6], "same");
}

/// From the tree of the version before, a run finds the same paths, and asks and executes no more than from nothing.
#[test]
fn memoized_execution_stands_beside_the_published_figures() {
    let out = file("study-memo", b"").with_file_name("study-memo-out");
    let experiment = ["study", "memo", "--rounds", "1", "--experiment", "regress"];
    let found = run(&[&experiment[..], &["--out", text(&out)]].concat());
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let shown = said(&found.stdout);
    let versions = table(&shown, "Other versions (table II)");
    assert!(
        versions
            .iter()
            .any(|line| line.ends_with("v2, 25   17103  12252  107")),
        "{shown}"
    );

    let json = fs::read_to_string(out.join("measurements.json")).expect("written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let measured = json["measurements"].as_array().expect("an array");
    let figure = |program: &str, variant: String, name: &str| {
        let mut rows = measured.iter();
        let row = rows.find(|row| row["program"] == program && row["variant"] == *variant);
        let figure = row.and_then(|row| row[name].as_u64());
        figure.unwrap_or_else(|| panic!("no {name} of {program}, {variant}: {json}"))
    };
    // From nothing, and from a tree.
    let both = |(program, version): (&str, &str), name: &str| {
        ["regular", "regressed"].map(|run| figure(program, format!("{version}, {run}"), name))
    };
    let versions = [
        ("tcas", "version 6"),
        ("tcas", "version 25"),
        ("tcas", "version 30"),
        ("arbiter", "version 1, depth 14"),
        ("arbiter", "version 2, depth 14"),
    ];
    for version in versions {
        for name in ["questions", "queries", "instructions"] {
            let [from_nothing, from_tree] = both(version, name);
            assert!(
                from_tree < from_nothing,
                "{version:?}: {name} {from_tree}, {from_nothing}"
            );
        }
    }
    for version in &versions[3..] {
        let [from_nothing, from_tree] = both(*version, "queries");
        assert!(
            from_tree * 10 < from_nothing,
            "{version:?}: {from_tree}, {from_nothing}"
        );
    }
}
