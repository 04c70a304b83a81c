//! Choosing a solver by name, as on the command line: `native`, `z3`, `cvc5`, `yices`, `bitwuzla`, `smtlib:CMD ARGS…`.
//!
//! Several, separated by commas, make a [portfolio](crate::portfolio): `native,z3,cvc5` asks the native solver, and
//! the others once it has not decided in time. The command after `smtlib:` is split into words at spaces. Single or
//! double quotes keep spaces and commas, and a backslash outside of single quotes takes the next character as it is:
//! `smtlib:mysolver --opts=a\,b,z3` and `smtlib:mysolver '--opts=a,b',z3` both name two solvers.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Solver;
use crate::portfolio::{Member, Portfolio};
use crate::process::{Backend, Process};

/// What else there is to say about the solver.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long the first solver of a portfolio has before the others are asked too.
    pub handoff: Duration,
    /// Where to write what solver processes are sent: the file, or with several processes its name with a number
    /// before the extension for each after the first.
    pub tee: Option<PathBuf>,
    /// Whether solver processes are sent names for subterms that [other paths share](Process::name_shared).
    pub name_shared: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            handoff: Duration::from_secs(2),
            tee: None,
            name_shared: false,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error("no solver is named")]
    Empty,
    #[error("{0:?}: no such solver; there are native, {known} and smtlib:COMMAND", known = Backend::BUILT_IN.join(", "))]
    Unknown(String),
    #[error("{program}: not found on PATH; install it or choose another --solver")]
    NotInstalled { program: String },
    #[error("{0}: not found, or not executable; check the path or choose another --solver")]
    NoSuchFile(String),
    #[error("smtlib: needs a command, as in smtlib:mysolver --incremental")]
    NoCommand,
    #[error("a quote or a backslash has no end in {0:?}")]
    Unfinished(String),
    #[error("{path}: cannot be written: {error}", path = path.display())]
    Tee { path: PathBuf, error: io::Error },
}

/// The names in a spec, in order.
pub fn names(spec: &str) -> Result<Vec<String>, SelectError> {
    let names = split(spec, |c| c == ',', Keep::AsWritten)?;
    Ok(names.iter().map(|name| name.trim().to_owned()).collect())
}

/// The solver, or the portfolio of solvers, that `spec` names.
pub fn from_spec(spec: &str, options: &Options) -> Result<Box<dyn Solver>, SelectError> {
    let mut members = Vec::new();
    let mut processes = 0;
    for name in names(spec)? {
        if name.is_empty() {
            return Err(SelectError::Empty);
        }
        if name == "native" {
            members.push(Member::Inside(native()));
            continue;
        }
        let mut process = Process::new(backend(&name)?);
        process.name_shared(options.name_shared);
        if let Some(path) = &options.tee {
            let path = numbered(path, processes);
            process
                .tee(&path)
                .map_err(|error| SelectError::Tee { path, error })?;
        }
        processes += 1;
        members.push(Member::from(process));
    }
    if members.is_empty() {
        return Err(SelectError::Empty);
    }
    let first = members.remove(0);
    Ok(match first {
        first if !members.is_empty() => Box::new(Portfolio::new(first, members, options.handoff)),
        Member::Process(process) => process,
        Member::Inside(solver) => solver,
    })
}

fn native() -> Box<dyn Solver> {
    Box::new(crate::native::Native::new())
}

/// The program that one name of a spec stands for, if it is there.
fn backend(name: &str) -> Result<Backend, SelectError> {
    let backend = match name.strip_prefix("smtlib:") {
        Some(command) => {
            let mut words = split(command, char::is_whitespace, Keep::Meaning)?;
            words.retain(|word| !word.is_empty());
            let (program, args) = words.split_first().ok_or(SelectError::NoCommand)?;
            Backend::command(program, args)
        }
        None => Backend::built_in(name).ok_or_else(|| SelectError::Unknown(name.to_owned()))?,
    };
    if backend.find().is_some() {
        return Ok(backend);
    }
    Err(if backend.program.contains('/') {
        SelectError::NoSuchFile(backend.program)
    } else {
        SelectError::NotInstalled {
            program: backend.program,
        }
    })
}

/// Whether quotes and backslashes stay in the parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    AsWritten,
    Meaning,
}

/// Splits at separators that are neither quoted nor behind a backslash.
fn split(
    text: &str,
    separates: impl Fn(char) -> bool,
    keep: Keep,
) -> Result<Vec<String>, SelectError> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if quote.is_none() && separates(c) {
            parts.push(String::new());
            continue;
        }
        let escapes = c == '\\' && quote != Some('\'');
        let opens = quote.is_none() && matches!(c, '\'' | '"');
        let closes = quote == Some(c);
        if opens {
            quote = Some(c);
        } else if closes {
            quote = None;
        }
        let part = parts.last_mut().expect("there is always a part");
        if keep == Keep::AsWritten || !(escapes || opens || closes) {
            part.push(c);
        }
        if escapes {
            part.push(
                chars
                    .next()
                    .ok_or_else(|| SelectError::Unfinished(text.to_owned()))?,
            );
        }
    }
    if quote.is_some() {
        return Err(SelectError::Unfinished(text.to_owned()));
    }
    Ok(parts)
}

/// `path` for number 0, and then `replay.1.smt2` for `replay.smt2`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let extension = path
        .extension()
        .map(|extension| format!(".{}", extension.to_string_lossy()));
    path.with_extension(format!("{number}{}", extension.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_spaces_can_be_kept() {
        let names = |spec: &str| split(spec, |c| c == ',', Keep::AsWritten).expect("well-formed");
        let words =
            |text: &str| split(text, char::is_whitespace, Keep::Meaning).expect("well-formed");
        assert_eq!(names("native,z3"), ["native", "z3"]);
        assert_eq!(names(r"smtlib:s --o=a\,b,z3"), [r"smtlib:s --o=a\,b", "z3"]);
        assert_eq!(names("smtlib:s '--o=a,b',z3"), ["smtlib:s '--o=a,b'", "z3"]);
        assert_eq!(words(r"s --o=a\,b"), ["s", "--o=a,b"]);
        assert_eq!(
            words(r#"'my solver' "a 'b' \" c""#),
            ["my solver", r#"a 'b' " c"#]
        );
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |spec: &str| {
            from_spec(spec, &Options::default())
                .map(|_| ())
                .expect_err("a mistake")
                .to_string()
        };
        assert_eq!(
            message("z4"),
            "\"z4\": no such solver; there are native, z3, cvc5, yices, bitwuzla and smtlib:COMMAND"
        );
        assert_eq!(message(""), "no solver is named");
        assert_eq!(message("z3,"), "no solver is named");
        assert_eq!(
            message("smtlib: "),
            "smtlib: needs a command, as in smtlib:mysolver --incremental"
        );
        assert_eq!(
            message("smtlib:no-such-solver -x"),
            "no-such-solver: not found on PATH; install it or choose another --solver"
        );
        assert_eq!(
            message("smtlib:/no/such/file"),
            "/no/such/file: not found, or not executable; check the path or choose another --solver"
        );
        assert_eq!(
            message("smtlib:a 'b"),
            "a quote or a backslash has no end in \"smtlib:a 'b\""
        );
    }

    #[test]
    fn replay_files_are_numbered() {
        assert_eq!(numbered(Path::new("d/r.smt2"), 0), Path::new("d/r.smt2"));
        assert_eq!(numbered(Path::new("d/r.smt2"), 2), Path::new("d/r.2.smt2"));
        assert_eq!(numbered(Path::new("d/r"), 1), Path::new("d/r.1"));
    }
}
