//! `refrain emit`: the tests of a run as unit tests.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use refrain_report::{Output, ReportError, emit};

use crate::report::{print, read};

/// Write the tests of a run as unit tests that a project can keep
///
/// What is written says at its top how it is compiled. Tests of a whole program run it in a process each, with the
/// test's input, and compare how it ends; tests of a function (run with --entry) call it. A test that ended in an
/// error expects that error; with --errors-only it expects that it is gone.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain emit refrain-last --as c -o tests/parser_refrain.c
  refrain emit refrain-last --as rust -o src/parser_refrain.rs
  refrain emit refrain-last --as sh -o tests/wc.sh                # of a run with --sym-args, --sym-stdin, …
  refrain emit refrain-last --as c --errors-only -o regress.c     # fails until the errors are gone

Exit status: 0 if the tests were written, 1 if some are damaged and left out, 2 if none were written.")]
pub struct Arguments {
    /// The output directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    #[arg(long = "as", value_name = "LANGUAGE")]
    language: Language,

    /// Where they go [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only tests that ended in an error, each to fail until the error is gone
    #[arg(long)]
    errors_only: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// One file to compile with a C or C++ program; klee/klee.h and refrain.h are put beside it if the program
    /// includes them
    C,
    /// A module of the program's file
    Rust,
    /// A script for bash that runs the program in the world of each test and compares output and status
    Sh,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let results = read(&arguments.directory)?;
    let name = match arguments.language {
        Language::C => "tests.c",
        Language::Rust => "tests.rs",
        Language::Sh => "tests.sh",
    };
    let file = arguments.output.as_deref().unwrap_or(Path::new(name));
    let options = emit::Options {
        errors_only: arguments.errors_only,
        file: std::path::absolute(file).map_err(|error| format!("{}: {error}", file.display()))?,
    };
    let written = match arguments.language {
        Language::C => emit::c(&results, &options),
        Language::Rust => emit::rust(&results, &options),
        Language::Sh => emit::sh(&results, &options),
    };
    let text = written.map_err(|error| error.to_string())?;
    let status = u8::from(!results.damage.is_empty());
    let Some(path) = &arguments.output else {
        print(text.as_bytes())?;
        return Ok(status);
    };
    let is_code = !matches!(arguments.language, Language::Sh);
    if is_code && emit::needs_headers(&results) {
        provide_headers(&options.file)?;
    }
    let written = Output::Text(text.into_bytes()).write(path);
    written.map_err(|error| error.to_string())?;
    Ok(status)
}

/// The headers that `refrain run` brings along, beside the tests, where there are none.
fn provide_headers(file: &Path) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let create = |path: &Path| {
        std::fs::create_dir_all(path).map_err(|source| ReportError::Write {
            path: path.to_path_buf(),
            source,
        })
    };
    for (name, text) in refrain_compile::HEADERS {
        let header = folder.join(name);
        if !header.exists() {
            create(header.parent().unwrap_or(folder))
                .and_then(|()| Output::Text(text.into()).write(&header))
                .map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
