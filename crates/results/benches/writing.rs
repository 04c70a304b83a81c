//! What tests cost: the thread that explores, until all are on disk, and until all are read back.
//!
//! `cargo bench -p refrain-results [-- DIRECTORY]`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use refrain_machine::InputValue;
use refrain_results::{OutputDirectory, Test};

const TESTS: u32 = 7438;
const ROUNDS: usize = 5;

fn test(number: u32) -> Test {
    let input = |name: &str, len: usize| {
        let bytes = (0..len).map(|index| (number as usize * 31 + index * 7) as u8);
        InputValue::object(name, bytes.collect::<Vec<u8>>())
    };
    Test {
        number,
        inputs: vec![input("x", 4), input("buffer", 32), input("klee_choose", 8)],
        args: vec![b"program.c".to_vec()],
        stdout: b"the result is 42\n".repeat(3),
        instructions: 12_345,
        decisions: (0..60).map(|index| index % 2).collect(),
        ..Test::default()
    }
}

fn main() {
    let named = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let base = named.map_or_else(std::env::temp_dir, PathBuf::from);
    println!("{TESTS} tests in {}, best of {ROUNDS}", base.display());
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir_in(&base).expect("a temporary folder");
        let directory = OutputDirectory::create(folder.path()).expect("an empty folder");
        let tests: Vec<Test> = (1..=TESTS).map(test).collect();
        let started = Instant::now();
        let writer = directory.test_writer().expect("a writer");
        for test in tests {
            assert!(writer.write(test), "tests can be written");
        }
        let handed_over = started.elapsed();
        writer.finish().expect("tests can be written");
        let written = started.elapsed();
        let started = Instant::now();
        let pack = directory.tests().expect("tests");
        for number in pack.numbers() {
            pack.read(number).expect("a test");
        }
        for (best, time) in best
            .iter_mut()
            .zip([handed_over, written, started.elapsed()])
        {
            *best = (*best).min(time);
        }
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(TESTS);
    for (what, time) in ["to hand over", "until all are there", "to read back"]
        .iter()
        .zip(best)
    {
        println!(
            "{:.1} ms {what} ({:.1} us a test)",
            time.as_secs_f64() * 1e3,
            each(time)
        );
    }
}
