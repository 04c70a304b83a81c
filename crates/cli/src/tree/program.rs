//! The program of a run, for the page: compiled again as it was, with its sources and its tests.

use std::path::Path;

use refrain_explore::memo::value_of;
use refrain_llvm::machine::{Machine, demangle};
use refrain_llvm::native::Detached;
use refrain_machine::{Machine as _, Place, is_system_file};
use refrain_report::tree::Program;
use refrain_results::{Outcome, OutputDirectory, Run, TestPack};
use refrain_term::Value;

use crate::complain;
use crate::program::{Bitcode, Sources, options_of};
use crate::replay::complain_of_changes;

/// What there is of a program. A tree without a run, or a program that cannot be compiled, has less of a page.
#[derive(Default)]
pub struct Built {
    name: Option<String>,
    machine: Option<Machine>,
    tests: Option<TestPack>,
    /// Sources are not what they were.
    pub has_changed: bool,
}

impl Built {
    /// Says what cannot be had.
    pub fn load(directory: &Path, verbose: bool) -> Built {
        let directory = OutputDirectory::open(directory);
        let read = directory.and_then(|directory| Ok((directory.read_run()?, directory)));
        let (run, directory) = match read {
            Ok(read) => read,
            Err(error) => {
                complain(format_args!("the page has no source: {error}"));
                return Built::default();
            }
        };
        let machine = machine_of(&run, verbose);
        if let Err(error) = &machine {
            complain(format_args!("the page has no source: {error}"));
        }
        Built {
            name: run
                .program
                .file_name()
                .map(|name| name.to_string_lossy().into_owned()),
            has_changed: complain_of_changes(&run),
            machine: machine.ok(),
            tests: directory.tests().ok(),
        }
    }

    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("Memo tree of {name}"),
            None => "Memo tree".into(),
        }
    }
}

/// With the flags of the run, so that points are the same.
fn machine_of(run: &Run, verbose: bool) -> Result<Machine, String> {
    let options = options_of(run);
    let sources = Sources {
        with: run.with.clone(),
        check: run.checks.clone(),
        ..Sources::default()
    };
    let bitcode = Bitcode::build(&sources.inputs(run.program.clone()), &options, verbose)?;
    let loaded = bitcode.load(sources.machine_options(), Box::new(Detached));
    loaded.map(|(machine, _)| machine)
}

impl Program for Built {
    /// The innermost that is the program's own; of library code that was inlined, who called it.
    fn place(&self, symbol: &str, block: u32, instruction: u32) -> Option<Place> {
        let machine = self.machine.as_ref()?;
        let places = machine.places_at(symbol, block, instruction);
        let is_own = |place: &&Place| place.line > 0 && !is_system_file(&place.file);
        places.iter().find(is_own).or(places.first()).cloned()
    }

    fn name(&self, symbol: &str) -> String {
        demangle(symbol)
    }

    fn error_of(&self, test: u32) -> Option<Place> {
        match self.tests.as_ref()?.read(test).ok()?.outcome {
            Outcome::Error(fault) => fault.place().cloned(),
            Outcome::Exit { .. } | Outcome::Unfinished(_) => None,
        }
    }

    fn source(&self, file: &str) -> Option<String> {
        let bytes = std::fs::read(file).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn is_edited(&self, symbol: &str, block: u32, hash: u64) -> bool {
        let machine = self.machine.as_ref();
        machine.is_some_and(|machine| machine.code_hash(symbol, block) != Some(hash))
    }

    fn value(&self, bytes: &[u8]) -> String {
        match value_of(bytes) {
            Some(Value::Bv(value)) => value.to_string(),
            Some(Value::Bool(value)) => value.to_string(),
            _ => String::new(),
        }
    }
}
