//! `refrain study scripts`: tables and files from small scripts, and what happens if a run fails or lies.

use std::fs;
use std::process::Output;

use crate::common::{file, run};
use crate::{impostor, row, said, table, text};

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
    let mut all = vec!["study", "scripts", "--rounds", "1", "--edits", "4"];
    all.extend(arguments);
    run(&all)
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
    let markdown = fs::read_to_string(out.join("report.md")).expect("written");
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
        let mut all = vec!["study", "scripts", "--experiment", "presets"];
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
