//! Reading: one committed state, seen without locks.
//!
//! A snapshot is a read transaction of LMDB. Taking one costs about a tenth of a microsecond, so they are taken often
//! and kept briefly: pages that a snapshot sees cannot be used again, and a file with an old one grows. Values are
//! borrowed from the mapped file; nothing is copied.
//!
//! Every record is checked against its checksum and its key. What does not agree is absent, and a warning.

use std::ops::Bound;

use heed::{RoTxn, WithoutTls};

use crate::core::Core;
use crate::record::Record;
use crate::usage::Usage;
use crate::warnings::Trouble;
use crate::{EntryId, StoreError, rows};

pub struct Snapshot<'s> {
    txn: RoTxn<'s, WithoutTls>,
    core: &'s Core,
}

/// An entry, borrowed from a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'t> {
    pub id: EntryId,
    pub key: &'t [u8],
    pub value: &'t [u8],
}

impl<'s> Snapshot<'s> {
    pub(crate) fn new(core: &'s Core) -> Result<Snapshot<'s>, StoreError> {
        let txn = core.read()?;
        Ok(Snapshot { txn, core })
    }

    /// Moves on to what is committed now.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        self.txn = self.core.read()?;
        Ok(())
    }

    /// The entry with this key.
    pub fn get(&self, key: &[u8]) -> Option<Found<'_>> {
        let warn = |id| self.warn_about_entry(id);
        let entry = self.core.tables.find(&self.txn, key, warn);
        let (id, record) = self.core.or_miss(entry)??;
        Some(found(id, record))
    }

    /// The entry with this id.
    pub fn entry(&self, id: EntryId) -> Option<Found<'_>> {
        self.record(id).map(|record| found(id, record))
    }

    /// What is known about the use of an entry.
    pub fn usage(&self, id: EntryId) -> Option<Usage> {
        let usage = self.core.tables.usage(&self.txn, id);
        self.core.or_miss(usage).flatten()
    }

    /// The entries under this secondary key, in the order of their ids.
    pub fn find<'t>(&'t self, index_key: &[u8]) -> impl Iterator<Item = Found<'t>> {
        let key: Box<[u8]> = index_key.into();
        self.rows(rows::exactly(index_key), None)
            .filter_map(rows::id)
            .filter_map(move |id| {
                let record = self.record(id)?;
                if !record.index().any(|own| *own == *key) {
                    self.warn_about_index(id);
                    return None;
                }
                Some(found(id, record))
            })
    }

    /// Secondary keys that begin with `prefix` and are not less than `from`, in order, each with the id of an entry.
    pub fn range<'t>(
        &'t self,
        prefix: &[u8],
        from: &[u8],
    ) -> impl Iterator<Item = (Vec<u8>, EntryId)> + use<'t> {
        self.rows(rows::prefix(prefix), Some(rows::prefix(from)))
            .filter_map(rows::split)
    }

    /// All entries, in the order of their ids.
    pub fn entries(&self) -> impl Iterator<Item = Found<'_>> {
        self.records().map(|(id, record)| found(id, record))
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = (EntryId, Record<'_>)> {
        let all = self.core.or_miss(self.core.tables.entries.iter(&self.txn));
        let rows = all.into_iter().flatten();
        rows.map_while(|row| self.core.or_miss(row))
            .filter_map(|(id, bytes)| {
                let id = rows::id(id)?;
                let record = Record::decode(id, bytes);
                if record.is_none() {
                    self.warn_about_entry(id);
                }
                Some((id, record?))
            })
    }

    pub(crate) fn txn(&self) -> &RoTxn<'s, WithoutTls> {
        &self.txn
    }

    /// Rows of the index that begin with `prefix`, from `from` on.
    fn rows(
        &self,
        prefix: Vec<u8>,
        from: Option<Vec<u8>>,
    ) -> impl Iterator<Item = &[u8]> + use<'_, 's> {
        let start = match from {
            Some(from) if from > prefix => from,
            // LMDB takes no empty key; every row begins with some byte.
            _ if prefix.is_empty() => vec![0],
            _ => prefix.clone(),
        };
        let bounds = (Bound::Included(&start[..]), Bound::Unbounded);
        let all = self.core.tables.index.range(&self.txn, &bounds);
        let rows = self.core.or_miss(all).into_iter().flatten();
        rows.map_while(|row| self.core.or_miss(row))
            .map(|(row, _)| row)
            .take_while(move |row| row.starts_with(&prefix))
    }

    fn record(&self, id: EntryId) -> Option<Record<'_>> {
        let record = self.core.tables.record(&self.txn, id);
        let record = self.core.or_miss(record).flatten()?;
        if record.is_none() {
            self.warn_about_entry(id);
        }
        record
    }

    fn warn_about_entry(&self, id: EntryId) {
        self.core.warnings.add(Trouble::DamagedEntry, || {
            let path = self.core.path.display();
            format!("{path}: entry {} is damaged and left out", id.0)
        });
    }

    fn warn_about_index(&self, id: EntryId) {
        self.core.warnings.add(Trouble::DamagedIndex, || {
            let path = self.core.path.display();
            format!("{path}: the index is damaged at entry {}", id.0)
        });
    }
}

fn found<'t>(id: EntryId, record: Record<'t>) -> Found<'t> {
    Found {
        id,
        key: record.key,
        value: record.value,
    }
}
