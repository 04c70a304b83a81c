//! Writing: entries are queued and committed in batches, for a commit costs a sync of the disk (milliseconds), whatever
//! is in it.
//!
//! A thread commits what is queued after a short delay, or at once when there is much of it. It is started by the first
//! entry: who only reads has none. [`Core::flush`] commits on the calling thread. Batches are committed one after
//! another, so what was put first is written first.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use heed::RwTxn;

use crate::bound::allowed_weight;
use crate::core::{Core, Handle};
use crate::tables::Tables;
use crate::tally::{self, Uses};
use crate::usage::Usage;
use crate::view::View;
use crate::warnings::Trouble;
use crate::{Entry, EntryId, MAX_INDEX_KEY, StoreError, lock, now};

/// Bytes of the largest entry: key, value and secondary keys.
pub const MAX_ENTRY: usize = 64 << 20;

/// How long an entry waits for others.
const DELAY: Duration = Duration::from_millis(200);
/// So much is not waited with.
const MUCH: usize = 4 << 20;
/// So many uses alone are worth a commit.
const MANY_USES: usize = 50_000;
/// More than this is not queued: the disk does not keep up, and memory is not its buffer.
const TOO_MUCH: usize = 2 * MAX_ENTRY;

#[derive(Default)]
pub(crate) struct Pending {
    entries: Vec<Entry>,
    bytes: usize,
    uses: Uses,
    stop: bool,
    /// Why a batch was lost, until a flush reports it.
    failure: Option<StoreError>,
}

impl Pending {
    fn is_worth_a_commit(&self) -> bool {
        !self.entries.is_empty() || self.uses.len() >= MANY_USES
    }

    fn is_urgent(&self) -> bool {
        self.stop || self.bytes >= MUCH
    }

    fn take_batch(&mut self) -> Batch {
        self.bytes = 0;
        Batch {
            entries: std::mem::take(&mut self.entries),
            uses: std::mem::take(&mut self.uses),
        }
    }
}

struct Batch {
    entries: Vec<Entry>,
    uses: Uses,
}

impl Handle {
    pub fn put(&self, entry: Entry) -> Result<(), StoreError> {
        let bytes = checked_size(&entry)?;
        let mut pending = lock(&self.core.pending);
        if pending.bytes + bytes > TOO_MUCH {
            self.core.warnings.add(Trouble::Overrun, || {
                "answers come faster than they can be written; some are not kept".into()
            });
            return Ok(());
        }
        let was_idle = !pending.is_worth_a_commit();
        pending.bytes += bytes;
        pending.entries.push(entry);
        if was_idle || pending.is_urgent() {
            self.core.wake.notify_all();
        }
        drop(pending);
        if was_idle {
            self.start_writer();
        }
        Ok(())
    }

    pub fn touch(&self, ids: impl IntoIterator<Item = EntryId>) {
        let mut pending = lock(&self.core.pending);
        for id in ids {
            if pending.uses.len() < 2 * MANY_USES {
                let uses = pending.uses.entry(id).or_default();
                *uses = uses.saturating_add(1);
            }
        }
        if pending.uses.len() >= MANY_USES {
            self.core.wake.notify_all();
        }
    }

    fn start_writer(&self) {
        let mut writer = lock(&self.writer);
        if writer.is_none() {
            let core = Arc::clone(&self.core);
            let thread = std::thread::Builder::new().name("store".into());
            // Without the thread, everything is written by a flush or on closing.
            *writer = thread.spawn(move || run(&core)).ok();
        }
    }
}

fn checked_size(entry: &Entry) -> Result<usize, StoreError> {
    let too_large = |bytes, limit| Err(StoreError::TooLarge { bytes, limit });
    let mut bytes = entry.key.len() + entry.value.len();
    for key in &entry.index {
        if key.len() > MAX_INDEX_KEY {
            return too_large(key.len(), MAX_INDEX_KEY);
        }
        bytes += key.len() + 2;
    }
    if bytes > MAX_ENTRY {
        return too_large(bytes, MAX_ENTRY);
    }
    Ok(bytes)
}

