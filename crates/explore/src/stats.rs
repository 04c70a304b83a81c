//! What exploring counts and times.

use std::time::Duration;

use refrain_solver::Effort;

#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Paths that have ended, however.
    pub paths: u64,
    /// Ways that were taken beside the one that an input took by itself.
    pub forks: u64,
    /// Instructions of all paths; what several share counts once.
    pub instructions: u64,
    /// Questions with several possible answers.
    pub branches: u64,
    /// Ways that the input at hand took: nothing had to be asked.
    pub by_model: u64,
    /// Ways that partial solutions turned out to take, without a question.
    pub by_partial_solution: u64,
    /// Partial solutions that were tried as inputs.
    pub tried_partial_solutions: u64,
    /// Places that were left open, of these: for lack of memory.
    pub boundaries: u64,
    pub dropped: u64,
    /// States that were put aside to be executed again, and executions again.
    pub set_aside: u64,
    pub executed_again: u64,
    /// How often all terms were forgotten.
    pub starts_anew: u64,
    pub most_pending: u64,
    /// Time in the machine, and for forking; of that, for building terms.
    pub execute: Duration,
    pub build: Duration,
    /// What became of the questions.
    pub effort: Effort,
    pub total: Duration,
}

impl Stats {
    /// Adds what another worker did.
    pub fn add(&mut self, other: &Stats) {
        self.paths += other.paths;
        self.forks += other.forks;
        self.instructions += other.instructions;
        self.branches += other.branches;
        self.by_model += other.by_model;
        self.by_partial_solution += other.by_partial_solution;
        self.tried_partial_solutions += other.tried_partial_solutions;
        self.boundaries += other.boundaries;
        self.dropped += other.dropped;
        self.set_aside += other.set_aside;
        self.executed_again += other.executed_again;
        self.starts_anew += other.starts_anew;
        self.most_pending += other.most_pending;
        self.execute += other.execute;
        self.build += other.build;
        self.total = self.total.max(other.total);
        add_effort(&mut self.effort, &other.effort);
    }
}

fn add_effort(effort: &mut Effort, other: &Effort) {
    for &(name, count) in &other.answered_by {
        match effort.answered_by.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own += count,
            None => effort.answered_by.push((name, count)),
        }
    }
    for &(name, took) in &other.layers {
        match effort.layers.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own += took,
            None => effort.layers.push((name, took)),
        }
    }
    effort.solver.checks += other.solver.checks;
    effort.solver.sat += other.solver.sat;
    effort.solver.unsat += other.solver.unsat;
    effort.solver.unknown += other.solver.unknown;
    effort.solver.partial_solutions += other.solver.partial_solutions;
    effort.lookup += other.lookup;
    effort.solve += other.solve;
    effort.store += other.store;
    effort.store_hits += other.store_hits;
    effort.store_written += other.store_written;
}
