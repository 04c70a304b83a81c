//! What makes no sense is refused in one line, before anything is written.

use crate::programs::OPTIONS;
use crate::scene::{Scene, said};

#[test]
fn one_line_each() {
    let scene = Scene::new(&format!("{OPTIONS}\nint f(int x) {{ return x; }}\n"));
    let cases: &[(&[&str], &str)] = &[
        (
            &["--sym-args", "2", "1", "4"],
            "--sym-args 2 1 4: MIN is more than MAX",
        ),
        (
            &["--sym-args", "0", "256", "4"],
            "--sym-args 256: at most 255",
        ),
        (
            &["--sym-args", "0", "x", "4"],
            "--sym-args: \"x\" is no number",
        ),
        (&["--sym-arg", "5000"], "--sym-arg 5000: at most 4096"),
        (
            &["--sym-stdin", "2..1"],
            "--sym-stdin 2..1: the first length is more than the last",
        ),
        (
            &["--sym-stdin", "0..5000"],
            "--sym-stdin 0..5000: at most 4096 lengths",
        ),
        (
            &["--sym-stdin", "99999999"],
            "--sym-stdin 99999999: at most 1048576",
        ),
        (&["--sym-stdin", "-1"], "--sym-stdin: \"-1\" is no number"),
        (&["--sym-files", "27", "1"], "--sym-files 27: at most 26"),
        (&["--sym-file", "A"], "--sym-file A: expected NAME=SIZE"),
        (
            &["--sym-file", "=4"],
            "--sym-file =4: \"\" is no name of a file",
        ),
        (
            &["--sym-files", "1", "2", "--sym-file", "A=4"],
            "there are two symbolic files A",
        ),
        (&["--sym-env", "HOME"], "--sym-env HOME: expected NAME=SIZE"),
        (
            &["--sym-env", "X=1", "--sym-env", "X=2"],
            "--sym-env X=2: there is a variable X already",
        ),
        (
            &["--entry", "f", "--sym-arg", "1"],
            "f is no main of a whole program: its parameters are its input, and no --sym-… goes with it",
        ),
    ];
    for (words, expected) in cases {
        let all = [&["run", "--out", "out"], *words, &["prog.c"]].concat();
        let (text, status) = said(&scene.refrain(&all));
        assert_eq!(
            (text, status),
            (format!("refrain: {expected}\n"), 2),
            "{words:?}"
        );
        assert!(!scene.path("out").exists(), "{words:?}");
    }
    let posix: &[(&[&str], &str)] = &[
        (
            &["--sym-args", "0", "1"],
            "--sym-args needs 3 numbers behind it",
        ),
        (&["-sym-arg"], "-sym-arg needs 1 numbers behind it"),
        (
            &["--sym-files", "1", "z"],
            "--sym-files: \"z\" is no number",
        ),
    ];
    for (words, expected) in posix {
        let all = [&["run", "--posix-runtime", "prog.c"], *words].concat();
        let (text, status) = said(&scene.refrain(&all));
        assert_eq!(
            (text, status),
            (format!("refrain: {expected}\n"), 2),
            "{words:?}"
        );
    }
}

#[test]
fn replays_that_cannot_be() {
    let scene = Scene::new(&format!("{OPTIONS}\nint f(int x) {{ return x; }}\n"));
    scene.explore("function", &["--entry", "f", "prog.c"]);
    let (text, status) = said(&scene.refrain(&["replay", "function", "--binary", "prog.c"]));
    let expected = "refrain: --binary: the run is of the function f, and not of a whole program\n";
    assert_eq!((text.as_str(), status), (expected, 2));
    scene.explore("main", &["--sym-arg", "1", "prog.c"]);
    let (text, status) = said(&scene.refrain(&["replay", "main", "--binary", "nowhere"]));
    assert_eq!(status, 2, "{text}");
    assert!(text.starts_with("refrain: cannot run nowhere: "), "{text}");
    let (text, status) = said(&scene.refrain(&["emit", "function", "--as", "sh"]));
    assert_eq!(status, 2, "{text}");
    assert!(
        text.contains("--as c and --as rust write tests of functions"),
        "{text}"
    );
}

/// The project's file has the same switches.
#[test]
fn a_project_can_say_it() {
    let scene = Scene::new(OPTIONS);
    for (toml, count) in [
        ("sym-args = [0, 1, 2]", 1),
        ("sym-args = \"0 1 2\"\nsym-env = \"X=1\"", 1),
        ("sym-args = [[0, 1, 2], [1, 1, 1]]", 2),
        ("sym-arg = [1, 2, 3]\nsym-files = [1, \"0..2\"]", 3),
    ] {
        std::fs::write(scene.path("refrain.toml"), format!("[run]\n{toml}\n")).expect("a file");
        let out = format!("out{}", toml.len());
        scene.explore(&out, &["prog.c"]);
        let world = scene.run_of(&out).world;
        assert_eq!(world.args.len(), 1 + count, "{toml}: {world:?}");
    }
}
