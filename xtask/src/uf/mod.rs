//! `cargo xtask bench-uf`: `refrain smt`, z3 and yices on equality, functions and functions of linear integers, in one
//! run, as ratios. Integers stand for elements of any sort: nothing is done with them but comparing, except in the
//! families `uflia`. A seed names the scripts; they are kept in the target directory. A problem that neither z3 nor
//! yices decides within seconds is replaced by another one.

mod problems;

use crate::measure::{self, Script};
use crate::peers;
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use problems::{FAMILIES, Problem};
use std::path::Path;
use std::time::Duration;

/// Counts changes of the generators, so that scripts of older ones are not taken for theirs.
const GENERATION: u32 = 1;
const PROBLEMS_PER_SCRIPT: usize = 10;
/// What a problem may take when scripts are made.
const LIMIT: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    peers: peers::PeerOptions,
    /// Names the scripts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scripts of each family.
    #[arg(long, default_value_t = 2)]
    scripts: u64,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
}

pub fn run(options: Options) -> Result<()> {
    let solvers = options.peers.solvers(vec![peers::z3(), peers::yices()])?;
    let scripts = scripts(&options)?;
    if scripts.is_empty() {
        bail!("no script to measure");
    }
    measure::compare(&solvers, &scripts, &options.peers)
}

fn scripts(options: &Options) -> Result<Vec<Script>> {
    let name = format!("generation-{GENERATION}-seed-{}", options.seed);
    let directory = workspace::target().join("uf-bench").join(name);
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let mut scripts = Vec::new();
    for (place, (family, generate)) in FAMILIES.iter().enumerate() {
        for number in 0..options.scripts {
            let name = format!("{family}-{number}");
            if options
                .only
                .as_ref()
                .is_some_and(|part| !name.contains(part))
            {
                continue;
            }
            let path = directory.join(format!("{name}.smt2"));
            if !path.exists() {
                eprintln!("recording {}", path.display());
                let mut rng = Rng::for_script(options.seed, number * 100 + place as u64);
                record(&path, |number| generate(number, &mut rng))?;
            }
            scripts.push(Script::open(family, &path)?);
        }
    }
    Ok(scripts)
}

/// Writes a script of problems with their answers.
fn record(path: &Path, mut generate: impl FnMut(usize) -> Problem) -> Result<()> {
    let part = path.with_extension("part");
    let write = |text: &str| {
        std::fs::write(&part, text).with_context(|| format!("cannot write {}", part.display()))
    };
    let mut script = String::from(OPENING);
    for number in 0..PROBLEMS_PER_SCRIPT {
        let (text, answer) = loop {
            let problem = generate(number);
            write(&format!("{OPENING}{}(check-sat)\n", problem.text()))?;
            if let Some(answer) = answer(&part)? {
                break (problem.text().to_string(), answer);
            }
        };
        script += &format!("(push 1)\n{text}(set-info :status {answer})\n(check-sat)\n(pop 1)\n");
    }
    write(&script)?;
    std::fs::rename(&part, path).with_context(|| format!("cannot write {}", path.display()))
}

const OPENING: &str = "(set-logic QF_UFLIA)\n";

/// What z3 or yices say of a script with one check; none if neither is in time.
fn answer(script: &Path) -> Result<Option<String>> {
    let mut agreed: Option<String> = None;
    for peer in [peers::z3(), peers::yices()] {
        let run = peer.run(script, LIMIT)?;
        let answer = run.output.trim().to_string();
        if run.timed_out || answer == "unknown" {
            continue;
        }
        if !matches!(answer.as_str(), "sat" | "unsat") {
            bail!("{} answers `{answer}` to {}", peer.name, script.display());
        }
        if agreed.as_ref().is_some_and(|before| *before != answer) {
            bail!("the peers disagree on {}", script.display());
        }
        agreed = Some(answer);
    }
    Ok(agreed)
}
