//! `refrain store verify`.

use std::path::Path;
use std::time::Duration;

use refrain_reuse::lasting;
use refrain_smtlib::ProofCounts;
use refrain_store::{Report, Store, StoreError};

use super::{UNSOUND, count, failed, options, say};
use crate::{complain, proof};

/// Checks a store, and its answers too if there is a time that each proof may take.
pub fn run(path: &Path, proofs: Option<Duration>) -> Result<u8, String> {
    let store = Store::open(path, &options(true));
    let checked = store.and_then(|store| store.verify().map(|report| (store, report)));
    match checked {
        Ok((store, report)) if report.is_sound() => {
            say(format_args!("{}: sound: {}", path.display(), size(&report)))?;
            proofs.map_or(Ok(0), |max_time| prove(&store, max_time))
        }
        Ok((_, report)) => {
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

/// Proves the `unsat` answers of a store.
fn prove(store: &Store, max_time: Duration) -> Result<u8, String> {
    let mut counts = ProofCounts::default();
    for entry in store.snapshot().map_err(failed)?.entries() {
        let Some(script) = lasting::refuted_question(&entry.key, &entry.value) else {
            continue;
        };
        match proof::prove_script(script.as_bytes(), max_time) {
            Ok(()) => counts.proved += 1,
            Err(proof::Unproved::Open) => counts.not_proved += 1,
            Err(proof::Unproved::Wrong(why)) => {
                counts.refused += 1;
                complain(format_args!("an 'unsat' answer is wrong: {why}\n{script}"));
            }
        }
    }
    say(proof::summary(&counts))?;
    Ok(if counts.refused > 0 { UNSOUND } else { 0 })
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
