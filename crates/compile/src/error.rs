//! What can go wrong before there is bitcode, each with what the user can do about it.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CompileError {
    #[error("no program was named")]
    NoInput,
    #[error("{} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("{} is a directory; name the files of the program", path.display())]
    Directory { path: PathBuf },
    #[error("{} is empty", path.display())]
    Empty { path: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is a thin archive that is cut off or malformed", .0.display())]
    BadArchive(PathBuf),
    #[error(
        "{} is nothing that can be compiled or run: not C (.c), C++ (.cc, .cpp, .cxx, .C, .c++), Rust (.rs), LLVM assembly (.ll), bitcode, an object file or an archive",
        path.display()
    )]
    Unknown { path: PathBuf },
    #[error(
        "{} is a native program without bitcode: build it with `refrain cc` (and strip it with nothing but `strip`)",
        path.display()
    )]
    NotKept { path: PathBuf },
    /// No compiler for a language, with what was looked for and what to install.
    #[error("{}", no_compiler(what, looked_for, install))]
    NoCompiler {
        what: &'static str,
        looked_for: String,
        install: &'static str,
    },
    /// A compiler refused its input: what it said, verbatim, and the command.
    #[error("{}`{command}` failed ({status})", with_newline(stderr))]
    Failed {
        command: String,
        status: std::process::ExitStatus,
        stderr: String,
    },
    #[error("cannot start `{command}`: {source}")]
    CannotStart { command: String, source: io::Error },
    #[error("`{command}` succeeded, but did not write {}", path.display())]
    NoOutput { command: String, path: PathBuf },
    #[error("{what}: {reason}")]
    Words { what: String, reason: &'static str },
    #[error(
        "a Rust program is a single .rs file; it cannot be built natively together with other inputs"
    )]
    MixedRust,
    #[error("memory cannot be checked natively: {reason}")]
    NotChecked { reason: &'static str },
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("cannot use a temporary directory: {0}")]
    Temporary(#[source] io::Error),
}

fn no_compiler(what: &str, looked_for: &str, install: &str) -> String {
    format!("there is no compiler for {what} here (looked for {looked_for}); {install}")
}

fn with_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_string()
    } else {
        format!("{text}\n")
    }
}
