//! The seal: which logs a tree has and how each ends, in a text file that a run writes when it has recorded everything.
//! A log that was cut between two blocks looks whole; a tree that is as its seal says lacks nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::MemoError;

const FILE: &str = "seal";

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogEnd {
    pub number: u32,
    pub size: u64,
    /// The checksum of its last block, and so of all of them.
    pub chain: u64,
}

fn path_in(directory: &Path) -> PathBuf {
    directory.join(FILE)
}

fn text(header: u64, logs: &[LogEnd]) -> String {
    let mut text = format!("refrain memo seal 1\nheader {header:016x}\n");
    for LogEnd {
        number,
        size,
        chain,
    } in logs
    {
        text += &format!("log {number} {size} {chain:016x}\n");
    }
    text
}

/// There is a whole seal or there is none, whenever the process ends.
pub(crate) fn write(directory: &Path, header: u64, logs: &[LogEnd]) -> Result<(), MemoError> {
    let hidden = directory.join(format!(".{FILE}"));
    let path = path_in(directory);
    fs::write(&hidden, text(header, logs))
        .and_then(|()| fs::rename(&hidden, &path))
        .map_err(MemoError::io(&path))
}

pub(crate) fn remove(directory: &Path) -> Result<(), MemoError> {
    let path = path_in(directory);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(MemoError::io(&path)(error)),
        _ => Ok(()),
    }
}

/// Whether there is a seal, and it is that of these logs.
pub(crate) fn check(directory: &Path, header: u64, logs: &[LogEnd]) -> Result<(), MemoError> {
    let path = path_in(directory);
    match fs::read(&path) {
        Ok(bytes) if bytes == text(header, logs).as_bytes() => Ok(()),
        Ok(_) => Err(MemoError::Damaged {
            path,
            offset: 0,
            what: "it is the seal of other logs",
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(MemoError::Unsealed {
            path: directory.to_path_buf(),
        }),
        Err(error) => Err(MemoError::io(&path)(error)),
    }
}
