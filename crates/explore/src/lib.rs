//! Exploring: which paths a program has, and an input for each of them.
//!
//! Generic over the [`Machine`]: this crate knows terms, solvers and search, no bitcode and no class files.
//!
//! The [`explorer`] runs a state of a machine until it asks ([`machine`]), finds out which answers inputs lead to
//! (`branching`, `questions`), goes on with one and keeps the others (`pending`), and picks what is next (`search`).
//! What a solver went through on the way is tried as input too (`multiplex`). Who wants to know what happens is a
//! [`Listener`]. Several workers share what there is to do (`hub`, `sharing`, [`workers`]).

mod arithmetic;
mod branching;
pub mod explorer;
mod hub;
pub mod listener;
pub mod machine;
mod memory;
mod multiplex;
pub mod options;
pub mod paths;
mod pending;
mod questions;
mod random;
pub mod search;
mod sharing;
pub mod stats;
pub mod trail;
mod tree;
pub mod workers;

pub use listener::{End, Listener, Path, StopReason};
pub use machine::{Ask, Goal, Machine, Point, Stop};
pub use memory::resident_bytes;
pub use options::{Limits, Mode, Numbers, Options};
pub use search::Search;
pub use stats::Stats;
pub use trail::{Decision, Trail};
