//! Runs plans: a process for each step, one after the other, and everything that is known of it afterwards.
//!
//! The runner knows the commands of `refrain` and nothing of any experiment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Watch;
use crate::error::{Result, at};
use crate::process::{Ended, Runner};

use super::journal::Journal;
use super::klee;
use super::peer::{KLEE, Peer};
use super::plan::{Action, Step, Trial};
use super::results::{Measured, Record, written};

/// The most points of a timeline that are kept.
const MOST_POINTS: usize = 240;

pub struct Laboratory<'a> {
    pub runner: Runner,
    pub scratch: PathBuf,
    pub seed: u64,
    pub journal: Journal,
    pub watch: &'a mut dyn Watch,
    pub problems: Vec<String>,
    pub folders: u64,
}

impl Laboratory<'_> {
    /// Makes all trials of a part that were not made yet, round by round: runs that are compared take turns.
    pub fn perform(&mut self, experiment: &str, part: &str, plan: &[Trial]) -> Result<()> {
        let rounds = plan.iter().map(|trial| trial.rounds).max().unwrap_or(0);
        let all: u32 = plan.iter().map(|trial| trial.rounds).sum();
        let mut number = 0;
        for round in 0..rounds {
            for trial in plan.iter().filter(|trial| round < trial.rounds) {
                number += 1;
                let key = trial.key();
                if self.journal.has(experiment, part, &key, round) {
                    continue;
                }
                let names: Vec<&str> = trial.labels.iter().map(|(_, value)| value).collect();
                let names = names.join(", ");
                self.watch
                    .progress(&format!("{experiment} {part}: {names} ({number} of {all})"));
                let outcomes = self.trial(trial)?;
                let mut records = Vec::new();
                for (step, outcome) in trial.steps.iter().zip(outcomes) {
                    if let Err(failure) = &outcome {
                        self.problem(format!(
                            "{experiment} {part}: {names}, {}: {failure}",
                            step.name
                        ));
                    }
                    records.push(Record {
                        experiment: experiment.to_owned(),
                        part: part.to_owned(),
                        key: key.clone(),
                        labels: written(&trial.labels),
                        step: step.name.to_owned(),
                        round,
                        is_timed: step.is_timed,
                        outcome,
                    });
                }
                self.journal.keep(records)?;
            }
        }
        Ok(())
    }

    /// Reports what went wrong.
    pub fn problem(&mut self, what: String) {
        self.watch.problem(&what);
        self.problems.push(what);
    }

    /// The steps of a trial, until one fails.
    fn trial(&mut self, trial: &Trial) -> Result<Vec<std::result::Result<Measured, String>>> {
        self.folders += 1;
        let folder = self.scratch.join(format!("trial-{}", self.folders));
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let mut outcomes = Vec::new();
        let mut outs: Vec<PathBuf> = Vec::new();
        for (index, step) in trial.steps.iter().enumerate() {
            let place = Place {
                folder: &folder,
                own: folder.join(format!("step-{index}")),
                outs: &outs,
            };
            fs::create_dir_all(&place.own).map_err(at(&place.own))?;
            let (outcome, out) = self.step(step, &place)?;
            let has_failed = outcome.is_err();
            outcomes.push(outcome);
            outs.push(out);
            if has_failed {
                break;
            }
        }
        // The folder around it goes at the end anyway.
        let _ = fs::remove_dir_all(&folder);
        Ok(outcomes)
    }

    /// One process: what is known of it, and where its results are.
    fn step(
        &mut self,
        step: &Step,
        place: &Place,
    ) -> Result<(std::result::Result<Measured, String>, PathBuf)> {
        let subject = step.subject.place(&place.own)?;
        let out = match step.action {
            Action::Deepen(from) => place.outs[from].clone(),
            _ => place.own.join("out"),
        };
        let stats = place.own.join("stats.json");
        let options = step.options.split_whitespace();
        let options = options.chain(step.subject.flags.split_whitespace());
        let options: Vec<OsString> = options.map(OsString::from).collect();
        let seed = self.seed.to_string();
        let mut arguments: Vec<OsString> = Vec::new();
        match &step.action {
            Action::Other(peer) if peer.name == KLEE => {
                let found = klee::explore(&self.runner, peer, &subject, &options, &place.own)?;
                return Ok((found, out));
            }
            Action::Other(peer) => {
                return Ok((self.answer(peer, &subject, &options)?, out));
            }
            Action::Smt => {
                arguments.push("smt".into());
                arguments.extend(options);
                arguments.extend(["--store", "none", "--stats"].map(OsString::from));
                arguments.extend([stats.clone().into(), "--".into(), subject.into()]);
                let ended = self.runner.call(&arguments, &[])?;
                return Ok((answered(&ended, &stats), out));
            }
            Action::Deepen(_) => arguments.extend(["deepen".into(), out.clone().into()]),
            Action::Diff(from) => {
                arguments.extend(["diff".into(), place.outs[*from].clone().into()]);
            }
            Action::Run { .. } => arguments.push("run".into()),
        }
        arguments.extend(["--seed".into(), seed.into()]);
        arguments.extend(options);
        let store = match step.action {
            Action::Run { with_store: true } => place.folder.join("store").into(),
            _ => OsString::from("none"),
        };
        arguments.extend(["--store".into(), store]);
        if !matches!(step.action, Action::Deepen(_)) {
            if let Some(input) = step.subject.place_seed(&place.own)? {
                arguments.extend(["--input".into(), input.into()]);
            }
            arguments.extend(["--out".into(), out.clone().into(), subject.into()]);
        }
        let ended = self.runner.call(&arguments, &[])?;
        Ok((explored(&ended, &out), out))
    }

    /// Another solver on a script.
    fn answer(
        &self,
        peer: &Peer,
        script: &Path,
        options: &[OsString],
    ) -> Result<std::result::Result<Measured, String>> {
        let mut arguments: Vec<OsString> = peer.arguments.iter().map(OsString::from).collect();
        arguments.extend_from_slice(options);
        arguments.push(script.into());
        let ended = self.runner.call_other(&peer.program, &arguments)?;
        Ok(match ended.status {
            Some(0) => Ok(measured(&ended, BTreeMap::new())),
            _ => Err(failure(&ended)),
        })
    }
}

