//! `cargo xtask proofs`: every proof of the repository's scripts is accepted by `refrain proof check`, and its
//! propositional part by rate, a checker of DRAT by others.

use crate::workspace::{self, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where scripts are.
const FOLDERS: &[&str] = &[
    "crates/smtlib/tests/fixtures",
    "crates/cli/tests/found",
    "crates/reuse/tests/sent",
    "examples/smt",
];

pub fn check(rate: &Path) -> Result<()> {
    let refrain = workspace::refrain_binary()?;
    let scratch = workspace::target().join("xtask-proofs");
    std::fs::create_dir_all(&scratch).context("cannot make a folder for proofs")?;
    let mut count = 0;
    for script in scripts()? {
        count += check_script(&refrain, rate, &script, &scratch)?;
    }
    if count == 0 {
        bail!("there are no proofs");
    }
    println!("{count} proofs verified by rate");
    std::fs::remove_dir_all(&scratch).context("cannot remove the folder of proofs")
}

fn scripts() -> Result<Vec<PathBuf>> {
    let mut scripts = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(workspace::root().join(folder));
        for entry in entries.with_context(|| format!("cannot read {folder}"))? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "smt2")
            {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    Ok(scripts)
}

/// How many proofs of a script there are, all of which are accepted.
fn check_script(refrain: &Path, rate: &Path, script: &Path, scratch: &Path) -> Result<usize> {
    let file = |name: &str| scratch.join(name);
    let (proof, cnf, drat) = (file("proof"), file("it.cnf"), file("it.drat"));
    // Scripts with errors in them, which many of the fixtures are, have proofs of the rest.
    Command::new(refrain)
        .args(["smt", "--max-time", "5", "--no-status-check", "--proof"])
        .args([&proof, script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start refrain")?;
    let text = std::fs::read_to_string(&proof).context("there is no file of proofs")?;
    let count = text.matches("refrain-proof ").count();
    if count == 0 {
        return Ok(0);
    }
    run(Command::new(refrain)
        .args(["proof", "check"])
        .args([script, &proof])
        .stdout(Stdio::null()))?;
    for number in 1..=count {
        run(Command::new(refrain)
            .args(["proof", "export", "--number", &number.to_string()])
            .args([script, &proof])
            .arg("--cnf")
            .arg(&cnf)
            .arg("--drat")
            .arg(&drat))?;
        let said = Command::new(rate)
            .arg("--forward")
            .args([&cnf, &drat])
            .output();
        let said = said.context("cannot start rate")?.stdout;
        let said = String::from_utf8_lossy(&said);
        if !said.lines().any(|line| line == "s VERIFIED") {
            bail!("{}: rate refuses proof {number}:\n{said}", script.display());
        }
    }
    Ok(count)
}
