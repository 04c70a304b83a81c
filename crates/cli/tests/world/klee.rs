//! What users of KLEE bring along: its spelling, and its files.

use std::collections::BTreeSet;

use refrain_machine::{InputValue, Role};
use refrain_results::KTest;

use crate::programs::{OPTIONS, READER};
use crate::scene::{Scene, said};

fn worlds(scene: &Scene, out: &str) -> BTreeSet<Vec<Vec<u8>>> {
    { scene.tests(out).into_iter() }
        .map(|test| test.args)
        .collect()
}

#[test]
fn arguments_stand_where_they_are_written() {
    let scene = Scene::new(OPTIONS);
    scene.explore(
        "own",
        &["--sym-args", "0", "1", "2", "prog.c", "-l", "@sym:1"],
    );
    let klee = [
        "--posix-runtime",
        "prog.c",
        "--sym-args",
        "0",
        "1",
        "2",
        "-l",
        "-sym-arg",
        "1",
    ];
    scene.explore("klee", &klee);
    assert_eq!(scene.run_of("own").world, scene.run_of("klee").world);
    assert_eq!(worlds(&scene, "own"), worlds(&scene, "klee"));
    // In another order they are other worlds.
    let behind = [
        "--posix-runtime",
        "prog.c",
        "-l",
        "--sym-args",
        "0",
        "1",
        "2",
        "--sym-arg",
        "1",
    ];
    scene.explore("behind", &behind);
    assert!(worlds(&scene, "behind").iter().all(|args| args[1] == b"-l"));
    assert!(!worlds(&scene, "klee").iter().all(|args| args[1] == b"-l"));
    // The order of switches is that of the arguments, also when a run goes on.
    let ordered = [
        "--sym-arg",
        "1",
        "--sym-args",
        "1",
        "2",
        "2",
        "--sym-arg",
        "0",
        "prog.c",
    ];
    scene.explore("ordered", &[&["--max-paths", "1"][..], &ordered].concat());
    let world = scene.run_of("ordered").world;
    let (text, status) = said(&scene.refrain(&["resume", "ordered", "--max-paths", "none"]));
    assert_eq!(status, 0, "{text}");
    assert_eq!(scene.run_of("ordered").world, world);
    assert!(
        format!("{:?}", world.args[2]).contains("Several"),
        "{world:?}"
    );
}

#[test]
fn its_spelling_without_the_switch_is_noticed() {
    let scene = Scene::new(OPTIONS);
    for (words, warns) in [
        (&["prog.c", "--sym-args", "0", "1", "2"][..], true),
        (&["prog.c", "-sym-stdin", "2"], true),
        (&["prog.c", "--sym"], false),
    ] {
        let ran = scene.refrain(&[&["run"], words].concat());
        let (text, status) = said(&ran);
        assert_eq!(status, 2, "{text}");
        assert_eq!(text.contains("give --posix-runtime"), warns, "{text}");
    }
}

/// KLEE's names, and its file as the first input that is followed.
#[test]
fn its_files_are_read_and_written() {
    let scene = Scene::new(READER);
    scene.explore(
        "out",
        &["--sym-stdin", "2", "--sym-args", "1", "2", "3", "prog.c"],
    );
    let written = scene.refrain(&["show", "--ktest", "out", "--out", "ktests"]);
    assert!(written.status.success(), "{written:?}");
    for test in scene.tests("out") {
        let path = scene.path("ktests").join(format!("{}.ktest", test.name()));
        let ktest = KTest::decode(&std::fs::read(path).expect("a file")).expect("a test");
        let names: Vec<&str> = ktest
            .objects
            .iter()
            .map(|input| input.name.as_str())
            .collect();
        assert_eq!(names[..3], ["n_args", "stdin", "arg00"], "{names:?}");
        let plain: Vec<(&str, &[u8])> = { test.inputs.iter() }
            .map(|input| (input.name.as_str(), &input.bytes[..]))
            .collect();
        let read: Vec<(&str, &[u8])> = { ktest.objects.iter() }
            .map(|input| (input.name.as_str(), &input.bytes[..]))
            .collect();
        assert_eq!(plain, read);
        assert!(test.inputs.iter().all(|input| input.role != Role::Object));
    }
    let seed = KTest {
        args: ["prog", "--sym-stdin", "2"].map(Vec::from).into(),
        objects: vec![
            InputValue::object("n_args", 2u32.to_le_bytes()),
            InputValue::object("arg00", *b"yes\0"),
            InputValue::object("arg01", *b"no\0\0"),
            InputValue::object("stdin", *b"#!"),
            InputValue::object("model_version", 1u32.to_le_bytes()),
        ],
        ..KTest::default()
    };
    std::fs::write(scene.path("seed.ktest"), seed.encode()).expect("a file");
    let words = [
        "--input",
        "seed.ktest",
        "--mode",
        "concolic",
        "--max-paths",
        "1",
        "--sym-stdin",
        "2",
        "--sym-args",
        "1",
        "2",
        "3",
        "prog.c",
    ];
    scene.explore("seeded", &words);
    let tests = scene.tests("seeded");
    assert_eq!(tests[0].stdout, b"script\n");
    assert_eq!(tests[0].args, ["prog.c", "yes", "no"].map(Vec::from));
}
