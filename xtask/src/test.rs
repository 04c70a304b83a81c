//! `cargo xtask test`: every stage of the tests in order; the first that fails ends the run.
//!
//! What a change needs runs always: every test, with fixed seeds, at its ordinary size. `--long` is the hunt: more
//! seeds, whole matrices, and the campaigns on the optimised build, for hours if need be.

use crate::workspace::{cargo, refrain_binary, run};
use crate::{clients, crash, docs, fuzz, install, suites};
use anyhow::Result;
use clap::Parser;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Options {
    /// The long hunts, too: every test at its full size, the campaigns ten times as long and on the release build.
    #[arg(long)]
    pub long: bool,
}

pub fn all(options: &Options) -> Result<()> {
    let long = options.long;
    let started = Instant::now();
    let stage = |name: &str| {
        println!("\n=== {name} (after {} s)", started.elapsed().as_secs());
    };
    stage("install what the tests need");
    install::all()?;
    stage("the guide");
    docs::test(&install::mdbook()?)?;
    stage("fetch the published code that the machine is tested on");
    for manifest in ["tests/real/Cargo.toml", "tests/real/floats/Cargo.toml"] {
        run(cargo().args(["fetch", "--quiet", "--locked", "--manifest-path", manifest]))?;
    }
    stage("build");
    let built = suites::build()?;
    stage("test");
    suites::run(built.suites, long)?;
    // Campaigns run on the build that the tests have made, which checks its own assertions and is as fast here: most of
    // the time goes to the other solvers. Long ones run on what users have, too.
    let mut builds = vec![built.refrain];
    if long {
        stage("build for release");
        builds.push(refrain_binary()?);
    }
    for refrain in builds {
        let smt = format!("{} smt", refrain.display());
        stage("PySMT, easy-smt, CBMC, yosys-smtbmc and halmos with refrain as their solver");
        clients::test_all(&refrain)?;
        stage("fuzz against z3, yices, cvc5 and Bitwuzla");
        fuzz::run(fuzz_options(&smt, long))?;
        stage("fuzz what is reused, within runs and between them");
        fuzz::reuse::run(fuzz_reuse_options(&smt, long))?;
        stage("random C programs, natively and in the machine");
        fuzz::llvm::run(fuzz_llvm_options(
            &format!("{} run", refrain.display()),
            long,
        ))?;
    }
    if long {
        stage("the tests of the SAT engine on batsat");
        run(cargo().args([
            "test",
            "--quiet",
            "--locked",
            "-p",
            "refrain-sat",
            "--all-features",
        ]))?;
        stage("processes killed on one store");
        crash::run(crash_options())?;
    }
    println!("\nall tests passed in {} s", started.elapsed().as_secs());
    Ok(())
}

/// Checks of an ordinary campaign against other solvers: enough that every operator occurs, which it demands.
const FUZZ_CHECKS: u64 = 6_000;
/// Checks of an ordinary campaign on reuse: from here on it demands that every layer answers something.
const FUZZ_REUSE_CHECKS: u64 = 20_000;
const FUZZ_PROGRAMS: u64 = 20;

/// Seconds after which an ordinary campaign ends with fewer checks than it was to make: a machine that is busy beyond
/// measure still comes to an end. Several times what they take there.
const MOST_SECONDS: u64 = 600;

/// How long a campaign may take. A long one takes as long as its checks take.
fn seconds(long: bool) -> String {
    let most = if long { u64::MAX } else { MOST_SECONDS };
    most.to_string()
}

/// How much longer the long campaigns are.
fn times(ordinary: u64, long: bool) -> String {
    let factor = if long { 10 } else { 1 };
    (ordinary * factor).to_string()
}

#[derive(Parser)]
struct Arguments<T: clap::Args> {
    #[command(flatten)]
    options: T,
}

/// A chore's options as its command line would have them.
fn parsed<T: clap::Args>(arguments: &[&str]) -> T {
    Arguments::<T>::parse_from([&["xtask"], arguments].concat()).options
}

/// A number of checks: a busy machine takes longer, and checks as much. A check that takes too long is
/// unknown, not wrong: some integer problems are hard.
fn fuzz_options(refrain: &str, long: bool) -> fuzz::Options {
    let checks = times(FUZZ_CHECKS, long);
    parsed(&[
        "--refrain",
        refrain,
        "--checks",
        &checks,
        "--seconds",
        &seconds(long),
        "--seed",
        "20260",
        "--max-time",
        "10",
    ])
}

fn fuzz_reuse_options(refrain: &str, long: bool) -> fuzz::reuse::Options {
    let checks = times(FUZZ_REUSE_CHECKS, long);
    parsed(&[
        "--refrain",
        refrain,
        "--checks",
        &checks,
        "--seconds",
        &seconds(long),
        "--seed",
        "20261",
    ])
}

fn fuzz_llvm_options(refrain: &str, long: bool) -> fuzz::llvm::Options {
    let programs = times(FUZZ_PROGRAMS, long);
    parsed(&[
        "--refrain",
        refrain,
        "--programs",
        &programs,
        "--seed",
        "20262",
    ])
}

fn crash_options() -> crash::Options {
    parsed(&["--seed", "20263"])
}
