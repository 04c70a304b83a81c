//! What a session counted and timed.

use std::time::{Duration, Instant};

use refrain_solver::{CheckResult, Outcome, Stats};

/// Counts and times of a session.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub commands: u64,
    pub assertions: u64,
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Checks that were answered `unknown` because a command had been refused; they are not among the others.
    pub not_asked: u64,
    pub partial_solutions: u64,
    /// From reading to terms.
    pub build: Duration,
    /// In the solver.
    pub solve: Duration,
}

impl Statistics {
    /// Counts what another session did as well.
    pub fn add(&mut self, other: &Statistics) {
        self.commands += other.commands;
        self.assertions += other.assertions;
        self.checks += other.checks;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.not_asked += other.not_asked;
        self.partial_solutions += other.partial_solutions;
        self.build += other.build;
        self.solve += other.solve;
    }
}

/// Counts while a session goes on. The clock is looked at where what time is spent on changes, not for each command.
pub(crate) struct Meter {
    pub stats: Statistics,
    /// When the last command ended, or the last bytes arrived.
    since: Instant,
    /// When the command under way went over to the solver.
    solver_since: Option<Instant>,
}

impl Meter {
    pub fn new() -> Meter {
        Meter {
            stats: Statistics::default(),
            since: Instant::now(),
            solver_since: None,
        }
    }

    /// What was waited for until now does not count.
    pub fn resume(&mut self) {
        self.since = Instant::now();
    }

    /// The solver is asked from here on, until the command ends.
    pub fn begin_solving(&mut self) -> Instant {
        let now = Instant::now();
        self.solver_since = Some(now);
        now
    }

    /// A command has ended.
    pub fn end_command(&mut self) {
        if self.solver_since.is_some() {
            self.account();
        }
    }

    /// Adds the time since the clock was last looked at to what it was spent on.
    pub fn account(&mut self) {
        let now = Instant::now();
        let since = self.solver_since.take().unwrap_or(now);
        self.stats.build += since.saturating_duration_since(self.since);
        self.stats.solve += now.saturating_duration_since(since);
        self.since = now;
    }

    pub fn count_check(&mut self, outcome: &Outcome) {
        self.stats.checks += 1;
        self.stats.partial_solutions += outcome.partial_solutions.len() as u64;
        match outcome.result {
            CheckResult::Sat(_) => self.stats.sat += 1,
            CheckResult::Unsat(_) => self.stats.unsat += 1,
            CheckResult::Unknown(_) => self.stats.unknown += 1,
        }
    }

    /// The checks, as a solver counts them.
    pub fn solver_stats(&self) -> Stats {
        Stats {
            checks: self.stats.checks,
            sat: self.stats.sat,
            unsat: self.stats.unsat,
            unknown: self.stats.unknown,
            partial_solutions: self.stats.partial_solutions,
        }
    }
}
