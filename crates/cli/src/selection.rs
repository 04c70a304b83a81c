//! Which tests of an output directory a command is about.

use std::path::Path;

use refrain_results::{OutputDirectory, ReadError, Test, TestPack};

use crate::complain;

/// Tests by their numbers, to be read one by one.
pub struct Selection {
    pack: TestPack,
    /// In order.
    pub numbers: Vec<u32>,
    /// Something of the directory is no test, and was said to be.
    pub is_damaged: bool,
}

impl Selection {
    /// All tests of a directory, or those of these numbers, which must be there. Says what is wrong with the others.
    pub fn of(directory: &OutputDirectory, wanted: &[u32]) -> Result<Selection, String> {
        let pack = directory.tests().map_err(|error| error.to_string())?;
        let damage = pack.damage();
        for note in pack.torn_tail().iter().chain(&damage) {
            complain(note);
        }
        let mut numbers = pack.numbers();
        if let Some(missing) = wanted.iter().find(|number| !numbers.contains(number)) {
            let path = directory.path().display();
            return Err(format!("{path} has no test {missing}"));
        }
        if !wanted.is_empty() {
            numbers.retain(|number| wanted.contains(number));
        }
        Ok(Selection {
            pack,
            numbers,
            is_damaged: !damage.is_empty(),
        })
    }

    /// The same for a directory that the user names.
    pub fn in_directory(path: &Path, wanted: &[u32]) -> Result<Selection, String> {
        let directory = OutputDirectory::open(path).map_err(|error| error.to_string())?;
        Selection::of(&directory, wanted)
    }

    pub fn read(&self, number: u32) -> Result<Test, ReadError> {
        self.pack.read(number)
    }
}
