//! `refrain cover`: what it counts, line by line; what it writes; and what it says of directories that are not as
//! they should be.

#[path = "../common/mod.rs"]
mod common;

mod browser;
mod formats;
mod lines;
mod native;
mod scene;
mod trouble;
