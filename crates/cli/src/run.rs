//! `refrain run`: a program from its sources or its bitcode.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use refrain_compile as compile;
use refrain_explore::{Machine as _, Stop};
use refrain_llvm::image::Options;
use refrain_llvm::machine::{End, Error, Machine, Place, Unsupported};
use refrain_llvm::native::Host;
use refrain_llvm::program;
use refrain_term::Terms;

use crate::complain;

/// Run a program
///
/// PROGRAM is C, C++ or Rust source, LLVM bitcode (.bc, or objects and archives that carry it) or assembly (.ll). More files of the program
/// follow with --with. A program without symbolic input is simply run: its output and its exit status are those of the native program, unless
/// an error is found in it.
///
/// Exit status: the program's own; 1 if an error was found in it, 2 if it could not be run.
#[derive(Args)]
pub struct Arguments {
    /// The program, and its arguments: options for refrain come before it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_names = ["PROGRAM", "ARGS"])]
    program: Vec<OsString>,

    /// More sources or bitcode of the same program
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,

    /// Flags for clang, after $CFLAGS
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    cflags: Vec<String>,

    /// Flags for rustc, after $RUSTFLAGS
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    rustflags: Vec<String>,

    /// The function to start at
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    entry: String,

    /// Also look for: overflow (of signed calculations), uninitialised (reads)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["overflow", "uninitialised"])]
    check: Vec<String>,

    /// Say on standard error how many instructions ran, how fast, and what was compiled how
    #[arg(long, short)]
    verbose: bool,
}

/// Standard input and output, as they are.
struct Console;

impl Host for Console {
    fn write(&mut self, descriptor: i32, bytes: &[u8]) -> bool {
        // A reader that went away is the program's business only natively.
        let _ = match descriptor {
            1 => io::stdout()
                .write_all(bytes)
                .and_then(|()| io::stdout().flush()),
            _ => io::stderr().write_all(bytes),
        };
        true
    }

    fn read(&mut self, len: usize) -> Vec<u8> {
        let mut buffer = vec![0; len.min(1 << 16)];
        let read = io::stdin().read(&mut buffer).unwrap_or(0);
        buffer.truncate(read);
        buffer
    }

    fn read_file(&mut self, path: &[u8]) -> Option<Vec<u8>> {
        std::fs::read(std::ffi::OsStr::from_bytes(path)).ok()
    }
}

pub fn run(arguments: &Arguments) -> Result<u8, String> {
    if arguments.program[0].as_bytes().starts_with(b"-") {
        let option = arguments.program[0].display();
        return Err(format!(
            "no option {option}; `refrain run --help` lists them"
        ));
    }
    let (mut machine, mut state) = load(arguments)?;
    let args: Vec<Vec<u8>> = arguments
        .program
        .iter()
        .map(|arg| arg.as_bytes().to_vec())
        .collect();
    let environment: Vec<Vec<u8>> = std::env::vars_os()
        .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
        .collect();
    machine
        .start(&mut state, &arguments.entry, &args, &environment)
        .map_err(|error| error.to_string())?;
    let mut terms = Terms::new();
    let started = Instant::now();
    let end = loop {
        match machine.run(&mut terms, &mut state, u64::MAX) {
            Stop::OutOfFuel => {}
            Stop::End(end) => break end,
            Stop::Ask(_) => {
                return Err(
                    "the program makes input symbolic; exploring its paths is not built yet".into(),
                );
            }
        }
    };
    if arguments.verbose {
        let seconds = started.elapsed().as_secs_f64();
        let millions = state.instructions as f64 / 1e6;
        complain(format!(
            "{} instructions in {seconds:.3} s, {:.0} million a second",
            state.instructions,
            millions / seconds
        ));
    }
    if !matches!(end, End::Exit(_)) {
        // What the program had to say before it went wrong is still in its buffers.
        machine.flush(&mut terms, &mut state);
    }
    Ok(match end {
        End::Exit(status) => status as u8,
        End::Silent => 0,
        End::Error(error) => {
            complain(describe(&error));
            1
        }
        End::Unsupported(what) => {
            complain(describe_unsupported(&what));
            if what.missing_function.is_some() {
                complain(format!(
                    "functions that are used and not defined: {}",
                    machine.linked().missing().join(", ")
                ));
            }
            2
        }
    })
}

