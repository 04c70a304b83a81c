//! Sums, products, quotients and roots.

use refrain_sat::Lit;
use refrain_term::Format;

use super::super::gates::Gates;
use super::super::words::Word;
use super::round::Mode;
use super::unpacked::Unpacked;

/// A number before it is rounded: the significand's last bit says whether anything follows.
struct Exact {
    sign: Lit,
    is_zero: Lit,
    exponent: Word,
    significand: Word,
}

impl Gates {
    pub fn float_add(&mut self, format: Format, mode: Mode, a: &[Lit], b: &[Lit]) -> Word {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let sum = self.sum_of(&x, &y, mode);
        self.float_sum(format, mode, [(&x, a.to_vec()), (&y, b.to_vec())], sum)
    }

    pub fn float_fma(
        &mut self,
        format: Format,
        mode: Mode,
        a: &[Lit],
        b: &[Lit],
        c: &[Lit],
    ) -> Word {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let mut addend = self.unpack(format, c);
        let product = self.product_of(&x, &y);
        addend.significand = self.padded(&addend.significand, format.significand as usize);
        addend.exponent = self.sign_extended(&addend.exponent, product.exponent.len());
        let sum = self.sum_of(&product, &addend, mode);
        let rounded = self.round(
            format,
            mode,
            product.sign,
            &product.exponent,
            &product.significand,
        );
        let addends = [(&product, rounded), (&addend, c.to_vec())];
        self.float_sum(format, mode, addends, sum)
    }

    pub fn float_mul(&mut self, format: Format, mode: Mode, a: &[Lit], b: &[Lit]) -> Word {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let product = self.product_of(&x, &y);
        let rounded = self.round(
            format,
            mode,
            product.sign,
            &product.exponent,
            &product.significand,
        );
        let cases = vec![
            (product.nan, self.float_nan(format)),
            (product.infinite, self.float_infinity(format, product.sign)),
            (product.zero, self.float_zero(format, product.sign)),
        ];
        self.first_of(cases, rounded)
    }

    /// The exact product, with twice the bits.
    fn product_of(&mut self, x: &Unpacked, y: &Unpacked) -> Unpacked {
        let precision = x.significand.len();
        let sign = self.xor(x.sign, y.sign);
        let (wide_x, wide_y) = (
            self.zero_extended(&x.significand, 2 * precision),
            self.zero_extended(&y.significand, 2 * precision),
        );
        let product = self.multiply(&wide_x, &wide_y);
        // The first bit is the first or the second.
        let top = product[2 * precision - 1];
        let moved = self.padded(&product[..2 * precision - 1], 1);
        let significand = self.mux_word(top, &product, &moved);
        let width = x.exponent.len() + 1;
        let (ex, ey) = (
            self.sign_extended(&x.exponent, width),
            self.sign_extended(&y.exponent, width),
        );
        let exponent = self.add(&ex, &ey, top);
        let any_nan = self.or(x.nan, y.nan);
        let mixed = [self.and(x.infinite, y.zero), self.and(x.zero, y.infinite)];
        let nan = self.any(&[any_nan, mixed[0], mixed[1]]);
        let infinite = self.or(x.infinite, y.infinite);
        let zero = self.or(x.zero, y.zero);
        Unpacked {
            nan,
            infinite: self.and(infinite, !nan),
            zero,
            sign,
            exponent,
            significand,
        }
    }

    /// The sum of two numbers that are not zero, with four more bits than theirs.
    fn sum_of(&mut self, x: &Unpacked, y: &Unpacked, mode: Mode) -> Exact {
        let width = x.exponent.len() + 2;
        let (ex, ey) = (
            self.sign_extended(&x.exponent, width),
            self.sign_extended(&y.exponent, width),
        );
        let difference = self.minus(&ex, &ey);
        let swap = difference[width - 1];
        let distance = self.negated_if(swap, &difference);
        let larger = self.mux_word(swap, &ey, &ex);
        let large = self.mux_word(swap, &y.significand, &x.significand);
        let small = self.mux_word(swap, &x.significand, &y.significand);
        let large_sign = self.mux(swap, y.sign, x.sign);
        // Three bits below, of which the last one gathers what is lost; two above, for a carry and a sign.
        let bits = large.len() + 3;
        let (large, small) = (self.padded(&large, 3), self.padded(&small, 3));
        let small = self.shifted_right_sticky(&small, &distance[..width - 1]);
        let (large, small) = (
            self.zero_extended(&large, bits + 2),
            self.zero_extended(&small, bits + 2),
        );
        let subtracts = self.xor(x.sign, y.sign);
        let flipped: Word = small.iter().map(|&lit| self.xor(lit, subtracts)).collect();
        let sum = self.add(&large, &flipped, subtracts);
        let is_negative = sum[bits + 1];
        let magnitude = self.negated_if(is_negative, &sum);
        let magnitude = &magnitude[..bits + 1];
        let is_zero = !self.any(magnitude);
        let (significand, shift) = self.normalised(magnitude);
        let shift = self.zero_extended(&shift, width);
        let shift: Word = shift.iter().map(|&lit| !lit).collect();
        // One more for the carry, which is what subtracting by flipping leaves out twice.
        let one = self.integer(width, 2);
        let exponent = self.plus(&larger, &one);
        let exponent = self.plus(&exponent, &shift);
        let sign = self.xor(large_sign, is_negative);
        Exact {
            sign: self.mux(is_zero, mode.down, sign),
            is_zero,
            exponent,
            significand,
        }
    }

