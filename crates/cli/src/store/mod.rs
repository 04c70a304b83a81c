//! `refrain store`: what people do with a store themselves. Everything here works while runs have it open.

mod clear;
mod export;
mod gc;
mod info;
mod merge;
mod size;
mod verify;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use refrain_reuse::lasting;
use refrain_store::{Options, Show, Store, StoreError, Trouble};

use crate::asking::seconds;
use crate::complain;

/// Exit status of a command that found the store damaged.
const UNSOUND: u8 = 1;

/// Look into the store, where answers are kept between runs; check it, tidy it, or remove it
///
/// Everything in a store can be found again: losing it costs time, nothing else. All commands can be used while other
/// processes have the store open.
///
/// Exit status: 0 if all went well, 1 if something in the store is damaged, 2 if the command could not do its job.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tell what is in a store, and how large it is
    Info {
        #[command(flatten)]
        place: Place,

        /// As a JSON object
        #[arg(long)]
        json: bool,
    },

    /// Check every page and every entry of a store
    ///
    /// Exit status: 0 if it is sound, 1 if it is damaged or an answer in it is wrong, 2 if it could not be checked.
    Verify {
        #[command(flatten)]
        place: Place,

        /// Prove every 'unsat' answer too, and check the proofs
        #[arg(long)]
        proofs: bool,

        /// The longest that one proof may take
        #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10", requires = "proofs")]
        max_time: Duration,
    },

    /// Take over the entries of other stores, for example from another machine
    ///
    /// Of two entries about the same query the newer one is kept. The other stores stay as they are. Nothing is
    /// changed if one of them cannot be read; answers of versions that mean something else by them are skipped.
    Merge {
        /// The store that takes them, begun if there is none; else $REFRAIN_STORE, else the one in the cache directory
        #[arg(long, value_name = "PATH")]
        into: Option<PathBuf>,

        /// The stores to take from
        #[arg(required = true, value_name = "OTHER")]
        others: Vec<PathBuf>,
    },

    /// Remove what is damaged, and the least useful entries if there are too many
    Gc {
        #[command(flatten)]
        place: Place,

        /// How large the store may be, in bytes or like 64K, 500M, 2G; 1G unless given
        #[arg(long, value_name = "SIZE", value_parser = size::parse)]
        max_size: Option<u64>,

        /// Also rewrite the file without its free pages; no process may have the store open meanwhile
        #[arg(long)]
        compact: bool,
    },

    /// Write all entries as JSON, one a line
    ///
    /// Keys, values and index rows are in hexadecimal, costs in microseconds, times in seconds since 1970.
    Export {
        #[command(flatten)]
        place: Place,

        /// Write to this file, which appears only when it is complete; '-' or none: standard output
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },

    /// Remove a store, damaged or not
    ///
    /// A store that others have open keeps its files and loses its entries. Files that are not part of a store are
    /// never touched.
    Clear {
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Args)]
struct Place {
    /// The store; else $REFRAIN_STORE, else the one in the cache directory
    path: Option<PathBuf>,
}

impl Place {
    fn find(&self) -> Result<PathBuf, String> {
        find(self.path.as_deref())
    }
}

fn find(path: Option<&Path>) -> Result<PathBuf, String> {
    refrain_store::path_or_default(path).ok_or_else(|| {
        let variable = refrain_store::VARIABLE;
        format!("no store: name one, or set {variable} to where it is")
    })
}

/// What gives the answers in a store their meaning.
fn options(read_only: bool) -> Options {
    Options {
        read_only,
        ..Options::new(lasting::validity())
    }
}

/// How to say what an entry is.
fn show() -> Option<Show<'static>> {
    Some(&lasting::show)
}

/// What entries are called whose values begin with this byte.
fn kind(first: Option<u8>) -> String {
    lasting::kind(first).unwrap_or("other").to_owned()
}

/// Runs the command; its exit status.
pub fn run(arguments: &Arguments) -> Result<u8, String> {
    match &arguments.command {
        Command::Info { place, json } => info::run(&place.find()?, *json),
        Command::Verify {
            place,
            proofs,
            max_time,
        } => verify::run(&place.find()?, proofs.then_some(*max_time)),
        Command::Merge { into, others } => merge::run(&find(into.as_deref())?, others),
        Command::Gc {
            place,
            max_size,
            compact,
        } => gc::run(&place.find()?, *max_size, *compact),
        Command::Export { place, output } => export::run(&place.find()?, output.as_deref()),
        Command::Clear { place } => clear::run(&place.find()?),
    }
}

/// An error as the command ends with it.
fn failed(error: StoreError) -> String {
    error.to_string()
}

fn open_for_reading(path: &Path) -> Result<Store, String> {
    Store::open(path, &options(true)).map_err(failed)
}

/// Passes the warnings of a store on. The exit status: whether they are about damage.
fn warn_about(store: &Store) -> u8 {
    let mut status = 0;
    for warning in store.warnings() {
        if warning.trouble != Trouble::OtherValidity {
            status = UNSOUND;
        }
        complain(warning);
    }
    status
}

/// Writes to standard output. That whoever read it has gone is no trouble.
fn say(text: impl std::fmt::Display) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    written.or_else(unless_gone)
}

fn unless_gone(error: io::Error) -> Result<(), String> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(format!("standard output: {error}")),
    }
}

/// `1 entry`, `2 entries`.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The store of a run, where the user wants one; `none` is none. Trouble with it is no trouble of the run.
pub fn for_run(argument: Option<&Path>) -> Option<Store> {
    let path = refrain_store::path_or_default(argument)?;
    match Store::open_or_read(&path, &options(false)) {
        Ok(store) => Some(store),
        Err(error) => {
            complain(format_args!("warning: {error}; going on without a store"));
            None
        }
    }
}

/// Writes what is left to be written, and says what went wrong.
pub fn close(store: Store) {
    let committed = store.commit();
    let warnings = store.warnings();
    for warning in &warnings {
        complain(format_args!("warning: {warning}"));
    }
    // Trouble with writing is among the warnings.
    if let Err(error) = committed
        && warnings.is_empty()
    {
        complain(format_args!("warning: {error}"));
    }
}
