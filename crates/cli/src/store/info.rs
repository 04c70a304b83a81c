//! `refrain store info`.

use std::path::Path;

use refrain_store::{Info, KindInfo};
use serde_json::{Value, json};

use super::{count, failed, kind, open_for_reading, say, size, warn_about};

pub fn run(path: &Path, as_json: bool) -> Result<u8, String> {
    let store = open_for_reading(path)?;
    let info = store.info().map_err(failed)?;
    match as_json {
        true => say(format_args!("{:#}", object(&info)))?,
        false => say(text(&info))?,
    }
    Ok(warn_about(&store))
}

fn object(info: &Info) -> Value {
    let kinds = info.kinds.iter().map(|(first, found)| {
        json!({
            "kind": kind(*first),
            "entries": found.entries,
            "bytes": found.bytes,
            "cost": found.cost,
            "hits": found.uses,
        })
    });
    json!({
        "path": info.path.to_string_lossy(),
        "format": info.format,
        "validity": info.validity,
        "entries": info.entries,
        "kinds": kinds.collect::<Vec<Value>>(),
        "hits": hits(info),
        "index_rows": info.index_rows,
        "weight": info.weight,
        "used_bytes": info.used_bytes,
        "file_bytes": info.file_bytes,
        "max_bytes": info.max_bytes,
    })
}

fn text(info: &Info) -> String {
    let mut lines = vec![
        format!("store     {}", info.path.display()),
        format!("format    {}", info.format),
        format!("validity  {}", info.validity),
        format!("entries   {}", info.entries),
    ];
    lines.extend(
        info.kinds
            .iter()
            .map(|(first, found)| of_kind(*first, found)),
    );
    lines.push(format!(
        "index     {}",
        count(info.index_rows, "row", "rows")
    ));
    lines.push(format!("hits      {}", hits(info)));
    lines.push(format!(
        "size      {} used, {} on disk, at most {}",
        size::show(info.used_bytes),
        size::show(info.file_bytes),
        size::show(info.max_bytes)
    ));
    lines.join("\n")
}

fn of_kind(first: Option<u8>, found: &KindInfo) -> String {
    format!(
        "  {:<8}{}: {}, {}, found in {}",
        kind(first),
        count(found.entries, "entry", "entries"),
        size::show(found.bytes),
        count(found.uses, "hit", "hits"),
        seconds(found.cost)
    )
}

/// The time that answers took to find.
fn seconds(microseconds: u64) -> String {
    format!("{:.3} s", microseconds as f64 / 1e6)
}

fn hits(info: &Info) -> u64 {
    info.kinds.values().map(|found| found.uses).sum()
}
