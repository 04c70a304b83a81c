//! The tests of a project, as bitcode: Cargo builds them, for a named target, so that what we tell rustc is not told
//! to build scripts and procedural macros, which run here and now.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::arguments::Project;
use crate::error::Error;
use crate::wrapper;

/// A test target.
#[derive(Debug)]
pub struct Program {
    /// As `cargo test` names it: `unittests src/lib.rs`.
    pub title: String,
    pub bitcode: PathBuf,
}

/// What rustc is told about everything that runs in the machine.
const FLAGS: &[&str] = &["--cfg=refrain", "--check-cfg=cfg(refrain)", "-Cpanic=abort"];

/// How things are compiled: as for tests, a little optimised, and in a form that can be joined to one program.
const PROFILE: &[&str] = &[
    "inherits='dev'",
    "opt-level=1",
    "debug=2",
    "debug-assertions=true",
    "overflow-checks=true",
    "incremental=false",
    "lto='fat'",
    "strip='none'",
];

const INSTALL: &str = "install Rust (https://rustup.rs)";

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Where the project's target directory is.
pub fn target_directory(project: &Project) -> Result<PathBuf, Error> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--no-deps"])
        .args(project.words())
        .output()
        .map_err(|source| Error::Start {
            program: "cargo".into(),
            source,
            hint: INSTALL,
        })?;
    let said = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).trim().to_string();
        Error::Said {
            program: "cargo",
            said: text.trim_start_matches("error: ").to_string(),
        }
    };
    if !output.status.success() {
        return Err(said(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| said(error.to_string().as_bytes()))?;
    let directory = metadata["target_directory"].as_str();
    directory
        .map(PathBuf::from)
        .ok_or_else(|| said(b"the project has no target directory"))
}

/// What rustc calls this machine.
fn host() -> Result<String, Error> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(&rustc)
        .arg("-vV")
        .output()
        .map_err(|source| Error::Start {
            program: rustc,
            source,
            hint: "install Rust (https://rustup.rs), or name a compiler in RUSTC",
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| Error::Said {
        program: "rustc",
        said: String::from_utf8_lossy(&output.stderr).trim().to_string(),
    })
}

/// Builds all tests of the project. What Cargo has to say goes to standard error.
pub fn build(project: &Project, folder: &Path, quiet: bool) -> Result<Vec<Program>, Error> {
    let host = host()?;
    let wrapper = std::env::current_exe().map_err(Error::file("cargo-refrain"))?;
    let mut command = cargo();
    command
        .args(["test", "--no-run", "--tests", "--profile=refrain"])
        .arg("--message-format=json-render-diagnostics")
        .arg(format!("--target={host}"))
        .arg("--target-dir")
        .arg(folder)
        .args(project.build_words());
    if quiet {
        command.arg("--quiet");
    }
    for setting in PROFILE {
        command
            .arg("--config")
            .arg(format!("profile.refrain.{setting}"));
    }
    command
        .env("CARGO_ENCODED_RUSTFLAGS", flags().join("\x1f"))
        .env_remove("RUSTFLAGS")
        .env("RUSTC_WORKSPACE_WRAPPER", wrapper)
        .env(wrapper::MARK, "1")
        .stdout(Stdio::piped());
    let start = |source| Error::Start {
        program: "cargo".into(),
        source,
        hint: INSTALL,
    };
    let mut child = command.spawn().map_err(start)?;
    let mut programs = Vec::new();
    if let Some(output) = child.stdout.take() {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        let messages = lines.filter_map(|line| serde_json::from_str(&line).ok());
        programs.extend(messages.filter_map(|message: Value| program(&message)));
    }
    let status = child.wait().map_err(start)?;
    if status.success() {
        Ok(programs)
    } else {
        Err(Error::Build)
    }
}

/// The flags that the user has in the environment, and ours.
fn flags() -> Vec<String> {
    let encoded = std::env::var("CARGO_ENCODED_RUSTFLAGS");
    let plain = std::env::var("RUSTFLAGS");
    let mut flags: Vec<String> = match (encoded, plain) {
        (Ok(flags), _) => flags.split('\x1f').map(String::from).collect(),
        (_, Ok(flags)) => flags.split_whitespace().map(String::from).collect(),
        _ => Vec::new(),
    };
    flags.retain(|flag| !flag.is_empty());
    flags.extend(FLAGS.iter().map(ToString::to_string));
    flags
}

/// The test that a message of Cargo says it has built.
fn program(message: &Value) -> Option<Program> {
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let bitcode = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
    let source = Path::new(message["target"]["src_path"].as_str().unwrap_or_default());
    let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(manifest);
    let shown = source.strip_prefix(folder).unwrap_or(source).display();
    let kinds = message["target"]["kind"].as_array()?;
    let title = if kinds.iter().any(|kind| kind == "test") {
        shown.to_string()
    } else {
        format!("unittests {shown}")
    };
    Some(Program { title, bitcode })
}
