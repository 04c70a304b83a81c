//! The results of a run, to be compared with those of another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use refrain_results::{Outcome, OutputDirectory, Test};
use serde_json::Value;

use crate::common::run;

/// What is the same for all runs that have explored a program to the same bounds.
#[derive(Debug, PartialEq, Eq)]
pub struct Results {
    /// How often there are tests with these choices and this end.
    pub tests: BTreeMap<(String, String), u64>,
    pub paths: String,
    pub coverage: String,
    /// How many different errors there are.
    pub reports: usize,
    /// What was left, and how often.
    pub boundaries: BTreeMap<String, u64>,
}

pub fn json(directory: &Path, name: &str) -> Value {
    let path = directory.join(name);
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("JSON")
}

impl Results {
    pub fn of(directory: &Path) -> Results {
        let stats = json(directory, "stats.json");
        let reports = fs::read_dir(directory.join("errors"));
        let boundaries = json(directory, "boundary.json");
        let boundaries = boundaries.as_array().expect("a list").iter();
        let mut results = Results {
            tests: BTreeMap::new(),
            paths: stats["paths"].to_string(),
            coverage: stats["coverage"].to_string(),
            reports: reports.map_or(0, Iterator::count),
            boundaries: boundaries
                .map(|left| (left["why"].to_string(), left["paths"].as_u64().unwrap_or(0)))
                .collect(),
        };
        for test in tests_of(directory) {
            *results
                .tests
                .entry((choices(&test), end(&test)))
                .or_default() += 1;
        }
        results
    }

    /// Values that runs choose by the input at hand make other paths of the same program.
    pub fn without_choices(mut self) -> Results {
        let mut tests = BTreeMap::new();
        for ((_, end), count) in std::mem::take(&mut self.tests) {
            *tests.entry((String::new(), end)).or_default() += count;
        }
        self.tests = tests;
        self
    }
}

pub fn tests_of(directory: &Path) -> Vec<Test> {
    let pack = OutputDirectory::open(directory)
        .expect("a directory")
        .tests();
    let pack = pack.expect("a pack");
    assert_eq!((pack.torn_tail(), pack.damage()), (None, Vec::new()));
    let numbers = pack.numbers().into_iter();
    numbers
        .map(|number| pack.read(number).expect("a whole test"))
        .collect()
}

fn choices(test: &Test) -> String {
    format!("{:?}", test.decisions)
}

/// How a path ends, for all its inputs.
fn end(test: &Test) -> String {
    match &test.outcome {
        Outcome::Exit {
            depends_on_input: true,
            ..
        } => "exit".to_string(),
        Outcome::Exit { status, .. } => format!("exit {status}"),
        Outcome::Error(fault) => {
            let message = fault.message.replace(|c: char| c.is_ascii_digit(), "");
            let place = fault.place().map(ToString::to_string);
            // What a pointer that leaves its object hits is a matter of the input.
            let kind = fault.kind.name().replace("wild pointer", "out-of-bounds");
            format!("{kind} {message} {place:?}")
        }
        Outcome::Unfinished(cause) => cause.to_string(),
    }
}

/// Whether every test does in the program what it says; else what is said of that.
pub fn replays(directory: &Path) -> Result<(), String> {
    let output = run(&["replay", directory.to_str().expect("UTF-8")]);
    let said = [output.stdout, output.stderr].concat();
    match output.status.code() {
        Some(0) => Ok(()),
        _ => Err(String::from_utf8_lossy(&said).into_owned()),
    }
}
