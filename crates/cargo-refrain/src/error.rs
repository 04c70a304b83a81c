//! Why it could not be done.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error("{program} cannot be started: {source}; {hint}")]
    Start {
        program: String,
        source: io::Error,
        hint: &'static str,
    },
    #[error("{program} says: {said}")]
    Said { program: &'static str, said: String },
    #[error("the project could not be built")]
    Build,
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{} is not empty; results go to a directory of their own", path.display())]
    NotEmpty { path: PathBuf },
    #[error(transparent)]
    Bitcode(#[from] refrain_llvm::bitcode::ReadError),
    #[error(transparent)]
    Results(#[from] refrain_results::ReadError),
    #[error(transparent)]
    Output(#[from] refrain_results::OutputError),
    #[error(
        "the command refrain was not found beside {} or on the path; `cargo install --path crates/cli` in Refrain's repository installs it",
        beside.display()
    )]
    NoRefrain { beside: PathBuf },
    #[error("no properties found: mark functions with #[refrain::test]")]
    NoProperties,
    #[error("no property matches {filter:?}; there are {}", names.join(", "))]
    NoMatch { filter: String, names: Vec<String> },
    #[error("{name} could not be explored: {said}")]
    Explore { name: String, said: String },
}

impl Error {
    /// For what happens to a file.
    pub fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}
