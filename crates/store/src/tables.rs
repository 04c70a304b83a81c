//! The tables of a store, and the few changes to them that keep them in agreement.
//!
//! * `entries`: id → record. The id follows from the key: 61 bits of its hash name a group of eight ids, and the entry
//!   has one of them. The hash only finds candidates; the record holds the full key and decides. A ninth key of one
//!   group would replace another.
//! * `index`: secondary key and id (`rows`), in order.
//! * `usage`: id → `Usage`.
//! * `about`: the weight of all entries.
//!
//! Ids are spread evenly, on purpose: LMDB hardly joins half-empty pages, so the holes that removed entries leave must
//! be where new ones come.
//!
//! An invariant holds after every transaction: each entry has a row in `usage`, and one in `index` for each of its
//! secondary keys; and there are no other rows. `verify` checks it.

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, RoTxn, RwTxn, WithoutTls};
use xxhash_rust::xxh3::xxh3_64;

use crate::record::Record;
use crate::usage::Usage;
use crate::{Entry, EntryId, rows};

pub(crate) type Table = heed::Database<'static, Bytes, Bytes>;
type Result<T> = heed::Result<T>;

const WEIGHT: &[u8] = b"weight";
const NAMES: [&str; 4] = ["entries", "index", "usage", "about"];
pub(crate) const TABLES: u32 = NAMES.len() as u32;

/// Ids that an entry may have.
const GROUP: u64 = 8;

pub(crate) struct Tables {
    pub entries: Table,
    pub index: Table,
    pub usage: Table,
    pub about: Table,
    hash: fn(&[u8]) -> u64,
}

impl Tables {
    /// Opens the tables, and begins those that are missing unless this is for reading only. `None`: some are missing.
    pub fn open(env: &Env<WithoutTls>, create: bool) -> Result<Option<Tables>> {
        let tables = match open_all(env)? {
            Some(tables) => tables,
            None if create => create_all(env)?,
            None => return Ok(None),
        };
        let [entries, index, usage, about] = tables;
        Ok(Some(Tables {
            entries,
            index,
            usage,
            about,
            hash: xxh3_64,
        }))
    }

    /// Bytes of all pages that hold something.
    pub fn used_bytes(&self, txn: &RoTxn) -> Result<u64> {
        let mut bytes = 0;
        for table in [&self.entries, &self.index, &self.usage, &self.about] {
            let stat = table.stat(txn)?;
            let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
            bytes += pages as u64 * u64::from(stat.page_size);
        }
        Ok(bytes)
    }

    /// The weight of all entries together.
    pub fn weight(&self, txn: &RoTxn) -> Result<u64> {
        let weight = self.about.get(txn, WEIGHT)?.map(<[u8; 8]>::try_from);
        Ok(weight.map_or(0, |bytes| bytes.map_or(0, u64::from_be_bytes)))
    }

    pub fn set_weight(&self, txn: &mut RwTxn, weight: u64) -> Result<()> {
        self.about.put(txn, WEIGHT, &weight.to_be_bytes())
    }

    fn change_weight(&self, txn: &mut RwTxn, less: u32, more: u32) -> Result<()> {
        let weight = self.weight(txn)?;
        let weight = weight
            .saturating_sub(less.into())
            .saturating_add(more.into());
        self.set_weight(txn, weight)
    }

    /// The first id that an entry with this key may have.
    fn first_id(&self, key: &[u8]) -> EntryId {
        EntryId((self.hash)(key) & !(GROUP - 1))
    }

