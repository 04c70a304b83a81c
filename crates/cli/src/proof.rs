//! `refrain proof`: proofs that were written by `refrain smt --proof`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use refrain_proof::text::write_plain_clause;
use refrain_proof::{Propositional, Script};
use refrain_prove::{Limits, NotProved};
use refrain_smtlib::ProofCounts;

use crate::{complain, input};

/// Exit status of a check that refused the proof.
const REFUSED: u8 = 1;

/// Check proofs of 'unsat' answers, or write their propositional part for other checkers
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the proofs in a file against the script that they are about
    ///
    /// The checker shares no code with the solver: it reads and encodes the script itself.
    ///
    /// Exit status: 0 if all proofs are accepted, 1 if one is refused, 2 if a file could not be read.
    Check {
        /// The script, plain or compressed with zstd
        script: PathBuf,

        /// The proofs, as `refrain smt --proof` wrote them
        proof: PathBuf,
    },

    /// Write the propositional part of a proof as DIMACS, LRAT and DRAT, for checkers of these
    ///
    /// The clauses are those of the encoding and of the theories' rules; that they hold is what `check` looks at.
    Export {
        /// The script, plain or compressed with zstd
        script: PathBuf,

        /// The proofs, as `refrain smt --proof` wrote them
        proof: PathBuf,

        /// Which proof of the file
        #[arg(long, default_value = "1", value_name = "N")]
        number: usize,

        /// Where the clauses go
        #[arg(long, value_name = "FILE")]
        cnf: PathBuf,

        /// Where the derivation goes, with the clauses that propagate
        #[arg(long, value_name = "FILE")]
        lrat: Option<PathBuf>,

        /// Where the derivation goes without them
        #[arg(long, value_name = "FILE")]
        drat: Option<PathBuf>,
    },
}

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    match &arguments.command {
        Command::Check { script, proof } => check(script, proof),
        Command::Export {
            script,
            proof,
            number,
            cnf,
            lrat,
            drat,
        } => {
            let parts = parts(script, proof)?;
            let Some(parts) = parts else {
                return Ok(REFUSED);
            };
            let part = number.checked_sub(1).and_then(|place| parts.get(place));
            let missing = || format!("{}: there is no proof {number}", proof.display());
            let part = part.ok_or_else(missing)?;
            write(cnf, &dimacs(part))?;
            lrat.as_deref()
                .map_or(Ok(()), |path| write(path, &part.lrat))?;
            drat.as_deref()
                .map_or(Ok(()), |path| write(path, &part.drat))?;
            Ok(0)
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn check(script: &Path, proof: &Path) -> Result<u8, String> {
    let (script, text) = (input::read_script(script)?, read(proof)?);
    match refrain_proof::check(&script, &text) {
        Ok(accepted) => {
            for proof in accepted {
                println!(
                    "check {}: proved by {} rules and {} steps over {} clauses",
                    proof.check, proof.rules, proof.steps, proof.clauses
                );
            }
            Ok(0)
        }
        Err(refusal) => {
            complain(format_args!("{}: refused: {refusal}", proof.display()));
            Ok(REFUSED)
        }
    }
}

/// The propositional parts of the proofs in a file, unless one is refused.
fn parts(script: &Path, proof: &Path) -> Result<Option<Vec<Propositional>>, String> {
    let (script, text) = (input::read_script(script)?, read(proof)?);
    match refrain_proof::propositional(&script, &text) {
        Ok(parts) => Ok(Some(parts)),
        Err(refusal) => {
            complain(format_args!("{}: refused: {refusal}", proof.display()));
            Ok(None)
        }
    }
}

fn dimacs(part: &Propositional) -> String {
    let mut text = format!("p cnf {} {}\n", part.vars, part.clauses.len());
    for place in 0..part.clauses.len() {
        write_plain_clause(&mut text, part.clauses.get(place));
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The file that proofs go to.
pub fn create(path: &Path) -> Result<Box<dyn Write>, String> {
    let file =
        File::create(path).map_err(|error: io::Error| format!("{}: {error}", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}

/// How many answers were proved.
pub fn summary(counts: &ProofCounts) -> String {
    let ProofCounts {
        proved,
        not_proved,
        refused,
    } = counts;
    let all = proved + not_proved + refused;
    let refused = match refused {
        0 => String::new(),
        refused => format!(", {refused} refused"),
    };
    format!("{proved} of {all} 'unsat' answers proved{refused}")
}

/// Why a script is not proved to be unsatisfiable.
pub enum Unproved {
    /// It may be; nobody knows.
    Open,
    /// It is not, or the proof is no proof.
    Wrong(String),
}

/// Proves that the assertions of a script with one check cannot hold together, and checks the proof.
pub fn prove_script(script: &[u8], max_time: Duration) -> Result<(), Unproved> {
    let problem = Script::problem_of(script, 1);
    let problem = problem.ok_or(Unproved::Open)?;
    let limits = Limits {
        deadline: Instant::now().checked_add(max_time),
        stop: None,
    };
    let proof = refrain_prove::prove(problem, limits).map_err(|why| match why {
        NotProved::Satisfiable => Unproved::Wrong(why.to_string()),
        _ => Unproved::Open,
    })?;
    match refrain_proof::check(script, proof.text.as_bytes()) {
        Ok(_) => Ok(()),
        Err(refusal) => Err(Unproved::Wrong(refusal.to_string())),
    }
}
