//! The container that bitcode is written in: nested blocks of abbreviated records, bit by bit.
//!
//! Knows nothing of what the records mean. The bytes are not trusted: nothing is allocated by a count they state,
//! every step moves forward, and whatever does not fit is an error with its bit offset.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use thiserror::Error;

/// Blocks within blocks deeper than this are nothing a compiler writes.
const MAX_DEPTH: usize = 32;

/// Operands of one abbreviation. Compilers use about thirty; a bound keeps literals, which cost no bits, from
/// blowing a small file up.
const MAX_ABBREVIATION: u64 = 128;

/// Abbreviations of one block: entering a block copies the list.
const MAX_ABBREVIATIONS: usize = 1024;

const END_BLOCK: u64 = 0;
const ENTER_BLOCK: u64 = 1;
const DEFINE_ABBREVIATION: u64 = 2;
const UNABBREVIATED: u64 = 3;
const FIRST_ABBREVIATION: u64 = 4;

/// The block that defines abbreviations for all blocks of a kind.
pub(super) const BLOCKINFO: u32 = 0;
const SET_BLOCK: u32 = 1;

/// What is wrong with the container.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum StreamProblem {
    #[error("the file ends within it")]
    End,
    #[error("a number of more than 64 bits")]
    LongNumber,
    #[error("an abbreviation that is not defined ({0})")]
    UnknownAbbreviation(u64),
    #[error("a malformed abbreviation: {0}")]
    BadAbbreviation(&'static str),
    #[error("a count of {0} that the file has no room for")]
    Count(u64),
    #[error("abbreviation identifiers of {0} bits")]
    AbbreviationWidth(u64),
    #[error("blocks nested too deep")]
    Depth,
    #[error("a block that ends outside of every block")]
    StrayEnd,
}

type Result<T> = std::result::Result<T, StreamProblem>;

#[derive(Clone, Copy, Debug)]
enum Scalar {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Char6,
}

#[derive(Clone, Copy, Debug)]
enum Tail {
    None,
    Array(Scalar),
    Blob,
}

#[derive(Debug)]
struct Abbreviation {
    scalars: Vec<Scalar>,
    tail: Tail,
}

/// A record: its vectors are used again for the next one.
#[derive(Default, Debug)]
pub(super) struct Record {
    pub code: u32,
    pub ops: Vec<u64>,
    /// Where in the data the record's blob is.
    pub blob: Option<Range<usize>>,
}

/// What comes next in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// A block of this kind, to be entered or skipped.
    Block(u32),
    EndBlock,
    Record,
}

struct Scope {
    block: u32,
    width: u32,
    abbreviations: Vec<Rc<Abbreviation>>,
}

/// A place in the stream, and the definitions that hold there.
pub(super) struct Stream<'a> {
    data: &'a [u8],
    /// In bits.
    at: u64,
    end: u64,
    scope: Scope,
    outer: Vec<Scope>,
    infos: FxHashMap<u32, Vec<Rc<Abbreviation>>>,
    /// Where the last entry starts, in bits.
    entry_at: u64,
}

/// A place in a stream.
#[derive(Clone, Copy)]
pub(super) struct Place(u64);

const TOP_LEVEL: u32 = u32::MAX;

