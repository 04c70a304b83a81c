//! What stands in the place of the engine when a C program is tested: the functions that give it input, reading the
//! test's.

pub use refrain_machine::abi::c::{NAMES, code};

/// How tests are kept, and how one of them gives its inputs.
pub const TESTS: &str = include_str!("runtime/tests.c");

/// Runs every test in a process of its own, which is this program again.
pub const RUNNER: &str = include_str!("runtime/runner.c");