/// Where a step finds and leaves its files.
struct Place<'a> {
    /// The trial's.
    folder: &'a Path,
    own: PathBuf,
    /// Where the results of the steps before are.
    outs: &'a [PathBuf],
}

/// Why a process is worth nothing.
pub fn failure(ended: &Ended) -> String {
    let status = match ended.status {
        Some(status) => format!("exit status {status}"),
        None => "ended by a signal".to_owned(),
    };
    match &ended.complaint {
        Some(complaint) => format!("{status}: {complaint}"),
        None => status,
    }
}

/// What a script was answered with.
fn answered(ended: &Ended, stats: &Path) -> std::result::Result<Measured, String> {
    if ended.status != Some(0) {
        return Err(failure(ended));
    }
    Ok(measured(ended, read_stats(stats)?))
}

/// What exploring came to.
fn explored(ended: &Ended, out: &Path) -> std::result::Result<Measured, String> {
    // That the program is wrong is what exploring is for; a bound may leave no path that has ended.
    if !matches!(ended.status, Some(0 | 1 | 3)) {
        return Err(failure(ended));
    }
    let mut measured = measured(ended, read_stats(&out.join("stats.json"))?);
    let path = out.join("timeline.csv");
    let text = fs::read_to_string(&path).map_err(|error| format!("no timeline: {error}"))?;
    measured.timeline = timeline(&text, &measured)?;
    measured.answers.clear();
    Ok(measured)
}

pub fn measured(ended: &Ended, mut numbers: BTreeMap<String, f64>) -> Measured {
    numbers.insert("wall".to_owned(), ended.wall);
    numbers.insert("cpu".to_owned(), ended.cpu);
    Measured {
        numbers,
        timeline: BTreeMap::new(),
        answers: answers(&ended.said),
    }
}

