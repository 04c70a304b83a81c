//! What the tests of symbolic execution share: a compiler, random programs, and the comparison with native code.

#![allow(dead_code)]

pub mod check;
pub mod compile;
pub mod explored;
pub mod program;
pub mod random;
pub mod recorded;
pub mod render;
pub mod shrink;
