//! Elements of at most 64 bits at the indices from zero on, packed into machine words.
//!
//! Arrays of programs are mostly bytes, read and written from the beginning. Eight of them are one word here, found
//! by a shift: there is nothing to hash, and whoever goes through them all goes through little memory.

use crate::value::mask;

/// An element takes 2^this many bits of a word.
fn log_bits(width: u32) -> u32 {
    width.next_power_of_two().trailing_zeros()
}

/// Which word has the element of this width and index, and how far to the left it is there.
pub(crate) fn place(width: u32, index: u64) -> (usize, u32) {
    place_by_bits(log_bits(width), index)
}

#[inline]
fn place_by_bits(log_bits: u32, index: u64) -> (usize, u32) {
    let log_count = 6 - log_bits;
    let within = index as u32 & ((1 << log_count) - 1);
    ((index >> log_count) as usize, within << log_bits)
}

/// A vector of elements that are all the same at first.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    words: Vec<u64>,
    /// A word of nothing but initial elements.
    initial: u64,
    /// How many elements are not the initial one.
    changed: usize,
    log_bits: u32,
}

impl Dense {
    /// No elements yet; those to come have `width` bits and are `initial`.
    pub(crate) fn new(width: u32, mut initial: u64) -> Dense {
        debug_assert!(width <= 64);
        let log_bits = log_bits(width);
        for log in log_bits..6 {
            initial |= initial << (1 << log);
        }
        Dense {
            words: Vec::new(),
            initial,
            changed: 0,
            log_bits,
        }
    }

    /// How many words of elements there are.
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> u64 {
        (self.words.len() as u64) << (6 - self.log_bits)
    }

    /// How many elements are not the initial one.
    pub(crate) fn changed(&self) -> usize {
        self.changed
    }

    #[inline]
    fn mask(&self) -> u64 {
        mask(1 << self.log_bits)
    }

    #[inline]
    pub(crate) fn get(&self, index: u64) -> Option<u64> {
        let (word, shift) = place_by_bits(self.log_bits, index);
        Some(self.words.get(word)? >> shift & self.mask())
    }

    /// A word of elements; an initial one where there are none yet.
    #[inline]
    pub(crate) fn word(&self, word: usize) -> u64 {
        self.words.get(word).copied().unwrap_or(self.initial)
    }

    /// Changes an element that is there.
    pub(crate) fn set(&mut self, index: u64, element: u64) {
        let (word, shift) = place_by_bits(self.log_bits, index);
        let mask = self.mask();
        let initial = self.initial & mask;
        let word = &mut self.words[word];
        let before = *word >> shift & mask;
        *word = *word & !(mask << shift) | element << shift;
        self.changed -= usize::from(before != initial);
        self.changed += usize::from(element != initial);
    }

    /// Makes room for an element, and for as many again.
    pub(crate) fn grow(&mut self, index: u64) {
        let len = (index + 1).next_power_of_two().max(16);
        let words = (len >> (6 - self.log_bits)).max(1);
        self.words.resize(words as usize, self.initial);
    }

    /// The elements that are not the initial one, by ascending index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let (mask, per_word) = (self.mask(), 1u64 << (6 - self.log_bits));
        let initial = self.initial & mask;
        let changed = (0..)
            .zip(&self.words)
            .filter(|(_, word)| **word != self.initial);
        changed.flat_map(move |(place, &word)| {
            (0..per_word)
                .map(move |within| {
                    let element = word >> (within << self.log_bits) & mask;
                    (place * per_word + within, element)
                })
                .filter(move |&(_, element)| element != initial)
        })
    }
}

/// The same elements; those that are not there yet count as initial ones.
impl PartialEq for Dense {
    fn eq(&self, other: &Dense) -> bool {
        let words = self.words().max(other.words());
        self.changed == other.changed && (0..words).all(|at| self.word(at) == other.word(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_any_width_are_packed() {
        for width in [1, 2, 3, 8, 13, 16, 32, 33, 64] {
            let element = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask(width);
            let initial = element(3);
            let mut dense = Dense::new(width, initial);
            assert_eq!(dense.get(0), None);
            for index in [5, 0, 77, 40] {
                if index >= dense.len() {
                    dense.grow(index);
                }
                dense.set(index, element(index));
                assert_eq!(dense.get(index), Some(element(index)), "width {width}");
            }
            assert!(dense.len() > 77);
            assert_eq!(dense.get(dense.len()), None);
            assert_eq!(dense.get(76), Some(initial));
            let expected: Vec<(u64, u64)> = [0, 5, 40, 77]
                .map(|index| (index, element(index)))
                .into_iter()
                .filter(|&(_, element)| element != initial)
                .collect();
            assert_eq!(dense.iter().collect::<Vec<_>>(), expected, "width {width}");
            assert_eq!(dense.changed(), expected.len());
            dense.set(77, initial);
            assert!(dense.iter().all(|(index, _)| index != 77));
        }
    }
}