impl<'a> Stream<'a> {
    /// At the top level of the data, from a byte on (the magic number is behind it).
    pub fn new(data: &'a [u8], byte: usize) -> Stream<'a> {
        Stream {
            data,
            at: byte as u64 * 8,
            end: data.len() as u64 * 8,
            scope: Scope {
                block: TOP_LEVEL,
                width: 2,
                abbreviations: Vec::new(),
            },
            outer: Vec::new(),
            infos: FxHashMap::default(),
            entry_at: byte as u64 * 8,
        }
    }

    /// Where the entry that was read last starts.
    pub fn entry_bit(&self) -> u64 {
        self.entry_at
    }

    /// The kind of the current block, unless at the top level.
    pub fn block(&self) -> Option<u32> {
        (self.scope.block != TOP_LEVEL).then_some(self.scope.block)
    }

    /// Whether fewer than the four bytes that a block needs are left.
    pub fn at_end(&self) -> bool {
        self.end - self.at < 32
    }

    /// Where the next entry starts, which between blocks of the top level is at a byte.
    pub fn byte(&self) -> usize {
        (self.at / 8) as usize
    }

    pub fn bits_left(&self) -> u64 {
        self.end - self.at
    }

    #[inline]
    fn read(&mut self, width: u32) -> Result<u64> {
        debug_assert!(width <= 64);
        if width == 0 {
            return Ok(0);
        }
        if self.end - self.at < u64::from(width) {
            return Err(StreamProblem::End);
        }
        let byte = (self.at / 8) as usize;
        let shift = (self.at % 8) as u32;
        let mut word = [0; 8];
        let mut value = match self.data.get(byte..byte + 8) {
            Some(bytes) => {
                word.copy_from_slice(bytes);
                u64::from_le_bytes(word) >> shift
            }
            None => {
                let rest = &self.data[byte..];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word) >> shift
            }
        };
        if shift + width > 64 {
            value |= u64::from(self.data[byte + 8]) << (64 - shift);
        }
        self.at += u64::from(width);
        Ok(value & (u64::MAX >> (64 - width)))
    }

    #[inline]
    fn read_vbr(&mut self, width: u32) -> Result<u64> {
        let more = 1 << (width - 1);
        let mut chunk = self.read(width)?;
        let mut value = chunk & (more - 1);
        let mut shift = width - 1;
        while chunk & more != 0 {
            chunk = self.read(width)?;
            let part = chunk & (more - 1);
            if shift < 64 {
                value |= part << shift;
            } else if part != 0 || shift > 128 {
                return Err(StreamProblem::LongNumber);
            }
            shift += width - 1;
        }
        Ok(value)
    }

    fn align(&mut self) -> Result<()> {
        let aligned = self.at.next_multiple_of(32);
        if aligned > self.end {
            return Err(StreamProblem::End);
        }
        self.at = aligned;
        Ok(())
    }

    /// The next entry of the current block; a record is read into `record`. Definitions of abbreviations are taken
    /// in on the way.
    pub fn next(&mut self, record: &mut Record) -> Result<Entry> {
        loop {
            self.entry_at = self.at;
            match self.read(self.scope.width)? {
                END_BLOCK => {
                    self.align()?;
                    self.scope = self.outer.pop().ok_or(StreamProblem::StrayEnd)?;
                    return Ok(Entry::EndBlock);
                }
                ENTER_BLOCK => {
                    let kind = self.read_vbr(8)?;
                    return Ok(Entry::Block(u32::try_from(kind).unwrap_or(TOP_LEVEL - 1)));
                }
                DEFINE_ABBREVIATION => {
                    let abbreviation = self.read_abbreviation()?;
                    define(&mut self.scope.abbreviations, abbreviation)?;
                }
                UNABBREVIATED => {
                    self.read_unabbreviated(record)?;
                    return Ok(Entry::Record);
                }
                id => {
                    let index = id - FIRST_ABBREVIATION;
                    let abbreviation = usize::try_from(index)
                        .ok()
                        .and_then(|index| self.scope.abbreviations.get(index));
                    let abbreviation =
                        abbreviation.ok_or(StreamProblem::UnknownAbbreviation(id))?;
                    let abbreviation = Rc::clone(abbreviation);
                    self.read_abbreviated(&abbreviation, record)?;
                    return Ok(Entry::Record);
                }
            }
        }
    }

    /// Where reading goes on, to come back to it in the same block or outside of it.
    pub fn place(&self) -> Place {
        Place(self.at)
    }

    /// Goes to a place right behind an [`Entry::Block`], which is entered or skipped next.
    pub fn go_to(&mut self, place: Place) {
        self.at = place.0;
    }

    /// After [`Entry::Block`]: goes into it.
    pub fn enter(&mut self, block: u32) -> Result<()> {
        let width = self.read_vbr(4)?;
        self.align()?;
        // The length is only needed to skip a block.
        self.read(32)?;
        if !(2..=32).contains(&width) {
            return Err(StreamProblem::AbbreviationWidth(width));
        }
        if self.outer.len() >= MAX_DEPTH {
            return Err(StreamProblem::Depth);
        }
        let inner = Scope {
            block,
            width: width as u32,
            abbreviations: self.infos.get(&block).cloned().unwrap_or_default(),
        };
        self.outer.push(std::mem::replace(&mut self.scope, inner));
        Ok(())
    }

