//! Truth tables over one small input.
//!
//! Most of what a symbolic executor asks is about one byte at a time: a comparison, a chain of equalities, a look-up
//! in a character table. Such a condition *is* a set of byte values, whatever operators it is written with. As a set
//! it is intersected with others word by word, and encoded by a cover of prime cubes instead of a circuit.

/// The widest input that is tabulated.
pub const MAX_BITS: u32 = 8;

/// A set of values of an input of up to [`MAX_BITS`] bits: bit v tells whether v is in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Truth(pub [u64; 4]);

impl Truth {
    pub const NONE: Truth = Truth([0; 4]);

    /// All values of an input of `bits` bits.
    pub fn all(bits: u32) -> Truth {
        let mut words = [0; 4];
        for value in 0..(1u32 << bits).div_ceil(64) {
            words[value as usize] = u64::MAX;
        }
        if bits < 6 {
            words[0] = (1 << (1 << bits)) - 1;
        }
        Truth(words)
    }

    /// The set of values for which `holds` is true.
    pub fn from_fn(bits: u32, holds: impl Fn(usize) -> bool) -> Truth {
        let mut truth = Truth::NONE;
        for value in 0..1usize << bits {
            truth.0[value / 64] |= u64::from(holds(value)) << (value % 64);
        }
        truth
    }

    #[inline]
    pub fn contains(&self, value: u64) -> bool {
        self.0[value as usize / 64] >> (value % 64) & 1 == 1
    }

    pub fn insert(&mut self, value: u64) {
        self.0[value as usize / 64] |= 1 << (value % 64);
    }

    #[inline]
    pub fn and(&self, other: &Truth) -> Truth {
        Truth(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline]
    pub fn and_not(&self, other: &Truth) -> Truth {
        Truth(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    #[inline]
    pub fn or(&self, other: &Truth) -> Truth {
        Truth(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The values of an input of `bits` bits that are not in this set.
    pub fn complement(&self, bits: u32) -> Truth {
        Truth::all(bits).and_not(self)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The smallest value in the set.
    pub fn first(&self) -> Option<u64> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word as u64 * 64 + u64::from(self.0[word].trailing_zeros()))
    }

    /// The sets where bit `bit` of the input is 0 and 1, each as a function of the other bits alone
    /// (repeated over both halves).
    fn cofactors(&self, bit: u32) -> (Truth, Truth) {
        const LOW: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0f0f_0f0f_0f0f_0f0f,
            0x00ff_00ff_00ff_00ff,
            0x0000_ffff_0000_ffff,
            0x0000_0000_ffff_ffff,
        ];
        match bit {
            0..=5 => {
                let (mask, by) = (LOW[bit as usize], 1 << bit);
                let spread_low = |w: u64| (w & mask) | (w & mask) << by;
                let spread_high = |w: u64| (w & !mask) | (w & !mask) >> by;
                (
                    Truth(self.0.map(spread_low)),
                    Truth(self.0.map(spread_high)),
                )
            }
            6 => {
                let [a, b, c, d] = self.0;
                (Truth([a, a, c, c]), Truth([b, b, d, d]))
            }
            _ => {
                let [a, b, c, d] = self.0;
                (Truth([a, b, a, b]), Truth([c, d, c, d]))
            }
        }
    }

    /// Prime cubes whose union is this set (Minato and Morreale's irredundant sum of products).
    pub fn cover(&self, bits: u32) -> Vec<Cube> {
        let full = self.repeated(bits);
        let mut cubes = Vec::new();
        isop(&full, &full, bits, Cube::default(), &mut cubes);
        cubes
    }

    /// The table of a function of fewer bits repeated over all 8, so that every cofactor is well defined.
    fn repeated(&self, bits: u32) -> Truth {
        let mut full = *self;
        if bits < 6 {
            let mut width = 1 << bits;
            let mut word = full.0[0];
            while width < 64 {
                word |= word << width;
                width *= 2;
            }
            full.0[0] = word;
        }
        if bits < 7 {
            full.0[1] = full.0[0];
        }
        if bits < 8 {
            full.0[2] = full.0[0];
            full.0[3] = full.0[1];
        }
        full
    }
}

/// A conjunction of bits of the input: those in `care`, with the values in `value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    pub care: u8,
    pub value: u8,
}

/// Adds cubes that cover `lower` and stay inside `upper`, over the lowest `bits` bits; returns what they cover. The
/// depth of recursion is the number of bits.
fn isop(lower: &Truth, upper: &Truth, bits: u32, prefix: Cube, cubes: &mut Vec<Cube>) -> Truth {
    if lower.is_empty() {
        return Truth::NONE;
    }
    if upper.0 == [u64::MAX; 4] {
        cubes.push(prefix);
        return *upper;
    }
    let bit = bits - 1;
    let (lower0, lower1) = lower.cofactors(bit);
    let (upper0, upper1) = upper.cofactors(bit);
    let with = |value: u8| Cube {
        care: prefix.care | 1 << bit,
        value: prefix.value | value << bit,
    };
    let covered0 = isop(&lower0.and_not(&upper1), &upper0, bit, with(0), cubes);
    let covered1 = isop(&lower1.and_not(&upper0), &upper1, bit, with(1), cubes);
    let rest = lower0.and_not(&covered0).or(&lower1.and_not(&covered1));
    let covered = isop(&rest, &upper0.and(&upper1), bit, prefix, cubes);
    // What is covered, as a function of all bits again.
    let (zero, one) = (
        Truth(COLUMNS[bit as usize]).complement(8),
        Truth(COLUMNS[bit as usize]),
    );
    covered0.and(&zero).or(&covered1.and(&one)).or(&covered)
}

/// The table of each input bit.
const COLUMNS: [[u64; 4]; 8] = [
    [0xaaaa_aaaa_aaaa_aaaa; 4],
    [0xcccc_cccc_cccc_cccc; 4],
    [0xf0f0_f0f0_f0f0_f0f0; 4],
    [0xff00_ff00_ff00_ff00; 4],
    [0xffff_0000_ffff_0000; 4],
    [0xffff_ffff_0000_0000; 4],
    [0, u64::MAX, 0, u64::MAX],
    [0, 0, u64::MAX, u64::MAX],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_is_exactly_the_set() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        for round in 0..2000 {
            let bits = round % 8 + 1;
            let mut words: [u64; 4] = std::array::from_fn(|_| next());
            if round % 3 == 0 {
                words = words.map(|w| w & next() & next());
            }
            let truth = Truth(words).and(&Truth::all(bits));
            let cubes = truth.cover(bits);
            for value in 0..1u64 << bits {
                let covered = cubes
                    .iter()
                    .any(|cube| value as u8 & cube.care == cube.value);
                assert_eq!(
                    covered,
                    truth.contains(value),
                    "{truth:?} over {bits} bits at {value}"
                );
            }
        }
    }

    #[test]
    fn one_excluded_value_is_covered_by_a_cube_a_bit() {
        let truth = Truth::from_fn(8, |value| value != 32);
        assert_eq!(truth.cover(8).len(), 8);
        assert_eq!(
            truth.complement(8).cover(8),
            [Cube {
                care: 255,
                value: 32
            }]
        );
    }
}
