//! Which solver program to run, and what it can do.

use std::env;
use std::path::{Path, PathBuf};

use super::features::Features;
use super::logic::Dialect;

/// A solver program: its command line, and the abilities in which such programs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// What it is called in messages and on the command line.
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
    pub assuming: Assuming,
    /// Whether it reads `((as const …) …)`.
    pub constant_arrays: bool,
    /// Whether `(reset)` brings it back to its start; otherwise it is started anew.
    pub can_reset: bool,
    dialect: Dialect,
}

/// How assumptions reach the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assuming {
    /// `check-sat-assuming` on literals that imply them; `get-unsat-assumptions` gives the core.
    Literals,
    /// Asserted on a level of their own, which any program with `push` and `pop` can do. The core is all of them.
    Scope,
}

impl Backend {
    /// The names that [`Backend::built_in`] knows.
    pub const BUILT_IN: [&str; 4] = ["z3", "cvc5", "yices", "bitwuzla"];

    /// A solver known by name, with the switches it needs for a session on its standard input.
    pub fn built_in(name: &str) -> Option<Backend> {
        let (program, args): (&str, &[&str]) = match name {
            "z3" => ("z3", &["-in", "-smt2"]),
            "cvc5" => ("cvc5", &["--incremental", "--lang=smt2"]),
            // Without its switch for SMT-LIB models, yices names arrays in a model instead of printing them.
            "yices" | "yices-smt2" => ("yices-smt2", &["--incremental", "--smt2-model-format"]),
            "bitwuzla" => ("bitwuzla", &["--lang", "smt2"]),
            _ => return None,
        };
        Some(Backend {
            name: name.to_owned(),
            program: program.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            assuming: Assuming::Literals,
            constant_arrays: program != "yices-smt2",
            can_reset: true,
            dialect: match program {
                "z3" => Dialect::Z3,
                "yices-smt2" => Dialect::Yices,
                "bitwuzla" => Dialect::BitVectors,
                _ => Dialect::Standard,
            },
        })
    }

    /// Any other program that speaks SMT-LIB 2 on its standard input and output. Nothing is expected of it beyond
    /// `push`, `pop`, `check-sat` and `get-value`, unless the program is one of the built-in ones by its name.
    pub fn command(program: &str, args: &[String]) -> Backend {
        let stem = Path::new(program)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let known = Backend::built_in(stem);
        Backend {
            name: format!("smtlib:{program}"),
            program: program.to_owned(),
            args: args.to_vec(),
            assuming: known
                .as_ref()
                .map_or(Assuming::Scope, |known| known.assuming),
            constant_arrays: known.as_ref().is_none_or(|known| known.constant_arrays),
            can_reset: known.as_ref().is_some_and(|known| known.can_reset),
            dialect: known.map_or(Dialect::Standard, |known| known.dialect),
        }
    }

    /// The file that would be run.
    pub fn find(&self) -> Option<PathBuf> {
        if self.program.contains('/') {
            return Some(PathBuf::from(&self.program)).filter(|path| is_executable(path));
        }
        let path = env::var_os("PATH")?;
        env::split_paths(&path)
            .map(|folder| folder.join(&self.program))
            .find(|path| is_executable(path))
    }

    /// How assumptions reach the program when questions have these features.
    pub(super) fn assuming(&self, features: Features) -> Assuming {
        match self.assuming {
            Assuming::Literals if self.dialect.has_cores(features) => Assuming::Literals,
            _ => Assuming::Scope,
        }
    }

    /// What is sent first; or why questions with these features are not for this program.
    pub(super) fn preamble(&self, features: Features) -> Result<String, &'static str> {
        if features.constant_arrays && !self.constant_arrays {
            return Err("it knows no constant arrays");
        }
        let mut text =
            String::from("(set-option :print-success false)\n(set-option :produce-models true)\n");
        if features.cores && self.assuming(features) == Assuming::Literals {
            text.push_str("(set-option :produce-unsat-assumptions true)\n");
        }
        let logic = self.dialect.logic(features)?;
        text.push_str(&format!("(set-logic {logic})\n"));
        Ok(text)
    }
}

fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let permitted = {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let permitted = true;
    metadata.is_file() && permitted
}
