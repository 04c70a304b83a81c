//! `--check nan`, `inf`, `float-division` and `float-to-int` by the command: what is found where, by forking and
//! concolic, and that tests replay; floats that are read from text; floats as they are shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn refrain(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_refrain"))
        .env("REFRAIN_STORE", "none")
        .current_dir(folder)
        .arg(arguments[0])
        .args(["--config", "none"])
        .args(&arguments[1..])
        .output()
        .expect("refrain starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a program in it.
fn with_program(source: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.c");
    fs::write(&path, source).expect("a file");
    (folder, path)
}

/// Explores and replays; the report, and what replay said last.
fn explored(folder: &Path, switches: &[&str]) -> (String, String) {
    let mut run = vec!["run", "--max-time", "60", "--out", "out"];
    run.extend(switches);
    run.push("program.c");
    let _ = fs::remove_dir_all(folder.join("out"));
    let report = text(&refrain(folder, &run).stderr);
    let replayed = refrain(folder, &["replay", "out"]);
    let said = text(&replayed.stdout) + &text(&replayed.stderr);
    assert_eq!(
        replayed.status.code(),
        Some(0),
        "{switches:?}\n{report}{said}"
    );
    let last = text(&replayed.stdout);
    (report, last.lines().last().unwrap_or_default().into())
}

const PROGRAM: &str = "\
#include <klee/klee.h>
#include <math.h>

static float quotient(float a, float b) {
    if (GOOD && !(b > 1 && a < 9 && a > -9)) return 0;
    return a / b;
}

static int rounded(double a) {
    if (GOOD && !(a > -1e6 && a < 1e6)) return 0;
    return (int)a;
}

static double logarithm(double a) {
    if (GOOD && !(a > 0)) return 0;
    return log(a);
}

int main(void) {
    float a, b;
    double c;
    klee_make_symbolic(&a, sizeof a, \"a\");
    klee_make_symbolic(&b, sizeof b, \"b\");
    klee_make_symbolic(&c, sizeof c, \"c\");
    switch (WHAT) {
    case 0: return quotient(a, b) > 2;
    case 1: return rounded(c) > 2;
    default: return logarithm(c) > 2;
    }
}
";

#[test]
fn errors_have_their_place_and_tests_replay() {
    let (folder, _) = with_program(PROGRAM);
    // The check, what runs, the error and its line, and whether a sanitizer sees it.
    let cases = [
        ("nan", 0, "not a number", 6, false),
        ("inf", 0, "infinite result", 6, false),
        ("float-division", 0, "float division by zero", 6, true),
        ("float-to-int", 1, "float-to-integer overflow", 11, true),
        ("nan", 2, "not a number", 16, false),
        ("inf", 2, "infinite result", 16, false),
    ];
    for (check, what, error, line, is_seen) in cases {
        for (level, mode) in [("-O0", "fork"), ("-O2", "concolic"), ("-O2", "fork")] {
            let flags = |good: u8| format!("--cflags={level} -DWHAT={what} -DGOOD={good}");
            let switches = ["--check", check, "--mode", mode];
            let case = format!("{check} {what} {level} {mode}");
            let (bad, replayed) = explored(folder.path(), &[&switches[..], &[&flags(0)]].concat());
            let errors = bad.lines().filter(|line| line.starts_with("error: "));
            let errors: Vec<&str> = errors.collect();
            assert_eq!(errors, [format!("error: {error}")], "{case}\n{bad}");
            assert!(bad.contains(&format!("program.c:{line}:")), "{case}\n{bad}");
            let is_unchecked = replayed.contains("1 cannot be checked natively");
            assert_ne!(is_unchecked, is_seen, "{case}: {replayed}");
            let (good, _) = explored(folder.path(), &[&switches[..], &[&flags(1)]].concat());
            assert!(good.contains("errors: none found"), "{case}\n{good}");
            assert!(!good.contains("unexplored"), "{case}\n{good}");
        }
    }
}

#[test]
fn nothing_is_an_error_that_is_not_asked_for() {
    let (folder, _) = with_program(PROGRAM);
    for what in 0..3 {
        let flags = format!("--cflags=-DWHAT={what} -DGOOD=0");
        let (report, _) = explored(folder.path(), &[&flags]);
        assert!(report.contains("errors: none found"), "{what}\n{report}");
    }
}

/// Every way to read a float from three symbolic bytes: all of them are explored, and the tests replay.
#[test]
fn floats_from_symbolic_text() {
    let (folder, _) = with_program(
        "#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char s[LENGTH + 1];
    klee_make_symbolic(s, sizeof s, \"s\");
    s[LENGTH] = 0;
    double x = -1;
    READ;
    if (x > 42) return 1;
    if (x == 0.5) return 2;
    if (x != x) return 3;
    return 0;
}
",
    );
    for (read, length) in [
        ("x = strtod(s, 0)", 3),
        ("x = atof(s)", 3),
        ("x = strtof(s, 0)", 3),
        ("sscanf(s, \"%lf\", &x)", 3),
        ("x = strtold(s, 0)", 2),
    ] {
        let flags = format!("--cflags=-DLENGTH={length} '-DREAD={read}'");
        let (report, replayed) = explored(folder.path(), &[&flags]);
        assert!(!report.contains("unexplored"), "{read}\n{report}");
        assert!(
            replayed.ends_with("the same, 0 differ"),
            "{read}: {replayed}"
        );
        let shown = text(&refrain(folder.path(), &["show", "out"]).stdout);
        for status in 0..=length {
            let line = format!("  exit: {status}\n");
            assert!(shown.contains(&line), "{read}: {status}\n{shown}");
        }
    }
}

/// Variables, arrays, parameters and results of functions: decimal, which reads back, and bits.
#[test]
fn floats_are_shown() {
    let (folder, _) = with_program(
        "#include <klee/klee.h>
double __VERIFIER_nondet_double(void);
float g;
int main(void) {
    int n = 0;
    double x;
    long double l;
    float a[3];
    klee_make_symbolic(&n, sizeof n, \"n\");
    klee_make_symbolic(&x, sizeof x, \"x\");
    klee_make_symbolic(&l, sizeof l, \"l\");
    klee_make_symbolic(a, sizeof a, \"a\");
    klee_make_symbolic(&g, sizeof g, \"g\");
    double d = __VERIFIER_nondet_double();
    klee_assume(n == 7 & x == 0.1 & l == 0.1L & a[0] == -2.5f & a[1] == 1e30f & a[2] == 1 & g == 0.1f);
    klee_assume(d == 1 / 0.0);
    return 0;
}
int f(float x) { if (x == 0.3f) return 1; return 0; }
",
    );
    let (report, _) = explored(folder.path(), &[]);
    assert!(report.contains("tests: 1"), "{report}");
    let shown = text(&refrain(folder.path(), &["show", "out"]).stdout);
    for line in [
        "n (4 bytes) = 7 ",
        "x (8 bytes) = 0.1 (0x3fb999999999999a) ",
        "l (16 bytes) = 0.100000000000000000001 (0x3ffbcccccccccccccccd) ",
        "a (12 bytes) = {-2.5, 1e30, 1.0} ",
        "g (4 bytes) = 0.1 (0x3dcccccd) ",
        "nondet_double (8 bytes) = inf (0x7ff0000000000000) ",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let json = text(&refrain(folder.path(), &["show", "--json", "out"]).stdout);
    assert!(
        json.contains("\"floats\":[\"-2.5\",\"1e30\",\"1.0\"]"),
        "{json}"
    );
    let emitted = text(&refrain(folder.path(), &["emit", "--as", "c", "out"]).stdout);
    for comment in [
        "/* 7 */",
        "/* 0.1 */",
        "/* 0.100000000000000000001 */",
        "/* -2.5, 1e30, 1.0 */",
        "/* inf */",
    ] {
        assert!(emitted.contains(comment), "{comment}\n{emitted}");
    }
    let (_, _) = explored(folder.path(), &["--entry", "f"]);
    let shown = text(&refrain(folder.path(), &["show", "out"]).stdout);
    assert!(shown.contains("x (4 bytes) = 0.3 (0x3e99999a)"), "{shown}");
}
