//! What a format makes, and how it comes to disk: under its name whole, or not at all.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{self, Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::ReportError;

/// Files by their names, which may have folders in front.
pub type Tree = BTreeMap<String, Vec<u8>>;

pub enum Output {
    Text(Vec<u8>),
    Tree(Tree),
}

impl Output {
    /// Writes a file, or a directory, or an archive if the name ends in `.zip`. A directory must be new, or empty.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        let written = match self {
            Output::Text(text) => write_file(path, text),
            Output::Tree(tree) if path.extension().is_some_and(|ending| ending == "zip") => {
                archive(tree).and_then(|archive| write_file(path, &archive))
            }
            Output::Tree(tree) => {
                if is_taken(path) {
                    let path = path.to_path_buf();
                    return Err(ReportError::Taken { path });
                }
                write_tree(path, tree)
            }
        };
        written.map_err(|source| ReportError::Write {
            path: path.to_path_buf(),
            source,
        })
    }
}

fn is_taken(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// The folder that a file is in.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn write_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A device or a pipe is written to, not replaced.
    if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(contents);
    }
    let mut file = tempfile::Builder::new()
        .prefix(".refrain-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder(path))?;
    file.write_all(contents)?;
    file.persist(path)?;
    Ok(())
}

fn write_tree(path: &Path, tree: &Tree) -> io::Result<()> {
    let temporary = tempfile::Builder::new()
        .prefix(".refrain-")
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(folder(path))?;
    for (name, contents) in tree {
        let file = temporary.path().join(name);
        fs::create_dir_all(folder(&file))?;
        fs::write(file, contents)?;
    }
    fs::rename(temporary.path(), path)?;
    // It has another name now.
    let _ = temporary.keep();
    Ok(())
}

/// The same files always give the same archive.
fn archive(tree: &Tree) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    for (name, contents) in tree {
        archive.start_file(name.as_str(), options)?;
        archive.write_all(contents)?;
    }
    Ok(archive.finish()?.into_inner())
}
