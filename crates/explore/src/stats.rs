//! What exploring counts and times.

use std::time::Duration;

use refrain_solver::Effort;

#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Paths that have ended, however.
    pub paths: u64,
    /// Choices that were taken beside the one that an input took by itself.
    pub forks: u64,
    /// Instructions of all paths; what several share counts once.
    pub instructions: u64,
    /// Questions with several possible answers.
    pub branches: u64,
    /// Choices that the input at hand took: nothing had to be asked.
    pub by_model: u64,
    /// Choices that partial solutions turned out to take, without a query.
    pub by_partial_solution: u64,
    /// Of these, by partial solutions that were kept with a place until its path had ended.
    pub by_surplus_input: u64,
    /// Decisions that earlier runs knew all about.
    pub by_memo: u64,
    /// Of these, choices under which everything is finished.
    pub finished: u64,
    /// Questions that were others than an earlier run had at their place.
    pub changed: u64,
    /// Partial solutions that were tried as inputs.
    pub tried_partial_solutions: u64,
    /// How often one was kept with a place that another input was known for.
    pub kept_inputs: u64,
    /// Places that were not explored further; of these, for lack of memory.
    pub boundaries: u64,
    pub dropped: u64,
    /// States that were evicted, and executions of a path again.
    pub evicted: u64,
    pub executed_again: u64,
    /// How often all terms were forgotten.
    pub restarts: u64,
    pub most_pending: u64,
    /// Time in the machine, and for forking; of that, for building terms.
    pub execute: Duration,
    pub build: Duration,
    /// What answered the queries.
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
        self.by_surplus_input += other.by_surplus_input;
        self.by_memo += other.by_memo;
        self.finished += other.finished;
        self.changed += other.changed;
        self.tried_partial_solutions += other.tried_partial_solutions;
        self.kept_inputs += other.kept_inputs;
        self.boundaries += other.boundaries;
        self.dropped += other.dropped;
        self.evicted += other.evicted;
        self.executed_again += other.executed_again;
        self.restarts += other.restarts;
        self.most_pending += other.most_pending;
        self.execute += other.execute;
        self.build += other.build;
        self.total = self.total.max(other.total);
        self.effort.add(&other.effort);
    }
}
