//! An open store: the environment of LMDB, the tables in it, and what is queued for them.
//!
//! [`Core`] is what the writing thread and the callers share; [`Handle`] owns the thread and closes in good order.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use heed::{Env, RoTxn, RwTxn, WithoutTls};

use crate::place::{self, Generation};
use crate::queue::{self, Pending};
use crate::tables::Tables;
use crate::warnings::{Trouble, Warnings};
use crate::{StoreError, lock, stamp};

pub(crate) struct Core {
    /// Of the store, as it was given.
    pub path: PathBuf,
    pub validity: Vec<u8>,
    pub max_bytes: u64,
    pub read_only: bool,
    pub tables: Tables,
    pub warnings: Warnings,
    pub pending: Mutex<Pending>,
    /// Something is queued, or it is time to stop.
    pub wake: Condvar,
    /// Held while a batch is written, so that a flush waits for the batches before it.
    pub committing: Mutex<()>,
    /// Whether this process has changed the file.
    pub has_written: AtomicBool,
    /// Whether it has since the last sync.
    pub is_unsynced: AtomicBool,
    pub env: Env<WithoutTls>,
    /// Given back last: until then nobody else may replace the files.
    pub generation: Generation,
}

impl Core {
    pub fn failed(&self, error: heed::Error) -> StoreError {
        StoreError::engine(&self.path, error)
    }

    /// A read transaction. Slots of readers that were killed are freed when there are no others left.
    pub fn read(&self) -> Result<RoTxn<'_, WithoutTls>, StoreError> {
        let txn = match self.env.read_txn() {
            Err(heed::Error::Mdb(heed::MdbError::ReadersFull)) => {
                self.clear_stale_readers();
                self.env.read_txn()
            }
            txn => txn,
        };
        txn.map_err(|error| self.failed(error))
    }

    /// Readers that were killed would keep old pages from being used again.
    pub fn clear_stale_readers(&self) {
        // Only the file grows if this fails.
        let _ = self.env.clear_stale_readers();
    }

    /// Runs `work` as one transaction: all of it is committed, or nothing.
    pub fn write<T>(
        &self,
        work: impl FnOnce(&mut RwTxn) -> heed::Result<T>,
    ) -> Result<T, StoreError> {
        let run = || {
            let mut txn = self.env.write_txn()?;
            let done = work(&mut txn)?;
            // Set before, for a commit that fails may have written something too.
            self.has_written.store(true, Ordering::Relaxed);
            self.is_unsynced.store(true, Ordering::Release);
            txn.commit()?;
            Ok(done)
        };
        run().map_err(|error| match self.failed(error) {
            // LMDB calls a write that was cut short an input/output error.
            StoreError::Io { path, source } if place::is_full(&self.generation.path) => {
                StoreError::DiskFull { path, source }
            }
            other => other,
        })
    }

    /// Makes the last commit safe from power cuts.
    pub fn sync(&self) -> Result<(), StoreError> {
        if !self.is_unsynced.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        self.env.force_sync().map_err(|error| self.failed(error))
    }

    /// A failed read is a miss.
    pub fn warn_about<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .map_err(|error| {
                self.warnings.add(Trouble::ReadFailed, || error.to_string());
            })
            .ok()
    }

    /// Like [`Core::warn_about`], for what LMDB says.
    pub fn or_miss<T>(&self, result: heed::Result<T>) -> Option<T> {
        self.warn_about(result.map_err(|error| self.failed(error)))
    }
}

pub(crate) struct Handle {
    pub core: Arc<Core>,
    pub writer: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.core.read_only {
            return;
        }
        queue::stop(&self.core);
        if let Some(writer) = lock(&self.writer).take() {
            let _ = writer.join();
        }
        // Nobody is left to tell; what could not be written will be found again.
        let flushed = self.core.flush_all();
        if flushed.is_ok() && self.core.has_written.load(Ordering::Relaxed) {
            stamp::leave(&self.core.generation.path);
        }
    }
}
