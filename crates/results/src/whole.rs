//! Files that are there whole or not at all, however the process ends.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that may be there already, and is the old or the new one at every moment: it is written under a hidden name,
/// which is then changed.
pub(crate) fn replace(folder: &Path, name: &str, contents: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Nobody else uses it.
    let hidden = folder.join(format!(".{name}.{}.{count}", std::process::id()));
    let written = fs::File::create_new(&hidden)
        .and_then(|mut file| file.write_all(contents))
        .and_then(|()| fs::rename(&hidden, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&hidden);
    }
    written
}
