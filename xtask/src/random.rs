//! The random numbers of fuzzers and benchmarks: the same seed gives the same scripts on every machine. The generator
//! is PCG (`rand_pcg`), whose numbers are fixed; what is made of them is here.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

#[derive(Clone, Debug)]
pub struct Rng(Pcg64Mcg);

impl Rng {
    /// The generator of the `index`-th script of a run.
    pub fn for_script(seed: u64, index: u64) -> Self {
        let of_run = Pcg64Mcg::seed_from_u64(seed).next_u64();
        Rng(Pcg64Mcg::seed_from_u64(of_run ^ index))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn wide(&mut self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0);
        (self.next() % bound as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high - low + 1) as usize) as u32
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// An index, drawn in proportion to its weight.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u32 = weights.iter().sum();
        let mut ticket = self.below(total as usize) as u32;
        for (index, &weight) in weights.iter().enumerate() {
            if ticket < weight {
                return index;
            }
            ticket -= weight;
        }
        unreachable!("the ticket is below the total")
    }
}
