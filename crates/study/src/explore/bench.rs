//! The bench: explores programs in processes of their own, and keeps every number.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Watch;
use crate::error::{Result, StudyError, at};
use crate::process::Runner;
use crate::report::Row;
use crate::table::Table;

use super::exploration::Exploration;
use super::program::{Program, Source};

/// A program on disk.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What tables call it.
    pub name: String,
    pub path: PathBuf,
}

/// One run of one program.
pub struct Trial<'a> {
    pub experiment: &'static str,
    /// What tells it from the other runs of the experiment.
    pub variant: &'a str,
    /// Options of `refrain run`, separated by blanks.
    pub options: String,
    /// Variables that the environment has beside those that are there anyway.
    pub variables: &'a [(&'a str, &'a str)],
    pub round: u32,
}

/// What a run starts from.
#[derive(Clone, Copy)]
pub enum Start<'a> {
    Nothing,
    /// A run with smaller bounds, in whose folder it goes on.
    Bounded(&'a Exploration),
    /// A run of another version of the program.
    Version(&'a Exploration),
}

pub struct Bench<'a> {
    runner: Runner,
    common: Vec<OsString>,
    scratch: PathBuf,
    runs: u64,
    watch: &'a mut dyn Watch,
    pub tables: Vec<Table>,
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
    pub notes: Vec<String>,
}

impl<'a> Bench<'a> {
    pub fn new(
        runner: Runner,
        seed: u64,
        solver: Option<&str>,
        scratch: &Path,
        watch: &'a mut dyn Watch,
    ) -> Bench<'a> {
        let mut common = vec!["--seed".into(), seed.to_string().into()];
        if let Some(solver) = solver {
            common.extend(["--solver", solver].map(OsString::from));
        }
        Bench {
            runner,
            common,
            scratch: scratch.to_path_buf(),
            runs: 0,
            watch,
            tables: Vec::new(),
            rows: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Has programs on disk. One that is not there is told before anything is measured.
    pub fn subjects(&mut self, programs: &[Program]) -> Result<Vec<Subject>> {
        let mut subjects = Vec::new();
        for program in programs {
            let path = match &program.source {
                Source::File(path) => {
                    fs::metadata(path).map_err(at(path))?;
                    path.clone()
                }
                Source::Text(text) => {
                    let path = self.scratch.join(&program.name).with_extension("c");
                    fs::write(&path, text).map_err(at(&path))?;
                    path
                }
            };
            let name = program.name.clone();
            subjects.push(Subject { name, path });
        }
        Ok(subjects)
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

    /// Runs a trial; `None` if it failed, which is a problem.
    pub fn measure(&mut self, subject: &Subject, trial: &Trial) -> Result<Option<Exploration>> {
        self.measure_from(subject, trial, Start::Nothing)
    }

    /// Runs a trial that starts from what another run has left behind.
    pub fn measure_from(
        &mut self,
        subject: &Subject,
        trial: &Trial,
        start: Start,
    ) -> Result<Option<Exploration>> {
        let experiment = trial.experiment;
        let what = format!("{experiment}: {}, {}", subject.name, trial.variant);
        self.watch
            .progress(&format!("{what}, round {}", trial.round + 1));
        self.runs += 1;
        let mut out = self.scratch.join(format!("out-{}", self.runs));
        let mut arguments: Vec<OsString> = match start {
            Start::Nothing => vec!["run".into()],
            Start::Bounded(run) => vec!["deepen".into(), run.out.clone().into()],
            Start::Version(run) => vec!["diff".into(), run.out.clone().into()],
        };
        arguments.extend_from_slice(&self.common);
        arguments.extend(trial.options.split_whitespace().map(OsString::from));
        arguments.extend(["--store", "none"].map(OsString::from));
        match start {
            Start::Bounded(run) => out.clone_from(&run.out),
            Start::Nothing | Start::Version(_) => {
                arguments.extend(["--out".into(), out.clone().into()]);
                arguments.push(subject.path.clone().into());
            }
        }
        let ended = self.runner.call(&arguments, trial.variables)?;
        let outcome = match ended.status {
            // That the program is wrong is what exploring is for; a bound may leave no path that has ended.
            Some(0 | 1 | 3) => read(&out),
            Some(status) => Err(format!("exit status {status}")),
            None => Err("ended by a signal".to_owned()),
        };
        let outcome = match outcome {
            Ok(read) => Ok(Exploration {
                out,
                wall: ended.wall,
                cpu: ended.cpu,
                ..read
            }),
            Err(failure) => Err(match ended.complaint {
                Some(complaint) => format!("{failure}: {complaint}"),
                None => failure,
            }),
        };
        if let Err(failure) = &outcome {
            self.problem(format!("{what}: {failure}"));
        }
        self.rows.push(row(subject, trial, &outcome));
        Ok(outcome.ok())
    }

    /// Replays the tests of a run natively: what was said of them at the end, and whether all were the same.
    pub fn replay(&mut self, run: &Exploration) -> Result<(String, bool)> {
        let ended = (self.runner).call(&["replay".into(), run.out.clone().into()], &[])?;
        let said = String::from_utf8_lossy(&ended.said);
        let last = said.lines().last().map(str::to_owned);
        let told = last.or(ended.complaint).unwrap_or_default();
        Ok((told, ended.status == Some(0)))
    }

    /// Measures variants of a run in turn, each once a round; the best run of each, and `None` if one of its runs
    /// failed.
    pub fn in_turn<'t>(
        &mut self,
        subject: &Subject,
        rounds: u32,
        variants: usize,
        trial: impl Fn(usize, u32) -> Trial<'t>,
    ) -> Result<Vec<Option<Exploration>>> {
        let mut best: Vec<Option<Exploration>> = (0..variants).map(|_| None).collect();
        let mut failed = vec![false; variants];
        for round in 0..rounds {
            for step in 0..variants {
                // Nobody is always the first, or always behind the slowest.
                let variant = (step + round as usize) % variants;
                // A second failure would tell nothing new.
                if failed[variant] {
                    continue;
                }
                match self.measure(subject, &trial(variant, round))? {
                    None => failed[variant] = true,
                    Some(run) => {
                        let best = &mut best[variant];
                        if best.as_ref().is_none_or(|best| run.is_better_than(best)) {
                            *best = Some(run);
                        }
                    }
                }
            }
        }
        let counted = best.into_iter().zip(failed);
        Ok(counted
            .map(|(best, failed)| best.filter(|_| !failed))
            .collect())
    }
}

fn read(out: &Path) -> std::result::Result<Exploration, String> {
    let text = |name: &str| {
        let path = out.join(name);
        fs::read_to_string(&path).map_err(|error| format!("no {name}: {error}"))
    };
    Exploration::read(&text("stats.json")?, &text("timeline.csv")?)
}

fn row(
    subject: &Subject,
    trial: &Trial,
    outcome: &std::result::Result<Exploration, String>,
) -> Row {
    let told = match outcome {
        Ok(_) => "ok",
        Err(failure) => failure,
    };
    let what = [
        ("experiment", json!(trial.experiment)),
        ("program", json!(subject.name)),
        ("variant", json!(trial.variant)),
        ("options", json!(trial.options)),
        ("round", json!(trial.round + 1)),
        ("outcome", json!(told)),
    ];
    let mut row: Row = what.map(|(name, value)| (name.to_owned(), value)).into();
    if let Ok(run) = outcome {
        row.extend(run.columns());
    }
    row
}
