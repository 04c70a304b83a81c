//! Why there is no report.

use std::io;
use std::path::PathBuf;

use refrain_results::ReadError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ReportError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is there already; name a new directory, or an empty one", path.display())]
    Taken { path: PathBuf },
    #[error("cannot write the report: {0}")]
    Format(String),
    /// Unit tests that cannot be written for this program.
    #[error("{0}")]
    Emit(String),
}
