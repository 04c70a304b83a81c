//! Exploring one property: a process of `refrain`, and its results.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

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

    /// What tells this command from another version of it.
    pub fn identity(&self) -> Result<String, Error> {
        let data = self.path.metadata().map_err(Error::file(&self.path))?;
        let modified = data.modified().map_err(Error::file(&self.path))?;
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = self.path.display();
        Ok(format!("{path} {} {}", data.len(), since.as_nanos()))
    }

    /// Explores a program from an entry function, into a directory that is not there yet.
    pub fn explore(
        &self,
        program: &Path,
        entry: &str,
        options: &[String],
        out: &Path,
    ) -> Result<OutputDirectory, Error> {
        let mut command = Command::new(&self.path);
        command.args(["run", "--entry", entry, "--out"]).arg(out);
        command.args(options).arg(program);
        self.results(command, entry, out)
    }

    /// Goes on with what was explored of a program until now.
    pub fn resume(
        &self,
        entry: &str,
        options: &[String],
        results: &Path,
    ) -> Result<OutputDirectory, Error> {
        let mut command = Command::new(&self.path);
        command.arg("resume").arg(results).args(options);
        self.results(command, entry, results)
    }

    /// Explores a program from the results of an earlier version.
    pub fn diff(
        &self,
        before: &Path,
        program: &Path,
        entry: &str,
        options: &[String],
        out: &Path,
    ) -> Result<OutputDirectory, Error> {
        let mut command = Command::new(&self.path);
        command.arg("diff").arg(before).arg(program);
        command.arg("--out").arg(out).args(options);
        self.results(command, entry, out)
    }

    fn results(
        &self,
        mut command: Command,
        entry: &str,
        out: &Path,
    ) -> Result<OutputDirectory, Error> {
        let output = command.output().map_err(|source| Error::Start {
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