    /// The record of an entry. `Some(None)`: there is one, but it is damaged.
    pub fn record<'t>(&self, txn: &'t RoTxn, id: EntryId) -> Result<Option<Option<Record<'t>>>> {
        let bytes = self.entries.get(txn, &id.bytes())?;
        Ok(bytes.map(|bytes| Record::decode(id, bytes)))
    }

    pub fn usage(&self, txn: &RoTxn, id: EntryId) -> Result<Option<Usage>> {
        let bytes = self.usage.get(txn, &id.bytes())?;
        Ok(bytes.and_then(Usage::decode))
    }

    /// The entry with this key, if there is one and it is sound. `damaged` is told of others on the way.
    pub fn find<'t>(
        &self,
        txn: &'t RoTxn,
        key: &[u8],
        mut damaged: impl FnMut(EntryId),
    ) -> Result<Option<(EntryId, Record<'t>)>> {
        let first = self.first_id(key);
        // Nearly all keys have the first id of their group.
        match self.record(txn, first)? {
            Some(Some(record)) if record.key == key => return Ok(Some((first, record))),
            Some(None) => damaged(first),
            _ => {}
        }
        let mut last = first;
        while let Some((id, bytes)) = self.entries.get_greater_than(txn, &last.bytes())? {
            let Some(id) = rows::id(id).filter(|id| id.0 - first.0 < GROUP) else {
                break;
            };
            match Record::decode(id, bytes) {
                Some(record) if record.key == key => return Ok(Some((id, record))),
                Some(_) => {}
                None => damaged(id),
            }
            last = id;
        }
        Ok(None)
    }

    /// An id for a new entry. If others have all of them, one of the others goes.
    fn free_id(&self, txn: &mut RwTxn, key: &[u8]) -> Result<EntryId> {
        let first = self.first_id(key);
        for id in (first.0..=first.0 + (GROUP - 1)).map(EntryId) {
            match self.record(txn, id)? {
                None => return Ok(id),
                Some(None) => {
                    self.remove(txn, id)?;
                    return Ok(id);
                }
                Some(Some(_)) => {}
            }
        }
        self.remove(txn, first)?;
        Ok(first)
    }

    /// Writes an entry. One with the same key keeps its id and its uses; everything else of it is replaced.
    pub fn put(&self, txn: &mut RwTxn, entry: &Entry, usage: Usage, stored: u32) -> Result<()> {
        let mut usage = usage;
        let id = match self.known(txn, entry, &mut usage)? {
            Known::Same => return Ok(()),
            Known::Other(id) => id,
            Known::No => self.free_id(txn, &entry.key)?,
        };
        for key in &entry.index {
            self.index.put(txn, &rows::row(key, id), &[])?;
        }
        let record = Record::encode(
            id,
            &entry.key,
            &entry.value,
            &entry.index,
            entry.cost,
            stored,
        );
        usage.weight = weight(record.len(), &entry.index);
        self.change_weight(txn, 0, usage.weight)?;
        self.entries.put(txn, &id.bytes(), &record)?;
        self.usage.put(txn, &id.bytes(), &usage.encode())
    }

    /// Looks for an entry with the same key and takes its index rows away, unless it is the very same entry.
    fn known(&self, txn: &mut RwTxn, entry: &Entry, usage: &mut Usage) -> Result<Known> {
        let Some((id, record)) = self.find(txn, &entry.key, |_| {})? else {
            return Ok(Known::No);
        };
        let same_index = record.index().eq(entry.index.iter().map(|key| &**key));
        if same_index && record.value == entry.value && record.cost == entry.cost {
            return Ok(Known::Same);
        }
        let old_rows: Vec<Vec<u8>> = record.index().map(|key| rows::row(key, id)).collect();
        if let Some(old) = self.usage(txn, id)? {
            usage.uses = usage.uses.max(old.uses);
            self.change_weight(txn, old.weight, 0)?;
        }
        for row in old_rows {
            self.index.delete(txn, &row)?;
        }
        Ok(Known::Other(id))
    }

    /// Removes an entry with all its rows. A damaged one does not tell its rows: they are left to [`Tables::sweep`].
    pub fn remove(&self, txn: &mut RwTxn, id: EntryId) -> Result<()> {
        if let Some(Some(record)) = self.record(txn, id)? {
            let index_rows: Vec<Vec<u8>> = record.index().map(|key| rows::row(key, id)).collect();
            for row in index_rows {
                self.index.delete(txn, &row)?;
            }
        }
        if let Some(usage) = self.usage(txn, id)? {
            self.change_weight(txn, usage.weight, 0)?;
        }
        self.entries.delete(txn, &id.bytes())?;
        self.usage.delete(txn, &id.bytes())?;
        Ok(())
    }

    /// Removes everything that breaks the invariant: damaged records, and rows that lead nowhere. Returns how much that
    /// was.
    pub fn sweep(&self, txn: &mut RwTxn) -> Result<u64> {
        let unsound = self.unsound_entries(txn)?;
        for &id in &unsound {
            self.remove(txn, id)?;
        }
        let stray_rows = self.stray_index_rows(txn)?;
        for row in &stray_rows {
            self.index.delete(txn, row)?;
        }
        let stray_usage = self.stray_usage(txn)?;
        for id in &stray_usage {
            self.usage.delete(txn, id)?;
        }
        let weight = self.counted_weight(txn)?;
        if weight != self.weight(txn)? {
            self.set_weight(txn, weight)?;
        }
        Ok((unsound.len() + stray_rows.len() + stray_usage.len()) as u64)
    }

    /// Entries that are damaged, or cannot be found by their key or one of their secondary keys.
    pub fn unsound_entries(&self, txn: &RoTxn) -> Result<Vec<EntryId>> {
        let mut unsound = Vec::new();
        for row in self.entries.iter(txn)? {
            let (id, bytes) = row?;
            let Some(id) = rows::id(id) else { continue };
            if !self.is_sound(txn, id, bytes)? {
                unsound.push(id);
            }
        }
        Ok(unsound)
    }

    fn is_sound(&self, txn: &RoTxn, id: EntryId, bytes: &[u8]) -> Result<bool> {
        let Some(record) = Record::decode(id, bytes) else {
            return Ok(false);
        };
        for key in record.index() {
            if self.index.get(txn, &rows::row(key, id))?.is_none() {
                return Ok(false);
            }
        }
        let by_key = self.find(txn, record.key, |_| {})?;
        Ok(by_key.is_some_and(|(found, _)| found == id) && self.usage(txn, id)?.is_some())
    }

    /// Index rows that point to no entry that lists them.
    pub fn stray_index_rows(&self, txn: &RoTxn) -> Result<Vec<Vec<u8>>> {
        let mut strays = Vec::new();
        for row in self.index.iter(txn)? {
            let (row, _) = row?;
            let listed = match rows::split(row) {
                None => false,
                Some((key, id)) => {
                    matches!(self.record(txn, id)?, Some(Some(record)) if record.index().any(|own| own == key))
                }
            };
            if !listed {
                strays.push(row.to_vec());
            }
        }
        Ok(strays)
    }

    /// Ids in `usage` that are no entries.
    pub fn stray_usage(&self, txn: &RoTxn) -> Result<Vec<Vec<u8>>> {
        let mut strays = Vec::new();
        for row in self.usage.iter(txn)? {
            let (id, _) = row?;
            if self.entries.get(txn, id)?.is_none() {
                strays.push(id.to_vec());
            }
        }
        Ok(strays)
    }

    /// The weight of all entries, counted anew.
    pub fn counted_weight(&self, txn: &RoTxn) -> Result<u64> {
        let mut weight = 0;
        for row in self.usage.iter(txn)? {
            let usage = Usage::decode(row?.1).unwrap_or_default();
            weight += u64::from(usage.weight);
        }
        Ok(weight)
    }
}

