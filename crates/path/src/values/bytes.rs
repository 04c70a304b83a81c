//! Sets of values of one small input: a bit for each.
//!
//! Most of what a symbolic executor asks is about one byte at a time: a comparison, a chain of equalities, a look-up
//! in a character table. Such a condition *is* a set of byte values, whatever operators it is written with. As a set
//! it is intersected with others word by word, and encoded by a cover of prime cubes instead of a circuit.

/// The widest input that is tabulated.
pub const MAX_BITS: u32 = 8;

/// A set of values of an input of up to [`MAX_BITS`] bits: bit v tells whether v is in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet(pub [u64; 4]);

impl ByteSet {
    pub const NONE: ByteSet = ByteSet([0; 4]);

    /// All values of an input of `bits` bits.
    pub const fn all(bits: u32) -> ByteSet {
        ByteSet(match bits {
            0..=5 => [(1 << (1 << bits)) - 1, 0, 0, 0],
            6 => [u64::MAX, 0, 0, 0],
            7 => [u64::MAX, u64::MAX, 0, 0],
            _ => [u64::MAX; 4],
        })
    }

    /// The set of values for which `holds` is true.
    pub fn from_fn(bits: u32, holds: impl Fn(usize) -> bool) -> ByteSet {
        let mut truth = ByteSet::NONE;
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
    pub fn and(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline]
    pub fn and_not(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    #[inline]
    pub fn or(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// The values of an input of `bits` bits that are not in this set.
    pub fn complement(&self, bits: u32) -> ByteSet {
        ByteSet::all(bits).and_not(self)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    #[inline]
    pub fn is_subset_of(&self, other: &ByteSet) -> bool {
        self.and_not(other).is_empty()
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The values in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        let words = self.0;
        (0..4u64).flat_map(move |at| {
            let mut word = words[at as usize];
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.checked_sub(1)?;
                Some(64 * at + u64::from(bit))
            })
        })
    }

    /// Puts the values from `first` to `last` in.
    pub fn fill(&mut self, first: u64, last: u64) {
        for (i, word) in (0..).zip(&mut self.0) {
            let (low, high) = (first.max(64 * i), last.min(64 * i + 63));
            if low <= high {
                *word |= u64::MAX >> (63 - (high - low)) << (low % 64);
            }
        }
    }

    /// The smallest value in the set.
    pub fn first(&self) -> Option<u64> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word as u64 * 64 + u64::from(self.0[word].trailing_zeros()))
    }

    /// The sets where bit `bit` of the input is 0 and 1, each as a function of the other bits alone
    /// (repeated over both halves).
    fn cofactors(&self, bit: u32) -> (ByteSet, ByteSet) {
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
                    ByteSet(self.0.map(spread_low)),
                    ByteSet(self.0.map(spread_high)),
                )
            }
            6 => {
                let [a, b, c, d] = self.0;
                (ByteSet([a, a, c, c]), ByteSet([b, b, d, d]))
            }
            _ => {
                let [a, b, c, d] = self.0;
                (ByteSet([a, b, a, b]), ByteSet([c, d, c, d]))
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
    fn repeated(&self, bits: u32) -> ByteSet {
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
fn isop(
    lower: &ByteSet,
    upper: &ByteSet,
    bits: u32,
    prefix: Cube,
    cubes: &mut Vec<Cube>,
) -> ByteSet {
    if lower.is_empty() {
        return ByteSet::NONE;
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
        ByteSet(COLUMNS[bit as usize]).complement(8),
        ByteSet(COLUMNS[bit as usize]),
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
            let truth = ByteSet(words).and(&ByteSet::all(bits));
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
        let truth = ByteSet::from_fn(8, |value| value != 32);
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
