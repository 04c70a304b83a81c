//! What exploring has shown about a property.

use std::collections::{BTreeMap, HashSet};

use refrain_llvm::native::rust::panic_message;
use refrain_machine::{ErrorKind, Fault, Place};
use refrain_results::{Boundary, Outcome, OutputDirectory, Test};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;
use crate::property::Property;

#[derive(Debug, Default)]
pub struct Verdict {
    /// Followed to their end.
    pub paths: u64,
    pub failures: Vec<Failure>,
    /// What was not explored, and why.
    pub left: Vec<String>,
}

/// One thing that is wrong, by the first test that shows it.
#[derive(Debug)]
pub struct Failure {
    /// The number of the test.
    pub test: u32,
    /// In the words of the program, where it has some.
    pub message: String,
    pub stack: Vec<Place>,
    pub details: Vec<String>,
}

impl Verdict {
    /// Reads what exploring has left behind. What cannot be read is no verdict.
    pub fn of(property: &Property, results: &OutputDirectory) -> Result<Verdict, Error> {
        let counts = Counts::read(results)?;
        let mut verdict = Verdict {
            paths: counts.completed,
            ..Verdict::default()
        };
        let mut left: BTreeMap<String, u64> = BTreeMap::new();
        for open in read::<Vec<Boundary>>(results, "boundary.json")? {
            left.insert(open.cause.to_string(), open.paths);
        }
        let is_read = property.should_panic || counts.error + counts.killed > 0;
        let mut sites = HashSet::new();
        let tests = results.tests()?;
        for number in if is_read { tests.numbers() } else { Vec::new() } {
            let test = tests.read(number)?;
            let failure = match &test.outcome {
                Outcome::Unfinished(cause) => {
                    // Most are counted already.
                    left.entry(cause.to_string()).or_insert(0);
                    None
                }
                // No input that the property is about takes this path.
                Outcome::Error(fault) if fault.kind == ErrorKind::ImpossibleAssumption => None,
                Outcome::Exit { .. } if property.should_panic => Some(Failure {
                    test: number,
                    message: "it did not panic, and should for every input".into(),
                    stack: Vec::new(),
                    details: Vec::new(),
                }),
                Outcome::Exit { .. } => None,
                Outcome::Error(fault) => {
                    // Every error of a property is the end of a path.
                    verdict.paths = counts.completed + counts.error;
                    let message = message(&test, fault);
                    let is_meant =
                        fault.kind == ErrorKind::Panic && is_expected(property, &message);
                    (!is_meant).then(|| Failure {
                        test: number,
                        message,
                        stack: fault.stack.iter().filter(is_own).cloned().collect(),
                        details: fault.details(),
                    })
                }
            };
            if let Some(failure) = failure
                && sites.insert(site(&test))
            {
                verdict.failures.push(failure);
            }
        }
        // Not by the numbers of tests: these depend on what was explored before.
        verdict.failures.sort_by_cached_key(|failure| {
            let place = failure.stack.first();
            let place = place.map(|place| (place.file.clone(), place.line, place.column));
            (place, failure.message.clone())
        });
        if verdict.paths == 0 && left.is_empty() {
            left.insert(NO_INPUT.into(), 0);
        }
        let line = |(why, count): (String, u64)| {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            match count {
                0 | 1 => why,
                _ => format!("{why} ({count} times)"),
            }
        };
        verdict.left = left.into_iter().map(line).collect();
        Ok(verdict)
    }

    /// No path came to an end: nothing is known of the property.
    pub fn proves_nothing(&self) -> bool {
        self.paths == 0 && self.failures.is_empty()
    }
}

/// Why there are no paths, if nothing else is said.
const NO_INPUT: &str = "no input meets its assumptions";

/// What tells one failure from another.
fn site(test: &Test) -> Option<(ErrorKind, String, Option<Place>)> {
    let Outcome::Error(fault) = &test.outcome else {
        return None;
    };
    // Numbers in a message are those of one input.
    let words = fault.message.replace(|c: char| c.is_ascii_digit(), "");
    Some((fault.kind, words, fault.place().cloned()))
}

/// How the paths of a property ended.
struct Counts {
    completed: u64,
    error: u64,
    killed: u64,
}

impl Counts {
    fn read(results: &OutputDirectory) -> Result<Counts, Error> {
        let stats: Value = read(results, "stats.json")?;
        let count = |kind: &str| {
            stats["paths"][kind]
                .as_u64()
                .ok_or_else(|| Error::Unreadable {
                    path: results.path().join("stats.json"),
                    reason: format!("it does not say how many paths are {kind}"),
                })
        };
        Ok(Counts {
            completed: count("completed")?,
            error: count("error")?,
            killed: count("killed")?,
        })
    }
}

/// What went wrong: of a panic, its place and its message, with the values of this input.
fn message(test: &Test, fault: &Fault) -> String {
    if fault.kind == ErrorKind::Panic
        && let Some(message) = panic_message(&test.stderr)
    {
        return format!("panic: {message}");
    }
    if fault.message.is_empty() {
        fault.kind.to_string()
    } else {
        format!("{}: {}", fault.kind, fault.message)
    }
}

/// Not of the standard library, and not of what stands between the engine and the property.
fn is_own(place: &&Place) -> bool {
    let is_between = place.function.contains("::__refrain_")
        || place.function.contains("refrain::property::")
        || place.function.starts_with("refrain:");
    !is_between && !place.file.starts_with("/rustc/")
}

fn is_expected(property: &Property, message: &str) -> bool {
    let expected = property.expected.as_deref().unwrap_or_default();
    property.should_panic && message.contains(expected)
}

/// A file of results.
pub fn read<T: DeserializeOwned>(results: &OutputDirectory, name: &str) -> Result<T, Error> {
    let path = results.path().join(name);
    let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
    serde_json::from_slice(&bytes).map_err(|error| Error::Unreadable {
        path,
        reason: error.to_string(),
    })
}
