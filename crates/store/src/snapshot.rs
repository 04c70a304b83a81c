//! Reading: one committed state, seen without waiting for anybody.
//!
//! A [`Snapshot`] that is held has a slot of LMDB's: pages that it sees are not used again meanwhile, so a file with an
//! old one grows. A *glimpse* has none, which spares LMDB: transactions that follow may overwrite what it sees, and
//! whatever it reads counts only if that has not happened. For a lookup or two that is all it takes.
//!
//! Every record is checked against its checksum and its key. What does not agree is absent, and a warning.

use crate::core::Core;
use crate::engine::Slot;
use crate::layout::Fault;
use crate::reader::{Reader, Roots};
use crate::record::Record;
use crate::usage::Usage;
use crate::view::{FIRST, TableName, View};
use crate::warnings::Trouble;
use crate::{EntryId, StoreError, rows};

pub struct Snapshot<'s> {
    core: &'s Core,
    reader: Reader<'s>,
    keep: Keep<'s>,
}

/// What keeps the state of a snapshot from being overwritten.
enum Keep<'s> {
    Held(#[expect(dead_code, reason = "given back on dropping")] Slot<'s>),
    /// It was to be held, but nobody could be told.
    Unseen,
    Glimpse,
}

/// An entry that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub id: EntryId,
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

impl<'s> Snapshot<'s> {
    pub(crate) fn new(core: &'s Core) -> Result<Snapshot<'s>, StoreError> {
        core.still_there()?;
        // The slot first: it keeps this state and all that follow.
        let keep = core.hold().map_or(Keep::Unseen, Keep::Held);
        Snapshot::with(core, keep)
    }

    pub(crate) fn glimpse(core: &'s Core) -> Result<Snapshot<'s>, StoreError> {
        Snapshot::with(core, Keep::Glimpse)
    }

    fn with(core: &'s Core, keep: Keep<'s>) -> Result<Snapshot<'s>, StoreError> {
        let reader = Reader {
            file: &core.data,
            roots: core.newest_roots()?,
        };
        Ok(Snapshot { core, reader, keep })
    }

    /// Moves on to what is committed now.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        *self = match self.keep {
            Keep::Glimpse => Snapshot::glimpse(self.core)?,
            Keep::Held(_) | Keep::Unseen => Snapshot::new(self.core)?,
        };
        Ok(())
    }

    /// The entry with this key.
    pub fn get(&self, key: &[u8]) -> Option<Found> {
        self.or_miss(self.try_get(key)).flatten()
    }

    /// The same. [`Fault::Overtaken`]: ask a newer one.
    pub(crate) fn try_get(&self, key: &[u8]) -> Result<Option<Found>, Fault> {
        let mut damaged = Vec::new();
        let entry = self.intact(self.reader.find(key, |id| damaged.push(id)))?;
        for id in damaged {
            self.warn_about_entry(id);
        }
        Ok(entry.map(|(id, record)| found(id, &record)))
    }

    /// The entry with this id.
    pub fn entry(&self, id: EntryId) -> Option<Found> {
        self.record(id).map(|record| found(id, &record))
    }

    /// What is known about the use of an entry.
    pub fn usage(&self, id: EntryId) -> Option<Usage> {
        self.or_miss(self.intact(self.reader.usage(id))).flatten()
    }

    /// The entries under this secondary key, in the order of their ids.
    pub fn find<'t>(&'t self, index_key: &[u8]) -> impl Iterator<Item = Found> + use<'t> {
        let key: Box<[u8]> = index_key.into();
        self.rows(rows::exactly(index_key), None)
            .filter_map(|row| rows::id(&row))
            .filter_map(move |id| {
                let record = self.record(id)?;
                if !record.index().any(|own| *own == *key) {
                    self.warn_about_index(id);
                    return None;
                }
                Some(found(id, &record))
            })
    }

    /// Secondary keys that begin with `prefix` and are not less than `from`, in order, each with the id of an entry.
    pub fn range<'t>(
        &'t self,
        prefix: &[u8],
        from: &[u8],
    ) -> impl Iterator<Item = (Vec<u8>, EntryId)> + use<'t> {
        self.rows(rows::prefix(prefix), Some(rows::prefix(from)))
            .filter_map(|row| rows::split(&row))
    }

    /// All entries, in the order of their ids.
    pub fn entries(&self) -> impl Iterator<Item = Found> {
        self.records().map(|(id, record)| found(id, &record))
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = (EntryId, Record)> {
        self.table(TableName::Entries, FIRST)
            .filter_map(|(id, bytes)| {
                let id = rows::id(&id)?;
                let record = Record::decode(id, bytes);
                if record.is_none() {
                    self.warn_about_entry(id);
                }
                Some((id, record?))
            })
    }

    pub(crate) fn roots(&self) -> &Roots {
        &self.reader.roots
    }

    /// Reads as `work` says, all of it from one state.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Reader<'s>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.intact(work(&self.reader))
    }

    /// Rows of the index that begin with `prefix`, from `from` on.
    fn rows<'t>(
        &'t self,
        prefix: Vec<u8>,
        from: Option<Vec<u8>>,
    ) -> impl Iterator<Item = Vec<u8>> + use<'t> {
        let start = match from {
            Some(from) if from > prefix => from,
            _ if prefix.is_empty() => FIRST.to_vec(),
            _ => prefix.clone(),
        };
        self.table(TableName::Index, &start)
            .map(|(row, _)| row)
            .take_while(move |row| row.starts_with(&prefix))
    }

    fn table<'t>(
        &'t self,
        table: TableName,
        from: &[u8],
    ) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> + use<'t> {
        let rows = self.or_miss(self.intact(self.reader.rows(table, from)));
        let rows = rows.into_iter().flatten();
        rows.map_while(|row| self.or_miss(self.intact(row)))
    }

    fn record(&self, id: EntryId) -> Option<Record> {
        let record = self.intact(self.reader.record(id));
        let record = self.or_miss(record).flatten()?;
        if record.is_none() {
            self.warn_about_entry(id);
        }
        record
    }

    /// What was read, if it was the state that was asked for.
    fn intact<T>(&self, read: Result<T, Fault>) -> Result<T, Fault> {
        match self.keep {
            Keep::Held(_) => read,
            Keep::Unseen | Keep::Glimpse => match self.roots().meta.is_intact(&self.core.data)? {
                true => read,
                false => Err(Fault::Overtaken),
            },
        }
    }

    fn or_miss<T>(&self, read: Result<T, Fault>) -> Option<T> {
        match (read, &self.keep) {
            // Whoever takes a glimpse knows that it may end early.
            (Err(Fault::Overtaken), Keep::Glimpse) => None,
            (read, _) => {
                let read = read.map_err(|fault| self.core.fault(fault));
                self.core.warn_about(read)
            }
        }
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

fn found(id: EntryId, record: &Record) -> Found {
    Found {
        id,
        key: record.key().to_vec(),
        value: record.value().to_vec(),
    }
}
