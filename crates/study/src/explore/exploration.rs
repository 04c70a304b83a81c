//! What is known of a run of `refrain run` when it is over.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::timeline::{Point, Timeline};

#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Its folder, with tests and timeline.
    pub out: PathBuf,
    pub completed: u64,
    pub errors: u64,
    pub killed: u64,
    /// Paths of a run before that were not executed again.
    pub kept: u64,
    /// Places in the program where something is wrong.
    pub sites: u64,
    pub boundaries: u64,
    pub dropped: u64,
    pub evicted: u64,
    pub executed_again: u64,
    pub instructions: u64,
    /// Questions of the program, known ones among them.
    pub questions: u64,
    pub blocks: u64,
    pub branches: u64,
    pub queries: u64,
    pub calls: u64,
    /// Ways that partial solutions turned out to take.
    pub by_partial_solution: u64,
    /// Questions that known solutions answered, partial ones among them.
    pub by_quick_test: u64,
    /// Partial solutions that the solver gave.
    pub collected: u64,
    pub tried: u64,
    /// Seconds of exploring, as the run itself has measured them.
    pub total: f64,
    pub execute: f64,
    pub build: f64,
    pub lookup: f64,
    pub solve: f64,
    /// Seconds from the start of the process to its end, compiling and all files included.
    pub wall: f64,
    /// Seconds that processors worked for it.
    pub cpu: f64,
    pub peak_bytes: u64,
    pub timeline: Timeline,
}

impl Exploration {
    /// Reads what a run has counted; says what is missing.
    pub fn read(stats: &str, timeline: &str) -> Result<Exploration, String> {
        let stats: Value = serde_json::from_str(stats).map_err(|error| error.to_string())?;
        let count = |path: &str| {
            let found = stats.pointer(path).and_then(Value::as_u64);
            found.ok_or_else(|| format!("no number at {path}"))
        };
        let seconds = |path: &str| {
            let found = stats.pointer(path).and_then(Value::as_f64);
            found.ok_or_else(|| format!("no number at {path}"))
        };
        let mut read = Exploration {
            completed: count("/paths/completed")?,
            errors: count("/paths/error")?,
            killed: count("/paths/killed")?,
            kept: count("/memo/paths_kept")?,
            sites: count("/explore/errors")?,
            boundaries: count("/explore/boundaries")?,
            dropped: count("/explore/dropped")?,
            evicted: count("/explore/evicted")?,
            executed_again: count("/explore/executed_again")?,
            instructions: count("/instructions")?,
            questions: count("/explore/branches")?,
            blocks: count("/coverage/blocks")?,
            branches: count("/coverage/branches")?,
            queries: count("/queries/total")?,
            calls: count("/solver/calls")?,
            by_partial_solution: count("/queries/answered_by/partial_solution")?,
            by_quick_test: count("/queries/answered_by/quick_test")?,
            collected: count("/solver/partial_solutions")?,
            tried: count("/explore/partial_solutions_tried")?,
            total: seconds("/time/total")?,
            execute: seconds("/time/execute")?,
            build: seconds("/time/build")?,
            lookup: seconds("/time/lookup")?,
            solve: seconds("/time/solve")?,
            peak_bytes: count("/memory/peak_bytes")?,
            ..Exploration::default()
        };
        let end = Point {
            seconds: read.total,
            paths: read.paths(),
            branches: read.branches,
            calls: read.calls,
        };
        read.timeline = Timeline::read(timeline, end)?;
        Ok(read)
    }

    /// Paths that have ended, however.
    pub fn paths(&self) -> u64 {
        self.completed + self.errors + self.killed
    }

    /// Whether everything was explored.
    pub fn is_complete(&self) -> bool {
        self.boundaries == 0 && self.killed == 0
    }

    pub fn paths_a_second(&self) -> f64 {
        self.paths() as f64 / self.total.max(1e-9)
    }

    /// Whether it got further than another run of the same, or as far in less time.
    pub fn is_better_than(&self, other: &Exploration) -> bool {
        match (self.is_complete(), other.is_complete()) {
            (true, true) => self.total < other.total,
            (false, false) if self.paths() != other.paths() => self.paths() > other.paths(),
            (false, false) => self.total < other.total,
            (complete, _) => complete,
        }
    }

    /// All numbers by name.
    pub fn columns(&self) -> Vec<(String, Value)> {
        let columns = [
            ("paths", json!(self.paths())),
            ("completed", json!(self.completed)),
            ("errors", json!(self.errors)),
            ("killed", json!(self.killed)),
            ("kept", json!(self.kept)),
            ("sites", json!(self.sites)),
            ("boundaries", json!(self.boundaries)),
            ("dropped", json!(self.dropped)),
            ("evicted", json!(self.evicted)),
            ("executed_again", json!(self.executed_again)),
            ("instructions", json!(self.instructions)),
            ("questions", json!(self.questions)),
            ("blocks", json!(self.blocks)),
            ("branches", json!(self.branches)),
            ("queries", json!(self.queries)),
            ("calls", json!(self.calls)),
            ("by_partial_solution", json!(self.by_partial_solution)),
            ("by_quick_test", json!(self.by_quick_test)),
            ("partial_solutions", json!(self.collected)),
            ("partial_solutions_tried", json!(self.tried)),
            ("total_s", json!(self.total)),
            ("execute_s", json!(self.execute)),
            ("build_s", json!(self.build)),
            ("lookup_s", json!(self.lookup)),
            ("solve_s", json!(self.solve)),
            ("wall_s", json!(self.wall)),
            ("cpu_s", json!(self.cpu)),
            ("peak_bytes", json!(self.peak_bytes)),
        ];
        columns.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(complete: bool, paths: u64, total: f64) -> Exploration {
        Exploration {
            completed: paths,
            boundaries: u64::from(!complete),
            total,
            ..Exploration::default()
        }
    }

    #[test]
    fn the_better_run_is_complete_or_further_or_faster() {
        assert!(run(true, 5, 9.0).is_better_than(&run(false, 9, 1.0)));
        assert!(run(true, 5, 1.0).is_better_than(&run(true, 5, 2.0)));
        assert!(run(false, 6, 2.0).is_better_than(&run(false, 5, 1.0)));
        assert!(!run(false, 5, 2.0).is_better_than(&run(false, 5, 1.0)));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Exploration::read("{\"paths\":{\"completed\":1}}", "").expect_err("incomplete");
        assert_eq!(error, "no number at /paths/error");
    }
}
