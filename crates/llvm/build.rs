//! Compiles the C library in `runtime/` to the bitcode the crate embeds, with
//! the compiler that builds the crate: nothing else need be installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let source = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("runtime");
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", source.display());
    for entry in fs::read_dir(&source).expect("runtime/ is part of the crate") {
        let path = entry.expect("a readable directory").path();
        println!("cargo::rerun-if-changed={}", path.display());
    }
    compile(&source.join("lib.rs"), &out);
}

/// The library is compiled for the host, whatever the crate is for: the layout
/// the machine gives programs is that of x86_64 Linux, and the host is the one
/// target the toolchain surely has `core` for.
fn compile(root: &Path, out: &Path) {
    let mut rustc = Command::new(variable("RUSTC"));
    // The flags of the crate around (coverage, sanitizers) are not the library's.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
    ] {
        rustc.env_remove(name);
    }
    rustc
        .arg(root)
        .args([
            "--crate-name",
            "refrain_runtime",
            "--edition",
            "2024",
            "--crate-type",
            "lib",
        ])
        .args(["--target", &variable("HOST")])
        .args(["--cap-lints", "warn"])
        .arg(format!(
            "--emit=llvm-bc={},llvm-ir={}",
            out.join("runtime.bc").display(),
            // The same as text, for the tests to look at.
            out.join("runtime.ll").display()
        ));
    for option in [
        // Above the first level functions with equal bodies become one that
        // calls the other: `strchr` would be the program's `index` if it had one.
        "opt-level=1",
        "panic=abort",
        "debuginfo=0",
        "overflow-checks=off",
        "debug-assertions=off",
        "codegen-units=1",
        "no-vectorize-loops",
        "no-vectorize-slp",
        "embed-bitcode=no",
        // Tables of addresses stay so, rather than of distances from the table.
        "relocation-model=static",
    ] {
        rustc.args(["-C", option]);
    }
    let status = rustc.status().expect("cargo names a compiler that runs");
    assert!(status.success(), "the runtime library does not compile");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
