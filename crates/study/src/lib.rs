//! Experiments: approaches to reuse, and ways of exploring, side by side, measured on equal terms.
//!
//! Every measurement is a process of its own (`process`), as users run it, and what is known of it is what its
//! statistics file says. `papers` makes the experiments of the papers again. `scripts` and `explore` are for those who
//! work on the engine: presets and layers on scripts (by the `lab`, which holds all answers against each other), and
//! ways of exploring. A `report` writes tables, plots and raw numbers to a folder.
//!
//! The crate knows the command lines of `refrain smt`, `run`, `deepen` and `diff` and nothing of what is behind them: no
//! solver, cache, store or tree is called from here.

mod bundled;
mod catalogue;
mod edit;
mod error;
pub mod explore;
mod figures;
mod generate;
mod lab;
mod measurement;
pub mod papers;
mod process;
mod random;
mod report;
mod script;
pub mod scripts;
mod settings;
mod subject;
mod table;
mod walk;

pub use bundled::bundled;
pub use catalogue::named;
pub use error::StudyError;
pub use process::Cancel;
pub use report::Report;
pub use script::Script;
pub use settings::Settings;
pub use table::Table;

use std::io;

/// Who sees a study while it goes on.
pub trait Watch {
    /// What is being measured.
    fn progress(&mut self, what: &str);
    /// A table is complete. An error ends the study.
    fn table(&mut self, table: &Table) -> io::Result<()>;
    /// A run failed, or answered otherwise than the others.
    fn problem(&mut self, what: &str);
}