    /// The float of a sum, by its addends where these are special: each with the float that it is alone.
    fn float_sum(
        &mut self,
        format: Format,
        mode: Mode,
        addends: [(&Unpacked, Word); 2],
        sum: Exact,
    ) -> Word {
        let [(x, only_x), (y, only_y)] = addends;
        let rounded = self.round(format, mode, sum.sign, &sum.exponent, &sum.significand);
        let differ = self.xor(x.sign, y.sign);
        let opposite = self.all(&[x.infinite, y.infinite, differ]);
        let nan = self.any(&[x.nan, y.nan, opposite]);
        let infinite = self.or(x.infinite, y.infinite);
        let infinite_sign = self.mux(x.infinite, x.sign, y.sign);
        let zeros = self.and(x.zero, y.zero);
        let zero_sign = self.mux(differ, mode.down, x.sign);
        let cases = vec![
            (nan, self.float_nan(format)),
            (infinite, self.float_infinity(format, infinite_sign)),
            (zeros, self.float_zero(format, zero_sign)),
            (x.zero, only_y),
            (y.zero, only_x),
            (sum.is_zero, self.float_zero(format, sum.sign)),
        ];
        self.first_of(cases, rounded)
    }

    pub fn float_div(&mut self, format: Format, mode: Mode, a: &[Lit], b: &[Lit]) -> Word {
        let (x, y) = (self.unpack(format, a), self.unpack(format, b));
        let precision = format.significand as usize;
        let sign = self.xor(x.sign, y.sign);
        let (quotient, remainder) =
            self.long_division(&x.significand, &y.significand, precision + 3);
        let mut significand = vec![self.any(&remainder)];
        significand.extend(quotient);
        // The first bit is the first or the second.
        let top = significand[significand.len() - 1];
        let moved = self.padded(&significand[..significand.len() - 1], 1);
        let significand = self.mux_word(top, &significand, &moved);
        let width = x.exponent.len() + 2;
        let (ex, ey) = (
            self.sign_extended(&x.exponent, width),
            self.sign_extended(&y.exponent, width),
        );
        // One less where it is the second.
        let flipped: Word = ey.iter().map(|&lit| !lit).collect();
        let exponent = self.add(&ex, &flipped, top);
        let rounded = self.round(format, mode, sign, &exponent, &significand);
        let zeros = self.and(x.zero, y.zero);
        let infinities = self.and(x.infinite, y.infinite);
        let nan = self.any(&[x.nan, y.nan, zeros, infinities]);
        let infinite = self.or(x.infinite, y.zero);
        let zero = self.or(x.zero, y.infinite);
        let cases = vec![
            (nan, self.float_nan(format)),
            (infinite, self.float_infinity(format, sign)),
            (zero, self.float_zero(format, sign)),
        ];
        self.first_of(cases, rounded)
    }

    /// So many bits of the quotient of two words whose first bits are set, the first of which stands for one; and what
    /// is left.
    fn long_division(&mut self, a: &[Lit], b: &[Lit], bits: usize) -> (Word, Word) {
        let width = a.len() + 1;
        let divisor = self.zero_extended(b, width);
        let mut remainder = self.zero_extended(a, width);
        let mut quotient = Vec::with_capacity(bits);
        for place in 0..bits {
            if self.gave_up().is_some() {
                break;
            }
            if place > 0 {
                remainder = self.padded(&remainder[..width - 1], 1);
            }
            let fits = !self.less(&remainder, &divisor);
            let difference = self.minus(&remainder, &divisor);
            remainder = self.mux_word(fits, &difference, &remainder);
            quotient.push(fits);
        }
        quotient.resize(bits, self.no());
        quotient.reverse();
        (quotient, remainder)
    }

    pub fn float_sqrt(&mut self, format: Format, mode: Mode, a: &[Lit]) -> Word {
        let x = self.unpack(format, a);
        let precision = format.significand as usize;
        // The radicand is at least one and less than four, by an even exponent.
        let odd = x.exponent[0];
        let even = self.zero_extended(&x.significand, precision + 1);
        let doubled = self.padded(&x.significand, 1);
        let radicand = self.mux_word(odd, &doubled, &even);
        // Two integer bits, then the fraction: digits come in pairs.
        let steps = precision + 2;
        let radicand = self.padded(&radicand, 2 * steps - radicand.len());
        let width = steps + 2;
        let mut remainder = vec![self.no(); width];
        let mut root: Word = Vec::with_capacity(steps);
        for step in (0..steps).rev() {
            if self.gave_up().is_some() {
                break;
            }
            // Two more digits of the radicand.
            let mut next = vec![radicand[2 * step], radicand[2 * step + 1]];
            next.extend_from_slice(&remainder[..width - 2]);
            remainder = next;
            // Four times the root and one: `root` has its first digit first.
            let mut trial = vec![self.yes(), self.no()];
            trial.extend(root.iter().rev());
            let trial = self.zero_extended(&trial, width);
            let fits = !self.less(&remainder, &trial);
            let difference = self.minus(&remainder, &trial);
            remainder = self.mux_word(fits, &difference, &remainder);
            root.push(fits);
        }
        root.resize(steps, self.no());
        let mut significand = vec![self.any(&remainder)];
        significand.extend(root.iter().rev());
        // Half of the exponent, rounded down.
        let exponent = x.exponent[1..].to_vec();
        let no = self.no();
        let rounded = self.round(format, mode, no, &exponent, &significand);
        let negative = self.and(x.sign, !x.zero);
        let nan = self.or(x.nan, negative);
        let cases = vec![
            (nan, self.float_nan(format)),
            (x.infinite, self.float_infinity(format, no)),
            (x.zero, self.float_zero(format, x.sign)),
        ];
        self.first_of(cases, rounded)
    }
}