/// A letter for each line that is an answer.
fn answers(said: &[u8]) -> String {
    let letter = |line: &[u8]| match line {
        b"sat" => Some('s'),
        b"unsat" => Some('u'),
        b"unknown" => Some('?'),
        _ => None,
    };
    said.split(|&byte| byte == b'\n')
        .filter_map(letter)
        .collect()
}

/// All numbers of a statistics file, by where they are in it.
fn read_stats(path: &Path) -> std::result::Result<BTreeMap<String, f64>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("no statistics: {error}"))?;
    let stats: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut numbers = BTreeMap::new();
    let mut rest = vec![(String::new(), &stats)];
    while let Some((name, value)) = rest.pop() {
        let below = |key: &str| match name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        };
        match value {
            Value::Object(object) => {
                rest.extend(object.iter().map(|(key, value)| (below(key), value)));
            }
            Value::Number(number) => {
                numbers.insert(name, number.as_f64().unwrap_or(0.0));
            }
            _ => {}
        }
    }
    Ok(numbers)
}

/// What timelines are asked for.
const COLUMNS: [&str; 5] = ["seconds", "paths", "blocks", "branches", "by_solver"];

/// Reads `timeline.csv`, which does not know how the run ended.
fn timeline(csv: &str, end: &Measured) -> std::result::Result<BTreeMap<String, Vec<f64>>, String> {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut places = Vec::new();
    for name in COLUMNS {
        let place = head.iter().position(|column| *column == name);
        places.push(place.ok_or_else(|| format!("no column {name} in timeline.csv"))?);
    }
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: &usize| cells.get(*place)?.parse::<f64>().ok();
        let row: Option<Vec<f64>> = places.iter().map(number).collect();
        let row = row.ok_or_else(|| format!("not a line of timeline.csv: {line}"))?;
        if row[0] < end.seconds() {
            rows.push(row);
        }
    }
    let every = rows.len().div_ceil(MOST_POINTS).max(1);
    let mut kept: Vec<Vec<f64>> = rows.into_iter().step_by(every).collect();
    kept.push(vec![
        end.seconds(),
        end.paths(),
        end.get("coverage.blocks"),
        end.get("coverage.branches"),
        end.get("queries.answered_by.solver"),
    ]);
    let column = |(place, name): (usize, &&str)| {
        let values = kept.iter().map(|row| row[place]).collect();
        ((*name).to_owned(), values)
    };
    Ok(COLUMNS.iter().enumerate().map(column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_ends_where_the_run_did() {
        let numbers = [("time.total", 1.25), ("paths.completed", 40.0)];
        let end = Measured {
            numbers: numbers.map(|(name, value)| (name.to_owned(), value)).into(),
            ..Measured::default()
        };
        let csv = "seconds,paths,pending,blocks,branches,by_solver\n0.5,10,3,2,4,2\n1.0,30,2,3,6,5\n1.5,0,0,0,0,0\n";
        let found = timeline(csv, &end).expect("whole");
        assert_eq!(found["seconds"], [0.5, 1.0, 1.25]);
        assert_eq!(found["paths"], [10.0, 30.0, 40.0]);
        assert!(timeline("seconds,paths\n", &end).is_err());
        assert!(timeline(&format!("{csv}1.0,x\n"), &end).is_err());
        let long: String = (0..10_000)
            .map(|i| format!("{},1,1,1,1,1\n", i as f64 / 1e4))
            .collect();
        let long = format!("seconds,paths,x,blocks,branches,by_solver\n{long}");
        assert!(timeline(&long, &end).expect("whole")["paths"].len() <= MOST_POINTS + 1);
    }

    #[test]
    fn answers_stand_on_lines_of_their_own() {
        assert_eq!(
            answers(b"sat\n; unsat\nunsat\n(error \"sat\")\nunknown\n"),
            "su?"
        );
    }

    #[test]
    fn statistics_are_known_by_where_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats.json");
        fs::write(&path, r#"{"a":{"b":2,"c":"x"},"d":1.5}"#).expect("room");
        let read = read_stats(&path).expect("JSON");
        assert_eq!(read.len(), 2);
        assert_eq!((read["a.b"], read["d"]), (2.0, 1.5));
        fs::write(&path, "{").expect("room");
        assert!(read_stats(&path).is_err());
    }
}
