//! SMT-LIB's remaining bit-vector operators, defined by those that the arena keeps.

use crate::{Bv, Op, Term, Terms};

impl Terms {
    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.bv_ult(b, a);
        self.not(greater)
    }

    pub fn bv_ugt(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(b, a)
    }

    pub fn bv_uge(&mut self, a: Term, b: Term) -> Term {
        self.bv_ule(b, a)
    }

    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.bv_slt(b, a);
        self.not(greater)
    }

    pub fn bv_sgt(&mut self, a: Term, b: Term) -> Term {
        self.bv_slt(b, a)
    }

    pub fn bv_sge(&mut self, a: Term, b: Term) -> Term {
        self.bv_sle(b, a)
    }

    pub fn bv_nand(&mut self, a: Term, b: Term) -> Term {
        let and = self.bv_and(a, b);
        self.bv_not(and)
    }

    pub fn bv_nor(&mut self, a: Term, b: Term) -> Term {
        let or = self.bv_or(a, b);
        self.bv_not(or)
    }

    pub fn bv_xnor(&mut self, a: Term, b: Term) -> Term {
        let xor = self.bv_xor(a, b);
        self.bv_not(xor)
    }

    /// `#b1` where equal, `#b0` elsewhere.
    pub fn bv_comp(&mut self, a: Term, b: Term) -> Term {
        let eq = self.eq(a, b);
        let (one, zero) = (self.bv(1, 1), self.bv(1, 0));
        self.ite(eq, one, zero)
    }

    fn is_negative(&mut self, a: Term) -> Term {
        let zero = self.bv(self.width(a), 0);
        self.bv_slt(a, zero)
    }

    /// Whether the value is negative, and its magnitude.
    fn sign_magnitude(&mut self, a: Term) -> (Term, Term) {
        let negative = self.is_negative(a);
        let negated = self.bv_neg(a);
        (negative, self.ite(negative, negated, a))
    }

    /// The operands of a signed division that repeat their signs, without all but `spare` of the bits that do.
    fn without_signs(&mut self, a: Term, b: Term, spare: u32) -> Option<(Term, Term)> {
        if self.op(a) != Op::SignExtend && self.op(b) != Op::SignExtend {
            return None;
        }
        let bits = self.signed_bits(a).max(self.signed_bits(b)) + spare;
        if bits >= self.width(a) {
            return None;
        }
        Some((self.extract(a, bits - 1, 0), self.extract(b, bits - 1, 0)))
    }

    /// Signed division, rounding to zero.
    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        // The smallest value by minus one needs one bit more than both.
        if let Some((x, y)) = self.without_signs(a, b, 1) {
            self.fired("sdiv-narrow");
            let quotient = self.bv_sdiv(x, y);
            let by = self.width(a) - self.width(x);
            return self.sign_extend(quotient, by);
        }
        let (negative_a, magnitude_a) = self.sign_magnitude(a);
        let (negative_b, magnitude_b) = self.sign_magnitude(b);
        let quotient = self.bv_udiv(magnitude_a, magnitude_b);
        let negated = self.bv_neg(quotient);
        let differ = self.xor(negative_a, negative_b);
        self.ite(differ, negated, quotient)
    }

    /// Signed remainder with the dividend's sign.
    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        if let Some((x, y)) = self.without_signs(a, b, 0) {
            self.fired("srem-narrow");
            let remainder = self.bv_srem(x, y);
            let by = self.width(a) - self.width(x);
            return self.sign_extend(remainder, by);
        }
        let (negative_a, magnitude_a) = self.sign_magnitude(a);
        let (_, magnitude_b) = self.sign_magnitude(b);
        let remainder = self.bv_urem(magnitude_a, magnitude_b);
        let negated = self.bv_neg(remainder);
        self.ite(negative_a, negated, remainder)
    }

    /// Signed remainder with the divisor's sign.
    pub fn bv_smod(&mut self, a: Term, b: Term) -> Term {
        if let Some((x, y)) = self.without_signs(a, b, 0) {
            self.fired("smod-narrow");
            let remainder = self.bv_smod(x, y);
            let by = self.width(a) - self.width(x);
            return self.sign_extend(remainder, by);
        }
        let (negative_a, magnitude_a) = self.sign_magnitude(a);
        let (negative_b, magnitude_b) = self.sign_magnitude(b);
        let remainder = self.bv_urem(magnitude_a, magnitude_b);
        let zero = self.bv(self.width(a), 0);
        let exact = self.eq(zero, remainder);
        let negated = self.bv_neg(remainder);
        // By the signs of dividend and divisor: r, b - r, r + b, -r.
        let b_minus = self.bv_add(negated, b);
        let plus_b = self.bv_add(remainder, b);
        let if_negative_a = self.ite(negative_b, negated, b_minus);
        let if_positive_a = self.ite(negative_b, plus_b, remainder);
        let inexact = self.ite(negative_a, if_negative_a, if_positive_a);
        self.ite(exact, remainder, inexact)
    }

    pub fn rotate_left(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        let by = by % width;
        if by == 0 {
            return a;
        }
        let low = self.extract(a, width - 1, width - by);
        let high = self.extract(a, width - by - 1, 0);
        self.concat(high, low)
    }

    pub fn rotate_right(&mut self, a: Term, by: u32) -> Term {
        let width = self.width(a);
        self.rotate_left(a, width - by % width)
    }

    /// `times` copies side by side; `times` is not zero.
    pub fn repeat(&mut self, a: Term, times: u32) -> Term {
        let mut result = a;
        for _ in 1..times {
            result = self.concat(a, result);
        }
        result
    }

    /// Negation overflows.
    pub fn bv_nego(&mut self, a: Term) -> Term {
        let smallest = self.constant(Bv::min_signed(self.width(a)));
        self.eq(smallest, a)
    }

    /// Unsigned addition overflows.
    pub fn bv_uaddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(a, b);
        self.bv_ult(sum, a)
    }

    /// Signed addition overflows.
    pub fn bv_saddo(&mut self, a: Term, b: Term) -> Term {
        let sum = self.bv_add(a, b);
        let [sa, sb, ss] = [a, b, sum].map(|t| self.is_negative(t));
        let (same, changed) = (self.eq(sa, sb), self.xor(sa, ss));
        self.and2(same, changed)
    }

    /// Unsigned multiplication overflows.
    pub fn bv_umulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (x, y) = (self.zero_extend(a, width), self.zero_extend(b, width));
        let product = self.bv_mul(x, y);
        let high = self.extract(product, 2 * width - 1, width);
        let zero = self.bv(width, 0);
        let fits = self.eq(zero, high);
        self.not(fits)
    }

    /// Signed multiplication overflows.
    pub fn bv_smulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (x, y) = (self.sign_extend(a, width), self.sign_extend(b, width));
        let product = self.bv_mul(x, y);
        let low = self.extract(product, width - 1, 0);
        let extended = self.sign_extend(low, width);
        let fits = self.eq(product, extended);
        self.not(fits)
    }

    /// Unsigned subtraction overflows.
    pub fn bv_usubo(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(a, b)
    }

    /// Signed subtraction overflows.
    pub fn bv_ssubo(&mut self, a: Term, b: Term) -> Term {
        let difference = self.bv_sub(a, b);
        let [sa, sb, sd] = [a, b, difference].map(|t| self.is_negative(t));
        let (differ, changed) = (self.xor(sa, sb), self.xor(sa, sd));
        self.and2(differ, changed)
    }

    /// Signed division overflows.
    pub fn bv_sdivo(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let smallest = self.constant(Bv::min_signed(width));
        let minus_one = self.constant(Bv::ones(width));
        let (x, y) = (self.eq(smallest, a), self.eq(minus_one, b));
        self.and2(x, y)
    }
}
