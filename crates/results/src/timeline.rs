//! `timeline.csv`: a line now and then, on disk at once.

use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use crate::OutputError;

/// A growing table.
#[derive(Debug)]
pub struct Timeline {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
}

impl Timeline {
    /// Appends a line in one piece.
    pub fn append(&mut self, values: &[&dyn Display]) -> Result<(), OutputError> {
        let mut line = String::new();
        for (index, value) in values.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            // Writing to a string does not fail.
            let _ = write!(line, "{comma}{value}");
        }
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| OutputError::Write {
                path: self.path.clone(),
                source,
            })
    }
}
