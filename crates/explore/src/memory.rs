//! Keeping within a limit of memory, at the cost of time as long as that helps: states that wait are let go and
//! executed again when their turn comes, then all terms and answers are forgotten, and only what is still too much is
//! left for good, and said so.

use crate::explorer::Explorer;
use crate::listener::{Left, Listener};
use crate::machine::Machine;

/// How much of the limit may be in use, in percent, before something is let go, and before a path has to wait until
/// everything was.
const ENOUGH: u64 = 80;
const TOO_MUCH: u64 = 95;

impl<M: Machine, L: Listener<M>> Explorer<'_, M, L> {
    fn is_above(&self, percent: u64) -> bool {
        let limit = self.options.limits.memory.unwrap_or(u64::MAX);
        (self.options.limits.measure)() > limit / 100 * percent
    }

    /// Lets states go while something is running.
    pub(crate) fn set_aside_if_due(&mut self) {
        if self.is_above(ENOUGH) && self.set_states_aside() {
            give_back();
        }
    }

    /// Whether a path that is running cannot go on without more being let go.
    pub(crate) fn is_short_of_memory(&self) -> bool {
        self.options.limits.memory.is_some() && self.is_above(TOO_MUCH)
    }

    /// Lets go of whatever it takes, while nothing is running.
    pub(crate) fn mind_memory(&mut self) {
        let is_due = self.options.limits.memory.is_some() && self.steps.is_multiple_of(16);
        let is_asked = self.wants_anew || (is_due && self.is_above(ENOUGH));
        if !is_asked {
            return;
        }
        if self.set_states_aside() && self.has_helped() && !self.wants_anew {
            return;
        }
        // Unless that has just been done.
        if self.wants_anew || self.terms.len() > 2 * self.terms_at_start {
            self.start_anew();
            if self.has_helped() {
                return;
            }
        }
        self.drop_some();
        self.has_helped();
    }

    fn has_helped(&self) -> bool {
        give_back();
        !self.is_above(ENOUGH)
    }

    /// Lets go of half the states that wait: those first that hold the most for what it takes to execute them again.
    /// Whether there were any.
    fn set_states_aside(&mut self) -> bool {
        self.take_hard_back();
        let mut states = Vec::new();
        for id in self.pending.ids() {
            if let Some(state) = &self.pending.get(id).state {
                let cost =
                    self.machine.instructions(state) / (1 + self.machine.weight(state) as u64);
                states.push((cost, self.pending.get(id).trail.branches(), id));
            }
        }
        states.sort_unstable();
        states.truncate(states.len().div_ceil(2));
        for &(_, _, id) in &states {
            self.pending.get_mut(id).state = None;
            self.stats.set_aside += 1;
        }
        !states.is_empty()
    }

    /// Leaves half of what is pending for good: what has come furthest by itself, and is likest to be more of the same.
    fn drop_some(&mut self) {
        let count = self.aside.len().div_ceil(2);
        for work in self.aside.drain(..count).collect::<Vec<_>>() {
            self.stats.dropped += 1;
            self.leave(&work.trail(), &Left::Memory);
        }
        self.take_hard_back();
        let mut ids = self.pending.ids();
        ids.sort_by_key(|&id| (std::cmp::Reverse(self.pending.get(id).trail.branches()), id));
        ids.truncate(ids.len().div_ceil(2));
        for id in ids {
            let pending = self.remove(id);
            self.cut(pending.node);
            let trail = match pending.next {
                Some((decision, condition)) => pending.trail.with(decision, condition),
                None => pending.trail,
            };
            self.stats.dropped += 1;
            self.leave(&trail, &Left::Memory);
        }
    }
}

/// What the process has in memory now; zero where nobody can tell.
pub fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0u64) * rustix::param::page_size() as u64
}

/// Gives free memory back to the system.
fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
