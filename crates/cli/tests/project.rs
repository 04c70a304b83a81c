//! What a project uses around exploring: the compiler wrapper, its file of switches, completions and manual pages,
//! quiet and talkative runs.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::REFRAIN;
use tempfile::TempDir;

const MAIN: &str = r#"
#include "parse.h"
#include <klee/klee.h>

int table[10];

int main(void) {
    char text[2];
    klee_make_symbolic(text, sizeof text, "text");
    int number = parse(text, sizeof text);
    if (number < 0)
        return 1;
    table[number % 11] = 1;
    return 0;
}
"#;

const PARSE: &str = r#"
#include "parse.h"

int parse(const char *text, int length) {
    int number = 0;
    for (int i = 0; i < length && text[i]; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + text[i] - '0';
    }
    return number;
}
"#;

const MAKEFILE: &str = "prog: main.o libparse.a
\t$(CC) main.o -L. -lparse -o $@
libparse.a: parse.o
\tar rcs $@ parse.o
";

const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)
project(prog C)
add_library(parse STATIC parse.c)
add_executable(prog main.c)
target_link_libraries(prog parse)
";

fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("main.c", MAIN),
        ("parse.c", PARSE),
        ("parse.h", "int parse(const char *text, int length);\n"),
        ("Makefile", MAKEFILE),
        ("CMakeLists.txt", CMAKE),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("REFRAIN_STORE", "none")
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The whole program is explored: both files, and the error is in the one that was compiled by itself.
fn finds_the_error(folder: &Path, program: &str) {
    let found = run_in(folder, REFRAIN, &["run", "--out", "found", program]);
    let report = said(&found);
    assert_eq!(found.status.code(), Some(1), "{report}");
    assert!(report.contains("error: out-of-bounds write"), "{report}");
    assert!(report.contains("main.c:13:24"), "{report}");
    assert!(report.contains("100% of branches"), "{report}");
}

#[test]
fn make_with_the_wrapper() {
    let folder = project();
    let made = run_in(folder.path(), "make", &[&format!("CC={REFRAIN} cc")]);
    assert!(made.status.success(), "{}", said(&made));
    finds_the_error(folder.path(), "prog");
}

#[test]
fn cmake_with_the_wrapper() {
    let folder = project();
    let mut command = Command::new("cmake");
    command.args(["-S", ".", "-B", "build"]);
    command.env("CC", format!("{REFRAIN} cc"));
    let made = command.current_dir(folder.path()).output().expect("cmake");
    assert!(made.status.success(), "{}", said(&made));
    let built = run_in(folder.path(), "cmake", &["--build", "build"]);
    assert!(built.status.success(), "{}", said(&built));
    finds_the_error(folder.path(), "build/prog");
}

