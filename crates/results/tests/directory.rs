//! Output directories: what is refused, what is found again, and what is left when a process is killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use refrain_results::{
    Input, KTest, Method, OutputDirectory, OutputError, Parameter, ReadError, Run, Test, TestWriter,
};

fn test(number: u32) -> Test {
    Test {
        number,
        inputs: vec![Input {
            name: "x".into(),
            bytes: number.to_le_bytes().repeat(1 + number as usize % 3000),
        }],
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
    let found = directory.tests().expect("a folder");
    assert_eq!(found.len(), 60);
    for (path, number) in found.iter().zip(1..) {
        let read = Test::read(path).expect("a test");
        assert_eq!(read, test(number));
        let bytes = fs::read(path.with_extension("ktest")).expect("beside it");
        let inputs = KTest::decode(&bytes).expect("a test").objects;
        assert_eq!(inputs, test(number).inputs);
    }
}

#[test]
fn a_lost_directory_is_one_error() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(&base.path().join("out")).expect("a new one");
    let writer = directory.test_writer().expect("a writer");
    assert!(writer.write(test(1)));
    fs::remove_dir_all(directory.path()).ok();
    // Once more: the writer may have put a test there while it was being removed.
    while directory.path().exists() {
        fs::remove_dir_all(directory.path()).ok();
    }
    while writer.write(test(2)) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(writer.has_failed());
    assert!(matches!(writer.finish(), Err(OutputError::Write { .. })));
}

/// More than the queue holds: whoever brings tests waits, and nothing is lost.
#[test]
fn large_tests_wait_for_room() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let writer = TestWriter::with_method(base.path(), Method::Rename).expect("a writer");
    for number in 1..=4 {
        let large = Test {
            number,
            stdout: vec![b'x'; 30 << 20],
            ..Test::default()
        };
        assert!(writer.write(large));
    }
    writer.finish().expect("all can be written");
    assert_eq!(fs::read_dir(base.path()).expect("a folder").count(), 8);
}

const CHILD: &str = "REFRAIN_TEST_KILLED_IN";

/// Not a test by itself: what the next one kills.
#[test]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let method = match std::env::var("REFRAIN_TEST_METHOD").as_deref() {
        Ok("rename") => Method::Rename,
        _ => Method::Link,
    };
    let writer = TestWriter::with_method(Path::new(&path), method).expect("a writer");
    for number in 1.. {
        assert!(writer.write(test(number)));
    }
}

#[test]
fn a_killed_process_leaves_only_whole_files() {
    let mut seen = 0;
    for round in 0..24_u64 {
        let base = tempfile::tempdir().expect("a temporary folder");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["writes_until_it_is_killed", "--exact"])
            .env(CHILD, base.path())
            .env(
                "REFRAIN_TEST_METHOD",
                ["link", "rename"][round as usize % 2],
            )
            .stdout(Stdio::null())
            .spawn()
            .expect("this program starts");
        let is_empty = || {
            fs::read_dir(base.path())
                .expect("a folder")
                .next()
                .is_none()
        };
        while is_empty() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(round * 977 % 7000));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        for entry in fs::read_dir(base.path()).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .to_string();
            if name.starts_with('.') {
                continue;
            }
            let number: u32 = name[4..10].parse().expect("a number");
            let bytes = fs::read(&path).expect("a file");
            let expected = if name.ends_with(".json") {
                assert!(path.with_extension("ktest").exists(), "{name} is alone");
                test(number).to_json().into_bytes()
            } else {
                test(number).to_ktest()
            };
            assert!(bytes == expected, "{name} is not whole");
            seen += 1;
        }
    }
    assert!(seen > 100, "only {seen} files were written at all");
}
