//! Integers and reals: random stacks against search in a box, against elimination and against fresh solvers; problems
//! that need equations, cuts or boxes; partial solutions, the published example among them.

mod boxes;
mod common;
#[path = "../../src/native/arith/simplex/tests/fourier_motzkin.rs"]
mod fourier_motzkin;
mod incremental;
mod integers;
mod partial;
mod reals;
