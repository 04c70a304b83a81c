//! In front of rustc, for the packages of the project: a test becomes the bitcode of a library that has the
//! properties and all they need, the standard library included.
//!
//! It is compiled as `cfg(test)`, but without the test harness: that has a `main` which we do not run, and it cannot
//! be had with panics that abort, which is what lets a failure be seen where it begins. What Cargo takes for the
//! executable is the bitcode. Programs that integration tests might start are not linked, and neither is anything
//! else: `true` is the linker.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The variable by which Cargo's child knows that it is the wrapper.
pub const MARK: &str = "CARGO_REFRAIN_WRAPPER";

pub fn is_meant() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs `RUSTC ARGS…` as the arguments say, or what is needed instead.
pub fn run() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(rustc) = words.next() else {
        return ExitCode::FAILURE;
    };
    let words: Vec<OsString> = words.collect();
    let texts: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let (words, output) = match texts.map(|texts| changed(&texts)) {
        Some((changed, output)) => (changed.into_iter().map(OsString::from).collect(), output),
        None => (words, None),
    };
    match Command::new(&rustc).args(words).status() {
        Ok(status) => {
            // Cargo would build it again each time if it were not there.
            if let Some(output) = output.filter(|path| status.success() && !path.exists()) {
                let _ = std::fs::write(output, "");
            }
            ExitCode::from(status.code().map_or(1, |code| code as u8))
        }
        Err(error) => {
            eprintln!("error: {} cannot be started: {error}", rustc.display());
            ExitCode::FAILURE
        }
    }
}

/// Other arguments where it is a test or a program, and the file that is expected then.
fn changed(words: &[&str]) -> (Vec<String>, Option<PathBuf>) {
    let unchanged = || words.iter().map(ToString::to_string).collect();
    // Build scripts and procedural macros are for the host, and are not built for a target. Questions build nothing.
    if !is_set(words, "--target") || !is_set(words, "--out-dir") {
        return (unchanged(), None);
    }
    if words.contains(&"--test") {
        let (words, output) = as_library(words);
        return (words, Some(output));
    }
    let is_linked = ["bin", "cdylib", "dylib"];
    if !is_linked
        .iter()
        .any(|kind| values(words, "--crate-type").contains(kind))
    {
        return (unchanged(), None);
    }
    let mut changed: Vec<String> = unchanged();
    changed.extend(["-Clinker=true".into(), "-Clto=off".into()]);
    let is_program = values(words, "--crate-type").contains(&"bin");
    (changed, is_program.then(|| executable(words)))
}

fn as_library(words: &[&str]) -> (Vec<String>, PathBuf) {
    let output = executable(words);
    let mut changed = Vec::new();
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--test" => {}
            "--crate-type" | "--emit" => {
                rest.next();
            }
            _ if word.starts_with("--crate-type=") || word.starts_with("--emit=") => {}
            _ => changed.push(word.to_string()),
        }
    }
    let bitcode = output.display();
    changed.push(format!(
        "--emit=dep-info,llvm-bc={bitcode},link={bitcode}.so"
    ));
    changed.extend(
        [
            "--crate-type=cdylib",
            "--cfg=test",
            "--cap-lints=allow",
            "-Clto=fat",
            "-Ccodegen-units=1",
            "-Clinker=true",
        ]
        .map(String::from),
    );
    (changed, output)
}

/// Where Cargo looks for the program that rustc makes.
fn executable(words: &[&str]) -> PathBuf {
    let one = |name| values(words, name).first().copied().unwrap_or_default();
    let extra = values(words, "-C")
        .into_iter()
        .find_map(|option| option.strip_prefix("extra-filename="));
    let file = format!("{}{}", one("--crate-name"), extra.unwrap_or_default());
    PathBuf::from(one("--out-dir")).join(file)
}

fn is_set(words: &[&str], name: &str) -> bool {
    !values(words, name).is_empty()
}

/// What an option is set to, each time: as `--name value`, as `--name=value`, or as `-Cvalue`.
fn values<'a>(words: &[&'a str], name: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if *word == name {
            found.extend(words.get(index + 1).copied());
        } else if let Some(rest) = word.strip_prefix(name) {
            if let Some(value) = rest.strip_prefix('=') {
                found.push(value);
            } else if name.len() == 2 {
                found.push(rest);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &[&str] = &[
        "--crate-name",
        "shop",
        "--edition=2024",
        "src/lib.rs",
        "--emit=dep-info,link",
        "--test",
        "-C",
        "metadata=1",
        "-C",
        "extra-filename=-1",
        "--out-dir",
        "/t/deps",
        "--target",
        "x86_64-unknown-linux-gnu",
    ];

    #[test]
    fn a_test_becomes_bitcode_where_its_program_would_be() {
        let (words, output) = changed(TEST);
        assert_eq!(output, Some(PathBuf::from("/t/deps/shop-1")));
        let emit = "--emit=dep-info,llvm-bc=/t/deps/shop-1,link=/t/deps/shop-1.so";
        assert!(words.iter().any(|word| word == emit), "{words:?}");
        assert!(!words.iter().any(|word| word == "--test"));
        assert!(words.iter().any(|word| word == "metadata=1"));
    }

    #[test]
    fn what_is_for_the_host_stays_as_it_is() {
        let host = &TEST[..TEST.len() - 2];
        assert_eq!(changed(host).0, host);
    }

    #[test]
    fn libraries_stay_as_they_are_and_programs_are_not_linked() {
        let library = ["--crate-type", "lib", "--target=x", "--out-dir=d"];
        assert_eq!(changed(&library).0, library);
        let program = ["--crate-type", "bin", "--target=x", "--out-dir=d"];
        assert!(changed(&program).0.contains(&"-Clinker=true".to_string()));
    }

    #[test]
    fn questions_stay_as_they_are_and_leave_no_file() {
        let question = "- --crate-name ___ --print=file-names --crate-type bin --target x";
        let question: Vec<&str> = question.split(' ').collect();
        let (words, output) = changed(&question);
        assert_eq!(words, question);
        assert_eq!(output, None);
    }
}
