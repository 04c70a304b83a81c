//! The lab: runs trials, holds their answers against each other, and keeps every number.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Watch;
use crate::error::{Result, StudyError, at};
use crate::measurement::Measurement;
use crate::process::{Answer, Runner};
use crate::report::Row;
use crate::settings::Settings;
use crate::table::Table;

/// A script on disk, and what its checks are answered with.
pub struct Subject {
    /// What tables call it.
    pub name: String,
    pub path: PathBuf,
    pub answers: Vec<Answer>,
}

/// What store a run has.
pub enum StoreUse<'a> {
    None,
    /// A store, and what it holds when the run begins, in a word for the records.
    At(&'a Path, &'a str),
}

/// One run of one script.
pub struct Trial<'a> {
    pub experiment: &'static str,
    pub reuse: &'a str,
    /// A layer that is switched off.
    pub without: Option<&'a str>,
    pub store: StoreUse<'a>,
    /// The number of the edit, where the script is edited.
    pub edit: Option<u32>,
    pub round: u32,
}

impl<'a> Trial<'a> {
    /// A run without store and with all layers of its preset.
    pub fn new(experiment: &'static str, reuse: &'a str, round: u32) -> Trial<'a> {
        Trial {
            experiment,
            reuse,
            without: None,
            store: StoreUse::None,
            edit: None,
            round,
        }
    }

    fn store_holds(&self) -> &str {
        match &self.store {
            StoreUse::None => "",
            StoreUse::At(_, holds) => holds,
        }
    }

    fn describe(&self, script: &str) -> String {
        let mut text = format!("{}: {script}, {}", self.experiment, self.reuse);
        if let Some(layer) = self.without {
            text += &format!(" without {layer}");
        }
        if let StoreUse::At(_, holds) = &self.store {
            text += &format!(", store: {holds}");
        }
        if let Some(edit) = self.edit {
            text += &format!(", edit {edit}");
        }
        text
    }
}

/// The raw numbers of a run, or why there are none.
pub struct Record {
    pub experiment: &'static str,
    pub script: String,
    pub reuse: String,
    pub without: String,
    pub store: String,
    pub edit: Option<u32>,
    pub round: u32,
    pub outcome: std::result::Result<Measurement, String>,
}

impl Record {
    /// Everything by name; of a run that failed, only what was run.
    pub fn row(&self) -> Row {
        let outcome = match &self.outcome {
            Ok(_) => "ok",
            Err(failure) => failure,
        };
        let what = [
            ("experiment", json!(self.experiment)),
            ("script", json!(self.script)),
            ("reuse", json!(self.reuse)),
            ("without", json!(self.without)),
            ("store", json!(self.store)),
            ("edit", json!(self.edit)),
            ("round", json!(self.round + 1)),
            ("outcome", json!(outcome)),
        ];
        let mut row: Row = what.map(|(name, value)| (name.to_owned(), value)).into();
        if let Ok(measured) = &self.outcome {
            row.extend(measured.columns());
        }
        row
    }
}

/// The fastest of several runs; nothing if one of them failed.
#[derive(Default)]
pub struct Fastest {
    best: Option<Measurement>,
    failed: bool,
}

impl Fastest {
    pub fn note(&mut self, measured: Option<Measurement>) {
        let Some(measured) = measured else {
            self.failed = true;
            return;
        };
        if self
            .best
            .as_ref()
            .is_none_or(|best| measured.total < best.total)
        {
            self.best = Some(measured);
        }
    }

    pub fn failed(&self) -> bool {
        self.failed
    }

    pub fn get(self) -> Option<Measurement> {
        self.best.filter(|_| !self.failed)
    }
}

pub struct Lab<'a> {
    runner: Runner,
    /// Options that every run has.
    common: Vec<OsString>,
    settings: Settings,
    scratch: PathBuf,
    stores: u64,
    watch: &'a mut dyn Watch,
    pub tables: Vec<Table>,
    pub records: Vec<Record>,
    pub problems: Vec<String>,
    /// What is worth knowing about runs that went well.
    pub notes: BTreeSet<String>,
}

