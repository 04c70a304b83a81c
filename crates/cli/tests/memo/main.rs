//! Runs that go on from what others have found out: in the end their results are those of a run from the beginning.

mod certified;
#[path = "../common/mod.rs"]
mod common;
mod edited;
mod going_on;
mod killed;
mod parts;
mod results;
