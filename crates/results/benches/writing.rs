//! What tests cost: the thread that explores, and until all are on disk, for both ways of writing whole files.
//!
//! `cargo bench -p refrain-results [-- DIRECTORY]`

use std::path::PathBuf;
use std::time::{Duration, Instant};

use refrain_results::{Input, Method, Outcome, Test, TestWriter};

const TESTS: u32 = 7438;
const ROUNDS: usize = 3;

fn test(number: u32) -> Test {
    let input = |name: &str, len: usize| Input {
        name: name.into(),
        bytes: (0..len)
            .map(|index| (number as usize * 31 + index * 7) as u8)
            .collect(),
    };
    Test {
        number,
        inputs: vec![input("x", 4), input("buffer", 32), input("klee_choose", 8)],
        args: vec![b"program.c".to_vec()],
        outcome: Outcome::Exit { status: 0 },
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
    // Removed at the end only: ext4 is slow to create files for some seconds after many were deleted.
    let mut folders = Vec::new();
    for method in [Method::Link, Method::LinkThroughProc, Method::Rename] {
        let mut best: Option<(Duration, Duration)> = None;
        for _ in 0..ROUNDS {
            let folder = tempfile::tempdir_in(&base).expect("a temporary folder");
            let tests: Vec<Test> = (1..=TESTS).map(test).collect();
            let started = Instant::now();
            let writer = TestWriter::with_method(folder.path(), method).expect("a writer");
            for test in tests {
                assert!(writer.write(test), "tests can be written");
            }
            let handed_over = started.elapsed();
            writer.finish().expect("tests can be written");
            let times = (started.elapsed(), handed_over);
            best = Some(best.map_or(times, |best| best.min(times)));
            folders.push(folder);
        }
        if let Some((all, handed_over)) = best {
            println!(
                "{method:?}: {:.1} ms to hand over, {:.1} ms until all are there ({:.1} us a test)",
                handed_over.as_secs_f64() * 1e3,
                all.as_secs_f64() * 1e3,
                all.as_secs_f64() * 1e6 / f64::from(TESTS)
            );
        }
    }
}
