//! Rust: one file is one program. The bitcode of the whole program, standard library included, is what fat link-time
//! optimisation works on; rustc writes it out when it believes that it links, so the linker is a program that does
//! nothing.

use crate::session::Session;
use crate::{CompileError, read, words};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn bitcode(session: &mut Session, source: &Path) -> Result<Vec<u8>, CompileError> {
    // Everything goes to a folder of its own: rustc leaves files behind under the program's name for a moment.
    let folder = session.output("rust");
    std::fs::create_dir(&folder).map_err(CompileError::Temporary)?;
    let (mut command, flags) = compile(session)?;
    command.args(["-C", "lto=fat", "-C", "codegen-units=1"]);
    if !names(&flags, "linker") {
        command.args(["-C", "linker=true"]);
    }
    command
        .arg("--out-dir")
        .arg(&folder)
        .arg("--emit=dep-info,llvm-bc,link")
        .args(&flags)
        .arg(source);
    session.run(command, &folder)?;
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let bitcode = files
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "bc"))
        .unwrap_or_else(|| folder.join("program.bc"));
    session.depends_by(&bitcode.with_extension("d"));
    read(&bitcode)
}

pub(crate) fn native(
    session: &mut Session,
    source: &Path,
    output: &Path,
) -> Result<(), CompileError> {
    let (mut command, flags) = compile(session)?;
    command.args(&flags).arg("-o").arg(output).arg(source);
    session.run(command, output)
}

/// Bitcode and native program in one go, so that they are the same code; more objects are linked to the program.
pub(crate) fn replay(
    session: &mut Session,
    source: &Path,
    objects: &[PathBuf],
    tracing: &[&str],
    linker: Option<&Path>,
    output: &Path,
) -> Result<Vec<u8>, CompileError> {
    let folder = session.output("rust");
    std::fs::create_dir(&folder).map_err(CompileError::Temporary)?;
    let (mut command, flags) = compile(session)?;
    command
        .args(["-C", "lto=fat", "-C", "codegen-units=1"])
        .args(tracing);
    for object in objects {
        command.arg(format!("-Clink-arg={}", object.display()));
    }
    if let Some(linker) = linker {
        command.arg(format!("-Clinker={}", linker.display()));
    }
    command
        .arg("--out-dir")
        .arg(&folder)
        .args(["--emit=llvm-bc,link", "--crate-type=bin"])
        .args(&flags)
        .arg(source);
    session.run(command, &folder)?;
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    let of_ending = |ending: Option<&str>| {
        let is = |path: &&PathBuf| path.extension().and_then(|found| found.to_str()) == ending;
        files.iter().find(is).cloned()
    };
    let program = of_ending(None).unwrap_or_else(|| folder.join("program"));
    let bitcode = read(&of_ending(Some("bc")).unwrap_or_else(|| folder.join("program.bc")))?;
    std::fs::rename(&program, output)
        .or_else(|_| std::fs::copy(&program, output).map(drop))
        .map_err(CompileError::Temporary)?;
    Ok(bitcode)
}

/// The compiler and its defaults where the flags say nothing else, and these flags. Panics abort, since a report is
/// made where they begin; overflow and debug assertions are checked, as when one tests.
fn compile(session: &Session) -> Result<(Command, Vec<String>), CompileError> {
    let options = session.options;
    let mut flags = match &options.environment.rustflags {
        Some(text) => words::split("RUSTFLAGS", text)?,
        None => Vec::new(),
    };
    flags.extend(options.rustflags.iter().cloned());
    let mut command = Command::new(find(session)?);
    if !flags.iter().any(|flag| flag.starts_with("--edition")) {
        command.args(["--edition", "2024"]);
    }
    let optimised = names(&flags, "opt-level") || flags.iter().any(|flag| flag == "-O");
    match &options.opt_level {
        Some(level) => {
            flags.retain(|flag| flag != "-O");
            flags.push(format!("-Copt-level={level}"));
        }
        None if !optimised => {
            // No optimiser of Rust's can be told to leave floats where they are.
            let level = if options.keep_float_operations { 0 } else { 1 };
            command.arg(format!("-Copt-level={level}"));
        }
        None => {}
    }
    if options.debug && !names(&flags, "debuginfo") && !flags.iter().any(|flag| flag == "-g") {
        command.arg("-Cdebuginfo=2");
    }
    for (name, value) in [
        ("panic", "abort"),
        ("overflow-checks", "on"),
        ("debug-assertions", "on"),
    ] {
        if !names(&flags, name) {
            command.arg(format!("-C{name}={value}"));
        }
    }
    Ok((command, flags))
}

/// Whether the flags set this code generation option.
fn names(flags: &[String], option: &str) -> bool {
    flags.iter().any(|flag| {
        let flag = flag.strip_prefix("-C").unwrap_or(flag);
        flag.trim_start()
            .strip_prefix(option)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    })
}

fn find(session: &Session) -> Result<PathBuf, CompileError> {
    let environment = &session.options.environment;
    let name = environment.rustc.as_deref().unwrap_or("rustc");
    environment
        .find(name)
        .ok_or_else(|| CompileError::NoCompiler {
            what: "Rust",
            looked_for: name.to_string(),
            install: "install Rust (https://rustup.rs), or name a compiler in RUSTC",
        })
}
