//! Opening: from a path to tables that can be trusted.
//!
//! Claim the directory, check the meta pages, let LMDB map the file, walk its pages unless a stamp vouches for them,
//! open the tables. Within one process a store is opened once: LMDB's locks belong to processes, and would be given
//! back by whichever handle closes first.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use heed::{Env, EnvFlags, EnvOpenOptions, WithoutTls};

use crate::core::{Core, Handle};
use crate::pages::{self, Fault};
use crate::place::{self, DATA, Generation};
use crate::tables::{TABLES, Tables};
use crate::warnings::{Trouble, Warnings};
use crate::{Options, StoreError, lock, stamp};

/// Addresses reserved for the file.
#[cfg(target_pointer_width = "64")]
const MAP: u64 = 64 << 30;
#[cfg(not(target_pointer_width = "64"))]
const MAP: u64 = 512 << 20;
/// Where addresses are scarce, no less than this.
const SMALLEST_MAP: u64 = 64 << 20;
/// A multiple of every page size.
const MAP_UNIT: u64 = 1 << 20;
/// Read transactions of all processes at one time.
const READERS: u32 = 1022;

/// What this process has open.
static OPEN: Mutex<Vec<(PathBuf, Weak<Handle>)>> = Mutex::new(Vec::new());

/// `create`: a store is begun if there is none.
pub(crate) fn open(
    path: &Path,
    options: &Options,
    create: bool,
) -> Result<Arc<Handle>, StoreError> {
    let mut open = lock(&OPEN);
    open.retain(|(_, handle)| handle.strong_count() > 0);
    let generation = Generation::open(path, &options.validity, create)?;
    let place = generation
        .path
        .canonicalize()
        .map_err(|error| StoreError::io(path, error))?;
    let known = open.iter().find(|(known, _)| *known == place);
    if let Some(handle) = known.and_then(|(_, handle)| handle.upgrade()) {
        return match handle.core.read_only && !options.read_only {
            false => Ok(handle),
            true => Err(StoreError::InUse { path: place }),
        };
    }
    let handle = Arc::new(Handle {
        core: Arc::new(open_core(path, generation, options)?),
        writer: Mutex::new(None),
    });
    open.push((place, Arc::downgrade(&handle)));
    Ok(handle)
}

fn open_core(path: &Path, generation: Generation, options: &Options) -> Result<Core, StoreError> {
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
    let env = open_environment(&generation.path, options)?;
    let failed = |error| StoreError::engine(path, error);
    let tables = Tables::open(&env, !options.read_only).map_err(failed)?;
    let tables = tables.ok_or_else(|| StoreError::Missing {
        path: path.to_path_buf(),
    })?;
    Ok(Core {
        path: path.to_path_buf(),
        validity: options.validity.clone(),
        max_bytes: options.max_bytes,
        read_only: options.read_only,
        tables,
        warnings,
        pending: Mutex::default(),
        wake: Condvar::new(),
        committing: Mutex::default(),
        has_written: AtomicBool::new(false),
        is_unsynced: AtomicBool::new(false),
        env,
        generation,
    })
}

/// LMDB, on a file that has been found sound.
pub(crate) fn open_environment(
    generation: &Path,
    options: &Options,
) -> Result<Env<WithoutTls>, StoreError> {
    let data = match File::open(generation.join(DATA)) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(StoreError::io(generation, error)),
    };
    let trusted = stamp::agrees(generation);
    if let Some(data) = &data {
        pages::check_metas(data).map_err(|fault| refused(generation, fault))?;
    }
    let env = map(generation, options)?;
    // What killed processes have left behind.
    let _ = env.clear_stale_readers();
    if let Some(data) = data
        && !trusted
    {
        walk(&data, &env, generation)?;
        if !options.read_only {
            stamp::leave(generation);
        }
    }
    Ok(env)
}

fn map(generation: &Path, options: &Options) -> Result<Env<WithoutTls>, StoreError> {
    const ATTEMPTS: usize = 100;
    let mut bytes = options.max_bytes.saturating_mul(4).clamp(MAP, MAP * 256);
    let mut flags = EnvFlags::NO_META_SYNC;
    if options.read_only {
        flags |= EnvFlags::READ_ONLY;
    }
    for _ in 0..ATTEMPTS {
        let mut settings = EnvOpenOptions::new().read_txn_without_tls();
        settings
            .map_size(bytes.next_multiple_of(MAP_UNIT) as usize)
            .max_dbs(TABLES)
            .max_readers(READERS);
        // SAFETY: the meta pages have been checked, and the caller walks the rest before it reads anything. All
        // processes reach the file through LMDB and its locks. The flag costs at most the last commit in a power cut.
        let opened = unsafe { settings.flags(flags).open(generation) };
        match opened {
            Err(heed::Error::EnvAlreadyOpened) => {
                // A handle that is just being closed.
                match heed::env_closing_event(generation) {
                    Some(closing) => _ = closing.wait_timeout(Duration::from_millis(100)),
                    None => std::thread::sleep(Duration::from_millis(1)),
                }
            }
            Err(heed::Error::Io(error)) if error.kind() == io::ErrorKind::OutOfMemory => {
                if bytes <= SMALLEST_MAP {
                    return Err(StoreError::io(generation, error));
                }
                bytes /= 2;
            }
            done => return done.map_err(|error| StoreError::engine(generation, error)),
        }
    }
    Err(StoreError::InUse {
        path: generation.to_path_buf(),
    })
}

/// Walks the pages of the current state.
pub(crate) fn walk(
    data: &File,
    env: &Env<WithoutTls>,
    generation: &Path,
) -> Result<u64, StoreError> {
    const ATTEMPTS: usize = 1000;
    for _ in 0..ATTEMPTS {
        let txn = env
            .read_txn()
            .map_err(|error| StoreError::engine(generation, error))?;
        match pages::check_all(data, txn.id() as u64) {
            Err(Fault::Overtaken) => {}
            done => return done.map_err(|fault| refused(generation, fault)),
        }
    }
    Err(StoreError::InUse {
        path: generation.to_path_buf(),
    })
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
