//! Which lines, branches and functions of a program its tests run: the data, and its formats.
//!
//! Counts are of tests, not of executions: a line with 3 is run by three tests.

mod count;
mod html;
mod json;
mod lcov;
mod plot;
mod table;
mod timeline;

use std::collections::BTreeMap;

pub use count::{Count, Totals};
pub use html::pages;
pub use json::json;
pub use lcov::lcov;
pub use table::table;
pub use timeline::Moment;

/// What the tests of a run cover.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Of the program.
    pub name: String,
    pub files: Vec<File>,
    pub tests: Vec<TestRun>,
    /// How the exploration went that wrote the tests.
    pub timeline: Vec<Moment>,
}

/// A file of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Absolute, if anything is known about where it is.
    pub path: String,
    /// As a reader calls it.
    pub name: String,
    /// Its text, if it is to be had.
    pub source: Option<String>,
    /// The lines with code, and how many tests run each.
    pub lines: BTreeMap<u32, u64>,
    /// By line and column.
    pub branches: Vec<Branch>,
    /// By line.
    pub functions: Vec<Function>,
}

/// A place where the program decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    pub line: u32,
    pub column: u32,
    /// How many tests go each way, in the compiler's order. In C, the first of two is the one where the condition
    /// holds.
    pub outcomes: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Where it is defined.
    pub line: u32,
    /// How many tests run it.
    pub tests: u64,
}

/// What one test runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestRun {
    pub number: u32,
    /// How it ended, in words.
    pub outcome: String,
    /// With the places of their files in the list of files.
    pub lines: Vec<(usize, u32)>,
    /// How many outcomes of branches.
    pub branches: u64,
    pub functions: u64,
}

impl Branch {
    /// It was come to, and some way was never gone.
    pub fn is_half_taken(&self) -> bool {
        self.is_reached() && self.outcomes.contains(&0)
    }

    pub fn is_reached(&self) -> bool {
        self.outcomes.iter().any(|&tests| tests > 0)
    }
}

impl Coverage {
    /// The lines that no other test runs, by file.
    pub fn only_in(&self, test: &TestRun) -> BTreeMap<usize, Vec<u32>> {
        let mut only: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for &(file, line) in &test.lines {
            let known = self.files.get(file);
            if known.and_then(|known| known.lines.get(&line)) == Some(&1) {
                only.entry(file).or_default().push(line);
            }
        }
        only
    }
}

#[cfg(test)]
pub(crate) mod fixture;
