//! Tests run again: in the machine, natively, and on the unmodified program.

use crate::programs::{FILES, MISTAKES, OPTIONS, READER};
use crate::scene::{Scene, said};

#[test]
fn every_test_is_the_same_everywhere() {
    for (program, world) in [
        (OPTIONS, &["--sym-args", "0", "2", "2"][..]),
        (READER, &["--sym-stdin", "0..2"]),
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
        let tests = scene.tests("out").len();
        let same = format!("{tests} tests: {tests} the same, 0 differ\n");
        let (text, status) = said(&scene.refrain(&["replay", "out"]));
        assert_eq!((text.as_str(), status), (same.as_str(), 0));
        scene.compile(&["-O2"]);
        let (text, status) = said(&scene.refrain(&["replay", "out", "--binary", "prog"]));
        assert_eq!((text.as_str(), status), (same.as_str(), 0));
    }
}

#[test]
fn another_program_differs() {
    let scene = Scene::new(OPTIONS);
    scene.explore("out", &["--sym-args", "0", "1", "2", "prog.c"]);
    let other = OPTIONS
        .replace("else return 2", "else return 3")
        .replace("%d words", "%d Words");
    std::fs::write(scene.path("prog.c"), other).expect("a file");
    scene.compile(&[]);
    let (text, status) = said(&scene.refrain(&["replay", "out", "--binary", "./prog"]));
    assert_eq!(status, 1, "{text}");
    assert!(
        text.contains("differs: exits with 3 instead of with 2"),
        "{text}"
    );
    assert!(text.contains("standard output differs after"), "{text}");
    let tests = scene.tests("out").len();
    assert!(
        text.contains(&format!("{tests} tests: 0 the same, {tests} differ\n")),
        "{text}"
    );
}

#[test]
fn errors_are_signals() {
    let scene = Scene::new(MISTAKES);
    let found = scene.explore("out", &["--sym-args", "0", "1", "2", "prog.c"]);
    assert!(found.contains("    ./prog a < /dev/null\n"), "{found}");
    scene.compile(&["-O0"]);
    let binary = ["replay", "out", "--binary", "prog"];
    let (text, status) = said(&scene.refrain(&binary));
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("cannot be checked natively: out-of-bounds read"),
        "{text}"
    );
    // With a sanitizer it shows.
    scene.compile(&["-g", "-fsanitize=address"]);
    let (text, status) = said(&scene.refrain(&binary));
    let tests = scene.tests("out").len();
    let same = format!("{tests} tests: {tests} the same, 0 differ\n");
    assert_eq!((text.as_str(), status), (same.as_str(), 0));
    let (text, status) = said(&scene.refrain(&["replay", "out"]));
    assert_eq!((text.as_str(), status), (same.as_str(), 0));
    // A program that was mended.
    let mended = MISTAKES
        .replace("abort()", "return 0")
        .replace("*(volatile int *)0", "0");
    std::fs::write(scene.path("prog.c"), mended).expect("a file");
    scene.compile(&[]);
    let (text, status) = said(&scene.refrain(&binary));
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("exits with 0 instead of: abort"), "{text}");
    assert!(
        text.contains("exits with 0 instead of: null dereference"),
        "{text}"
    );
}

/// A program's own objects, called as parts of the world are.
#[test]
fn objects_of_the_same_name_are_others() {
    let text = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
    char x, y;
    klee_make_symbolic(&x, 1, "stdin");
    klee_make_symbolic(&y, 1, "arg00");
    int c = getchar();
    puts(x == 'p' ? "p" : "-");
    puts(y == 'q' ? "q" : "-");
    puts(c == 'r' ? "r" : "-");
    return 0;
}"#;
    let scene = Scene::new(text);
    scene.explore("out", &["--sym-stdin", "1", "--sym-arg", "1", "prog.c"]);
    assert_eq!(scene.behaviours("out").len(), 8);
    let (text, status) = said(&scene.refrain(&["replay", "out"]));
    assert_eq!(status, 0, "{text}");
    let (text, _) = said(&scene.refrain(&["show", "out", "--test", "1"]));
    assert!(!text.contains("command:"), "{text}");
}

#[test]
fn a_test_changes_nothing_on_the_host_unless_it_may() {
    let scene = Scene::new("");
    scene.write("kept", "text");
    let kept = scene.path("kept");
    let text = format!(
        "#include <unistd.h>\nint main(int argc, char **argv) {{\n\
         return argv[1][0] == 'r' && unlink({kept:?}) != 0;\n}}\n"
    );
    scene.write("prog.c", text);
    scene.explore("out", &["--sym-arg", "1", "prog.c"]);
    scene.compile(&[]);
    let confined = ["replay", "out", "--binary", "prog"];
    let (text, status) = said(&scene.refrain(&confined));
    assert_eq!(status, 0, "{text}");
    assert!(kept.exists());
    let unconfined = ["replay", "out", "--binary", "prog", "--unconfined"];
    let (text, status) = said(&scene.refrain(&unconfined));
    assert_eq!(status, 0, "{text}");
    assert!(!kept.exists());
}

/// The end of a name may be a symbolic byte that can only be zero: the last one of a copy that is just large enough. One
/// that has no end is read beyond it.
#[test]
fn copies_of_names_have_an_end() {
    let program = |room: &str| {
        format!(
            "#include <fcntl.h>\n#include <stdlib.h>\n#include <string.h>\n
            int main(int argc, char **argv) {{
                size_t len = strlen(argv[1]);
                char *name = memcpy(malloc({room}), argv[1], {room});
                return open(name, O_RDONLY) < 0 ? 1 : 0;
            }}\n"
        )
    };
    let world = ["--sym-arg", "2", "--sym-files", "1", "1", "prog.c"];
    let scene = Scene::new(&program("len + 1"));
    let said = scene.explore("out", &world);
    assert!(said.contains("errors: none found"), "{said}");
    let statuses: Vec<i32> = scene.behaviours("out").iter().map(|seen| seen.0).collect();
    assert_eq!(statuses, [0, 1]);
    scene.compile(&[]);
    let replayed = scene.refrain(&["replay", "out", "--binary", "./prog"]);
    assert_eq!(replayed.status.code(), Some(0), "{replayed:?}");
    let said = Scene::new(&program("len")).explore("out", &world);
    assert!(said.contains("out-of-bounds read"), "{said}");
}

/// A path that writes for ever ends, and the others are explored.
#[test]
fn endless_output_ends_its_path() {
    let scene = Scene::new(
        "#include <unistd.h>\nstatic char text[65536];
        int main(int argc, char **argv) {
            if (argv[1][0] == 'y') for (;;) write(1, text, sizeof text);
            return 0;
        }\n",
    );
    let said = scene.explore("out", &["--sym-arg", "1", "prog.c"]);
    assert!(said.contains("1 path: more than 4 MiB of output"), "{said}");
    assert!(said.contains("1 ended, 1 not finished"), "{said}");
}
