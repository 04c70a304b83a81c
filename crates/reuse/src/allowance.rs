//! How many of something are worth having: as many as have turned out to be of use lately, and some more.
//!
//! This is how the limits of the partial-solution cache set themselves: how many partial solutions a solve is asked
//! for (the paper's K_p), and how many solutions a query tries (its K_s).

use crate::preset::Count;

/// Tries that an allowance is judged by.
const WINDOW: u32 = 16;

#[derive(Clone, Debug)]
pub struct Allowance {
    limit: usize,
    least: usize,
    most: usize,
    tries: u32,
    /// One more than the last place that was of use in this window.
    useful: usize,
}

impl Allowance {
    /// As many as a preset says. What adapts does so between a least number and the preset's most.
    pub fn of(count: Count, least: usize) -> Allowance {
        match count {
            Count::Adaptive { start, most } => Allowance::between(least, start, most),
            Count::Fixed(limit) => Allowance::fixed(limit),
        }
    }

    /// Never changes.
    pub fn fixed(limit: usize) -> Allowance {
        Allowance::between(limit, limit, limit)
    }

    pub fn between(least: usize, start: usize, most: usize) -> Allowance {
        Allowance {
            limit: start,
            least,
            most,
            tries: 0,
            useful: 0,
        }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Notes a try, and which of those allowed was of use.
    pub fn note(&mut self, used: Option<usize>) {
        self.tries += 1;
        if let Some(place) = used {
            self.useful = self.useful.max(place + 1);
            // What is found near the end may be found beyond it.
            if 2 * self.useful > self.limit {
                self.limit = (2 * self.limit.max(1)).clamp(self.least, self.most);
            }
        }
        if self.tries >= WINDOW {
            let wanted = (2 * self.useful).max(self.limit / 2);
            self.limit = self.limit.min(wanted).clamp(self.least, self.most);
            (self.tries, self.useful) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_no_use_shrinks_to_the_least() {
        let mut allowance = Allowance::between(2, 16, 64);
        (0..100).for_each(|_| allowance.note(None));
        assert_eq!(allowance.limit(), 2);
    }

    #[test]
    fn use_near_the_end_grows_and_use_at_the_front_does_not() {
        let mut allowance = Allowance::between(2, 16, 64);
        (0..4).for_each(|_| allowance.note(Some(allowance.limit() - 1)));
        assert_eq!(allowance.limit(), 64);
        (0..160).for_each(|_| allowance.note(Some(3)));
        assert_eq!(allowance.limit(), 8);
    }

    #[test]
    fn what_is_fixed_stays() {
        let mut allowance = Allowance::fixed(50);
        (0..100).for_each(|i| allowance.note((i % 2 == 0).then_some(49)));
        assert_eq!(allowance.limit(), 50);
    }
}
