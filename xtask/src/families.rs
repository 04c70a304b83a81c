//! Generated scripts of one check each, in families, and every solver on all of them in one run: what `bench-nf` and
//! `bench-bv` share. The answer of a script is known from how it was made. Starting the process is part of the time, and
//! for Bitwuzla, which is a library, the start of the quickest of the others is added.

use crate::measure::{self, Script};
use crate::peers::{self, Solver};
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    peers: peers::PeerOptions,
    /// Names the scripts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scripts of each family [default: as many as the table in the guide has].
    #[arg(long)]
    scripts: Option<u64>,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Only make the scripts.
    #[arg(long)]
    generate_only: bool,
}

/// The declarations and assertions of a check, and its answer.
pub struct Problem {
    pub logic: &'static str,
    pub text: String,
    pub is_sat: bool,
}

/// `number` is the problem's within its family: later ones are larger.
pub type Family = (&'static str, fn(number: u64, &mut Rng) -> Problem);

/// A benchmark of families.
pub struct Benchmark {
    /// The directory of its scripts.
    pub name: &'static str,
    /// Counts changes of the generators, so that scripts of older ones are not taken for theirs.
    pub generation: u32,
    /// Scripts of each family.
    pub scripts: u64,
    pub families: &'static [Family],
}

impl Benchmark {
    pub fn run(&self, options: &Options) -> Result<()> {
        let scripts = self.make(options)?;
        if options.generate_only {
            return Ok(());
        }
        if scripts.is_empty() {
            bail!("no script to measure");
        }
        let bitwuzla = peers::bitwuzla(options.peers.limit);
        let usual = vec![peers::z3(), peers::yices(), bitwuzla];
        let mut solvers = options.peers.solvers(usual)?;
        let start = self.quickest_start(&solvers)?;
        for solver in &mut solvers {
            solver.add_to_own_time(start);
        }
        measure::compare_families(&solvers, &scripts, &options.peers)
    }

    fn directory(&self) -> PathBuf {
        workspace::target().join(self.name)
    }

    /// The time of the quickest of all solvers for a script that asks nothing.
    fn quickest_start(&self, solvers: &[Solver]) -> Result<f64> {
        let path = self.directory().join("empty.smt2");
        write(&path, "(set-logic QF_BV)\n(exit)\n")?;
        let mut best = f64::INFINITY;
        for solver in solvers.iter().filter(|solver| !solver.tells_its_time()) {
            for _ in 0..20 {
                best = best.min(solver.run(&path, Duration::from_secs(5))?.seconds);
            }
        }
        Ok(best)
    }

    fn make(&self, options: &Options) -> Result<Vec<Script>> {
        let name = format!("generation-{}-seed-{}", self.generation, options.seed);
        let directory = self.directory().join(name);
        let mut scripts = Vec::new();
        for (place, (family, generate)) in self.families.iter().enumerate() {
            for number in 0..options.scripts.unwrap_or(self.scripts) {
                let name = format!("{family}-{number}");
                let only = options.only.as_ref();
                if only.is_some_and(|part| !name.contains(part)) {
                    continue;
                }
                let mut rng = Rng::for_script(options.seed + place as u64 * 1000, number);
                let Problem {
                    logic,
                    text,
                    is_sat,
                } = generate(number, &mut rng);
                let status = if is_sat { "sat" } else { "unsat" };
                let text = format!(
                    "(set-logic {logic})\n{text}(set-info :status {status})\n(check-sat)\n(exit)\n"
                );
                let path = directory.join(family).join(format!("{name}.smt2"));
                write(&path, &text)?;
                scripts.push(Script::open(family, &path)?);
            }
        }
        Ok(scripts)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Declares bit-vectors.
pub fn declare(names: &[String], width: u32) -> String {
    let declare = |name: &String| format!("(declare-fun {name} () (_ BitVec {width}))\n");
    names.iter().map(declare).collect()
}

/// `prefix0`, `prefix1`, …
pub fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{prefix}{place}")).collect()
}
