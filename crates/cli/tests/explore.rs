//! `refrain run` on programs with symbolic input: what it finds, writes and says, within limits, when it is killed,
//! and again.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::{REFRAIN, tests_in};
use refrain_results::PACK;
use refrain_testing::Mount;
use serde_json::Value;
use tempfile::TempDir;

/// The classic matcher, small enough to be explored in no time.
const MATCHER: &str = include_str!("explore/matcher.c");
const LADDER: &str = include_str!("explore/ladder.c");
const TABLES: &str = include_str!("explore/tables.c");
const MAZE: &str = include_str!("explore/maze.c");

struct Place {
    folder: TempDir,
}

impl Place {
    fn with(files: &[(&str, &str)]) -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, content) in files {
            fs::write(folder.path().join(name), content).expect("a file");
        }
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(REFRAIN);
        command
            .arg("run")
            .args(arguments)
            .current_dir(self.folder.path())
            .env("REFRAIN_STORE", "none")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("refrain runs")
    }

    /// Runs, with a test for every path unless it is said otherwise, and gives what was counted.
    fn explore(&self, out: &str, arguments: &[&str]) -> Value {
        let tests = match arguments.contains(&"--tests") {
            true => &[][..],
            false => &["--tests", "all"],
        };
        let found = self.run(&[&["--out", out], tests, arguments].concat());
        let said = String::from_utf8_lossy(&found.stderr).into_owned();
        // Nothing is shown where a limit cut every path.
        assert!(matches!(found.status.code(), Some(0 | 1 | 3)), "{said}");
        let stats = fs::read(self.path(out).join("stats.json")).expect("statistics");
        serde_json::from_slice(&stats).expect("JSON")
    }

    fn tests(&self, out: &str) -> Vec<Value> {
        tests_in(&self.path(out))
    }
}

