//! What is kept of an exploration: tests, every error once, what was left open, how it went over time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use refrain_explore::listener::{Decided, Left, Progress, StopReason};
use refrain_explore::{Decision, End, Listener, Path, Stats, Trail, resident_bytes};
use refrain_llvm::machine::{self, Coverage, Machine, Mark};
use refrain_machine::{ErrorKind, Fault, InputValue, Place};
use refrain_results::{Boundary, Cause, Outcome, OutputDirectory, Test, TestHandle, Timeline};
use refrain_term::{Evaluator, Sort};
use tracing::{debug, trace};

use super::report;
use super::status::{Standing, Status};
use crate::diagnostic::{Diagnostic, has_colours};
use crate::log;

/// Which paths get a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    All,
    /// Those that reach new code, and the first of each site of an error.
    Covering,
    /// Those that end in an error.
    Errors,
}

/// What all workers keep together.
pub struct Record {
    directory: OutputDirectory,
    status: Status,
    tests: TestHandle,
    which: Tests,
    args: Vec<Vec<u8>>,
    /// Over the integers, what a machine does may be something else.
    notes_overflow: bool,
    numbers: AtomicU32,
    written: AtomicU32,
    pub completed: AtomicU64,
    pub errors: AtomicU64,
    pub killed: AtomicU64,
    pub silent: AtomicU64,
    /// A path without a test was the first to reach some code: the next path with an end stands for it.
    unclaimed: AtomicBool,
    has_failed: AtomicBool,
    more: Mutex<More>,
}

#[derive(Default)]
struct More {
    /// By kind, message and place: its number and how often it was found.
    sites: HashMap<(ErrorKind, String, Option<Place>), (u32, u64)>,
    /// How many were left for a cause, and some of them.
    left: BTreeMap<Cause, (u64, Vec<String>)>,
    timeline: Option<Timeline>,
    /// By worker: the last that it told.
    told: Vec<(Stats, usize)>,
    failure: Option<String>,
    /// What any worker has covered.
    marks: BTreeSet<Mark>,
    coverage: Coverage,
}

