//! Opening: from a path to tables that can be trusted.
//!
//! Claim the directory, check the meta pages, let LMDB map the file, walk its pages, open the tables. Where a stamp
//! vouches for the pages, that and LMDB wait until something is written. Within one process a store is opened once: LMDB's locks belong to processes, and would be given
//! back by whichever handle closes first.
//!
//! LMDB needs to write even for reading: it keeps a list of readers. Where it cannot, the file is read without it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, Weak};

use crate::core::{Access, Core, Handle};
use crate::engine::Engine;
use crate::layout::{Fault, Meta, newest_meta};
use crate::place::{self, DATA, Generation};
use crate::reader::Roots;
use crate::tables::Tables;
use crate::warnings::{Trouble, Warnings};
use crate::writing::{Mapped, Writing};
use crate::{Options, StoreError, lock, pages, stamp};

/// What this process has open.
static OPEN: Mutex<Vec<(PathBuf, Weak<Handle>)>> = Mutex::new(Vec::new());

/// What to do where there is no store, or one that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A store is begun where there is none. One that cannot be written is refused.
    Writing,
    /// The same, but one that cannot be written is read.
    WritingIfPossible,
    /// Nothing is begun.
    Existing,
}

pub(crate) fn open(
    path: &Path,
    options: &Options,
    wanted: Wanted,
) -> Result<Arc<Handle>, StoreError> {
    let mut open = lock(&OPEN);
    open.retain(|(_, handle)| handle.strong_count() > 0);
    let create = wanted != Wanted::Existing;
    let generation = Generation::open(path, &options.validity, create)?;
    let place = generation
        .path
        .canonicalize()
        .map_err(|error| StoreError::io(path, error))?;
    let known = open.iter().find(|(known, _)| *known == place);
    if let Some(handle) = known.and_then(|(_, handle)| handle.upgrade()) {
        let is_enough = options.read_only || !handle.core.is_read_only();
        return match is_enough || wanted == Wanted::WritingIfPossible {
            true => Ok(handle),
            false => Err(StoreError::InUse { path: place }),
        };
    }
    let handle = Arc::new(Handle {
        core: Arc::new(open_core(path, generation, options, wanted)?),
        writer: Mutex::new(None),
    });
    open.push((place, Arc::downgrade(&handle)));
    Ok(handle)
}

fn open_core(
    path: &Path,
    generation: Generation,
    options: &Options,
    wanted: Wanted,
) -> Result<Core, StoreError> {
    let warnings = Warnings::default();
    if generation.succeeds_others {
        warnings.add(Trouble::OtherValidity, || {
            let path = path.display();
            format!("{path}: answers of other versions are set aside, this one begins anew")
        });
    }
    if !options.read_only {
        let pruned = place::prune_others(path, &generation.path);
        if pruned > 0 {
            warnings.add(Trouble::OtherValidity, || {
                let path = path.display();
                format!("{path}: answers of {pruned} old versions are removed")
            });
        }
    }
    let (access, data) = match open_access(path, &generation.path, options) {
        Ok(opened) => opened,
        Err(refused) => {
            let is_enough = options.read_only || wanted == Wanted::WritingIfPossible;
            let data = match is_enough && is_about_writing(&refused) {
                true => open_data(&generation.path)?,
                false => None,
            };
            // Somebody may have begun it without getting further.
            let data = data.filter(|data| !matches!(has_tables(data), Ok(false)));
            let Some(data) = data else {
                return Err(refused);
            };
            if !options.read_only {
                warnings.add(Trouble::Unwritable, || {
                    format!("{refused}; answers are looked up there, none are kept")
                });
            }
            (Access::ReadUnseen, data)
        }
    };
    if let Access::ReadUnseen = access
        && !stamp::agrees(&generation.path)
    {
        walk_unseen(&data, &generation.path)?;
    }
    let core = Core {
        path: path.to_path_buf(),
        validity: options.validity.clone(),
        max_bytes: options.max_bytes,
        data,
        access,
        warnings,
        pending: Mutex::default(),
        wake: Condvar::new(),
        committing: Mutex::default(),
        roots: Mutex::default(),
        is_lost: AtomicBool::new(false),
        longest: AtomicU64::new(0),
        has_written: AtomicBool::new(false),
        is_unsynced: AtomicBool::new(false),
        generation,
    };
    Ok(core)
}

