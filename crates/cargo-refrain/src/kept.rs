//! What an earlier call has left of a property, and whether it is still true. The results of each property stay where
//! they are; beside them is a mark that says which code they are of, written when all else is.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use refrain_machine::Cause;
use refrain_results::{Boundary, OutputDirectory};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::property::Property;
use crate::verdict;

const MARK: &str = "kept.json";

/// What results depend on.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The property, with what it says of itself.
    pub entry: String,
    /// Of the program that it is in.
    pub digest: String,
    /// What explored it.
    pub refrain: String,
}

/// What there is of a property.
#[derive(Debug)]
pub enum Kept {
    Nothing,
    /// Results of other code.
    Before,
    /// Results of this code that may not be all there is to know.
    Part,
    All(OutputDirectory),
}

impl Mark {
    /// Looks at what is there.
    pub fn find(&self, path: &Path) -> Kept {
        let Ok(results) = OutputDirectory::open(path) else {
            return Kept::Nothing;
        };
        match results.read_run() {
            Ok(run) if run.entry != self.entry => Kept::Nothing,
            Ok(run) if run.digest != self.digest => Kept::Before,
            Ok(_) if self.is_at(&results) && is_finished(&results) => Kept::All(results),
            Ok(_) => Kept::Part,
            Err(_) => Kept::Nothing,
        }
    }

    fn is_at(&self, results: &OutputDirectory) -> bool {
        verdict::read::<Mark>(results, MARK).is_ok_and(|mark| mark == *self)
    }

    /// The results are of this code, and everything that belongs to them is there.
    pub fn set(&self, results: &OutputDirectory) -> Result<(), Error> {
        Ok(results.write_json(MARK, self)?)
    }

    /// The results are about to change.
    pub fn take_away(path: &Path) -> Result<(), Error> {
        let mark = path.join(MARK);
        match fs::remove_file(&mark) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file(mark)(error)),
            _ => Ok(()),
        }
    }
}

/// Whether another run would find out nothing more.
fn is_finished(results: &OutputDirectory) -> bool {
    let goes_on = |cause: &Cause| {
        matches!(
            cause,
            Cause::Time | Cause::Interrupted | Cause::Memory | Cause::Paths | Cause::Forks
        )
    };
    let boundaries = verdict::read::<Vec<Boundary>>(results, "boundary.json");
    boundaries.is_ok_and(|all| !all.iter().any(|boundary| goes_on(&boundary.cause)))
}

/// Where the results of a property are.
pub fn folder_of(program: &Path, property: &Property) -> PathBuf {
    program.join(property.name.replace("::", "."))
}

/// Where they are until they replace those of the code before.
pub fn folder_of_next(program: &Path, property: &Property) -> PathBuf {
    program.join(format!(".{}", property.name.replace("::", ".")))
}

/// Puts results in the place of others.
pub fn replace(path: &Path, next: &Path) -> Result<OutputDirectory, Error> {
    remove(path)?;
    fs::rename(next, path).map_err(Error::file(path))?;
    Ok(OutputDirectory::open(path)?)
}

/// Forgets all properties of a program but these.
pub fn forget_others(program: &Path, properties: &[Property]) -> Result<(), Error> {
    let there: BTreeSet<PathBuf> = properties
        .iter()
        .map(|property| folder_of(program, property))
        .collect();
    for entry in fs::read_dir(program).into_iter().flatten().flatten() {
        if !there.contains(&entry.path()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a folder, if it is there.
pub fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file(path)(error)),
        _ => Ok(()),
    }
}
