//! Sets as bytes, for keys and stores: equal sets have equal bytes, in every run.
//!
//! A byte for the kind of values, then for up to 8 bits the table itself, else where the set starts, how many cuts it
//! has, and the cuts: words by their differences, numbers as fractions. Numbers beyond machine words are written in
//! decimal. Decoding trusts nothing: what is no encoding of a set is refused.

use refrain_term::Rational;
use refrain_term::value::mask;

use super::bytes::{self, ByteSet};
use super::cuts::CutSet;
use super::{BOTH, Cut, NumberCuts, Repr, ValueSet};

const BOOL: u8 = 0;
const TABLE: u8 = 1;
const WORDS: u8 = 2;
const INTS: u8 = 3;
const REALS: u8 = 4;

impl ValueSet {
    /// Appends the bytes of this set; they tell where they end.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Repr::Bool(set) => out.extend([BOOL, *set]),
            Repr::Table { width, bits } => {
                out.extend([TABLE, *width]);
                let mut bytes = [0; 32];
                for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(bits.0) {
                    *place = word.to_le_bytes();
                }
                out.extend_from_slice(&bytes[..table_bytes(*width)]);
            }
            Repr::Words { width, cuts } => {
                out.extend([WORDS, *width]);
                put_start(out, cuts.starts_inside(), cuts.cuts().len());
                let mut last = 0;
                for cut in cuts.cuts() {
                    put_natural(out, cut - last);
                    last = *cut;
                }
            }
            Repr::Ints(cuts) => put_numbers(out, INTS, cuts),
            Repr::Reals(cuts) => put_numbers(out, REALS, cuts),
        }
    }

    /// Reads a set off the front of `bytes`. `None` if there is none, or if it is damaged.
    pub fn decode(bytes: &mut &[u8]) -> Option<ValueSet> {
        let repr = match take_byte(bytes)? {
            BOOL => Repr::Bool(take_byte(bytes).filter(|&set| set <= BOTH)?),
            TABLE => take_table(bytes)?,
            WORDS => take_words(bytes)?,
            INTS => Repr::Ints(take_numbers(bytes, |cut| {
                !cut.is_above && cut.value.is_integer()
            })?),
            REALS => Repr::Reals(take_numbers(bytes, |_| true)?),
            _ => return None,
        };
        Some(ValueSet(repr))
    }
}

fn table_bytes(width: u8) -> usize {
    (1usize << width).div_ceil(8)
}

/// Whether the set starts inside, and the number of its cuts.
fn put_start(out: &mut Vec<u8>, starts_inside: bool, cuts: usize) {
    put_natural(out, (cuts as u64) << 1 | u64::from(starts_inside));
}

fn put_numbers(out: &mut Vec<u8>, kind: u8, cuts: &NumberCuts) {
    out.push(kind);
    put_start(out, cuts.starts_inside(), cuts.cuts().len());
    for cut in cuts.cuts() {
        put_rational(out, cut);
    }
}

/// How a number is written.
const INTEGER: u8 = 0;
const FRACTION: u8 = 1;
const DECIMAL: u8 = 2;

fn put_rational(out: &mut Vec<u8>, cut: &Cut) {
    let above = u8::from(cut.is_above) << 2;
    let (numerator, denominator) = (cut.value.numerator(), cut.value.denominator());
    match (numerator.to_i64(), denominator.to_i64()) {
        (Some(integer), Some(1)) => {
            out.push(INTEGER | above);
            put_signed(out, integer);
        }
        (Some(numerator), Some(denominator)) => {
            out.push(FRACTION | above);
            put_signed(out, numerator);
            put_signed(out, denominator);
        }
        _ => {
            out.push(DECIMAL | above);
            out.push(u8::from(numerator.is_negative()));
            put_text(out, &numerator.abs().to_string());
            put_text(out, &denominator.to_string());
        }
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_natural(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Seven bits a byte, the lowest first.
fn put_natural(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Small numbers of either sign are short: the sign is the lowest bit.
fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_natural(out, (value << 1 ^ value >> 63) as u64);
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    bytes.split_off_first().copied()
}

fn take_natural(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take_byte(bytes)?;
        let part = u64::from(byte & 0x7f);
        if part << shift >> shift != part {
            return None;
        }
        value |= part << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    let value = take_natural(bytes)?;
    Some((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let len = usize::try_from(take_natural(bytes)?).ok()?;
    std::str::from_utf8(bytes.split_off(..len)?).ok()
}

fn take_start(bytes: &mut &[u8]) -> Option<(bool, u64)> {
    let start = take_natural(bytes)?;
    Some((start & 1 == 1, start >> 1))
}

fn take_table(bytes: &mut &[u8]) -> Option<Repr> {
    let width = take_byte(bytes).filter(|&width| (1..=bytes::MAX_BITS as u8).contains(&width))?;
    let mut bits = [0; 4];
    for (i, byte) in bytes.split_off(..table_bytes(width))?.iter().enumerate() {
        bits[i / 8] |= u64::from(*byte) << (i % 8 * 8);
    }
    let bits = ByteSet(bits);
    bits.is_subset_of(&ByteSet::all(u32::from(width)))
        .then_some(Repr::Table { width, bits })
}

fn take_words(bytes: &mut &[u8]) -> Option<Repr> {
    let width =
        take_byte(bytes).filter(|&width| (bytes::MAX_BITS as u8 + 1..=64).contains(&width))?;
    let (starts_inside, count) = take_start(bytes)?;
    let (mut last, mut cuts) = (0u64, Vec::new());
    for _ in 0..count {
        let step = take_natural(bytes).filter(|&step| step > 0)?;
        last = last.checked_add(step)?;
        cuts.push(last);
    }
    (last <= mask(u32::from(width))).then(|| Repr::Words {
        width,
        cuts: CutSet::new(starts_inside, cuts),
    })
}

fn take_numbers(bytes: &mut &[u8], is_allowed: impl Fn(&Cut) -> bool) -> Option<NumberCuts> {
    let (starts_inside, count) = take_start(bytes)?;
    let mut cuts: Vec<Cut> = Vec::new();
    for _ in 0..count {
        let cut = take_rational(bytes).filter(&is_allowed)?;
        if cuts.last().is_some_and(|last| *last >= cut) {
            return None;
        }
        cuts.push(cut);
    }
    Some(CutSet::new(starts_inside, cuts))
}

fn take_rational(bytes: &mut &[u8]) -> Option<Cut> {
    let form = take_byte(bytes)?;
    let value = match form & 3 {
        INTEGER => Rational::from(take_signed(bytes)?),
        FRACTION => {
            let numerator = take_signed(bytes)?;
            let denominator = take_signed(bytes).filter(|&by| by > 0)?;
            Rational::new(numerator, denominator)
        }
        DECIMAL => {
            let is_negative = take_byte(bytes).filter(|&sign| sign <= 1)? == 1;
            let numerator = Rational::parse(take_text(bytes)?)?;
            let denominator = Rational::parse(take_text(bytes)?).filter(|by| !by.is_zero())?;
            let value = &numerator / &denominator;
            if is_negative { -value } else { value }
        }
        _ => return None,
    };
    let is_above = form >> 2 == 1;
    (form >> 2 <= 1).then_some(Cut { value, is_above })
}
