//! A walk over everything: pages, checksums, and that entries and rows agree both ways.

use crate::layout::Fault;
use crate::view::{TableName, View};
use crate::{Store, StoreError, pages};

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
        let report = self.snapshot()?.read(|reader| {
            Ok(Report {
                pages: pages::check_all(&core.data, &reader.roots.meta)?,
                entries: reader.roots.entries(TableName::Entries),
                index_rows: reader.roots.entries(TableName::Index),
                unsound_entries: reader.unsound_entries()?.len() as u64,
                stray_index_rows: reader.stray_index_rows()?.len() as u64,
                stray_usage: reader.stray_usage()?.len() as u64,
                miscounted: reader.weight()?.abs_diff(reader.counted_weight()?),
            })
        });
        report.map_err(|fault| match fault {
            // Whoever asks wants to know what is wrong, and may go on with what is right.
            Fault::Damaged(what) => StoreError::damaged(&core.path, what),
            fault => core.fault(fault),
        })
    }
}