impl<'a> Lab<'a> {
    pub fn new(
        runner: Runner,
        common: Vec<OsString>,
        settings: Settings,
        scratch: &Path,
        watch: &'a mut dyn Watch,
    ) -> Lab<'a> {
        Lab {
            runner,
            common,
            settings,
            scratch: scratch.to_path_buf(),
            stores: 0,
            watch,
            tables: Vec::new(),
            records: Vec::new(),
            problems: Vec::new(),
            notes: BTreeSet::new(),
        }
    }

    pub fn progress(&mut self, what: &str) {
        self.watch.progress(what);
    }

    /// Shows a table and keeps it. One without rows says nothing.
    pub fn publish(&mut self, table: Table) -> Result<()> {
        if !table.is_empty() {
            self.watch.table(&table).map_err(StudyError::Watcher)?;
            self.tables.push(table);
        }
        Ok(())
    }

    /// Reports what went wrong.
    pub fn problem(&mut self, what: String) {
        self.watch.problem(&what);
        self.problems.push(what);
    }

    /// Writes a script down and finds what its checks are answered with when nothing is reused. The inner error says
    /// what is wrong with the script, or with how it is solved.
    pub fn subject(
        &mut self,
        name: &str,
        file: &str,
        text: &[u8],
    ) -> Result<std::result::Result<Subject, String>> {
        let path = self.scratch.join(file);
        fs::write(&path, text).map_err(at(&path))?;
        let finished = self.runner.run(&self.options("stack"), &path)?;
        if let Some(failure) = finished.failure() {
            return Ok(Err(failure));
        }
        Ok(Ok(Subject {
            name: name.to_owned(),
            path,
            answers: finished.answers,
        }))
    }

    /// The options of a run without store.
    fn options(&self, reuse: &str) -> Vec<OsString> {
        let mut options = self.common.clone();
        options.extend(["--reuse", reuse, "--store", "none"].map(OsString::from));
        options
    }

    /// Runs a trial; `None` if it failed, which is a problem.
    pub fn measure(&mut self, subject: &Subject, trial: &Trial) -> Result<Option<Measurement>> {
        let mut options = self.common.clone();
        options.extend(["--reuse", trial.reuse].map(OsString::from));
        options.extend(self.settings.of(trial.reuse).iter().map(OsString::from));
        if let Some(layer) = trial.without {
            options.extend(["--without", layer].map(OsString::from));
        }
        options.push("--store".into());
        options.push(match &trial.store {
            StoreUse::None => "none".into(),
            StoreUse::At(path, _) => path.into(),
        });
        let finished = self.runner.run(&options, &subject.path)?;
        let failure = finished.failure();
        let failure = failure.or_else(|| self.compare(subject, trial, &finished.answers));
        let outcome = match failure {
            Some(failure) => Err(failure),
            None => finished.measurement,
        };
        if let Err(failure) = &outcome {
            self.problem(format!("{}: {failure}", trial.describe(&subject.name)));
        }
        let measured = outcome.as_ref().ok().cloned();
        if let (Some(_), Some(complaint)) = (&measured, finished.complaint) {
            let trial = trial.describe(&subject.name);
            self.notes.insert(format!("{trial}: {complaint}"));
        }
        self.records.push(Record {
            experiment: trial.experiment,
            script: subject.name.clone(),
            reuse: trial.reuse.to_owned(),
            without: trial.without.unwrap_or_default().to_owned(),
            store: trial.store_holds().to_owned(),
            edit: trial.edit,
            round: trial.round,
            outcome,
        });
        Ok(measured)
    }

    /// Holds answers against those of the run without reuse; says what is wrong. That one decides and the other gives
    /// up is not wrong, but worth knowing.
    fn compare(&mut self, subject: &Subject, trial: &Trial, found: &[Answer]) -> Option<String> {
        let expected = &subject.answers;
        if found.len() != expected.len() {
            let (found, expected) = (found.len(), expected.len());
            return Some(format!("{found} answers, where {expected} are expected"));
        }
        let pairs = || expected.iter().zip(found);
        let contradicts = |(one, other): &(&Answer, &Answer)| {
            one != other && **one != Answer::Unknown && **other != Answer::Unknown
        };
        let count = pairs().filter(contradicts).count();
        if let Some(place) = pairs().position(|pair| contradicts(&pair)) {
            return Some(format!(
                "{count} WRONG of {} answers: check {} is {:?} here and {:?} without reuse",
                expected.len(),
                place + 1,
                found[place],
                expected[place]
            ));
        }
        let open = pairs().filter(|(one, other)| one != other).count();
        if open > 0 {
            let trial = trial.describe(&subject.name);
            self.notes.insert(format!(
                "{trial}: {open} checks are unknown here or without reuse, but not both"
            ));
        }
        None
    }

    /// Measures variants of a run in turn, each once a round; the fastest run of each.
    pub fn in_turn(
        &mut self,
        what: &str,
        rounds: u32,
        variants: usize,
        mut run: impl FnMut(&mut Lab, usize, u32) -> Result<Option<Measurement>>,
    ) -> Result<Vec<Option<Measurement>>> {
        let mut fastest: Vec<Fastest> = (0..variants).map(|_| Fastest::default()).collect();
        for round in 0..rounds {
            self.progress(&format!("{what}, round {} of {rounds}", round + 1));
            for step in 0..variants {
                // Nobody is always the first, or always behind the slowest.
                let variant = (step + round as usize) % variants;
                // A second failure would tell nothing new.
                if !fastest[variant].failed() {
                    let measured = run(self, variant, round)?;
                    fastest[variant].note(measured);
                }
            }
        }
        Ok(fastest.into_iter().map(Fastest::get).collect())
    }

    /// A place for a store that nobody has used yet.
    pub fn fresh_store(&mut self) -> PathBuf {
        self.stores += 1;
        self.scratch.join(format!("store-{}", self.stores))
    }

    /// A store that holds what another one does, which nobody has open.
    pub fn copy_of_store(&mut self, store: &Path) -> Result<PathBuf> {
        self.runner.check_cancelled()?;
        let copy = self.fresh_store();
        if store.exists() {
            copy_folder(store, &copy)?;
        }
        Ok(copy)
    }

    /// Removes a store that is of no more use.
    pub fn remove_store(&mut self, store: &Path) {
        // The folder around it goes at the end anyway.
        let _ = fs::remove_dir_all(store);
    }
}

/// Copies a folder with all that is in it.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let mut folders = vec![(from.to_path_buf(), to.to_path_buf())];
    while let Some((from, to)) = folders.pop() {
        fs::create_dir_all(&to).map_err(at(&to))?;
        for entry in fs::read_dir(&from).map_err(at(&from))? {
            let entry = entry.map_err(at(&from))?;
            let copy = to.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push((entry.path(), copy));
            } else {
                fs::copy(entry.path(), &copy).map_err(at(&copy))?;
            }
        }
    }
    Ok(())
}
