//! What is read from the tables, whoever reads: a lookup through `reader`, or a transaction that is being written.
//!
//! Rows are copied out: nobody else can change a record between its checksum and its use.

use xxhash_rust::xxh3::xxh3_64;

use crate::record::Record;
use crate::usage::Usage;
use crate::{EntryId, rows};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableName {
    Entries,
    Index,
    Usage,
    About,
}

pub(crate) const NAMES: [&str; 4] = ["entries", "index", "usage", "about"];

/// The row of `about` that says what all entries weigh.
pub(crate) const WEIGHT: &[u8] = b"weight";

/// Ids that an entry may have.
pub(crate) const GROUP: u64 = 8;

/// Key and data.
pub(crate) type Row = (Vec<u8>, Vec<u8>);
pub(crate) type Rows<'v, E> = Box<dyn Iterator<Item = Result<Row, E>> + 'v>;

pub(crate) trait View {
    type Error;

    fn get(&self, table: TableName, key: &[u8]) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Rows in order, from this key on.
    fn rows(&self, table: TableName, from: &[u8]) -> Result<Rows<'_, Self::Error>, Self::Error>;

    fn hash(&self, key: &[u8]) -> u64 {
        xxh3_64(key)
    }

    /// The first id that an entry with this key may have.
    fn first_id(&self, key: &[u8]) -> EntryId {
        EntryId(self.hash(key) & !(GROUP - 1))
    }

    /// The weight of all entries together.
    fn weight(&self) -> Result<u64, Self::Error> {
        let weight = self.get(TableName::About, WEIGHT)?;
        let weight = weight.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        Ok(weight.map_or(0, u64::from_be_bytes))
    }

    /// The record of an entry. `Some(None)`: there is one, but it is damaged.
    fn record(&self, id: EntryId) -> Result<Option<Option<Record>>, Self::Error> {
        let bytes = self.get(TableName::Entries, &id.bytes())?;
        Ok(bytes.map(|bytes| Record::decode(id, bytes)))
    }

    fn usage(&self, id: EntryId) -> Result<Option<Usage>, Self::Error> {
        let bytes = self.get(TableName::Usage, &id.bytes())?;
        Ok(bytes.and_then(|bytes| Usage::decode(&bytes)))
    }

    /// The entry with this key, if there is one and it is sound. `damaged` is told of others on the way.
    fn find(
        &self,
        key: &[u8],
        mut damaged: impl FnMut(EntryId),
    ) -> Result<Option<(EntryId, Record)>, Self::Error> {
        let first = self.first_id(key);
        for row in self.rows(TableName::Entries, &first.bytes())? {
            let (id, bytes) = row?;
            let Some(id) = rows::id(&id).filter(|id| id.0 - first.0 < GROUP) else {
                break;
            };
            match Record::decode(id, bytes) {
                Some(record) if record.key() == key => return Ok(Some((id, record))),
                Some(_) => {}
                None => damaged(id),
            }
        }
        Ok(None)
    }

    /// Entries that are damaged, or cannot be found by their key or one of their secondary keys.
    fn unsound_entries(&self) -> Result<Vec<EntryId>, Self::Error> {
        let mut unsound = Vec::new();
        for row in self.rows(TableName::Entries, FIRST)? {
            let (id, bytes) = row?;
            let Some(id) = rows::id(&id) else { continue };
            if !self.is_sound(id, bytes)? {
                unsound.push(id);
            }
        }
        Ok(unsound)
    }

    fn is_sound(&self, id: EntryId, bytes: Vec<u8>) -> Result<bool, Self::Error> {
        let Some(record) = Record::decode(id, bytes) else {
            return Ok(false);
        };
        for key in record.index() {
            if self.get(TableName::Index, &rows::row(key, id))?.is_none() {
                return Ok(false);
            }
        }
        let by_key = self.find(record.key(), |_| {})?;
        Ok(by_key.is_some_and(|(found, _)| found == id) && self.usage(id)?.is_some())
    }

    /// Index rows that point to no entry that lists them.
    fn stray_index_rows(&self) -> Result<Vec<Vec<u8>>, Self::Error> {
        let mut strays = Vec::new();
        for row in self.rows(TableName::Index, FIRST)? {
            let (row, _) = row?;
            let listed = match rows::split(&row) {
                None => false,
                Some((key, id)) => {
                    matches!(self.record(id)?, Some(Some(record)) if record.index().any(|own| own == key))
                }
            };
            if !listed {
                strays.push(row);
            }
        }
        Ok(strays)
    }

    /// Ids in `usage` that are no entries.
    fn stray_usage(&self) -> Result<Vec<Vec<u8>>, Self::Error> {
        let mut strays = Vec::new();
        for row in self.rows(TableName::Usage, FIRST)? {
            let (id, _) = row?;
            if self.get(TableName::Entries, &id)?.is_none() {
                strays.push(id);
            }
        }
        Ok(strays)
    }

    /// What is known of all entries.
    fn all_usage(&self) -> Result<Vec<(EntryId, Usage)>, Self::Error> {
        let mut all = Vec::new();
        for row in self.rows(TableName::Usage, FIRST)? {
            let (id, usage) = row?;
            let usage = Usage::decode(&usage).unwrap_or_default();
            all.extend(rows::id(&id).map(|id| (id, usage)));
        }
        Ok(all)
    }

    /// The weight of all entries, counted anew.
    fn counted_weight(&self) -> Result<u64, Self::Error> {
        let all = self.all_usage()?;
        Ok(all.iter().map(|(_, usage)| u64::from(usage.weight)).sum())
    }
}

/// Not greater than any key: LMDB has no empty ones.
pub(crate) const FIRST: &[u8] = &[0];
