//! SMT-LIB 2.6: scripts from files, and sessions with a program that waits for each answer.
//!
//! [`Session`] reads commands, keeps what is declared and asserted, and asks a [`Solver`](refrain_solver::Solver)
//! when a script checks. Terms go from bytes to the arena without a tree in between (`parser`), at any depth. An
//! error is an answer: the session goes on after it. This crate knows nothing of programs.

mod arithmetic;
mod builtin;
mod bytes;
mod check;
mod checks;
mod coded;
mod commands;
mod config;
mod counting;
mod declarations;
mod error;
mod floats;
mod levels;
pub mod lexer;
mod macros;
mod memo;
mod options;
mod output;
mod parser;
mod proofs;
mod quantifiers;
mod read;
mod refusal;
mod reports;
mod session;
mod sorts;
mod stats;
mod surface;
mod symbols;
pub mod z3;

pub use config::{Config, Interrupt};
pub use error::{Failure, Place};
pub use output::Output;
pub use proofs::ProofCounts;
pub use reports::Outcome;
pub use session::Session;
pub use stats::Statistics;
