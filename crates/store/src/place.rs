//! Where a store lies, and how to tell ours from everything else.
//!
//! A store is a directory. A marker file at its top says so, to people and to us; it is the first file that is ever
//! written there, so a directory that has other files but no marker is not ours and is never touched. Below it, answers
//! of each *validity* have a directory of their own: versions that mean different things by an answer can run side by
//! side and never see each other's.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::xxh3_128;

use crate::StoreError;

/// Version of the layout on disk.
pub const FORMAT: u32 = 1;

const MARKER: &str = "REFRAIN-STORE.txt";
const TITLE: &str = "refrain store, format ";
const GENERATION: &str = "answers-";
const VALIDITY: &str = "validity";
pub(crate) const DATA: &str = "data.mdb";
const LOCK: &str = "lock.mdb";
const IN_USE: &str = "in-use";
pub(crate) const CHECKED: &str = "checked";
pub(crate) const COMPACTED: &str = "compacted.mdb";
pub(crate) const TALLY: &str = "uses";

/// All that ever lies in a generation.
const FILES: [&str; 7] = [VALIDITY, DATA, LOCK, IN_USE, CHECKED, COMPACTED, TALLY];
/// Generations of other validities that are kept.
const KEPT_OTHERS: usize = 2;

/// The variable that names the default store, or `none`.
pub const VARIABLE: &str = "REFRAIN_STORE";
/// What to say for no store at all.
const NONE: &str = "none";

/// Where answers are kept unless the caller says otherwise: `$REFRAIN_STORE`, else the cache directory of the platform.
/// `None`: nowhere.
pub fn default_path() -> Option<PathBuf> {
    path_from(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

/// Where answers are kept if the user says `argument`: a path, `none`, or nothing.
pub fn path_or_default(argument: Option<&Path>) -> Option<PathBuf> {
    match argument {
        None => default_path(),
        Some(path) => (path != Path::new(NONE)).then(|| path.to_path_buf()),
    }
}

fn path_from(variable: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    if let Some(path) = variable(VARIABLE) {
        return (path != NONE).then(|| path.into());
    }
    let home = || variable("HOME").map(PathBuf::from);
    let cache = if cfg!(windows) {
        variable("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        // A relative path in this variable is to be ignored, says its specification.
        variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache")))
    };
    Some(cache?.join("refrain").join("store"))
}

/// What lies at a path.
#[derive(Debug, PartialEq, Eq)]
enum Claim {
    Nothing,
    Ours,
    /// The marker is there but empty: somebody is beginning a store, or died doing so.
    Begun,
}

fn claim(path: &Path) -> Result<Claim, StoreError> {
    let failed = |error| StoreError::io(path, error);
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Claim::Nothing),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.is_dir() => return Err(StoreError::foreign(path, "a file")),
        Ok(_) => {}
    }
    let marker = match fs::read(path.join(MARKER)) {
        Ok(marker) => marker,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::read_dir(path).map_err(failed)?.next() {
                None => Ok(Claim::Nothing),
                // The marker may have come since we looked for it.
                Some(_) if path.join(MARKER).exists() => Ok(Claim::Begun),
                Some(_) => Err(StoreError::foreign(path, "a directory with other files")),
            };
        }
        Err(error) => return Err(failed(error)),
    };
    if marker.is_empty() {
        return Ok(Claim::Begun);
    }
    let format = std::str::from_utf8(&marker)
        .ok()
        .and_then(|text| text.lines().next()?.strip_prefix(TITLE))
        .and_then(|format| format.trim().parse::<u32>().ok());
    match format {
        Some(FORMAT) => Ok(Claim::Ours),
        Some(found) if found > FORMAT => Err(StoreError::Future {
            path: path.to_path_buf(),
            found,
            known: FORMAT,
        }),
        _ => Err(StoreError::foreign(path, "its marker is unreadable")),
    }
}

fn write_marker(path: &Path, new: bool) -> io::Result<()> {
    let text = format!(
        "{TITLE}{FORMAT}\n\n\
         Answers that Refrain keeps between runs. Everything here can be found again: deleting\n\
         this directory costs time, nothing else. `refrain store info` tells what is in it.\n"
    );
    let mut options = OpenOptions::new();
    options.write(true).create(true).create_new(new);
    options.open(path.join(MARKER))?.write_all(text.as_bytes())
}

