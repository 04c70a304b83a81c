//! `refrain show`: tests, readable, and as files for other tools.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use refrain_machine::Role;
use refrain_report::Output;
use refrain_results::{Cause, Outcome, OutputDirectory, Run, Test, escaped, test_name, text};

use crate::complain;
use crate::diagnostic::{Diagnostic, command_of, describe_input};
use crate::selection::Selection;

/// Show tests: inputs, how the path ends, what is written
///
/// TEST is the output directory of a run, whose tests are all shown, or one of them as DIR:N, or a file. A .ktest file,
/// which may be KLEE's, has inputs and arguments only.
///
/// Exit status: 0 if all tests were shown, 1 if some are damaged, 2 if there is nothing to show.
#[derive(Args)]
#[command(after_help = "Examples:
  refrain show refrain-last | less               all tests of the newest run
  refrain show refrain-last --test 3             one of them
  refrain show refrain-last --json | jq .inputs  for scripts
  refrain show --ktest refrain-last --out tests  KLEE's files, for other tools")]
pub struct Arguments {
    /// Output directories, DIR:N, .ktest or .json files
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,

    /// Only the test of this number of an output directory; may be repeated
    #[arg(long = "test", value_name = "N")]
    numbers: Vec<u32>,

    /// Write a file in KLEE's format for each test, test000001.ktest and so on [default: beside what is named]
    #[arg(long, conflicts_with = "json")]
    ktest: bool,

    /// Write JSON, to standard output or, with --out, to a file for each test
    #[arg(long)]
    json: bool,

    /// Where files go
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How tests are shown.
enum Form {
    Text,
    Json,
    /// Files of this ending, in a folder or beside what is named.
    Files(&'static str, Option<PathBuf>),
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    let form = match (arguments.ktest, arguments.json, &arguments.out) {
        (true, _, out) => Form::Files("ktest", out.clone()),
        (_, true, Some(out)) => Form::Files("json", Some(out.clone())),
        (_, true, None) => Form::Json,
        (_, _, None) => Form::Text,
        (_, _, Some(_)) => return Err("--out needs --ktest or --json".into()),
    };
    if let Form::Files(_, Some(folder)) = &form {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    }
    if let Some(number) = arguments.numbers.first()
        && !arguments.tests.iter().any(|path| path.is_dir())
    {
        return Err(format!("--test {number} is of an output directory"));
    }
    let mut shown = Shown {
        form,
        count: 0,
        is_damaged: false,
    };
    for path in &arguments.tests {
        let goes_on = if path.is_dir() {
            shown.directory(path, &arguments.numbers)?
        } else {
            let test = Test::read(path).map_err(|error| error.to_string())?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            let run = run_of(path);
            shown.test(
                &test,
                run.as_ref(),
                &path.display().to_string(),
                &stem,
                folder,
            )?
        };
        if !goes_on {
            break;
        }
    }
    Ok(u8::from(shown.is_damaged))
}

struct Shown {
    form: Form,
    count: usize,
    is_damaged: bool,
}

impl Shown {
    /// Whether somebody still listens.
    fn directory(&mut self, path: &Path, numbers: &[u32]) -> Result<bool, String> {
        let selection = Selection::in_directory(path, numbers)?;
        let run = { OutputDirectory::open(path) }.and_then(|directory| directory.read_run());
        let run = run.ok();
        self.is_damaged |= selection.is_damaged;
        for &number in &selection.numbers {
            let title = format!("{}:{number}", path.display());
            let goes_on = match selection.read(number) {
                Ok(test) => self.test(&test, run.as_ref(), &title, &test_name(number), path)?,
                Err(error) => {
                    complain(error);
                    self.is_damaged = true;
                    true
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn test(
        &mut self,
        test: &Test,
        run: Option<&Run>,
        title: &str,
        name: &str,
        beside: &Path,
    ) -> Result<bool, String> {
        self.count += 1;
        let written = match &self.form {
            Form::Files(ending, folder) => {
                let folder = folder.as_deref().unwrap_or(beside);
                let bytes = match *ending {
                    "ktest" => test.to_ktest(),
                    _ => test.to_json().into_bytes(),
                };
                let written = Output::Text(bytes).write(&folder.join(format!("{name}.{ending}")));
                return written.map(|()| true).map_err(|error| error.to_string());
            }
            Form::Json => test.to_json(),
            Form::Text => {
                let blank = if self.count > 1 { "\n" } else { "" };
                format!("{blank}{title}\n{}", describe(test, run))
            }
        };
        // A reader that went away has seen enough.
        Ok(io::stdout().write_all(written.as_bytes()).is_ok())
    }
}

/// The run that a test is of, if it is named as DIR:N.
fn run_of(path: &Path) -> Option<Run> {
    let (directory, _) = path.to_str()?.rsplit_once(':')?;
    OutputDirectory::open(Path::new(directory))
        .ok()?
        .read_run()
        .ok()
}

// Writing to a string does not fail.
fn describe(test: &Test, run: Option<&Run>) -> String {
    let mut shown = String::new();
    let args: Vec<String> = test
        .args
        .iter()
        .map(|arg| format!("\"{}\"", text(arg)))
        .collect();
    if !args.is_empty() {
        let _ = writeln!(shown, "  arguments: {}", args.join(" "));
    }
    let surroundings = match run {
        Some(run) => run.surroundings(test),
        None => Run::default().surroundings(test),
    };
    if let Some(command) = command_of(test, &surroundings) {
        let _ = writeln!(shown, "  command: {command}");
    }
    match &test.outcome {
        Outcome::Exit {
            status,
            depends_on_input,
        } => {
            let depends = match depends_on_input {
                true => ", and another status for other inputs of the path",
                false => "",
            };
            let _ = writeln!(shown, "  exit: {status}{depends}");
        }
        Outcome::Unfinished(Cause::NotRecorded) => {}
        Outcome::Unfinished(cause) => {
            let _ = writeln!(shown, "  not finished: {cause}");
        }
        Outcome::Error(fault) => {
            let diagnostic = Diagnostic {
                fault,
                inputs: &[],
                command: None,
                test: None,
            };
            for line in diagnostic.render(false).lines() {
                let _ = writeln!(shown, "  {line}");
            }
        }
    }
    if test.inputs.is_empty() {
        let _ = writeln!(shown, "  no inputs");
    }
    // What there is of the world is told by the arguments and the command.
    let is_told = |role: Role| matches!(role, Role::Argument | Role::Count | Role::Length);
    for input in test.inputs.iter().filter(|input| !is_told(input.role)) {
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
    if test.outcome != Outcome::Unfinished(Cause::NotRecorded) {
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
