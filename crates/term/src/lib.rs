//! Terms: the language that machines, caches and solvers share.
//!
//! A [`Terms`] arena interns every term once and rewrites as it builds; a [`Term`] is a small copyable id into it. This crate
//! evaluates terms ([`eval`], [`column`]), finds what they depend on ([`support`]), substitutes, hashes and prints them.
//!
//! It knows nothing of solvers or files. Every walk over terms is iterative: path conditions are deep.

mod arena;
mod build;
mod sort;
pub mod value;

pub use arena::{Cells, ConstId, FuncDecl, FuncId, Op, TableId, Term, Terms, VarDecl, VarId};
pub use sort::Sort;
pub use value::Bv;
