//! Random values: often those at which something changes.

use refrain_testing::Random;

pub struct Rng(Random);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(Random::new(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Random bits, but often few of them.
    pub fn word(&mut self) -> u64 {
        match self.below(5) {
            0 => self.pick(&[
                0,
                1,
                9,
                10,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0x7fff_ffff,
                0x8000_0000,
                !0,
                1 << 63,
            ]),
            1 => (self.below(2000) as u64).wrapping_sub(1000),
            _ => self.next() >> self.below(64),
        }
    }

    pub fn double(&mut self) -> f64 {
        match self.below(8) {
            // Ties and near ties of small numbers.
            0 => (self.below(20001) as f64 - 10000.0) / self.pick(&[2.0, 4.0, 8.0, 1000.0, 1024.0]),
            1 => self.pick(&[
                0.0,
                -0.0,
                1.0,
                9.5,
                99.95,
                0.1,
                1e23,
                f64::MAX,
                f64::MIN_POSITIVE,
                f64::INFINITY,
                f64::NAN,
                -f64::NAN,
                f64::NEG_INFINITY,
                5e-324,
                9.999995,
                0.000099999995,
                999999.5,
            ]),
            // Subnormal.
            2 => f64::from_bits(self.next() >> 12 >> self.below(50) | self.next() & 1 << 63),
            3 => f64::from_bits(self.next()),
            4 => 10f64.powi(self.below(40) as i32 - 20) * self.pick(&[1.0, 5.0, 2.5, 9.9999999999]),
            // Few bits, so that the digits end soon.
            5 => f64::from_bits(
                self.next() & 0x8000_0000_0000_0000
                    | (1000 + self.below(50) as u64) << 52
                    | self.next() >> 61 << 49,
            ),
            _ => f64::from_bits(
                (self.next() & 0x800f_ffff_ffff_ffff) | (900 + self.below(250) as u64) << 52,
            ),
        }
    }

    pub fn extended(&mut self) -> (u64, u16) {
        let sign = (self.next() & 0x8000) as u16;
        match self.below(8) {
            // With the first bit set at times, which the processor never writes there.
            0 => (self.next() >> self.below(63), sign),
            1 => (1 << 63, 0x7fff | sign),
            2 => (3 << 62, 0x7fff | sign),
            3 => (0, sign),
            4 => (
                self.next() | 1 << 63,
                sign | (1 + self.next() % 0x7ffe) as u16,
            ),
            // Ties, also of hexadecimal digits.
            5 => (
                1 << 63 | self.next() >> 60 << 60 | 1 << 59,
                sign | (0x3fff + self.below(70) as u16 - 8),
            ),
            6 => (
                self.pick(&[!0, !0 << 1, 0xf8 << 56, 0xfff8 << 48]),
                sign | (0x3fff + self.below(10) as u16),
            ),
            _ => (
                self.next() | 1 << 63,
                sign | (0x3fff + self.below(120) as u16 - 60),
            ),
        }
    }

    pub fn text(&mut self) -> Vec<u8> {
        let len = self.below(12);
        (0..len).map(|_| self.pick(b"abc %d\x80\xff\n")).collect()
    }
}
