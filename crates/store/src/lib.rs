//! What lasts: answers on disk, for several processes at once.
//!
//! A [`Store`] keeps *entries*: a key (the full canonical form of a question, of any length), a value, and secondary
//! keys under which the entry is found in order. It knows nothing of what they mean. What gives them meaning (versions
//! of everything that produced them) is the *validity*: entries of different validities never meet.
//!
//! ```
//! use refrain_store::{Entry, Options, Store};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("store");
//! let options = Options::new(b"refrain 0.1, canonical form 3".to_vec());
//! let store = Store::open(&path, &options)?;
//! store.put(Entry::new(b"x < 5 && x > 7".to_vec(), b"unsat".to_vec()).under(b"x".to_vec()).costing(830))?;
//! store.flush()?; // Acknowledged: survives whatever happens to this process or the machine.
//!
//! let found = store.get(b"x < 5 && x > 7").unwrap();
//! assert_eq!(found.value, b"unsat");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is kept
//!
//! In LMDB, through `heed`: a commit appears whole or not at all, and writers of all processes take turns. It was chosen
//! by measurement: it reads several times faster than SQLite, and `redb` and `fjall` refuse a second process. It is
//! compiled from C; the `cc` it needs is the one that `rustc` needs for linking.
//!
//! * *Reading* takes no locks, sees one committed state, and does without LMDB (`reader`): pages are copied out of the
//!   file and every number in them is checked. So a store that cannot be written can be read, and nothing that
//!   happens to the file meanwhile does more than end the use of it.
//! * *The map*, which LMDB needs for writing, is reserved large at once (64 GiB of addresses, not of disk or memory).
//!   Growing it later would need every transaction of every thread to pause, and every other process to follow. It is
//!   touched only on threads that the process can do without (`expendable`), for a page that is missing is a signal.
//! * *A killed process* loses what it had queued since the last commit (a fifth of a second), nothing that was
//!   committed.
//! * *A power cut* loses at most the last commit, unless [`Store::flush`] has returned: a commit syncs the data before
//!   it writes the page that makes them current, so the file is sound at every moment; `flush` syncs that page too.
//! * *Damage*: every record has a checksum over all of it, and is absent if it does not match. The tree between records
//!   has none, and LMDB follows it blindly: of 400 damaged files, it let 83 kill the process. So a file that may have
//!   been changed by others than LMDB is walked before LMDB sees it (`pages`, `stamp`). If it is damaged while it is
//!   open, the store is lost to this process: a warning, and from then on everything is a miss. What remains: somebody
//!   who puts other pages in place of those that LMDB is just about to change.
//! * *The size* is bounded: see [`Usage::usefulness`] for who goes first.
//!
//! Trouble while running (a full disk, a damaged record) is no error of a read: it is a miss and a [`Warning`].

mod bound;
mod core;
mod engine;
mod error;
mod expendable;
mod export;
mod info;
mod layout;
mod merge;
mod open;
mod pages;
mod place;
mod queue;
mod reader;
mod record;
mod rows;
mod snapshot;
mod stamp;
mod tables;
mod tally;
mod usage;
mod verify;
mod view;
mod warnings;
mod writing;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

pub use bound::Collected;
pub use error::StoreError;
pub use export::Show;
pub use info::{Info, KindInfo};
pub use merge::Merged;
pub use place::{FORMAT, VARIABLE, default_path, path_or_default, remove};
pub use queue::MAX_ENTRY;
pub use rows::MAX_INDEX_KEY;
pub use snapshot::{Found, Snapshot};
pub use usage::Usage;
pub use verify::Report;
pub use warnings::{Trouble, Warning};

use crate::core::Handle;
use crate::layout::Fault;
use crate::open::Wanted;

/// Names an entry within a store, as long as it is there.
///
/// It follows from the key, so a removed entry that comes back has it again. Another entry gets it only by a
/// coincidence of hashes: who keeps ids for long compares the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u64);

impl EntryId {
    fn bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }
}

/// Something to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
    /// Secondary keys, each of at most [`MAX_INDEX_KEY`] bytes.
    pub index: Vec<Box<[u8]>>,
    /// Microseconds that it took to find: what it is worth.
    pub cost: u32,
}

impl Entry {
    pub fn new(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Entry {
        Entry {
            key: key.into(),
            value: value.into(),
            index: Vec::new(),
            cost: 0,
        }
    }

    /// To be found under this secondary key too.
    pub fn under(mut self, key: impl Into<Box<[u8]>>) -> Entry {
        self.index.push(key.into());
        self
    }

    pub fn costing(mut self, microseconds: u32) -> Entry {
        self.cost = microseconds;
        self
    }
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// Everything that gives an answer its meaning, readable to people: versions, formats.
    pub validity: Vec<u8>,
    /// The store grows no larger: the least useful entries go.
    pub max_bytes: u64,
    /// Nothing is written, and nothing begun where nothing is.
    pub read_only: bool,
}

impl Options {
    /// For reading and writing, bounded to 1 GiB.
    pub fn new(validity: impl Into<Vec<u8>>) -> Options {
        Options {
            validity: validity.into(),
            max_bytes: 1 << 30,
            read_only: false,
        }
    }
}

/// An entry that was found, copied out of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEntry {
    pub id: EntryId,
    pub value: Vec<u8>,
}

