//! What the fuzzers share: numbered cases, drawn by several workers, until enough is checked, enough has failed or
//! time is up. What a case is, and how it is judged, is theirs.

use crate::workspace;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What every fuzzer of scripts can be told.
#[derive(clap::Args, Clone)]
#[group(skip)]
pub struct Options {
    /// How long to go on [default: as long as the checks take, or 60 seconds].
    #[arg(long)]
    seconds: Option<u64>,
    /// Stop after this many checks.
    #[arg(long)]
    checks: Option<u64>,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The first case's number: with the seed, it names a case.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The command under test [default: the release build of `refrain smt`].
    #[arg(long, value_name = "CMD")]
    refrain: Option<String>,
    /// Where failing cases are kept [default: fuzz-failures in the target directory].
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Cases at once [default: one a core].
    #[arg(long)]
    jobs: Option<usize>,
    /// Stop after this many failing cases.
    #[arg(long, default_value_t = 5)]
    max_failures: u64,
    /// Seconds for making one failing case small.
    #[arg(long, default_value_t = 60)]
    shrink: u64,
}

impl Options {
    /// The command under test, and the first of its arguments.
    pub fn command(&self) -> Result<Vec<String>> {
        Ok(match &self.refrain {
            Some(command) => command.split_whitespace().map(str::to_string).collect(),
            None => {
                let binary = workspace::refrain_binary()?.display().to_string();
                vec![binary, "smt".to_string()]
            }
        })
    }

    pub fn keep(&self) -> PathBuf {
        let keep = self.keep.clone();
        keep.unwrap_or_else(|| workspace::target().join("fuzz-failures"))
    }

    pub fn jobs(&self) -> usize {
        jobs(self.jobs)
    }

    pub fn shrink(&self) -> Duration {
        Duration::from_secs(self.shrink)
    }

    /// The campaign, whose time begins now. A number of checks takes as long as it takes.
    pub fn start(&self) -> Campaign {
        let duration = match (self.seconds, self.checks) {
            (Some(seconds), _) => Duration::from_secs(seconds),
            (None, Some(_)) => Duration::MAX,
            (None, None) => Duration::from_secs(60),
        };
        let limits = Limits {
            duration,
            checks: self.checks,
            cases: None,
            failures: self.max_failures,
        };
        Campaign::new(self.first, limits)
    }
}

/// When to stop.
pub struct Limits {
    pub duration: Duration,
    /// Checks that are enough.
    pub checks: Option<u64>,
    /// Cases that are enough.
    pub cases: Option<u64>,
    pub failures: u64,
}

/// How often a long campaign says how far it is.
const CHECKS_BETWEEN_REPORTS: u64 = 10_000;

pub struct Campaign {
    limits: Limits,
    start: Instant,
    first: u64,
    next: AtomicU64,
    checks: AtomicU64,
    failures: AtomicU64,
    stop: AtomicBool,
}

impl Campaign {
    /// `first`: the number of the first case.
    pub fn new(first: u64, limits: Limits) -> Campaign {
        Campaign {
            limits,
            start: Instant::now(),
            first,
            next: AtomicU64::new(first),
            checks: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// Lets so many workers work at once, each with its number. The first error stops all of them.
    pub fn run(&self, jobs: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        let work = |worker| {
            let done = work(worker);
            done.inspect_err(|_| self.stop.store(true, Ordering::Relaxed))
        };
        let work = &work;
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs)
                .map(|worker| scope.spawn(move || work(worker)))
                .collect();
            for worker in workers {
                worker
                    .join()
                    .map_err(|_| anyhow::anyhow!("a fuzzing thread panicked"))??;
            }
            Ok(())
        })
    }

    /// The number of the next case. `None`: the campaign is over.
    pub fn next_case(&self) -> Option<u64> {
        let Limits {
            duration,
            checks,
            cases,
            failures,
        } = self.limits;
        let is_over = self.stop.load(Ordering::Relaxed)
            || self.start.elapsed() >= duration
            || checks.is_some_and(|most| self.checks.load(Ordering::Relaxed) >= most)
            || self.failures() >= failures;
        if is_over {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let is_wanted = cases.is_none_or(|most| number - self.first < most);
        is_wanted.then_some(number)
    }

    /// Counts checks; of a long campaign it says now and then how far it is.
    pub fn add_checks(&self, checks: u64) {
        let before = self.checks.fetch_add(checks, Ordering::Relaxed);
        let now = before + checks;
        if before / CHECKS_BETWEEN_REPORTS < now / CHECKS_BETWEEN_REPORTS {
            let (seconds, failures) = (self.seconds(), self.failures());
            eprintln!("{now} checks after {seconds:.0} s, {failures} failures");
        }
    }

    pub fn add_failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// So many workers as are asked for, or one a core.
pub fn jobs(asked: Option<usize>) -> usize {
    asked
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    const LIMITS: Limits = Limits {
        duration: Duration::MAX,
        checks: None,
        cases: None,
        failures: u64::MAX,
    };

    /// The numbers of the cases that workers drew, each of which has three checks and fails if it says so.
    fn drawn(campaign: &Campaign, fails: fn(u64) -> bool) -> Vec<u64> {
        let drawn = Mutex::new(Vec::new());
        let done = campaign.run(4, |_| {
            while let Some(number) = campaign.next_case() {
                drawn.lock().unwrap().push(number);
                campaign.add_checks(3);
                if fails(number) {
                    campaign.add_failure();
                }
            }
            Ok(())
        });
        done.unwrap();
        let mut drawn = drawn.into_inner().unwrap();
        drawn.sort_unstable();
        drawn
    }

    #[test]
    fn every_case_is_drawn_once() {
        let campaign = Campaign::new(
            7,
            Limits {
                cases: Some(1000),
                ..LIMITS
            },
        );
        let expected: Vec<u64> = (7..1007).collect();
        assert_eq!(drawn(&campaign, |_| false), expected);
    }

    #[test]
    fn enough_is_enough() {
        let by_checks = Campaign::new(
            0,
            Limits {
                checks: Some(300),
                ..LIMITS
            },
        );
        // Workers may each be at one more.
        assert!((100..=104).contains(&drawn(&by_checks, |_| false).len()));
        let by_failures = Campaign::new(
            0,
            Limits {
                failures: 5,
                ..LIMITS
            },
        );
        drawn(&by_failures, |number| number % 10 == 0);
        assert!((5..=8).contains(&by_failures.failures()));
        let by_time = Campaign::new(
            0,
            Limits {
                duration: Duration::ZERO,
                ..LIMITS
            },
        );
        assert!(by_time.next_case().is_none());
    }

    #[test]
    fn an_error_stops_everybody() {
        let campaign = Campaign::new(0, LIMITS);
        let done = campaign.run(4, |worker| {
            while let Some(number) = campaign.next_case() {
                anyhow::ensure!(worker != 2 || number < 50, "no more");
            }
            Ok(())
        });
        assert_eq!(done.unwrap_err().to_string(), "no more");
    }
}
