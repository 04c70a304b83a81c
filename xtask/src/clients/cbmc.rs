//! CBMC, with its formulas in one script for each question and with an incremental solver. The text of each assertion
//! says whether it holds. What CBMC chose for one that fails goes into the same program, compiled by clang.

use super::Guest;
use crate::install;
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs, and whether CBMC's incremental solver can express them: with floats and quantifiers it gives up,
/// whatever solver it is given.
const PROGRAMS: [(&str, bool); 5] = [
    ("arithmetic", true),
    ("strings", true),
    ("pointers", true),
    ("floats", false),
    ("quantifiers", false),
];

pub fn test(guest: &Guest) -> Result<()> {
    let cbmc = install::cbmc()?;
    for (program, incremental) in PROGRAMS {
        let source = workspace::root().join(format!("tests-external/cbmc/{program}.c"));
        let native = compile(&source)?;
        let mut ways: Vec<Vec<String>> = ["--z3", "--bitwuzla", "--yices"]
            .map(|way| vec![way.to_string()])
            .into();
        if incremental {
            let solver = format!("{} smt", guest.refrain.display());
            ways.push(vec!["--incremental-smt2-solver".to_string(), solver]);
        }
        for way in ways {
            let properties = check(&cbmc, guest, &source, &way)?;
            judge(&properties, &native).with_context(|| format!("{program}.c, {}", way[0]))?;
        }
    }
    Ok(())
}

/// The program with the functions that replay a counterexample.
fn compile(source: &Path) -> Result<PathBuf> {
    let folder = workspace::target().join("xtask-clients");
    let name = source.file_stem().context("a source has a name")?;
    let program = folder.join(name);
    workspace::run(
        Command::new("clang")
            .args(["-w", "-include"])
            .arg(source.with_file_name("native.h"))
            .arg(source)
            .arg("-o")
            .arg(&program),
    )?;
    Ok(program)
}

/// A property, as CBMC reports it.
struct Property {
    text: String,
    holds: bool,
    /// What was chosen on the way to its violation, as bits.
    choices: Vec<String>,
}

fn check(cbmc: &Path, guest: &Guest, source: &Path, way: &[String]) -> Result<Vec<Property>> {
    let output = Command::new(cbmc)
        .arg(source)
        .args(["--json-ui", "--trace"])
        .args(way)
        .env("PATH", guest.search_path())
        .output()
        .with_context(|| format!("cannot start {}", cbmc.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let report: Value =
        serde_json::from_str(&said).with_context(|| format!("CBMC breaks off:\n{said}"))?;
    let parts = report.as_array().context("CBMC reports a list")?;
    let results = parts.iter().find_map(|part| part["result"].as_array());
    let results = results.with_context(|| format!("CBMC has no result:\n{said}"))?;
    let mut properties = Vec::new();
    for result in results {
        let status = result["status"].as_str().unwrap_or_default();
        ensure!(
            matches!(status, "SUCCESS" | "FAILURE"),
            "{} is neither proved nor violated:\n{said}",
            result["description"]
        );
        properties.push(Property {
            text: result["description"]
                .as_str()
                .unwrap_or_default()
                .to_string(),
            holds: status == "SUCCESS",
            choices: choices(&result["trace"]),
        });
    }
    Ok(properties)
}

/// What the functions without a body return along a trace.
fn choices(trace: &Value) -> Vec<String> {
    let steps = trace.as_array().into_iter().flatten();
    let chosen = steps.filter(|step| {
        let name = step["lhs"].as_str().unwrap_or_default();
        name.starts_with("return_value_nondet_") && step["hidden"] != true
    });
    chosen
        .filter_map(|step| Some(step["value"]["binary"].as_str()?.to_string()))
        .collect()
}

fn judge(properties: &[Property], native: &Path) -> Result<()> {
    let failing = properties
        .iter()
        .filter(|property| property.text.starts_with("fails: "));
    ensure!(
        failing.count() > 0,
        "the assertions are not among the properties"
    );
    for property in properties {
        let Property {
            text,
            holds,
            choices,
        } = property;
        if *holds == text.starts_with("fails: ") {
            bail!("`{text}` is {}", if *holds { "proved" } else { "violated" });
        }
        if !holds {
            let choices = choices.join(",");
            let output = Command::new(native).env("CHOICES", &choices).output()?;
            let said = String::from_utf8_lossy(&output.stdout);
            ensure!(
                said.lines().any(|line| line == text) && output.status.success(),
                "`{text}` holds natively with {choices}:\n{said}"
            );
        }
    }
    Ok(())
}
