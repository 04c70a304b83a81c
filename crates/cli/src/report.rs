//! `refrain report`: the results of a run, for other tools.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use refrain_report::{Output, Results};

use crate::complain;

/// Write the results of a run in the format of another tool
///
/// Errors are reported once per site. Paths are relative to the current directory where they are below it.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain report refrain-last --as sarif -o refrain.sarif    for code hosts and editors
  refrain report refrain-last --as junit -o junit.xml        for servers for continuous integration
  refrain report refrain-last --as json | jq '.errors[]'     for scripts
  refrain report refrain-last --as testcomp -o suite.zip     for TestCov
  refrain report refrain-last --as corpus -o corpus          for AFL++ (-i corpus) and libFuzzer

Exit status: 0 if the report was written, 1 if it was but tests are damaged and left out, 2 if not; whether errors were
found makes no difference.")]
pub struct Arguments {
    /// The output directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    #[arg(long = "as", value_name = "FORMAT")]
    format: Format,

    /// Where it goes: a file [default: standard output]; of testcomp and corpus, a new directory or a .zip file
    #[arg(long, short, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// SARIF 2.1.0: errors with place, call stack and input
    Sarif,
    /// JUnit's XML: a case for each test
    Junit,
    /// Everything of the run in one document
    Json,
    /// Test-Comp's exchange format: XML files
    Testcomp,
    /// The bytes of each test's inputs, errors below crashes/
    Corpus,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let results = read(&arguments.directory)?;
    let text = |error: refrain_report::ReportError| error.to_string();
    let output = match arguments.format {
        Format::Sarif => Output::Text(refrain_report::sarif(&results).map_err(text)?),
        Format::Junit => Output::Text(refrain_report::junit(&results).map_err(text)?),
        Format::Json => Output::Text(refrain_report::json(&results).map_err(text)?),
        Format::Testcomp => Output::Tree(refrain_report::testcomp(&results).map_err(text)?),
        Format::Corpus => Output::Tree(refrain_report::corpus(&results)),
    };
    match (&output, &arguments.output) {
        (_, Some(path)) => output.write(path).map_err(text)?,
        (Output::Text(text), None) => print(text)?,
        (Output::Tree(_), None) => {
            return Err("this format is many files: name a directory with -o".into());
        }
    }
    Ok(u8::from(!results.damage.is_empty()))
}

/// Says which tests cannot be read.
pub fn read(directory: &Path) -> Result<Results, String> {
    let root = std::env::current_dir()
        .map_err(|error| format!("cannot tell the current directory: {error}"))?;
    let results = Results::read(directory, &root).map_err(|error| error.to_string())?;
    for note in results.torn_tail.iter().chain(&results.damage) {
        complain(note);
    }
    Ok(results)
}

/// A reader that went away has seen enough.
pub fn print(text: &[u8]) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}
