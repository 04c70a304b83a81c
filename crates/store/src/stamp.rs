//! Has anything but LMDB written to the file since it was last known to be sound?
//!
//! Walking all pages (`pages`) takes a fraction of a second for a million entries: too long for every start of a short
//! run. So whoever closes a store in good order leaves a stamp: which file it was, how long, and its time of
//! modification. As long as they agree, the walk is skipped. A process that was killed, a file that was copied,
//! restored, cut or edited: the stamp does not agree, and the file is walked once.
//!
//! The time in the stamp is one that we set ourselves, to the nanosecond: kernels stamp writes with a coarser clock, so
//! a write that follows at once does not get the same time.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::place::{CHECKED, DATA};

/// Vouches for the file as it is now. Without a stamp the next to open it walks it; so failing is nothing to report.
pub(crate) fn leave(generation: &Path) {
    let left =
        set_time(&generation.join(DATA)).and_then(|text| fs::write(generation.join(CHECKED), text));
    if left.is_err() {
        let _ = fs::remove_file(generation.join(CHECKED));
    }
}

fn set_time(data: &Path) -> io::Result<String> {
    let file = File::options().write(true).open(data)?;
    let now = SystemTime::now();
    file.set_modified(now)?;
    let found = file.metadata()?;
    describe(&found, now)
}

pub(crate) fn agrees(generation: &Path) -> bool {
    let described =
        fs::metadata(generation.join(DATA)).and_then(|found| describe(&found, found.modified()?));
    match (described, fs::read_to_string(generation.join(CHECKED))) {
        (Ok(now), Ok(then)) => now == then,
        _ => false,
    }
}

fn describe(found: &fs::Metadata, modified: SystemTime) -> io::Result<String> {
    #[cfg(unix)]
    let file = std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    let file = 0;
    let time = modified
        .duration_since(UNIX_EPOCH)
        .map_err(io::Error::other)?;
    Ok(format!(
        "file {file}, {} bytes, modified {}\n",
        found.len(),
        time.as_nanos()
    ))
}
