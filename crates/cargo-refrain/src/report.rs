//! What the user sees: as `cargo test` says it, as far as there is something like it there.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use refrain_machine::Place;

use crate::error::Error;
use crate::property::Property;
use crate::show::Inputs;
use crate::verdict::Verdict;

/// What was found out about a property; the lists are empty if it holds, and as long as the failures otherwise.
pub struct Findings {
    pub verdict: Verdict,
    pub inputs: Vec<Inputs>,
    pub tests: Vec<String>,
    /// The code is the same as the last time, and so is all of this.
    pub is_kept: bool,
}

/// How properties came out, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Nothing was found.
    Holds,
    /// Of some property no path came to an end.
    NothingProved,
    Fails,
}

pub struct Report {
    is_quiet: bool,
    passed: usize,
    ignored: usize,
    /// Some paths were explored, and not all.
    incomplete: usize,
    /// By name: why there is no path with an end.
    unproved: Vec<(String, String)>,
    failed: Vec<(String, Findings)>,
    broken: Vec<(String, String)>,
}

/// Where nobody reads there is nothing to say.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A place, from here where it is below.
fn shown(place: &Place) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    match Path::new(&place.file).strip_prefix(here) {
        Ok(file) => Place {
            file: file.display().to_string(),
            ..place.clone()
        }
        .to_string(),
        Err(_) => place.to_string(),
    }
}

fn count(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Report {
    pub fn new(is_quiet: bool) -> Report {
        Report {
            is_quiet,
            passed: 0,
            ignored: 0,
            incomplete: 0,
            unproved: Vec::new(),
            failed: Vec::new(),
            broken: Vec::new(),
        }
    }

    pub fn begin(&self, title: &str, tests: usize) {
        if !self.is_quiet {
            let _ = writeln!(std::io::stderr(), "   Exploring {title}");
        }
        say(&format!("\nrunning {}", count(tests as u64, "test")));
    }

    fn line(&self, property: &Property, result: &str) {
        let note = if property.should_panic {
            " - should panic"
        } else {
            ""
        };
        say(&format!("test {}{note} ... {result}", property.name));
    }

    pub fn ignored(&mut self, property: &Property) {
        self.ignored += 1;
        if !self.is_quiet {
            self.line(property, "ignored");
        }
    }

    pub fn broken(&mut self, property: &Property, error: &Error) {
        self.line(property, "FAILED TO RUN");
        self.broken.push((property.name.clone(), error.to_string()));
    }

    pub fn explored(&mut self, property: &Property, found: Findings) {
        let verdict = &found.verdict;
        let mut paths = count(verdict.paths, "path");
        if found.is_kept {
            paths += ", unchanged";
        }
        let left = verdict.left.join("; ");
        if !verdict.failures.is_empty() {
            let open = match left.as_str() {
                "" => String::new(),
                left => format!("incomplete: {left}; "),
            };
            self.line(property, &format!("FAILED ({open}{paths})"));
            self.failed.push((property.name.clone(), found));
        } else if verdict.proves_nothing() {
            self.line(property, &format!("NOTHING PROVED ({left})"));
            self.unproved.push((property.name.clone(), left));
        } else if !left.is_empty() {
            self.incomplete += 1;
            self.line(property, &format!("incomplete ({left}; {paths})"));
        } else {
            self.passed += 1;
            if !self.is_quiet {
                self.line(property, &format!("ok ({paths})"));
            }
        }
    }

    /// The failures and the summary.
    pub fn end(&self, filtered: usize, took: Duration) -> Ending {
        if !self.failed.is_empty() || !self.broken.is_empty() {
            say("\nfailures:");
            for (name, found) in &self.failed {
                for (index, failure) in found.verdict.failures.iter().enumerate() {
                    say(&format!("\n---- {name} ----\n{}", failure.message));
                    for line in &failure.details {
                        say(&format!("  {line}"));
                    }
                    for place in &failure.stack {
                        say(&format!("  in {}", shown(place)));
                    }
                    self.input(&found.inputs[index], &found.tests[index]);
                }
            }
            for (name, error) in &self.broken {
                say(&format!("\n---- {name} ----\n{error}"));
            }
            say("\nfailures:");
            let failed = self.failed.iter().map(|(name, _)| name);
            for name in failed.chain(self.broken.iter().map(|(name, _)| name)) {
                say(&format!("    {name}"));
            }
        }
        if !self.unproved.is_empty() {
            say("\nnothing proved, since no path came to an end:");
            for (name, why) in &self.unproved {
                say(&format!("    {name}: {why}"));
            }
        }
        let (ending, word) = match () {
            () if !self.failed.is_empty() => (Ending::Fails, "FAILED"),
            // The error that it could not be explored for counts, not this.
            () if !self.broken.is_empty() => (Ending::Holds, "FAILED"),
            () if !self.unproved.is_empty() => (Ending::NothingProved, "NOTHING PROVED"),
            () if self.incomplete > 0 => (Ending::Holds, "incomplete"),
            () => (Ending::Holds, "ok"),
        };
        let mut parts = vec![
            format!("{} passed", self.passed),
            format!("{} failed", self.failed.len() + self.broken.len()),
        ];
        for (number, what) in [
            (self.incomplete, "incomplete"),
            (self.unproved.len(), "without proof"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        parts.push(format!("{} ignored", self.ignored));
        parts.push(format!("{filtered} filtered out"));
        say(&format!(
            "\ntest result: {word}. {}; finished in {:.2}s\n",
            parts.join("; "),
            took.as_secs_f64(),
        ));
        ending
    }

    fn input(&self, inputs: &Inputs, test: &str) {
        say("input:");
        for (name, expression) in &inputs.arguments {
            say(&format!("  {name} = {expression}"));
        }
        for input in &inputs.asked {
            let value = match input.number() {
                Some(number) => number.to_string(),
                None => format!("\"{}\"", refrain_results::text(&input.bytes)),
            };
            say(&format!("  {} = {value}", input.name));
        }
        if inputs.arguments.is_empty() && inputs.asked.is_empty() {
            say("  none");
        }
        say("regression test:");
        for line in test.lines() {
            say(&format!("  {line}"));
        }
    }
}
