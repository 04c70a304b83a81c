//! `refrain store merge`.

use std::path::{Path, PathBuf};

use refrain_store::{Merged, Store, StoreError};

use super::{count, failed, options, say, warn_about};

/// What there is to do with one of the others.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    Entries,
    OtherValidity,
    Itself,
}

pub fn run(into: &Path, others: &[PathBuf]) -> Result<u8, String> {
    // All are looked at first: a wrong name among them changes nothing, and begins no store.
    let found: Vec<Found> = others
        .iter()
        .map(|other| look_at(into, other))
        .collect::<Result<_, _>>()?;
    let skipped = found
        .iter()
        .filter(|&&found| found != Found::Entries)
        .count();
    let store = match skipped == others.len() {
        true => None,
        false => Some(Store::open(into, &options(false)).map_err(failed)?),
    };
    let mut total = Merged::default();
    for (other, found) in others.iter().zip(found) {
        let path = other.display();
        match (&store, found) {
            (Some(store), Found::Entries) => {
                let merged = store.merge(other).map_err(failed)?;
                say(format_args!("{path}: {}", counts(&merged)))?;
                total.added += merged.added;
                total.replaced += merged.replaced;
                total.kept += merged.kept;
            }
            (_, Found::Itself) => say(format_args!("{path}: skipped: the store itself"))?,
            _ => say(format_args!("{path}: skipped: no answers of this validity"))?,
        }
    }
    if others.len() > 1 {
        let skipped = count(skipped as u64, "store", "stores");
        say(format_args!(
            "in all: {}, {skipped} skipped",
            counts(&total)
        ))?;
    }
    Ok(store.as_ref().map_or(0, warn_about))
}

fn look_at(into: &Path, other: &Path) -> Result<Found, String> {
    match Store::open(other, &options(true)) {
        Ok(_) if is_same(into, other) => Ok(Found::Itself),
        Ok(_) => Ok(Found::Entries),
        Err(StoreError::OtherValidity { .. }) => Ok(Found::OtherValidity),
        Err(error) => Err(failed(error)),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn counts(merged: &Merged) -> String {
    let known = merged.replaced + merged.kept;
    let newer = match merged.replaced {
        0 => String::new(),
        replaced => format!(" ({replaced} of them newer there)"),
    };
    format!("{} new, {known} known{newer}", merged.added)
}
