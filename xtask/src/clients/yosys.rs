//! yosys-smtbmc: circuits unrolled step by step, with each of the solvers' names. A trace to a violated assertion is
//! given to the real z3 as constraints, which must find the same violation.

use super::Guest;
use crate::workspace::{self, run};
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked about a circuit.
struct Problem {
    circuit: &'static str,
    /// With the assertion that does not hold.
    wrong: bool,
    switches: &'static [&'static str],
    passes: bool,
}

const fn problem(circuit: &'static str, switches: &'static [&'static str]) -> Problem {
    Problem {
        circuit,
        wrong: false,
        switches,
        passes: true,
    }
}

const fn wrong(circuit: &'static str) -> Problem {
    Problem {
        circuit,
        wrong: true,
        switches: &[],
        passes: false,
    }
}

const PROBLEMS: [Problem; 6] = [
    problem("counter", &[]),
    problem("counter", &["-i"]),
    problem("counter", &["-c"]),
    wrong("counter"),
    problem("queue", &[]),
    wrong("queue"),
];

const STEPS: &str = "12";

pub fn test(guest: &Guest) -> Result<()> {
    for problem in PROBLEMS {
        let formulas = compile(problem.circuit, problem.wrong)?;
        for solver in ["z3", "yices", "bitwuzla"] {
            let trace = formulas.with_extension(format!("{solver}.smtc"));
            let mut switches = problem.switches.to_vec();
            let place = trace.to_string_lossy().into_owned();
            if !problem.passes {
                switches.extend(["--dump-smtc", &place]);
            }
            let said = check(&formulas, solver, &switches, &guest.search_path())?;
            let asked = || {
                format!(
                    "{} {:?} by {solver}:\n{said}",
                    problem.circuit, problem.switches
                )
            };
            ensure!(passed(&said) == Some(problem.passes), "{}", asked());
            if !problem.passes {
                let path = std::env::var_os("PATH").unwrap_or_default();
                let again = check(&formulas, "z3", &["--smtc", &place], &path)?;
                ensure!(
                    violated(&again).is_some() && violated(&again) == violated(&said),
                    "with this trace z3 says\n{again}\n{}",
                    asked()
                );
            }
        }
    }
    Ok(())
}

/// The circuit as formulas.
fn compile(circuit: &str, wrong: bool) -> Result<PathBuf> {
    let source = workspace::root().join(format!("tests-external/yosys/{circuit}.v"));
    let name = if wrong { "-wrong" } else { "" };
    let formulas = workspace::target().join(format!("xtask-clients/{circuit}{name}.smt2"));
    let define = if wrong { "-DWRONG" } else { "" };
    run(Command::new("yosys").args(["-q", "-p"]).arg(format!(
        "read_verilog -formal {define} {}; prep -top {circuit} -nordff; write_smt2 -wires {}",
        source.display(),
        formulas.display()
    )))?;
    Ok(formulas)
}

fn check(formulas: &Path, solver: &str, switches: &[&str], path: &OsStr) -> Result<String> {
    let output = Command::new("yosys-smtbmc")
        .args(["-s", solver, "-t", STEPS])
        .args(switches)
        .arg(formulas)
        .env("PATH", path)
        .output()
        .context("cannot start yosys-smtbmc")?;
    let said = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// What it says in the end.
fn passed(said: &str) -> Option<bool> {
    let last = said.lines().rev().find(|line| line.contains("Status:"))?;
    match last.rsplit(' ').next() {
        Some("PASSED") => Some(true),
        Some("FAILED") => Some(false),
        _ => None,
    }
}

/// The last step that was reached, and what is violated there.
fn violated(said: &str) -> Option<(&str, &str)> {
    let ending = |words: &str| {
        said.lines()
            .rev()
            .find_map(|line| Some(line.split_once(words)?.1))
    };
    Some((ending("assertions in step ")?, ending("Assert failed in ")?))
}
