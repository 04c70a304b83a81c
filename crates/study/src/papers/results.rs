//! What was measured: every number of every process, and the questions that tables and plots ask of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::Row;

use super::plan::Labels;

/// What is known of a process when it is over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// What its statistics say, by name (`solver.calls`), and `wall` and `cpu`, the seconds of the whole process.
    pub numbers: BTreeMap<String, f64>,
    /// How it went over time: columns of the same length.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timeline: BTreeMap<String, Vec<f64>>,
    /// Of a script: a letter for each answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answers: String,
}

/// What came of one step of one trial, in one round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub experiment: String,
    pub part: String,
    /// The trial's.
    pub key: String,
    pub labels: Vec<(String, String)>,
    pub step: String,
    pub round: u32,
    /// Its time may have been up.
    pub is_timed: bool,
    /// Or why there is nothing.
    pub outcome: Result<Measured, String>,
}

/// What has to be the same whenever the same is run without a limit on time.
const EXACT: [&str; 6] = [
    "paths.completed",
    "paths.error",
    "instructions",
    "queries.total",
    "solver.calls",
    "coverage.branches",
];

impl Measured {
    /// A number by its name; 0 if nothing of that name was counted.
    pub fn get(&self, name: &str) -> f64 {
        self.numbers.get(name).copied().unwrap_or(0.0)
    }

    /// Paths that have ended, however.
    pub fn paths(&self) -> f64 {
        self.get("paths.completed") + self.get("paths.error") + self.get("paths.killed")
    }

    pub fn queries(&self) -> f64 {
        self.get("queries.total")
    }

    pub fn calls(&self) -> f64 {
        self.get("solver.calls")
    }

    /// Seconds of exploring, or of answering.
    pub fn seconds(&self) -> f64 {
        match self.numbers.get("time.total") {
            Some(&total) => total,
            None => self.get("wall"),
        }
    }

    /// The share of queries that cost no call of the solver.
    pub fn hit_rate(&self) -> f64 {
        1.0 - self.calls() / self.queries().max(1.0)
    }

    /// A column of the timeline at a time: what was known by then.
    pub fn at(&self, seconds: f64, column: &str) -> f64 {
        let (Some(times), Some(values)) = (self.timeline.get("seconds"), self.timeline.get(column))
        else {
            return 0.0;
        };
        let known = times.partition_point(|&time| time <= seconds);
        known
            .checked_sub(1)
            .and_then(|last| values.get(last))
            .copied()
            .unwrap_or(0.0)
    }
}

impl Record {
    pub fn label(&self, dimension: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(name, _)| name == dimension);
        found.map(|(_, value)| value.as_str())
    }

    /// Everything by name; of a process that failed, only what it was.
    pub fn row(&self) -> Row {
        let text = |value: &str| serde_json::Value::from(value);
        let mut row: Row = vec![
            ("experiment".to_owned(), text(&self.experiment)),
            ("part".to_owned(), text(&self.part)),
            ("trial".to_owned(), text(&self.key)),
            ("step".to_owned(), text(&self.step)),
            ("round".to_owned(), (self.round + 1).into()),
        ];
        match &self.outcome {
            Err(failure) => row.push(("outcome".to_owned(), text(failure))),
            Ok(measured) => {
                row.push(("outcome".to_owned(), text("ok")));
                let numbers = measured.numbers.iter();
                row.extend(numbers.map(|(name, value)| (name.clone(), number(*value))));
            }
        }
        row
    }
}

/// Without a fraction where there is none.
fn number(value: f64) -> serde_json::Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return (value as i64).into();
    }
    value.into()
}

/// What was measured for one part of an experiment.
pub struct View<'a> {
    records: Vec<&'a Record>,
}

impl<'a> View<'a> {
    pub fn of(records: &'a [Record], experiment: &str, part: &str) -> View<'a> {
        let is_here = |record: &&Record| record.experiment == experiment && record.part == part;
        View {
            records: records.iter().filter(is_here).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The values of a dimension, in the order of the plan.
    pub fn values(&self, dimension: &str) -> Vec<&'a str> {
        let mut values = Vec::new();
        for value in self.records.iter().filter_map(|it| it.label(dimension)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// Every process with these labels.
    fn with(&self, labels: &[(&str, &str)]) -> impl Iterator<Item = &'a Record> {
        let all = |record: &&'a Record| {
            let mut labels = labels.iter();
            labels.all(|(name, value)| record.label(name) == Some(value))
        };
        self.records.iter().copied().filter(all)
    }

    /// The best round of the trial with these labels: the fastest, or of those that ran out of time the furthest. None
    /// if it failed.
    pub fn get(&self, labels: &[(&str, &str)]) -> Option<&'a Measured> {
        self.step(labels, None)
    }

    /// The same of one step of a trial.
    pub fn step(&self, labels: &[(&str, &str)], step: Option<&str>) -> Option<&'a Measured> {
        let mut best: Option<&Measured> = None;
        for record in self.with(labels) {
            if step.is_some_and(|step| record.step != step) {
                continue;
            }
            let run = record.outcome.as_ref().ok()?;
            if best.is_none_or(|best| is_better(run, best, record.is_timed)) {
                best = Some(run);
            }
        }
        best
    }

