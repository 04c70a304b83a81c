//! Eviction: what is remembered stays within a bound.
//!
//! Answers, solutions and own canonical forms know the check in which they were last of use. When all that is kept for
//! reuse outgrows its bound, the half that was of use least recently is forgotten, and again until at most half of the
//! bound is left. The tries and all else that finds answers are built anew from what stays: it takes as long as adding
//! that, and comes about once for as much as was added since.
//!
//! Between checks nobody but the memory has the ids of solutions. What is forgotten is found out again.

use super::Chain;

/// How many bytes are remembered, unless somebody says otherwise.
pub const MOST_REMEMBERED: usize = 1 << 30;

impl Chain {
    /// Bounds what is remembered: about so many bytes.
    pub fn limit_memory(&mut self, bytes: usize) {
        self.most_bytes = bytes;
    }

    /// About how many bytes what is remembered takes.
    pub fn bytes(&self) -> usize {
        self.memory.bytes() + self.lasting.bytes()
    }

    /// Begins a check for which answers are looked up, with room for more of them.
    pub(super) fn make_room(&mut self) {
        self.look_ups = self.look_ups.saturating_add(1);
        self.memory.begin(self.look_ups);
        self.lasting.begin(self.look_ups);
        if self.bytes() > self.most_bytes {
            self.evict();
        }
    }

    #[cold]
    fn evict(&mut self) {
        loop {
            let mut uses: Vec<u32> = self.memory.uses().chain(self.lasting.uses()).collect();
            let middle = uses.len() / 2;
            let until = match uses.is_empty() {
                true => self.look_ups,
                false => *uses.select_nth_unstable(middle).1,
            };
            let forgotten = self.memory.forget_until(&self.path.atoms, until)
                + self.lasting.forget_until(until);
            self.stats.evicted += forgotten as u64;
            if forgotten == 0 || self.bytes() <= self.most_bytes / 2 {
                return;
            }
        }
    }
}
