//! Runs with a symbolic world that go on from others.

use crate::programs::{FILES, OPTIONS};
use crate::scene::{Scene, said};

const WORLD: [&str; 6] = [
    "--sym-arg",
    "1",
    "--sym-file",
    "A=0..2",
    "--sym-env",
    "MODE=1",
];

#[test]
fn resumed_runs_end_like_one() {
    let scene = Scene::new(FILES);
    let with = |more: &[&'static str]| -> Vec<&str> {
        WORLD
            .iter()
            .chain(more)
            .copied()
            .chain(["prog.c"])
            .collect()
    };
    scene.explore("whole", &with(&[]));
    scene.explore("parts", &with(&["--max-paths", "3"]));
    assert!(scene.tests("parts").len() < scene.tests("whole").len());
    for _ in 0..2 {
        let (text, status) = said(&scene.refrain(&["resume", "parts", "--max-paths", "none"]));
        assert_eq!(status, 0, "{text}");
    }
    assert_eq!(scene.behaviours("parts"), scene.behaviours("whole"));
    assert_eq!(scene.tests("parts").len(), scene.tests("whole").len());
    for out in ["whole", "parts"] {
        let (text, status) = said(&scene.refrain(&["certify", out, "--recheck"]));
        assert_eq!(status, 0, "{text}");
    }
    assert_eq!(scene.run_of("whole").world, scene.run_of("parts").world);
}

#[test]
fn versions_are_compared() {
    let scene = Scene::new(OPTIONS);
    scene.explore(
        "before",
        &["--sym-args", "0", "2", "2", "prog.c", "-x@sym:1"],
    );
    let edited = OPTIONS.replace("words++", "words += 2");
    std::fs::write(scene.path("edited.c"), edited).expect("a file");
    let (text, status) = said(&scene.refrain(&["diff", "before", "edited.c", "--out", "after"]));
    assert_eq!(status, 0, "{text}");
    scene.explore(
        "anew",
        &["--sym-args", "0", "2", "2", "edited.c", "-x@sym:1"],
    );
    assert_eq!(scene.behaviours("after"), scene.behaviours("anew"));
    let (text, status) = said(&scene.refrain(&["certify", "after"]));
    assert_eq!(status, 0, "{text}");
}

/// A program that needs memory: it writes much, and differently on each path.
const HEAVY: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
char ballast[6][200000];
int main(int argc, char **argv) {
    char *mode = getenv("MODE");
    int file = open(argv[1], O_RDWR);
    if (file < 0) { puts("no file"); return 1; }
    unsigned char text[2] = {0};
    int size = read(file, text, 2), bits = 0;
    for (int i = 0; i < 6; i++)
        if (i / 3 < size && text[i / 3] >> i % 3 & 1) {
            bits |= 1 << i;
            memset(ballast[i], bits, sizeof ballast[i]);
            if (write(file, ballast[i], 5) != 5) return 7;
        }
    printf("%d %d %d %ld\n", size, bits, mode && mode[0] == 'v', (long)lseek(file, 0, SEEK_END));
    for (int i = 0; i < 6; i++) bits ^= ballast[i][bits];
    return bits;
}
"#;

/// States are evicted and all terms are forgotten, again and again. With less than that takes, paths are dropped, and
/// those that are left are some of the same.
#[test]
fn with_little_memory_the_same_paths_are_found() {
    let scene = Scene::new(HEAVY);
    let explored = |out: &str, more: &[&str]| {
        let words = [&WORLD, more, &["--search", "bfs", "prog.c"]].concat();
        scene.explore(out, &words);
        let stats = std::fs::read(scene.path(out).join("stats.json")).expect("statistics");
        let stats: serde_json::Value = serde_json::from_slice(&stats).expect("JSON");
        let count = |what: &str| stats["explore"][what].as_u64().expect("a count");
        ["dropped", "evicted", "restarts", "executed_again"].map(count)
    };
    assert_eq!(explored("whole", &[]), [0; 4]);
    let whole = scene.behaviours("whole");
    assert!(whole.len() > 1 + 8 + 64, "each size and each set of bits");
    let (mut were_dropped, mut has_restarted) = (false, false);
    for megabytes in (24..240).step_by(2) {
        let (out, limit) = (format!("{megabytes}"), format!("{megabytes}MB"));
        let [dropped, evicted, restarts, again] = explored(&out, &["--max-memory", &limit]);
        let found = scene.behaviours(&out);
        assert!(evicted > 0 && again > 0, "{limit} hinders");
        has_restarted |= restarts > 0;
        if dropped == 0 {
            assert_eq!(found, whole, "{limit}");
            assert_eq!(scene.tests(&out).len(), scene.tests("whole").len());
            assert!(
                were_dropped && has_restarted,
                "less than it takes was tried"
            );
            return;
        }
        assert!(!found.is_empty() && found.is_subset(&whole), "{limit}");
        assert!(scene.tests(&out).len() < scene.tests("whole").len());
        were_dropped = true;
    }
    panic!("there is a limit that lets all paths through");
}
