//! `refrain show`: tests, readable.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use refrain_results::{Outcome, Test, escaped, text};

use crate::diagnostic::{Diagnostic, describe_input};

/// Show tests: inputs, how the path ends, what is written
///
/// A .ktest file, which may be KLEE's, has inputs and arguments only; its .json file is shown in its place if there
/// is one.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain show refrain-last/test000003.json
  refrain show refrain-last/*.ktest | less")]
pub struct Arguments {
    /// .ktest or .json files
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    for (index, path) in arguments.tests.iter().enumerate() {
        let readable = path.with_extension("json");
        let is_ktest = path.extension().is_none_or(|ending| ending != "json");
        let mut with_outcome = true;
        let test = if is_ktest && readable.exists() && path.exists() {
            Test::read(&readable)
        } else {
            with_outcome = !is_ktest;
            Test::read(path)
        };
        let test = test.map_err(|error| error.to_string())?;
        let mut shown = if index > 0 {
            "\n".to_string()
        } else {
            String::new()
        };
        let _ = writeln!(shown, "{}", path.display());
        shown += &describe(&test, with_outcome);
        // A reader that went away has seen enough.
        if io::stdout().write_all(shown.as_bytes()).is_err() {
            break;
        }
    }
    Ok(0)
}

// Writing to a string does not fail.
fn describe(test: &Test, with_outcome: bool) -> String {
    let mut shown = String::new();
    let args: Vec<String> = test
        .args
        .iter()
        .map(|arg| format!("\"{}\"", text(arg)))
        .collect();
    if !args.is_empty() {
        let _ = writeln!(shown, "  arguments: {}", args.join(" "));
    }
    if with_outcome {
        match &test.outcome {
            Outcome::Exit { status } => {
                let _ = writeln!(shown, "  exit: {status}");
            }
            Outcome::Unfinished { why } => {
                let _ = writeln!(shown, "  not finished: {why}");
            }
            Outcome::Error(fault) => {
                let diagnostic = Diagnostic {
                    fault,
                    inputs: &[],
                    test: None,
                };
                for line in diagnostic.render(false).lines() {
                    let _ = writeln!(shown, "  {line}");
                }
            }
        }
    }
    if test.inputs.is_empty() {
        let _ = writeln!(shown, "  no inputs");
    }
    for input in &test.inputs {
        let _ = writeln!(shown, "  {}", describe_input(input));
    }
    for (name, bytes) in [
        ("standard output", &test.stdout),
        ("standard error", &test.stderr),
    ] {
        if !bytes.is_empty() {
            let _ = writeln!(shown, "  {name}:");
            for line in escaped(bytes).lines() {
                let _ = writeln!(shown, "    {line}");
            }
        }
    }
    if with_outcome {
        let covered = if test.new_coverage {
            "; it reaches new code"
        } else {
            ""
        };
        let _ = writeln!(
            shown,
            "  {} instructions, {} decisions{covered}",
            test.instructions,
            test.decisions.len()
        );
    }
    shown
}
