//! Random numbers: the same for the same seed, everywhere. Small and extreme ones are frequent, since mistakes are
//! where they are.

/// A generator (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Different for each case of each property.
    pub fn new(seed: u64, property: &str, case: u64) -> Random {
        let start = property
            .bytes()
            .fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
        let mut random = Random(start.wrapping_add(case.wrapping_mul(0xd134_2543_de82_ef95)));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number, its lowest byte first.
    pub fn number(&mut self, bytes: &mut [u8]) {
        let kind = self.next() % 8;
        let small = (self.next() % 16) as u8;
        match kind {
            0 => {
                bytes.fill(0);
                bytes[0] = small;
            }
            // -1 and its like: the largest unsigned numbers.
            1 => {
                bytes.fill(0xff);
                bytes[0] -= small % 4;
            }
            // Around the sign.
            2 => {
                bytes.fill(if small < 8 { 0 } else { 0xff });
                if let Some(last) = bytes.last_mut() {
                    *last ^= 0x80;
                }
            }
            _ => bytes.fill_with(|| (self.next() >> 32) as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed, case| {
            let mut random = Random::new(seed, "p", case);
            [random.next(), random.next(), random.next()]
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert_ne!(numbers(1, 2), numbers(2, 2));
    }

    #[test]
    fn extremes_are_frequent() {
        let mut random = Random::new(0, "p", 0);
        let mut seen = [0; 3];
        for _ in 0..1000 {
            let mut bytes = [0; 4];
            random.number(&mut bytes);
            match i32::from_le_bytes(bytes) {
                0..16 => seen[0] += 1,
                -4..0 => seen[1] += 1,
                i32::MIN | i32::MAX => seen[2] += 1,
                _ => {}
            }
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }
}
