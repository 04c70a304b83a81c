//! The results of a run in the formats of other tools, and as unit tests that a project can keep.
//!
//! Every format is a function from [`Results`] to text or to a small tree of files; [`Output`] is how either comes to
//! disk, whole or not at all.
//!
//! *Invariants:* what is written is valid in its format whatever names, messages and bytes the results hold. The
//! crate does not know machines, solvers or compilers.

pub mod coverage;
pub mod emit;
pub mod shell;
pub mod tree;

mod corpus;
mod error;
mod json;
mod junit;
mod kinds;
mod output;
mod places;
mod results;
mod sarif;
mod sites;
mod testcomp;
mod words;
mod xml;

pub use corpus::corpus;
pub use error::ReportError;
pub use json::json;
pub use junit::junit;
pub use output::{Output, Tree};
pub use results::Results;
pub use sarif::sarif;
pub use testcomp::testcomp;
pub use words::message;
