//! Standard input of the command as that of the program that is explored: it is read when a path first wants it, the
//! same for all paths, and kept with the results for whoever continues or replays them.

use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use refrain_results::OutputDirectory;

use crate::complain;

/// Whether somebody has given the command something to read: a pipe or a file, and no terminal.
pub fn is_given() -> bool {
    let kind = std::fs::metadata("/dev/stdin").map(|data| data.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file() || kind.is_socket())
}

/// What is read, once it is.
#[derive(Default)]
pub struct PipedInput {
    bytes: OnceLock<Vec<u8>>,
    /// The directory that keeps it.
    kept_in: OnceLock<PathBuf>,
}

impl PipedInput {
    /// What an earlier run has read.
    pub fn known(bytes: Vec<u8>) -> PipedInput {
        PipedInput {
            bytes: OnceLock::from(bytes),
            ..PipedInput::default()
        }
    }

    /// From here on it is kept.
    pub fn keep_in(&self, directory: &Path) {
        let _ = self.kept_in.set(directory.to_path_buf());
        if let Some(bytes) = self.bytes.get() {
            self.keep(bytes);
        }
    }

    /// All of it. It takes as long as whoever writes it.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| {
            let mut bytes = Vec::new();
            if let Err(error) = std::io::stdin().lock().read_to_end(&mut bytes) {
                complain(format!("standard input cannot be read: {error}"));
            }
            self.keep(&bytes);
            bytes
        })
    }

    /// What was read of it so far.
    pub fn read_so_far(&self) -> &[u8] {
        self.bytes.get().map_or(&[], Vec::as_slice)
    }

    fn keep(&self, bytes: &[u8]) {
        let Some(directory) = self.kept_in.get() else {
            return;
        };
        let kept = OutputDirectory::open(directory)
            .map_err(|error| error.to_string())
            .and_then(|directory| {
                directory
                    .write_input(bytes)
                    .map_err(|error| error.to_string())
            });
        if let Err(error) = kept {
            complain(error);
        }
    }
}