/// A store that is open. Cheap to clone; the last one to go writes what is queued.
///
/// A process that opens the same store twice gets the same one, with the size bound of the first.
#[derive(Clone)]
pub struct Store {
    handle: Arc<Handle>,
    read_only: bool,
}

impl Store {
    /// Opens the store at this path, and begins one if there is nothing.
    pub fn open(path: &Path, options: &Options) -> Result<Store, StoreError> {
        Store::open_as(
            path,
            options,
            match options.read_only {
                true => Wanted::Existing,
                false => Wanted::Writing,
            },
        )
    }

    /// The same, but a store that cannot be written is opened for reading, with a warning: it is read-only from then
    /// on.
    pub fn open_or_read(path: &Path, options: &Options) -> Result<Store, StoreError> {
        Store::open_as(
            path,
            options,
            match options.read_only {
                true => Wanted::Existing,
                false => Wanted::WritingIfPossible,
            },
        )
    }

    /// Opens the store at this path, for writing too unless `options` say otherwise. Nothing is begun.
    pub fn open_existing(path: &Path, options: &Options) -> Result<Store, StoreError> {
        Store::open_as(path, options, Wanted::Existing)
    }

    fn open_as(path: &Path, options: &Options, wanted: Wanted) -> Result<Store, StoreError> {
        let handle = open::open(path, options, wanted)?;
        Ok(Store {
            read_only: options.read_only || handle.core.is_read_only(),
            handle,
        })
    }

    /// A view of what is committed now, by whatever process. Not to be kept for long: what it sees cannot be
    /// overwritten.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Snapshot::new(&self.handle.core)
    }

    /// The same for a few lookups at once, and much cheaper: nothing keeps others from overwriting what it sees. If they
    /// do, it finds nothing more.
    pub fn glimpse(&self) -> Result<Snapshot<'_>, StoreError> {
        Snapshot::glimpse(&self.handle.core)
    }

    /// The entry with this key, as it is now.
    pub fn get(&self, key: &[u8]) -> Option<FoundEntry> {
        const ATTEMPTS: usize = 100;
        let core = &self.handle.core;
        for _ in 0..ATTEMPTS {
            let glimpse = core.warn_about(self.glimpse())?;
            let found = match glimpse.try_get(key) {
                Err(Fault::Overtaken) => continue,
                found => core.warn_about(found.map_err(|fault| core.fault(fault)))?,
            };
            return found.map(|found| FoundEntry {
                id: found.id,
                value: found.value,
            });
        }
        None
    }

    /// Queues an entry. It is written within a fraction of a second, or when [`Store::flush`] is called. One with the
    /// same key is replaced.
    pub fn put(&self, entry: Entry) -> Result<(), StoreError> {
        self.writable()?;
        self.handle.put(entry)
    }

    /// Writes what is queued. When it returns, everything put before is safe from crashes and power cuts. What is
    /// read-only has nothing queued.
    pub fn flush(&self) -> Result<(), StoreError> {
        match self.read_only {
            true => Ok(()),
            false => self.handle.core.flush(),
        }
    }

    /// Writes what is queued, for other processes to find. A power cut may still cost it. Closing does as much.
    pub fn commit(&self) -> Result<(), StoreError> {
        match self.read_only {
            true => Ok(()),
            false => self.handle.core.commit(),
        }
    }

    /// Notes that entries have served. Written along with the next entries, be they another process's.
    pub fn touch(&self, ids: impl IntoIterator<Item = EntryId>) {
        if !self.read_only {
            self.handle.touch(ids);
        }
    }

    /// What went wrong since this was last asked.
    pub fn warnings(&self) -> Vec<Warning> {
        self.handle.core.warnings.take()
    }

    /// Removes all entries.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.writable()?;
        let core = &self.handle.core;
        core.discard_queue();
        core.write(|txn, tables| {
            for table in [&tables.entries, &tables.index, &tables.usage, &tables.about] {
                table.clear(txn)?;
            }
            Ok(())
        })?;
        core.sync()
    }

    fn writable(&self) -> Result<(), StoreError> {
        match self.read_only {
            false => self.handle.core.still_there(),
            true => Err(StoreError::ReadOnly {
                path: self.handle.core.path.clone(),
            }),
        }
    }
}

/// A panic elsewhere does not make what is behind a lock unusable: every change under one is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds of Unix time.
fn now() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs().min(u64::from(u32::MAX)) as u32)
}
