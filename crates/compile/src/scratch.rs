//! Temporary directories. They are removed when they are dropped; those of processes that were killed, by the next
//! process that makes one in the same place.
//!
//! Each has a file that its process holds a lock on, until it ends in whatever way. One that has such a file, and nobody
//! holds the lock, is surely ours and of no use any more.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Once;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use tempfile::TempDir;

/// What all their names begin with.
const PREFIX: &str = "refrain-";

const LOCK: &str = ".refrain-lock";

/// A temporary directory.
pub struct Scratch {
    directory: TempDir,
    _lock: File,
}

impl Scratch {
    /// In the system's place.
    pub fn new() -> io::Result<Scratch> {
        Scratch::new_in(&std::env::temp_dir())
    }

    pub fn new_in(place: &Path) -> io::Result<Scratch> {
        static SWEEP: Once = Once::new();
        SWEEP.call_once(|| sweep(place));
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        // It is locked before it has its name: nobody finds one that is not.
        let draft = directory.path().join(".lock");
        let lock = File::create_new(&draft)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        fs::rename(&draft, directory.path().join(LOCK))?;
        Ok(Scratch {
            directory,
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Whether a directory is one of these, whoever's.
    pub fn is_one(directory: &Path) -> bool {
        directory.join(LOCK).exists()
    }
}

/// Removes what processes have left that are gone.
fn sweep(place: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_own = |data: fs::Metadata| data.is_dir() && data.uid() == own;
        if is_named && entry.metadata().is_ok_and(is_own) && is_abandoned(&entry.path()) {
            // Another process may be about it, too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(directory: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = open(directory.join(LOCK), flags, Mode::empty());
    lock.is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let held = Scratch::new_in(place.path()).unwrap();
        for name in ["refrain-gone", "refrain-other", "gone"] {
            fs::create_dir(path(name)).unwrap();
        }
        fs::write(path("refrain-file"), "").unwrap();
        for name in ["refrain-gone", "gone"] {
            fs::write(path(name).join(LOCK), "").unwrap();
        }
        sweep(place.path());
        assert!(held.path().join(LOCK).exists());
        assert!(!path("refrain-gone").exists());
        for name in ["refrain-other", "refrain-file", "gone"] {
            assert!(path(name).exists(), "{name}");
        }
        let left = held.path().to_path_buf();
        drop(held);
        assert!(!left.exists());
    }
}
