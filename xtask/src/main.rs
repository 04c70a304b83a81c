//! Project chores: `cargo xtask --help` lists them.

mod bench;
mod bv;
mod campaign;
mod clients;
mod corpus;
mod crash;
mod docs;
mod families;
mod fp;
mod fuzz;
mod install;
mod lia;
mod measure;
mod nf;
mod peers;
mod proofs;
mod random;
mod suites;
mod test;
mod uf;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Project chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install what the tests need, build, and pass all tests.
    Test(test::Options),
    /// Build the guide and follow every link between the project's pages.
    Docs,
    /// Install what the tests need.
    Install,
    /// Compare `refrain smt` with other solvers on random incremental scripts.
    FuzzSmt(fuzz::Options),
    /// Compare `refrain smt` with z3 and cvc5 on declared sorts, arrays, datatypes, mixed numbers and quantifiers.
    FuzzSorts(fuzz::sorts::Options),
    /// Compare every preset of `refrain smt --reuse` with other solvers on sessions that repeat themselves.
    FuzzReuse(fuzz::reuse::Options),
    /// Compare `refrain run` with native programs on random C programs.
    FuzzLlvm(fuzz::llvm::Options),
    /// Build real projects (GNU coreutils, busybox, Lua, SQLite, …) with `refrain cc` and with clang; run their programs
    /// in both builds, explore them, and replay the tests.
    Corpus(corpus::Options),
    /// Time `refrain smt` and its peers on recorded scripts.
    BenchSmt(bench::Options),
    /// Time `refrain smt` and its peers on path conditions over linear integer arithmetic.
    BenchLia(lia::Options),
    /// Time `refrain smt` and its peers on equality and functions.
    BenchUf(uf::Options),
    /// Time `refrain smt` and its peers on floats: chains of inequalities, single operators, paths of numeric programs.
    BenchFp(fp::Options),
    /// Time `refrain smt` and its peers on what normal forms decide: ring identities, narrow divisions, terms that
    /// nothing constrains, congruence.
    BenchNf(families::Options),
    /// Time `refrain smt` and its peers on what makes bit-vectors hard: multipliers, hashes to invert, roots, checksums,
    /// decimal digits, divisions by multiplication.
    BenchBv(families::Options),
    /// Kill several `refrain smt` on one store at random moments, and look at what is left.
    CrashSmt(crash::Options),
    /// Have the propositional part of the proofs of the repository's scripts checked by rate.
    Proofs,
    /// Have PySMT, easy-smt, CBMC, yosys-smtbmc and halmos use `refrain` as their solver.
    Clients(clients::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Programs of the virtual environment are found like any others; no thread runs yet.
    // Nothing that is tested or timed may know of earlier runs, unless it names a store itself.
    // SAFETY: the process has a single thread here.
    unsafe {
        std::env::set_var("PATH", install::search_path());
        std::env::set_var("REFRAIN_STORE", "none");
    }
    match run(arguments.chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    match chore {
        Chore::Test(options) => test::all(&options),
        Chore::Docs => install::mdbook().and_then(|mdbook| docs::test(&mdbook)),
        Chore::Install => install::all(),
        Chore::FuzzSmt(options) => fuzz::run(options),
        Chore::FuzzSorts(options) => fuzz::sorts::run(options),
        Chore::FuzzReuse(options) => fuzz::reuse::run(options),
        Chore::FuzzLlvm(options) => fuzz::llvm::run(options),
        Chore::Corpus(options) => corpus::run(options),
        Chore::BenchSmt(options) => bench::run(options),
        Chore::BenchLia(options) => lia::run(options),
        Chore::BenchUf(options) => uf::run(options),
        Chore::BenchFp(options) => fp::run(options),
        Chore::BenchNf(options) => nf::BENCHMARK.run(&options),
        Chore::BenchBv(options) => bv::BENCHMARK.run(&options),
        Chore::CrashSmt(options) => crash::run(options),
        Chore::Proofs => install::rate().and_then(|rate| proofs::check(&rate)),
        Chore::Clients(options) => clients::run_all(&options),
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory as _;

    #[test]
    fn the_switches_of_all_chores_fit_together() {
        Arguments::command().debug_assert();
    }
}
