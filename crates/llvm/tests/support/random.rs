//! Random numbers that are the same on every machine.

/// A generator by Steele, Lea and Flood (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
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