/// The paths of a run: decisions and outcome.
fn paths(tests: &[Value]) -> BTreeSet<String> {
    let each = tests.iter();
    each.map(|test| format!("{} {}", test["decisions"], test["outcome"]["kind"]))
        .collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const FIGURE_2: &str = "
#include <klee/klee.h>
int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, \"x\");
  klee_make_symbolic(&y, sizeof y, \"y\");
  if (x + y >= 2) {
    if (2 * y - x >= 1)
    {
      if (2 * x - y >= 0)
        return 2;
      return 1;
    }
    return 3;
  }
  return 4;
}
";

/// An input x = 1, y = 3, as another tool would have written it.
fn seed() -> Vec<u8> {
    let mut bytes = b"KTEST".to_vec();
    let number = |value: u32| value.to_be_bytes().to_vec();
    bytes.extend([number(3), number(0), number(0), number(0), number(2)].concat());
    for (name, value) in [("x", 1u32), ("y", 3)] {
        bytes.extend(number(1));
        bytes.extend(name.as_bytes());
        bytes.extend(number(4));
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

#[test]
fn one_solver_call_explores_all_four_paths_of_the_multiplex_example() {
    let place = Place::with(&[("start.c", FIGURE_2)]);
    fs::write(place.path("seed.ktest"), seed()).unwrap();
    let with = [
        "--mode",
        "concolic",
        "--search",
        "dfs",
        "--input",
        "seed.ktest",
        // The example is about the solver: nothing else may find an input.
        "--without",
        "repair",
    ];
    let integers = ["--arithmetic", "integers", "start.c"];
    let counted = place.explore("a", &[&with[..], &integers].concat());
    assert_eq!(counted["paths"]["completed"], 4);
    assert_eq!(counted["solver"]["calls"], 1);
    let statuses: BTreeSet<i64> = place
        .tests("a")
        .iter()
        .filter_map(|test| test["outcome"]["status"].as_i64())
        .collect();
    assert_eq!(statuses, BTreeSet::from([1, 2, 3, 4]));
    assert_eq!(place.tests("a")[0]["inputs"][0]["number"], 1);
    // Without partial solutions, each of the other paths takes a call.
    let without = ["--without", "partial-solutions"];
    let counted = place.explore("b", &[&with[..], &without, &integers].concat());
    assert_eq!(counted["paths"]["completed"], 4);
    assert_eq!(counted["solver"]["calls"], 3);
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let place = Place::with(&[("matcher.c", MATCHER)]);
    for mode in ["fork", "concolic"] {
        let contents = |out: &str| -> Vec<u8> {
            let with = ["--mode", mode, "--seed", "7", "matcher.c"];
            place.explore(out, &with);
            assert!(place.tests(out).len() > 100);
            fs::read(place.path(out).join(PACK)).unwrap()
        };
        let (first, second) = (contents(&format!("{mode}1")), contents(&format!("{mode}2")));
        assert!(first == second, "{mode}: the tests differ");
    }
}

#[test]
fn several_workers_find_the_same_paths() {
    let place = Place::with(&[("matcher.c", MATCHER)]);
    place.explore("one", &["matcher.c"]);
    let one = paths(&place.tests("one"));
    for jobs in ["2", "3"] {
        let out = format!("jobs{jobs}");
        place.explore(&out, &["--jobs", jobs, "matcher.c"]);
        let tests = place.tests(&out);
        assert_eq!(tests.len(), one.len());
        assert_eq!(paths(&tests), one);
    }
}

#[test]
fn a_killed_run_leaves_whole_tests() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    for (round, wait) in [150, 300, 450, 600].into_iter().enumerate() {
        let out = format!("killed{round}");
        let mut child = place
            .command(&[
                "--out", &out, "--tests", "all", "--search", "dfs", "ladder.c",
            ])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if !place.path(&out).exists() {
            continue;
        }
        let numbers: Vec<u64> = place
            .tests(&out)
            .iter()
            .map(|test| test["test"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn limits_keep_what_was_found_and_say_what_was_left() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    for (index, limit) in [
        ["--max-paths", "10"],
        ["--max-time", "0.5"],
        ["--max-depth", "5"],
        ["--max-forks", "20"],
        ["--max-instructions", "150"],
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("limit{index}");
        let counted = place.explore(&out, &[limit[0], limit[1], "ladder.c"]);
        let boundary = fs::read_to_string(place.path(&out).join("boundary.json")).unwrap();
        let boundary: Value = serde_json::from_str(&boundary).unwrap();
        let left: u64 = boundary
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|left| left["paths"].as_u64())
            .sum();
        assert!(left > 0, "{limit:?}");
        let written = place.tests(&out).len() as u64;
        let ended: u64 = ["completed", "error", "killed"]
            .iter()
            .filter_map(|kind| counted["paths"][kind].as_u64())
            .sum();
        assert_eq!(written, ended, "{limit:?}");
        if limit[0] == "--max-paths" {
            assert_eq!(ended, 10);
        }
    }
}

#[test]
fn an_interrupt_writes_what_was_found() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    let child = place
        .command(&["--out", "out", "ladder.c"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert!(said(&output).contains("interrupted"), "{}", said(&output));
    assert!(place.path("out/boundary.json").exists());
    assert!(!place.tests("out").is_empty());
}

/// A question that nobody answers in no time is left open, and said to be; with several solvers the next one is asked.
#[test]
fn a_question_has_its_time() {
    let product = "
        #include <klee/klee.h>
        int main(void) {
            unsigned long x, y;
            klee_make_symbolic(&x, sizeof x, \"x\");
            klee_make_symbolic(&y, sizeof y, \"y\");
            if (x > 1 && y > 1 && x < 1ul << 32 && y < 1ul << 32 && x * y == 4292017463532640823ul)
                return 1;
            return 0;
        }";
    let place = Place::with(&[("product.c", product)]);
    let found = place.run(&["--solver-time", "0.05", "--max-time", "20", "product.c"]);
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
    assert!(
        said(&found).contains("the solver could not decide: timeout"),
        "{}",
        said(&found)
    );
    let both = [
        "--solver",
        "native,z3",
        "--handoff",
        "0.05",
        "--solver-time",
        "1",
    ];
    let found = place.run(&[&both[..], &["--max-time", "20", "product.c"]].concat());
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
}

#[test]
fn memory_stays_within_its_limit() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    let with = [
        "--cflags",
        "-DBALLAST=200000 -DRUNGS=16",
        "--search",
        "random-path",
    ];
    let limits = ["--max-memory", "100MB", "--max-paths", "1000"];
    let counted = place.explore("out", &[&with[..], &limits, &["ladder.c"]].concat());
    let peak = counted["memory"]["peak_bytes"].as_u64().unwrap();
    assert!(peak < 120_000_000, "{peak}");
    assert!(counted["explore"]["evicted"].as_u64().unwrap() > 0);
    assert!(counted["paths"]["completed"].as_u64().unwrap() > 0);
}

/// With the least memory that leaves room to go on, everything is forgotten again and again. What the tables of the
/// program were as terms must not be kept.
#[test]
fn with_the_least_memory_the_same_paths_are_found() {
    let place = Place::with(&[("tables.c", TABLES)]);
    place.explore("all", &["tables.c"]);
    let all = paths(&place.tests("all"));
    assert_eq!(all.len(), 256);
    for jobs in ["1", "2"] {
        let found = (16..200).step_by(4).find_map(|megabytes| {
            let out = format!("{jobs}-{megabytes}");
            let memory = format!("{megabytes}MB");
            let limits = ["--max-memory", &memory, "--jobs", jobs];
            let counted = place.explore(&out, &[&limits[..], &["tables.c"]].concat());
            let is_short = counted["explore"]["dropped"] != 0 || counted["paths"]["killed"] != 0;
            let tests = place.tests(&out);
            assert!(is_short || tests.len() == all.len());
            let mut completed = tests;
            completed.retain(|test| test["outcome"]["kind"] == "exit");
            assert!(
                paths(&completed).is_subset(&all),
                "{jobs} workers, {memory}"
            );
            (!is_short).then_some((counted, completed))
        });
        let (counted, tests) = found.expect("enough memory");
        assert_eq!(
            (tests.len(), paths(&tests)),
            (256, all.clone()),
            "{jobs} workers"
        );
        assert!(counted["explore"]["restarts"].as_u64().unwrap() > 0);
    }
}

#[test]
fn errors_are_told_once_a_site() {
    let place = Place::with(&[("matcher.c", MATCHER)]);
    let output = place.run(&["--out", "out", "--tests", "errors", "matcher.c"]);
    assert_eq!(output.status.code(), Some(1));
    let told = said(&output).matches("error: out-of-bounds read").count();
    let kept = fs::read_dir(place.path("out/errors")).unwrap().count();
    assert!(told == kept && kept > 0 && kept < 5, "{told} {kept}");
    let tests = place.tests("out");
    assert!(tests.len() >= kept);
    assert!(tests.iter().all(|test| test["outcome"]["kind"] == "error"));
}

/// What is written by default: few tests, which cover what all of them do, and one for each error.
#[test]
fn covering_tests_are_few_and_cover_all() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
    let place = Place::with(&[("matcher.c", MATCHER)]);
    let mut few = 0;
    for name in [
        "matcher.c",
        "triangle.c",
        "percent.rs",
        "packet.c",
        "expression.c",
    ] {
        if name != "matcher.c" {
            fs::copy(root.join(name), place.path(name)).expect("an example");
        }
        let out = |kind: &str| format!("{name}-{kind}");
        for mode in ["fork", "concolic"] {
            let limits = ["--max-paths", "400", "--mode", mode, name];
            let all = out(&format!("all-{mode}"));
            let covering = out(&format!("covering-{mode}"));
            place.explore(&all, &limits);
            let found = place.run(&[&["--out", &covering], &limits[..]].concat());
            assert!(
                found.status.code().is_some_and(|code| code < 2),
                "{}",
                said(&found)
            );
            let table = |directory: &str| {
                let mut command = Command::new(REFRAIN);
                command
                    .args(["cover", directory])
                    .current_dir(place.folder.path());
                let output = command.output().expect("refrain runs");
                assert_eq!(output.status.code(), Some(0), "{}", said(&output));
                String::from_utf8(output.stdout).expect("text")
            };
            assert_eq!(table(&covering), table(&all), "{name} {mode}");
            let sites = |directory: &str| -> BTreeSet<String> {
                let tests = place.tests(directory);
                let errors = tests
                    .iter()
                    .filter(|test| test["outcome"]["kind"] == "error");
                let site = |test: &Value| {
                    let outcome = &test["outcome"];
                    format!(
                        "{} {} {}",
                        outcome["error"], outcome["line"], outcome["column"]
                    )
                };
                errors.map(site).collect()
            };
            assert_eq!(sites(&covering), sites(&all), "{name} {mode}");
            assert!(place.tests(&covering).len() <= place.tests(&all).len());
            few += usize::from(place.tests(&covering).len() < place.tests(&all).len() / 4);
        }
    }
    assert!(few >= 4, "{few}");
}

/// An assumption that the first input does not meet takes no test away.
#[test]
fn the_only_path_behind_an_assumption_has_a_test() {
    let source = "
#include <klee/klee.h>
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  klee_assume(x > 5);
  return 0;
}
";
    let place = Place::with(&[("p.c", source)]);
    let found = place.run(&["--out", "out", "p.c"]);
    assert_eq!(found.status.code(), Some(0), "{}", said(&found));
    assert_eq!(place.tests("out").len(), 1);
}

#[test]
fn a_function_is_explored_by_itself() {
    let source = "
int classify(int kind, const unsigned char *text, unsigned length) {
  if (length > 4) return -1;
  int sum = 0;
  for (unsigned i = 0; i < length; i++) if (text[i] == 'a') sum++;
  return kind == 7 ? sum : -sum;
}
";
    let place = Place::with(&[("f.c", source)]);
    let with = ["--entry", "classify", "--buffer", "text=4", "f.c"];
    let counted = place.explore("out", &with);
    // More than four; else each byte is an a or not, and the kind is seven or not.
    assert_eq!(counted["paths"]["completed"], 1 + 2 * (1 + 2 + 4 + 8 + 16));
    let output = place.run(&["--entry", "classify", "f.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("--buffer text=SIZE"),
        "{}",
        said(&output)
    );
    let output = place.run(&["--entry", "clasify", "f.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("clasify"), "{}", said(&output));
}

#[test]
fn a_search_is_directed_to_a_line() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    let output = place.run(&["--search", "directed", "--out", "o", "ladder.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--to"), "{}", said(&output));
    let output = place.run(&[
        "--search",
        "directed",
        "--to",
        "nowhere.c:1",
        "--out",
        "o",
        "ladder.c",
    ]);
    assert_eq!(output.status.code(), Some(2));
    fs::write(place.path("maze.c"), MAZE).unwrap();
    for to in ["treasure", "maze.c:14"] {
        let out = to.replace(':', "-");
        let with = [
            "--search",
            "directed",
            "--to",
            to,
            "--max-paths",
            "30",
            "--tests",
            "all",
            "--out",
            &out,
        ];
        place.run(&[&with[..], &["maze.c"]].concat());
        let tests = place.tests(&out);
        let reached = tests
            .iter()
            .position(|test| test["outcome"]["status"] == 42);
        assert!(reached.is_some_and(|at| at < 5), "{to}: {reached:?}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let place = Place::with(&[("matcher.c", MATCHER)]);
    fs::create_dir(place.path("full")).unwrap();
    fs::write(place.path("full/mine"), "precious").unwrap();
    for arguments in [
        &["--out", "full", "matcher.c"][..],
        &["--max-memory", "lots", "matcher.c"],
        &["--max-memory", "1KB", "matcher.c"],
        &["--max-paths", "0", "matcher.c"],
        &["--search", "luck", "matcher.c"],
        &["--jobs", "0", "matcher.c"],
        &["--reuse", "nothing", "matcher.c"],
        &[
            "--solver",
            "smtlib:/no/such/solver",
            "--solver",
            "nosuch",
            "matcher.c",
        ],
        &["--input", "absent.ktest", "matcher.c"],
        &["--input", "matcher.c", "matcher.c"],
        &["--buffer", "x", "matcher.c"],
        &["--arithmetic", "reals", "matcher.c"],
    ] {
        let output = place.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            said(&output)
        );
        assert!(!output.stderr.is_empty() && !said(&output).contains("panicked"));
    }
    assert_eq!(fs::read(place.path("full/mine")).unwrap(), b"precious");
    assert!(!place.path("refrain-out").exists(), "nothing was begun");
}

#[test]
fn what_is_only_printed_is_no_branch() {
    let source = "
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  int x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  printf(\"x is %5d, or %x\\n\", x, (unsigned)x);
  if (x > 1000) puts(\"large\");
  return 0;
}
";
    let place = Place::with(&[("p.c", source)]);
    let counted = place.explore("out", &["p.c"]);
    assert_eq!(counted["paths"]["completed"], 2);
    for test in place.tests("out") {
        let x = test["inputs"][0]["number"].as_i64().unwrap() as i32;
        let large = if x > 1000 { "large\n" } else { "" };
        assert_eq!(test["stdout"], format!("x is {x:5}, or {x:x}\n{large}"));
    }
    let replay = Command::new(REFRAIN)
        .args(["replay", "out"])
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    assert_eq!(replay.status.code(), Some(0), "{}", said(&replay));
}

#[test]
fn inputs_are_as_the_program_prefers() {
    let source = "
#include <klee/klee.h>
int main(void) {
  char text[4];
  klee_make_symbolic(text, sizeof text, \"text\");
  for (int i = 0; i < 4; i++) klee_prefer_cex(text, ('a' <= text[i]) & (text[i] <= 'z'));
  return text[0] == '7';
}
";
    let place = Place::with(&[("p.c", source)]);
    place.explore("out", &["p.c"]);
    for test in place.tests("out") {
        let text = test["inputs"][0]["text"].as_str().unwrap();
        let (first, rest) = text.split_at(1);
        let expected = test["outcome"]["status"] == 1;
        assert!(rest.bytes().all(|byte| byte.is_ascii_lowercase()), "{text}");
        assert!(if expected {
            first == "7"
        } else {
            first.as_bytes()[0].is_ascii_lowercase()
        });
    }
}

#[test]
fn runs_have_numbers_and_the_last_one_a_link() {
    let place = Place::with(&[("matcher.c", MATCHER)]);
    for number in 1..=2 {
        assert_eq!(place.run(&["matcher.c"]).status.code(), Some(1));
        let last = fs::canonicalize(place.path("refrain-last")).unwrap();
        let own = fs::canonicalize(place.path(&format!("refrain-out/{number}"))).unwrap();
        assert_eq!(last, own);
        let table = fs::read_to_string(own.join("timeline.csv")).unwrap();
        assert!(
            table.lines().count() >= 2 && table.starts_with("seconds,paths"),
            "{table}"
        );
    }
}

#[test]
fn a_full_disk_ends_the_run_with_an_error() {
    let place = Place::with(&[("ladder.c", LADDER)]);
    let Some(mount) = Mount::new(place.path("small"), "1m") else {
        return;
    };
    let out = mount.0.join("out");
    let arguments = ["--tests", "all", "--out", out.to_str().unwrap(), "ladder.c"];
    let output = place.run(&arguments);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("No space left"), "{}", said(&output));
    // What was written before is whole.
    assert!(tests_in(&out).len() > 10);
}
