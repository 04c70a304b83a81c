//! What a run has seen, by theory, and its report.

use super::oracle::Answer;
use super::theory::Theory;
use std::collections::BTreeMap;

#[derive(Clone, Default, Debug)]
pub struct Counts {
    pub scripts: u64,
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub late: u64,
    /// Checks that neither an oracle nor the evaluator decided.
    pub skipped: u64,
    /// Checks that two oracles decided.
    pub twice_confirmed: u64,
    /// Models that evaluate to true.
    pub models: u64,
    /// Models whose division by zero an oracle found a meaning for.
    pub models_left: u64,
    pub cores: u64,
    /// `unsat` of which all inputs were tried.
    pub exhausted: u64,
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

    fn add(&mut self, other: &Counts) {
        self.scripts += other.scripts;
        self.checks += other.checks;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.late += other.late;
        self.skipped += other.skipped;
        self.twice_confirmed += other.twice_confirmed;
        self.models += other.models;
        self.models_left += other.models_left;
        self.cores += other.cores;
        self.exhausted += other.exhausted;
    }

    fn percent(&self, part: u64) -> f64 {
        100.0 * part as f64 / self.checks.max(1) as f64
    }

    fn line(&self) -> String {
        format!(
            "{} checks in {} scripts: sat {} ({:.0}%), unsat {} ({:.0}%), unknown {} ({:.1}%), late {}; \
             confirmed by two oracles {:.0}%, skipped (nobody decided) {}; models evaluated {}, left to an oracle {}, \
             cores confirmed {}, unsat by all inputs {}",
            self.checks,
            self.scripts,
            self.sat,
            self.percent(self.sat),
            self.unsat,
            self.percent(self.unsat),
            self.unknown,
            self.percent(self.unknown),
            self.late,
            self.percent(self.twice_confirmed),
            self.skipped,
            self.models,
            self.models_left,
            self.cores,
            self.exhausted,
        )
    }
}

#[derive(Default, Debug)]
pub struct Tally {
    pub by_theory: BTreeMap<Theory, Counts>,
    /// Checks on which the oracles contradict each other, one of them agreeing with the solver under
    /// test: a fault of the other (cvc5 1.0.3 has some with constant arrays over few indices). Among
    /// numbers, also checks on which a lone oracle contradicts it and proof is wanting.
    pub disputes: Vec<String>,
}

impl Tally {
    pub fn of(&mut self, theory: Theory) -> &mut Counts {
        self.by_theory.entry(theory).or_default()
    }

    pub fn add(&mut self, other: &Tally) {
        for (&theory, counts) in &other.by_theory {
            self.of(theory).add(counts);
        }
        self.disputes.extend(other.disputes.iter().cloned());
    }

    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.by_theory.values() {
            total.add(counts);
        }
        total
    }

    pub fn print(&self) {
        for (theory, counts) in &self.by_theory {
            println!("{:>6}: {}", theory.name(), counts.line());
        }
        if self.by_theory.len() > 1 {
            println!("{:>6}: {}", "all", self.total().line());
        }
    }
}
