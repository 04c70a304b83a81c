//! A digest of the sources that give what is kept its meaning. It is part of the validity of a store and of a memo tree,
//! so that an answer which was wrong is not found again by the version that mends it.
//!
//! It follows from names and contents of files alone: the same sources have the same digest in every clone, at any
//! time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// Tells a build what the digest of some crates is, as `REFRAIN_SOURCES`.
#[allow(dead_code, reason = "build scripts do, tests do not")]
pub fn tell(crates: &Path, names: &[&'static str]) -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // A crate that comes to be needed is named there.
    println!("cargo::rerun-if-changed=Cargo.toml");
    for (_, folder) in folders(crates, names) {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let digest = digest(crates, names)?;
    println!("cargo::rustc-env=REFRAIN_SOURCES={digest:016x}");
    Ok(())
}

/// The folders with the sources of crates, each with the name of its crate. Those that a checkout does not have are left
/// out.
pub fn folders(crates: &Path, names: &[&'static str]) -> Vec<(&'static str, PathBuf)> {
    let folders = names
        .iter()
        .map(|&name| (name, crates.join(name).join("src")));
    folders.filter(|(_, folder)| folder.is_dir()).collect()
}

/// The digest of the sources of crates under `crates`.
pub fn digest(crates: &Path, names: &[&'static str]) -> io::Result<u64> {
    let mut hash = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for (name, folder) in folders(crates, names) {
        let mut files = Vec::new();
        collect(&folder, &mut Vec::new(), &mut files)?;
        files.sort();
        add(name.as_bytes());
        for (parts, path) in files {
            add(parts.join("/").as_bytes());
            add(&fs::read(path)?);
        }
    }
    Ok(hash.digest())
}

/// Rust sources in a folder and below, each with the parts of its path.
fn collect(
    folder: &Path,
    parts: &mut Vec<String>,
    files: &mut Vec<(Vec<String>, PathBuf)>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        parts.push(name.to_owned());
        if path.is_dir() {
            collect(&path, parts, files)?;
        } else if name.ends_with(".rs") {
            files.push((parts.clone(), path));
        }
        parts.pop();
    }
    Ok(())
}
