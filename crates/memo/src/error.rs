//! Every way in which a tree can refuse.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum MemoError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: there is a tree already", path.display())]
    Exists { path: PathBuf },
    #[error("{}: there is no tree", path.display())]
    Missing { path: PathBuf },
    #[error("{}: damaged at byte {offset}: {what}", path.display())]
    Damaged {
        path: PathBuf,
        offset: u64,
        what: &'static str,
    },
    #[error("{}: ends within a block, at byte {offset}: its run was killed, or still goes on", path.display())]
    Torn { path: PathBuf, offset: u64 },
    #[error("{}: written by another version of the format ({found:?})", path.display())]
    Version { path: PathBuf, found: String },
    #[error("{}: the run that was to finish it was killed, or still goes on; resume it", path.display())]
    Unsealed { path: PathBuf },
    #[error("{}: in use by another run", path.display())]
    InUse { path: PathBuf },
    #[error("{}: another run has changed the tree since it was read", path.display())]
    Changed { path: PathBuf },
    #[error("{}: the trees have different headers", path.display())]
    OtherHeader { path: PathBuf },
    #[error("{}: the trees contradict each other: {what}", path.display())]
    Contradiction { path: PathBuf, what: String },
}

impl MemoError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> MemoError + '_ {
        move |source| MemoError::Io {
            path: path.to_path_buf(),
            source,
        }
    }
}
