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

/// All terms are forgotten again and again.
#[test]
fn little_memory_invents_no_path() {
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
    scene.explore("little", &with(&["--max-memory", "30MB", "--jobs", "2"]));
    let (whole, little) = (scene.behaviours("whole"), scene.behaviours("little"));
    assert!(little.is_subset(&whole));
}