    /// After [`Entry::Block`]: goes past it.
    pub fn skip(&mut self) -> Result<()> {
        self.read_vbr(4)?;
        self.align()?;
        let words = self.read(32)?;
        let to = self.at + words * 32;
        if to > self.end {
            return Err(StreamProblem::End);
        }
        self.at = to;
        Ok(())
    }

    /// After [`Entry::Block`] of the kind [`BLOCKINFO`]: takes in its definitions.
    pub fn read_block_info(&mut self) -> Result<()> {
        self.enter(BLOCKINFO)?;
        let mut record = Record::default();
        let mut current = None;
        loop {
            // Definitions in this block belong to the block that it names, so they are taken in one by one here.
            self.entry_at = self.at;
            match self.read(self.scope.width)? {
                END_BLOCK => {
                    self.align()?;
                    self.scope = self.outer.pop().ok_or(StreamProblem::StrayEnd)?;
                    return Ok(());
                }
                ENTER_BLOCK => {
                    self.read_vbr(8)?;
                    self.skip()?;
                }
                DEFINE_ABBREVIATION => {
                    let abbreviation = self.read_abbreviation()?;
                    let block = current.ok_or(StreamProblem::BadAbbreviation("for no block"))?;
                    define(self.infos.entry(block).or_default(), abbreviation)?;
                }
                UNABBREVIATED => {
                    self.read_unabbreviated(&mut record)?;
                    if record.code == SET_BLOCK {
                        current = record
                            .ops
                            .first()
                            .and_then(|&block| u32::try_from(block).ok());
                    }
                }
                id => return Err(StreamProblem::UnknownAbbreviation(id)),
            }
        }
    }

    fn read_unabbreviated(&mut self, record: &mut Record) -> Result<()> {
        record.ops.clear();
        record.blob = None;
        record.code = u32::try_from(self.read_vbr(6)?).unwrap_or(u32::MAX);
        let count = self.read_vbr(6)?;
        if count > self.bits_left() / 6 {
            return Err(StreamProblem::Count(count));
        }
        for _ in 0..count {
            let value = self.read_vbr(6)?;
            record.ops.push(value);
        }
        Ok(())
    }

    fn read_abbreviation(&mut self) -> Result<Rc<Abbreviation>> {
        let count = self.read_vbr(5)?;
        if count > MAX_ABBREVIATION {
            return Err(StreamProblem::BadAbbreviation("too long"));
        }
        let mut scalars = Vec::new();
        let mut tail = Tail::None;
        let mut left = count;
        while left > 0 {
            left -= 1;
            match self.read_abbreviation_operand()? {
                AbbreviationOperand::Scalar(scalar) => scalars.push(scalar),
                AbbreviationOperand::Blob if left == 0 => tail = Tail::Blob,
                AbbreviationOperand::Array if left == 1 => {
                    left = 0;
                    match self.read_abbreviation_operand()? {
                        AbbreviationOperand::Scalar(Scalar::Literal(_)) => {
                            return Err(StreamProblem::BadAbbreviation("an array of a literal"));
                        }
                        AbbreviationOperand::Scalar(scalar) => tail = Tail::Array(scalar),
                        _ => return Err(StreamProblem::BadAbbreviation("an array of arrays")),
                    }
                }
                _ => {
                    return Err(StreamProblem::BadAbbreviation(
                        "an array or blob before the end",
                    ));
                }
            }
        }
        if scalars.is_empty() {
            return Err(StreamProblem::BadAbbreviation("no record code"));
        }
        Ok(Rc::new(Abbreviation { scalars, tail }))
    }