fn load(arguments: &Arguments) -> Result<(Machine, refrain_llvm::machine::State), String> {
    let inputs: Vec<PathBuf> = [PathBuf::from(&arguments.program[0])]
        .into_iter()
        .chain(arguments.with.iter().cloned())
        .collect();
    let options = compile::Options {
        cflags: split(&arguments.cflags)?,
        rustflags: split(&arguments.rustflags)?,
        ..compile::Options::default()
    };
    let built = compile::to_bitcode(&inputs, &options).map_err(|error| error.to_string())?;
    let _ = io::stderr().write_all(built.messages.as_bytes());
    for note in &built.notes {
        complain(note);
    }
    if arguments.verbose {
        for command in &built.commands {
            complain(command);
        }
    }
    let started = Instant::now();
    // The C++ runtime comes last, and gives way to what the program defines itself.
    let (modules, runtime) = built.modules.split_at(inputs.len());
    let mut runtime = runtime.to_vec();
    let file = |module: &'_ compile::Module| (module.name.clone(), module.bytes.clone());
    let files: Vec<(String, Vec<u8>)> = modules.iter().map(file).collect();
    let mut assembled = assemble(&files, &runtime)?;
    let lacks_runtime =
        |name: &&str| matches!(*name, "__gxx_personality_v0" | "_Znwm" | "__cxa_throw");
    if runtime.is_empty() && assembled.program.undefined().iter().any(lacks_runtime) {
        match compile::cxx_runtime(&options) {
            Ok(built) => {
                runtime = built.modules;
                assembled = assemble(&files, &runtime)?;
            }
            Err(error) => complain(format!(
                "the program is C++, and its runtime could not be compiled: {error}"
            )),
        }
    }
    for note in &assembled.notes {
        complain(note);
    }
    let checks = |what: &str| arguments.check.iter().any(|check| check == what);
    let options = Options {
        check_overflow: checks("overflow"),
        check_uninitialised: checks("uninitialised"),
        keep_variables_in_memory: checks("uninitialised"),
    };
    let loaded = Machine::new(assembled.program, options, Box::new(Console))
        .map_err(|error| error.to_string())?;
    if arguments.verbose {
        complain(format!(
            "read and linked in {:.3} s",
            started.elapsed().as_secs_f64()
        ));
    }
    Ok(loaded)
}

fn assemble(
    files: &[(String, Vec<u8>)],
    runtime: &[compile::Module],
) -> Result<program::Assembled, String> {
    let files = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let libraries: Vec<program::File<'_>> = runtime
        .iter()
        .map(|module| (module.name.as_str(), module.bytes.as_slice()))
        .collect();
    program::assemble(files, &libraries).map_err(|error| error.to_string())
}

fn split(flags: &[String]) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for text in flags {
        words.extend(compile::split_words("flags", text).map_err(|error| error.to_string())?);
    }
    Ok(words)
}

fn place(place: &Place) -> String {
    if place.line == 0 {
        return format!("  in {}", place.function);
    }
    format!(
        "  in {} at {}:{}:{}",
        place.function, place.file, place.line, place.column
    )
}

/// The stack without the frames of Rust's own library, and not endless.
fn trace(places: &[Place]) -> Vec<String> {
    const MOST: usize = 20;
    let is_own = |place: &&Place| !place.file.starts_with("/rustc/");
    let own: Vec<&Place> = places.iter().filter(is_own).collect();
    let shown = if own.is_empty() {
        places.iter().collect()
    } else {
        own
    };
    let mut lines: Vec<String> = shown.iter().take(MOST).map(|shown| place(shown)).collect();
    if shown.len() > MOST {
        lines.push(format!("  … and {} more", shown.len() - MOST));
    }
    lines
}

fn describe(error: &Error) -> String {
    let mut lines = vec![format!("error: {}", error.kind.name())];
    if !error.message.is_empty() {
        lines[0] += &format!(": {}", error.message);
    }
    if let Some(object) = &error.object {
        let name = if object.name.is_empty() {
            String::new()
        } else {
            format!("{}, ", object.name)
        };
        let kind = format!("{:?}", object.kind).to_lowercase();
        let bytes = error.access.map_or(0, |(_, bytes)| bytes);
        lines.push(format!(
            "  object: {name}{} bytes, {kind}; {}",
            object.size,
            object.miss(bytes)
        ));
        for (what, places) in [
            ("allocated", &object.allocated_at),
            ("freed", &object.freed_at),
        ] {
            if let Some(first) = places.first() {
                lines.push(format!(
                    "  {what}{}",
                    place(first)
                        .trim_start_matches(' ')
                        .replacen("in ", " in ", 1)
                ));
            }
        }
    } else if let Some((address, _)) = error.access {
        lines.push(format!("  address: {address:#x}"));
    }
    lines.extend(trace(&error.trace));
    lines.join("\n")
}

fn describe_unsupported(what: &Unsupported) -> String {
    let mut lines = vec![format!("cannot go on: {}", what.what)];
    lines.extend(trace(&what.trace));
    lines.join("\n")
}
