//! Other solvers and engines, where they are installed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that somebody else made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    pub name: &'static str,
    pub program: PathBuf,
    /// What it is called with, before a script.
    pub arguments: &'static [&'static str],
    /// What it says of itself.
    pub version: String,
}

/// The engine that most of the papers build on.
pub const KLEE: &str = "klee";

/// Name, program, and what makes it answer an incremental script.
const KNOWN: [(&str, &str, &[&str]); 5] = [
    ("z3", "z3", &["-smt2"]),
    ("yices", "yices-smt2", &["--incremental"]),
    ("cvc5", "cvc5", &["--incremental", "--lang=smt2"]),
    ("bitwuzla", "bitwuzla", &[]),
    (KLEE, "klee", &[]),
];

/// Those that are on the path, each with its version.
pub fn installed() -> Vec<Peer> {
    let found = |(name, program, arguments): (_, &str, _)| {
        let program = on_path(program)?;
        let version = version(&program)?;
        Some(Peer {
            name,
            program,
            arguments,
            version,
        })
    };
    KNOWN.into_iter().filter_map(found).collect()
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut places = env::split_paths(&folders).map(|folder| folder.join(program));
    places.find(|place| place.is_file())
}

/// The first line that it answers with; none if it cannot be started.
fn version(program: &Path) -> Option<String> {
    let asked = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&asked.stdout).into_owned();
    let line = said.lines().find(|line| !line.trim().is_empty());
    Some(line.unwrap_or_default().trim().to_owned())
}

impl Peer {
    /// The switch that makes it give up after so many seconds.
    pub fn limit(&self, seconds: f64) -> String {
        let whole = seconds.ceil().max(1.0);
        match self.name {
            "z3" => format!("-T:{whole}"),
            "yices" => format!("--timeout={whole}"),
            "cvc5" => format!("--tlimit={}", whole * 1000.0),
            _ => format!("--time-limit={}", whole * 1000.0),
        }
    }
}
