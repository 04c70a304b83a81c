//! `refrain study explore`: tables and files from a small program, and what happens if a run fails or lies.

use std::fs;
use std::process::Output;

use crate::common::{file, run};
use crate::{impostor, row, said, table, text};

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
    let markdown = fs::read_to_string(out.join("report.md")).expect("written");
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