    /// All processes with these labels that went well.
    pub fn all(&self, labels: &[(&str, &str)]) -> Vec<&'a Measured> {
        let records = self.with(labels);
        records.filter_map(|it| it.outcome.as_ref().ok()).collect()
    }

    /// Which runs found other paths than those that differ from them in one dimension only, although nothing ended them
    /// early.
    pub fn disagreements(&self, among: &str) -> Vec<String> {
        let mut first: BTreeMap<String, [f64; 3]> = BTreeMap::new();
        let mut told = Vec::new();
        for record in self.records.iter().filter(|record| !record.is_timed) {
            let Ok(run) = &record.outcome else { continue };
            let others = record.labels.iter().filter(|(name, _)| name != among);
            let others: Vec<&str> = others.map(|(_, value)| value.as_str()).collect();
            let place = format!("{}, {}", others.join(", "), record.step);
            let ends = ["completed", "error", "killed"].map(|end| run.get(&format!("paths.{end}")));
            let before = *first.entry(place.clone()).or_insert(ends);
            if before != ends {
                let which = record.label(among).unwrap_or_default();
                told.push(format!(
                    "{place}: {ends:?} paths by {which}, {before:?} by others"
                ));
            }
        }
        told
    }

    /// Which rounds of the same count otherwise although nothing ended them early.
    pub fn unsteady(&self) -> Vec<String> {
        let mut first: BTreeMap<(&str, &str), &Measured> = BTreeMap::new();
        let mut told = Vec::new();
        for record in &self.records {
            let Ok(run) = &record.outcome else { continue };
            if record.is_timed {
                continue;
            }
            let place = (record.key.as_str(), record.step.as_str());
            let before = first.entry(place).or_insert(run);
            for name in EXACT {
                if before.get(name) != run.get(name) {
                    told.push(format!(
                        "{}, {}: {name} is {} in one round and {} in another",
                        record.key,
                        record.step,
                        before.get(name),
                        run.get(name)
                    ));
                }
            }
        }
        told
    }
}

fn is_better(run: &Measured, best: &Measured, is_timed: bool) -> bool {
    if is_timed && run.paths() != best.paths() {
        return run.paths() > best.paths();
    }
    run.seconds() < best.seconds()
}

/// Labels as they are written down.
pub fn written(labels: &Labels) -> Vec<(String, String)> {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    labels.iter().map(owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(preset: &str, round: u32, calls: f64, seconds: f64) -> Record {
        let numbers = [("solver.calls", calls), ("time.total", seconds)];
        Record {
            experiment: "e".to_owned(),
            part: "p".to_owned(),
            key: preset.to_owned(),
            labels: vec![("preset".to_owned(), preset.to_owned())],
            step: "run".to_owned(),
            round,
            is_timed: false,
            outcome: Ok(Measured {
                numbers: numbers.map(|(name, value)| (name.to_owned(), value)).into(),
                ..Measured::default()
            }),
        }
    }

    #[test]
    fn the_fastest_round_counts_and_all_rounds_must_agree() {
        let records = [
            record("full", 0, 3.0, 2.0),
            record("full", 1, 3.0, 1.0),
            record("green", 0, 5.0, 1.0),
            record("green", 1, 6.0, 2.0),
        ];
        assert!(
            View::of(&records, "e", "p")
                .disagreements("preset")
                .is_empty()
        );
        let view = View::of(&records, "e", "p");
        assert_eq!(view.values("preset"), ["full", "green"]);
        let full = view.get(&[("preset", "full")]).expect("measured");
        assert_eq!((full.calls(), full.seconds()), (3.0, 1.0));
        assert_eq!(view.get(&[("preset", "klee")]).map(Measured::calls), None);
        assert_eq!(
            view.unsteady(),
            ["green, run: solver.calls is 5 in one round and 6 in another"]
        );
        assert!(View::of(&records, "e", "other").is_empty());
    }

    #[test]
    fn all_presets_must_find_the_same_paths() {
        let mut records = [record("full", 0, 3.0, 2.0), record("green", 0, 3.0, 1.0)];
        if let Ok(run) = &mut records[1].outcome {
            run.numbers.insert("paths.error".to_owned(), 1.0);
        }
        let told = View::of(&records, "e", "p").disagreements("preset");
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("by green"), "{told:?}");
    }

    #[test]
    fn a_failure_in_one_round_is_no_result() {
        let mut records = [record("full", 0, 3.0, 2.0), record("full", 1, 3.0, 1.0)];
        records[0].outcome = Err("exit status 2".to_owned());
        let view = View::of(&records, "e", "p");
        assert!(view.get(&[("preset", "full")]).is_none());
        assert_eq!(view.all(&[]).len(), 1);
    }

    #[test]
    fn a_timeline_tells_what_was_known_when() {
        let columns = [("seconds", vec![0.5, 1.0]), ("paths", vec![3.0, 8.0])];
        let run = Measured {
            timeline: columns
                .map(|(name, values)| (name.to_owned(), values))
                .into(),
            ..Measured::default()
        };
        let paths = [0.4, 0.5, 0.9, 7.0].map(|time| run.at(time, "paths"));
        assert_eq!(paths, [0.0, 3.0, 3.0, 8.0]);
        assert_eq!(run.at(1.0, "dreams"), 0.0);
    }
}