    fn read_abbreviation_operand(&mut self) -> Result<AbbreviationOperand> {
        if self.read(1)? == 1 {
            return Ok(AbbreviationOperand::Scalar(Scalar::Literal(
                self.read_vbr(8)?,
            )));
        }
        match self.read(3)? {
            1 => match self.read_vbr(5)? {
                0 => Ok(AbbreviationOperand::Scalar(Scalar::Literal(0))),
                width @ 1..=64 => Ok(AbbreviationOperand::Scalar(Scalar::Fixed(width as u32))),
                _ => Err(StreamProblem::BadAbbreviation(
                    "a field of more than 64 bits",
                )),
            },
            2 => match self.read_vbr(5)? {
                0 => Ok(AbbreviationOperand::Scalar(Scalar::Literal(0))),
                width @ 2..=32 => Ok(AbbreviationOperand::Scalar(Scalar::Vbr(width as u32))),
                _ => Err(StreamProblem::BadAbbreviation(
                    "a variable field of a useless width",
                )),
            },
            3 => Ok(AbbreviationOperand::Array),
            4 => Ok(AbbreviationOperand::Scalar(Scalar::Char6)),
            5 => Ok(AbbreviationOperand::Blob),
            _ => Err(StreamProblem::BadAbbreviation("an unknown encoding")),
        }
    }

    #[inline]
    fn read_scalar(&mut self, scalar: Scalar) -> Result<u64> {
        const CHAR6: &[u8; 64] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match scalar {
            Scalar::Literal(value) => Ok(value),
            Scalar::Fixed(width) => self.read(width),
            Scalar::Vbr(width) => self.read_vbr(width),
            Scalar::Char6 => Ok(u64::from(CHAR6[self.read(6)? as usize & 63])),
        }
    }

    fn read_abbreviated(&mut self, abbreviation: &Abbreviation, record: &mut Record) -> Result<()> {
        record.ops.clear();
        record.blob = None;
        record.code = u32::try_from(self.read_scalar(abbreviation.scalars[0])?).unwrap_or(u32::MAX);
        for &scalar in &abbreviation.scalars[1..] {
            let value = self.read_scalar(scalar)?;
            record.ops.push(value);
        }
        match abbreviation.tail {
            Tail::None => {}
            Tail::Array(element) => {
                let count = self.read_vbr(6)?;
                let bits = match element {
                    Scalar::Literal(_) => {
                        return Err(StreamProblem::BadAbbreviation("an array of a literal"));
                    }
                    Scalar::Fixed(width) | Scalar::Vbr(width) => u64::from(width),
                    Scalar::Char6 => 6,
                };
                if count > self.bits_left() / bits {
                    return Err(StreamProblem::Count(count));
                }
                for _ in 0..count {
                    let value = self.read_scalar(element)?;
                    record.ops.push(value);
                }
            }
            Tail::Blob => {
                let count = self.read_vbr(6)?;
                self.align()?;
                if count > self.bits_left() / 8 {
                    return Err(StreamProblem::Count(count));
                }
                let start = (self.at / 8) as usize;
                self.at += count * 8;
                record.blob = Some(start..start + count as usize);
                // A blob at the very end of the data may lack its padding.
                self.at = self.at.next_multiple_of(32).min(self.end);
            }
        }
        Ok(())
    }
}

fn define(known: &mut Vec<Rc<Abbreviation>>, new: Rc<Abbreviation>) -> Result<()> {
    if known.len() >= MAX_ABBREVIATIONS {
        return Err(StreamProblem::BadAbbreviation("too many of them"));
    }
    known.push(new);
    Ok(())
}

enum AbbreviationOperand {
    Scalar(Scalar),
    Array,
    Blob,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_across_words() {
        let data: Vec<u8> = (1..=16).collect();
        let mut stream = Stream::new(&data, 0);
        assert_eq!(stream.read(3), Ok(1));
        let expected = (u128::from_le_bytes(data.clone().try_into().unwrap()) >> 3) as u64;
        assert_eq!(stream.read(64), Ok(expected));
        assert_eq!(stream.read(62), Err(StreamProblem::End));
        assert!(stream.read(61).is_ok());
        assert_eq!(stream.read(1), Err(StreamProblem::End));
    }

    #[test]
    fn endless_numbers_are_refused() {
        let data = [0xff; 64];
        let mut stream = Stream::new(&data, 0);
        assert_eq!(stream.read_vbr(6), Err(StreamProblem::LongNumber));
    }
}
