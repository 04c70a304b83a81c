//! An open store: the file it reads, LMDB, which writes it, and what is queued.
//!
//! [`Core`] is what the writing thread and the callers share; [`Handle`] owns the thread and closes in good order.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use heed::RwTxn;

use crate::engine::{Engine, Slot};
use crate::layout::{Fault, newest_meta};
use crate::place::{self, Generation};
use crate::queue::{self, Pending};
use crate::reader::Roots;
use crate::tables::Tables;
use crate::warnings::{Trouble, Warnings};
use crate::writing::{Mapped, Writing};
use crate::{StoreError, lock, stamp};

pub(crate) struct Core {
    /// Of the store, as it was given.
    pub path: PathBuf,
    pub validity: Vec<u8>,
    pub max_bytes: u64,
    /// What is read.
    pub data: File,
    pub access: Access,
    pub warnings: Warnings,
    pub pending: Mutex<Pending>,
    /// Something is queued, or it is time to stop.
    pub wake: Condvar,
    /// Held while a batch is written, so that a flush waits for the batches before it.
    pub committing: Mutex<()>,
    /// Where the newest state that anybody has read begins.
    pub roots: Mutex<Option<Arc<Roots>>>,
    /// The file was cut short or damaged while it was open. Nothing more is read or written.
    pub is_lost: AtomicBool,
    /// How long the file has been: LMDB never makes it shorter.
    pub longest: AtomicU64,
    /// Whether this process has changed the file.
    pub has_written: AtomicBool,
    /// Whether it has since the last sync.
    pub is_unsynced: AtomicBool,
    /// Given back last: until then nobody else may replace the files.
    pub generation: Generation,
}

/// What may be done with a store.
pub(crate) enum Access {
    Write(Writing),
    /// Writers see who reads what.
    Read(Engine),
    /// Neither files nor directory can be written. Writers do not know of us: see [`Meta::is_intact`].
    ///
    /// [`Meta::is_intact`]: crate::layout::Meta::is_intact
    ReadUnseen,
}

impl Core {
    pub fn is_read_only(&self) -> bool {
        !matches!(self.access, Access::Write(_))
    }

