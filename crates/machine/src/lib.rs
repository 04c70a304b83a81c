//! The boundary between what runs programs and everything else: exploring, results, reports.
//!
//! A [`Machine`] runs a state until it must ask ([`Ask`]) and goes on with the [`Answer`], or until its path ends
//! ([`End`]). What a program reads is a list of typed inputs ([`InputTable`]). Where it is, is a [`Point`], which a
//! machine can describe in a way that survives edits elsewhere ([`CodePoint`]); so can which code ran ([`CodeUnit`]).
//!
//! The same types go from the machine to the report: one [`ErrorKind`], one [`Fault`], one [`Parameter`], one
//! [`InputValue`]. This crate knows terms. It does not know search, solvers, files, or any particular machine.

pub mod abi;

mod ask;
mod cause;
mod decimal;
mod end;
mod error_kind;
mod fit;
mod input;
mod machine;
mod parameter;
mod place;
mod point;
mod world;

pub use ask::{Answer, Ask, Stop};
pub use cause::Cause;
pub use end::{Access, End, ExitStatus, Fault, Object, ObjectKind, Unsupported};
pub use error_kind::ErrorKind;
pub use input::{InputDecl, InputId, InputTable, InputValue, PathInputs, Role, join_bytes};
pub use machine::{Goal, Machine};
pub use parameter::Parameter;
pub use place::{Place, is_system_file};
pub use point::{CodePiece, CodePoint, CodeUnit, Part, Point};
pub use world::{Argument, ArgumentShape, Bytes, Contents, Named, Number, Surroundings, World};
