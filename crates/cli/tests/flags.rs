//! Every switch that `--help` names is used by some test.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::run;

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let after = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = after.lines().take_while(|line| line.starts_with("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(String::from)
        .collect()
}

fn help_of(words: &[String]) -> String {
    let mut arguments: Vec<&str> = vec!["help"];
    arguments.extend(words.iter().map(String::as_str));
    let shown = run(&arguments);
    assert!(shown.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&shown.stdout).into_owned()
}

/// All long switches of a command and those below it.
fn switches(words: &[String], found: &mut BTreeSet<(String, String)>) {
    let help = help_of(words);
    for line in help.lines() {
        let line = line.trim_start();
        let starts = ["--", "-"].iter().any(|start| line.starts_with(start));
        let long = line
            .split([' ', ',', '=', '['])
            .find(|word| word.starts_with("--"));
        if let Some(long) = long.filter(|long| starts && !["--help", "--version"].contains(long)) {
            found.insert((words.join(" "), long.to_string()));
        }
    }
    for name in commands(&help) {
        let mut below = words.to_vec();
        below.push(name);
        switches(&below, found);
    }
}

fn read_all(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_all(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("text"));
        }
    }
}

#[test]
fn every_switch_is_used_by_a_test() {
    let mut found = BTreeSet::new();
    switches(&[], &mut found);
    assert!(found.len() > 60, "{found:?}");
    let mut tests = String::new();
    read_all(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"),
        &mut tests,
    );
    let is_used = |switch: &str| {
        let quoted = ["\"", " ", "="].map(|end| format!("{switch}{end}"));
        quoted.iter().any(|used| tests.contains(used.as_str()))
    };
    let unused: Vec<_> = found
        .iter()
        .filter(|(_, switch)| !is_used(switch))
        .collect();
    assert!(unused.is_empty(), "no test uses {unused:?}");
}
