//! KLEE on the programs that are explored here, where it is installed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::error::{Result, at};
use crate::process::Runner;

use super::peer::Peer;
use super::results::Measured;
use super::runner::{failure, measured};

/// What the programs include.
const HEADER: &str = "\
#include <stddef.h>
#include <stdint.h>
void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int klee_range(int begin, int end, const char *name);
int klee_int(const char *name);
void klee_prefer_cex(void *object, uintptr_t condition);
";

/// Compiles a program and explores it. Of our switches, KLEE has the search, the time and what the compiler is told.
pub fn explore(
    runner: &Runner,
    klee: &Peer,
    program: &Path,
    options: &[OsString],
    folder: &Path,
) -> Result<std::result::Result<Measured, String>> {
    let include = folder.join("klee");
    fs::create_dir_all(&include).map_err(at(&include))?;
    let header = include.join("klee.h");
    fs::write(&header, HEADER).map_err(at(&header))?;
    let bitcode = folder.join("program.bc");
    let options: Vec<String> = options
        .iter()
        .map(|option| option.to_string_lossy().into_owned())
        .collect();
    let mut compile: Vec<OsString> = [
        "-c",
        "-emit-llvm",
        "-g",
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
    ]
    .map(OsString::from)
    .into();
    compile.extend(["-I".into(), folder.into()]);
    let flags = options
        .iter()
        .filter_map(|option| option.strip_prefix("--cflags="));
    compile.extend(flags.map(OsString::from));
    compile.extend([program.into(), "-o".into(), bitcode.clone().into()]);
    let compiled = runner.call_other(Path::new("clang"), &compile)?;
    if compiled.status != Some(0) {
        return Ok(Err(format!("clang: {}", failure(&compiled))));
    }
    let value = |name: &str| {
        let place = options.iter().position(|option| option == name)?;
        options.get(place + 1)
    };
    let mut arguments = vec![
        OsString::from("--output-dir"),
        folder.join("klee-out").into(),
    ];
    if let Some(search) = value("--search") {
        arguments.push(format!("--search={search}").into());
    }
    if let Some(seconds) = value("--max-time") {
        arguments.push(format!("--max-time={seconds}s").into());
    }
    arguments.push(bitcode.into());
    let ended = runner.call_other(&klee.program, &arguments)?;
    if ended.status != Some(0) {
        return Ok(Err(failure(&ended)));
    }
    let info = folder.join("klee-out").join("info");
    let told = fs::read_to_string(&info).map_err(at(&info))?;
    Ok(Ok(measured(&ended, counts(&told))))
}

/// What KLEE counts, under our names.
fn counts(info: &str) -> BTreeMap<String, f64> {
    let names = [
        ("KLEE: done: completed paths =", "paths.completed"),
        ("KLEE: done: partially completed paths =", "paths.killed"),
        ("KLEE: done: total queries =", "queries.total"),
        ("KLEE: done: total instructions =", "instructions"),
    ];
    let count = |(begin, name): (&str, &str)| {
        let found = info.lines().find_map(|line| line.strip_prefix(begin))?;
        Some((name.to_owned(), found.trim().parse().ok()?))
    };
    names.into_iter().filter_map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let info = "Started: now\nKLEE: done: total instructions = 1234\nKLEE: done: completed paths = 7\nKLEE: done: partially completed paths = 0\n";
        let found = counts(info);
        assert_eq!(
            (found["instructions"], found["paths.completed"]),
            (1234.0, 7.0)
        );
        assert_eq!(found.get("queries.total"), None);
    }
}
