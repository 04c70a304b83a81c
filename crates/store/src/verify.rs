//! A walk over everything: pages, checksums, and that entries and rows agree both ways.

use std::fs::File;

use crate::open::walk;
use crate::place::DATA;
use crate::{Store, StoreError};

/// What a walk found. All counts of trouble are zero in a sound store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pages of the file, used or free.
    pub pages: u64,
    pub entries: u64,
    pub index_rows: u64,
    /// Entries that are damaged, or cannot be found by their key or one of their secondary keys.
    pub unsound_entries: u64,
    /// Index rows that point to no entry that lists them.
    pub stray_index_rows: u64,
    /// Rows of usage without entry.
    pub stray_usage: u64,
    /// By how much the weight of all entries is miscounted.
    pub miscounted: u64,
}

impl Report {
    pub fn is_sound(&self) -> bool {
        self.unsound_entries + self.stray_index_rows + self.stray_usage + self.miscounted == 0
    }
}

impl Store {
    /// Checks the whole store. Pages that are wrong are an error; everything else is in the report, and [`Store::gc`]
    /// removes it.
    pub fn verify(&self) -> Result<Report, StoreError> {
        let core = &self.handle.core;
        let generation = &core.generation.path;
        let data =
            File::open(generation.join(DATA)).map_err(|error| StoreError::io(generation, error))?;
        let pages = walk(&data, &core.env, generation)?;
        let (txn, tables) = (core.read()?, &core.tables);
        let check = || {
            Ok(Report {
                pages,
                entries: tables.entries.len(&txn)?,
                index_rows: tables.index.len(&txn)?,
                unsound_entries: tables.unsound_entries(&txn)?.len() as u64,
                stray_index_rows: tables.stray_index_rows(&txn)?.len() as u64,
                stray_usage: tables.stray_usage(&txn)?.len() as u64,
                miscounted: tables.weight(&txn)?.abs_diff(tables.counted_weight(&txn)?),
            })
        };
        check().map_err(|error| core.failed(error))
    }
}
