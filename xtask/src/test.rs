//! `cargo xtask test`: every stage of the tests in order; the first that fails ends the run.

use crate::workspace::{cargo, refrain_binary, run};
use crate::{fuzz, install, pysmt};
use anyhow::Result;
use clap::Parser;

/// Long enough for some ten thousand checks each.
const FUZZ_SECONDS: &str = "50";
const FUZZ_REUSE_SECONDS: &str = "40";

pub fn all() -> Result<()> {
    stage("install what the tests need");
    install::all()?;
    stage("build refrain");
    refrain_binary()?;
    stage("fetch the published code that the machine is tested on");
    run(cargo().args([
        "fetch",
        "--quiet",
        "--locked",
        "--manifest-path",
        "tests/real/Cargo.toml",
    ]))?;
    stage("cargo test");
    run(cargo()
        .args(["test", "--workspace", "--quiet"])
        .env("REFRAIN_BUILT", "1"))?;
    stage("PySMT with refrain as its solver");
    pysmt::test(None)?;
    stage("fuzz against z3, yices and cvc5");
    fuzz::run(fuzz_options().options)?;
    stage("fuzz what is reused, within runs and between them");
    fuzz::reuse::run(fuzz_reuse_options().options)?;
    stage("random C programs, natively and in the machine");
    fuzz::llvm::run(fuzz_llvm_options().options)
}

fn stage(name: &str) {
    println!("\n=== {name}");
}

#[derive(Parser)]
struct FuzzArguments {
    #[command(flatten)]
    options: fuzz::Options,
}

/// The fuzzer's defaults with a fixed seed. A check that takes too long is unknown, not wrong: some integer problems
/// are hard.
fn fuzz_options() -> FuzzArguments {
    FuzzArguments::parse_from([
        "fuzz-smt",
        "--seconds",
        FUZZ_SECONDS,
        "--seed",
        "20260",
        "--max-time",
        "10",
    ])
}

#[derive(Parser)]
struct FuzzReuseArguments {
    #[command(flatten)]
    options: fuzz::reuse::Options,
}

fn fuzz_reuse_options() -> FuzzReuseArguments {
    FuzzReuseArguments::parse_from([
        "fuzz-reuse",
        "--seconds",
        FUZZ_REUSE_SECONDS,
        "--seed",
        "20261",
    ])
}

#[derive(Parser)]
struct FuzzLlvmArguments {
    #[command(flatten)]
    options: fuzz::llvm::Options,
}

fn fuzz_llvm_options() -> FuzzLlvmArguments {
    FuzzLlvmArguments::parse_from(["fuzz-llvm", "--programs", "40", "--seed", "20262"])
}
