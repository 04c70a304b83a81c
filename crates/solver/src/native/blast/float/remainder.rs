//! The remainder by the nearest quotient: a long division over all distances that exponents can have.

use refrain_sat::Lit;
use refrain_term::Format;

use super::super::gates::Gates;
use super::super::words::Word;
use super::round::Mode;

impl Gates {
    pub fn float_rem(&mut self, format: Format, mode: Mode, a: &[Lit], b: &[Lit]) -> Word {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let width = x.exponent.len() + 2;
        let (ex, ey) = (
            self.sign_extended(&x.exponent, width),
            self.sign_extended(&y.exponent, width),
        );
        let distance = self.minus(&ex, &ey);
        let is_negative = distance[width - 1];
        // One step for each distance; those that are beyond the one at hand do nothing.
        let most = (2i64 << (format.exponent - 1)) - 3 + i64::from(format.significand);
        let bits = x.significand.len() + 1;
        let divisor = self.zero_extended(&y.significand, bits);
        let mut remainder = self.zero_extended(&x.significand, bits);
        let mut odd = self.no();
        for step in (0..=most).rev() {
            if self.gave_up().is_some() {
                break;
            }
            let here = self.integer(width, step);
            let room = self.minus(&distance, &here);
            let is_active = self.and(!is_negative, !room[width - 1]);
            let fits = !self.less(&remainder, &divisor);
            let takes = self.and(is_active, fits);
            let difference = self.minus(&remainder, &divisor);
            remainder = self.mux_word(takes, &difference, &remainder);
            odd = takes;
            if step > 0 {
                let doubled = self.padded(&remainder[..bits - 1], 1);
                remainder = self.mux_word(is_active, &doubled, &remainder);
            }
        }
        // In units of half the divisor's: a dividend of one exponent less has not been divided, but may be over half.
        let doubled = self.padded(&remainder[..bits - 1], 1);
        let twice = self.mux_word(is_negative, &remainder, &doubled);
        let over = self.less(&divisor, &twice);
        let tie = self.equal(&divisor, &twice);
        let tie = self.and(tie, odd);
        let over = self.or(over, tie);
        let whole = self.padded(&divisor[..bits - 1], 1);
        let other = self.minus(&whole, &twice);
        let magnitude = self.mux_word(over, &other, &twice);
        let sign = self.xor(x.sign, over);
        let is_zero = !self.any(&magnitude);
        let (significand, shift) = self.normalised(&magnitude);
        let shift = self.zero_extended(&shift, width);
        let exponent = self.minus(&ey, &shift);
        let rounded = self.round(format, mode, sign, &exponent, &significand);
        // Less than half of the divisor is the remainder itself.
        let minus_one = self.all(&distance);
        let is_far = self.and(is_negative, !minus_one);
        let undefined = self.or(x.infinite, y.zero);
        let nan = self.any(&[x.nan, y.nan, undefined]);
        let itself = self.any(&[x.zero, y.infinite, is_far]);
        let cases = vec![
            (nan, self.float_nan(format)),
            (itself, a.to_vec()),
            (is_zero, self.float_zero(format, x.sign)),
        ];
        self.first_of(cases, rounded)
    }
}
