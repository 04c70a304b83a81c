//! Uses that are yet to be written along with entries.
//!
//! A run that finds all its answers has nothing to write but that it did. A commit for that would take longer than the
//! run. So such uses are appended to a file of their own, without a sync; whoever commits next takes them over, within
//! its transaction, so that nobody else does so too. What is lost or damaged there costs entries their places when room
//! is needed, nothing else.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::EntryId;
use crate::place::TALLY;

pub(crate) type Uses = HashMap<EntryId, u32>;

/// Bytes of an id and its uses.
const ROW: usize = 12;

/// A longer file is not appended to.
const LONGEST: u64 = 1 << 20;

/// Notes uses; an error if there is no room, or too many have been noted.
pub(crate) fn add(generation: &Path, uses: &Uses) -> io::Result<()> {
    let mut file = File::options()
        .append(true)
        .create(true)
        .open(generation.join(TALLY))?;
    if file.metadata()?.len() >= LONGEST {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let rows = uses.iter().map(|(id, uses)| {
        let mut row = [0; ROW];
        row[..8].copy_from_slice(&id.bytes());
        row[8..].copy_from_slice(&uses.to_le_bytes());
        row
    });
    // At once: others append too.
    file.write_all(&rows.collect::<Vec<_>>().concat())
}

/// What has been noted.
pub(crate) fn read(generation: &Path) -> Uses {
    let mut uses = Uses::new();
    let bytes = fs::read(generation.join(TALLY)).unwrap_or_default();
    let (rows, _) = bytes.as_chunks::<ROW>();
    for row in rows {
        let (id, count) = row.split_at(8);
        let (Ok(id), Ok(count)) = (id.try_into(), count.try_into()) else {
            continue;
        };
        let known = uses.entry(EntryId(u64::from_be_bytes(id))).or_default();
        *known = known.saturating_add(u32::from_le_bytes(count));
    }
    uses
}

/// The same, and it is no longer there.
pub(crate) fn take(generation: &Path) -> Uses {
    let uses = read(generation);
    remove(generation);
    uses
}

pub(crate) fn remove(generation: &Path) {
    let _ = fs::remove_file(generation.join(TALLY));
}

pub(crate) fn is_there(generation: &Path) -> bool {
    generation.join(TALLY).exists()
}
