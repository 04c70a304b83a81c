//! `refrain report` and `refrain emit` on runs of real programs.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn refrain(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(common::REFRAIN)
        .env("REFRAIN_STORE", "none")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("refrain starts")
}

fn done(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = refrain(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{said}");
    output.stdout
}

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], word: &str) {
    let output = refrain(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{said}");
    assert!(said.contains(word), "{word}\n{said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

/// Runs a program; what it says.
#[track_caller]
fn passes(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{said}");
    said
}

/// An example in a folder of its own.
fn example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
    fs::copy(examples.join(name), folder.path().join(name)).expect("an example");
    folder
}

/// The command that the first lines of emitted tests name.
fn documented(tests: &Path) -> String {
    let text = fs::read_to_string(tests).expect("tests");
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("//     "));
    let command = lines.find(|line| line.contains(" && "));
    command.expect("a command").to_string()
}

fn shell(folder: &Path, command: &str) -> String {
    passes(Command::new("sh").args(["-c", command]).current_dir(folder))
}

#[test]
fn a_c_program_is_reported_and_its_tests_are_kept() {
    let folder = example("triangle.c");
    let folder = folder.path();
    let run = refrain(
        folder,
        &["run", "--tests", "all", "--out", "out", "triangle.c"],
    );
    assert_eq!(run.status.code(), Some(1), "{run:?}");

    let sarif: Value =
        serde_json::from_slice(&done(folder, &["report", "out", "--as", "sarif"])).expect("JSON");
    let found = &sarif["runs"][0]["results"];
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert_eq!(found[0]["ruleId"], "assertion-failure");
    let place = &found[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "triangle.c");
    assert_eq!(place["region"]["startLine"], 30);

    done(
        folder,
        &["report", "out", "--as", "junit", "-o", "junit.xml"],
    );
    let junit = fs::read_to_string(folder.join("junit.xml")).expect("a report");
    assert!(
        junit.contains(r#"tests="17" failures="1" errors="0" skipped="0""#),
        "{junit}"
    );
    passes(
        Command::new("xmllint")
            .arg("--noout")
            .arg(folder.join("junit.xml")),
    );

    let json: Value =
        serde_json::from_slice(&done(folder, &["report", "out", "--as", "json"])).expect("JSON");
    assert_eq!(json["complete"], true);
    assert_eq!(json["stats"]["paths"]["error"], 1);

    done(
        folder,
        &["report", "out", "--as", "testcomp", "-o", "suite"],
    );
    assert!(
        folder.join("suite/metadata.xml").exists() && folder.join("suite/test000017.xml").exists()
    );
    refused(
        folder,
        &["report", "out", "--as", "testcomp", "-o", "suite"],
        "suite is there already",
    );
    done(
        folder,
        &["report", "out", "--as", "testcomp", "-o", "suite.zip"],
    );
    done(folder, &["report", "out", "--as", "corpus", "-o", "corpus"]);
    let crashes = fs::read_dir(folder.join("corpus/crashes")).expect("a folder");
    let sizes: Vec<u64> = crashes
        .flatten()
        .map(|entry| entry.metadata().map_or(0, |data| data.len()))
        .collect();
    assert_eq!(sizes, [12]);
    refused(
        folder,
        &["report", "out", "--as", "corpus"],
        "name a directory with -o",
    );

    done(
        folder,
        &["emit", "out", "--as", "c", "-o", "triangle_tests.c"],
    );
    let said = shell(folder, &documented(&folder.join("triangle_tests.c")));
    assert_eq!(said, "17 tests: 17 passed, 0 failed, 0 skipped\n");
    done(
        folder,
        &[
            "emit",
            "out",
            "--as",
            "c",
            "--errors-only",
            "-o",
            "regress.c",
        ],
    );
    let command = documented(&folder.join("regress.c"));
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder)
        .output()
        .expect("sh starts");
    assert_eq!(output.status.code(), Some(1));
    refused(
        folder,
        &["emit", "out", "--as", "rust"],
        "is no Rust source",
    );
}

#[test]
fn a_rust_program_is_reported_and_its_tests_are_kept() {
    let folder = example("percent.rs");
    let folder = folder.path();
    let run = refrain(
        folder,
        &["run", "--tests", "all", "--out", "out", "percent.rs"],
    );
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let sarif: Value =
        serde_json::from_slice(&done(folder, &["report", "out", "--as", "sarif"])).expect("JSON");
    let found = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .clone();
    assert_eq!(found.len(), 2);
    // Whichever it is: more than a byte holds.
    let text = found[0]["properties"]["inputs"][0]["text"].as_str();
    let number = text.and_then(|text| text.strip_suffix('%')?.parse::<u32>().ok());
    assert!(number.is_some_and(|number| number > 255), "{text:?}");
    let flow = &found[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(
        flow[0]["location"]["logicalLocations"][0]["fullyQualifiedName"],
        "percent::main"
    );

    // As the first lines of the tests say: declared in the program, compiled and run.
    let source = fs::read_to_string(folder.join("percent.rs")).expect("the source");
    let with_tests = |out: &str, more: &[&str]| {
        fs::write(folder.join("percent.rs"), &source).expect("a file");
        let mut arguments = vec!["emit", out, "--as", "rust", "-o", "tests.rs"];
        arguments.extend(more);
        done(folder, &arguments);
        let declared =
            format!("{source}#[cfg(test)]\n#[path = \"tests.rs\"]\nmod refrain_tests;\n");
        let tests = fs::read_to_string(folder.join("tests.rs")).expect("tests");
        assert!(
            tests.contains("//     #[path = \"tests.rs\"]\n//     mod refrain_tests;\n"),
            "{tests}"
        );
        fs::write(folder.join("percent.rs"), declared).expect("a file");
        documented(&folder.join("tests.rs"))
    };
    let said = shell(folder, &with_tests("out", &[]));
    assert!(said.contains("7 passed; 0 failed; 0 ignored"), "{said}");
    let command = with_tests("out", &["--errors-only"]);
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder)
        .output()
        .expect("sh starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("0 passed; 2 failed"), "{said}");
    refused(folder, &["emit", "out", "--as", "c"], "the program is Rust");

    // A function by itself.
    fs::write(folder.join("percent.rs"), &source).expect("a file");
    let run = refrain(
        folder,
        &[
            "run",
            "--tests",
            "all",
            "--entry",
            "share",
            "--buffer",
            "text=4",
            "--rustflags=-Copt-level=0",
            "--out",
            "share",
            "percent.rs",
        ],
    );
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let command = with_tests("share", &[]);
    let tests = fs::read_to_string(folder.join("tests.rs")).expect("tests");
    assert!(tests.contains("    let _ = share(b\"256%\");"), "{tests}");
    let said = shell(folder, &command);
    assert!(said.contains("10 passed; 0 failed; 0 ignored"), "{said}");
}

#[test]
fn functions_of_c_and_programs_of_cxx_are_tested_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text = r#"#include <klee/klee.h>
#include <stdlib.h>
struct point { int x, y; };
struct big { long a[4]; };
static int find(const char *text, short wanted, struct point p, struct big b, _Bool yes) {
    if (p.x == 3 && p.y == -4) abort();
    if (b.a[2] == 77) return yes;
    for (int i = 0; i <= 4; i++)
        if (text[i] == wanted) return i;
    return -1;
}
int main(void) {
    struct point p = {0, 0};
    struct big b = {{0}};
    return find("abc", klee_int("wanted"), p, b, 0);
}
"#;
    fs::create_dir(folder.join("src")).expect("a folder");
    fs::write(folder.join("src/find.c"), text).expect("a file");
    let run = refrain(
        folder,
        &[
            "run",
            "--tests",
            "all",
            "--entry",
            "find",
            "--buffer",
            "text=4",
            "--out",
            "find",
            "src/find.c",
        ],
    );
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    fs::create_dir(folder.join("checks")).expect("a folder");
    done(
        folder,
        &["emit", "find", "--as", "c", "-o", "checks/find_tests.c"],
    );
    let command = documented(&folder.join("checks/find_tests.c"));
    let said = shell(folder, &command);
    assert!(said.contains(" 0 failed, "), "{said}");
    let checked = command.replacen("cc -g", "cc -g -fsanitize=address", 1);
    let said = shell(folder, &checked);
    assert!(said.contains(" 0 failed, 0 skipped"), "{said}");

    let text = r#"#include <refrain.h>
#include <stdexcept>
#include <vector>
int main() {
    int n = refrain_between(0, 3, "n");
    std::vector<int> all(n);
    if (n == 2) throw std::runtime_error("two");
    if (n == 3) return 42;
}
"#;
    fs::write(folder.join("throws.cpp"), text).expect("a file");
    let run = refrain(folder, &["run", "--out", "throws", "throws.cpp"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    done(
        folder,
        &["emit", "throws", "--as", "c", "-o", "throws_tests.c"],
    );
    let said = shell(folder, &documented(&folder.join("throws_tests.c")));
    assert!(said.contains(" 0 failed, 0 skipped"), "{said}");
}

#[test]
fn what_is_no_run_is_refused_and_nothing_is_written() {
    let folder = example("triangle.c");
    let folder = folder.path();
    let formats = ["sarif", "junit", "json", "testcomp", "corpus"];
    let all_refuse = |directory: &str, word: &str| {
        for format in formats {
            refused(
                folder,
                &["report", directory, "--as", format, "-o", "written"],
                word,
            );
        }
        refused(
            folder,
            &["emit", directory, "--as", "c", "-o", "written"],
            word,
        );
        assert!(!folder.join("written").exists());
    };
    all_refuse("nowhere", "cannot read nowhere");
    all_refuse(".", "holds no results of a run");
    all_refuse("triangle.c", "cannot read triangle.c");
    refrain(
        folder,
        &["run", "--tests", "all", "--out", "out", "triangle.c"],
    );
    let damaged = |name: &str, word: &str| {
        let path: PathBuf = folder.join("out").join(name);
        let whole = fs::read(&path).expect("a file");
        fs::write(&path, &whole[..whole.len() / 2]).expect("a file");
        all_refuse("out", word);
        fs::write(&path, whole).expect("a file");
    };
    damaged("run.json", "run.json is no description of a run");
    damaged("stats.json", "stats.json is no statistics");
    damaged("boundary.json", "boundary.json is no list of what was left");
    // A damaged test is left out of what is written, and told.
    let pack = folder.join("out/tests.pack");
    let whole = fs::read(&pack).expect("a file");
    common::damage(&folder.join("out"), 3);
    for arguments in [
        &["report", "out", "--as", "json"][..],
        &["report", "out", "--as", "sarif"],
        &["emit", "out", "--as", "c"],
    ] {
        let output = refrain(folder, arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}\n{said}");
        assert!(
            said.contains("test000003 of out/tests.pack cannot be read"),
            "{said}"
        );
        let written = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(written.contains("test000003 of out/tests.pack") || arguments[0] == "emit");
    }
    let output = refrain(folder, &["report", "out", "--as", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["tests"].as_array().map(Vec::len), Some(16));
    fs::write(&pack, whole).expect("a file");
    // A run that was killed has neither.
    fs::remove_file(folder.join("out/stats.json")).expect("it is there");
    fs::remove_file(folder.join("out/boundary.json")).expect("it is there");
    for format in &formats[..3] {
        done(folder, &["report", "out", "--as", format]);
    }
    refused(
        folder,
        &["report", "out", "--as", "json", "-o", "no/where"],
        "cannot write no/where",
    );
}

/// The library has no lines: what it is told to do wrong is the mistake of the line that called it.
#[test]
fn errors_within_library_functions_have_the_line_of_their_caller() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let source = r#"
#include <string.h>
#include <klee/klee.h>
static char small[4];
int main(void) {
    switch (klee_range(0, 3, "which")) {
    case 0: strcpy(small, "too long"); break;
    case 1: strcpy(small, "far too long"); break;
    default: return (int)strlen(memset(small, 'x', 4));
    }
    return 0;
}
"#;
    fs::write(folder.join("callers.c"), source).expect("a program");
    let run = refrain(folder, &["run", "--out", "out", "callers.c"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");

    let json: Value =
        serde_json::from_slice(&done(folder, &["report", "out", "--as", "json"])).expect("JSON");
    let errors = json["errors"].as_array().expect("errors");
    let mut lines: Vec<u64> = errors
        .iter()
        .map(|error| error["place"]["line"].as_u64().expect("a line"))
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 8, 9]);

    let sarif: Value =
        serde_json::from_slice(&done(folder, &["report", "out", "--as", "sarif"])).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let mut lines: Vec<u64> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], "callers.c");
            place["region"]["startLine"].as_u64().expect("a line")
        })
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [7, 8, 9]);
}
