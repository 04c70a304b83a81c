//! What a run leaves behind, and what a replay reads: tests (KLEE's format, and JSON beside it), errors, statistics,
//! and how the program was built.
//!
//! *Invariants:* a file under its final name is whole, whenever the process that wrote it was killed. Nothing here is
//! allocated by a count that a file merely claims. The crate does not know machines, solvers or compilers.

mod directory;
mod error;
mod escape;
mod json;
mod ktest;
mod place;
mod run;
mod test;
mod timeline;
mod whole;
mod writer;

pub use directory::{OutputDirectory, Unfinished};
pub use error::{OutputError, ReadError};
pub use escape::{escaped, hex, text, unhex};
pub use ktest::KTest;
pub use run::{Parameter, Run, Source};
pub use test::{Fault, Input, Outcome, Place, Test};
pub use timeline::Timeline;
pub use whole::Method;
pub use writer::{TestHandle, TestWriter};