/// Sources and linking in one command; and what the native program is without a test.
#[test]
fn one_command_compiles_and_links() {
    let folder = project();
    let arguments = ["cc", "-O1", "main.c", "parse.c", "-o", "both"];
    let made = run_in(folder.path(), REFRAIN, &arguments);
    assert!(made.status.success(), "{}", said(&made));
    let found = run_in(folder.path(), REFRAIN, &["run", "--quiet", "both"]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
}

#[test]
fn the_wrapper_fails_as_clang_does() {
    let folder = project();
    fs::write(folder.path().join("bad.c"), "int f( {\n").expect("a file");
    let refused = run_in(folder.path(), REFRAIN, &["cc", "-c", "bad.c"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("bad.c:1"), "{}", said(&refused));
    assert!(!folder.path().join("bad.o").exists());
    let asked = run_in(folder.path(), REFRAIN, &["cc", "--version"]);
    assert!(String::from_utf8_lossy(&asked.stdout).contains("clang"));
}

#[test]
fn the_project_has_its_switches() {
    let folder = project();
    let below = folder.path().join("below");
    fs::create_dir(&below).expect("a folder");
    let write = |text: &str| fs::write(folder.path().join("refrain.toml"), text).expect("a file");
    write(
        "[run]\nwith = [\"parse.c\"]\nmax-paths = 3\nquiet = true\ntests = \"errors\"\nkp = 7\nks = 3\n",
    );
    let stats = |arguments: &[&str]| {
        let out = tempfile::tempdir().expect("a folder");
        let file = out.path().join("stats.json");
        let file = file.to_str().expect("UTF-8");
        let fixed = ["run", "--out", "out", "--stats", file];
        let all = [&fixed[..], arguments, &["../main.c"]].concat();
        let found = run_in(&below, REFRAIN, &all);
        let text = fs::read(file).unwrap_or_else(|_| panic!("{}", said(&found)));
        fs::remove_dir_all(below.join("out")).expect("results");
        let stats: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let paths =
            ["completed", "error"].map(|kind| stats["paths"][kind].as_u64().expect("a count"));
        (paths.iter().sum::<u64>(), said(&found))
    };
    // Paths of the file are meant from where it is, not from below.
    let (paths, report) = stats(&[]);
    assert_eq!(paths, 3, "{report}");
    assert!(!report.contains("queries:"), "quiet: {report}");
    let (paths, report) = stats(&["--max-paths", "2", "--verbose"]);
    assert_eq!(paths, 2, "the command line wins: {report}");
    assert!(report.contains("queries:"), "{report}");
    let (paths, _) = stats(&["--config", "none", "--with", "../parse.c"]);
    assert!(paths > 3, "{paths}");
    for (text, why) in [
        ("[run]\nmax-path = 3\n", "[run] has no switch max-path"),
        ("[walk]\n", "there is no command walk"),
        ("run = 3\n", "[run] is to be a table"),
        ("[run]\nquiet = 3\n", "quiet is to be true or false"),
        (
            "[run]\nwith = [\"parse.c\"]\nreuse = \"klee\"\nkp = 7\n",
            "--kp is about partial solutions",
        ),
        ("[run\n", "refrain.toml"),
    ] {
        write(text);
        let refused = run_in(&below, REFRAIN, &["run", "../main.c"]);
        assert_eq!(refused.status.code(), Some(2), "{text}");
        assert!(said(&refused).contains(why), "{text}: {}", said(&refused));
    }
    let missing = run_in(&below, REFRAIN, &["--config", "no.toml", "run", "x.c"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(said(&missing).contains("there is no no.toml"));
}

#[test]
fn shells_and_manuals_are_served() {
    let folder = project();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let written = run_in(folder.path(), REFRAIN, &["completions", shell]);
        let text = String::from_utf8_lossy(&written.stdout).into_owned();
        assert!(text.contains("max-memory"), "{shell}: {text}");
    }
    let bash = run_in(folder.path(), REFRAIN, &["completions", "bash"]);
    fs::write(folder.path().join("complete"), &bash.stdout).expect("a file");
    let checked = run_in(folder.path(), "bash", &["-n", "complete"]);
    assert!(checked.status.success(), "{}", said(&checked));
    let written = run_in(folder.path(), REFRAIN, &["man", "pages"]);
    assert!(written.status.success(), "{}", said(&written));
    let page = fs::read_to_string(folder.path().join("pages/refrain-run.1")).expect("a page");
    assert!(
        page.contains(".TH") && page.contains("max\\-memory"),
        "{page}"
    );
    let refused = run_in(folder.path(), REFRAIN, &["man", "Makefile/pages"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_log_says_what_happens_inside() {
    let folder = project();
    let arguments = |filter| ["--log", filter, "run", "--with", "parse.c", "main.c"];
    let logged = said(&run_in(folder.path(), REFRAIN, &arguments("trace")));
    for target in ["refrain::program", "refrain::paths", "refrain::queries"] {
        assert!(logged.contains(target), "{target}: {logged}");
    }
    let logged = said(&run_in(
        folder.path(),
        REFRAIN,
        &arguments("refrain::paths=debug"),
    ));
    assert!(logged.contains("refrain::paths") && !logged.contains("refrain::queries"));
    let refused = run_in(folder.path(), REFRAIN, &arguments("refrain=loud"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("try --log info"),
        "{}",
        said(&refused)
    );
}
