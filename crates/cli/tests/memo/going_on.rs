//! `refrain resume` and `refrain deepen`, and what they refuse.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::run;
use crate::parts::ended;
use crate::results::{Results, json, replays};

const PROGRAM: &str = r#"
#include <assert.h>
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
  unsigned char text[5];
  klee_make_symbolic(text, sizeof text, "text");
  int depth = 0, seen = 0;
  for (int i = 0; i < 5; i++) {
    if (text[i] == '(') depth++;
    else if (text[i] == ')') depth--;
    else if (text[i] == 'x' && depth > 1) seen++;
    if (depth < 0) return 1;
  }
  assert(seen < 3);
  return depth == 0 ? 0 : 2;
}
"#;

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a directory");
        fs::write(folder.path().join("prog.c"), PROGRAM).expect("a file");
        Folder(folder)
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.at(name).to_str().expect("UTF-8").to_string()
    }

    /// Explores the program to a directory.
    pub fn explore(&self, out: &str, more: &[&str]) -> Output {
        let (out, program) = (self.text(out), self.text("prog.c"));
        let mut arguments = vec!["run", "-q", "--out", &out];
        if !more.contains(&"--tests=covering") {
            arguments.push("--tests=all");
        }
        arguments.extend(more);
        arguments.push(&program);
        run(&arguments)
    }

    pub fn command(&self, name: &str, directory: &str, more: &[&str]) -> Output {
        let directory = self.text(directory);
        let mut arguments = vec![name, "-q", &directory];
        arguments.extend(more);
        run(&arguments)
    }
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn counted(directory: &Path, group: &str, name: &str) -> u64 {
    json(directory, "stats.json")[group][name]
        .as_u64()
        .expect("a number")
}

#[test]
fn deepening_in_steps_is_as_good_as_at_once() {
    let folder = Folder::new();
    folder.explore("whole", &[]);
    folder.explore("steps", &["--max-depth=4"]);
    let shallow = Results::of(&folder.at("steps"));
    assert!(shallow.boundaries.len() == 1, "{shallow:?}");
    let mut known = 0;
    for bound in ["8", "13", "none"] {
        let bound = format!("--max-depth={bound}");
        let output = folder.command("deepen", "steps", &[&bound]);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}",
            said(&output)
        );
        let kept = counted(&folder.at("steps"), "memo", "paths_kept");
        assert!(kept >= known, "{kept}, before {known}");
        known = kept;
    }
    assert!(known > 0);
    assert_eq!(
        Results::of(&folder.at("steps")),
        Results::of(&folder.at("whole"))
    );
    replays(&folder.at("steps")).expect("deepened");
    // There is nothing to do any more.
    let output = folder.command("resume", "steps", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(counted(&folder.at("steps"), "solver", "calls"), 0);
    assert_eq!(json(&folder.at("steps"), "stats.json")["instructions"], 0);
    assert_eq!(
        Results::of(&folder.at("steps")),
        Results::of(&folder.at("whole"))
    );
}

