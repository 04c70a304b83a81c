//! Floats taken apart, and the words that this takes.

use refrain_sat::Lit;
use refrain_term::{Bv, Format};

use super::super::gates::Gates;
use super::super::words::Word;

/// A float taken apart. The significand's first bit is set unless the number is zero, and stands for two to the power
/// of the exponent.
#[derive(Clone)]
pub struct Unpacked {
    pub nan: Lit,
    pub infinite: Lit,
    pub zero: Lit,
    pub sign: Lit,
    /// In two's complement.
    pub exponent: Word,
    pub significand: Word,
}

/// How many bits a number in two's complement has that may be as large as `most`, or as small as its negation.
pub fn signed_width(most: u64) -> usize {
    (u64::BITS - most.leading_zeros()) as usize + 1
}

/// How many bits the exponents of a format's numbers have, subnormal ones taken as others are.
pub fn exponent_width(format: Format) -> usize {
    let bias = (1u64 << (format.exponent - 1)) - 1;
    signed_width(bias + u64::from(format.significand))
}

impl Gates {
    pub fn any(&mut self, bits: &[Lit]) -> Lit {
        let clear: Word = bits.iter().map(|&lit| !lit).collect();
        !self.all(&clear)
    }

    /// A constant in two's complement.
    pub fn integer(&mut self, width: usize, value: i64) -> Word {
        (0..width)
            .map(|bit| self.constant(value >> bit.min(63) & 1 == 1))
            .collect()
    }

    pub fn zero_extended(&self, word: &[Lit], width: usize) -> Word {
        let mut word = word.to_vec();
        word.resize(width, self.no());
        word
    }

    pub fn sign_extended(&self, word: &[Lit], width: usize) -> Word {
        let mut word = word.to_vec();
        let sign = *word.last().expect("a bit");
        word.resize(width, sign);
        word
    }

    /// A word with zeros below it.
    pub fn padded(&self, word: &[Lit], below: usize) -> Word {
        let mut padded = vec![self.no(); below];
        padded.extend_from_slice(word);
        padded
    }

    pub fn plus(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let no = self.no();
        self.add(a, b, no)
    }

    pub fn minus(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let flipped: Word = b.iter().map(|&lit| !lit).collect();
        let yes = self.yes();
        self.add(a, &flipped, yes)
    }

    /// The negation where a condition holds.
    pub fn negated_if(&mut self, condition: Lit, word: &[Lit]) -> Word {
        let flipped: Word = word.iter().map(|&lit| self.xor(lit, condition)).collect();
        let mut one = vec![self.no(); word.len()];
        one[0] = condition;
        self.plus(&flipped, &one)
    }

    /// A word shifted left until its first bit is set, and by how much; what is zero stays.
    pub fn normalised(&mut self, word: &[Lit]) -> (Word, Word) {
        let mut word = word.to_vec();
        let width = word.len();
        let stages = usize::BITS - (width - 1).leading_zeros();
        let mut shifted_by = vec![self.no(); stages as usize];
        for stage in (0..stages as usize).rev() {
            let by = 1 << stage;
            let top = self.any(&word[width - by..]);
            let moved = self.padded(&word[..width - by], by);
            word = self.mux_word(top, &word, &moved);
            shifted_by[stage] = !top;
        }
        (word, shifted_by)
    }

    /// A word shifted right; the last bit of the result is set if any bit was shifted out.
    pub fn shifted_right_sticky(&mut self, word: &[Lit], by: &[Lit]) -> Word {
        let width = word.len();
        let mut word = word.to_vec();
        let mut lost = self.no();
        let mut all_out = self.no();
        for (stage, &bit) in by.iter().enumerate() {
            if stage < 31 && 1usize << stage < width {
                let by = 1usize << stage;
                let out = self.any(&word[..by]);
                let out = self.and(out, bit);
                lost = self.or(lost, out);
                let moved: Word = (0..width)
                    .map(|place| word.get(place + by).copied().unwrap_or(self.no()))
                    .collect();
                word = self.mux_word(bit, &moved, &word);
            } else {
                all_out = self.or(all_out, bit);
            }
        }
        let any = self.any(&word);
        let out = self.and(any, all_out);
        lost = self.or(lost, out);
        let mut word: Word = word.iter().map(|&lit| self.and(lit, !all_out)).collect();
        word[0] = self.or(word[0], lost);
        word
    }

    /// Takes a float apart.
    pub fn unpack(&mut self, format: Format, bits: &[Lit]) -> Unpacked {
        let fraction = &bits[..format.fraction() as usize];
        let field = &bits[format.fraction() as usize..bits.len() - 1];
        let sign = bits[bits.len() - 1];
        let is_least = !self.any(field);
        let is_most = self.all(field);
        let has_fraction = self.any(fraction);
        let nan = self.and(is_most, has_fraction);
        let infinite = self.and(is_most, !has_fraction);
        let zero = self.and(is_least, !has_fraction);
        let mut significand = fraction.to_vec();
        significand.push(!is_least);
        let (significand, shift) = self.normalised(&significand);
        // The exponent of what has none is the least, and each shift makes it one less.
        let width = exponent_width(format);
        let mut field = self.zero_extended(field, width);
        field[0] = self.or(field[0], is_least);
        let bias = Bv::max_signed(format.exponent).to_u64().unwrap_or(0) as i64;
        let offset = self.integer(width, -bias);
        let exponent = self.plus(&field, &offset);
        let shift = self.zero_extended(&shift, width);
        let exponent = self.minus(&exponent, &shift);
        Unpacked {
            nan,
            infinite,
            zero,
            sign,
            exponent,
            significand,
        }
    }
}
