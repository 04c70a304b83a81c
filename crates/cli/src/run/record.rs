//! What all workers of a run keep together: tests, every error once, what was not explored, how it went over time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use refrain_explore::listener::Progress;
use refrain_explore::{Stats, resident_bytes};
use refrain_llvm::machine::{Coverage, Machine, Mark, Site};
use refrain_machine::{ErrorKind, Fault, Place};
use refrain_results::{Boundary, Cause, Outcome, OutputDirectory, Test, TestHandle, Timeline};

use super::status::{Standing, Status};
use crate::diagnostic::{Diagnostic, has_colours};

/// Which paths get a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    All,
    /// Those that reach new code, and the first of each site of an error.
    Covering,
    /// Those that end in an error.
    Errors,
}

/// How many paths ended how.
#[derive(Default)]
pub struct Counts {
    /// The program ended itself.
    pub completed: AtomicU64,
    pub errors: AtomicU64,
    /// Cut by a limit, or by something that the machine cannot do.
    pub killed: AtomicU64,
    /// Of no interest, as the program said.
    pub silent: AtomicU64,
    /// By a bug of ours.
    pub internal: AtomicU64,
}

impl Counts {
    pub fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }
}

pub struct Record {
    directory: OutputDirectory,
    status: Status,
    tests: TestHandle,
    pub which: Tests,
    pub args: Vec<Vec<u8>>,
    numbers: AtomicU32,
    written: AtomicU32,
    pub counts: Counts,
    /// A path without a test was the first to reach some code: the next path with an end stands for it.
    unclaimed: AtomicBool,
    has_failed: AtomicBool,
    shared: Mutex<Shared>,
}

/// An error is known by its kind, its message without numbers, and its place.
type ErrorSite = (ErrorKind, String, Option<Place>);

#[derive(Default)]
struct Shared {
    /// The number of each, and how often it was found.
    errors: HashMap<ErrorSite, (u32, u64)>,
    /// Assumptions that no input of a path satisfied, by their place in the code, with the first such path.
    impossible: BTreeMap<Site, Test>,
    /// Assumptions that some path satisfied.
    passed: BTreeSet<Site>,
    /// What was not explored: how many places, and some of them.
    boundaries: BTreeMap<Cause, (u64, Vec<String>)>,
    timeline: Option<Timeline>,
    /// By worker: the last that it told.
    told: Vec<(Stats, usize)>,
    failure: Option<String>,
    /// What any worker has covered.
    marks: BTreeSet<Mark>,
    coverage: Coverage,
}

/// How many places of a cause are listed.
const MOST_LISTED: usize = 1_000;

const COLUMNS: &[&str] = &[
    "seconds",
    "paths",
    "pending",
    "blocks",
    "branches",
    "instructions",
    "queries",
    "by_model",
    "by_reuse",
    "by_partial_solution",
    "by_solver",
    "memory_bytes",
];

impl Record {
    pub fn new(
        directory: OutputDirectory,
        tests: TestHandle,
        which: Tests,
        args: Vec<Vec<u8>>,
        workers: usize,
        status: Status,
    ) -> Result<Record, String> {
        let timeline = directory
            .timeline(COLUMNS)
            .map_err(|error| error.to_string())?;
        let shared = Shared {
            timeline: Some(timeline),
            told: vec![(Stats::default(), 0); workers],
            ..Shared::default()
        };
        Ok(Record {
            directory,
            status,
            tests,
            which,
            args,
            numbers: AtomicU32::new(0),
            written: AtomicU32::new(0),
            counts: Counts::default(),
            unclaimed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            shared: Mutex::new(shared),
        })
    }

    pub fn directory(&self) -> &OutputDirectory {
        &self.directory
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn tests_written(&self) -> u32 {
        self.written.load(Ordering::Relaxed)
    }

    /// How many different errors there are.
    pub fn errors(&self) -> usize {
        self.shared().errors.len()
    }

    /// What was not explored: why, and how many places.
    pub fn boundaries(&self) -> Vec<(Cause, u64)> {
        let shared = self.shared();
        let boundaries = shared.boundaries.iter();
        boundaries
            .map(|(cause, (count, _))| (cause.clone(), *count))
            .collect()
    }

    /// Whether a path came to an end, well or not.
    pub fn has_ended_paths(&self) -> bool {
        Counts::get(&self.counts.completed) > 0 || self.errors() > 0
    }

    fn fail(&self, error: impl ToString) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.shared().failure.get_or_insert(error.to_string());
    }

    /// Writes what is known only at the end; the first thing that could not be written.
    pub fn finish(&self, stats: &serde_json::Value) -> Result<(), String> {
        let boundaries: Vec<Boundary> = {
            let mut shared = self.shared();
            if let Some(failure) = shared.failure.take() {
                return Err(failure);
            }
            let boundaries = shared.boundaries.iter();
            boundaries
                .map(|(cause, (paths, places))| Boundary {
                    cause: cause.clone(),
                    paths: *paths,
                    places: places.clone(),
                })
                .collect()
        };
        let write = || {
            self.directory.write_boundary(&boundaries)?;
            self.directory.write_stats(stats)
        };
        write().map_err(|error| error.to_string())
    }

