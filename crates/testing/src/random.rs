//! The random numbers of all tests: the same on every machine, for good.
//!
//! The generator is PCG (`rand_pcg`), whose numbers are fixed and tested against the reference. What is made of them is
//! here, for distributions of `rand` may change from one version to the next.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

/// Integers that may be drawn.
pub trait Integer: Copy {
    /// # Panics
    /// If it is negative.
    fn to_u64(self) -> u64;
    /// `number` is not larger than what [`Integer::to_u64`] has given.
    fn from_u64(number: u64) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {
        $(impl Integer for $type {
            fn to_u64(self) -> u64 {
                u64::try_from(self).expect("a bound is not negative")
            }

            fn from_u64(number: u64) -> $type {
                number as $type
            }
        })*
    };
}

integers!(u8, u16, u32, u64, usize, i32, i64);

impl Random {
    /// Every seed is as good as any other.
    pub fn new(seed: u64) -> Random {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// If there is none.
    pub fn below<N: Integer>(&mut self, bound: N) -> N {
        let bound = bound.to_u64();
        assert!(bound > 0, "there is no number below zero");
        // The high half of a product is spread as evenly as a remainder, from the better bits.
        N::from_u64(((u128::from(self.next()) * u128::from(bound)) >> 64) as u64)
    }

    /// A number from `-limit` to `limit`.
    pub fn within(&mut self, limit: i64) -> i64 {
        self.below(2 * limit + 1) - limit
    }

    /// True once in so many times.
    pub fn one_in<N: Integer>(&mut self, times: N) -> bool {
        self.below(times.to_u64()) == 0
    }

    /// True so many times of a hundred.
    pub fn percent<N: Integer>(&mut self, chance: N) -> bool {
        self.below(100u64) < chance.to_u64()
    }

    pub fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// One of several.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_stay_what_they_are() {
        // Seeds in tests stand for cases that somebody has chosen.
        assert_eq!(Random::new(0).next(), 0x5603_f242_407d_eca2);
        assert_eq!(Random::new(0).below(100), 33);
        assert_ne!(Random::new(1).next(), Random::new(2).next());
    }

    #[test]
    fn all_numbers_below_a_bound_are_drawn_and_no_others() {
        let mut random = Random::new(1);
        let mut drawn = [0; 7];
        for _ in 0..7000 {
            drawn[random.below(7usize)] += 1;
        }
        assert!(
            drawn.iter().all(|&times| (800..1200).contains(&times)),
            "{drawn:?}"
        );
        assert_eq!(random.below(1), 0);
        assert!(random.one_in(1) && random.percent(100) && !random.percent(0));
    }

    #[test]
    fn what_is_shuffled_stays_together() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(1).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
