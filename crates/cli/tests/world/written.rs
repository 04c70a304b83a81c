//! Tests as commands and scripts: what is written runs, and says the same.

use std::process::{Command, Output, Stdio};

use refrain_results::Outcome;

use crate::programs::{FILES, MISTAKES, OPTIONS, READER};
use crate::scene::{Scene, said};

fn bash(scene: &Scene, arguments: &[&str]) -> Output {
    Command::new("bash")
        .args(arguments)
        .current_dir(scene.path(""))
        .stdin(Stdio::null())
        .output()
        .expect("bash")
}

#[test]
fn shown_commands_do_what_the_tests_say() {
    for (program, world) in [
        (OPTIONS, &["--sym-args", "0", "2", "2"][..]),
        (READER, &["--sym-stdin", "1..2"]),
        (
            FILES,
            &[
                "--sym-arg",
                "1",
                "--sym-file",
                "A=0..2",
                "--sym-env",
                "MODE=1",
            ],
        ),
    ] {
        let scene = Scene::new(program);
        let words: Vec<&str> = world.iter().copied().chain(["prog.c"]).collect();
        scene.explore("out", &words);
        scene.compile(&[]);
        let shown = scene.refrain(&["show", "out"]);
        let shown = String::from_utf8(shown.stdout).expect("text");
        let commands = { shown.lines() }.filter_map(|line| line.strip_prefix("  command: "));
        let commands: Vec<&str> = commands.collect();
        let tests = scene.tests("out");
        assert_eq!(commands.len(), tests.len());
        for (test, command) in tests.iter().zip(commands) {
            let ran = bash(&scene, &["-c", command]);
            assert_eq!(ran.stdout, test.stdout, "{command}");
            let status = ran.status.code().expect("a status");
            assert_eq!(test.outcome, Outcome::exit(status), "{command}");
        }
    }
}

#[test]
fn scripts_pass_and_fail() {
    let world = [
        "--sym-arg",
        "1",
        "--sym-file",
        "A=0..2",
        "--sym-env",
        "MODE=1",
        "prog.c",
    ];
    let scene = Scene::new(FILES);
    scene.explore("out", &world);
    let emitted = scene.refrain(&["emit", "out", "--as", "sh", "-o", "tests.sh"]);
    assert!(emitted.status.success(), "{emitted:?}");
    scene.compile(&["-O1"]);
    let tests = scene.tests("out").len();
    let (text, status) = said(&bash(&scene, &["tests.sh"]));
    let passed = format!("{tests} tests: {tests} passed, 0 failed, 0 skipped\n");
    assert_eq!((text.as_str(), status), (passed.as_str(), 0));
    let other = FILES
        .replace("x first", "X first")
        .replace("return 1;", "return 4;");
    std::fs::write(scene.path("prog.c"), other).expect("a file");
    scene.compile(&[]);
    std::fs::rename(scene.path("prog"), scene.path("other")).expect("a file");
    let (text, status) = said(&bash(&scene, &["tests.sh", "other"]));
    assert_eq!(status, 1, "{text}");
    assert!(
        text.contains("FAILED: it ends with status 4 instead of 1\n"),
        "{text}"
    );
    assert!(
        text.contains("FAILED: it writes something else\n"),
        "{text}"
    );
    // Code that is compiled with the program cannot make files.
    let (text, status) = said(&scene.refrain(&["emit", "out", "--as", "c"]));
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("--as sh writes them"), "{text}");
}

#[test]
fn errors_in_scripts() {
    let scene = Scene::new(MISTAKES);
    scene.explore("out", &["--sym-args", "0", "1", "2", "prog.c"]);
    scene.refrain(&["emit", "out", "--as", "sh", "-o", "tests.sh"]);
    scene.refrain(&[
        "emit",
        "out",
        "--as",
        "sh",
        "--errors-only",
        "-o",
        "errors.sh",
    ]);
    scene.compile(&[]);
    let (text, status) = said(&bash(&scene, &["tests.sh"]));
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("skipped, since the error does not show"),
        "{text}"
    );
    let (text, status) = said(&bash(&scene, &["errors.sh"]));
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("FAILED: it dies, with status 134"), "{text}");
    // Arguments alone can also be code.
    let emitted = scene.refrain(&["emit", "out", "--as", "c", "-o", "tests.c"]);
    assert!(emitted.status.success(), "{emitted:?}");
    let compiled = Command::new(refrain_testing::program("clang"))
        .args(["-w", "-o", "unit", "tests.c", "prog.c"])
        .current_dir(scene.path(""))
        .status();
    assert!(compiled.expect("clang").success());
    let ran = Command::new(scene.path("unit")).output().expect("it runs");
    let (text, status) = said(&ran);
    assert_eq!(status, 0, "{text}");
}
