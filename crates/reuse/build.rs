//! Tells the crate which sources it is built from: see `build/sources.rs`.

#[path = "build/sources.rs"]
mod sources;

use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let crates = Path::new("..");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    // A crate that comes to be needed is named there.
    println!("cargo::rerun-if-changed=Cargo.toml");
    for (_, folder) in sources::folders(crates) {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let digest = sources::digest(crates)?;
    println!("cargo::rustc-env=REFRAIN_SOURCES={digest:016x}");
    Ok(())
}
