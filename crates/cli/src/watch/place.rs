//! Where results are: a directory that is replaced as a whole. Results that are not whole yet are in hidden ones beside
//! it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

#[derive(Clone)]
pub struct Place {
    pub directory: PathBuf,
}

impl Place {
    pub fn new(directory: PathBuf) -> Place {
        Place { directory }
    }

    fn hidden(&self, what: &str) -> PathBuf {
        let name = self.directory.file_name().unwrap_or(OsStr::new("results"));
        let hidden = format!(".{}.{what}", name.to_string_lossy());
        self.directory.with_file_name(hidden)
    }

    /// For the version that is explored.
    pub fn next(&self) -> PathBuf {
        self.hidden("next")
    }

    /// What was found of a version before it was stopped.
    fn stopped(&self) -> PathBuf {
        self.hidden("stopped")
    }

    /// What most is known in.
    pub fn latest(&self) -> PathBuf {
        let stopped = self.stopped();
        match stopped.exists() {
            true => stopped,
            false => self.directory.clone(),
        }
    }

    /// A directory for the version that is explored next, which is not there yet.
    pub fn make_room(&self) -> Result<PathBuf, String> {
        remove(&self.next())?;
        Ok(self.next())
    }

    /// The version that was explored is followed by another before it is told of.
    pub fn keep_stopped(&self) -> Result<(), String> {
        remove(&self.stopped())?;
        rename(&self.next(), &self.stopped())
    }

    /// The version that was explored takes the place of the one before.
    pub fn replace(&self) -> Result<(), String> {
        let (next, directory) = (self.next(), &self.directory);
        // In one step, where the file system can do that.
        if renameat_with(CWD, &next, CWD, directory, RenameFlags::EXCHANGE).is_ok() {
            remove(&next)?;
        } else {
            self.set_aside()?;
            rename(&next, directory)?;
            remove(&self.aside())?;
        }
        remove(&self.stopped())
    }

    fn aside(&self) -> PathBuf {
        self.hidden("before")
    }

    /// Nothing is there; what was can be restored.
    pub fn set_aside(&self) -> Result<(), String> {
        remove(&self.aside())?;
        rename(&self.directory, &self.aside())
    }

    pub fn restore(&self) -> Result<(), String> {
        remove(&self.directory)?;
        rename(&self.aside(), &self.directory)
    }

    /// What is there stays.
    pub fn forget_others(&self) -> Result<(), String> {
        let hidden = [self.next(), self.stopped(), self.aside()];
        hidden.iter().try_for_each(|path| remove(path))
    }
}

fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), String> {
    fs::rename(from, to).map_err(|error| format!("cannot rename {}: {error}", from.display()))
}