/// Makes sure that `path` is a store, and begins one where nothing is.
fn begin(path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(path, error);
    const ATTEMPTS: usize = 20;
    for _ in 0..ATTEMPTS {
        match claim(path)? {
            Claim::Ours => return Ok(()),
            Claim::Nothing => {
                fs::create_dir_all(path).map_err(failed)?;
                match write_marker(path, true) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => return done.map_err(failed),
                }
            }
            Claim::Begun => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    write_marker(path, false).map_err(failed)
}

/// The directory of the answers of one validity.
#[derive(Debug)]
pub(crate) struct Generation {
    pub path: PathBuf,
    /// Held shared as long as the store is open, so that nobody removes or replaces it meanwhile.
    _in_use: Option<File>,
    /// Whether it was just begun, and others were there before.
    pub succeeds_others: bool,
}

fn generation_path(store: &Path, validity: &[u8]) -> PathBuf {
    let hash = (xxh3_128(validity) >> 64) as u64;
    store.join(format!("{GENERATION}{hash:016x}"))
}

/// The store that a generation lies in; any other path is its own.
pub(crate) fn store_of(path: &Path) -> &Path {
    match path.parent() {
        Some(store) if is_generation_name(path) => store,
        _ => path,
    }
}

impl Generation {
    /// The generation of this validity. `create`: begun if it is not there.
    pub fn open(store: &Path, validity: &[u8], create: bool) -> Result<Generation, StoreError> {
        if create {
            begin(store)?;
        } else if claim(store)? != Claim::Ours {
            return Err(StoreError::Missing {
                path: store.to_path_buf(),
            });
        }
        refuse_remote(store)?;
        let path = generation_path(store, validity);
        let is_new = !path.join(DATA).exists();
        if is_new && !create {
            return Err(StoreError::OtherValidity {
                path: store.to_path_buf(),
            });
        }
        let failed = |error| StoreError::io(&path, error);
        fs::create_dir_all(&path).map_err(failed)?;
        let in_use = lock_in_use(&path, Lock::Shared).map_err(failed)?;
        check_validity(&path, validity)?;
        Ok(Generation {
            _in_use: in_use,
            succeeds_others: is_new && !others(store, &path).is_empty(),
            path,
        })
    }
}

/// The file is there for people; that it agrees also rules out two validities with the same hash.
fn check_validity(generation: &Path, validity: &[u8]) -> Result<(), StoreError> {
    let file = generation.join(VALIDITY);
    match fs::read(&file) {
        Ok(found) if found == validity => Ok(()),
        Ok(found) if !validity.starts_with(&found) => Err(StoreError::damaged(
            generation,
            "its validity is not what its name says",
        )),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io(generation, error))
        }
        // Missing, or not yet written in full. Where it cannot be written, it does not have to be.
        _ => match fs::write(&file, validity).map_err(|error| StoreError::io(generation, error)) {
            Err(StoreError::NoPermission { .. } | StoreError::DiskFull { .. }) => Ok(()),
            done => done,
        },
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Lock {
    Shared,
    Exclusive,
}

/// A lock on the generation, or `None` where there is none to be had. An exclusive one is not waited for.
fn lock_in_use(generation: &Path, lock: Lock) -> io::Result<Option<File>> {
    let path = generation.join(IN_USE);
    let file = OpenOptions::new().append(true).create(true).open(&path);
    let file = match (file, lock) {
        // What cannot be written can be locked all the same, if it is there.
        (Err(_), Lock::Shared) => match File::open(&path) {
            Ok(file) => file,
            Err(_) => return Ok(None),
        },
        (file, _) => file?,
    };
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        let operation = match lock {
            Lock::Shared => FlockOperation::LockShared,
            Lock::Exclusive => FlockOperation::NonBlockingLockExclusive,
        };
        match flock(&file, operation) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(io::ErrorKind::WouldBlock.into()),
            Err(_) => Ok(None),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (file, lock);
        Ok(None)
    }
}

/// The generation for ourselves alone, while the guard lives. `None`: others use it, or nobody can tell.
fn alone(generation: &Path) -> io::Result<Option<File>> {
    match lock_in_use(generation, Lock::Exclusive) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        done => done,
    }
}

/// Like [`alone`], with some patience: between being started and running its program, a child of a process that has
/// closed the store still holds it.
fn alone_soon(generation: &Path) -> Result<File, StoreError> {
    const ATTEMPTS: usize = 20;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let guard = alone(generation).map_err(|error| StoreError::io(generation, error))?;
        if let Some(guard) = guard {
            return Ok(guard);
        }
    }
    Err(StoreError::InUse {
        path: generation.to_path_buf(),
    })
}

/// Runs `work` on the generation of this validity while nobody has it open.
pub(crate) fn while_alone<T>(
    store: &Path,
    validity: &[u8],
    work: impl FnOnce(&Path) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let path = generation_path(store, validity);
    if claim(store)? != Claim::Ours || !path.join(DATA).exists() {
        return Err(StoreError::Missing {
            path: store.to_path_buf(),
        });
    }
    let _guard = alone_soon(&path)?;
    work(&path)
}

