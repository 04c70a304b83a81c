//! What a run found, in the formats that other tools and people read.
//!
//! *Invariants:* plain data goes in, text comes out; nothing is read or written here. The crate does not know machines, solvers or
//! compilers.

pub mod coverage;
