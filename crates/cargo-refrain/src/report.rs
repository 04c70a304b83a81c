//! What the user sees: as `cargo test` says it, as far as there is something like it there.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use refrain_results::Place;

use crate::error::Error;
use crate::property::Property;
use crate::show::Inputs;
use crate::verdict::Verdict;

/// What was found out about a property; the lists are empty if it holds, and as long as the failures otherwise.
pub struct Findings {
    pub verdict: Verdict,
    pub inputs: Vec<Inputs>,
    pub tests: Vec<String>,
}

pub struct Report {
    is_quiet: bool,
    passed: usize,
    ignored: usize,
    incomplete: usize,
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
        self.line(property, "NOT EXPLORED");
        self.broken.push((property.name.clone(), error.to_string()));
    }

    pub fn explored(&mut self, property: &Property, found: Findings) {
        let verdict = &found.verdict;
        let paths = count(verdict.paths, "path");
        let open = match &verdict.left[..] {
            [] => String::new(),
            left => format!("incomplete: {}; ", left.join("; ")),
        };
        if !verdict.failures.is_empty() {
            self.line(property, &format!("FAILED ({open}{paths})"));
            self.failed.push((property.name.clone(), found));
            return;
        }
        self.passed += 1;
        let is_incomplete = !open.is_empty();
        self.incomplete += usize::from(is_incomplete);
        if self.is_quiet && !is_incomplete {
            return;
        }
        if verdict.paths == 0 && !is_incomplete {
            self.line(property, "ok (no input meets its assumptions)");
        } else {
            self.line(property, &format!("ok ({open}{paths})"));
        }
    }

    /// The failures and the summary; whether there are none.
    pub fn end(&self, filtered: usize, took: Duration) -> bool {
        if !self.failed.is_empty() || !self.broken.is_empty() {
            say("\nfailures:");
            for (name, found) in &self.failed {
                for (index, failure) in found.verdict.failures.iter().enumerate() {
                    say(&format!("\n---- {name} ----\n{}", failure.message));
                    for line in &failure.details {
                        say(&format!("  {}", line.trim_start()));
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
        let holds = self.failed.is_empty();
        let is_well = holds && self.broken.is_empty();
        let incomplete = match self.incomplete {
            0 => String::new(),
            some => format!(" ({some} incomplete)"),
        };
        say(&format!(
            "\ntest result: {}. {} passed{incomplete}; {} failed; {} ignored; {filtered} filtered out; finished in {:.2}s\n",
            if is_well { "ok" } else { "FAILED" },
            self.passed,
            self.failed.len() + self.broken.len(),
            self.ignored,
            took.as_secs_f64(),
        ));
        holds
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
