//! An independent checker of proofs that SMT-LIB scripts are unsatisfiable.
//!
//! The checker reads the script with a reader of its own (`tokens`, `script`, `builtin`), encodes the assertions of one
//! check as clauses (`encode`, over `circuits` and `gates`), adds the clauses of the rules that the proof names
//! (`rules`), and follows the proof's derivation of the empty clause (`lrat`). Script and proof alone fix every number in
//! it. So what a proof shows does not depend on the solver that gave the answer, or on whoever wrote the proof.
//!
//! This crate knows no other of the workspace. It does no input or output.

mod builtin;
mod check;
mod circuits;
mod encode;
mod error;
mod gates;
mod linear;
mod lrat;
mod ring;
mod rules;
mod script;
mod terms;
pub mod text;
mod tokens;

pub use check::{Accepted, Propositional, check, check_problem, propositional};
pub use encode::Encoder;
pub use error::{Fault, Outgrown, Refusal};
pub use gates::{Clauses, Lit};
pub use linear::{Combination, Constraint, Linear, Relation};
pub use ring::Polynomial;
pub use rules::{Ground, Literal, Rule};
pub use script::{Assertion, Problem, Script};
pub use terms::{Node, Op, Sort, Term, Terms};
