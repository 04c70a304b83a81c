//! What went wrong without stopping anybody. The store keeps going; whoever runs it asks now and then and tells the
//! user.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Kinds of trouble. Each is kept once, with how often it happened and one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Trouble {
    /// A record whose checksum does not match: treated as absent.
    DamagedEntry,
    /// An index row that points to no entry that lists it: skipped.
    DamagedIndex,
    /// A read that failed: treated as a miss.
    ReadFailed,
    /// A batch that could not be written: its entries are lost.
    WriteFailed,
    /// An entry that came faster than the disk takes them: not kept.
    Overrun,
    /// It cannot be written: answers are looked up, none are kept.
    Unwritable,
    /// It was cut short or damaged while it was open: nothing more is read or written.
    Lost,
    /// Contents of another validity were set aside or removed.
    OtherValidity,
}

#[derive(Clone, Debug)]
pub struct Warning {
    pub trouble: Trouble,
    pub times: u64,
    /// The first of them in full.
    pub example: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "store: {}", self.example)?;
        match self.times {
            1 => Ok(()),
            times => write!(f, " ({times} times)"),
        }
    }
}

#[derive(Default)]
pub(crate) struct Warnings(Mutex<BTreeMap<Trouble, Warning>>);

impl Warnings {
    pub fn add(&self, trouble: Trouble, example: impl FnOnce() -> String) {
        let mut warnings = crate::lock(&self.0);
        let warning = warnings.entry(trouble).or_insert_with(|| Warning {
            trouble,
            times: 0,
            example: example(),
        });
        warning.times += 1;
    }

    /// Those of another store that was read on the way.
    pub fn adopt(&self, others: Vec<Warning>) {
        let mut warnings = crate::lock(&self.0);
        for other in others {
            let known = warnings.entry(other.trouble);
            let known = known.and_modify(|known| known.times += other.times);
            known.or_insert(other);
        }
    }

    pub fn take(&self) -> Vec<Warning> {
        std::mem::take(&mut *crate::lock(&self.0))
            .into_values()
            .collect()
    }
}
