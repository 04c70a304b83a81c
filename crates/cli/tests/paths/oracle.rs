//! The native program on every input: which of them have the same trace and the same kind of end. A status that the
//! program ends with may depend on the input: nothing branches on it.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use refrain_compile as compile;

use crate::corpus::{self, Program};
use crate::domain::Domain;

/// How a native run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Exit(i32),
    /// An assertion that does not hold, or a place that must not be reached.
    Assertion,
    /// An access that is not allowed.
    Memory,
    Signal(i32),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exit(status) => write!(f, "exit {status}"),
            Outcome::Assertion => write!(f, "an assertion failure"),
            Outcome::Memory => write!(f, "a memory error"),
            Outcome::Signal(number) => write!(f, "signal {number}"),
        }
    }
}

/// A path: inputs with the same trace and the same kind of end.
pub struct Class {
    /// That of the example.
    pub outcome: Outcome,
    /// One of its inputs.
    pub example: usize,
    pub size: usize,
}

pub struct Oracle {
    pub classes: Vec<Class>,
    /// The path of each input, and how it ends; none if an assumption excludes it.
    pub of_input: Vec<Option<(usize, Outcome)>>,
}

impl Oracle {
    pub fn describe(&self, domain: &Domain) -> String {
        let mut text = String::new();
        for class in &self.classes {
            let _ = writeln!(
                text,
                "  {:4} inputs such as {}: {}",
                class.size,
                domain.describe(class.example),
                class.outcome
            );
        }
        text
    }
}

/// The part of every native program that makes its runs.
pub fn compile_runtime(folder: &Path) -> PathBuf {
    let object = folder.join("oracle.o");
    let status = Command::new("cc")
        .args(["-c", "-O1", "-o"])
        .arg(&object)
        .arg(corpus::root().join("oracle.c"))
        .status()
        .expect("a C compiler");
    assert!(status.success(), "the oracle's runtime does not compile");
    object
}

/// Builds the native program and runs it on every input.
pub fn ask(program: &Program, runtime: &Path, folder: &Path) -> Result<Oracle, String> {
    let binary = folder.join(format!("{}.native", program.name));
    let result = folder.join(format!("{}.runs", program.name));
    build(program, runtime, &binary)?;
    let status = Command::new(&binary)
        .env("ORACLE_DOMAIN", program.domain.to_lines())
        .env("ORACLE_OUT", &result)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("the native runs: {status}"));
    }
    let runs = fs::read_to_string(&result).map_err(|error| error.to_string())?;
    let mut classes = Vec::new();
    let mut of_input = Vec::new();
    let mut known = HashMap::new();
    for (input, line) in runs.lines().enumerate() {
        let (trace, outcome) = line.split_once(' ').ok_or("a line of the native runs")?;
        let Some(outcome) = outcome_of(outcome)
            .map_err(|error| format!("{}: {error}", program.domain.describe(input)))?
        else {
            of_input.push(None);
            continue;
        };
        let kind = match outcome {
            Outcome::Exit(_) => Outcome::Exit(0),
            other => other,
        };
        let class = *known.entry((trace.to_string(), kind)).or_insert_with(|| {
            classes.push(Class {
                outcome,
                example: input,
                size: 0,
            });
            classes.len() - 1
        });
        classes[class].size += 1;
        of_input.push(Some((class, outcome)));
    }
    if of_input.len() != program.domain.size() {
        return Err("the native runs are not all there".to_string());
    }
    Ok(Oracle { classes, of_input })
}

/// As `refrain run` compiles, and with every basic block telling that it runs.
fn build(program: &Program, runtime: &Path, binary: &Path) -> Result<(), String> {
    let mut options = compile_options(program);
    let mut inputs = vec![program.source.clone()];
    if program.name.ends_with(".rs") {
        let flags = [
            "-Ccodegen-units=1",
            "-Cpasses=sancov-module",
            "-Cllvm-args=-sanitizer-coverage-level=2",
            "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
            "-Cllvm-args=-sanitizer-coverage-prune-blocks=0",
        ];
        options.rustflags.extend(flags.map(String::from));
        let runtime = format!("-Clink-arg={}", runtime.display());
        options.rustflags.push(runtime);
    } else {
        let coverage = "-fsanitize-coverage=trace-pc-guard,bb,no-prune";
        options.cflags.push(coverage.to_string());
        if program.sanitize {
            options.cflags.push("-fsanitize=address".to_string());
        }
        inputs.push(runtime.to_path_buf());
    }
    compile::native(&inputs, &options, binary)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// What a program is compiled with, natively and to bitcode.
pub fn compile_options(program: &Program) -> compile::Options {
    let mut options = compile::Options::default();
    if program.name.ends_with(".cpp") {
        options.cflags.push("-std=c++17".to_string());
    }
    options
}

fn outcome_of(text: &str) -> Result<Option<Outcome>, String> {
    let number = |text: &str| text.parse::<i32>().map_err(|error| error.to_string());
    Ok(Some(match text.split_once(' ') {
        Some(("exit", status)) => Outcome::Exit(number(status)?),
        Some(("signal", signal)) => Outcome::Signal(number(signal)?),
        None if text == "assertion" => Outcome::Assertion,
        None if text == "memory" => Outcome::Memory,
        None if text == "none" => return Ok(None),
        _ => return Err(format!("the native run ended in `{text}`")),
    }))
}
