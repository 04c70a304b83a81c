//! `cargo refrain test`: explores every `#[refrain::test]` function of a Cargo project, and reports as `cargo test`
//! does.
//!
//! Cargo builds the tests, with this very program in front of rustc (`wrapper`), so that each becomes the bitcode of
//! a whole program (`bitcode`). The properties in it are found by their symbols (`property`). Each is explored by a
//! process of `refrain` (`explore`), unless what is known from the last time still holds (`kept`). Its results are read
//! back (`verdict`), and of what fails a test is written (`regression`).
//!
//! *Invariant:* it knows Cargo, rustc, the command line of `refrain` and what that leaves behind, and how bitcode
//! is read; not search or solvers.

mod arguments;
mod bitcode;
mod error;
mod explore;
mod kept;
mod property;
mod regression;
mod report;
mod session;
mod show;
mod verdict;
mod wrapper;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Command, Line};
use report::Ending;

/// Some property failed: what `cargo test` exits with.
const FAILED: u8 = 101;
/// It could not be done.
const CANNOT: u8 = 2;
/// Nothing is known of some property: no path of it came to an end.
const NOTHING_PROVED: u8 = 3;

fn main() -> ExitCode {
    if wrapper::is_meant() {
        return wrapper::run();
    }
    // Cargo gives the name of the subcommand as the first argument.
    let mut words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "refrain") {
        words.remove(1);
    }
    let Command::Test(arguments) = Line::parse_from(words).command;
    match session::run(&arguments) {
        Ok(Ending::Holds) => ExitCode::SUCCESS,
        Ok(Ending::NothingProved) => ExitCode::from(NOTHING_PROVED),
        Ok(Ending::Fails) => ExitCode::from(FAILED),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(CANNOT)
        }
    }
}
