//! Runs that are killed: what was on disk is not explored again, and in the end nothing is missing.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use refrain_memo::{Below, Reading, Tree};
use refrain_results::OutputDirectory;
use refrain_testing::{Random, count};

use crate::common::REFRAIN;
use crate::results::{Results, json, replays};

const PROGRAM: &str = r#"
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
  unsigned char text[8];
  klee_make_symbolic(text, sizeof text, "text");
  unsigned sum = 0;
  for (int i = 0; i < 8; i++) {
    if (text[i] < 'a') sum += text[i];
    else if (text[i] > 'z') sum ^= 3 * text[i];
    else sum = sum * 31 + 7;
  }
  return sum == 1234;
}
"#;

/// Lets a command run for a while, and kills it. Whether it had come to its end.
fn runs_for(arguments: &[&str], time: Duration) -> bool {
    let mut child = Command::new(REFRAIN)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(matches!(status.code(), Some(0 | 1)), "{status}");
            return true;
        }
        if started.elapsed() >= time {
            child.kill().expect("it can be killed");
            child.wait().expect("a child");
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The paths on disk of which nothing is missing.
fn whole_paths(directory: &Path) -> u64 {
    let Ok(tree) = Tree::open(&directory.join("tree"), Reading::Lenient) else {
        return 0;
    };
    let tests = OutputDirectory::open(directory)
        .expect("a directory")
        .tests();
    let tests = tests.expect("a pack");
    let mut paths = 0;
    for edge in tree.every_edge() {
        if let Below::Leaf(leaf) = tree.below(edge) {
            paths += u64::from(leaf.test.is_none_or(|test| tests.has(test)));
        }
    }
    paths
}

#[test]
fn killed_again_and_again_it_finds_what_an_undisturbed_run_finds() {
    let folder = tempfile::tempdir().expect("a directory");
    let at = |name: &str| {
        folder
            .path()
            .join(name)
            .to_str()
            .expect("UTF-8")
            .to_string()
    };
    let (program, whole) = (at("prog.c"), at("whole"));
    fs::write(&program, PROGRAM).expect("a file");
    let started = Instant::now();
    let run = ["run", "-q", "--tests=all", "--out"];
    let arguments = [&run[..], &[&whole, &program]].concat();
    assert!(runs_for(&arguments, Duration::from_secs(600)));
    let most = started.elapsed();
    let expected = Results::of(Path::new(&whole));
    let kills = count("REFRAIN_KILLS", 8, 200);
    let mut random = Random::new(17);
    let (mut killed, mut round) = (0, 0);
    while killed < kills {
        round += 1;
        let out = at(&format!("killed-{round}"));
        let directory = Path::new(&out);
        // More and more with each attempt: one that is killed before it has begun brings the next no further.
        let time = |random: &mut Random, attempt: u32| {
            let share = f64::from(attempt * random.below(1_000u32)) / 2_000.0;
            most.mul_f64(share)
        };
        let jobs = format!("--jobs={}", 1 + random.below(2u32));
        let arguments = [&run[..], &[&out, &jobs, &program]].concat();
        if runs_for(&arguments, time(&mut random, 1)) {
            continue;
        }
        killed += 1;
        if !directory.join("run.json").exists() || !directory.join("tree/header").exists() {
            // It had not begun.
            continue;
        }
        for attempt in 1.. {
            let known = whole_paths(directory);
            let arguments = ["resume", "-q", &out];
            if !runs_for(&arguments, time(&mut random, attempt)) {
                killed += 1;
                continue;
            }
            let kept = json(directory, "stats.json")["memo"]["paths_kept"].as_u64();
            assert_eq!(kept, Some(known), "round {round}: what is on disk is known");
            break;
        }
        assert_eq!(Results::of(directory), expected, "round {round}");
        if round % 10 == 1 {
            replays(directory).expect("killed and resumed");
        }
        fs::remove_dir_all(directory).expect("it is there");
    }
}
