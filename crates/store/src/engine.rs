//! LMDB, which writes, and which keeps writers from using pages again that somebody reads.
//!
//! It maps its files: whatever may touch the maps is done on a thread that may be lost (`expendable`).

use std::io;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heed::{CompactionOption, Env, EnvFlags, EnvOpenOptions, MdbError, RoTxn, RwTxn, WithoutTls};

use crate::expendable::{self, Failure};
use crate::tables::{TABLES, Tables};
use crate::{Options, StoreError, place};

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

/// `heed` keeps a list of what is open behind a lock, which it holds while it opens and closes. A thread that was lost
/// there holds it for ever: nothing more can be opened, and must not be waited for.
static REGISTRY_IS_LOST: AtomicBool = AtomicBool::new(false);

pub(crate) struct Engine {
    env: ManuallyDrop<Env<WithoutTls>>,
    /// Of the store.
    path: PathBuf,
}

/// While it lives, no page is used again that was in use when it was taken.
pub(crate) struct Slot<'e>(ManuallyDrop<RoTxn<'e, WithoutTls>>);

impl Engine {
    /// Maps the files of a generation, whose meta pages have been checked.
    pub fn open(path: &Path, generation: &Path, options: &Options) -> Result<Engine, StoreError> {
        Engine::open_and(path, generation, options, |_| Ok(())).map(|(engine, ())| engine)
    }

    /// The same, and opens the tables, on one thread.
    pub fn open_with_tables(
        path: &Path,
        generation: &Path,
        options: &Options,
    ) -> Result<(Engine, Tables), StoreError> {
        Engine::open_and(path, generation, options, Tables::open)
    }

    fn open_and<T: Send>(
        path: &Path,
        generation: &Path,
        options: &Options,
        then: impl FnOnce(&Env<WithoutTls>) -> heed::Result<T> + Send,
    ) -> Result<(Engine, T), StoreError> {
        if REGISTRY_IS_LOST.load(Ordering::Relaxed) {
            return Err(StoreError::Lost {
                path: path.to_path_buf(),
            });
        }
        place::require_room_for_locks(generation)?;
        let env = expendable::run(|| {
            let env = map(generation, options)?;
            // What killed processes have left behind; only the file grows if this fails.
            let _ = env.clear_stale_readers();
            let done = then(&env).map_err(|error| StoreError::engine(path, error))?;
            Ok((env, done))
        });
        let env = env.inspect_err(note_lost_registry);
        let (env, done) = env.unwrap_or_else(|failure| Err(failed(path, failure)))?;
        let engine = Engine {
            env: ManuallyDrop::new(env),
            path: path.to_path_buf(),
        };
        Ok((engine, done))
    }

    /// Opens the tables, and begins those that are missing.
    pub fn tables(&self) -> Result<Tables, StoreError> {
        expendably(&self.path, || {
            Tables::open(&self.env).map_err(|error| StoreError::engine(&self.path, error))
        })
    }

    /// Slots of readers that were killed are freed when there are no others left.
    pub fn hold(&self) -> Result<Slot<'_>, StoreError> {
        expendably(&self.path, || {
            let txn = match self.env.read_txn() {
                Err(heed::Error::Mdb(MdbError::ReadersFull)) => {
                    let _ = self.env.clear_stale_readers();
                    self.env.read_txn()
                }
                txn => txn,
            };
            txn.map(|txn| Slot(ManuallyDrop::new(txn)))
                .map_err(|error| StoreError::engine(&self.path, error))
        })
    }

    /// Runs `work` in a transaction, which it may commit.
    pub fn write<T: Send>(
        &self,
        work: impl FnOnce(RwTxn) -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        expendably(&self.path, || {
            // Readers that were killed would keep old pages from being used again. A few microseconds beside a sync of
            // the disk; only the file grows if this fails.
            let _ = self.env.clear_stale_readers();
            let txn = self.env.write_txn();
            work(txn.map_err(|error| StoreError::engine(&self.path, error))?)
        })
    }

    /// Makes what is committed safe from power cuts.
    pub fn sync(&self) -> Result<(), StoreError> {
        expendably(&self.path, || {
            let synced = self.env.force_sync();
            synced.map_err(|error| StoreError::engine(&self.path, error))
        })
    }

    /// A copy without free pages. Returns its length.
    pub fn copy_compacted(&self, copy: &Path) -> Result<u64, StoreError> {
        expendably(&self.path, || {
            let file = self.env.copy_to_path(copy, CompactionOption::Enabled);
            let file = file.map_err(|error| StoreError::engine(&self.path, error))?;
            let synced = file.sync_all().and_then(|()| file.metadata());
            synced
                .map(|found| found.len())
                .map_err(|error| StoreError::io(copy, error))
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        let env = unsafe { ManuallyDrop::take(&mut self.env) };
        // There is nobody to tell, and nothing to do about it.
        let _ = expendable::run(|| drop(env)).inspect_err(note_lost_registry);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        let txn = unsafe { ManuallyDrop::take(&mut self.0) };
        let _ = expendable::run(move || drop(txn));
    }
}

fn expendably<T: Send>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    expendable::run(work).unwrap_or_else(|failure| Err(failed(path, failure)))
}

fn failed(path: &Path, failure: Failure) -> StoreError {
    match failure {
        Failure::Vanished => StoreError::Lost {
            path: path.to_path_buf(),
        },
        Failure::NoThread(error) => StoreError::io(path, error),
    }
}

fn note_lost_registry(failure: &Failure) {
    if let Failure::Vanished = failure {
        REGISTRY_IS_LOST.store(true, Ordering::Relaxed);
    }
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
        // SAFETY: the meta pages have been checked, and the caller walks the rest before anything is written. All
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
