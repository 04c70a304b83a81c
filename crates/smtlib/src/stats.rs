//! What a session counted.

use std::time::Duration;

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
