//! `cargo xtask bench-fp`: `refrain smt`, Bitwuzla and z3 on floats, in one run, as ratios. The families are those that
//! solvers of floats are known by: chains of linear and quadratic inequalities (`chains`), single operators on
//! constants (`operators`), and what a concolic run through numeric programs asks (`paths`). A seed names the scripts;
//! they are kept in the target directory. A check that Bitwuzla does not decide within seconds is left out.

mod chains;
mod literal;
mod operators;
mod paths;

use crate::measure::{self, Script};
use crate::peers;
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Counts changes of the generators, so that scripts of older ones are not taken for theirs.
const GENERATION: u32 = 1;
/// What a check may take when scripts are made.
const SECONDS: f64 = 5.0;
/// All of a script.
const LONGEST: Duration = Duration::from_secs(300);

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    peers: peers::PeerOptions,
    /// Names the scripts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scripts of each family.
    #[arg(long, default_value_t = 20)]
    scripts: u64,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Only make the scripts.
    #[arg(long)]
    generate_only: bool,
}

/// A script without recorded answers; `number` is the script's within its family.
type Family = (&'static str, fn(number: u64, &mut Rng) -> String);

const FAMILIES: &[Family] = &[
    ("linear", chains::linear),
    ("quadratic", chains::quadratic),
    ("operators", operators::script),
    ("paths", paths::script),
];

pub fn run(options: Options) -> Result<()> {
    let usual = vec![peers::bitwuzla(options.peers.limit), peers::z3()];
    let solvers = options.peers.solvers(usual)?;
    let scripts = scripts(&options)?;
    if scripts.is_empty() {
        bail!("no script to measure");
    }
    match options.generate_only {
        true => Ok(()),
        false => measure::compare(&solvers, &scripts, &options.peers),
    }
}

fn scripts(options: &Options) -> Result<Vec<Script>> {
    let name = format!("generation-{GENERATION}-seed-{}", options.seed);
    let directory = workspace::target().join("fp-bench").join(name);
    let mut scripts = Vec::new();
    for (family, generate) in FAMILIES {
        let directory = directory.join(family);
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
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
            // A family's scripts are those of its tries that Bitwuzla decides, so each has its own tries.
            for attempt in 0.. {
                if path.exists() {
                    break;
                }
                let mut rng = Rng::for_script(options.seed, number * 1000 + attempt);
                record(&generate(number, &mut rng), &path)?;
            }
            scripts.push(Script::open(family, &path)?);
        }
    }
    Ok(scripts)
}

/// Writes a script with the answers that Bitwuzla gives, if there are any; checks without one are left out.
fn record(script: &str, path: &Path) -> Result<()> {
    let part: PathBuf = path.with_extension("part");
    std::fs::write(&part, script).with_context(|| format!("cannot write {}", part.display()))?;
    let run = peers::bitwuzla(SECONDS).run(&part, LONGEST)?;
    let answers = run.output.lines().filter(|line| measure::is_answer(line));
    let mut answers = answers.map(str::to_string);
    let mut recorded = String::new();
    let mut is_empty = true;
    for line in script.lines() {
        if line != "(check-sat)" {
            recorded += &format!("{line}\n");
            continue;
        }
        match answers.next().as_deref() {
            Some(answer @ ("sat" | "unsat")) => {
                is_empty = false;
                recorded += &format!("(set-info :status {answer})\n(check-sat)\n");
            }
            Some(_) => {}
            None if run.timed_out => {}
            None => bail!("Bitwuzla on {}: {}", part.display(), run.output.trim()),
        }
    }
    if is_empty {
        return Ok(());
    }
    std::fs::write(&part, recorded)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
