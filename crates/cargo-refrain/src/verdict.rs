//! What exploring has shown about a property.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use refrain_llvm::native::rust::panic_message;
use refrain_results::{Fault, Outcome, OutputDirectory, Place, Test, Unfinished};
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
    pub test: PathBuf,
    /// In the words of the program, where it has some.
    pub message: String,
    pub stack: Vec<Place>,
    pub details: Vec<String>,
}

impl Verdict {
    /// Reads what exploring has left behind.
    pub fn of(property: &Property, results: &OutputDirectory) -> Result<Verdict, Error> {
        let stats = json(results, "stats.json")?;
        let count = |kind: &str| stats["paths"][kind].as_u64().unwrap_or(0);
        let mut verdict = Verdict {
            paths: count("completed") + count("error"),
            ..Verdict::default()
        };
        let mut left: BTreeMap<String, u64> = BTreeMap::new();
        let boundary = json(results, "boundary.json")?;
        for open in serde_json::from_value::<Vec<Unfinished>>(boundary).unwrap_or_default() {
            left.insert(open.why, open.paths);
        }
        let is_read = property.should_panic || count("error") + count("killed") > 0;
        let mut sites = HashSet::new();
        for path in if is_read {
            results.tests()?
        } else {
            Vec::new()
        } {
            let test = Test::read(&path)?;
            let failure = match &test.outcome {
                Outcome::Unfinished { why } => {
                    // Limits are counted already.
                    left.entry(why.clone()).or_insert(0);
                    None
                }
                Outcome::Exit { .. } if property.should_panic => {
                    let message = "it did not panic, and should for every input";
                    Some((message.to_string(), Fault::default()))
                }
                Outcome::Exit { .. } => None,
                Outcome::Error(fault) => {
                    let message = message(&test, fault);
                    let is_meant = fault.error == "panic" && is_expected(property, &message);
                    (!is_meant).then(|| (message, fault.clone()))
                }
            };
            let Some((message, fault)) = failure else {
                continue;
            };
            // Numbers in a message are those of one input.
            let words = fault.message.replace(|c: char| c.is_ascii_digit(), "");
            if sites.insert((fault.error.clone(), words, fault.place.clone())) {
                verdict.failures.push(Failure {
                    test: path,
                    message,
                    stack: fault.stack.iter().filter(is_own).cloned().collect(),
                    details: fault.details,
                });
            }
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
}

/// What went wrong: of a panic, its place and its message, with the values of this input.
fn message(test: &Test, fault: &Fault) -> String {
    if fault.error == "panic"
        && let Some(message) = panic_message(&test.stderr)
    {
        return format!("panic: {message}");
    }
    if fault.message.is_empty() {
        fault.error.clone()
    } else {
        format!("{}: {}", fault.error, fault.message)
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

fn json(results: &OutputDirectory, name: &str) -> Result<Value, Error> {
    let path = results.path().join(name);
    let bytes = std::fs::read(&path).map_err(Error::file(&path))?;
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}