/// How many places of a kind that were left open are listed.
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
        notes_overflow: bool,
        workers: usize,
        status: Status,
    ) -> Result<Record, String> {
        let timeline = directory
            .timeline(COLUMNS)
            .map_err(|error| error.to_string())?;
        let more = More {
            timeline: Some(timeline),
            told: vec![(Stats::default(), 0); workers],
            ..More::default()
        };
        Ok(Record {
            directory,
            status,
            tests,
            which,
            args,
            notes_overflow,
            numbers: AtomicU32::new(0),
            written: AtomicU32::new(0),
            completed: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            killed: AtomicU64::new(0),
            silent: AtomicU64::new(0),
            unclaimed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            more: Mutex::new(more),
        })
    }

    pub fn directory(&self) -> &OutputDirectory {
        &self.directory
    }

    fn more(&self) -> MutexGuard<'_, More> {
        self.more.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn tests_written(&self) -> u32 {
        self.written.load(Ordering::Relaxed)
    }

    /// How many different errors there are.
    pub fn sites(&self) -> usize {
        self.more().sites.len()
    }

    /// What the machine could not do, and on how many paths.
    pub fn unsupported(&self) -> Vec<(String, u64)> {
        self.causes(|cause| matches!(cause, Cause::Unsupported(_)))
    }

    /// Why places were left open, and how many.
    pub fn left(&self) -> Vec<(String, u64)> {
        self.causes(|cause| !matches!(cause, Cause::Unsupported(_)))
    }

    fn causes(&self, is_wanted: fn(&Cause) -> bool) -> Vec<(String, u64)> {
        let more = self.more();
        let left = more.left.iter().filter(|(cause, _)| is_wanted(cause));
        left.map(|(cause, (count, _))| (cause.to_string(), *count))
            .collect()
    }

    fn fail(&self, error: impl ToString) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.more().failure.get_or_insert(error.to_string());
    }

    /// Writes what is known only at the end; the first thing that could not be written.
    pub fn finish(&self, stats: &serde_json::Value) -> Result<(), String> {
        let boundary: Vec<Boundary> = {
            let mut more = self.more();
            if let Some(failure) = more.failure.take() {
                return Err(failure);
            }
            let left = more.left.iter();
            left.map(|(cause, (paths, places))| Boundary {
                cause: cause.clone(),
                paths: *paths,
                places: places.clone(),
            })
            .collect()
        };
        let write = || {
            self.directory.write_boundary(&boundary)?;
            self.directory.write_stats(stats)
        };
        write().map_err(|error| error.to_string())
    }

    /// Counts an error. The number of its site, if it is the first there.
    fn new_site(&self, fault: &Fault) -> Option<u32> {
        // Numbers in a message are those of one input.
        let words = fault.message.replace(|c: char| c.is_ascii_digit(), "");
        let key = (fault.kind, words, fault.place().cloned());
        let mut more = self.more();
        let next = more.sites.len() as u32 + 1;
        let (number, times) = more.sites.entry(key).or_insert((next, 0));
        *times += 1;
        (*times == 1).then_some(*number)
    }

    /// Tells and keeps the first error of a site.
    fn found(&self, fault: &Fault, inputs: &[InputValue], test: u32, number: u32) {
        let diagnostic = |directory: &dyn std::fmt::Display| Diagnostic {
            fault,
            inputs,
            test: Some((test, format!("refrain replay {directory} --test {test}"))),
        };
        let here = self.directory.path().display();
        self.status
            .show_above(&diagnostic(&here).render(has_colours()));
        // What is written is the same wherever it is written to.
        let written = self
            .directory
            .write_error(number, &diagnostic(&"DIR").render(false));
        if let Err(error) = written {
            self.fail(error);
        }
    }

    /// A line of the table, of all workers together.
    fn tell(&self, elapsed: Duration) {
        let mut more = self.more();
        let coverage = more.coverage;
        let mut all = Stats::default();
        let mut pending = 0;
        for (stats, waiting) in &more.told {
            all.add(stats);
            pending += waiting;
        }
        let asked: u64 = all.effort.answered_by.iter().map(|(_, count)| count).sum();
        let solved = all.effort.solver.checks;
        self.status.update(&Standing {
            paths: all.paths,
            pending,
            branches: coverage.branches,
            questions: asked + all.by_model,
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
        if let Some(timeline) = &mut more.timeline
            && let Err(error) = timeline.append(&line)
        {
            more.timeline = None;
            drop(more);
            self.fail(error);
        }
    }

    /// Notes how far a worker is, and lets it know what the others have covered.
    fn note(&self, worker: usize, machine: &mut Machine, progress: &Progress<'_>) {
        let mut more = self.more();
        more.told[worker] = (progress.stats.clone(), progress.pending);
        more.marks.extend(machine.marks());
        if more.told.len() > 1 {
            let marks: Vec<Mark> = more.marks.iter().copied().collect();
            machine.cover(&marks);
        }
        more.coverage = machine.coverage();
    }

    /// Nothing is shown any more.
    pub fn end_status(&self) {
        self.status.clear();
    }

    pub fn coverage(&self) -> Coverage {
        self.more().coverage
    }
}

/// What every report over the integers says.
const NO_OVERFLOW: &str = "over mathematical integers: overflow is not modelled";

/// One worker's listener.
pub struct Recorder<'a> {
    pub record: &'a Record,
    pub worker: usize,
}

