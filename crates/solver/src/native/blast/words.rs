//! Circuits over words: little-endian vectors of literals.

use refrain_sat::Lit;
use refrain_term::Bv;

use super::gates::Gates;

pub type Word = Vec<Lit>;

impl Gates {
    pub fn word(&self, value: &Bv) -> Word {
        (0..value.width())
            .map(|i| self.constant(value.bit(i)))
            .collect()
    }

    /// The value of a word of constants.
    fn known_word(&self, word: &[Lit]) -> Option<Vec<bool>> {
        word.iter().map(|&lit| self.known(lit)).collect()
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let bits: Word = a.iter().zip(b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(&bits)
    }

    /// `a < b`, unsigned.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // From the lowest bit up: the highest difference decides.
        let mut less = self.no();
        for (&x, &y) in a.iter().zip(b) {
            less = self.majority(!x, y, less);
        }
        less
    }

    pub fn mux_word(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter()
            .zip(b)
            .map(|(&x, &y)| self.mux(condition, x, y))
            .collect()
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Word {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            sum.push(self.sum(x, y, carry));
            if i + 1 < a.len() {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    /// The low `a.len()` bits of the product.
    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        // The factor with more constant bits gives the rows: its zeros cost nothing.
        let constants = |word: &[Lit]| {
            word.iter()
                .filter(|&&lit| self.known(lit).is_some())
                .count()
        };
        let (rows, row) = if constants(a) >= constants(b) {
            (a, b)
        } else {
            (b, a)
        };
        if let Some(bits) = self.known_word(rows) {
            return self.multiply_by_constant(&bits, row);
        }
        let width = a.len();
        let mut sum = vec![self.no(); width];
        for (shift, &bit) in rows.iter().enumerate() {
            if self.gave_up().is_some() {
                break;
            }
            if self.known(bit) == Some(false) {
                continue;
            }
            let addend: Word = row[..width - shift]
                .iter()
                .map(|&lit| self.and(bit, lit))
                .collect();
            let no = self.no();
            let high = self.add(&sum[shift..], &addend, no);
            sum.truncate(shift);
            sum.extend(high);
        }
        sum
    }

    /// Multiplication by a constant in canonical signed digits: runs of ones become one subtraction.
    fn multiply_by_constant(&mut self, bits: &[bool], row: &[Lit]) -> Word {
        let width = row.len();
        let mut sum = vec![self.no(); width];
        let mut carry = 0;
        for shift in 0..width {
            let bit = i8::from(bits[shift]) + carry;
            let next = bits.get(shift + 1).copied().unwrap_or(false);
            // A digit of -1 here means that the run above it ends in a carry.
            let digit = match bit {
                1 if next => -1,
                1 => 1,
                _ => 0,
            };
            carry = i8::from(bit == 2 || digit == -1);
            if digit == 0 {
                continue;
            }
            let (flip, carry_in) = (digit < 0, self.constant(digit < 0));
            let addend: Word = row[..width - shift]
                .iter()
                .map(|&lit| if flip { !lit } else { lit })
                .collect();
            let high = self.add(&sum[shift..], &addend, carry_in);
            sum.truncate(shift);
            sum.extend(high);
        }
        sum
    }

    /// Quotient and remainder by restoring division; a zero divisor gives all ones and the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        let mut quotient = vec![self.no(); width];
        // One bit wider than the operands: the shifted remainder may reach 2b - 1.
        let mut remainder = vec![self.no(); width + 1];
        let mut divisor = b.to_vec();
        divisor.push(self.no());
        let flipped: Word = divisor.iter().map(|&lit| !lit).collect();
        let yes = self.yes();
        for i in (0..width).rev() {
            if self.gave_up().is_some() {
                break;
            }
            remainder.pop();
            remainder.insert(0, a[i]);
            let fits = !self.less(&remainder, &divisor);
            quotient[i] = fits;
            let difference = self.add(&remainder, &flipped, yes);
            remainder = self.mux_word(fits, &difference, &remainder);
        }
        // By a zero divisor every step "fits": the quotient is all ones, and nothing was taken from the remainder.
        remainder.truncate(width);
        (quotient, remainder)
    }

    /// Shifts left by a word; `fill` comes in. Right shifts go through reversal.
    fn shift_left(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let mut result = a.to_vec();
        let mut out = self.no();
        for (stage, &bit) in amount.iter().enumerate() {
            if stage < 32 && 1usize << stage < width {
                let by = 1usize << stage;
                let shifted: Word = (0..width)
                    .map(|i| if i < by { fill } else { result[i - by] })
                    .collect();
                result = self.mux_word(bit, &shifted, &result);
            } else {
                out = self.or(out, bit);
            }
        }
        let filled = vec![fill; width];
        self.mux_word(out, &filled, &result)
    }

    pub fn shl(&mut self, a: &[Lit], amount: &[Lit]) -> Word {
        let no = self.no();
        self.shift_left(a, amount, no)
    }

    /// Shifts right; `fill` comes in from above.
    pub fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_left(&reversed, amount, fill);
        shifted.reverse();
        shifted
    }
}
