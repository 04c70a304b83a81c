//! Bit-vector operators as circuits, as textbooks have them. The lowest bit comes first.

use crate::error::Fault;
use crate::gates::{FALSE, Gates, Lit, TRUE};

type Bits = Vec<Lit>;

impl Gates {
    /// The sum, and the carry out of the highest bit.
    pub fn sum(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Bits, Lit) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    pub fn difference(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.sum(a, &negated(b), TRUE).0
    }

    pub fn negation(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![FALSE; a.len()];
        self.difference(&zero, a)
    }

    /// Whether the number of `a` is below that of `b`: no carry out of `a - b`.
    pub fn below(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let carry = { a.iter().zip(b) }.fold(TRUE, |carry, (&a, &b)| self.majority(a, -b, carry));
        -carry
    }

    /// The same in two's complement.
    pub fn signed_below(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        self.below(&sign_flipped(a), &sign_flipped(b))
    }

    pub fn equal_bits(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let equal: Bits = { a.iter().zip(b) }
            .map(|(&a, &b)| self.equal(a, b))
            .collect();
        self.and_all(&equal)
    }

    pub fn choice(&mut self, condition: Lit, yes: &[Lit], no: &[Lit]) -> Bits {
        { yes.iter().zip(no) }
            .map(|(&yes, &no)| self.mux(condition, yes, no))
            .collect()
    }

    /// The low half of the product: partial products, summed.
    pub fn product(&mut self, a: &[Lit], b: &[Lit]) -> Result<Bits, Fault> {
        let width = a.len();
        let mut product = vec![FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == FALSE {
                continue;
            }
            let row: Bits = a[..width - shift]
                .iter()
                .map(|&a| self.and(a, bit))
                .collect();
            let (sum, _) = self.sum(&product[shift..], &row, FALSE);
            product[shift..].copy_from_slice(&sum);
            self.check_size()?;
        }
        Ok(product)
    }

    /// Quotient and remainder by restoring division. By zero it gives what SMT-LIB says: all ones, and the dividend.
    pub fn division(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Bits, Bits), Fault> {
        let width = a.len();
        let mut divisor = b.to_vec();
        divisor.push(FALSE);
        let mut quotient = vec![FALSE; width];
        let mut rest = vec![FALSE; width + 1];
        for place in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[place]);
            let fits = -self.below(&rest, &divisor);
            let less = self.difference(&rest, &divisor);
            rest = self.choice(fits, &less, &rest);
            quotient[place] = fits;
            self.check_size()?;
        }
        rest.pop();
        Ok((quotient, rest))
    }

    pub fn absolute(&mut self, a: &[Lit]) -> Bits {
        let negative = self.negation(a);
        self.choice(a[a.len() - 1], &negative, a)
    }

    /// Division in two's complement, rounded to zero, and the remainder with the sign of the dividend.
    pub fn signed_division(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Bits, Bits), Fault> {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (above, below) = (self.absolute(a), self.absolute(b));
        let (quotient, rest) = self.division(&above, &below)?;
        let (minus_quotient, minus_rest) = (self.negation(&quotient), self.negation(&rest));
        let opposite = self.xor(sign_a, sign_b);
        Ok((
            self.choice(opposite, &minus_quotient, &quotient),
            self.choice(sign_a, &minus_rest, &rest),
        ))
    }

    /// The remainder with the sign of the divisor.
    pub fn signed_modulo(&mut self, a: &[Lit], b: &[Lit]) -> Result<Bits, Fault> {
        let (_, rest) = self.signed_division(a, b)?;
        let some = self.or_all(&rest);
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let opposite = self.xor(sign_a, sign_b);
        let moved = self.and(some, opposite);
        let (sum, _) = self.sum(&rest, b, FALSE);
        Ok(self.choice(moved, &sum, &rest))
    }

    /// A shift by stages, to the left or to the right; `fill` comes in, also where the amount is the width or more.
    pub fn shift(&mut self, a: &[Lit], by: &[Lit], left: bool, fill: Lit) -> Result<Bits, Fault> {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut too_far = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let amount = 1usize
                .checked_shl(stage as u32)
                .filter(|&amount| amount < width);
            let Some(amount) = amount else {
                too_far.push(bit);
                continue;
            };
            let moved: Bits = (0..width)
                .map(|place| match left {
                    true => place.checked_sub(amount).map_or(fill, |from| bits[from]),
                    false => bits.get(place + amount).copied().unwrap_or(fill),
                })
                .collect();
            bits = self.choice(bit, &moved, &bits);
            self.check_size()?;
        }
        let too_far = self.or_all(&too_far);
        Ok(self.choice(too_far, &vec![fill; width], &bits))
    }

    // Whether the exact result does not fit.

    pub fn signed_sum_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (sum, _) = self.sum(&sign_extended(a, 1), &sign_extended(b, 1), FALSE);
        self.xor(sum[a.len()], sum[a.len() - 1])
    }

    pub fn signed_difference_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let difference = self.difference(&sign_extended(a, 1), &sign_extended(b, 1));
        self.xor(difference[a.len()], difference[a.len() - 1])
    }

    pub fn product_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Result<Lit, Fault> {
        let width = a.len();
        let extended = |bits: &[Lit]| [bits, &vec![FALSE; width]].concat();
        let product = self.product(&extended(a), &extended(b))?;
        Ok(self.or_all(&product[width..]))
    }

    pub fn signed_product_overflows(&mut self, a: &[Lit], b: &[Lit]) -> Result<Lit, Fault> {
        let width = a.len();
        let product = self.product(&sign_extended(a, width), &sign_extended(b, width))?;
        let sign = product[width - 1];
        let differ: Bits = product[width..]
            .iter()
            .map(|&bit| self.xor(bit, sign))
            .collect();
        Ok(self.or_all(&differ))
    }

    /// Whether it is the lowest number in two's complement.
    pub fn is_lowest(&mut self, a: &[Lit]) -> Lit {
        let mut bits = negated(a);
        let top = bits.len() - 1;
        bits[top] = -bits[top];
        self.and_all(&bits)
    }
}

pub fn negated(bits: &[Lit]) -> Bits {
    bits.iter().map(|bit| -bit).collect()
}

fn sign_flipped(bits: &[Lit]) -> Bits {
    let mut bits = bits.to_vec();
    let top = bits.len() - 1;
    bits[top] = -bits[top];
    bits
}

pub fn sign_extended(bits: &[Lit], by: usize) -> Bits {
    let mut extended = bits.to_vec();
    extended.resize(bits.len() + by, bits[bits.len() - 1]);
    extended
}
