//! `refrain store export`.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use refrain_store::{Store, StoreError};

use super::{count, failed, open_for_reading, say, show, unless_gone, warn_about};

pub fn run(path: &Path, output: Option<&Path>) -> Result<u8, String> {
    let store = open_for_reading(path)?;
    match output {
        Some(file) if file != Path::new("-") => to_file(&store, file)?,
        _ => to_standard_output(&store)?,
    }
    Ok(warn_about(&store))
}

fn to_standard_output(store: &Store) -> Result<(), String> {
    match export(store, io::stdout().lock()) {
        Ok(_) => Ok(()),
        Err(StoreError::Output { source }) => unless_gone(source),
        Err(error) => Err(failed(error)),
    }
}

fn to_file(store: &Store, file: &Path) -> Result<(), String> {
    match write(store, file) {
        Ok(Some(entries)) => {
            let entries = count(entries, "entry", "entries");
            say(format_args!("{}: {entries} written", file.display()))
        }
        Ok(None) => Ok(()),
        Err(StoreError::Output { source }) => Err(format!("{}: {source}", file.display())),
        Err(error) => Err(failed(error)),
    }
}

/// Writes the file; how many entries, unless it is a device or a pipe, which may well be the standard output.
fn write(store: &Store, file: &Path) -> Result<Option<u64>, StoreError> {
    let output = |source| StoreError::Output { source };
    match fs::metadata(file) {
        Ok(found) if found.is_file() => {
            let target = file.canonicalize().map_err(output)?;
            replace(store, &target).map(Some)
        }
        Ok(found) if found.is_dir() => Err(output(io::ErrorKind::IsADirectory.into())),
        // Not to be replaced by a file.
        Ok(_) => {
            let device = File::options().write(true).open(file).map_err(output)?;
            export(store, device).map(|_| None)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(store, file).map(Some),
        Err(error) => Err(output(error)),
    }
}

/// Writes to a temporary file beside it first, so that there is never a half of one under this name.
fn replace(store: &Store, file: &Path) -> Result<u64, StoreError> {
    let output = |source| StoreError::Output { source };
    let directory = match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let temporary = tempfile::Builder::new()
        .prefix(".refrain-export-")
        // As for any new file: the user's mask takes off what it does.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .map_err(|error| output(without_path(error)))?;
    let count = export(store, temporary.as_file())?;
    temporary.as_file().sync_all().map_err(output)?;
    let persisted = temporary.persist(file);
    persisted.map_err(|failure| output(failure.error))?;
    Ok(count)
}

/// The temporary file's name tells nobody anything.
fn without_path(error: io::Error) -> io::Error {
    error.kind().into()
}

fn export(store: &Store, out: impl Write) -> Result<u64, StoreError> {
    store.export(&mut BufWriter::new(out), show())
}