/// About how many bytes an entry takes, with its rows, in pages that are full.
fn weight(record: usize, index: &[Box<[u8]>]) -> u32 {
    const PAGE: usize = 4096;
    /// Longer records get pages of their own, which are full by two thirds or so.
    const LONG: usize = PAGE / 2 - 56;
    /// Rows of the tables, without what is variable in them.
    const ROWS: usize = 52;
    const INDEX_ROW: usize = 20;
    let record = match record > LONG {
        true => (record + 16).next_multiple_of(PAGE) * 2 / 3,
        false => record,
    };
    let rows: usize = index.iter().map(|key| key.len() + INDEX_ROW).sum();
    (record + rows + ROWS).min(u32::MAX as usize) as u32
}

/// `None`: some are missing.
fn open_all(env: &Env<WithoutTls>) -> Result<Option<[Table; 4]>> {
    let opened = env.open_databases_and_commit(env.read_txn()?, |opener, txn| {
        let open = |name| opener.open_database::<Bytes, Bytes>(txn, Some(name));
        let [a, b, c, d] = NAMES.map(open);
        Ok::<_, heed::Error>(match (a?, b?, c?, d?) {
            (Some(a), Some(b), Some(c), Some(d)) => CommitOrAbort::Commit([a, b, c, d]),
            _ => CommitOrAbort::Abort(()),
        })
    })?;
    Ok(opened.commit())
}

fn create_all(env: &Env<WithoutTls>) -> Result<[Table; 4]> {
    let created = env.create_databases_and_commit(env.write_txn()?, |opener, txn| {
        let create = |name| opener.create_database::<Bytes, Bytes>(txn, Some(name));
        let [a, b, c, d] = NAMES.map(create);
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit([a?, b?, c?, d?]))
    })?;
    Ok(created.unwrap_commit())
}