impl Listener<Machine> for Recorder<'_> {
    fn decided(&mut self, decided: &Decided<'_>) {
        trace!(
            target: log::QUESTIONS,
            worker = self.worker,
            place = format_args!("{:016x}", decided.place.0),
            way = ?decided.decision,
            how = ?decided.how,
        );
    }

    fn end(&mut self, mut path: Path<'_, Machine>) -> ControlFlow<()> {
        let record = self.record;
        debug!(
            target: log::PATHS,
            worker = self.worker,
            branches = path.trail.branches(),
            instructions = path.state.instructions,
            is_new = path.is_new,
            end = ?path.end,
        );
        let count = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
        let outcome = match path.end {
            End::Machine(machine::End::Exit(status)) => {
                count(&record.completed);
                Outcome::exit(*status)
            }
            End::Machine(machine::End::Silent) => {
                count(&record.silent);
                record.unclaimed.fetch_or(path.is_new, Ordering::Relaxed);
                return ControlFlow::Continue(());
            }
            End::Machine(machine::End::Error(error)) => {
                count(&record.errors);
                let mut fault = report::fault(error);
                if record.notes_overflow {
                    fault.notes.push(NO_OVERFLOW.into());
                }
                Outcome::Error(fault)
            }
            End::Machine(machine::End::Unsupported(what)) => {
                count(&record.killed);
                let place = what.trace.iter().find(|place| place.line > 0);
                let place = place.map_or(String::new(), |place| {
                    format!(" at {}:{}", place.file, place.line)
                });
                let cause = Cause::Unsupported(format!("{}{place}", what.what));
                self.leave(path.trail, cause.clone());
                Outcome::Unfinished(cause)
            }
            other => {
                count(&record.killed);
                let cause = match other {
                    End::TooLong => Cause::Instructions,
                    End::TooDeep => Cause::Depth,
                    End::TooLarge => Cause::Memory,
                    End::Inexpressible(what) => Cause::Inexpressible(what.to_string()),
                    End::Machine(other) => Cause::Internal(format!("{other:?}")),
                };
                self.leave(path.trail, cause.clone());
                Outcome::Unfinished(cause)
            }
        };
        let site = match &outcome {
            Outcome::Error(fault) => record.new_site(fault),
            _ => None,
        };
        let is_new = path.is_new | record.unclaimed.swap(false, Ordering::Relaxed);
        let wanted = match record.which {
            Tests::All => true,
            Tests::Covering => is_new || site.is_some(),
            Tests::Errors => matches!(outcome, Outcome::Error(_)),
        };
        if !wanted {
            return ControlFlow::Continue(());
        }
        let number = record.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        let test = test(&mut path, number, outcome, &record.args);
        if let (Outcome::Error(fault), Some(site)) = (&test.outcome, site) {
            record.found(fault, &test.inputs, number, site);
        }
        if record.tests.write(test) && !record.has_failed.load(Ordering::Relaxed) {
            record.written.fetch_add(1, Ordering::Relaxed);
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    }

    fn boundary(&mut self, trail: &Trail, why: &Left) {
        let cause = match why {
            Left::Stopped(StopReason::Time) => Cause::Time,
            Left::Stopped(StopReason::Paths) => Cause::Paths,
            Left::Stopped(_) => Cause::Interrupted,
            Left::Memory => Cause::Evicted,
            Left::Forks => Cause::Forks,
            Left::Unknown(reason) => Cause::Undecided(reason.to_string()),
        };
        self.leave(trail, cause);
    }

    fn progress(&mut self, machine: &mut Machine, progress: &Progress<'_>) {
        let record = self.record;
        record.note(self.worker, machine, progress);
        if self.worker == 0 {
            record.tell(progress.elapsed);
        }
    }
}

impl Recorder<'_> {
    fn leave(&mut self, trail: &Trail, cause: Cause) {
        debug!(target: log::LIMITS, worker = self.worker, branches = trail.branches(), "{cause}");
        let mut more = self.record.more();
        let (count, places) = more.left.entry(cause).or_default();
        *count += 1;
        if places.len() < MOST_LISTED {
            places.push(decisions_text(trail));
        }
    }
}

/// Decisions in a form that is short: ways as they are, values with a sign in front.
fn decisions_text(trail: &Trail) -> String {
    let texts: Vec<String> = trail
        .decisions()
        .into_iter()
        .filter_map(|decision| match decision {
            Decision::Way(way) => Some(way.to_string()),
            Decision::Fixed(value) => Some(format!("={value}")),
            Decision::Other(value) => Some(format!("!{value}")),
            Decision::Witness(_) => None,
        })
        .collect();
    texts.join(" ")
}

/// The test of a path.
fn test(path: &mut Path<'_, Machine>, number: u32, outcome: Outcome, args: &[Vec<u8>]) -> Test {
    if !matches!(outcome, Outcome::Exit { .. }) {
        // What the program had to say before is still in its buffers.
        path.machine.flush(path.terms, path.state);
    }
    let mut evaluator = Evaluator::new();
    let mut value = |term| match path.terms.sort(term) {
        Sort::Bool => u64::from(evaluator.bool(path.terms, path.input, term)),
        _ => evaluator.small(path.terms, path.input, term),
    };
    let inputs = path.state.inputs.iter().map(|input| {
        let bytes = input.bytes.iter().map(|&term| value(term) as u8);
        InputValue::object(&input.name, bytes.collect::<Vec<u8>>())
    });
    let inputs = inputs.collect();
    let stdout = path.state.written(1, &mut value);
    let stderr = path.state.written(2, &mut value);
    let decisions = path.trail.decisions().into_iter();
    let decisions = decisions.filter_map(|decision| match decision {
        Decision::Way(way) => Some(u64::from(way)),
        Decision::Fixed(value) => Some(value),
        Decision::Other(_) | Decision::Witness(_) => None,
    });
    Test {
        number,
        inputs,
        args: args.to_vec(),
        outcome,
        stdout,
        stderr,
        instructions: path.state.instructions,
        decisions: decisions.collect(),
        new_coverage: path.is_new,
    }
}
