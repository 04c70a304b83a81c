//! Every kind of error has a program that has it, beside what must be said about it (`.expected`) and, where no
//! headers of the system come into it, the whole report (`.report`, written anew with `REFRAIN_BLESS=1`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line `key: value` of an expectation.
fn expected(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        line.strip_prefix(key)?
            .strip_prefix(": ")
            .map(str::to_string)
    })
}

/// The functions that a report names, innermost first, and the line of the first that has one in the program's file.
fn trace(report: &str, file: &str) -> (Vec<String>, Option<String>) {
    let mut functions = Vec::new();
    let mut line_of = None;
    for line in report.lines().filter_map(|line| line.strip_prefix("  in ")) {
        let (function, place) = line.rsplit_once(" at ").unwrap_or((line, ""));
        if place.contains(file) {
            // Without parameters and paths, as the expectation has it.
            let function = function.split('(').next().unwrap_or(function);
            functions.push(function.to_string());
            let mut numbers = place.rsplit(':');
            numbers.next();
            if line_of.is_none() {
                line_of = numbers.next().map(str::to_string);
            }
        }
    }
    (functions, line_of)
}

/// Where things lie depends on the environment that a program is started with.
fn without_addresses(report: &str) -> String {
    let lines = report.lines().map(|line| match line.find("address: 0x") {
        Some(at) => &line[..at + "address: 0x".len()],
        None => line,
    });
    lines.map(|line| format!("{line}\n")).collect()
}

fn mismatch(source: &Path) -> Option<String> {
    let name = source.file_name()?.to_string_lossy().to_string();
    let text = fs::read_to_string(source.with_extension("expected")).ok()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command.arg("run").env_remove("RUST_BACKTRACE");
    if let Some(flags) = expected(&text, "flag") {
        command.args(flags.split_whitespace());
    }
    if name.ends_with(".cpp") {
        command.arg("--cflags=-std=c++17");
    }
    // Places are named from here.
    command.current_dir(source.parent()?);
    let output = command.arg(&name).output().expect("refrain starts");
    let report = without_addresses(&String::from_utf8_lossy(&output.stderr));
    let fail = |what: String| Some(format!("{name}: {what}\n{report}"));
    if output.status.code() != Some(1) {
        return fail(format!("status {:?} instead of 1", output.status.code()));
    }
    let kind = expected(&text, "kind")?;
    if !report.contains(&format!("error: {kind}")) {
        return fail(format!("no \"error: {kind}\""));
    }
    if let Some(object) = expected(&text, "object")
        && !report.contains(&format!("object: {object}"))
    {
        return fail(format!("no \"object: {object}\""));
    }
    for key in ["miss", "message"] {
        if let Some(wanted) = expected(&text, key)
            && !report.contains(&wanted)
        {
            return fail(format!("no \"{wanted}\""));
        }
    }
    let (functions, line) = trace(&report, &name);
    if let Some(wanted) = expected(&text, "line")
        && line.as_ref() != Some(&wanted)
    {
        return fail(format!("line {line:?} instead of {wanted}"));
    }
    let wanted: Vec<String> = expected(&text, "stack")?
        .split_whitespace()
        .map(str::to_string)
        .collect();
    let ends_as = |function: &String, wanted: &String| {
        function == wanted || function.ends_with(&format!("::{wanted}"))
    };
    let mut found = functions.iter();
    for wanted in &wanted {
        if !found.any(|function| ends_as(function, wanted)) {
            return fail(format!(
                "{wanted} is not in its place on the stack {functions:?}"
            ));
        }
    }
    if name.ends_with(".cpp") {
        return None;
    }
    let whole = source.with_extension("report");
    if std::env::var_os("REFRAIN_BLESS").is_some() {
        fs::write(&whole, &report).expect("the corpus can be written");
    }
    let wanted = fs::read_to_string(&whole).unwrap_or_default();
    if report != wanted {
        return fail(format!("the report is to be\n{wanted}\nand is"));
    }
    None
}

fn check(ending: &str, at_least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/errors");
    let mut sources: Vec<PathBuf> = fs::read_dir(root)
        .expect("the corpus is in the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    sources.sort();
    assert!(sources.len() >= at_least, "the corpus is not all there");
    let failures: Vec<String> = sources
        .iter()
        .filter_map(|source| mismatch(source))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} differ:\n{}",
        failures.len(),
        sources.len(),
        failures.join("\n")
    );
}

#[test]
fn errors_in_c() {
    check("c", 25);
}

#[test]
fn errors_in_cpp() {
    check("cpp", 5);
}

#[test]
fn errors_in_rust() {
    check("rs", 8);
}
