//! A digest of the sources that give answers their meaning. It is part of the validity of a store, so that an answer
//! which was wrong is not found again by the version that mends it.
//!
//! It follows from names and contents of files alone: the same sources have the same digest in every clone, at any
//! time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// The crates that turn a query into a key, an answer into a value, or one into the other. Those that a checkout does
/// not have are left out.
pub const CRATES: [&str; 5] = ["path", "reuse", "sat", "solver", "term"];

/// The folders with the sources of those that are there, each with the name of its crate.
pub fn folders(crates: &Path) -> Vec<(&'static str, PathBuf)> {
    let folders = CRATES.map(|name| (name, crates.join(name).join("src")));
    folders
        .into_iter()
        .filter(|(_, folder)| folder.is_dir())
        .collect()
}

/// The digest of the sources under `crates`.
pub fn digest(crates: &Path) -> io::Result<u64> {
    let mut hash = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for (name, folder) in folders(crates) {
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