/// The writing thread.
fn run(core: &Core) {
    loop {
        let pending = lock(&core.pending);
        let idle = |pending: &mut Pending| !pending.stop && !pending.is_worth_a_commit();
        let Ok(pending) = core.wake.wait_while(pending, idle) else {
            return;
        };
        let patient = |pending: &mut Pending| !pending.is_urgent();
        let Ok((pending, _)) = core.wake.wait_timeout_while(pending, DELAY, patient) else {
            return;
        };
        if pending.stop {
            return;
        }
        drop(pending);
        if let Err(error) = core.commit_queue() {
            lock(&core.pending).failure = Some(error);
        }
    }
}

/// Tells the writing thread to end. What is queued stays queued.
pub(crate) fn stop(core: &Core) {
    lock(&core.pending).stop = true;
    core.wake.notify_all();
}

impl Core {
    /// Commits and syncs what was queued before. An error of a batch since the last flush is reported here.
    pub fn flush(&self) -> Result<(), StoreError> {
        let flushed = self.commit_queue().and_then(|()| self.sync());
        flushed.and(self.failure())
    }

    /// Commits what was queued before, without a sync: for the last commit of a short run, that would take longer than
    /// the run. Uses alone are not worth a commit, they are only noted.
    pub fn commit(&self) -> Result<(), StoreError> {
        let committed = match self.note_uses() {
            true => Ok(()),
            false => self.commit_queue(),
        };
        committed.and(self.failure())
    }

    fn failure(&self) -> Result<(), StoreError> {
        let failure = lock(&self.pending).failure.take();
        failure.map_or(Ok(()), Err)
    }

    /// Notes the uses that are queued; whether nothing is left to be committed.
    fn note_uses(&self) -> bool {
        let mut pending = lock(&self.pending);
        if !pending.entries.is_empty() {
            return false;
        }
        if pending.uses.is_empty() || self.is_lost.load(Ordering::Acquire) {
            return true;
        }
        let noted = tally::add(&self.generation.path, &pending.uses).is_ok();
        if noted {
            pending.uses.clear();
        }
        noted
    }

    pub fn discard_queue(&self) {
        let _turn = lock(&self.committing);
        lock(&self.pending).take_batch();
        tally::remove(&self.generation.path);
    }

    fn commit_queue(&self) -> Result<(), StoreError> {
        let _turn = lock(&self.committing);
        let batch = lock(&self.pending).take_batch();
        let generation = &self.generation.path;
        if batch.entries.is_empty() && batch.uses.is_empty() && !tally::is_there(generation) {
            return Ok(());
        }
        let written = self
            .write(|txn, tables| write_batch(txn, tables, &batch, &tally::take(generation)))
            .and_then(|weight| match weight > allowed_weight(self.max_bytes) {
                true => self.keep_within(self.max_bytes),
                false => Ok(0),
            });
        match &written {
            // That has been said.
            Ok(_) | Err(StoreError::Lost { .. }) => {}
            Err(error) => self
                .warnings
                .add(Trouble::WriteFailed, || error.to_string()),
        }
        written.map(|_| ())
    }
}

/// Returns the weight of all entries.
fn write_batch(txn: &mut RwTxn, tables: &Tables, batch: &Batch, noted: &Uses) -> heed::Result<u64> {
    let now = now();
    for entry in &batch.entries {
        let usage = Usage {
            cost: entry.cost,
            last: now,
            ..Usage::default()
        };
        tables.put(txn, entry, usage, now)?;
    }
    for (&id, &uses) in batch.uses.iter().chain(noted) {
        let usage = tables.view(txn).usage(id)?;
        if let Some(mut usage) = usage {
            usage.uses = usage.uses.saturating_add(uses);
            usage.last = now;
            tables.usage.put(txn, &id.bytes(), &usage.encode())?;
        }
    }
    tables.view(txn).weight()
}
