//! Products, quotients and remainders.

use crate::{Bv, Op, Term, Terms};

impl Terms {
    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        if let Some(value) = self.value(a) {
            let value = value.clone();
            return self.scaled(&value, b);
        }
        if let Some(value) = self.value(b) {
            let value = value.clone();
            return self.scaled(&value, a);
        }
        let sort = self.sort(a);
        self.commutative(Op::BvMul, sort, a, b)
    }

    /// High zero bits that constants show.
    pub(crate) fn leading_zeros(&self, term: Term) -> u32 {
        let mut zeros = 0;
        let mut rest = term;
        loop {
            match self.op(rest) {
                Op::Const(id) => return zeros + self.const_value(id).leading_zeros(),
                Op::Concat => {
                    let Some(high) = self.value(self.arg(rest, 0)) else {
                        return zeros;
                    };
                    zeros += high.leading_zeros();
                    if !high.is_zero() {
                        return zeros;
                    }
                    rest = self.arg(rest, 1);
                }
                _ => return zeros,
            }
        }
    }

    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let value = x.udiv(y);
            self.fired("udiv-const");
            return self.constant(value);
        }
        if let Some(divisor) = self.value(b).cloned() {
            if divisor.is_zero() {
                self.fired("udiv-by-zero");
                return self.constant(Bv::ones(width));
            }
            if let Some(shift) = divisor.power_of_two() {
                self.fired("udiv-power-of-two");
                return self.lshr_by(a, shift);
            }
            // A dividend known to be small: divide only what can be set.
            let zeros = self.leading_zeros(a);
            if zeros > 0 {
                let kept = width - zeros;
                if divisor.leading_zeros() < zeros {
                    self.fired("udiv-larger");
                    return self.bv(width, 0);
                }
                self.fired("udiv-narrow");
                let narrow = self.extract(a, kept - 1, 0);
                let divisor = self.constant(divisor.extract(kept - 1, 0));
                let quotient = self.bv_udiv(narrow, divisor);
                return self.zero_extend(quotient, zeros);
            }
        }
        let sort = self.sort(a);
        self.intern(Op::BvUdiv, sort, &[a, b])
    }

    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let value = x.urem(y);
            self.fired("urem-const");
            return self.constant(value);
        }
        if a == b {
            self.fired("urem-same");
            return self.bv(width, 0);
        }
        if let Some(divisor) = self.value(b) {
            if divisor.is_zero() {
                self.fired("urem-by-zero");
                return a;
            }
            match divisor.power_of_two() {
                Some(0) => {
                    self.fired("urem-by-one");
                    return self.bv(width, 0);
                }
                Some(shift) => {
                    self.fired("urem-power-of-two");
                    let low = self.extract(a, shift - 1, 0);
                    return self.zero_extend(low, width - shift);
                }
                None => {}
            }
        }
        let (zeros_a, zeros_b) = (self.leading_zeros(a), self.leading_zeros(b));
        if self.is_value(b) && zeros_b < zeros_a {
            self.fired("urem-larger");
            return a;
        }
        let zeros = zeros_a.min(zeros_b);
        if zeros > 0 && zeros < width {
            self.fired("urem-narrow");
            let kept = width - zeros;
            let (x, y) = (self.extract(a, kept - 1, 0), self.extract(b, kept - 1, 0));
            let remainder = self.bv_urem(x, y);
            return self.zero_extend(remainder, zeros);
        }
        let sort = self.sort(a);
        self.intern(Op::BvUrem, sort, &[a, b])
    }
}
