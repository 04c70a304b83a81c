//! `cargo xtask bench-lia`: `refrain smt` and its peers on path conditions over linear integer arithmetic, in one
//! run, as ratios. Random programs (`grammar`, in the language of `program`) are walked symbolically (`execute`,
//! `walk`), with z3 (`reference`) telling which branches are feasible; what it was asked is the script. Harder random
//! systems (`systems`) are a group of their own. A seed names the scripts; they are kept in the target directory, so
//! that only the first run generates.

mod execute;
mod grammar;
mod program;
mod reference;
mod symbolic;
mod systems;
#[cfg(test)]
mod tests;
mod walk;

use crate::measure::{self, Script};
use crate::peers;
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use reference::Reference;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walk::Bounds;

/// Counts changes of the generators, so that scripts of older ones are not taken for theirs.
const GENERATION: u32 = 2;
/// Lines of a program and decisions of a path, in the study's three sizes.
const SIZES: &[(&str, usize, usize)] = &[
    ("5k", 5_000, 60),
    ("10k", 10_000, 100),
    ("20k", 20_000, 150),
];
/// A program on whose script a peer needs more than this for a check on average is replaced by another one: a
/// single check is then most of its time.
const LONGEST_MEAN: Duration = Duration::from_millis(5);

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    peers: peers::PeerOptions,
    /// Names the programs and systems.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs of each size.
    #[arg(long, default_value_t = 4)]
    programs: u64,
    /// Checks in the script of a program.
    #[arg(long, default_value_t = 3000)]
    checks: usize,
    /// Scripts of each kind of harder systems.
    #[arg(long, default_value_t = 1)]
    systems: u64,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Copy scripts and programs here, to look at.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub fn run(options: Options) -> Result<()> {
    let solvers = options.peers.solvers(vec![peers::z3(), peers::yices()])?;
    let library = Library::open(&options)?;
    let scripts = library.scripts(&options)?;
    if scripts.is_empty() {
        bail!("no script to measure");
    }
    if let Some(directory) = &options.keep {
        library.copy_to(directory)?;
    }
    measure::compare(&solvers, &scripts, &options.peers)
}

/// The scripts of a seed, generated when first asked for.
struct Library {
    directory: PathBuf,
    seed: u64,
    checks: usize,
}

impl Library {
    fn open(options: &Options) -> Result<Self> {
        let (seed, checks) = (options.seed, options.checks);
        let name = format!("generation-{GENERATION}-seed-{seed}-checks-{checks}");
        let directory = workspace::target().join("lia-bench").join(name);
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        Ok(Library {
            directory,
            seed,
            checks,
        })
    }

    fn scripts(&self, options: &Options) -> Result<Vec<Script>> {
        let is_wanted = |name: &str| options.only.as_ref().is_none_or(|part| name.contains(part));
        let mut scripts = Vec::new();
        for size in SIZES {
            for suffix in ["", "-values"] {
                for number in 0..options.programs {
                    let name = format!("{}-{number}", size.0);
                    if is_wanted(&format!("{name}{suffix}")) {
                        self.walk(size, &name, number)?;
                        let path = self.path(&format!("{name}{suffix}.smt2"));
                        scripts.push(Script::open(&format!("{}{suffix}", size.0), &path)?);
                    }
                }
            }
        }
        for (place, &kind) in systems::KINDS.iter().enumerate() {
            for number in 0..options.systems {
                let name = format!("{}-{number}", kind.0);
                if is_wanted(&name) {
                    let path = self.path(&format!("{name}.smt2"));
                    self.system(kind, number * 100 + place as u64, &path)?;
                    scripts.push(Script::open(kind.0, &path)?);
                }
            }
        }
        Ok(scripts)
    }

    fn system(&self, kind: systems::Kind, number: u64, path: &Path) -> Result<()> {
        if path.exists() {
            return Ok(());
        }
        eprintln!("recording {}", path.display());
        let mut rng = Rng::for_script(self.seed, number);
        let script = systems::record(kind, &mut rng, &self.path("trial.smt2"))?;
        write_whole(path, &script)
    }

    /// Records a walk through a program, without and with the values of inputs.
    fn walk(&self, size: &(&str, usize, usize), name: &str, number: u64) -> Result<()> {
        let (_, lines, decisions) = *size;
        let path = self.path(&format!("{name}.smt2"));
        let values_path = self.path(&format!("{name}-values.smt2"));
        // Written last: if it is there, so are the others.
        let program_path = self.path(&format!("{name}.java"));
        if program_path.exists() {
            return Ok(());
        }
        for attempt in 0.. {
            eprintln!("recording {}", path.display());
            let mut rng = Rng::for_script(self.seed + lines as u64, attempt * 1000 + number);
            let program = grammar::program(lines, &mut rng);
            let bounds = Bounds {
                decisions,
                checks: self.checks,
                confine_inputs: number % 2 == 1,
            };
            let mut reference = Reference::start()?;
            let Some(script) = walk::record(&program, bounds, &mut rng, &mut reference)? else {
                continue;
            };
            write_whole(&values_path, &script)?;
            write_whole(&path, &walk::without_values(&script))?;
            if self.is_even(&values_path)? && self.is_even(&path)? {
                write_whole(&program_path, &program.to_string())?;
                break;
            }
        }
        Ok(())
    }

    /// Do both peers get through without being held up at single checks?
    fn is_even(&self, script: &Path) -> Result<bool> {
        let limit = LONGEST_MEAN * self.checks as u32;
        for peer in [peers::z3(), peers::yices()] {
            if peer.run(script, limit)?.timed_out {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    fn copy_to(&self, directory: &Path) -> Result<()> {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        for entry in std::fs::read_dir(&self.directory)? {
            let entry = entry?;
            std::fs::copy(entry.path(), directory.join(entry.file_name()))
                .with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
        Ok(())
    }
}

/// Writes a file so that it is there in full or not at all.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, text)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}
