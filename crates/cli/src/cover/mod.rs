//! `refrain cover`: what of the program the tests of a run execute, by line, branch and function.

mod gather;
mod own;
mod work;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use refrain_compile as compile;
use refrain_report::coverage::{self, Coverage, Moment};
use refrain_results::{OutputDirectory, Run, test_name};

use crate::asking::seconds;
use crate::complain;
use crate::program::{Bitcode, Sources, options_of};
use crate::replay::complain_of_changes;
use crate::replay::concrete::{Platform, Start};
use crate::selection::Selection;
use work::{Bench, Done};

/// Report which lines, branches and functions the tests of a run cover
///
/// The program is compiled again, without optimisation, and every test is executed in the machine. Counts are of
/// tests: a line with 3 is run by three of them.
///
/// Exit status: 0 if all is well, 1 if there is a report but sources have changed or a test could not be executed as
/// it says, 2 if there is none.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain cover refrain-last                  a table
  refrain cover refrain-last --html report    pages for a browser: report/index.html
  refrain cover refrain-last --lcov lcov.info --test 3")]
pub struct Arguments {
    /// The output directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Only this test; can be given more than once
    #[arg(long = "test", value_name = "N")]
    tests: Vec<u32>,

    /// Also count code of the system's headers and of Rust's standard library
    #[arg(long)]
    all_files: bool,

    /// Write a tracefile for lcov and genhtml
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write pages for a browser, with the source; DIR/index.html is the first
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,

    /// The longest that a test may take
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    timeout: Duration,

    /// Print the compiler commands to standard error
    #[arg(long, short)]
    verbose: bool,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let directory =
        OutputDirectory::open(&arguments.directory).map_err(|error| error.to_string())?;
    let run = directory.read_run().map_err(|error| error.to_string())?;
    let tests = Selection::of(&directory, &arguments.tests)?;
    if tests.numbers.is_empty() {
        return Err(format!("{} has no tests", directory.path().display()));
    }
    let mut is_doubtful = complain_of_changes(&run) || tests.is_damaged;
    let bench = bench(&run, arguments)?;
    let (outline, results) = bench.run_all(&tests)?;
    let mut done: Vec<Done> = Vec::new();
    for (&number, result) in tests.numbers.iter().zip(results) {
        let name = test_name(number);
        match result {
            Ok(test) => {
                if let Some(difference) = &test.difference {
                    is_doubtful = true;
                    complain(format_args!(
                        "{name} does not do what it says: {difference}"
                    ));
                }
                done.push(test);
            }
            Err(error) => {
                is_doubtful = true;
                complain(format_args!("{name} is left out: {error}"));
            }
        }
    }
    if done.is_empty() {
        return Err("no test could be executed".into());
    }
    let timeline = std::fs::read(directory.path().join("timeline.csv")).unwrap_or_default();
    let coverage = Coverage {
        name: name_of(&run),
        timeline: Moment::parse_table(&String::from_utf8_lossy(&timeline)),
        ..gather::gather(&outline, &done)
    };
    if coverage.files.is_empty() {
        return Err(
            "the program does not say which lines its code is from: it may have been compiled without -g"
                .into(),
        );
    }
    write(arguments, &coverage)?;
    // Whoever does not want to read on need not.
    let _ = io::stdout().write_all(coverage::table(&coverage).as_bytes());
    Ok(u8::from(is_doubtful))
}

fn name_of(run: &Run) -> String {
    let name = run.program.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The program of a run. It is not optimised, so that every line has code of its own.
fn bench(run: &Run, arguments: &Arguments) -> Result<Bench, String> {
    let options = compile::Options {
        opt_level: Some("0".into()),
        ..options_of(run)
    };
    let sources = Sources {
        with: run.with.clone(),
        check: run.checks.clone(),
        ..Sources::default()
    };
    let inputs = sources.inputs(run.program.clone());
    Ok(Bench {
        bitcode: Bitcode::build(&inputs, &options, arguments.verbose)?,
        options: sources.machine_options(),
        start: Start::of(run),
        platform: Platform::of(run)?,
        own: own::Own::new(run, arguments.all_files),
        limit: arguments.timeout,
    })
}

fn write(arguments: &Arguments, coverage: &Coverage) -> Result<(), String> {
    if let Some(path) = &arguments.lcov {
        write_file(path, &coverage::lcov(coverage))?;
    }
    if let Some(path) = &arguments.json {
        write_file(path, &format!("{:#}\n", coverage::json(coverage)))?;
    }
    if let Some(folder) = &arguments.html {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        for (name, text) in coverage::pages(coverage) {
            write_file(&folder.join(name), &text)?;
        }
        for file in coverage.files.iter().filter(|file| file.source.is_none()) {
            complain(format_args!(
                "{} cannot be read: its page has no source",
                file.path
            ));
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