    pub fn next_test(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Code that ran first on a path which gets no test.
    pub fn leave_unclaimed(&self, is_new: bool) {
        self.unclaimed.fetch_or(is_new, Ordering::Relaxed);
    }

    /// Whether a path is to stand for code that ran first on it, or on paths that got no test.
    pub fn claim(&self, is_new: bool) -> bool {
        is_new | self.unclaimed.swap(false, Ordering::Relaxed)
    }

    /// Keeps a test, and tells of its error if it is the first of its site; whether that was possible.
    pub fn keep(&self, test: Test, new_site: Option<u32>) -> bool {
        if let (Outcome::Error(fault), Some(number)) = (&test.outcome, new_site) {
            self.found(fault, &test, number);
        }
        let is_kept = self.tests.write(test) && !self.has_failed.load(Ordering::Relaxed);
        if is_kept {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        is_kept
    }

    /// Counts an error. The number of its site, if it is the first there.
    pub fn new_site(&self, fault: &Fault) -> Option<u32> {
        // Numbers in a message are those of one input.
        let words = fault.message.replace(|c: char| c.is_ascii_digit(), "");
        let site = (fault.kind, words, fault.place().cloned());
        let mut shared = self.shared();
        let next = shared.errors.len() as u32 + 1;
        let (number, times) = shared.errors.entry(site).or_insert((next, 0));
        *times += 1;
        (*times == 1).then_some(*number)
    }

    /// Tells and keeps the first error of a site.
    fn found(&self, fault: &Fault, test: &Test, site: u32) {
        let diagnostic = |directory: &dyn std::fmt::Display| {
            let number = test.number;
            Diagnostic {
                fault,
                inputs: &test.inputs,
                test: Some((
                    number,
                    format!("refrain replay {directory} --test {number}"),
                )),
            }
        };
        let here = self.directory.path().display();
        self.status
            .show_above(&diagnostic(&here).render(has_colours()));
        // What is written is the same wherever it is written to.
        let written = self
            .directory
            .write_error(site, &diagnostic(&"DIR").render(false));
        if let Err(error) = written {
            self.fail(error);
        }
    }

    /// No input of a path satisfies what the program assumes. Another path may: whether it is an error is known at the
    /// end of the run.
    pub fn note_impossible(&self, site: Site, test: Test) {
        self.shared().impossible.entry(site).or_insert(test);
    }

    /// Tells of the assumptions that no path satisfied, if everything was explored.
    pub fn judge_assumptions(&self) {
        let impossible: Vec<Test> = {
            let mut shared = self.shared();
            if !shared.boundaries.is_empty() {
                return;
            }
            let passed = std::mem::take(&mut shared.passed);
            let impossible = std::mem::take(&mut shared.impossible).into_iter();
            let never = impossible.filter(|(site, _)| !passed.contains(site));
            never.map(|(_, test)| test).collect()
        };
        for mut test in impossible {
            test.number = self.next_test();
            Counts::add(&self.counts.errors);
            let site = match &test.outcome {
                Outcome::Error(fault) => self.new_site(fault),
                _ => None,
            };
            self.keep(test, site);
        }
    }

    pub fn note_boundary(&self, cause: &Cause, place: impl FnOnce() -> String) {
        let mut shared = self.shared();
        let (count, places) = shared.boundaries.entry(cause.clone()).or_default();
        *count += 1;
        if places.len() < MOST_LISTED {
            places.push(place());
        }
    }

    /// Notes how far a worker is, and lets it know what the others have covered.
    pub fn note_progress(&self, worker: usize, machine: &mut Machine, progress: &Progress<'_>) {
        let mut shared = self.shared();
        shared.told[worker] = (progress.stats.clone(), progress.pending);
        shared.marks.extend(machine.marks());
        shared.passed.extend(machine.passed_assumptions());
        if shared.told.len() > 1 {
            let marks: Vec<Mark> = shared.marks.iter().copied().collect();
            machine.cover(&marks);
        }
        shared.coverage = machine.coverage();
    }

    /// A line of the table, of all workers together.
    pub fn tell(&self, elapsed: Duration) {
        let mut shared = self.shared();
        let coverage = shared.coverage;
        let mut all = Stats::default();
        let mut pending = 0;
        for (stats, waiting) in &shared.told {
            all.add(stats);
            pending += waiting;
        }
        let asked: u64 = all.effort.answered_by.iter().map(|(_, count)| count).sum();
        let solved = all.effort.solver.checks;
        self.status.update(&Standing {
            paths: all.paths,
            pending,
            branches: coverage.branches,
            queries: asked + all.by_model,
            solved,
            bytes: resident_bytes(),
        });
        let seconds = format!("{:.3}", elapsed.as_secs_f64());
        let line: [&dyn std::fmt::Display; 12] = [
            &seconds,
            &all.paths,
            &pending,
            &coverage.blocks.0,
            &coverage.branches.0,
            &all.instructions,
            &(asked + all.by_model),
            &all.by_model,
            &asked.saturating_sub(solved),
            &all.by_partial_solution,
            &solved,
            &resident_bytes(),
        ];
        if let Some(timeline) = &mut shared.timeline
            && let Err(error) = timeline.append(&line)
        {
            shared.timeline = None;
            drop(shared);
            self.fail(error);
        }
    }

    /// Nothing is shown any more.
    pub fn end_status(&self) {
        self.status.clear();
    }

    pub fn coverage(&self) -> Coverage {
        self.shared().coverage
    }
}
