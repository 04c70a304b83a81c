//! Which bytes of an object have not been initialised: disjoint ranges, none touching another.
//!
//! Programs fill memory in runs, so a few ranges tell what a bit for each byte would.

use std::collections::BTreeMap;

#[derive(Clone, Default)]
pub(super) struct Gaps(BTreeMap<u64, u64>);

impl Gaps {
    pub fn all(size: u64) -> Gaps {
        let mut gaps = Gaps::default();
        gaps.insert(0, size);
        gaps
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first uninitialised range that meets `from..to`, cut to it.
    pub fn first(&self, from: u64, to: u64) -> Option<(u64, u64)> {
        if let Some((_, &end)) = self.0.range(..=from).next_back()
            && end > from
            && from < to
        {
            return Some((from, end.min(to)));
        }
        let (&start, &end) = self.0.range(from..).next()?;
        (start < to).then(|| (start, end.min(to)))
    }

    /// Where the gap that `at` lies in ends; `at` itself if it lies in none.
    pub fn end(&self, at: u64) -> u64 {
        let gap = self.0.range(..=at).next_back();
        gap.map_or(at, |(_, &end)| end.max(at))
    }

    /// The initialised run around `at` inside `low..high`, if `at` is initialised.
    pub fn run(&self, at: u64, low: u64, high: u64) -> Option<(u64, u64)> {
        let low = match self.0.range(..=at).next_back() {
            Some((_, &end)) if end > at => return None,
            Some((_, &end)) => low.max(end),
            None => low,
        };
        let high = match self.0.range(at..).next() {
            Some((&start, _)) => high.min(start),
            None => high,
        };
        Some((low, high))
    }

    pub fn insert(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        let (mut from, mut to) = (from, to);
        // Whatever overlaps or touches becomes one range.
        while let Some((&start, &end)) = self.0.range(..=to).next_back()
            && end >= from
        {
            self.0.remove(&start);
            from = from.min(start);
            to = to.max(end);
        }
        self.0.insert(from, to);
    }

    pub fn remove(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        while let Some((&start, &end)) = self.0.range(..to).next_back()
            && end > from
        {
            self.0.remove(&start);
            if end > to {
                self.0.insert(to, end);
            }
            if start < from {
                self.0.insert(start, from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_testing::Random;

    #[test]
    fn ranges_agree_with_bits() {
        let mut random = Random::new(1);
        let mut random = |n: u64| random.below(n);
        let mut bits = [true; 64];
        let mut gaps = Gaps::all(64);
        for _ in 0..5000 {
            let from = random(64);
            let to = from + random(65 - from);
            let missing = random(2) == 0;
            if missing {
                gaps.insert(from, to);
            } else {
                gaps.remove(from, to);
            }
            bits[from as usize..to as usize].fill(missing);
            let (from, to) = (random(64), random(65));
            let expected = (from..to).find(|&i| bits[i as usize]);
            assert_eq!(gaps.first(from, to).map(|(start, _)| start), expected);
            let at = random(64);
            match gaps.run(at, 0, 64) {
                None => assert!(bits[at as usize]),
                Some((low, high)) => {
                    assert!((low..high).all(|i| !bits[i as usize]));
                    assert!(low == 0 || bits[low as usize - 1]);
                    assert!(high == 64 || bits[high as usize]);
                }
            }
            assert_eq!(gaps.is_empty(), !bits.contains(&true));
        }
    }
}
