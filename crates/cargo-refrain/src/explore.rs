//! Exploring one property: a process of `refrain run`, and its results.

use std::path::{Path, PathBuf};
use std::process::Command;

use refrain_results::OutputDirectory;

use crate::error::Error;

/// The command that explores.
#[derive(Debug)]
pub struct Refrain {
    path: PathBuf,
}

impl Refrain {
    /// The one beside this program, or the first on the path.
    pub fn find() -> Result<Refrain, Error> {
        let this = std::env::current_exe().map_err(Error::file("cargo-refrain"))?;
        let beside = this.parent().unwrap_or(Path::new(".")).to_path_buf();
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        std::iter::once(beside.clone())
            .chain(std::env::split_paths(&on_path))
            .map(|folder| folder.join("refrain"))
            .find(|path| path.is_file())
            .map(|path| Refrain { path })
            .ok_or(Error::NoRefrain { beside })
    }

    /// Explores a program from an entry function, into a directory that is not there yet.
    pub fn explore(
        &self,
        program: &Path,
        entry: &str,
        options: &[String],
        out: &Path,
    ) -> Result<OutputDirectory, Error> {
        let output = Command::new(&self.path)
            .args(["run", "--entry", entry, "--out"])
            .arg(out)
            .args(options)
            .arg(program)
            .output()
            .map_err(|source| Error::Start {
                program: self.path.display().to_string(),
                source,
                hint: "it came with Refrain",
            })?;
        // 0: nothing was found; 1: something was; 3: no path came to an end.
        if matches!(output.status.code(), Some(0 | 1 | 3)) {
            return Ok(OutputDirectory::open(out)?);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = match said.lines().last() {
            Some(line) => line.trim_start_matches("refrain: ").to_string(),
            None => output.status.to_string(),
        };
        let name = entry.rsplit(':').next().unwrap_or(entry).to_string();
        Err(Error::Explore { name, said })
    }
}
