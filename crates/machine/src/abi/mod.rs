//! What a program says to a machine, and what stands for the machine where a test is run natively.
//!
//! The names are KLEE's and those of the software verification competition, so that programs for these run as they
//! are. A machine provides the [`functions`] itself. Natively their code is written from here, in three places: the
//! runtime of `refrain replay` and `refrain cc` (C), and the tests that `refrain emit` writes (C and Rust).
//!
//! The other half of the agreement is how inputs are named: by [`PathInputs::name`](crate::PathInputs::name), which
//! the text of [`c::NAMES`] and [`rust::NAMES`] follows. A test runs both against it (`cli/tests/abi.rs`).

pub mod c;
mod functions;
pub mod rust;

pub use functions::{Function, functions};
