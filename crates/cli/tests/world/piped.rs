//! Standard input that is given to the command is the program's, also when it is explored.

use crate::scene::{Scene, said};

const PROGRAM: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    if (argv[1][0] == 'x') { puts("unread"); return 3; }
    int lines = 0, c;
    if (argv[1][0] == '-') getchar();
    while ((c = getchar()) != EOF) lines += c == '\n';
    printf("%d lines\n", lines);
    return 0;
}
"#;

#[test]
fn every_path_reads_the_same() {
    let scene = Scene::new(PROGRAM);
    let words = [
        "run",
        "--tests",
        "all",
        "--out",
        "out",
        "--jobs",
        "2",
        "--sym-arg",
        "1",
        "prog.c",
    ];
    let (text, status) = said(&scene.refrain_reading(&words, b"\n\none\n"));
    assert_eq!(status, 0, "{text}");
    let behaviours: Vec<(i32, Vec<u8>)> = scene.behaviours("out").into_iter().collect();
    let expected: [(i32, &[u8]); 3] = [(0, b"2 lines\n"), (0, b"3 lines\n"), (3, b"unread\n")];
    assert_eq!(
        behaviours,
        expected.map(|(status, text)| (status, text.to_vec()))
    );
    // Whoever has the results has what was read.
    scene.compile(&[]);
    let same = "3 tests: 3 the same, 0 differ\n";
    for words in [
        &["replay", "out"][..],
        &["replay", "out", "--binary", "prog"],
    ] {
        assert_eq!(said(&scene.refrain(words)), (same.into(), 0));
    }
    let (text, status) = said(&scene.refrain(&["certify", "out"]));
    assert_eq!(status, 0, "{text}");
    let (text, _) = said(&scene.refrain(&["show", "out"]));
    assert!(
        text.contains("command: printf '\\n\\none\\n' | ./prog -\n"),
        "{text}"
    );
}

#[test]
fn a_run_that_goes_on_has_it() {
    let scene = Scene::new(PROGRAM);
    let words = [
        "run",
        "--tests",
        "all",
        "--out",
        "out",
        "--max-paths",
        "1",
        "--search",
        "dfs",
        "--sym-arg",
        "1",
        "prog.c",
    ];
    scene.refrain_reading(&words, b"\n\n\n");
    // Another input then is not looked at.
    let resume = ["resume", "out", "--max-paths", "none"];
    let (text, status) = said(&scene.refrain_reading(&resume, b"other\n"));
    assert_eq!(status, 0, "{text}");
    let behaviours = scene.behaviours("out");
    assert_eq!(behaviours.len(), 3, "{behaviours:?}");
    assert!(
        behaviours.contains(&(0, b"3 lines\n".to_vec())),
        "{behaviours:?}"
    );
    assert!(
        behaviours.contains(&(0, b"2 lines\n".to_vec())),
        "{behaviours:?}"
    );
    let (text, status) = said(&scene.refrain(&["diff", "out", "prog.c", "--out", "after"]));
    assert_eq!(status, 0, "{text}");
    assert_eq!(scene.behaviours("after"), behaviours);
}

/// Nobody waits for what no path reads.
#[test]
fn what_is_not_read_is_not_waited_for() {
    use std::process::{Command, Stdio};
    let scene = Scene::new(
        "#include <klee/klee.h>\nint main(void) { char c; klee_make_symbolic(&c, 1, \"c\"); return c == 'x'; }\n",
    );
    let mut child = Command::new(crate::common::REFRAIN)
        .args(["run", "prog.c"])
        .current_dir(scene.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    // The pipe stays open.
    let stdin = child.stdin.take();
    assert!(child.wait().expect("it ends").success());
    drop(stdin);
}
