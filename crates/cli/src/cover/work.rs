//! Executes the tests, each for itself, on all processors.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use refrain_llvm::load::Options;
use refrain_llvm::machine::Outline;
use refrain_results::Outcome;

use super::own::Own;
use crate::program::Bitcode;
use crate::replay::compare;
use crate::replay::concrete::{Concrete, Platform, Start};
use crate::selection::Selection;

/// What all workers share.
pub struct Bench {
    pub bitcode: Bitcode,
    pub options: Options,
    pub start: Start,
    pub platform: Platform,
    pub own: Own,
    pub limit: Duration,
}

/// A test that was executed.
pub struct Done {
    pub number: u32,
    pub outcome: String,
    /// By their numbers in the outline.
    pub items: BTreeSet<u32>,
    /// From what the test says.
    pub difference: Option<String>,
}

/// Of a test: what it did, or why it did nothing.
type Found = Result<Done, String>;

/// A machine takes as long to make as this many tests to execute.
const WORTH_A_WORKER: usize = 16;

impl Bench {
    /// What the numbers of items mean, and what came out for each test.
    pub fn run_all(&self, tests: &Selection) -> Result<(Outline, Vec<Found>), String> {
        let mut first = self.machine()?;
        let outline = first.outline(|path| self.own.contains(path));
        let next = AtomicUsize::new(0);
        let found = Mutex::new(Vec::new());
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = processors.min(tests.numbers.len().div_ceil(WORTH_A_WORKER));
        std::thread::scope(|scope| {
            for _ in 1..workers {
                // The numbers are the same for every machine with this program. One that cannot be made leaves its
                // tests to the others.
                scope.spawn(|| {
                    if let Ok(mut machine) = self.machine() {
                        self.work(&mut machine, &outline, tests, &next, &found);
                    }
                });
            }
            self.work(&mut first, &outline, tests, &next, &found);
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|&(index, _)| index);
        Ok((outline, found.into_iter().map(|(_, found)| found).collect()))
    }

    fn machine(&self) -> Result<Concrete, String> {
        let (options, start) = (self.options.clone(), self.start.clone());
        Concrete::new(&self.bitcode, options, start, &self.platform)
    }

    fn work(
        &self,
        machine: &mut Concrete,
        outline: &Outline,
        tests: &Selection,
        next: &AtomicUsize,
        found: &Mutex<Vec<(usize, Found)>>,
    ) {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = tests.numbers.get(index) else {
                return;
            };
            let done = self.execute(machine, outline, tests, number);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push((index, done));
        }
    }

    fn execute(
        &self,
        machine: &mut Concrete,
        outline: &Outline,
        tests: &Selection,
        number: u32,
    ) -> Found {
        let test = tests.read(number).map_err(|error| error.to_string())?;
        let (items, end) = machine.cover(outline, &test, self.limit)?;
        let is_main = matches!(self.start, Start::Main(_));
        let is_cut_off = end.is_none() && !matches!(test.outcome, Outcome::Unfinished(_));
        let difference = match is_cut_off {
            true => Some(format!("it does not end in {} s", self.limit.as_secs_f64())),
            false => compare::in_the_machine(&test, end.as_ref(), is_main),
        };
        Ok(Done {
            number: test.number,
            outcome: compare::outcome(&test.outcome),
            items,
            difference,
        })
    }
}
