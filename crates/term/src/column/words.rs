//! Columns of machine words, each as narrow as its term allows: a column of bytes is an eighth of the memory of one of
//! 64-bit words, and a vector instruction does eight times as many of its lanes.

use std::ops::{BitAnd, BitOr, BitXor};

/// A machine word that columns are made of.
pub(super) trait Word:
    Copy + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + 'static
{
    const ZERO: Self;

    /// The low bits.
    fn of(word: u64) -> Self;
    fn word(self) -> u64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Shifts, by less than the number of bits.
    fn left(self, by: u32) -> Self;
    fn right(self, by: u32) -> Self;

    /// A column that is known to be of this type.
    fn of_words(words: &Words) -> &[Self];
    fn of_words_mut(words: &mut Words) -> &mut Vec<Self>;
    fn into_words(column: Vec<Self>) -> Words;
    fn pool(pool: &mut Pool) -> &mut Vec<Vec<Self>>;
}

/// A column of the narrowest type that its term's width allows.
pub(super) enum Words {
    W8(Vec<u8>),
    W16(Vec<u16>),
    W32(Vec<u32>),
    W64(Vec<u64>),
}

/// Buffers to use again.
#[derive(Default)]
pub(super) struct Pool {
    w8: Vec<Vec<u8>>,
    w16: Vec<Vec<u16>>,
    w32: Vec<Vec<u32>>,
    w64: Vec<Vec<u64>>,
}

macro_rules! word {
    ($type:ident, $variant:ident, $pool:ident) => {
        impl Word for $type {
            const ZERO: $type = 0;

            #[inline]
            fn of(word: u64) -> $type {
                word as $type
            }
            #[inline]
            fn word(self) -> u64 {
                u64::from(self)
            }
            #[inline]
            fn plus(self, other: $type) -> $type {
                self.wrapping_add(other)
            }
            #[inline]
            fn minus(self, other: $type) -> $type {
                self.wrapping_sub(other)
            }
            #[inline]
            fn times(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }
            #[inline]
            fn left(self, by: u32) -> $type {
                self.wrapping_shl(by)
            }
            #[inline]
            fn right(self, by: u32) -> $type {
                self.wrapping_shr(by)
            }

            fn of_words(words: &Words) -> &[$type] {
                match words {
                    Words::$variant(column) => column,
                    _ => unreachable!("a column of another width"),
                }
            }
            fn of_words_mut(words: &mut Words) -> &mut Vec<$type> {
                match words {
                    Words::$variant(column) => column,
                    _ => unreachable!("a column of another width"),
                }
            }
            fn into_words(column: Vec<$type>) -> Words {
                Words::$variant(column)
            }
            fn pool(pool: &mut Pool) -> &mut Vec<Vec<$type>> {
                &mut pool.$pool
            }
        }
    };
}

word!(u8, W8, w8);
word!(u16, W16, w16);
word!(u32, W32, w32);
word!(u64, W64, w64);

/// An expression with `$word` the type of columns of values of this width.
macro_rules! by_width {
    ($width:expr, $word:ident => $body:expr) => {
        match $width {
            ..=8 => {
                type $word = u8;
                $body
            }
            9..=16 => {
                type $word = u16;
                $body
            }
            17..=32 => {
                type $word = u32;
                $body
            }
            _ => {
                type $word = u64;
                $body
            }
        }
    };
}
pub(super) use by_width;

/// An expression with `$column` the vector in some words.
macro_rules! each_type {
    ($words:expr, $column:ident => $body:expr) => {
        match $words {
            Words::W8($column) => $body,
            Words::W16($column) => $body,
            Words::W32($column) => $body,
            Words::W64($column) => $body,
        }
    };
}

impl Words {
    pub(super) fn with_capacity(width: u32, capacity: usize) -> Words {
        by_width!(width, W => W::into_words(Vec::with_capacity(capacity)))
    }

    pub(super) fn len(&self) -> usize {
        each_type!(self, column => column.len())
    }

    pub(super) fn get(&self, lane: usize) -> u64 {
        each_type!(self, column => column[lane].word())
    }

    pub(super) fn push(&mut self, word: u64) {
        each_type!(self, column => column.push(Word::of(word)));
    }

    /// Takes over as many values as there are.
    pub(super) fn copy_from(&mut self, values: &[u64]) {
        each_type!(self, column => {
            for (out, &value) in column.iter_mut().zip(values) {
                *out = Word::of(value);
            }
        });
    }

    fn bits(&self) -> u32 {
        match self {
            Words::W8(_) => 8,
            Words::W16(_) => 16,
            Words::W32(_) => 32,
            Words::W64(_) => 64,
        }
    }

    /// The same values of this width in columns of their type.
    pub(super) fn narrow(&mut self, width: u32) {
        if by_width!(width, W => W::BITS) != self.bits() {
            *self = by_width!(width, W => W::into_words(each_type!(
                self,
                column => column.iter().map(|&value| W::of(value.word())).collect()
            )));
        }
    }
}

/// A column, to read from.
#[derive(Clone, Copy)]
pub(super) enum Lanes<'a, W> {
    Uniform(W),
    Each(&'a [W]),
}

impl<W: Word> Lanes<'_, W> {
    #[inline]
    pub(super) fn get(self, lane: usize) -> W {
        match self {
            Lanes::Uniform(value) => value,
            Lanes::Each(column) => column[lane],
        }
    }
}

impl Pool {
    /// A buffer of some content.
    pub(super) fn take<W: Word>(&mut self, len: usize) -> Vec<W> {
        let mut buffer = W::pool(self).pop().unwrap_or_default();
        buffer.resize(len, W::ZERO);
        buffer
    }

    /// A buffer for values of this width.
    pub(super) fn take_for(&mut self, width: u32, len: usize) -> Words {
        by_width!(width, W => W::into_words(self.take(len)))
    }

    pub(super) fn give(&mut self, words: Words) {
        each_type!(words, column => Word::pool(self).push(column));
    }
}
