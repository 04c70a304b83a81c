//! What the workspace's tests share: how much they try, random numbers, edits of programs, the programs and
//! the rights they need.
//!
//! A test has two sizes. The ordinary one meets every kind of case it is about, with fixed seeds, in seconds; every
//! change passes it. The long one (`cargo xtask test --long`, or `REFRAIN_LONG=1`) is the hunt: more seeds, whole
//! matrices. Both go through this crate, so that one variable turns every test of the workspace.

pub mod edits;
mod random;
mod rights;

pub use random::Random;
pub use rights::{Mount, Reachable, is_root};

use std::path::PathBuf;

/// Turns the long hunts on; anything but `0` and nothing.
const LONG: &str = "REFRAIN_LONG";

/// Whether the long hunts run.
pub fn is_long() -> bool {
    std::env::var_os(LONG).is_some_and(|value| !value.is_empty() && value != "0")
}

/// One of two sizes.
pub fn effort<T>(ordinary: T, long: T) -> T {
    if is_long() { long } else { ordinary }
}

/// One of two sizes, or another that the variable names.
///
/// # Panics
/// If the variable is not a number: a misspelt size would run the ordinary one unnoticed.
pub fn count(variable: &str, ordinary: u64, long: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is no number: {text}")),
        Err(_) => effort(ordinary, long),
    }
}

/// Where a program is that `cargo xtask install` gets.
///
/// # Panics
/// If it is not there: a test that passes without it says nothing.
pub fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("no {name} on the search path; `cargo xtask install` gets it"))
}
