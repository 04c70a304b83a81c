//! What a run leaves behind, and what a replay reads: tests, errors, statistics, and how the program was built.
//!
//! Errors, inputs and places are those of `refrain-machine`: they are kept as the machine has told them, and read back
//! the same.
//!
//! *Invariants:* whenever the process that wrote it was killed, a file under its final name is whole, and so are the
//! tests of a pack that were written before. Nothing here is allocated by a count that a file merely claims. The crate
//! does not know solvers, compilers, or any particular machine.

mod boundary;
mod directory;
mod error;
mod escape;
mod json;
mod ktest;
mod pack;
mod run;
mod test;
mod timeline;
mod whole;
mod writer;

pub use boundary::Boundary;
pub use directory::OutputDirectory;
pub use error::{OutputError, ReadError};
pub use escape::{escaped, hex, text, unhex};
pub use ktest::KTest;
pub use pack::{PACK, TestPack};
pub use refrain_machine::Cause;
pub use run::{Run, Source};
pub use test::{Outcome, Test, test_name};
pub use timeline::Timeline;
pub use writer::{TestHandle, TestWriter};
