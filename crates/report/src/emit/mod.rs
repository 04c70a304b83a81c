//! Unit tests from the tests of a run, that a project can keep: they compile, and pass for as long as the program
//! does what it did.
//!
//! A test that ended in an error expects that error. With [`Options::errors_only`] only those are there, and expect
//! that the error is gone: they fail until it is. Tests of paths that were not finished expect nothing, and are left
//! out.

mod c;
mod c_runtime;
mod rust;
mod rust_runtime;
mod rust_values;
mod sh;
mod source;

use std::path::{Path, PathBuf};

use refrain_machine::{Contents, ErrorKind, Fault};
use refrain_results::{Outcome, Test};

use crate::{ReportError, Results, places};

pub use c::c;
pub use rust::rust;
pub use sh::sh;

pub struct Options {
    pub errors_only: bool,
    /// Where the tests will be, absolute: other files are told relative to it.
    pub file: PathBuf,
}

impl Options {
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    /// A file as seen from the folder of the tests.
    fn seen(&self, path: &Path) -> PathBuf {
        places::from(self.folder(), path)
    }
}

/// Whether the program includes headers that `refrain run` brings along and a C compiler does not have.
pub fn needs_headers(results: &Results) -> bool {
    let files = std::iter::once(&results.run.program).chain(&results.run.with);
    let is_c = |path: &&PathBuf| path.extension().is_some_and(|ending| ending != "rs");
    let mut texts = files
        .filter(is_c)
        .filter_map(|path| std::fs::read(path).ok());
    texts.any(|text| {
        let text = String::from_utf8_lossy(&text);
        text.contains("klee/klee.h") || text.contains("refrain.h")
    })
}

/// Whether a native program dies of an error. It may survive others, which shows with sanitizers or not at all.
fn is_deadly(fault: &Fault) -> bool {
    use ErrorKind::*;
    matches!(
        fault.kind,
        Assertion
            | Abort
            | Panic
            | UncaughtException
            | Trap
            | DivisionByZero
            | DivisionOverflow
            | NullDereference
            | NullCall
    )
}

/// The tests that are written: those that a native program can be given.
fn chosen<'a>(results: &'a Results, options: &Options) -> Vec<&'a Test> {
    let is_chosen = |test: &&Test| match test.outcome {
        Outcome::Exit { .. } => !options.errors_only,
        // Natively, an assumption that cannot hold is a test that does not fit.
        Outcome::Error(ref fault) if fault.kind == ErrorKind::ImpossibleAssumption => {
            options.errors_only
        }
        Outcome::Error(_) => true,
        Outcome::Unfinished(_) => false,
    };
    let tests = results.tests.iter().filter(is_chosen);
    tests.filter(|test| test.failing_call().is_none()).collect()
}

/// Why tests of a run cannot be code that is compiled with the program: standard input, files and the environment of a
/// process are for a script to make.
fn needs_script(results: &Results) -> Option<ReportError> {
    let world = &results.run.world;
    let has_input = world
        .stdin
        .as_ref()
        .is_some_and(|stdin| *stdin != Contents::Piped)
        || results.run.piped.is_some();
    let is_plain = !has_input && world.files.is_empty() && world.environment.is_empty();
    (!is_plain).then(|| {
        let why = "tests with standard input, files or an environment: --as sh writes them";
        ReportError::Emit(why.into())
    })
}

/// The text of the program's main file.
fn program_text(results: &Results) -> Result<String, ReportError> {
    let path = &results.run.program;
    std::fs::read_to_string(path)
        .map_err(|error| ReportError::Emit(format!("cannot read {}: {error}", path.display())))
}

/// When the tests pass.
fn promise(results: &Results, options: &Options) -> String {
    let mut text = String::from(match options.errors_only {
        true => "They fail until the errors that Refrain has found are gone.",
        false => "They pass as long as the program ends as it did.",
    });
    if results.run.arithmetic == "integers" {
        text +=
            " Numbers were mathematical integers in the run: where they overflow, tests may fail.";
    }
    text
}

/// A line of a comment: nothing in it ends the comment or continues it.
fn comment(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || c == '\u{2028}' || c == '\u{2029}' {
            '?'
        } else {
            c
        }
    };
    let text: String = text.chars().map(plain).collect();
    let text = text.trim_end_matches([' ', '\\']);
    format!("// {text}").trim_end().to_string()
}

/// Words of a shell's command line.
fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./+,:@%".contains(c);
    let quoted = words.into_iter().map(|word| match word {
        word if !word.is_empty() && word.chars().all(is_plain) => word.to_string(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}
