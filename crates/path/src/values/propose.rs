//! Sets as domains: what several leave together, and values worth trying.

use refrain_term::value::mask;

use super::cuts::CutSet;
use super::words::{self, WordCuts};
use super::{Repr, ValueSet};

impl ValueSet {
    /// What all of these sets leave of this one. Words that are only left out one by one may be many: they are left
    /// out at once.
    pub fn narrowed<'a>(mut self, by: impl IntoIterator<Item = &'a ValueSet>) -> ValueSet {
        let mut holes = Vec::new();
        for set in by {
            match set.hole() {
                Some(hole) => holes.push(hole),
                None => self = self.intersection(set),
            }
        }
        match (&self.0, holes.is_empty()) {
            (&Repr::Words { width, .. }, false) => {
                let cuts = without(u32::from(width), holes);
                self.intersection(&ValueSet(Repr::Words { width, cuts }))
            }
            _ => self,
        }
    }

    /// The only word that is not in the set, if it is one of words of more than 8 bits.
    pub fn hole(&self) -> Option<u64> {
        let Repr::Words { width, cuts } = &self.0 else {
            return None;
        };
        match (cuts.starts_inside(), cuts.cuts()) {
            (false, [1]) => Some(0),
            (true, &[at, after]) if after == at + 1 => Some(at),
            (true, &[last]) if last == mask(u32::from(*width)) => Some(last),
            _ => None,
        }
    }

    /// The smallest truth value or word in the set.
    pub fn first_word(&self) -> Option<u64> {
        match &self.0 {
            Repr::Bool(set) => (*set != 0).then(|| u64::from(set.trailing_zeros())),
            Repr::Table { bits, .. } => bits.first(),
            Repr::Words { width, cuts } => {
                let (first, _) = words::ranges(u32::from(*width), cuts).next()?;
                Some(first)
            }
            Repr::Ints(_) | Repr::Reals(_) => None,
        }
    }

    /// Up to `count` words worth trying: all of a small set, the ends of intervals and some words between.
    pub fn some_words(&self, count: usize, random: &mut fastrand::Rng) -> Vec<u64> {
        match &self.0 {
            Repr::Bool(set) => (0..2).filter(|value| set >> value & 1 == 1).collect(),
            Repr::Table { bits, .. } => bits.iter().take(count).collect(),
            Repr::Words { width, cuts } => {
                let ranges: Vec<(u64, u64)> =
                    words::ranges(u32::from(*width), cuts).take(count).collect();
                let mut found = Vec::with_capacity(count);
                for &(first, last) in &ranges {
                    found.extend([first, last, first + (last - first) / 2]);
                }
                for (i, &(first, last)) in (0..count).zip(ranges.iter().cycle()) {
                    // Near the lower end as often as anywhere.
                    let most = match i % 2 {
                        0 => (last - first) >> random.u32(0..64),
                        _ => last - first,
                    };
                    found.push(first + random.u64(0..=most));
                }
                found.dedup();
                found.truncate(count);
                found
            }
            Repr::Ints(_) | Repr::Reals(_) => Vec::new(),
        }
    }
}

/// All words of a width but these.
fn without(width: u32, mut holes: Vec<u64>) -> WordCuts {
    holes.sort_unstable();
    holes.dedup();
    let mut cuts = Vec::new();
    for &hole in &holes {
        // Right after another hole there is nothing between.
        if cuts.last() == Some(&hole) {
            cuts.pop();
        } else if hole != 0 {
            cuts.push(hole);
        }
        if hole != mask(width) {
            cuts.push(hole + 1);
        }
    }
    CutSet::new(holes.first() != Some(&0), cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_exactly_what_all_allow() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let sets: Vec<ValueSet> = (0..random.usize(0..8))
                .map(|_| {
                    let (first, last) = (random.u64(0..512), random.u64(0..512));
                    match random.u32(0..5) {
                        0 | 1 => ValueSet::range(9, first, last),
                        2 => ValueSet::range(9, 0, 0).complement(),
                        3 => ValueSet::range(9, 511, 511).complement(),
                        _ => ValueSet::range(9, first, first).complement(),
                    }
                })
                .collect();
            let all = ValueSet::range(9, 0, 511);
            let left = all.narrowed(&sets);
            let allowed = |value: u64| sets.iter().all(|set| set.contains_word(value));
            let expected: Vec<u64> = (0..512).filter(|&value| allowed(value)).collect();
            let found: Vec<u64> = (0..512)
                .filter(|&value| left.contains_word(value))
                .collect();
            assert_eq!(found, expected);
            assert_eq!(left.first_word(), expected.first().copied());
            let words = left.some_words(20, &mut random);
            assert!(words.iter().all(|word| expected.contains(word)));
            assert_eq!(words.is_empty(), expected.is_empty());
        }
    }

    #[test]
    fn the_only_hole_of_a_set_is_known() {
        for hole in [0, 1, 100, 510, 511] {
            let set = ValueSet::range(9, hole, hole).complement();
            assert_eq!(set.hole(), Some(hole));
            assert_eq!(set.complement().hole(), None);
        }
    }
}