/// Generations other than `own`, the most recently written first.
fn others(store: &Path, own: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(store) else {
        return Vec::new();
    };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| is_generation(&entry.path()) && entry.path() != own)
        .map(|entry| {
            let written = fs::metadata(entry.path().join(DATA)).and_then(|data| data.modified());
            (written.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

fn is_generation(path: &Path) -> bool {
    path.is_dir() && is_generation_name(path)
}

fn is_generation_name(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(GENERATION))
}

/// Removes what other versions have left, but for the most recent few and what is in use. Returns how many are gone.
pub(crate) fn prune_others(store: &Path, own: &Path) -> usize {
    others(store, own)
        .into_iter()
        .skip(KEPT_OTHERS)
        .filter(|path| matches!(alone(path), Ok(Some(_guard)) if remove_generation(path).is_ok()))
        .count()
}

/// Only files that we know; a directory with others in it stays.
fn remove_generation(path: &Path) -> io::Result<()> {
    for file in FILES {
        match fs::remove_file(path.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(path)
}

/// Removes a store, damaged or not; what somebody uses stays, and is an error. Files that are not ours stay too.
pub fn remove(store: &Path) -> Result<(), StoreError> {
    match claim(store) {
        Ok(Claim::Nothing) => {
            return Err(StoreError::Missing {
                path: store.to_path_buf(),
            });
        }
        Ok(_) | Err(StoreError::Future { .. }) => {}
        Err(error) => return Err(error),
    }
    let mut removed = Ok(());
    for path in others(store, Path::new("")) {
        let gone = alone_soon(&path).and_then(|_guard| {
            remove_generation(&path).map_err(|error| StoreError::io(&path, error))
        });
        removed = removed.and(gone);
    }
    removed?;
    let failed = |error| StoreError::io(store, error);
    fs::remove_file(store.join(MARKER)).map_err(failed)?;
    // Fails if somebody keeps other files here, which is theirs to decide.
    let _ = fs::remove_dir(store);
    Ok(())
}

/// Whether there is hardly any room left.
pub(crate) fn is_full(path: &Path) -> bool {
    !has_room(path, 1 << 20)
}

fn has_room(path: &Path, bytes: u64) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::statvfs(path).map_or(true, |found| found.f_bavail * found.f_frsize >= bytes)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, bytes);
        true
    }
}

/// Whether nothing is known to keep this process from writing the files of a generation, all of which are there. They
/// are not opened for it: closing the file of locks would give back all that this process has.
pub(crate) fn may_be_written(generation: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        let writable = |path: PathBuf| access(path, Access::READ_OK | Access::WRITE_OK).is_ok();
        writable(generation.join(DATA))
            && writable(generation.join(LOCK))
            && access(generation, Access::WRITE_OK | Access::EXEC_OK).is_ok()
            && require_room_for_locks(generation).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = generation;
        false
    }
}

/// Whether this is the file of entries that lies there now.
pub(crate) fn is_file_of(generation: &Path, data: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let which = |found: fs::Metadata| (found.dev(), found.ino());
        let there = fs::metadata(generation.join(DATA)).map(which);
        there.is_ok_and(|there| data.metadata().is_ok_and(|found| which(found) == there))
    }
    #[cfg(not(unix))]
    {
        let _ = (generation, data);
        true
    }
}

/// LMDB writes its list of readers through a map, where a full disk is a signal and no error. So there must be room for
/// its first pages beforehand, unless it is there.
pub(crate) fn require_room_for_locks(generation: &Path) -> Result<(), StoreError> {
    const LOCKS: u64 = 16 << 10;
    #[cfg(unix)]
    let is_there = fs::metadata(generation.join(LOCK))
        .is_ok_and(|found| std::os::unix::fs::MetadataExt::blocks(&found) > 0);
    #[cfg(not(unix))]
    let is_there = true;
    match is_there || has_room(generation, LOCKS) {
        true => Ok(()),
        false => Err(StoreError::DiskFull {
            path: generation.to_path_buf(),
            source: io::ErrorKind::StorageFull.into(),
        }),
    }
}

/// LMDB needs memory that all users of the file share, and locks that work. File systems over the network give neither.
#[cfg(target_os = "linux")]
fn refuse_remote(path: &Path) -> Result<(), StoreError> {
    let Ok(found) = rustix::fs::statfs(path) else {
        return Ok(());
    };
    let what = match found.f_type as u32 {
        0x6969 => "NFS",
        0x517B | 0xFF53_4D42 | 0xFE53_4D42 => "SMB",
        0x0102_1997 => "9p",
        0x00C3_6400 => "Ceph",
        0x0BD0_0BD0 => "Lustre",
        0x5346_414F | 0x6B41_4653 => "AFS",
        _ => return Ok(()),
    };
    Err(StoreError::Remote {
        path: path.to_path_buf(),
        what,
    })
}

#[cfg(not(target_os = "linux"))]
fn refuse_remote(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_with(variables: &[(&str, &str)]) -> Option<PathBuf> {
        path_from(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_variable_goes_before_the_cache_directory() {
        let home = ("HOME", "/home/a");
        assert_eq!(path_with(&[("REFRAIN_STORE", "none"), home]), None);
        assert_eq!(
            path_with(&[("REFRAIN_STORE", "/s"), home]),
            Some("/s".into())
        );
        if cfg!(target_os = "linux") {
            assert_eq!(
                path_with(&[("XDG_CACHE_HOME", "/c"), home]),
                Some("/c/refrain/store".into())
            );
            for variables in [&[home][..], &[("XDG_CACHE_HOME", "relative"), home]] {
                assert_eq!(
                    path_with(variables),
                    Some("/home/a/.cache/refrain/store".into())
                );
            }
        }
        assert_eq!(path_with(&[]), None);
        assert_eq!(path_or_default(Some(Path::new("none"))), None);
        assert_eq!(path_or_default(Some(Path::new("/s"))), Some("/s".into()));
    }
}
