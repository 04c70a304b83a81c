//! The memo tree: what runs have decided about a program, on disk, for the runs after them.
//!
//! A *node* is a question at its place in the tree; each of its alternatives is an *edge*, and at the end of an edge is
//! another node, the end of a path (a *leaf*), nothing because no input leads there, or what is not explored yet. A run
//! that starts from a tree executes its prefixes again without a solver, goes only where there is something to do
//! ([`Tree::enabled`]), and records what is new ([`Tree::record`]).
//!
//! On disk, a directory has a header ([`Header`]) and one log for each worker of each run. Logs only grow, by
//! compressed blocks with checksums, so that a process that is killed loses what it recorded last and nothing else. A
//! run that has recorded everything seals the tree ([`Recording::seal`], [`Tree::check_seal`]).
//!
//! *Invariants:* the crate knows decisions, names, hashes and bytes; no terms, solvers or programs. A node is its place
//! in the tree, never a hash. What was not recorded is open. Whatever the files hold, reading them ends in a tree or in
//! an error that names the file; nothing is allocated by a count that a file merely claims.

mod columns;
mod dictionary;
mod difference;
mod edge;
mod edges;
mod error;
mod header;
mod inputs;
mod interner;
mod load;
mod log;
mod question;
mod recording;
mod rewrite;
mod seal;
mod select;
mod slot;
mod subtrees;
mod tree;
mod varint;
mod writer;

#[cfg(test)]
mod tests;

pub use difference::Difference;
pub use edge::{Edge, NodeId};
pub use edges::Edges;
pub use error::MemoError;
pub use header::Header;
pub use load::Reading;
pub use question::{
    AskKind, Boundary, CodeUnit, Ending, Leaf, NamedPoint, Question, SymbolId, UnitId,
};
pub use recording::Recording;
pub use rewrite::{copy, merge};
pub use select::Impact;
pub use subtrees::Subtrees;
pub use tree::{Below, Counts, Input, Summary, Tree};
pub use writer::LogWriter;
