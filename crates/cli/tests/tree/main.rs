//! `refrain tree`: its numbers, its files, and its page in a browser, used as people use it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../common/mod.rs"]
mod common;

mod files;
mod page;
mod scene;
