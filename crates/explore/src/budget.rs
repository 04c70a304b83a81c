//! The budget of a run: time, paths, memory, and whoever wants it to stop.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::options::Limits;
use crate::stop::StopReason;

/// How often a listener is told how far the run is.
const BETWEEN_PROGRESS: Duration = Duration::from_millis(500);

/// How much of the memory limit may be in use, in percent, before states are evicted, and before a running path has to
/// wait until all terms were forgotten.
const EVICTING: u64 = 80;
const TOO_MUCH: u64 = 95;

/// How often all terms are forgotten for one path.
const MOST_RESTARTS: u32 = 2;

/// Memory is measured at every so many steps; at every step while more than this is in use, in percent, and states are
/// not evicted yet: a path may leave many states behind. Where evicting is of no use, more of it at every step is not
/// either.
const STEPS_BETWEEN_MEASURING: u64 = 16;
const STEPS_WHILE_EVICTING: u64 = 4;
const CLOSE: u64 = 60;

/// When the time is up every pending state is written down as unexplored, which takes about so long for each. The run
/// stops in time to do so, unless that were more than a part of all its time.
const TO_LEAVE_ONE: Duration = Duration::from_micros(5);
const MOST_TO_LEAVE: u32 = 5;

/// Where it takes longer, what is left so long after the time is up, and the run has noticed, is only counted. What the
/// memo tree says nothing of is open.
const LATE: Duration = Duration::from_millis(400);

pub(crate) struct Budget<'a> {
    limits: &'a Limits,
    pub started: Instant,
    deadline: Option<Instant>,
    stopped: Option<StopReason>,
    /// When it was known that the run stops.
    stopped_at: Instant,
    last_progress: Instant,
    steps: u64,
    /// After so many steps memory is measured again.
    between_measuring: u64,
    /// A path could not go on without all terms being forgotten.
    pub wants_restart: bool,
    /// How often all terms were forgotten since a path ended.
    restarts: u32,
}

impl<'a> Budget<'a> {
    pub fn new(limits: &'a Limits, started: Instant) -> Budget<'a> {
        Budget {
            limits,
            started,
            deadline: limits.time.map(|time| started + time),
            stopped: None,
            stopped_at: started,
            last_progress: started,
            steps: 0,
            between_measuring: STEPS_BETWEEN_MEASURING,
            wants_restart: false,
            restarts: 0,
        }
    }

    /// What every query is limited by.
    pub fn solver_limits(&self) -> refrain_solver::Limits {
        refrain_solver::Limits {
            deadline: self.deadline,
            stop: Some(self.limits.stop.clone()),
            conflicts: None,
        }
    }

    pub fn stop(&mut self, reason: StopReason) {
        if self.stopped.is_none() {
            (self.stopped, self.stopped_at) = (Some(reason), Instant::now());
        }
    }

    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// When the run is to stop, with so many states pending.
    fn stops_at(&self, pending: usize) -> Option<Instant> {
        let deadline = self.deadline?;
        let most = self.limits.time? / MOST_TO_LEAVE;
        let pending = u32::try_from(pending).unwrap_or(u32::MAX);
        Some(deadline - TO_LEAVE_ONE.saturating_mul(pending).min(most))
    }

    /// Whether there is no time any more to write down what is unexplored.
    pub fn is_late(&self) -> bool {
        let is_late = |deadline: Instant| Instant::now() >= deadline.max(self.stopped_at) + LATE;
        self.stopped == Some(StopReason::Time) && self.deadline.is_some_and(is_late)
    }

    /// Looks at the clock and at who wants the run to stop. Whether it is time to tell how far the run is.
    pub fn step(&mut self, pending: usize) -> bool {
        self.steps += 1;
        if self.limits.stop.load(Ordering::Relaxed) {
            self.stop(StopReason::Interrupted);
        }
        let now = Instant::now();
        if self.stops_at(pending).is_some_and(|time| now >= time) {
            self.stop(StopReason::Time);
        }
        let is_due = now - self.last_progress >= BETWEEN_PROGRESS;
        if is_due {
            self.last_progress = now;
        }
        is_due
    }

    /// Whether the time is up, or somebody wants the run to stop.
    pub fn is_over(&self) -> bool {
        let is_late = |deadline| Instant::now() >= deadline;
        self.limits.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(is_late)
    }

    // Memory.

    fn is_above(&self, used: u64, percent: u64) -> bool {
        let limit = self.limits.memory.unwrap_or(u64::MAX);
        used > limit / 100 * percent
    }

    /// Whether it is time to measure, and states should be evicted.
    pub fn evicts_now(&mut self) -> bool {
        let is_due = self.steps.is_multiple_of(self.between_measuring);
        self.limits.memory.is_some() && is_due && self.evicts()
    }

    /// Whether states should be evicted.
    pub fn evicts(&mut self) -> bool {
        let used = (self.limits.measure)();
        let evicts = self.is_above(used, EVICTING);
        self.between_measuring = match self.is_above(used, CLOSE) {
            _ if evicts => STEPS_WHILE_EVICTING,
            true => 1,
            false => STEPS_BETWEEN_MEASURING,
        };
        evicts
    }

    pub fn give_back(&self) {
        (self.limits.give_back)();
    }

    /// Whether a path that is running cannot go on without all terms being forgotten.
    pub fn is_short_of_memory(&self) -> bool {
        self.limits.memory.is_some() && self.is_above((self.limits.measure)(), TOO_MUCH)
    }

    /// Whether forgetting all terms would not help the path that is running.
    pub fn restarts_are_in_vain(&self) -> bool {
        self.restarts >= MOST_RESTARTS
    }

    pub fn note_restart(&mut self) {
        self.restarts += 1;
        self.wants_restart = false;
    }

    pub fn note_end_of_path(&mut self) {
        self.restarts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_stops_in_time_to_leave_what_is_pending() {
        let minute = Duration::from_secs(60);
        let limits = Limits {
            time: Some(minute),
            ..Limits::default()
        };
        let stops = |age: Duration, pending: usize| {
            let mut budget = Budget::new(&limits, Instant::now() - age);
            budget.step(pending);
            budget.stopped()
        };
        let age = minute - Duration::from_secs(4);
        assert_eq!(stops(age, 0), None);
        assert_eq!(stops(age, 1_000_000), Some(StopReason::Time));
        // Most of the time is for exploring, however many there are.
        assert_eq!(stops(minute / 2, usize::MAX), None);
        assert_eq!(stops(minute, 0), Some(StopReason::Time));
    }

    /// A query may take longer than the run has. What is left then is written down all the same.
    #[test]
    fn lateness_is_counted_from_when_the_run_notices() {
        let limits = Limits {
            time: Some(Duration::ZERO),
            ..Limits::default()
        };
        let started = Instant::now()
            .checked_sub(10 * LATE)
            .expect("a clock that runs");
        let mut budget = Budget::new(&limits, started);
        budget.stop(StopReason::Time);
        assert!(!budget.is_late());
        budget.stopped_at = started;
        assert!(budget.is_late());
    }
}
