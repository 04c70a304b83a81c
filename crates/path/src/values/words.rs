//! Sets of machine integers, and what becomes of them under invertible operations.
//!
//! A word is a point of a circle; the set cuts it open between the largest value and zero. A cut at `c` is the place
//! right below `c`. Each operation here answers: if `f(x)` is in this set, in which set is `x`? With it a restriction
//! of a term is carried to the term inside, exactly, wrap-around included.

use refrain_term::value::mask;

use super::cuts::CutSet;

/// In place: an interval with an exceptional point, or two intervals.
pub type WordCuts = CutSet<u64, 4>;

/// A set of words of a width from 1 to 64 bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WordSet {
    pub width: u32,
    /// From 1 to the largest word.
    pub cuts: WordCuts,
}

impl WordSet {
    pub fn whole(width: u32, is_inside: bool) -> WordSet {
        debug_assert!((1..=64).contains(&width));
        WordSet {
            width,
            cuts: CutSet::whole(is_inside),
        }
    }

    /// From `first` upwards to `last`, through zero if `last` is below `first`.
    pub fn range(width: u32, first: u64, last: u64) -> WordSet {
        let after = last.wrapping_add(1) & mask(width);
        if after == first {
            return WordSet::whole(width, true);
        }
        let (low, high) = (first.min(after), first.max(after));
        // Zero is no cut: nothing is below it.
        let cuts = [low, high].into_iter().filter(|&cut| cut != 0);
        WordSet {
            width,
            cuts: CutSet::new(first == 0 || after < first && after != 0, cuts),
        }
    }

    #[inline]
    pub fn contains(&self, value: u64) -> bool {
        self.cuts.contains_after(&value)
    }

    pub fn complement(self) -> WordSet {
        WordSet {
            width: self.width,
            cuts: self.cuts.complement(),
        }
    }

    /// The set of `x` such that `x + offset` is in this one.
    pub fn without_offset(&self, offset: u64) -> WordSet {
        let cuts = self.cuts.cuts();
        // On the circle, the place right below zero is a cut if the two ends of the line differ.
        let is_cut_at_zero = self.cuts.starts_inside() != self.cuts.ends_inside();
        let zero = is_cut_at_zero.then_some(0);
        let (below, above) = cuts.split_at(cuts.partition_point(|&cut| cut <= offset));
        let turned = above.iter().copied().chain(zero);
        let turned = turned.chain(below.iter().copied());
        let shifted = turned.map(|cut| cut.wrapping_sub(offset) & mask(self.width));
        WordSet {
            width: self.width,
            cuts: CutSet::new(self.contains(offset), shifted.filter(|&cut| cut != 0)),
        }
    }

    /// The set of `x` such that `~x` is in this one.
    pub fn without_not(&self) -> WordSet {
        let mirrored = self.cuts.cuts().iter().rev();
        let mirrored = mirrored.map(|cut| cut.wrapping_neg() & mask(self.width));
        WordSet {
            width: self.width,
            cuts: CutSet::new(self.cuts.ends_inside(), mirrored),
        }
    }

    /// The set of `x` such that `-x`, which is `~x + 1`, is in this one.
    pub fn without_negation(&self) -> WordSet {
        self.without_offset(1).without_not()
    }

    /// The set of `x` such that its bits from `low` on, of this set's width, are in this one.
    pub fn of_high_part(&self, low: u32) -> WordSet {
        debug_assert!(self.width + low <= 64);
        let cuts = self.cuts.cuts().iter().map(|cut| cut << low);
        WordSet {
            width: self.width + low,
            cuts: CutSet::new(self.cuts.starts_inside(), cuts),
        }
    }

    /// The set of `x` of fewer bits such that `x` with zeros in front is in this one.
    pub fn without_zeros(&self, width: u32) -> WordSet {
        let cuts = self.cuts.cuts().iter().copied();
        WordSet {
            width,
            cuts: CutSet::new(
                self.cuts.starts_inside(),
                cuts.take_while(|&cut| cut <= mask(width)),
            ),
        }
    }

    /// The set of `x` of fewer bits such that its sign extension is in this one: that is `x` plus half its range,
    /// with zeros in front, minus half its range.
    pub fn without_sign_extension(&self, width: u32) -> WordSet {
        let half = 1u64 << (width - 1);
        self.without_offset(half.wrapping_neg() & mask(self.width))
            .without_zeros(width)
            .without_offset(half)
    }
}

/// The intervals of a set of words of this width, ascending, by first and last word.
pub fn ranges(width: u32, cuts: &WordCuts) -> impl Iterator<Item = (u64, u64)> {
    cuts.pieces().map(move |(first, after)| {
        (
            first.copied().unwrap_or(0),
            after.map_or(mask(width), |after| after - 1),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 5;
    const COUNT: u64 = 1 << WIDTH;

    fn members(set: &WordSet) -> Vec<u64> {
        (0..1u64 << set.width)
            .filter(|&value| set.contains(value))
            .collect()
    }

    fn of_bits(bits: u64) -> WordSet {
        let bit = |value: u64| bits >> value & 1 == 1;
        WordSet {
            width: WIDTH,
            cuts: CutSet::new(
                bit(0),
                (1..COUNT).filter(|&value| bit(value) != bit(value - 1)),
            ),
        }
    }

    #[test]
    fn a_range_goes_round_the_circle() {
        for first in 0..COUNT {
            for last in 0..COUNT {
                let set = WordSet::range(WIDTH, first, last);
                let inside = |value: u64| {
                    (value.wrapping_sub(first) & mask(WIDTH))
                        <= (last.wrapping_sub(first) & mask(WIDTH))
                };
                for value in 0..COUNT {
                    assert_eq!(set.contains(value), inside(value), "{first}..={last}");
                }
                assert_eq!(set, of_bits(members(&set).iter().map(|v| 1 << v).sum()));
            }
        }
    }

    #[test]
    fn operations_are_undone_exactly() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..2000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1);
            let set = of_bits(bits >> 32 & if round % 2 == 0 { bits >> 16 } else { !0 });
            let offset = bits >> 7 & mask(WIDTH);
            let moved = set.without_offset(offset);
            let (flipped, negated) = (set.without_not(), set.without_negation());
            let high = set.of_high_part(2);
            let (short, signed) = (set.without_zeros(3), set.without_sign_extension(3));
            for x in 0..COUNT {
                let sum = x.wrapping_add(offset) & mask(WIDTH);
                assert_eq!(moved.contains(x), set.contains(sum));
                assert_eq!(flipped.contains(x), set.contains(!x & mask(WIDTH)));
                let negative = x.wrapping_neg() & mask(WIDTH);
                assert_eq!(negated.contains(x), set.contains(negative));
            }
            for x in 0..COUNT * 4 {
                assert_eq!(high.contains(x), set.contains(x >> 2));
            }
            for x in 0..8 {
                assert_eq!(short.contains(x), set.contains(x));
                let extended = if x < 4 { x } else { x | mask(WIDTH) & !7 };
                assert_eq!(signed.contains(x), set.contains(extended));
            }
            let again: u64 = ranges(WIDTH, &set.cuts)
                .flat_map(|(first, last)| first..=last)
                .map(|value| 1 << value)
                .sum();
            assert_eq!(of_bits(again), set);
        }
    }
}
