//! Tells the command which sources it is built from.

#[path = "../reuse/build/sources.rs"]
mod sources;

use std::io;
use std::path::Path;

/// The crates that give a memo tree its meaning: what is asked, how it is hashed, and what programs do.
const CRATES: [&str; 7] = [
    "explore", "integers", "llvm", "machine", "memo", "path", "term",
];

fn main() -> io::Result<()> {
    // At a fixed address there is nothing to relocate: twenty thousand addresses, on a hundred pages that a script of
    // a few lines never looks at, are a third of the time that the command takes to start.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    sources::tell(Path::new(".."), &CRATES)
}