#[test]
fn what_limits_stopped_goes_on() {
    let folder = Folder::new();
    folder.explore("whole", &[]);
    folder.explore("parts", &["--max-paths=7"]);
    for _ in 0..20 {
        let known = ended(&folder.at("parts"));
        folder.command(
            "resume",
            "parts",
            &["--max-paths=9", "--search=random-path"],
        );
        let kept = counted(&folder.at("parts"), "memo", "paths_kept");
        assert_eq!(kept, known, "what has ended is not executed again");
    }
    let output = folder.command("resume", "parts", &["--max-paths=1000000", "--jobs=2"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(
        Results::of(&folder.at("parts")),
        Results::of(&folder.at("whole"))
    );
    replays(&folder.at("parts")).expect("resumed");
}

#[test]
fn a_bound_that_is_not_larger_is_refused() {
    let folder = Folder::new();
    folder.explore("out", &["--max-depth=4"]);
    for (arguments, expected) in [
        (&["--max-depth=3"][..], "explored further than that already"),
        (&[], "how far?"),
        (&["--max-depth=many"], "not a number"),
    ] {
        let output = folder.command("deepen", "out", arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}

#[test]
fn a_program_that_has_changed_is_not_resumed() {
    let folder = Folder::new();
    folder.explore("out", &["--max-paths=5"]);
    fs::write(
        folder.at("prog.c"),
        PROGRAM.replace("depth > 1", "depth > 2"),
    )
    .expect("a file");
    let output = folder.command("resume", "out", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("refrain diff"), "{}", said(&output));
}

#[test]
fn what_is_no_run_or_has_no_tree_is_refused() {
    let folder = Folder::new();
    folder.explore("out", &[]);
    fs::create_dir(folder.at("empty")).expect("a directory");
    let again = folder.explore("out", &[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("refrain resume"), "{}", said(&again));
    for (directory, expected) in [("missing", "cannot read"), ("empty", "no results of a run")] {
        let output = folder.command("resume", directory, &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    fs::write(folder.at("out").join("tree/header"), "something").expect("a file");
    let output = folder.command("resume", "out", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    fs::remove_dir_all(folder.at("out").join("tree")).expect("it is there");
    let output = folder.command("resume", "out", &[]);
    assert!(said(&output).contains("has no tree"), "{}", said(&output));
}

#[test]
fn a_difference_is_told() {
    let folder = Folder::new();
    folder.explore("old", &["--tests=covering"]);
    let old = folder.text("old");
    let diff = |out: &str, more: &[&str]| {
        let (out, program) = (folder.text(out), folder.text("prog.c"));
        let mut arguments = vec!["diff", &old, &program, "--out", &out];
        arguments.extend(more);
        run(&arguments)
    };
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let same = diff("same", &["--as=json"]);
    assert_eq!(same.status.code(), Some(0), "{}", said(&same));
    let report: serde_json::Value = serde_json::from_slice(&same.stdout).expect("JSON");
    assert_eq!(report["paths"]["executed"], 0);
    assert_eq!(report["tests"]["added"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["errors"]["old"], 1);
    // Fixed, and another one.
    let edited = PROGRAM.replace(
        "assert(seen < 3);",
        "if (depth == 4) { int *p = 0; *p = 1; }",
    );
    fs::write(folder.at("prog.c"), edited).expect("a file");
    let other = diff("other", &[]);
    assert_eq!(other.status.code(), Some(1), "{}", said(&other));
    assert!(
        text(&other).contains("errors: 1 new, 1 fixed, 0 as before"),
        "{}",
        text(&other)
    );
    assert!(
        said(&other).contains("null dereference"),
        "{}",
        said(&other)
    );
    assert!(
        said(&other).contains("fixed: assertion"),
        "{}",
        said(&other)
    );
    let sarif = diff("sarif", &["--as=sarif"]);
    let sarif: serde_json::Value = serde_json::from_slice(&sarif.stdout).expect("JSON");
    assert_eq!(
        sarif["runs"][0]["results"].as_array().map(Vec::len),
        Some(1)
    );
    // Other inputs are another program.
    let checks = diff("checks", &["--check=overflow"]);
    assert_eq!(checks.status.code(), Some(2));
    assert!(
        said(&checks).contains("another checks"),
        "{}",
        said(&checks)
    );
}

#[test]
fn a_guide_goes_on_towards_code_that_has_not_run() {
    let folder = Folder::new();
    for heuristic in ["reachability", "counter"] {
        folder.explore(heuristic, &["--max-depth=4"]);
        let before = Results::of(&folder.at(heuristic));
        let guide = format!("--guide={heuristic}");
        let output = folder.command("deepen", heuristic, &["--max-depth=12", &guide]);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}",
            said(&output)
        );
        let after = Results::of(&folder.at(heuristic));
        assert!(after.paths != before.paths, "{heuristic}: {after:?}");
    }
    // Everything has run: there is nothing to go on for.
    folder.explore("all", &["--max-depth=14"]);
    let covered = json(&folder.at("all"), "stats.json")["coverage"].clone();
    assert_eq!(covered["branches"], covered["branches_total"]);
    folder.command("resume", "all", &["--max-depth=16", "--guide=reachability"]);
    assert_eq!(json(&folder.at("all"), "stats.json")["instructions"], 0);
    let nonsense = folder.command("resume", "all", &["--guide=luck"]);
    assert_eq!(nonsense.status.code(), Some(2));
    assert!(
        said(&nonsense).contains("reachability and counter"),
        "{}",
        said(&nonsense)
    );
}
