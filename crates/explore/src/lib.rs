//! Exploring: which paths a program has.
//!
//! Generic over the [`Machine`]: this crate knows terms and solvers, no bitcode and no class files.

pub mod machine;
pub mod paths;

pub use machine::{Ask, Goal, Machine, Point, Stop};