fn is_about_writing(refused: &StoreError) -> bool {
    use StoreError::{DiskFull, Lost, NoPermission};
    // Lost: a page of a map for which the disk has no room.
    matches!(refused, NoPermission { .. } | DiskFull { .. } | Lost { .. })
}

fn open_access(
    path: &Path,
    generation: &Path,
    options: &Options,
) -> Result<(Access, File), StoreError> {
    if !options.read_only
        && let Some(data) = trusted_data(generation)
    {
        return Ok((Access::Write(Writing::later(options)), data));
    }
    let engine = open_engine(path, generation, options)?;
    let access = match options.read_only {
        true => Access::Read(engine),
        false => {
            let tables = engine.tables()?;
            Access::Write(Writing::now(Mapped { tables, engine }, options))
        }
    };
    let data = open_data(generation)?;
    let data = data.filter(|data| !matches!(has_tables(data), Ok(false)));
    let missing = || StoreError::Missing {
        path: path.to_path_buf(),
    };
    Ok((access, data.ok_or_else(missing)?))
}

/// The file, where nothing has to be done before it is read, and nothing is known to keep LMDB from writing it.
fn trusted_data(generation: &Path) -> Option<File> {
    if !stamp::agrees(generation) || !place::may_be_written(generation) {
        return None;
    }
    let data = open_data(generation).ok()??;
    let is_sound = pages::check_metas(&data).is_ok() && matches!(has_tables(&data), Ok(true));
    is_sound.then_some(data)
}

/// Whether there is anything to read: all tables have been begun.
fn has_tables(data: &File) -> Result<bool, Fault> {
    match newest_meta(data)? {
        None => Ok(false),
        Some(meta) => Roots::read(data, meta).map(|roots| roots.is_some()),
    }
}

fn open_data(generation: &Path) -> Result<Option<File>, StoreError> {
    match File::open(generation.join(DATA)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(generation, error)),
    }
}

/// LMDB, on a file that has been found sound.
pub(crate) fn open_engine(
    path: &Path,
    generation: &Path,
    options: &Options,
) -> Result<Engine, StoreError> {
    let data = open_data(generation)?;
    let trusted = stamp::agrees(generation);
    if let Some(data) = &data {
        pages::check_metas(data).map_err(|fault| refused(generation, fault))?;
    }
    let engine = Engine::open(path, generation, options)?;
    if let Some(data) = data
        && !trusted
    {
        let _slot = engine.hold()?;
        let meta = settled_meta(&data, generation)?;
        pages::check_all(&data, &meta).map_err(|fault| refused(generation, fault))?;
        if !options.read_only {
            stamp::leave(generation);
        }
    }
    Ok(engine)
}

/// LMDB with its tables, on a file that was found sound when it was opened, and that only LMDB has written since.
pub(crate) fn map_trusted(
    path: &Path,
    generation: &Path,
    data: &File,
    options: &Options,
) -> Result<(Engine, Tables), StoreError> {
    if !place::is_file_of(generation, data) {
        return Err(StoreError::damaged(generation, "it was replaced"));
    }
    pages::check_metas(data).map_err(|fault| refused(generation, fault))?;
    Engine::open_with_tables(path, generation, options)
}

/// Walks the pages of the newest state, of which no writer knows that it is being read.
fn walk_unseen(data: &File, generation: &Path) -> Result<(), StoreError> {
    const ATTEMPTS: usize = 20;
    for _ in 0..ATTEMPTS {
        let meta = settled_meta(data, generation)?;
        let walked = pages::check_all(data, &meta);
        let intact = meta.is_intact(data);
        if intact.map_err(|fault| refused(generation, fault))? {
            return walked
                .map(|_| ())
                .map_err(|fault| refused(generation, fault));
        }
    }
    Err(refused(generation, Fault::Overtaken))
}

fn settled_meta(data: &File, generation: &Path) -> Result<Meta, StoreError> {
    let meta = newest_meta(data).map_err(|fault| refused(generation, fault))?;
    meta.ok_or_else(|| StoreError::damaged(generation, "the file is empty"))
}

fn refused(generation: &Path, fault: Fault) -> StoreError {
    match fault {
        Fault::Io(error) => StoreError::io(generation, error),
        Fault::Damaged(what) => StoreError::damaged(generation, what),
        Fault::Overtaken => StoreError::InUse {
            path: generation.to_path_buf(),
        },
    }
}
