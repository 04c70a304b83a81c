//! What a run saw of the host, for a native program: copies in a fresh directory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::notes::{Question, facts_of};
use super::{HostFiles, HostView};

impl HostFiles {
    /// Puts what a native program is to find into an empty directory: the directory that was shown, or what was found
    /// out of the host, where it lies. In which directory the program is then.
    pub fn furnish(&self, results: &Path, place: &Path) -> io::Result<PathBuf> {
        match &self.world {
            HostView::Empty => {}
            HostView::Directory(root) => copy_tree(root, place)?,
            HostView::Host => return self.imitate(results, place),
        }
        Ok(place.to_path_buf())
    }

    /// What a run has seen of the host, in the same places below a directory. What was not read has only its size.
    fn imitate(&self, results: &Path, place: &Path) -> io::Result<PathBuf> {
        let inside = |path: &Path| place.join(path.strip_prefix("/").unwrap_or(path));
        let start = inside(&self.directory);
        fs::create_dir_all(&start)?;
        let facts = facts_of(results).map_err(io::Error::other)?;
        let mut wanted = BTreeMap::new();
        for (question, path, _) in facts {
            let from = self.place(&path);
            if question == Question::List {
                for name in self.list(&path).unwrap_or_default() {
                    wanted
                        .entry(from.join(OsStr::from_bytes(&name)))
                        .or_insert(false);
                }
            }
            *wanted.entry(from).or_insert(false) |= question == Question::Read;
        }
        let mut closed = Vec::new();
        for (from, is_read) in wanted {
            let to = inside(&from);
            copy_one(&from, &to, is_read)?;
            if from.is_dir() && !from.is_symlink() && from.starts_with(&self.directory) {
                closed.push((to, fs::metadata(&from)?.permissions()));
            }
        }
        // A directory gets its mode when everything is in it.
        for (to, mode) in closed.into_iter().rev() {
            fs::set_permissions(to, mode)?;
        }
        Ok(start)
    }
}

/// Copies a file, or its size, or a link, or makes a directory, if there is one and nothing in its place. What cannot be
/// read is not there for the program either.
fn copy_one(from: &Path, to: &Path, with_content: bool) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(from) else {
        return Ok(());
    };
    if fs::symlink_metadata(to).is_ok() {
        return Ok(());
    }
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    if found.is_dir() {
        return fs::create_dir(to);
    }
    if found.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !found.is_file() {
        return Ok(());
    }
    if with_content {
        // As the machine, which could not read it.
        let _ = fs::copy(from, to);
    } else {
        File::create(to)?.set_len(found.len())?;
        fs::set_permissions(to, found.permissions())?;
    }
    if let Ok(time) = found.modified() {
        let times = fs::FileTimes::new().set_modified(time);
        let _ = { File::options().write(true).open(to) }.and_then(|file| file.set_times(times));
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (from, to) = {
            let name = entry?.file_name();
            (from.join(&name), to.join(name))
        };
        copy_one(&from, &to, true)?;
        let found = fs::symlink_metadata(&from)?;
        if found.is_dir() {
            copy_tree(&from, &to)?;
            fs::set_permissions(&to, found.permissions())?;
        }
    }
    Ok(())
}

/// Removes a directory, also what its owner has closed.
pub fn remove_tree(place: &Path) {
    if fs::remove_dir_all(place).is_ok() {
        return;
    }
    open_up(place);
    let _ = fs::remove_dir_all(place);
}

fn open_up(place: &Path) {
    let _ = fs::set_permissions(place, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