enum Known {
    No,
    Same,
    Other(EntryId),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(path: &std::path::Path) -> Env<WithoutTls> {
        let mut options = heed::EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(1 << 24).max_dbs(TABLES);
        // SAFETY: a fresh directory, nobody else knows it.
        unsafe { options.open(path) }.unwrap()
    }

    /// All keys fall into three groups.
    fn poor_hash(key: &[u8]) -> u64 {
        let sum: u64 = key.iter().map(|&byte| u64::from(byte)).sum();
        u64::MAX - GROUP * (sum % 3)
    }

    fn key(at: u32) -> Vec<u8> {
        format!("key {at}").into_bytes()
    }

    fn entry(at: u32, value: u32) -> Entry {
        Entry::new(key(at), value.to_le_bytes()).under(key(at % 5))
    }

    fn value_of(tables: &Tables, txn: &RoTxn, at: u32) -> Option<u32> {
        let (_, record) = tables.find(txn, &key(at), |_| {}).unwrap()?;
        Some(u32::from_le_bytes(record.value.try_into().unwrap()))
    }

    #[test]
    fn keys_with_the_same_hash_are_kept_apart() {
        let directory = tempfile::tempdir().unwrap();
        let env = environment(directory.path());
        let mut tables = Tables::open(&env, true).unwrap().unwrap();
        tables.hash = poor_hash;
        let mut txn = env.write_txn().unwrap();
        let put = |txn: &mut RwTxn, at, value| {
            tables
                .put(txn, &entry(at, value), Usage::default(), 0)
                .unwrap();
        };
        const COUNT: u32 = 20;
        for at in 0..COUNT {
            put(&mut txn, at, at);
        }
        for at in (0..COUNT).step_by(3) {
            put(&mut txn, at, at + 1000);
        }
        for at in (0..COUNT).step_by(4) {
            let (id, _) = tables.find(&txn, &key(at), |_| {}).unwrap().unwrap();
            tables.remove(&mut txn, id).unwrap();
        }
        for at in 0..COUNT {
            let expected = match (at % 4, at % 3) {
                (0, _) => None,
                (_, 0) => Some(at + 1000),
                _ => Some(at),
            };
            assert_eq!(value_of(&tables, &txn, at), expected);
        }
        // Far more than there are ids: some go, none is mistaken for another.
        for at in 0..100 {
            put(&mut txn, at, at + 2000);
            assert_eq!(value_of(&tables, &txn, at), Some(at + 2000));
        }
        let left = (0..100).filter_map(|at| {
            let value = value_of(&tables, &txn, at)?;
            assert_eq!(value, at + 2000);
            Some(value)
        });
        assert_eq!(left.count() as u64, 3 * GROUP);
        assert_eq!(tables.sweep(&mut txn).unwrap(), 0);
    }

    #[test]
    fn a_sweep_removes_what_leads_nowhere_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let env = environment(directory.path());
        let tables = Tables::open(&env, true).unwrap().unwrap();
        let mut txn = env.write_txn().unwrap();
        for at in 0..20 {
            tables
                .put(&mut txn, &entry(at, at), Usage::default(), 0)
                .unwrap();
        }
        let id = |txn: &RoTxn, at| tables.find(txn, &key(at), |_| {}).unwrap().unwrap().0;
        let [four, five, six, seven] = [4, 5, 6, 7].map(|at| id(&txn, at));
        tables
            .entries
            .put(&mut txn, &four.bytes(), b"nonsense")
            .unwrap();
        tables.entries.delete(&mut txn, &five.bytes()).unwrap();
        tables.usage.delete(&mut txn, &six.bytes()).unwrap();
        tables.index.put(&mut txn, b"not a row", &[]).unwrap();
        tables
            .index
            .delete(&mut txn, &rows::row(&key(7 % 5), seven))
            .unwrap();
        assert!(tables.sweep(&mut txn).unwrap() > 0);
        assert_eq!(tables.sweep(&mut txn).unwrap(), 0);
        for at in 0..20 {
            let expected = (!(4..8).contains(&at)).then_some(at);
            assert_eq!(value_of(&tables, &txn, at), expected);
        }
    }
}
