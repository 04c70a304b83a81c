//! `refrain store gc`.

use std::path::Path;

use refrain_store::Store;

use super::{count, failed, options, say, size};

pub fn run(path: &Path, max_size: Option<u64>, compact: bool) -> Result<u8, String> {
    let options = options(false);
    let store = Store::open_existing(path, &options).map_err(failed)?;
    let max_size = max_size.unwrap_or(options.max_bytes);
    let collected = store.gc(max_size).map_err(failed)?;
    say(format_args!(
        "{}: removed {} to stay within {} and {}; entries took {}, take {}",
        path.display(),
        count(collected.removed, "entry", "entries"),
        size::show(max_size),
        count(collected.swept, "damaged row", "damaged rows"),
        size::show(collected.weight_before),
        size::show(collected.weight_after)
    ))?;
    // Compacting is for one who is alone, and we have it open ourselves.
    drop(store);
    if compact {
        let (before, after) =
            Store::compact(path, &options).map_err(|error| format!("not compacted: {error}"))?;
        let (before, after) = (size::show(before), size::show(after));
        say(format_args!(
            "compacted: the file had {before}, has {after}"
        ))?;
    }
    Ok(0)
}
