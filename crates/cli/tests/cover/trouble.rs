//! Directories, tests and sources that are not as they should be: a word about it, and a status.

use std::fs;
use std::process::Output;

use refrain_results::{OutputDirectory, Run};

use crate::common::damage;
use crate::scene::{KINDS, Scene, cover, exit, kinds};

#[track_caller]
fn says(output: &Output, status: i32, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(said.contains(words), "{words}\n{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn what_is_no_directory_of_a_run() {
    let scene = kinds();
    let folder = scene.folder.path();
    fs::create_dir(scene.path("empty")).expect("a folder");
    says(&cover(folder, "empty", &[]), 2, "empty");
    says(&cover(folder, "nowhere", &[]), 2, "nowhere");
    says(&cover(folder, "kinds.c", &[]), 2, "kinds.c");
    fs::write(scene.path("out/run.json"), "{ \"program\": ").expect("a file");
    says(&scene.cover(&[]), 2, "run.json");
}

#[test]
fn a_run_without_tests() {
    let scene = Scene::new("kinds.c", KINDS, &[], Run::default());
    says(&scene.cover(&[]), 2, "out has no tests");
}

#[test]
fn a_test_that_is_not_there() {
    says(&kinds().cover(&["--test", "8"]), 2, "out has no test 8");
}

#[test]
fn a_damaged_test_is_left_out() {
    let scene = kinds();
    damage(&scene.path("out"), 4);
    let output = scene.cover(&[]);
    says(&output, 1, "test000004 is left out: ");
    // The only one that calls exit.
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("24/29"), "{table}");
    says(
        &scene.cover(&["--test", "4"]),
        2,
        "no test could be executed",
    );
}

/// A run that was killed while it wrote its last test: the others are as they were.
#[test]
fn a_torn_tail_is_only_told() {
    let scene = kinds();
    let path = scene.path("out").join(refrain_results::PACK);
    let bytes = fs::read(&path).expect("a file");
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
    let output = scene.cover(&[]);
    says(&output, 0, "tests.pack ends within a test");
    says(&scene.cover(&["--test", "7"]), 2, "out has no test 7");
}

#[test]
fn tests_that_do_something_else() {
    let tests = [
        ("x", vec![3, 0, 0, 0], exit(0)),
        ("y", vec![1, 0, 0, 0], exit(0)),
    ];
    let scene = Scene::new("kinds.c", KINDS, &tests, Run::default());
    let output = scene.cover(&[]);
    says(
        &output,
        1,
        "test000001 does not do what it says: in the machine: exit with 3",
    );
    says(&output, 1, "test000002");
}

#[test]
fn a_test_that_does_not_end() {
    let text = "#include <klee/klee.h>\nint main(void) {\n  volatile int x;\n  klee_make_symbolic((int *)&x, 4, \"x\");\n  while (x)\n    ;\n  return 0;\n}\n";
    let tests = [("x", vec![1, 0, 0, 0], exit(0))];
    let scene = Scene::new("loop.c", text, &tests, Run::default());
    let output = scene.cover(&["--timeout", "0.2"]);
    says(&output, 1, "it does not end in 0.2 s");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("3/4"), "{table}");
}

#[test]
fn a_source_that_has_changed() {
    let scene = kinds();
    fs::write(&scene.source, format!("{KINDS}\n// more\n")).expect("a file");
    says(&scene.cover(&[]), 1, "kinds.c has changed since the run");
    fs::write(&scene.source, "int main(void) { return").expect("a file");
    says(&scene.cover(&[]), 2, "error");
    fs::remove_file(&scene.source).expect("a file");
    says(&scene.cover(&[]), 2, "kinds.c");
}

/// Bitcode needs no source to be executed.
#[test]
fn a_source_that_is_not_there_is_only_not_shown() {
    let scene = kinds();
    let built = refrain_compile::to_bitcode(
        std::slice::from_ref(&scene.source),
        &refrain_compile::Options::default(),
    );
    let built = built.expect("clang; `cargo xtask install` gets it");
    let bitcode = scene.path("kinds.bc");
    fs::write(&bitcode, &built.modules[0].bytes).expect("a file");
    fs::remove_file(&scene.source).expect("a file");
    let directory = OutputDirectory::open(&scene.path("out")).expect("a run");
    let run = Run {
        program: bitcode,
        sources: Vec::new(),
        ..directory.read_run().expect("a run")
    };
    directory.write_run(&run).expect("it can be written");
    let plain = scene.cover(&[]);
    let table = String::from_utf8_lossy(&plain.stdout);
    assert!(table.contains("25/29"), "{table}");
    let output = scene.cover(&["--html", "html"]);
    says(&output, 0, "kinds.c cannot be read: its page has no source");
    let page = fs::read_to_string(scene.path("html/file-1-kinds.c.html")).expect("a page");
    assert!(page.contains("could not be read") && page.contains("id=\"L13\""));
}

#[test]
fn where_nothing_can_be_written() {
    let scene = kinds();
    says(
        &scene.cover(&["--lcov", "nowhere/cover.info"]),
        2,
        "cannot write nowhere/cover.info",
    );
    says(&scene.cover(&["--html", "kinds.c"]), 2, "kinds.c");
    says(&scene.cover(&["--json", "out"]), 2, "cannot write out");
}

#[test]
fn code_without_lines() {
    let run = Run {
        cflags: vec!["-g0".into()],
        ..Run::default()
    };
    let tests = [("x", vec![0, 0, 0, 0], exit(0))];
    let scene = Scene::new("kinds.c", KINDS, &tests, run);
    says(&scene.cover(&[]), 2, "which lines its code is from");
}
