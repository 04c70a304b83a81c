//! Why a study cannot go on. A measured run that fails is not among it: that is a finding, and the others go on.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    #[error("{name}: {what}")]
    Script { name: String, what: String },
    #[error("cannot start {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A script that could not be read; the message says which.
    #[error("{0}")]
    Unreadable(String),
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
    #[error("no place for scratch files: {0}")]
    Scratch(io::Error),
    #[error("cannot write the tables: {0}")]
    Watcher(io::Error),
    #[error("{} is the journal of a study with another setup or another build; choose another folder, or remove it", .0.display())]
    OtherSetup(PathBuf),
    #[error("cannot draw a plot: {0}")]
    Plot(String),
    #[error("interrupted")]
    Interrupted,
}

pub type Result<T> = std::result::Result<T, StudyError>;

/// For `map_err`: what went wrong with a file.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> StudyError + '_ {
    |source| StudyError::File {
        path: path.to_path_buf(),
        source,
    }
}
