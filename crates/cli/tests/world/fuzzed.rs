//! Fuzz targets: bytes and how many they are, as a fuzzer calls them.

use std::collections::BTreeSet;
use std::process::Command;

use refrain_machine::Role;
use refrain_results::Outcome;

use crate::scene::{Scene, said};

/// Reads beyond its input if that is `FU`, and dies of `FUxy`.
const TARGET: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    if (data[0] == 'F' && data[1] == 'U') {
        if (data[2] == 'Z') return 0;
        if (size > 3 && memcmp(data + 2, "xy", 2) == 0) __builtin_trap();
    }
    return 0;
}
"#;

#[test]
fn a_target_is_explored_and_replayed() {
    let scene = Scene::new(TARGET);
    for (out, mode) in [("out", "fork"), ("concolic", "concolic")] {
        scene.explore(
            out,
            &["--fuzz-target=5", "--complete", "--mode", mode, "prog.c"],
        );
        let tests = scene.tests(out);
        let lengths: BTreeSet<usize> = { tests.iter().flat_map(|test| &test.inputs) }
            .filter(|input| input.role == Role::Parameter)
            .map(|input| input.bytes.len())
            .collect();
        assert_eq!(lengths, (0..=5).collect());
        let mut errors: Vec<(&str, usize)> = { tests.iter() }
            .filter_map(|test| match &test.outcome {
                Outcome::Error(fault) => Some((fault.kind.name(), test.inputs[1].bytes.len())),
                _ => None,
            })
            .collect();
        errors.sort_unstable();
        assert_eq!(
            errors,
            [("out-of-bounds read", 2), ("trap", 4), ("trap", 5)]
        );
        let same = format!("{0} tests: {0} the same, 0 differ\n", tests.len());
        assert_eq!(said(&scene.refrain(&["replay", out])), (same, 0));
        let (text, status) = said(&scene.refrain(&["certify", out, "--recheck"]));
        assert_eq!(status, 0, "{text}");
    }
}

/// What the program prepares is there when the target is called, in the machine, in replay and in emitted tests.
#[test]
fn what_is_to_be_prepared_is() {
    let text = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
static int ready;
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    ready = *argc == 1 && strlen((*argv)[0]) > 3 && !(*argv)[1];
    return 0;
}
__attribute__((constructor)) static void before(void) { ready = 7; }
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (ready != 1) __builtin_trap();
    return size > 0 && data[0] == 'x';
}
"#;
    let scene = Scene::new(text);
    scene.explore("out", &["--fuzz-target=2", "--complete", "prog.c"]);
    let tests = scene.tests("out");
    let exits = |test: &refrain_results::Test| matches!(test.outcome, Outcome::Exit { .. });
    assert!(tests.len() >= 3 && tests.iter().all(exits), "{tests:?}");
    let same = format!("{0} tests: {0} the same, 0 differ\n", tests.len());
    assert_eq!(said(&scene.refrain(&["replay", "out"])), (same, 0));
    let emitted = scene.refrain(&["emit", "out", "--as", "c", "-o", "tests.c"]);
    assert!(emitted.status.success(), "{emitted:?}");
    let compiled = Command::new(refrain_testing::program("clang"))
        .args(["-w", "-o", "unit", "tests.c"])
        .current_dir(scene.path(""))
        .status();
    assert!(compiled.expect("clang").success());
    let ran = Command::new(scene.path("unit")).output().expect("it runs");
    let passed = format!("{0} tests: {0} passed, 0 failed, 0 skipped\n", tests.len());
    assert_eq!(said(&ran), (passed, 0));
}

#[test]
fn its_tests_are_code_and_a_corpus() {
    let scene = Scene::new(TARGET);
    scene.explore("out", &["--fuzz-target=5", "prog.c"]);
    let emitted = scene.refrain(&["emit", "out", "--as", "c", "-o", "tests.c"]);
    assert!(emitted.status.success(), "{emitted:?}");
    let compiled = Command::new(refrain_testing::program("clang"))
        .args([
            "-w",
            "-g",
            "-fsanitize=address,undefined",
            "-o",
            "unit",
            "tests.c",
        ])
        .current_dir(scene.path(""))
        .status();
    assert!(compiled.expect("clang").success());
    let tests = scene.tests("out").len();
    let ran = Command::new(scene.path("unit")).output().expect("it runs");
    let passed = format!("{tests} tests: {tests} passed, 0 failed, 0 skipped\n");
    assert_eq!(said(&ran), (passed, 0));
    let written = scene.refrain(&["report", "out", "--as", "corpus", "-o", "corpus"]);
    assert!(written.status.success(), "{written:?}");
    let crashes = std::fs::read_dir(scene.path("corpus/crashes")).expect("crashes");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        std::fs::read(entry.expect("an entry").path()).expect("a file")
    };
    let crashes: BTreeSet<Vec<u8>> = crashes.map(read).collect();
    assert!(
        crashes.contains(&b"FU"[..]) && crashes.contains(&b"FUxy"[..]),
        "{crashes:?}"
    );
    // A fuzzer's crashes are where exploring begins.
    let seeded = [
        "--fuzz-target=5",
        "--input",
        "corpus/crashes",
        "--max-paths",
        "3",
        "prog.c",
    ];
    scene.explore("seeded", &seeded);
    let is_error = |test: &refrain_results::Test| matches!(test.outcome, Outcome::Error(_));
    assert!(scene.tests("seeded").iter().all(is_error));
}

#[test]
fn what_is_no_target_is_refused() {
    let scene = Scene::new("int LLVMFuzzerTestOneInput(int x) { return x; }\n");
    for (words, expected) in [
        (
            &["--fuzz-target"][..],
            "LLVMFuzzerTestOneInput is no fuzz target: it is to take a pointer and a number of bytes",
        ),
        (
            &["--fuzz-target", "--sym-arg", "1"],
            "no --sym-… goes with it",
        ),
        (&["--fuzz-target=5000"], "5000 is not in 0..=4096"),
        (&["--fuzz-target", "--entry", "f"], "cannot be used with"),
    ] {
        let (text, status) = said(&scene.refrain(&[&["run"], words, &["prog.c"]].concat()));
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(expected), "{words:?}: {text}");
    }
    let scene = Scene::new("int main(void) { return 0; }\n");
    let (text, status) = said(&scene.refrain(&["run", "--fuzz-target", "prog.c"]));
    assert_eq!(status, 2, "{text}");
    assert!(
        text.contains("no function LLVMFuzzerTestOneInput in the program"),
        "{text}"
    );
}
