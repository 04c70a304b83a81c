//! Numbers, words and sorts as bytes. Every value has one encoding that is written; what is read is checked.

use refrain_term::value::sign_extend_u64;
use refrain_term::{Bv, Rational, Sort};

use super::{MAX_NUMBER_WORDS, MAX_WIDTH};

/// The sort of a slot of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SlotSort {
    /// A symbol; a cell of an array is one of a bit-vector sort.
    Plain(Sort),
    Func {
        args: Box<[Sort]>,
        result: Sort,
    },
}

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_varint(out, (value << 1 ^ value >> 63) as u64);
}

fn put_words(out: &mut Vec<u8>, words: &[u64]) {
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// A word whose width the reader knows: small ones, seen as signed, are short.
pub(crate) fn put_bv(out: &mut Vec<u8>, value: &Bv) {
    let width = value.width();
    if let Some(small) = value.small() {
        return put_signed(out, sign_extend_u64(small, width));
    }
    let low = value.words()[0];
    if Bv::new(64, low).sign_extend(width - 64) == *value {
        out.push(0);
        put_signed(out, low as i64);
    } else {
        out.push(1);
        put_words(out, value.words());
    }
}

/// `None`: too large.
pub(crate) fn put_number(out: &mut Vec<u8>, value: &Rational) -> Option<()> {
    if let Some(small) = value.to_i64() {
        out.push(0);
        put_signed(out, small);
        return Some(());
    }
    match value.words()[..] {
        [numerator, denominator] => {
            out.push(1);
            put_signed(out, numerator as i64);
            put_varint(out, denominator);
        }
        [is_negative, len, ref rest @ ..] => {
            let (numerator, denominator) = rest.split_at_checked(len as usize)?;
            if rest.len() > MAX_NUMBER_WORDS {
                return None;
            }
            out.push(2 + is_negative as u8);
            for words in [numerator, denominator] {
                put_varint(out, words.len() as u64);
                put_words(out, words);
            }
        }
        _ => return None,
    }
    Some(())
}

/// `None`: too wide.
pub(crate) fn put_sort(out: &mut Vec<u8>, sort: Sort) -> Option<()> {
    let fits = |width: u32| (width <= MAX_WIDTH).then_some(u64::from(width));
    match sort {
        Sort::Bool => out.push(0),
        Sort::BitVec(width) => {
            let width = fits(width)?;
            out.push(1);
            put_varint(out, width);
        }
        Sort::Array { index, element } => {
            let (index, element) = (fits(index)?, fits(element)?);
            out.push(2);
            put_varint(out, index);
            put_varint(out, element);
        }
        Sort::Int => out.push(3),
        Sort::Real => out.push(4),
        Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_) => return None,
    }
    Some(())
}

/// What is in front of the sorts of a function.
const FUNC: u8 = 5;

pub(crate) fn put_signature(out: &mut Vec<u8>, args: &[Sort], result: Sort) -> Option<()> {
    out.push(FUNC);
    put_varint(out, args.len() as u64);
    args.iter().try_for_each(|&sort| put_sort(out, sort))?;
    put_sort(out, result)
}

/// Bytes that are still to be read.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// How many things follow, each of which takes a byte or more.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    pub fn width(&mut self) -> Option<u32> {
        let width = u32::try_from(self.varint()?).ok()?;
        (1..=MAX_WIDTH).contains(&width).then_some(width)
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn words(&mut self, count: usize) -> Option<Vec<u64>> {
        let (bytes, rest) = self.rest.split_at_checked(count.checked_mul(8)?)?;
        self.rest = rest;
        let word = |chunk: &[u8]| {
            let bytes = chunk.iter().rev();
            bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        Some(bytes.chunks(8).map(word).collect())
    }

    pub fn bv(&mut self, width: u32) -> Option<Bv> {
        if width <= 64 {
            return Some(Bv::new(width, self.signed()? as u64));
        }
        match self.byte()? {
            0 => Some(Bv::new(64, self.signed()? as u64).sign_extend(width - 64)),
            1 => Some(Bv::from_words(
                width,
                self.words(width.div_ceil(64) as usize)?,
            )),
            _ => None,
        }
    }

    pub fn number(&mut self) -> Option<Rational> {
        match self.byte()? {
            0 => Some(Rational::from(self.signed()?)),
            1 => {
                let (numerator, denominator) = (self.signed()?, self.varint()?);
                let denominator = i64::try_from(denominator).ok().filter(|&d| d != 0)?;
                Some(Rational::new(numerator, denominator))
            }
            tag @ (2 | 3) => {
                let numerator = self.natural()?;
                let denominator = self.natural()?;
                if denominator.is_zero() {
                    return None;
                }
                let value = &numerator / &denominator;
                Some(if tag == 3 { -value } else { value })
            }
            _ => None,
        }
    }

    fn natural(&mut self) -> Option<Rational> {
        let count = self.count()?;
        if count > MAX_NUMBER_WORDS {
            return None;
        }
        let base = Rational::from(1 << 32);
        let mut value = Rational::ZERO;
        for word in self.words(count)?.into_iter().rev() {
            for half in [word >> 32, word & 0xffff_ffff] {
                value = &(&value * &base) + &Rational::from(half as i64);
            }
        }
        Some(value)
    }

    fn sort_of(&mut self, tag: u8) -> Option<Sort> {
        Some(match tag {
            0 => Sort::Bool,
            1 => Sort::BitVec(self.width()?),
            2 => Sort::Array {
                index: self.width()?,
                element: self.width()?,
            },
            3 => Sort::Int,
            4 => Sort::Real,
            _ => return None,
        })
    }

    fn sort(&mut self) -> Option<Sort> {
        let tag = self.byte()?;
        self.sort_of(tag)
    }

    pub fn slot_sort(&mut self) -> Option<SlotSort> {
        match self.byte()? {
            FUNC => {
                let count = self.count()?;
                let args: Option<Box<[Sort]>> = (0..count).map(|_| self.sort()).collect();
                Some(SlotSort::Func {
                    args: args?,
                    result: self.sort()?,
                })
            }
            tag => Some(SlotSort::Plain(self.sort_of(tag)?)),
        }
    }
}
