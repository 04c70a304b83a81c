//! The pack of tests: what is left of it when a process is killed, a disk is full, or bytes are wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use refrain_machine::InputValue;
use refrain_results::{OutputDirectory, PACK, ReadError, Test, TestPack};
use refrain_testing::Random;

fn test(number: u32) -> Test {
    Test {
        number,
        inputs: vec![InputValue::object(
            "x",
            number.to_le_bytes().repeat(1 + number as usize % 300),
        )],
        stdout: vec![b'x'; number as usize * 37 % 5000],
        ..Test::default()
    }
}

/// A pack with tests of these numbers.
fn pack(folder: &Path, numbers: impl IntoIterator<Item = u32>) -> PathBuf {
    let directory = OutputDirectory::create(folder).expect("an empty folder");
    let writer = directory.test_writer().expect("a writer");
    for number in numbers {
        assert!(writer.write(test(number)));
    }
    writer.finish().expect("all can be written");
    folder.join(PACK)
}

/// Where the entries of a whole pack end: from the frames alone.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at + 8..at + 16].try_into().expect("8 bytes");
        at += 32 + u64::from_le_bytes(len) as usize;
        ends.push(at);
    }
    ends
}

/// All tests that can be read are right; which they are.
#[track_caller]
fn whole_tests(path: &Path) -> Vec<u32> {
    let pack = TestPack::open(path).expect("it can be read");
    let mut whole = Vec::new();
    for number in pack.numbers() {
        match pack.read(number) {
            Ok(read) => {
                assert!(read == test(number), "test {number} is another one");
                whole.push(number);
            }
            Err(ReadError::Test { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    whole
}

#[test]
fn a_torn_tail_is_ignored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = pack(folder.path(), [3, 1, 2, 9]);
    let bytes = fs::read(&path).expect("a file");
    let ends = ends(&bytes);
    assert_eq!(ends.last(), Some(&bytes.len()));
    for len in (0..=bytes.len()).rev() {
        let file = fs::File::options().write(true).open(&path);
        file.and_then(|file| file.set_len(len as u64))
            .expect("a shorter file");
        let pack = TestPack::open(&path).expect("it can be read");
        let kept = ends.iter().filter(|&&end| end <= len).count();
        let mut numbers = [3, 1, 2, 9][..kept].to_vec();
        numbers.sort_unstable();
        assert_eq!(pack.numbers(), numbers, "{len}");
        let is_whole = len == 0 || ends.contains(&len);
        assert_eq!(pack.torn_tail().is_none(), is_whole, "{len}");
        assert_eq!(pack.damage(), Vec::<String>::new(), "{len}");
    }
}

#[test]
fn a_file_that_is_not_there_has_no_tests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pack = TestPack::open(&folder.path().join(PACK)).expect("no error");
    assert!(pack.is_empty() && pack.numbers().is_empty());
    assert!(matches!(pack.read(1), Err(ReadError::NoTest { .. })));
    assert!(TestPack::open(&folder.path().join("pack/below")).is_ok());
    assert!(matches!(
        TestPack::open(folder.path()),
        Err(ReadError::Read { .. })
    ));
}

/// Any single byte may be wrong: the test that it belongs to is lost, and no other.
#[test]
fn every_wrong_byte_costs_one_test_at_most() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = pack(folder.path(), 1..=3);
    let bytes = fs::read(&path).expect("a file");
    let ends = ends(&bytes);
    for at in 0..bytes.len() {
        let victim = ends.iter().filter(|&&end| end <= at).count() as u32 + 1;
        let others: Vec<u32> = (1..=3).filter(|&number| number != victim).collect();
        for change in [1, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            fs::write(&path, changed).expect("a file");
            assert_eq!(whole_tests(&path), others, "byte {at} ^ {change}");
            let pack = TestPack::open(&path).expect("it can be read");
            let is_told = !pack.damage().is_empty() || pack.read(victim).is_err();
            assert!(is_told, "byte {at} ^ {change}");
        }
    }
}

/// Parts that are overwritten, zeroed, missing, doubled or foreign: what lies outside of them is all there, and nothing
/// that is read is wrong.
#[test]
fn damage_of_any_kind_costs_what_it_touches() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Some entries are larger than what the reader looks at in one piece.
    let path = pack(folder.path(), 1..=120);
    let bytes = fs::read(&path).expect("a file");
    assert!(bytes.len() > 300_000);
    let ends = ends(&bytes);
    let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
    let mut random = Random::new(1);
    let (mut lost, mut kept) = (0, 0);
    for round in 0..400 {
        let from = random.below(bytes.len());
        let most = [1, 40, 3_000, 200_000][random.below(4)];
        let to = bytes.len().min(from + 1 + random.below(most));
        let noise: Vec<u8> = (0..to - from).map(|_| random.below(256) as u8).collect();
        let changed = match round % 5 {
            0 => [&bytes[..from], &noise, &bytes[to..]].concat(),
            1 => [&bytes[..from], &vec![0; to - from], &bytes[to..]].concat(),
            2 => [&bytes[..from], &bytes[to..]].concat(),
            3 => [&bytes[..to], &bytes[from..]].concat(),
            _ => [&bytes[..from], &noise, &bytes[from..]].concat(),
        };
        fs::write(&path, &changed).expect("a file");
        let whole = whole_tests(&path);
        for number in 1..=120 {
            let (start, end) = (starts[number as usize - 1], ends[number as usize - 1]);
            let is_untouched = match round % 5 {
                0..=2 => end <= from || start >= to,
                3 => end <= to || start >= from,
                _ => end <= from || start >= from,
            };
            if is_untouched {
                assert!(whole.contains(&number), "{round}: {number} is lost");
                kept += 1;
            }
            lost += u32::from(!whole.contains(&number));
        }
    }
    assert!(lost > 500 && kept > 10_000, "{lost} {kept}");
}

