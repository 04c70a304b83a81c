//! What all workers of a run keep together: tests, every error once, what was not explored, how it went over time.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use refrain_explore::listener::Progress;
use refrain_explore::{Decision, Stats, resident_bytes};
use refrain_llvm::machine::{Coverage, Machine, Mark, Site};
use refrain_machine::{Contents, ErrorKind, Fault, Place, World};
use refrain_results::{
    Boundary, Cause, Outcome, OutputDirectory, Test, TestHandle, TestPack, Timeline,
};

use super::origin::Beginning;
use super::piped::PipedInput;
use super::recorder::word;
use super::status::{Standing, Status};
use crate::diagnostic::{Diagnostic, command_of, has_colours};

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
    /// What the program is started in.
    pub world: World,
    piped: Arc<PipedInput>,
    /// The last number of a test.
    numbers: AtomicU32,
    pub counts: Counts,
    /// How many paths an earlier run has followed, and this one does not.
    pub kept: u64,
    /// The tests of an earlier run, some of which are not needed any more.
    earlier: Option<TestPack>,
    /// Errors are told as they are found.
    tells_errors: bool,
    /// A path without a test was the first to reach some code: the next path with an end stands for it.
    unclaimed: AtomicBool,
    has_failed: AtomicBool,
    shared: Mutex<Shared>,
}

/// An error is known by its kind, its message without numbers, and its place.
pub type ErrorSite = (ErrorKind, String, Option<Place>);

/// An error that was found.
#[derive(Clone, Copy)]
pub struct Found {
    /// The number of its site.
    pub site: u32,
    /// The test of the first path that ended there.
    pub test: u32,
    /// This is that path.
    pub is_first: bool,
}

