//! `cargo refrain test` on projects: planted mistakes, every kind of type, workspaces, bad use.
//!
//! One program for all of them: they build in one place, and take turns there.

mod common;
mod example;
mod kept;
mod misuse;
mod projects;
mod values;
