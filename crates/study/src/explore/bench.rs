//! The bench: explores programs in processes of their own, and keeps every number.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Watch;
use crate::error::{Result, StudyError};
use crate::process::Runner;
use crate::report::Row;
use crate::subject::Subject;
use crate::table::Table;

use super::exploration::Exploration;

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
        let experiment = trial.experiment;
        let what = format!("{experiment}: {}, {}", subject.name, trial.variant);
        self.watch
            .progress(&format!("{what}, round {}", trial.round + 1));
        self.runs += 1;
        let out = self.scratch.join(format!("out-{}", self.runs));
        let mut arguments: Vec<OsString> = vec!["run".into()];
        arguments.extend_from_slice(&self.common);
        arguments.extend(trial.options.split_whitespace().map(OsString::from));
        arguments.extend([
            "--store".into(),
            "none".into(),
            "--out".into(),
            out.clone().into(),
        ]);
        arguments.push(subject.place(&self.scratch)?.into());
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
