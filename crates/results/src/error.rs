//! What can go wrong on the way to disk and back.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Results that cannot be written.
#[derive(Debug, Error)]
pub enum OutputError {
    #[error(
        "{0} holds the results of an earlier run: `refrain resume {0}` goes on with it, `refrain diff {0} PROGRAM` \
         explores what has changed since; or name another directory",
        path.display()
    )]
    EarlierRun { path: PathBuf },
    #[error(
        "{} is not empty; results go to a directory of their own",
        path.display()
    )]
    NotEmpty { path: PathBuf },
    #[error("{} is no directory", path.display())]
    NoDirectory { path: PathBuf },
    #[error("cannot create {}: {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot start a thread to write tests: {0}")]
    Thread(#[source] io::Error),
    #[error("the thread that writes tests has died")]
    Died,
}

/// Results that cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is no {what}: {reason}", path.display())]
    Format {
        path: PathBuf,
        what: &'static str,
        reason: String,
    },
    /// One test of many.
    #[error("{name} of {} cannot be read: {reason}", path.display())]
    Test {
        name: String,
        path: PathBuf,
        reason: String,
    },
    #[error("there is no test {number} in {}", path.display())]
    NoTest { path: PathBuf, number: u32 },
    #[error(
        "{} holds no results of a run: it has no run.json; name the directory that `refrain run` has written",
        path.display()
    )]
    NoRun { path: PathBuf },
}
