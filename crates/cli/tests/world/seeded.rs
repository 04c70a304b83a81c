//! `--input`: what is followed first.

use refrain_machine::InputValue;
use refrain_results::KTest;

use crate::scene::{Scene, said};

/// A path for every argument that is known, and for what comes in.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char text[8] = {0};
    const char *mode = getenv("MODE");
    FILE *file = fopen("d/b", "r");
    if (argc > 1 && !strcmp(argv[1], "-deep")) puts("deep");
    if (argc > 2 && !strcmp(argv[2], "er")) puts("deeper");
    if (fread(text, 1, 4, stdin) == 4 && !strcmp(text, "magi")) puts("magic");
    if (file && fread(text, 1, 4, file) == 4 && !memcmp(text, "file", 4)) puts("file");
    if (mode && !strcmp(mode, "on")) puts("on");
    return 0;
}
"#;

const WORLD: [&str; 8] = [
    "--sym-args",
    "0",
    "2",
    "5",
    "--sym-stdin",
    "0..6",
    "--sym-file",
    "d/b=4",
];

fn first(scene: &Scene, out: &str, more: &[&str], paths: &str) -> Vec<String> {
    let words = [
        &WORLD[..],
        &["--sym-env", "MODE=2", "--max-paths", paths],
        more,
        &["prog.c"],
    ];
    scene.explore(out, &words.concat());
    let tests = scene.tests(out).into_iter();
    tests
        .map(|test| String::from_utf8_lossy(&test.stdout).replace('\n', " "))
        .collect()
}

#[test]
fn concrete_runs() {
    let scene = Scene::new(PROGRAM);
    scene.write("runs/one/args", "-deep\n");
    scene.write("runs/one/stdin", "magi");
    scene.write("runs/one/files/d/b", "file");
    scene.write("runs/two/args", "-deep\0er\0");
    scene.write("runs/two/env", "MODE=on\n");
    scene.write("runs/other/args", "too\nmany\narguments\n");
    for (out, mode) in [("forked", "fork"), ("concolic", "concolic")] {
        let found = first(&scene, out, &["--input", "runs", "--mode", mode], "2");
        assert_eq!(found, ["deep magic file ", "deep deeper on "], "{mode}");
    }
    // One of them alone.
    let found = first(&scene, "alone", &["--input", "runs/two"], "1");
    assert_eq!(found, ["deep deeper on "]);
    let words = [&["run"], &WORLD[..], &["--input", "runs/other", "prog.c"]].concat();
    let (text, status) = said(&scene.refrain(&words));
    assert_eq!(status, 2, "{text}");
    let expected = "refrain: runs/other is left out: it has an argument too many, \"arguments\"\n\
                    refrain: --input runs/other: no input of it fits\n";
    assert_eq!(text, expected);
}

#[test]
fn corpora_and_tests() {
    let scene = Scene::new(PROGRAM);
    scene.write("corpus/a", "");
    scene.write("corpus/b", "magi");
    scene.write("corpus/too-long", "magical");
    let found = first(&scene, "corpus-out", &["--input", "corpus"], "2");
    assert_eq!(found, ["", "magic "]);
    // KLEE's directory has other files beside.
    let test = |argument: &[u8]| KTest {
        objects: vec![
            InputValue::object("n_args", 1u32.to_le_bytes()),
            InputValue::object("arg00", argument),
            InputValue::object("stdin", *b"magi\0\0"),
            InputValue::object("stdin-size", 4u32.to_le_bytes()),
        ],
        ..KTest::default()
    };
    scene.write("klee/test1.ktest", test(b"-deep\0").encode());
    scene.write("klee/test2.ktest", test(b"other\0").encode());
    scene.write("klee/info", "klee");
    let found = first(&scene, "klee-out", &["--input", "klee"], "2");
    assert_eq!(found, ["deep magic ", "magic "]);
    // Several switches, and the results of a run.
    let words = [
        "--input",
        "klee/test2.ktest",
        "--input",
        "klee-out",
        "--input",
        "corpus/b",
    ];
    let found = first(&scene, "several", &words, "2");
    assert_eq!(found, ["magic ", "deep magic "]);
    for (words, expected) in [
        (
            &["--sym-arg", "1", "--input", "corpus/b"][..],
            "none of which is given",
        ),
        (&["--sym-arg", "1", "--input", "nowhere"], "nowhere"),
        (
            &["--sym-arg", "1", "--input", "klee/info"],
            "--input klee/info: no input of it fits",
        ),
    ] {
        let (text, status) = said(&scene.refrain(&[&["run"], words, &["prog.c"]].concat()));
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(expected), "{text}");
    }
}
