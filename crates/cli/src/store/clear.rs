//! `refrain store clear`.

use std::path::Path;

use refrain_store::{Store, StoreError};

use super::{failed, options, say};

pub fn run(path: &Path) -> Result<u8, String> {
    let shown = path.display();
    match refrain_store::remove(path) {
        Ok(()) if path.exists() => say(format_args!("{shown}: removed, but for the directory"))?,
        Ok(()) => say(format_args!("{shown}: removed"))?,
        Err(in_use @ StoreError::InUse { .. }) => {
            empty(path, in_use).map_err(failed)?;
            say(format_args!(
                "{shown}: in use: its entries are removed, its files stay"
            ))?;
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(0)
}

/// Removes the entries of a store that others have open.
fn empty(path: &Path, in_use: StoreError) -> Result<(), StoreError> {
    let emptied = Store::open_existing(path, &options(false)).and_then(|store| store.clear());
    emptied.map_err(|error| match error {
        // In use by another version, or damaged under its users: it can be removed when they have gone.
        StoreError::OtherValidity { .. } | StoreError::Damaged { .. } => in_use,
        error => error,
    })
}
