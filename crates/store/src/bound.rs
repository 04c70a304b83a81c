//! The bound on the size: the least useful entries go first.
//!
//! Pages of LMDB are full by two thirds in the long run, and it hardly joins those that removed entries have left half
//! empty; new entries fill them again. So pages say little about how much must go. Counted is the *weight* of the
//! entries, about what they would take in full pages, and it may be half of the bound: then the pages stay about within
//! it. When there is more, entries go in the order of their usefulness until a tenth is free again, in small
//! transactions, so that others can write in between. The file itself shrinks only by [`Store::compact`].

use std::fs;
use std::path::Path;

use crate::core::Core;
use crate::open::open_engine;
use crate::place::{self, COMPACTED, DATA};
use crate::view::View;
use crate::{EntryId, Options, Snapshot, Store, StoreError, now, stamp};

/// The weight that entries may have within this many bytes.
pub(crate) fn allowed_weight(max_bytes: u64) -> u64 {
    max_bytes / 2
}

/// Entries that go in one transaction.
const STEP: usize = 1000;

/// What a collection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Entries that had to go for their size.
    pub removed: u64,
    /// Damaged entries, and rows that led nowhere.
    pub swept: u64,
    pub weight_before: u64,
    pub weight_after: u64,
}

impl Store {
    /// Brings the store down to `max_bytes`, and removes what is damaged.
    pub fn gc(&self, max_bytes: u64) -> Result<Collected, StoreError> {
        self.writable()?;
        self.flush()?;
        let core = &self.handle.core;
        let weight_before = core.weight()?;
        // Looked for in a snapshot first: a sweep keeps all writers waiting.
        let swept = match self.verify()?.is_sound() {
            true => 0,
            false => core.write(|txn, tables| tables.sweep(txn))?,
        };
        let removed = core.keep_within(max_bytes)?;
        core.sync()?;
        Ok(Collected {
            removed,
            swept,
            weight_before,
            weight_after: core.weight()?,
        })
    }

    /// Rewrites the file of a store that nobody has open without its free pages. Returns its length before and after.
    pub fn compact(path: &Path, options: &Options) -> Result<(u64, u64), StoreError> {
        place::while_alone(path, &options.validity, |generation| {
            let failed = |error| StoreError::io(generation, error);
            let (data, copy) = (generation.join(DATA), generation.join(COMPACTED));
            let before = fs::metadata(&data).map_err(failed)?.len();
            let engine = open_engine(path, generation, options)?;
            let copied = engine.copy_compacted(&copy);
            drop(engine);
            let done = copied.and_then(|after| {
                fs::rename(&copy, &data).map_err(failed)?;
                Ok((before, after))
            });
            match &done {
                Ok(_) => stamp::leave(generation),
                Err(_) => _ = fs::remove_file(&copy),
            }
            done
        })
    }
}

impl Core {
    fn weight(&self) -> Result<u64, StoreError> {
        let weight = Snapshot::new(self)?.read(View::weight);
        weight.map_err(|fault| self.fault(fault))
    }

    /// Removes entries if there are more than the bound allows. Returns how many.
    pub fn keep_within(&self, max_bytes: u64) -> Result<u64, StoreError> {
        let allowed = allowed_weight(max_bytes);
        if self.weight()? <= allowed {
            return Ok(0);
        }
        let victims = self.least_useful(allowed)?;
        for step in victims.chunks(STEP) {
            self.write(|txn, tables| step.iter().try_for_each(|&id| tables.remove(txn, id)))?;
        }
        Ok(victims.len() as u64)
    }

    /// The entries whose removal leaves nine tenths of what is allowed. Puts the count right if it was wrong.
    fn least_useful(&self, allowed: u64) -> Result<Vec<EntryId>, StoreError> {
        let all = Snapshot::new(self)?.read(View::all_usage);
        let mut all = all.map_err(|fault| self.fault(fault))?;
        let total: u64 = all.iter().map(|(_, usage)| u64::from(usage.weight)).sum();
        if total <= allowed {
            self.write(|txn, tables| {
                let counted = tables.view(txn).counted_weight()?;
                tables.set_weight(txn, counted)
            })?;
            return Ok(Vec::new());
        }
        let now = now();
        all.sort_by(|(_, a), (_, b)| a.usefulness(now).total_cmp(&b.usefulness(now)));
        let mut left = total;
        let victims = all.iter().map_while(|(id, usage)| {
            let goes = left > allowed - allowed / 10;
            left -= u64::from(usage.weight);
            goes.then_some(*id)
        });
        Ok(victims.collect())
    }
}
