//! Random numbers that are the same on every machine.

/// The numbers of all tests, and bytes.
pub struct Random(refrain_testing::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(refrain_testing::Random::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A byte, more often one at a boundary.
    pub fn byte(&mut self) -> u8 {
        match self.below(4) {
            0 => self.pick(&[
                0, 1, 2, 0x7f, 0x80, 0x81, 0xfe, 0xff, b'0', b'9', b'a', b'-', b' ',
            ]),
            1 => self.below(16) as u8,
            _ => self.next() as u8,
        }
    }
}
