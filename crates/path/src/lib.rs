//! The path condition, as caches and solvers follow it.
//!
//! Assertions and assumptions come and go at the end of a stack; a check is about all of them, and most of them have
//! been there before. A [`Path`] keeps along with them what every check needs, and changes only what differs:
//!
//! * `assertions`: the stack itself; `steps`: its *atoms*, simplified conjuncts (`simplify`), each known once
//!   (`atoms`) with the `inputs` that it depends on;
//! * `slices`: groups of atoms that share inputs; `occurrences`: where an input occurs;
//! * `restriction`, `values`: what an atom says about which term, as a set of values; `linear`: sums of numbers;
//! * `model`: one assignment, which satisfies as much of the path as is known to hold together; `solution`: values
//!   that are taken out of it and put into it;
//! * `repair`: another value for one input where the model does not satisfy an atom, or why there is none;
//! * `partial_solution`: what a search went through on its way;
//! * `certify`: no model leaves the path before the plain evaluator has found that it satisfies every assertion as it
//!   was asked.
//!
//! It neither solves nor remembers: that is for whoever has a path.

pub mod assertions;
pub mod atoms;
mod certify;
#[cfg(test)]
mod faults;
pub mod inputs;
pub mod limits;
pub mod linear;
pub mod model;
mod occurrences;
pub mod partial_solution;
mod path;
pub mod repair;
pub mod restriction;
pub mod simplify;
pub mod slices;
pub mod solution;
pub mod steps;
pub mod values;
pub mod work;

pub use assertions::AssertionStack;
pub use atoms::{AtomId, AtomTable, SubjectId};
pub use inputs::{InputId, InputTable};
pub use limits::{Limits, Reason};
pub use model::Model;
pub use partial_solution::PartialSolution;
pub use path::{Following, Path};
pub use slices::Slice;
pub use solution::{Solution, SolutionId, Solutions};
pub use work::{Kind, Work};
