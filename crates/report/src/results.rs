//! Everything that a run has left behind, read once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use refrain_results::{Boundary, OutputDirectory, ReadError, Run, Test};
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Results {
    pub run: Run,
    /// By number.
    pub tests: Vec<Test>,
    /// Not there if the run was killed.
    pub stats: Option<Value>,
    /// What was left open; not there if the run was killed.
    pub left: Option<Vec<Boundary>>,
    /// Tests that cannot be read, and why: they are left out.
    pub damage: Vec<String>,
    /// The last test is not whole, in words: the run was killed, or still goes on.
    pub torn_tail: Option<String>,
    /// When the run began.
    pub created: SystemTime,
    /// The directory that paths are told relative to.
    pub root: PathBuf,
}

impl Results {
    /// Reads an output directory. A file of it that is there and cannot be understood is an error; tests that cannot be
    /// read are left out, and told.
    pub fn read(directory: &Path, root: &Path) -> Result<Results, ReadError> {
        let output = OutputDirectory::open(directory)?;
        let run = output.read_run()?;
        let pack = output.tests()?;
        let (mut tests, mut damage) = (Vec::new(), pack.damage());
        for number in pack.numbers() {
            match pack.read(number) {
                Ok(test) => tests.push(test),
                Err(error) => damage.push(error.to_string()),
            }
        }
        let created = fs::metadata(directory.join("run.json")).and_then(|data| data.modified());
        Ok(Results {
            run,
            tests,
            stats: optional(&directory.join("stats.json"), "statistics")?,
            left: optional(&directory.join("boundary.json"), "list of what was left")?,
            damage,
            torn_tail: pack.torn_tail(),
            created: created.unwrap_or(SystemTime::UNIX_EPOCH),
            root: root.to_path_buf(),
        })
    }

    /// The program's file name without its ending.
    pub fn program_name(&self) -> String {
        let stem = self.run.program.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// How long the run took, in seconds.
    pub fn seconds(&self) -> Option<f64> {
        let seconds = self.stats.as_ref()?["time"]["total"].as_f64()?;
        (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    }

    /// When the run began, as ISO 8601 has it.
    pub(crate) fn created_text(&self) -> String {
        let since = self.created.duration_since(SystemTime::UNIX_EPOCH);
        // A clock that is beyond all calendars is no reason to stop.
        let seconds = since
            .map_or(0, |since| since.as_secs())
            .min(253_402_300_799);
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        humantime::format_rfc3339_seconds(time).to_string()
    }
}

fn optional<T: DeserializeOwned>(path: &Path, what: &'static str) -> Result<Option<T>, ReadError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            let path = path.to_path_buf();
            return Err(ReadError::Read { path, source });
        }
    };
    let value = serde_json::from_slice(&bytes).map_err(|error| ReadError::Format {
        path: path.to_path_buf(),
        what,
        reason: error.to_string(),
    })?;
    Ok(Some(value))
}
