//! Keeping within a limit of memory, at the cost of time as long as that helps: pending states are evicted and executed
//! again when their turn comes, then all terms and answers are forgotten, and only what is still too much is dropped
//! for good, as a boundary.

use refrain_machine::{Cause, Machine};

use crate::explorer::Explorer;
use crate::listener::Listener;

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    /// Evicts states while a path is running.
    pub(crate) fn evict_if_due(&mut self) {
        if self.budget.evicts_now() && self.evict_states() {
            self.budget.give_back();
        }
    }

    /// Evicts whatever it takes, while nothing is running.
    pub(crate) fn enforce_memory_limit(&mut self) {
        let wants_restart = self.budget.wants_restart;
        if !wants_restart && !self.budget.evicts_now() {
            return;
        }
        if self.evict_states() && self.has_helped() && !wants_restart {
            return;
        }
        // Unless that has just been done.
        if wants_restart || self.asker.terms.len() > 2 * self.terms_at_start {
            self.restart();
            if self.has_helped() {
                return;
            }
        }
        self.drop_half();
        self.has_helped();
    }

    fn has_helped(&mut self) -> bool {
        self.budget.give_back();
        !self.budget.evicts()
    }

    /// Evicts half the pending states: those first that hold the most for what it takes to execute them again. Whether
    /// there were any.
    fn evict_states(&mut self) -> bool {
        self.frontier.take_deferred_back(self.machine);
        let mut states = Vec::new();
        for id in self.frontier.ids() {
            let pending = self.frontier.get(id);
            if let Some(state) = &pending.state {
                let weight = 1 + self.machine.weight(state) as u64;
                let cost = self.machine.instructions(state) / weight;
                states.push((cost, pending.trail.branches(), id));
            }
        }
        states.sort_unstable();
        states.truncate(states.len().div_ceil(2));
        for &(_, _, id) in &states {
            self.frontier.evict(id);
            self.stats.evicted += 1;
        }
        !states.is_empty()
    }

    /// Drops half of what is pending for good: what has come furthest by itself, and is likest to be more of the same.
    fn drop_half(&mut self) {
        let count = self.frontier.evicted().div_ceil(2);
        for work in self.frontier.take_evicted(count) {
            self.stats.dropped += 1;
            self.leave_work(&work, &Cause::Memory);
        }
        self.frontier.take_deferred_back(self.machine);
        let mut ids = self.frontier.ids();
        ids.sort_by_key(|&id| {
            let branches = self.frontier.get(id).trail.branches();
            (std::cmp::Reverse(branches), id)
        });
        ids.truncate(ids.len().div_ceil(2));
        for id in ids {
            let pending = self.frontier.take(id);
            self.stats.dropped += 1;
            self.leave_pending(&pending, &Cause::Memory);
        }
    }
}

/// What the process has in memory now; zero where the system does not tell.
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0u64) * rustix::param::page_size() as u64
}

/// Gives free memory back to the system, where it is the C library's.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
