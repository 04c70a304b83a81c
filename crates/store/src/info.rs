//! What is in a store, for people to read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::view::{TableName, View};
use crate::{FORMAT, Store, StoreError, tally};

#[derive(Clone, Debug)]
pub struct Info {
    pub path: PathBuf,
    pub format: u32,
    pub validity: String,
    pub entries: u64,
    pub index_rows: u64,
    /// What the bound on the size counts: about how many bytes the entries would take in full pages.
    pub weight: u64,
    /// Bytes of the pages that hold something.
    pub used_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    pub max_bytes: u64,
    /// By the first byte of the value; the caller knows what it stands for.
    pub kinds: BTreeMap<Option<u8>, KindInfo>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindInfo {
    pub entries: u64,
    /// Keys and values.
    pub bytes: u64,
    /// Microseconds that they took to find.
    pub cost: u64,
    /// Times that they served.
    pub uses: u64,
}

impl Store {
    /// [`StoreError::InUse`]: it cannot be held, and was overwritten at each attempt.
    pub fn info(&self) -> Result<Info, StoreError> {
        const ATTEMPTS: usize = 20;
        let mut info = self.try_info();
        for _ in 1..ATTEMPTS {
            if !matches!(info, Err(StoreError::InUse { .. })) {
                break;
            }
            info = self.try_info();
        }
        info
    }

    fn try_info(&self) -> Result<Info, StoreError> {
        let core = &self.handle.core;
        let snapshot = self.snapshot()?;
        let file = core.data.metadata();
        let noted = tally::read(&core.generation.path);
        let mut kinds = BTreeMap::<_, KindInfo>::new();
        for (id, record) in snapshot.records() {
            let kind = kinds.entry(record.value().first().copied()).or_default();
            kind.entries += 1;
            kind.bytes += (record.key().len() + record.value().len()) as u64;
            kind.cost += u64::from(record.cost);
            kind.uses += snapshot.usage(id).map_or(0, |usage| usage.uses.into());
            kind.uses += u64::from(noted.get(&id).copied().unwrap_or(0));
        }
        let weight = snapshot.read(View::weight);
        Ok(Info {
            path: core.path.clone(),
            format: FORMAT,
            validity: String::from_utf8_lossy(&core.validity).into_owned(),
            entries: snapshot.roots().entries(TableName::Entries),
            index_rows: snapshot.roots().entries(TableName::Index),
            weight: weight.map_err(|fault| core.fault(fault))?,
            used_bytes: snapshot.roots().used_bytes(),
            file_bytes: file
                .map_err(|error| StoreError::io(&core.path, error))?
                .len(),
            max_bytes: core.max_bytes,
            kinds,
        })
    }
}