#[derive(Default)]
struct Shared {
    /// The number of each, and the test that shows it.
    errors: HashMap<ErrorSite, (u32, u32)>,
    /// The tests that there are, and those that paths had before they were explored further.
    numbers: BTreeSet<u32>,
    superseded: BTreeSet<u32>,
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
    /// Some path has started a thread.
    has_threads: bool,
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
        beginning: Beginning,
        tests: TestHandle,
        which: Tests,
        (world, piped): (World, Arc<PipedInput>),
        workers: usize,
        status: Status,
    ) -> Result<Record, String> {
        let Beginning {
            directory,
            memo,
            tests: earlier,
            is_version,
        } = beginning;
        let timeline = directory
            .timeline(COLUMNS)
            .map_err(|error| error.to_string())?;
        let kept = memo.kept();
        let boundaries = { kept.boundaries.iter() }.map(|(cause, (count, edges))| {
            let places = edges
                .iter()
                .map(|&edge| decisions_text(&memo.decisions(edge)));
            (cause.clone(), (*count, places.collect()))
        });
        let shared = Shared {
            timeline: Some(timeline),
            told: vec![(Stats::default(), 0); workers],
            boundaries: boundaries.collect(),
            numbers: kept.tests.clone(),
            ..Shared::default()
        };
        let numbers = earlier.as_ref().map(TestPack::numbers).unwrap_or_default();
        let record = Record {
            directory,
            status,
            tests,
            which,
            world,
            piped,
            numbers: AtomicU32::new(numbers.last().copied().unwrap_or(0)),
            counts: Counts {
                completed: kept.exits.into(),
                errors: kept.errors.into(),
                killed: kept.cut.into(),
                silent: kept.silent.into(),
                internal: AtomicU64::new(0),
            },
            kept: kept.paths(),
            earlier,
            tells_errors: !is_version,
            unclaimed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            shared: Mutex::new(shared),
        };
        record.note_kept_errors(&kept.error_tests)?;
        Ok(record)
    }

    /// Knows the errors of paths that are kept.
    fn note_kept_errors(&self, tests: &BTreeSet<u32>) -> Result<(), String> {
        let Some(earlier) = &self.earlier else {
            return Ok(());
        };
        let clear = self.directory.clear_errors();
        clear.map_err(|error| error.to_string())?;
        for &number in tests {
            let test = earlier.read(number).map_err(|error| error.to_string())?;
            if let Outcome::Error(fault) = &test.outcome {
                let mut shared = self.shared();
                let site = shared.errors.len() as u32 + 1;
                if let Entry::Vacant(entry) = shared.errors.entry(site_of(fault)) {
                    entry.insert((site, number));
                    drop(shared);
                    self.write_error(site, fault, &test);
                }
            }
        }
        Ok(())
    }

    pub fn directory(&self) -> &OutputDirectory {
        &self.directory
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tests there are.
    pub fn tests(&self) -> usize {
        self.shared().numbers.len()
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
        write().map_err(|error| error.to_string())?;
        self.drop_superseded()
    }

    /// The number of the test of a path. An earlier run may have had one for it: if that shows the same, it stays.
    pub fn number(&self, earlier: Option<u32>, test: &Test) -> u32 {
        let reusable = self.reusable(earlier, |before| {
            (&before.inputs, &before.outcome) == (&test.inputs, &test.outcome)
                && (&before.stdout, &before.stderr) == (&test.stdout, &test.stderr)
        });
        self.take_number(&mut self.shared(), reusable)
    }

    /// The number of a test of an earlier run, if it still shows what is to be shown.
    fn reusable(&self, earlier: Option<u32>, is_same: impl Fn(&Test) -> bool) -> Option<u32> {
        let before = self.earlier.as_ref()?.read(earlier?).ok()?;
        is_same(&before).then_some(before.number)
    }

    /// A number that no test has, if possible this one.
    fn take_number(&self, shared: &mut Shared, wanted: Option<u32>) -> u32 {
        if let Some(number) = wanted.filter(|&number| shared.numbers.insert(number)) {
            return number;
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        shared.numbers.insert(number);
        number
    }

    /// An earlier run had a path end where this one goes on, or ends in another way.
    pub fn supersede(&self, test: Option<u32>) {
        if let Some(test) = test {
            self.shared().superseded.insert(test);
        }
    }

    /// The tests of an earlier run that no path has any more are gone.
    fn drop_superseded(&self) -> Result<(), String> {
        let shared = self.shared();
        let mut superseded = shared.superseded.difference(&shared.numbers);
        if superseded.next().is_none() {
            return Ok(());
        }
        let tests = self.directory.tests().map_err(|error| error.to_string())?;
        let kept = self.directory.keep_tests(&tests, &shared.numbers);
        kept.map_err(|error| error.to_string())
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
        if let (Outcome::Error(fault), Some(site)) = (&test.outcome, new_site) {
            if self.tells_errors {
                let here = self.directory.path().display();
                let diagnostic = diagnostic(fault, &test, self.command(&test), &here);
                self.status.show_above(&diagnostic.render(has_colours()));
            }
            self.write_error(site, fault, &test);
        }
        self.tests.write(test) && !self.has_failed.load(Ordering::Relaxed)
    }

    /// The command of a shell that runs the program on a test.
    fn command(&self, test: &Test) -> Option<String> {
        let mut surroundings = self.world.realise(&test.inputs);
        if self.world.stdin == Some(Contents::Piped) {
            surroundings.stdin = self.piped.read_so_far().to_vec();
        }
        command_of(test, &surroundings)
    }

    /// Counts an error on a path that had a test in an earlier run, or none.
    pub fn note_error(&self, fault: &Fault, earlier: Option<u32>) -> Found {
        let site = site_of(fault);
        // A test that showed the same error on other lines of the same function may stay.
        let is_same = |before: &Test| matches!(&before.outcome, Outcome::Error(other) if is_same_error(other, fault));
        let reusable = self.reusable(earlier, is_same);
        let mut shared = self.shared();
        if let Some(&(site, test)) = shared.errors.get(&site) {
            return Found {
                site,
                test,
                is_first: false,
            };
        }
        let number = shared.errors.len() as u32 + 1;
        let test = self.take_number(&mut shared, reusable);
        shared.errors.insert(site, (number, test));
        Found {
            site: number,
            test,
            is_first: true,
        }
    }

    /// Keeps the first error of a site as a report of its own. It is the same wherever it is written to.
    fn write_error(&self, site: u32, fault: &Fault, test: &Test) {
        let report = diagnostic(fault, test, self.command(test), &"DIR").render(false);
        if let Err(error) = self.directory.write_error(site, &report) {
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
            Counts::add(&self.counts.errors);
            let Outcome::Error(fault) = &test.outcome else {
                continue;
            };
            let found = self.note_error(fault, None);
            test.number = found.test;
            self.keep(test, found.is_first.then_some(found.site));
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
        shared.has_threads |= machine.has_threads;
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

    pub fn has_threads(&self) -> bool {
        self.shared().has_threads
    }
}

/// The same for all paths that end in the same error: of a message, what is in front of the first thing that may be
/// different for every input.
pub fn site_of(fault: &Fault) -> ErrorSite {
    let mut message = words(fault);
    if fault.place().is_some() {
        let message_of_panic = refrain_report::message(fault).to_string();
        message = message_of_panic.replace(|c: char| c.is_ascii_digit(), "");
        let end = message.find(|c: char| !(c.is_alphabetic() || " -_,.".contains(c)));
        message.truncate(end.unwrap_or(message.len()));
    }
    (fault.kind, message, fault.place().cloned())
}

/// Numbers in a message are those of one input.
fn words(fault: &Fault) -> String {
    fault.message.replace(|c: char| c.is_ascii_digit(), "")
}

/// Whether errors of two versions of a program are the same, as far as can be told: lines move.
pub fn is_same_error(one: &Fault, other: &Fault) -> bool {
    let function = |fault: &Fault| fault.place().map(|place| place.function.clone());
    (one.kind, words(one), function(one)) == (other.kind, words(other), function(other))
}

fn diagnostic<'a>(
    fault: &'a Fault,
    test: &'a Test,
    command: Option<String>,
    directory: &dyn std::fmt::Display,
) -> Diagnostic<'a> {
    let number = test.number;
    Diagnostic {
        fault,
        inputs: &test.inputs,
        command,
        test: Some((
            number,
            format!("refrain replay {directory} --test {number}"),
        )),
    }
}

/// Decisions in a form that is short: choices as they are, values with a sign in front.
pub fn decisions_text(decisions: &[Decision]) -> String {
    let texts: Vec<String> = decisions
        .iter()
        .filter_map(|decision| match decision {
            Decision::Choice(choice) => Some(choice.to_string()),
            Decision::Fixed(value) => Some(format!("={}", word(value))),
            Decision::Other(value) => Some(format!("!{}", word(value))),
            Decision::Implied(_) | Decision::Assumed(_) | Decision::Witness(_) => None,
        })
        .collect();
    texts.join(" ")
}
