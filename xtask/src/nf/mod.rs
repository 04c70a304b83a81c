//! `cargo xtask bench-nf`: `refrain smt`, z3, yices and Bitwuzla on what normal forms decide, in one run, as ratios: ring
//! identities, divisions that are narrower than they look, terms that nothing constrains, congruence. A script is one
//! check, and its answer is known from how it was made; so starting the process is part of the time, and for
//! Bitwuzla, which is a library, the start of the quickest of the others is added.

mod congruence;
mod division;
mod identities;
mod unconstrained;

use crate::measure::{self, Script};
use crate::peers::{self, Solver};
use crate::random::Rng;
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::time::Duration;

/// Counts changes of the generators, so that scripts of older ones are not taken for theirs.
const GENERATION: u32 = 1;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    peers: peers::PeerOptions,
    /// Names the scripts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Scripts of each family.
    #[arg(long, default_value_t = 100)]
    scripts: u64,
    /// Only scripts whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Only make the scripts.
    #[arg(long)]
    generate_only: bool,
}

/// The declarations and assertions of a check, and its answer.
struct Problem {
    logic: &'static str,
    text: String,
    is_sat: bool,
}

/// `number` is the problem's within its family: later ones are larger.
type Family = (&'static str, fn(number: u64, &mut Rng) -> Problem);

const FAMILIES: &[Family] = &[
    ("products", identities::products),
    ("distribution", identities::distribution),
    ("binomials", identities::binomials),
    ("shifts", identities::shifts),
    ("contexts", identities::contexts),
    ("narrow-division", division::narrow),
    ("powers-of-two", division::powers_of_two),
    ("multiples", division::multiples),
    ("extensions", division::extensions),
    ("unconstrained", unconstrained::problem),
    ("congruence", congruence::problem),
];

pub fn run(options: Options) -> Result<()> {
    let scripts = scripts(&options)?;
    if options.generate_only {
        return Ok(());
    }
    if scripts.is_empty() {
        bail!("no script to measure");
    }
    let bitwuzla = peers::bitwuzla(options.peers.limit);
    let usual = vec![peers::z3(), peers::yices(), bitwuzla];
    let mut solvers = options.peers.solvers(usual)?;
    let start = quickest_start(&solvers)?;
    for solver in &mut solvers {
        solver.add_to_own_time(start);
    }
    measure::compare_families(&solvers, &scripts, &options.peers)
}

/// The time of the quickest of all solvers for a script that asks nothing.
fn quickest_start(solvers: &[Solver]) -> Result<f64> {
    let path = workspace::target().join("nf-bench").join("empty.smt2");
    write(&path, "(set-logic QF_BV)\n(exit)\n")?;
    let mut best = f64::INFINITY;
    for solver in solvers.iter().filter(|solver| !solver.tells_its_time()) {
        for _ in 0..20 {
            best = best.min(solver.run(&path, Duration::from_secs(5))?.seconds);
        }
    }
    Ok(best)
}

fn scripts(options: &Options) -> Result<Vec<Script>> {
    let name = format!("generation-{GENERATION}-seed-{}", options.seed);
    let directory = workspace::target().join("nf-bench").join(name);
    let mut scripts = Vec::new();
    for (place, (family, generate)) in FAMILIES.iter().enumerate() {
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
            write(&path, &text)?;
            scripts.push(Script::open(family, &path)?);
        }
    }
    Ok(scripts)
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Declares bit-vectors.
fn declare(names: &[String], width: u32) -> String {
    let declare = |name: &String| format!("(declare-fun {name} () (_ BitVec {width}))\n");
    names.iter().map(declare).collect()
}

/// `prefix0`, `prefix1`, …
fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{prefix}{place}")).collect()
}

fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for place in (1..items.len()).rev() {
        items.swap(place, rng.below(place + 1));
    }
}

/// Operands under a binary operator, nested at random.
fn nested(operator: &str, operands: &[String], rng: &mut Rng) -> String {
    match operands {
        [single] => single.clone(),
        _ => {
            let split = 1 + rng.below(operands.len() - 1);
            let (left, right) = operands.split_at(split);
            let (left, right) = (nested(operator, left, rng), nested(operator, right, rng));
            format!("({operator} {left} {right})")
        }
    }
}

/// Two terms that are equal are not; or, of a few, that one plus an odd constant is the other.
fn refute(declarations: String, width: u32, left: &str, right: &str, rng: &mut Rng) -> Problem {
    let assertion = match rng.percent(80) {
        true => format!("(assert (distinct {left} {right}))\n"),
        false => format!("(assert (= (bvadd {left} (_ bv1 {width})) {right}))\n"),
    };
    Problem {
        logic: "QF_BV",
        text: declarations + &assertion,
        is_sat: false,
    }
}
