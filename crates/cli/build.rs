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
    sources::tell(Path::new(".."), &CRATES)
}
