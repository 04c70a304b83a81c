//! Output directories: what is refused, and what is found again.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use refrain_machine::{InputValue, Parameter};
use refrain_results::{OutputDirectory, OutputError, ReadError, Run, Test};

fn test(number: u32) -> Test {
    Test {
        number,
        inputs: vec![InputValue::object("x", number.to_le_bytes())],
        ..Test::default()
    }
}

#[test]
fn a_directory_must_be_new_or_empty() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let new = base.path().join("a/b");
    let first = OutputDirectory::create(&new).expect("a new one");
    OutputDirectory::create(&new).expect("an empty one");
    assert!(matches!(
        OutputDirectory::open(&new),
        Err(ReadError::NoRun { .. })
    ));
    first.write_run(&Run::default()).expect("it can be written");
    assert!(matches!(
        OutputDirectory::create(&new),
        Err(OutputError::EarlierRun { .. })
    ));
    let used = base.path().join("used");
    fs::create_dir(&used).expect("a folder");
    fs::write(used.join("precious"), "").expect("a file");
    assert!(matches!(
        OutputDirectory::create(&used),
        Err(OutputError::NotEmpty { .. })
    ));
    assert!(matches!(
        OutputDirectory::create(&used.join("precious")),
        Err(OutputError::NoDirectory { .. })
    ));
    assert!(matches!(
        OutputDirectory::create(&used.join("precious/below")),
        Err(OutputError::Create { .. })
    ));
}

#[test]
fn directories_are_numbered_and_the_last_one_is_linked() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for number in 1..4 {
        let made = OutputDirectory::create_next(base.path()).expect("a new one");
        assert_eq!(made.note(), None);
        let expected = PathBuf::from(format!("refrain-out/{number}"));
        assert_eq!(made.path(), base.path().join(&expected));
        let link = fs::read_link(base.path().join("refrain-last")).expect("a link");
        assert_eq!(link, expected);
    }
    // Many at once: all different.
    let mut made = BTreeSet::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| OutputDirectory::create_next(base.path())))
            .collect();
        for thread in threads {
            let one = thread.join().expect("no panic").expect("a new one");
            made.insert(one.path().to_path_buf());
        }
    });
    assert_eq!(made.len(), 8);
    // What is no link is left alone.
    fs::remove_file(base.path().join("refrain-last")).expect("it is there");
    fs::write(base.path().join("refrain-last"), "mine").expect("a file");
    let made = OutputDirectory::create_next(base.path()).expect("a new one");
    assert!(made.note().is_some());
    let left = fs::read(base.path().join("refrain-last")).expect("a file");
    assert_eq!(left, b"mine");
    let names = fs::read_dir(base.path()).expect("a folder").count();
    assert_eq!(names, 2);
}

#[test]
fn everything_reads_back() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(&base.path().join("out")).expect("a new one");
    let run = Run {
        program: "/x/p.c".into(),
        args: vec!["p.c".into()],
        entry: "f".into(),
        parameters: vec![Parameter {
            name: "n".into(),
            bits: 32,
            ..Parameter::default()
        }],
        seed: u64::MAX,
        ..Run::default()
    };
    directory.write_run(&run).expect("it can be written");
    assert_eq!(directory.read_run().expect("it is there"), run);
    let mut timeline = directory.timeline(&["seconds", "paths"]).expect("a file");
    timeline.append(&[&0.5, &3]).expect("it can be written");
    let table = fs::read_to_string(directory.path().join("timeline.csv")).expect("a file");
    assert_eq!(table, "seconds,paths\n0.5,3\n");
    directory
        .write_error(2, "error: trap\n")
        .expect("it can be written");
    let report = fs::read_to_string(directory.path().join("errors/000002.txt")).expect("a file");
    assert_eq!(report, "error: trap\n");
    let writer = directory.test_writer().expect("a writer");
    let handles: Vec<_> = (0..3).map(|_| writer.handle()).collect();
    std::thread::scope(|scope| {
        for (index, handle) in handles.iter().enumerate() {
            scope.spawn(move || {
                for number in 0..20 {
                    assert!(handle.write(test(1 + index as u32 + 3 * number)));
                }
            });
        }
    });
    writer.finish().expect("all can be written");
    let found = directory.tests().expect("tests");
    assert_eq!(found.numbers(), (1..=60).collect::<Vec<u32>>());
    for number in found.numbers() {
        assert_eq!(found.read(number).expect("a test"), test(number));
    }
    assert_eq!((found.torn_tail(), found.damage()), (None, Vec::new()));
    assert!(matches!(
        found.read(61),
        Err(ReadError::NoTest { number: 61, .. })
    ));
}

/// As `refrain run --input` and `refrain show` take it.
#[test]
fn a_test_is_named_by_a_file_or_by_directory_and_number() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(&base.path().join("o:1")).expect("a new one");
    directory
        .write_run(&Run::default())
        .expect("it can be written");
    let writer = directory.test_writer().expect("a writer");
    assert!(writer.write(test(7)));
    writer.finish().expect("it can be written");
    let read = |name: &str| Test::read(&base.path().join(name));
    assert_eq!(read("o:1:7").expect("a test"), test(7));
    assert!(matches!(read("o:1:8"), Err(ReadError::NoTest { .. })));
    assert!(matches!(read("o:1:x"), Err(ReadError::Read { .. })));
    assert!(matches!(read("p:7"), Err(ReadError::Read { .. })));
    fs::write(base.path().join("a.json"), test(3).to_json()).expect("a file");
    assert_eq!(read("a.json").expect("a test"), test(3));
    fs::write(base.path().join("a.ktest"), test(3).to_ktest()).expect("a file");
    assert_eq!(read("a.ktest").expect("a test").inputs, test(3).inputs);
    fs::write(base.path().join("b:5"), "").expect("a file");
    assert!(matches!(read("b:5"), Err(ReadError::Format { .. })));
}

#[test]
fn what_is_written_at_the_end_needs_its_directory() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(&base.path().join("out")).expect("a new one");
    fs::remove_dir(directory.path()).expect("it is there");
    let written = directory.write_stats(&serde_json::Value::Null);
    assert!(matches!(written, Err(OutputError::Write { .. })));
    assert!(matches!(
        directory.test_writer().map(drop),
        Err(OutputError::Write { .. })
    ));
}
