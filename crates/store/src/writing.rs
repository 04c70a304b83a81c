//! LMDB for writing, mapped when it is first needed.
//!
//! Lookups do without LMDB, and most short runs have nothing to write. Mapping its files takes longer than all that
//! such a run does with a store.

use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use crate::engine::Engine;
use crate::open::map_trusted;
use crate::tables::Tables;
use crate::{Options, StoreError, lock};

pub(crate) struct Mapped {
    pub tables: Tables,
    pub engine: Engine,
}

pub(crate) struct Writing {
    mapped: OnceLock<Mapped>,
    /// Held while it is mapped.
    mapping: Mutex<()>,
    options: Options,
}

impl Writing {
    pub fn now(mapped: Mapped, options: &Options) -> Writing {
        Writing {
            mapped: OnceLock::from(mapped),
            ..Writing::later(options)
        }
    }

    /// The file has been found sound, has its tables, and can be written as far as can be told.
    pub fn later(options: &Options) -> Writing {
        Writing {
            mapped: OnceLock::new(),
            mapping: Mutex::default(),
            options: options.clone(),
        }
    }

    /// What is mapped by now.
    pub fn mapped(&self) -> Option<&Mapped> {
        self.mapped.get()
    }

    /// Maps the files of a generation, of which `data` is the one that is read, if they are not yet.
    pub fn map(&self, path: &Path, generation: &Path, data: &File) -> Result<&Mapped, StoreError> {
        let _one_at_a_time = lock(&self.mapping);
        if let Some(mapped) = self.mapped.get() {
            return Ok(mapped);
        }
        let (engine, tables) = map_trusted(path, generation, data, &self.options)?;
        Ok(self.mapped.get_or_init(|| Mapped { tables, engine }))
    }
}
