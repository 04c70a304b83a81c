//! `refrain store verify`.

use std::path::Path;

use refrain_store::{Report, Store, StoreError};

use super::{UNSOUND, count, failed, options, say};
use crate::complain;

pub fn run(path: &Path) -> Result<u8, String> {
    let checked = Store::open(path, &options(true)).and_then(|store| store.verify());
    match checked {
        Ok(report) if report.is_sound() => {
            say(format_args!("{}: sound: {}", path.display(), size(&report)))?;
            Ok(0)
        }
        Ok(report) => {
            let path = path.display();
            complain(format_args!("{path}: damaged: {}", faults(&report)));
            complain("`refrain store gc` removes what is damaged");
            Ok(UNSOUND)
        }
        Err(error @ StoreError::Damaged { .. }) => {
            complain(error);
            Ok(UNSOUND)
        }
        Err(error) => Err(failed(error)),
    }
}

fn size(report: &Report) -> String {
    format!(
        "{}, {}, {}",
        count(report.entries, "entry", "entries"),
        count(report.index_rows, "index row", "index rows"),
        count(report.pages, "page", "pages")
    )
}

fn faults(report: &Report) -> String {
    let faults = [
        (
            report.unsound_entries,
            count(report.unsound_entries, "bad entry", "bad entries"),
        ),
        (
            report.stray_index_rows,
            count(
                report.stray_index_rows,
                "index row without entry",
                "index rows without entry",
            ),
        ),
        (
            report.stray_usage,
            count(
                report.stray_usage,
                "count of hits without entry",
                "counts of hits without entry",
            ),
        ),
        (
            report.miscounted,
            format!(
                "its size is wrong by {}",
                super::size::show(report.miscounted)
            ),
        ),
    ];
    let found = faults.into_iter().filter(|(number, _)| *number > 0);
    let found: Vec<String> = found.map(|(_, text)| text).collect();
    format!("{}, of {}", found.join(", "), size(report))
}
