//! Conversions: to integers in the same format, to other formats, from and to bit-vectors.

use refrain_sat::Lit;
use refrain_term::Format;

use super::super::gates::Gates;
use super::super::words::Word;
use super::round::Mode;
use super::unpacked::{Unpacked, signed_width};

impl Gates {
    pub fn float_convert(&mut self, from: Format, to: Format, mode: Mode, a: &[Lit]) -> Word {
        let x = self.unpack(from, a);
        let rounded = self.round(to, mode, x.sign, &x.exponent, &x.significand);
        let cases = vec![
            (x.nan, self.float_nan(to)),
            (x.infinite, self.float_infinity(to, x.sign)),
            (x.zero, self.float_zero(to, x.sign)),
        ];
        self.first_of(cases, rounded)
    }

    pub fn float_of_integer(
        &mut self,
        format: Format,
        mode: Mode,
        a: &[Lit],
        signed: bool,
    ) -> Word {
        let no = self.no();
        let sign = if signed { a[a.len() - 1] } else { no };
        let magnitude = self.negated_if(sign, a);
        self.float_of_magnitude(format, mode, sign, &magnitude, no)
    }

    /// The float of an integer by its sign and magnitude; zero has the sign `zero_sign`.
    fn float_of_magnitude(
        &mut self,
        format: Format,
        mode: Mode,
        sign: Lit,
        magnitude: &[Lit],
        zero_sign: Lit,
    ) -> Word {
        let is_zero = !self.any(magnitude);
        let (significand, shift) = self.normalised(magnitude);
        let width = signed_width(magnitude.len() as u64);
        let most = self.integer(width, magnitude.len() as i64 - 1);
        let shift = self.zero_extended(&shift, width);
        let exponent = self.minus(&most, &shift);
        let rounded = self.round(format, mode, sign, &exponent, &significand);
        let zero = self.float_zero(format, zero_sign);
        self.mux_word(is_zero, &zero, &rounded)
    }

    /// The magnitude of the integer that a number is rounded to, if it has at most `width` bits; and whether it has.
    fn integer_magnitude(&mut self, x: &Unpacked, mode: Mode, width: usize) -> (Word, Lit) {
        let precision = x.significand.len();
        // A fixed point: the integer's bits and one for a carry, and below it the fraction's.
        let exponent_width = x.exponent.len().max(signed_width(width as u64)) + 1;
        let exponent = self.sign_extended(&x.exponent, exponent_width);
        let is_fraction = exponent[exponent_width - 1];
        let mut fixed = x.significand.clone();
        fixed = self.zero_extended(&fixed, precision - 1 + width + 1);
        let by: Word = exponent[..exponent_width - 1]
            .iter()
            .map(|&lit| self.and(lit, !is_fraction))
            .collect();
        // Too large if the first bit goes beyond.
        let most = self.integer(exponent_width, width as i64);
        let room = self.minus(&most, &exponent);
        let is_beyond = room[exponent_width - 1];
        let shifted = self.shl(&fixed, &by);
        let (fraction, integer) = shifted.split_at(precision - 1);
        let (half, rest) = match fraction.split_last() {
            Some((&half, rest)) => (half, self.any(rest)),
            None => (self.no(), self.no()),
        };
        // Below one: a half or more if the exponent is minus one.
        let is_half = self.all(&exponent);
        let beyond_first = self.any(&x.significand[..precision - 1]);
        let half = self.mux(is_fraction, is_half, half);
        let small_rest = self.or(!is_half, beyond_first);
        let rest = self.mux(is_fraction, small_rest, rest);
        let integer: Word = integer
            .iter()
            .map(|&lit| self.and(lit, !is_fraction))
            .collect();
        let up = mode.goes_up(self, x.sign, integer[0], half, rest);
        let mut one = vec![self.no(); integer.len()];
        one[0] = up;
        let integer = self.plus(&integer, &one);
        (integer, !is_beyond)
    }

    pub fn float_integral(&mut self, format: Format, mode: Mode, a: &[Lit]) -> Word {
        let x = self.unpack(format, a);
        let precision = format.significand as usize;
        // What has no bits below one is an integer already.
        let (magnitude, is_small) = self.integer_magnitude(&x, mode, precision);
        let rounded = self.float_of_magnitude(format, mode, x.sign, &magnitude, x.sign);
        let cases = vec![
            (x.nan, self.float_nan(format)),
            (x.zero, a.to_vec()),
            (x.infinite, a.to_vec()),
            (!is_small, a.to_vec()),
        ];
        self.first_of(cases, rounded)
    }

    /// Zero where the integer does not fit.
    pub fn integer_of_float(
        &mut self,
        format: Format,
        mode: Mode,
        a: &[Lit],
        width: usize,
        signed: bool,
    ) -> Word {
        let x = self.unpack(format, a);
        let (magnitude, is_small) = self.integer_magnitude(&x, mode, width);
        // The magnitude has one bit more than the result.
        let top = magnitude[width];
        let fits = if signed {
            let sign_bit = magnitude[width - 1];
            let below = self.any(&magnitude[..width - 1]);
            let is_least = self.all(&[x.sign, sign_bit, !below]);
            let room = self.or(!sign_bit, is_least);
            self.and(!top, room)
        } else {
            let any = self.any(&magnitude);
            let negative = self.and(x.sign, any);
            self.and(!top, !negative)
        };
        let is_number = self.and(!x.nan, !x.infinite);
        let fits = self.all(&[fits, is_small, is_number, !x.zero]);
        let integer = self.negated_if(x.sign, &magnitude[..width]);
        integer.iter().map(|&lit| self.and(lit, fits)).collect()
    }
}