    /// Keeps what is committed now from being overwritten. `None`: that is not possible here.
    pub fn hold(&self) -> Option<Slot<'_>> {
        match &self.access {
            Access::Write(writing) => self.mapped(writing).ok()?.engine.hold().ok(),
            Access::Read(engine) => engine.hold().ok(),
            Access::ReadUnseen => None,
        }
    }

    /// Where the newest state begins.
    pub fn newest_roots(&self) -> Result<Arc<Roots>, StoreError> {
        self.still_there()?;
        // Pages that are kept do not show that the file has been cut short since.
        self.check_length().map_err(|error| self.noted(error))?;
        self.read_roots().map_err(|fault| self.fault(fault))
    }

    fn read_roots(&self) -> Result<Arc<Roots>, Fault> {
        const ATTEMPTS: usize = 100;
        let known = lock(&self.roots).clone();
        if let Some(known) = known
            && known.meta.is_newest(&self.data)?
        {
            return Ok(known);
        }
        for _ in 0..ATTEMPTS {
            let missing = || Fault::Damaged("its tables are gone".into());
            let meta = newest_meta(&self.data)?.ok_or_else(missing)?;
            let roots = Roots::read(&self.data, meta.clone());
            if meta.is_intact(&self.data)? {
                let roots = Arc::new(roots?.ok_or_else(missing)?);
                *lock(&self.roots) = Some(Arc::clone(&roots));
                return Ok(roots);
            }
        }
        Err(Fault::Overtaken)
    }

    /// What cannot be read, as an error. A damaged file is not read again.
    pub fn fault(&self, fault: Fault) -> StoreError {
        match fault {
            Fault::Io(error) => StoreError::io(&self.path, error),
            Fault::Damaged(what) => {
                self.lose(&what);
                StoreError::Lost {
                    path: self.path.clone(),
                }
            }
            Fault::Overtaken => StoreError::InUse {
                path: self.path.clone(),
            },
        }
    }

    /// From now on everything is a miss.
    pub fn lose(&self, what: &str) {
        if !self.is_lost.swap(true, Ordering::AcqRel) {
            self.warnings.add(Trouble::Lost, || {
                let path = self.path.display();
                format!("{path}: cut short or damaged while in use ({what}); going on without it")
            });
        }
    }

    pub fn still_there(&self) -> Result<(), StoreError> {
        match self.is_lost.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(StoreError::Lost {
                path: self.path.clone(),
            }),
        }
    }

    /// Runs `work` as one transaction: all of it is committed, or nothing.
    pub fn write<T: Send>(
        &self,
        work: impl FnOnce(&mut RwTxn, &Tables) -> heed::Result<T> + Send,
    ) -> Result<T, StoreError> {
        self.still_there()?;
        let Access::Write(writing) = &self.access else {
            return Err(StoreError::ReadOnly {
                path: self.path.clone(),
            });
        };
        let Mapped { tables, engine } = self.mapped(writing)?;
        let failed = |error| StoreError::engine(&self.path, error);
        let written = engine.write(|mut txn| {
            self.check_file(&txn)?;
            let done = work(&mut txn, tables).map_err(failed)?;
            self.check_length()?;
            // Set before, for a commit that fails may have written something too.
            self.has_written.store(true, Ordering::Relaxed);
            self.is_unsynced.store(true, Ordering::Release);
            txn.commit().map_err(failed)?;
            self.check_length()?;
            Ok(done)
        });
        written.map_err(|error| match self.noted(error) {
            // LMDB calls a write that was cut short an input/output error.
            StoreError::Io { path, source } if place::is_full(&self.generation.path) => {
                StoreError::DiskFull { path, source }
            }
            other => other,
        })
    }

    fn mapped<'w>(&self, writing: &'w Writing) -> Result<&'w Mapped, StoreError> {
        let mapped = writing.map(&self.path, &self.generation.path, &self.data);
        mapped.map_err(|error| self.noted(error))
    }

    /// An error of LMDB's. If it is about the file, that is lost.
    fn noted(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Damaged { what, .. } => self.fault(Fault::Damaged(what)),
            StoreError::Lost { .. } => self.fault(Fault::Damaged("a page is missing".into())),
            other => other,
        }
    }

    /// LMDB believes the file. So it is looked at before LMDB writes to it: is it still what LMDB last saw?
    fn check_file(&self, txn: &RwTxn) -> Result<(), StoreError> {
        self.check_length()?;
        let newest = newest_meta(&self.data).map_err(|fault| self.fault(fault))?;
        match newest {
            Some(meta) if meta.transaction + 1 == txn.id() as u64 => Ok(()),
            _ => Err(StoreError::damaged(&self.path, "it was replaced")),
        }
    }

    fn check_length(&self) -> Result<(), StoreError> {
        // Looked at first: meanwhile another thread may see the file grow.
        let before = self.longest.load(Ordering::Acquire);
        let found = self.data.metadata();
        let length = found
            .map_err(|error| StoreError::io(&self.path, error))?
            .len();
        if length < before {
            return Err(StoreError::damaged(&self.path, "it is shorter than before"));
        }
        self.longest.fetch_max(length, Ordering::AcqRel);
        Ok(())
    }

    /// Makes the last commit safe from power cuts.
    pub fn sync(&self) -> Result<(), StoreError> {
        let Access::Write(writing) = &self.access else {
            return Ok(());
        };
        let Some(Mapped { engine, .. }) = writing.mapped() else {
            return Ok(());
        };
        match self.is_unsynced.swap(false, Ordering::AcqRel) {
            true => engine.sync().map_err(|error| self.noted(error)),
            false => Ok(()),
        }
    }

    /// A failed read is a miss. That the store is lost has been said.
    pub fn warn_about<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .map_err(|error| match error {
                StoreError::Lost { .. } => {}
                error => self.warnings.add(Trouble::ReadFailed, || error.to_string()),
            })
            .ok()
    }
}

pub(crate) struct Handle {
    pub core: Arc<Core>,
    pub writer: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.core.is_read_only() {
            return;
        }
        queue::stop(&self.core);
        if let Some(writer) = lock(&self.writer).take() {
            let _ = writer.join();
        }
        // Nobody is left to tell; what could not be written will be found again.
        let committed = self.core.commit();
        let is_sound = committed.is_ok() && !self.core.is_lost.load(Ordering::Acquire);
        if is_sound && self.core.has_written.load(Ordering::Relaxed) {
            stamp::leave(&self.core.generation.path);
        }
    }
}
