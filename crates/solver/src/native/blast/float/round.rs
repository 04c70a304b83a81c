//! Rounding, and putting floats together.

use refrain_sat::Lit;
use refrain_term::{Bv, Format, Rounding};

use super::super::gates::Gates;
use super::super::words::Word;
use super::unpacked::signed_width;

/// How to round: which of the modes it is.
#[derive(Clone, Copy)]
pub struct Mode {
    pub nearest_even: Lit,
    pub nearest_away: Lit,
    pub up: Lit,
    pub down: Lit,
}

impl Mode {
    /// By a code.
    pub fn new(gates: &mut Gates, code: &[Lit]) -> Mode {
        let mut is = |rounding: Rounding| {
            let code_of = gates.word(&Bv::new(Rounding::WIDTH, rounding.code()));
            gates.equal(code, &code_of)
        };
        Mode {
            nearest_even: is(Rounding::NearestEven),
            nearest_away: is(Rounding::NearestAway),
            up: is(Rounding::Up),
            down: is(Rounding::Down),
        }
    }

    pub fn nearest_even(gates: &Gates) -> Mode {
        Mode {
            nearest_even: gates.yes(),
            nearest_away: gates.no(),
            up: gates.no(),
            down: gates.no(),
        }
    }

    /// Whether what is cut off makes the magnitude one larger.
    pub fn goes_up(self, gates: &mut Gates, sign: Lit, odd: Lit, half: Lit, rest: Lit) -> Lit {
        let above_half = gates.or(rest, odd);
        let even = gates.all(&[self.nearest_even, half, above_half]);
        let away = gates.and(self.nearest_away, half);
        let inexact = gates.or(half, rest);
        let up = gates.all(&[self.up, !sign, inexact]);
        let down = gates.all(&[self.down, sign, inexact]);
        gates.any(&[even, away, up, down])
    }

    /// Whether what is too large becomes infinite, not the largest number.
    fn goes_to_infinity(self, gates: &mut Gates, sign: Lit) -> Lit {
        let up = gates.and(self.up, !sign);
        let down = gates.and(self.down, sign);
        gates.any(&[self.nearest_even, self.nearest_away, up, down])
    }
}

impl Gates {
    /// The float nearest to a number that is not zero: the first bit of its significand is set and stands for two to
    /// the power of its exponent, the last one says whether anything follows.
    pub fn round(
        &mut self,
        format: Format,
        mode: Mode,
        sign: Lit,
        exponent: &[Lit],
        significand: &[Lit],
    ) -> Word {
        let precision = format.significand as usize;
        let missing = (precision + 2).saturating_sub(significand.len());
        let significand = self.padded(significand, missing);
        let bias = (1i64 << (format.exponent - 1)) - 1;
        let width = exponent.len().max(signed_width(bias as u64 + 1)) + 1;
        let exponent = self.sign_extended(exponent, width);
        // Below the least exponent the significand moves right instead.
        let least = self.integer(width, 1 - bias);
        let below = self.minus(&least, &exponent);
        let negative = below[width - 1];
        let is_zero = !self.any(&below);
        let is_subnormal = self.and(!negative, !is_zero);
        let by: Word = below[..width - 1]
            .iter()
            .map(|&lit| self.and(lit, is_subnormal))
            .collect();
        let significand = self.shifted_right_sticky(&significand, &by);
        let cut = significand.len() - precision;
        let (kept, half) = (&significand[cut..], significand[cut - 1]);
        let rest = self.any(&significand[..cut - 1]);
        let up = mode.goes_up(self, sign, kept[0], half, rest);
        // The magnitude's bits as one integer: a carry out of the fraction counts in the exponent.
        let offset = self.integer(width, bias);
        let field = self.plus(&exponent, &offset);
        let field: Word = field
            .iter()
            .map(|&lit| self.and(lit, !is_subnormal))
            .collect();
        let mut magnitude = kept[..precision - 1].to_vec();
        magnitude.extend_from_slice(&field[..format.exponent as usize]);
        let mut one = vec![self.no(); magnitude.len()];
        one[0] = up;
        let magnitude = self.plus(&magnitude, &one);
        // Too large: the exponent was, or has become.
        let most = self.integer(width, bias);
        let room = self.minus(&most, &exponent);
        let is_beyond = room[width - 1];
        let infinity = self.word(&format.infinity(false));
        let largest = self.word(&format.largest(false));
        let to_infinity = mode.goes_to_infinity(self, sign);
        let bits = magnitude.len();
        let overflow = self.mux_word(to_infinity, &infinity[..bits], &largest[..bits]);
        let mut result = self.mux_word(is_beyond, &overflow, &magnitude);
        result.push(sign);
        result
    }

    /// Zero, of this sign.
    pub fn float_zero(&mut self, format: Format, sign: Lit) -> Word {
        let mut zero = vec![self.no(); format.width() as usize - 1];
        zero.push(sign);
        zero
    }

    pub fn float_infinity(&mut self, format: Format, sign: Lit) -> Word {
        let mut infinity = self.word(&format.infinity(false));
        *infinity.last_mut().expect("a sign") = sign;
        infinity
    }

    pub fn float_nan(&mut self, format: Format) -> Word {
        self.word(&format.nan())
    }

    /// The first word whose condition holds, or the last one.
    pub fn first_of(&mut self, cases: Vec<(Lit, Word)>, otherwise: Word) -> Word {
        cases
            .into_iter()
            .rev()
            .fold(otherwise, |rest, (condition, word)| {
                self.mux_word(condition, &word, &rest)
            })
    }
}