/// More than the queue holds: whoever brings tests waits, and nothing is lost.
#[test]
fn large_tests_wait_for_room() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(folder.path()).expect("an empty folder");
    let writer = directory.test_writer().expect("a writer");
    let large = |number| Test {
        number,
        stdout: vec![b'x'; 30 << 20],
        ..Test::default()
    };
    for number in 1..=4 {
        assert!(writer.write(large(number)));
    }
    writer.finish().expect("all can be written");
    let pack = directory.tests().expect("tests");
    assert_eq!(pack.numbers(), [1, 2, 3, 4]);
    assert!(pack.read(3).expect("a test") == large(3));
}

/// A run that goes on for long has its tests on disk soon, for any number of readers.
#[test]
fn tests_are_there_before_the_run_ends() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let directory = OutputDirectory::create(folder.path()).expect("an empty folder");
    let writer = directory.test_writer().expect("a writer");
    let deadline = Instant::now() + Duration::from_secs(60);
    for round in 1..=3 {
        for number in 100 * round - 99..=100 * round {
            assert!(writer.write(test(number)));
        }
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let whole = whole_tests(&folder.path().join(PACK));
                        assert!(Instant::now() < deadline, "{} tests", whole.len());
                        // What is there is the beginning of what was written.
                        assert_eq!(whole, (1..=whole.len() as u32).collect::<Vec<_>>());
                        if whole.len() as u32 == 100 * round {
                            break;
                        }
                    }
                });
            }
        });
    }
    drop(writer);
}

const CHILD: &str = "REFRAIN_TEST_WRITES_TO";

/// Not a test by itself: what the next ones end.
#[test]
fn writes_until_it_is_ended() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let directory = OutputDirectory::create(Path::new(&path)).expect("an empty folder");
    let writer = directory.test_writer().expect("a writer");
    let mut number = 1;
    while writer.write(test(number)) {
        number += 1;
    }
    assert!(writer.has_failed());
    eprintln!("{}", writer.finish().expect_err("it has failed"));
}

fn child(folder: &Path, shell: &str) -> Command {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{shell} exec \"$0\" \"$@\"")])
        .arg(program)
        .args(["writes_until_it_is_ended", "--exact", "--nocapture"])
        .env(CHILD, folder)
        .stdout(Stdio::null());
    command
}

#[test]
fn a_killed_process_leaves_whole_tests() {
    let (mut seen, mut torn) = (0, 0);
    for round in 0..24_u64 {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(PACK);
        let mut child = child(folder.path(), "").spawn().expect("it starts");
        while fs::metadata(&path).map_or(0, |data| data.len()) == 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(round * 977 % 7000));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let whole = whole_tests(&path);
        // All that were written, from the first one on.
        assert_eq!(whole, (1..=whole.len() as u32).collect::<Vec<_>>());
        let pack = TestPack::open(&path).expect("it can be read");
        assert_eq!(pack.damage(), Vec::<String>::new());
        assert_eq!(pack.numbers(), whole);
        seen += whole.len();
        torn += u32::from(pack.torn_tail().is_some());
    }
    assert!(seen > 1_000, "only {seen} tests were written at all");
    eprintln!("{seen} tests, {torn} torn tails");
}

/// A file that may not grow any more is what a full disk is: a clear error, and what was written stays.
#[test]
fn a_full_disk_keeps_what_was_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // 2 MB, in units of 512 bytes; without the signal, writing fails.
    let output = child(folder.path(), "trap '' XFSZ; ulimit -f 4096;")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let expected = format!("cannot write {}: ", folder.path().join(PACK).display());
    assert!(said.contains(&expected), "{said}");
    let path = folder.path().join(PACK);
    let whole = whole_tests(&path);
    assert!(whole.len() > 100, "{} tests", whole.len());
    assert_eq!(whole, (1..=whole.len() as u32).collect::<Vec<_>>());
    let pack = TestPack::open(&path).expect("it can be read");
    assert_eq!(pack.damage(), Vec::<String>::new());
}
