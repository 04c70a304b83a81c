//! The generator of random functions of symbolic bytes, which the machine's own tests use.
#![allow(dead_code)]

#[path = "../../../llvm/tests/support/program.rs"]
pub mod program;
#[path = "../../../llvm/tests/support/random.rs"]
#[allow(clippy::module_inception)]
pub mod random;
#[path = "../../../llvm/tests/support/render.rs"]
pub mod render;
