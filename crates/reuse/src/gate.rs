//! Cost gates: a layer that costs more than it saves rests, and tries again later.
//!
//! A gate watches its layer over a window of look-ups: what they took, against what the solver would have taken for
//! those that were hits. A layer that loses rests for a number of look-ups that doubles each time, up to a limit, so
//! that what it can still cost shrinks to nothing, and a layer that begins to pay is found out.
//!
//! Both are counted work (`work`), not time: which layer answers decides which model comes out, and that must be the
//! same in every run.

/// How many look-ups a layer rests at first, and at most.
const FIRST_REST: u32 = 32;
const LONGEST_REST: u32 = 8_192;

#[derive(Debug)]
pub struct Gate {
    /// Whether it may close at all.
    is_watching: bool,
    /// How many times what a question takes it is worth not to ask it.
    worth: u32,
    /// Look-ups that the layer is judged by.
    window: u32,
    tries: u32,
    hits: u32,
    cost: u64,
    /// Look-ups still to be skipped.
    resting: u32,
    next_rest: u32,
}

impl Gate {
    /// A gate that closes, if it may, where the layer takes more than so many times what it saves.
    /// It is judged by a window of so many look-ups.
    pub fn new(is_watching: bool, worth: u32, window: u32) -> Gate {
        Gate {
            is_watching,
            worth,
            window,
            tries: 0,
            hits: 0,
            cost: 0,
            resting: 0,
            next_rest: FIRST_REST,
        }
    }

    /// Does not close from now on.
    pub fn stay_open(&mut self) {
        (self.is_watching, self.resting) = (false, 0);
    }

    /// Whether the layer is to be tried now.
    pub fn is_open(&mut self) -> bool {
        if self.resting > 0 {
            self.resting -= 1;
            return false;
        }
        true
    }

    /// Whether the layer rests at present.
    pub fn is_resting(&self) -> bool {
        self.resting > 0
    }

    /// Notes what the layer takes beside its tries.
    pub fn charge(&mut self, cost: u64) {
        self.cost += cost;
    }

    /// Notes a try: whether it was a hit, what it took, and what asking the solver takes.
    pub fn note(&mut self, is_hit: bool, cost: u64, solving: u64) {
        if !self.is_watching {
            return;
        }
        self.tries += 1;
        self.hits += u32::from(is_hit);
        self.cost += cost;
        if self.tries < self.window {
            return;
        }
        // A question that is not asked saves more than its time: the solver need not follow the path to it, and what
        // it would have learned is not in its way.
        if self.cost > u64::from(self.worth) * solving * u64::from(self.hits) {
            self.resting = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(LONGEST_REST);
        } else {
            self.next_rest = FIRST_REST;
        }
        (self.tries, self.hits, self.cost) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: u64 = 1_000;
    const LONG: u64 = 50_000;

    /// How many of so many look-ups are tried, if every `period`-th would be a hit.
    fn tried(gate: &mut Gate, look_ups: u32, period: u32, cost: u64) -> u32 {
        let mut tried = 0;
        for i in 0..look_ups {
            if gate.is_open() {
                tried += 1;
                gate.note(i % period == 0, cost, LONG);
            }
        }
        tried
    }

    #[test]
    fn a_layer_that_pays_is_always_tried() {
        let mut gate = Gate::new(true, 1, 32);
        assert_eq!(tried(&mut gate, 10_000, 20, SHORT), 10_000);
    }

    #[test]
    fn a_layer_that_loses_is_tried_less_and_less() {
        let mut gate = Gate::new(true, 1, 32);
        let first = tried(&mut gate, 10_000, u32::MAX, LONG);
        let later = tried(&mut gate, 10_000, u32::MAX, LONG);
        assert!(first < 1_000 && later <= first / 2, "{first}, {later}");
    }

    #[test]
    fn a_layer_that_begins_to_pay_comes_back() {
        let mut gate = Gate::new(true, 1, 32);
        tried(&mut gate, 2_000, u32::MAX, LONG);
        tried(&mut gate, 10_000, 1, SHORT);
        assert_eq!(tried(&mut gate, 1_000, 1, SHORT), 1_000);
    }

    #[test]
    fn a_gate_that_does_not_watch_never_closes() {
        let mut gate = Gate::new(false, 1, 32);
        assert_eq!(tried(&mut gate, 1_000, u32::MAX, LONG), 1_000);
    }
}
