//! Every way in which a store can refuse. None of them is a reason to stop a run: the caller warns and goes on without.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::place;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("{}: no permission ({source})", path.display())]
    NoPermission { path: PathBuf, source: io::Error },
    #[error("{}: the disk is full ({source})", path.display())]
    DiskFull { path: PathBuf, source: io::Error },
    #[error("{}: the store is damaged: {what}; `refrain store clear {}` removes it", path.display(), quoted(path))]
    Damaged { path: PathBuf, what: String },
    #[error("{}: not a store: {what}; it is left as it is", path.display())]
    Foreign { path: PathBuf, what: String },
    #[error("{}: written by a newer version (format {found}, this program knows {known})", path.display())]
    Future {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("{}: lies on a file system without shared memory between its users ({what})", path.display())]
    Remote { path: PathBuf, what: &'static str },
    #[error("{}: holds no answers of this validity", path.display())]
    OtherValidity { path: PathBuf },
    #[error("{}: there is no store here", path.display())]
    Missing { path: PathBuf },
    #[error("{}: opened for reading only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{}: in use by another process", path.display())]
    InUse { path: PathBuf },
    #[error("{}: was cut short or changed while it was open", path.display())]
    Lost { path: PathBuf },
    #[error("an entry of {bytes} bytes is too large for the store (at most {limit})")]
    TooLarge { bytes: usize, limit: usize },
    /// The fault of what was written to, not of the store.
    #[error("cannot write the entries: {source}")]
    Output { source: io::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: {what}", path.display())]
    Engine { path: PathBuf, what: String },
}

impl StoreError {
    pub(crate) fn io(path: &Path, source: io::Error) -> StoreError {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::NoPermission { path, source }
            }
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => StoreError::DiskFull { path, source },
            _ => StoreError::Io { path, source },
        }
    }

    /// `path`: of a store, or of a generation in it.
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> StoreError {
        StoreError::Damaged {
            path: place::store_of(path).to_path_buf(),
            what: what.into(),
        }
    }

    pub(crate) fn foreign(path: &Path, what: impl Into<String>) -> StoreError {
        StoreError::Foreign {
            path: path.to_path_buf(),
            what: what.into(),
        }
    }

    /// What LMDB says, in our words.
    pub(crate) fn engine(path: &Path, error: heed::Error) -> StoreError {
        use heed::MdbError::{Corrupted, Invalid, MapFull, PageNotFound, VersionMismatch};
        match error {
            heed::Error::Io(source) => StoreError::io(path, source),
            heed::Error::Mdb(MapFull) => StoreError::DiskFull {
                path: path.to_path_buf(),
                source: io::Error::new(io::ErrorKind::StorageFull, "the map of the file is full"),
            },
            heed::Error::Mdb(what @ (Corrupted | Invalid | PageNotFound | VersionMismatch)) => {
                StoreError::damaged(path, what.to_string())
            }
            other => StoreError::Engine {
                path: path.to_path_buf(),
                what: other.to_string(),
            },
        }
    }
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&byte);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_can_be_pasted() {
        let advice = |path: &str| StoreError::damaged(Path::new(path), "cut short").to_string();
        assert!(advice("/a/store").ends_with("`refrain store clear /a/store` removes it"));
        assert!(advice("/a/answers-07").contains("`refrain store clear /a`"));
        assert!(advice("it's here").contains(r"`refrain store clear 'it'\''s here'`"));
    }
}
