//! `refrain smt` as a real client sees it: PySMT's generic solver, driven by a script in Python.

use crate::install;
use crate::workspace::{self, run};
use anyhow::Result;
use std::process::Command;

/// Runs the PySMT problems against the release binary, or against another solver command.
pub fn test(command: Option<&str>) -> Result<()> {
    let words: Vec<String> = match command {
        Some(command) => command.split_whitespace().map(str::to_string).collect(),
        None => vec![
            workspace::refrain_binary()?.display().to_string(),
            "smt".to_string(),
        ],
    };
    let script = workspace::root().join("tests-external/pysmt_client.py");
    run(Command::new(install::venv().join("bin/python"))
        .arg(script)
        .args(words))
}
