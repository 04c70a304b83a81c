//! A fixed number of truth values, packed: which of N assignments make an atom true.

/// A set of the numbers below `len`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits {
    len: usize,
    /// Bits at `len` and above are zero.
    words: Vec<u64>,
}

impl Bits {
    /// All false.
    pub fn new(len: usize) -> Bits {
        Bits {
            len,
            words: vec![0; len.div_ceil(64)],
        }
    }

    /// All true.
    pub fn ones(len: usize) -> Bits {
        let mut bits = Bits {
            len,
            words: vec![u64::MAX; len.div_ceil(64)],
        };
        if !len.is_multiple_of(64)
            && let Some(last) = bits.words.last_mut()
        {
            *last = (1 << (len % 64)) - 1;
        }
        bits
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len);
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    pub fn set(&mut self, index: usize, value: bool) {
        assert!(index < self.len);
        let bit = 1 << (index % 64);
        if value {
            self.words[index / 64] |= bit;
        } else {
            self.words[index / 64] &= !bit;
        }
    }

    /// The values, 64 a word, the first in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn any(&self) -> bool {
        self.words.iter().any(|&word| word != 0)
    }

    pub fn all(&self) -> bool {
        self.count() == self.len
    }

    /// The first that is true.
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Keeps what is true in `other` too.
    pub fn intersect(&mut self, other: &Bits) {
        assert_eq!(self.len, other.len);
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Those that are true, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            std::iter::successors((word != 0).then_some(word), |&rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |rest| place * 64 + rest.trailing_zeros() as usize)
        })
    }
}
