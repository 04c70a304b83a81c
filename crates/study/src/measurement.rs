//! What a run tells about itself in its statistics file.

use serde_json::{Map, Value, json};

/// The numbers of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    pub checks: u64,
    /// What answered how many checks, the solver left out; in the order of the layers.
    pub answered_by: Vec<(String, u64)>,
    pub answered_by_solver: u64,
    /// How often the solver was asked, which can be more than once a check.
    pub calls: u64,
    pub partial_solutions: u64,
    /// Seconds, as the run itself has measured them.
    pub total: f64,
    pub build: f64,
    pub lookup: f64,
    pub solve: f64,
    pub store: f64,
    /// Seconds from the start of the process to its end.
    pub wall: f64,
    pub store_hits: Option<u64>,
    pub entries_written: Option<u64>,
    pub peak_bytes: u64,
}

/// The sources of answers in the order of the chain. Others come behind them.
const ORDER: &[&str] = &[
    "fold",
    "model",
    "reduce",
    "exact",
    "subset",
    "superset",
    "implied_sat",
    "implied_unsat",
    "quick_test",
    "memo",
];

impl Measurement {
    /// Reads a statistics file; says what it lacks.
    pub fn read(text: &str, wall: f64) -> Result<Measurement, String> {
        let stats: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let count = |path: &str| {
            let found = stats.pointer(path).and_then(Value::as_u64);
            found.ok_or_else(|| format!("no number at {path}"))
        };
        let seconds = |path: &str| {
            let found = stats.pointer(path).and_then(Value::as_f64);
            found.ok_or_else(|| format!("no number at {path}"))
        };
        let sources = stats
            .pointer("/queries/answered_by")
            .and_then(Value::as_object)
            .ok_or("no object at /queries/answered_by")?;
        Ok(Measurement {
            checks: count("/queries/total")?,
            answered_by: in_order(sources),
            answered_by_solver: sources.get("solver").and_then(Value::as_u64).unwrap_or(0),
            calls: count("/solver/calls")?,
            partial_solutions: count("/solver/partial_solutions")?,
            total: seconds("/time/total")?,
            build: seconds("/time/build")?,
            lookup: seconds("/time/lookup")?,
            solve: seconds("/time/solve")?,
            store: seconds("/time/store")?,
            wall,
            store_hits: count("/store/hits").ok(),
            entries_written: count("/store/entries_written").ok(),
            peak_bytes: count("/memory/peak_bytes").unwrap_or(0),
        })
    }

    /// The share of checks that cost no call of the solver.
    pub fn hit_rate(&self) -> f64 {
        1.0 - self.calls as f64 / self.checks.max(1) as f64
    }

    /// The sources that answered anything, as tables show them.
    pub fn hits(&self) -> String {
        let found = self.answered_by.iter().filter(|(_, count)| *count > 0);
        let shown: Vec<String> = found
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        if shown.is_empty() {
            crate::figures::NOTHING.to_owned()
        } else {
            shown.join(", ")
        }
    }

    /// How many checks a source answered.
    pub fn answered(&self, source: &str) -> u64 {
        let found = self.answered_by.iter().find(|(name, _)| name == source);
        found.map_or(0, |(_, count)| *count)
    }

    /// All numbers by name, in the order of columns.
    pub fn columns(&self) -> Vec<(String, Value)> {
        let mut columns = vec![("checks".to_owned(), json!(self.checks))];
        for (name, count) in &self.answered_by {
            columns.push((format!("by_{name}"), json!(count)));
        }
        let rest = [
            ("by_solver", json!(self.answered_by_solver)),
            ("calls", json!(self.calls)),
            ("partial_solutions", json!(self.partial_solutions)),
            ("total_s", json!(self.total)),
            ("build_s", json!(self.build)),
            ("lookup_s", json!(self.lookup)),
            ("solve_s", json!(self.solve)),
            ("store_s", json!(self.store)),
            ("wall_s", json!(self.wall)),
            ("store_hits", json!(self.store_hits)),
            ("entries_written", json!(self.entries_written)),
            ("peak_bytes", json!(self.peak_bytes)),
        ];
        columns.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        columns
    }
}

fn in_order(sources: &Map<String, Value>) -> Vec<(String, u64)> {
    let known = ORDER.iter().filter(|name| sources.contains_key(**name));
    let mut names: Vec<&str> = known.copied().collect();
    let others = sources.keys().map(String::as_str);
    names.extend(others.filter(|name| !ORDER.contains(name) && *name != "solver"));
    let count = |name: &str| sources.get(name).and_then(Value::as_u64).unwrap_or(0);
    let counted = names.into_iter().map(|name| (name.to_owned(), count(name)));
    counted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats() -> Value {
        json!({
            "queries": { "total": 10, "answered_by": { "exact": 3, "dream": 1, "fold": 2, "model": 0, "solver": 4 } },
            "solver": { "calls": 5, "partial_solutions": 0 },
            "time": { "total": 0.5, "build": 0.1, "lookup": 0.1, "solve": 0.2, "store": 0.0 },
        })
    }

    #[test]
    fn what_answered_is_shown_in_the_order_of_the_chain() {
        let read = Measurement::read(&stats().to_string(), 1.0).expect("complete");
        assert_eq!(read.hits(), "fold 2, exact 3, dream 1");
        assert_eq!((read.hit_rate(), read.answered("exact")), (0.5, 3));
        assert_eq!((read.store_hits, read.entries_written), (None, None));
    }

    #[test]
    fn the_store_is_read_where_there_is_one() {
        let mut stats = stats();
        stats["store"] = json!({ "hits": 7, "entries_written": 8 });
        let read = Measurement::read(&stats.to_string(), 1.0).expect("complete");
        assert_eq!((read.store_hits, read.entries_written), (Some(7), Some(8)));
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut stats = stats();
        stats["solver"] = Value::Null;
        let error = Measurement::read(&stats.to_string(), 1.0).expect_err("incomplete");
        assert_eq!(error, "no number at /solver/calls");
    }
}
