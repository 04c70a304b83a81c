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

use std::ops::Bound;

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, RoTxn, RwTxn, WithoutTls};
use xxhash_rust::xxh3::xxh3_64;

use crate::record::Record;
use crate::usage::Usage;
use crate::view::{GROUP, NAMES, Rows, TableName, View, WEIGHT};
use crate::{Entry, EntryId, rows};

pub(crate) type Table = heed::Database<'static, Bytes, Bytes>;
type Result<T> = heed::Result<T>;

pub(crate) const TABLES: u32 = NAMES.len() as u32;

pub(crate) struct Tables {
    pub entries: Table,
    pub index: Table,
    pub usage: Table,
    pub about: Table,
    hash: fn(&[u8]) -> u64,
}

impl Tables {
    /// Opens the tables, and begins those that are missing.
    pub fn open(env: &Env<WithoutTls>) -> Result<Tables> {
        let tables = match open_all(env)? {
            Some(tables) => tables,
            None => create_all(env)?,
        };
        let [entries, index, usage, about] = tables;
        Ok(Tables {
            entries,
            index,
            usage,
            about,
            hash: xxh3_64,
        })
    }

    /// The tables as this transaction has left them so far.
    pub fn view<'t>(&'t self, txn: &'t RoTxn) -> TransactionView<'t> {
        TransactionView { tables: self, txn }
    }

    pub fn set_weight(&self, txn: &mut RwTxn, weight: u64) -> Result<()> {
        self.about.put(txn, WEIGHT, &weight.to_be_bytes())
    }

    fn change_weight(&self, txn: &mut RwTxn, less: u32, more: u32) -> Result<()> {
        let weight = self.view(txn).weight()?;
        let weight = weight
            .saturating_sub(less.into())
            .saturating_add(more.into());
        self.set_weight(txn, weight)
    }

    /// An id for a new entry. If others have all of them, one of the others goes.
    fn free_id(&self, txn: &mut RwTxn, key: &[u8]) -> Result<EntryId> {
        let first = self.view(txn).first_id(key);
        for id in (first.0..=first.0 + (GROUP - 1)).map(EntryId) {
            match self.view(txn).record(id)? {
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
        let Some((id, record)) = self.view(txn).find(&entry.key, |_| {})? else {
            return Ok(Known::No);
        };
        let same_index = record.index().eq(entry.index.iter().map(|key| &**key));
        if same_index && record.value() == entry.value && record.cost == entry.cost {
            return Ok(Known::Same);
        }
        let old_rows: Vec<Vec<u8>> = record.index().map(|key| rows::row(key, id)).collect();
        if let Some(old) = self.view(txn).usage(id)? {
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
        if let Some(Some(record)) = self.view(txn).record(id)? {
            let index_rows: Vec<Vec<u8>> = record.index().map(|key| rows::row(key, id)).collect();
            for row in index_rows {
                self.index.delete(txn, &row)?;
            }
        }
        if let Some(usage) = self.view(txn).usage(id)? {
            self.change_weight(txn, usage.weight, 0)?;
        }
        self.entries.delete(txn, &id.bytes())?;
        self.usage.delete(txn, &id.bytes())?;
        Ok(())
    }

    /// Removes everything that breaks the invariant: damaged records, and rows that lead nowhere. Returns how much that
    /// was.
    pub fn sweep(&self, txn: &mut RwTxn) -> Result<u64> {
        let unsound = self.view(txn).unsound_entries()?;
        for &id in &unsound {
            self.remove(txn, id)?;
        }
        let stray_rows = self.view(txn).stray_index_rows()?;
        for row in &stray_rows {
            self.index.delete(txn, row)?;
        }
        let stray_usage = self.view(txn).stray_usage()?;
        for id in &stray_usage {
            self.usage.delete(txn, id)?;
        }
        let weight = self.view(txn).counted_weight()?;
        if weight != self.view(txn).weight()? {
            self.set_weight(txn, weight)?;
        }
        Ok((unsound.len() + stray_rows.len() + stray_usage.len()) as u64)
    }
}

pub(crate) struct TransactionView<'t> {
    tables: &'t Tables,
    txn: &'t RoTxn<'t>,
}

impl TransactionView<'_> {
    fn table(&self, table: TableName) -> &Table {
        match table {
            TableName::Entries => &self.tables.entries,
            TableName::Index => &self.tables.index,
            TableName::Usage => &self.tables.usage,
            TableName::About => &self.tables.about,
        }
    }
}

impl View for TransactionView<'_> {
    type Error = heed::Error;

    fn get(&self, table: TableName, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let data = self.table(table).get(self.txn, key)?;
        Ok(data.map(<[u8]>::to_vec))
    }

    fn rows(&self, table: TableName, from: &[u8]) -> Result<Rows<'_, heed::Error>> {
        let bounds = (Bound::Included(from), Bound::Unbounded);
        let rows = self.table(table).range(self.txn, &bounds)?;
        Ok(Box::new(rows.map(|row| {
            row.map(|(key, data)| (key.to_vec(), data.to_vec()))
        })))
    }

    fn hash(&self, key: &[u8]) -> u64 {
        (self.tables.hash)(key)
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
        let (_, record) = tables.view(txn).find(&key(at), |_| {}).unwrap()?;
        Some(u32::from_le_bytes(record.value().try_into().unwrap()))
    }

    #[test]
    fn keys_with_the_same_hash_are_kept_apart() {
        let directory = tempfile::tempdir().unwrap();
        let env = environment(directory.path());
        let mut tables = Tables::open(&env).unwrap();
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
            let (id, _) = tables.view(&txn).find(&key(at), |_| {}).unwrap().unwrap();
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
        let tables = Tables::open(&env).unwrap();
        let mut txn = env.write_txn().unwrap();
        for at in 0..20 {
            tables
                .put(&mut txn, &entry(at, at), Usage::default(), 0)
                .unwrap();
        }
        let id = |txn: &RoTxn, at| tables.view(txn).find(&key(at), |_| {}).unwrap().unwrap().0;
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
