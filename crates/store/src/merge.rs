//! The union of stores: what others have found, for example on another machine.
//!
//! Of two entries with one key the newer wins, and of equally old ones the more used. Only sound records are taken,
//! only of the same validity.

use std::path::Path;
use std::sync::Arc;

use heed::RwTxn;

use crate::record::Record;
use crate::tables::Tables;
use crate::usage::Usage;
use crate::view::View;
use crate::{Entry, Options, Store, StoreError};

/// Entries in one transaction.
const STEP: usize = 1000;

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    pub added: u64,
    pub replaced: u64,
    /// Ours, though the other store had one with the same key.
    pub kept: u64,
}

impl Store {
    /// Takes over what the store at `other` has.
    pub fn merge(&self, other: &Path) -> Result<Merged, StoreError> {
        self.writable()?;
        self.flush()?;
        let core = &self.handle.core;
        let options = Options {
            validity: core.validity.clone(),
            max_bytes: core.max_bytes,
            read_only: true,
        };
        let other = Store::open(other, &options)?;
        let mut merged = Merged::default();
        if Arc::ptr_eq(&other.handle, &self.handle) {
            return Ok(merged);
        }
        let theirs = other.snapshot()?;
        let mut records = theirs.records();
        loop {
            let step: Vec<(Record, Usage)> = records
                .by_ref()
                .take(STEP)
                .map(|(id, record)| {
                    let usage = theirs.usage(id).unwrap_or(Usage {
                        cost: record.cost,
                        last: record.stored,
                        ..Usage::default()
                    });
                    (record, usage)
                })
                .collect();
            if step.is_empty() {
                break;
            }
            let step_merged = core.write(|txn, tables| {
                let mut merged = Merged::default();
                for (record, usage) in &step {
                    merge_one(txn, tables, record, *usage, &mut merged)?;
                }
                Ok(merged)
            })?;
            merged.add(step_merged);
            core.keep_within(core.max_bytes)?;
        }
        core.warnings.adopt(other.warnings());
        core.sync()?;
        Ok(merged)
    }
}

impl Merged {
    fn add(&mut self, other: Merged) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.kept += other.kept;
    }
}

fn merge_one(
    txn: &mut RwTxn,
    tables: &Tables,
    record: &Record,
    usage: Usage,
    merged: &mut Merged,
) -> heed::Result<()> {
    let ours = tables.view(txn).find(record.key(), |_| {})?;
    let ours = ours.map(|(id, own)| {
        let is_same = own.value() == record.value()
            && own.cost == record.cost
            && own.index().eq(record.index());
        (id, own.stored, is_same)
    });
    let Some((own_id, stored, is_same)) = ours else {
        merged.added += 1;
        return tables.put(txn, &entry(record), usage, record.stored);
    };
    let own_usage = tables.view(txn).usage(own_id)?.unwrap_or_default();
    // The same entry, stored later, is nothing new.
    if !is_same && (record.stored, usage.uses) > (stored, own_usage.uses) {
        merged.replaced += 1;
        return tables.put(txn, &entry(record), usage, record.stored);
    }
    merged.kept += 1;
    let both = Usage {
        uses: own_usage.uses.max(usage.uses),
        last: own_usage.last.max(usage.last),
        ..own_usage
    };
    if both == own_usage {
        return Ok(());
    }
    tables.usage.put(txn, &own_id.bytes(), &both.encode())
}

fn entry(record: &Record) -> Entry {
    Entry {
        key: record.key().to_vec(),
        value: record.value().to_vec(),
        index: record.index().map(Box::from).collect(),
        cost: record.cost,
    }
}
