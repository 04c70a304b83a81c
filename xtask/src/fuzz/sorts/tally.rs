//! What a run has seen.

use super::super::oracle::Answer;
use std::collections::{BTreeMap, BTreeSet};

/// A check that z3 decides at once, and the solver under test not at all or late.
pub struct Laggard {
    pub reason: String,
    pub detail: String,
    pub seconds: f64,
    pub text: String,
}

#[derive(Default)]
pub struct Counts {
    pub scripts: u64,
    pub checks: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    /// z3 left it open.
    pub undecided: u64,
    pub twice_confirmed: u64,
    pub cvc5_complained: u64,
    pub models: u64,
    pub values: u64,
    pub cores: u64,
    pub not_understood: u64,
    pub complaints: BTreeSet<String>,
    /// Why checks were left open, as the solver under test says.
    pub reasons: BTreeMap<String, u64>,
    pub laggards: Vec<Laggard>,
    /// Checks on which z3 and cvc5 contradict each other, or z3 itself.
    pub disputes: Vec<String>,
}

impl Counts {
    pub fn count(&mut self, answer: Answer) {
        self.checks += 1;
        match answer {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown => self.unknown += 1,
        }
    }

    pub fn add(&mut self, other: Counts) {
        self.scripts += other.scripts;
        self.checks += other.checks;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.undecided += other.undecided;
        self.twice_confirmed += other.twice_confirmed;
        self.cvc5_complained += other.cvc5_complained;
        self.models += other.models;
        self.values += other.values;
        self.cores += other.cores;
        self.not_understood += other.not_understood;
        self.complaints.extend(other.complaints);
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.laggards.extend(other.laggards);
        self.disputes.extend(other.disputes);
    }

    pub fn line(&self) -> String {
        format!(
            "{} checks in {} scripts: sat {}, unsat {}, unknown {}, open to z3 {}; models confirmed {}, values {}, \
             cores {}, answers confirmed by cvc5 {} (it ended {} scripts early); scripts that z3 refused {}",
            self.checks,
            self.scripts,
            self.sat,
            self.unsat,
            self.unknown,
            self.undecided,
            self.models,
            self.values,
            self.cores,
            self.twice_confirmed,
            self.cvc5_complained,
            self.not_understood,
        )
    }
}
