//! By chance, but the nearer to code that has not run yet, the likelier.

use fastrand::Rng;

use super::{Id, Searcher, View};
use refrain_machine::Goal;

/// Weights are whole numbers, so that sums of them are the same on every machine. They are kept as a Fenwick tree: to
/// draw one takes logarithmic time.
pub struct Weighted {
    random: Rng,
    /// By id, zero for what is not pending.
    weights: Vec<u64>,
    /// By place, from 1: the sum of the weights that a Fenwick tree keeps there.
    sums: Vec<u64>,
    pending: usize,
    /// How much was covered when the weights were last looked at, and how often something was picked since.
    covered: u64,
    picks: usize,
}

/// What code that leads nowhere new still weighs, and what weighs most.
const LEAST: u64 = 1;
const MOST: u64 = 1 << 24;

/// Distances beyond this are all the same.
const FAR: u64 = 1 << 11;

impl Weighted {
    pub fn new(seed: u64) -> Weighted {
        Weighted {
            random: Rng::with_seed(seed),
            weights: Vec::new(),
            sums: vec![0],
            pending: 0,
            covered: 0,
            picks: 0,
        }
    }

    fn weight(id: Id, view: &mut dyn View) -> u64 {
        match view.distance(id, Goal::Uncovered) {
            None => LEAST,
            Some(distance) => {
                let near = (u64::from(distance) + 1).min(FAR);
                (MOST / (near * near)).max(4 * LEAST)
            }
        }
    }

    fn grow(&mut self, len: usize) {
        while self.weights.len() < len {
            self.weights.push(0);
            let at = self.sums.len();
            // A new last place sums what is below it.
            let mut sum = 0;
            let mut below = at - 1;
            let end = at - (at & at.wrapping_neg());
            while below > end {
                sum += self.sums[below];
                below -= below & below.wrapping_neg();
            }
            self.sums.push(sum);
        }
    }

    fn set(&mut self, id: Id, weight: u64) {
        self.grow(id as usize + 1);
        let old = std::mem::replace(&mut self.weights[id as usize], weight);
        let mut at = id as usize + 1;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at] - old + weight;
            at += at & at.wrapping_neg();
        }
    }

    fn total(&self) -> u64 {
        let mut at = self.sums.len() - 1;
        let mut sum = 0;
        while at > 0 {
            sum += self.sums[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }

    /// The id at which the sum of the weights up to it exceeds `target`.
    fn find(&self, mut target: u64) -> Id {
        let mut at = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            let next = at + step;
            if next < self.sums.len() && self.sums[next] <= target {
                at = next;
                target -= self.sums[next];
            }
            step /= 2;
        }
        at as Id
    }

    /// What has run since is not new any more: looked at again, though not for every bit of code.
    fn look_again(&mut self, view: &mut dyn View) {
        self.picks += 1;
        if view.covered() == self.covered || self.picks < self.pending / 4 {
            return;
        }
        self.covered = view.covered();
        self.picks = 0;
        for id in 0..self.weights.len() as Id {
            if self.weights[id as usize] > 0 {
                self.set(id, Weighted::weight(id, view));
            }
        }
    }
}

impl Searcher for Weighted {
    fn add(&mut self, id: Id, view: &mut dyn View) {
        self.set(id, Weighted::weight(id, view));
        self.pending += 1;
    }

    fn remove(&mut self, id: Id) {
        if self
            .weights
            .get(id as usize)
            .is_some_and(|&weight| weight > 0)
        {
            self.set(id, 0);
            self.pending -= 1;
        }
    }

    fn pick(&mut self, view: &mut dyn View) -> Id {
        self.look_again(view);
        let target = self.random.u64(..self.total());
        self.find(target)
    }

    fn go_on(&mut self, choices: usize) -> Option<usize> {
        Some(self.random.usize(..choices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_agree_with_the_weights() {
        let mut weighted = Weighted::new(5);
        let mut random = Rng::with_seed(9);
        for _ in 0..2_000 {
            let id = random.u32(..300);
            weighted.set(id, random.u64(..50));
            let sum: u64 = weighted.weights.iter().sum();
            assert_eq!(weighted.total(), sum);
            if sum > 0 {
                let target = random.u64(..sum);
                let found = weighted.find(target) as usize;
                let before: u64 = weighted.weights[..found].iter().sum();
                assert!(before <= target && target < before + weighted.weights[found]);
            }
        }
    }
}
