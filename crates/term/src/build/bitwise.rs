//! Bitwise operations. Constant masks are pushed into concatenations, so that bytes put together are taken apart again.

use crate::{Bv, Op, Sort, Term, Terms};

impl Terms {
    pub fn bv_not(&mut self, a: Term) -> Term {
        let sort = self.sort(a);
        if let Some(value) = self.value(a) {
            let value = value.not();
            self.fired("bvnot-const");
            return self.constant(value);
        }
        match self.op(a) {
            Op::BvNot => {
                self.fired("bvnot-bvnot");
                self.arg(a, 0)
            }
            Op::Ite if self.args(a)[1..].iter().all(|&t| self.is_value(t)) => {
                self.fired("bvnot-ite-const");
                let [c, t, e] = [self.arg(a, 0), self.arg(a, 1), self.arg(a, 2)];
                let (t, e) = (self.bv_not(t), self.bv_not(e));
                self.ite(c, t, e)
            }
            Op::Concat if self.is_value(self.arg(a, 0)) || self.is_value(self.arg(a, 1)) => {
                let pushed = self.rewriting(|terms| {
                    let (high, low) = (terms.arg(a, 0), terms.arg(a, 1));
                    let (high, low) = (terms.bv_not(high), terms.bv_not(low));
                    Some(terms.concat(high, low))
                });
                match pushed {
                    Some(term) => {
                        self.fired("bvnot-concat");
                        term
                    }
                    None => self.intern(Op::BvNot, sort, &[a]),
                }
            }
            _ => self.intern(Op::BvNot, sort, &[a]),
        }
    }

    fn bv_complementary(&self, a: Term, b: Term) -> bool {
        (self.op(a) == Op::BvNot && self.arg(a, 0) == b)
            || (self.op(b) == Op::BvNot && self.arg(b, 0) == a)
    }

    /// Orders two operands so that a constant comes first, and folds if both are.
    fn fold2(&mut self, a: Term, b: Term, fold: fn(&Bv, &Bv) -> Bv) -> Result<(Term, Term), Term> {
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => {
                let value = fold(x, y);
                Err(self.constant(value))
            }
            (None, Some(_)) => Ok((b, a)),
            _ => Ok((a, b)),
        }
    }

    /// Distributes a bitwise operation with a constant over a concatenation.
    fn bitwise_over_concat(
        &mut self,
        constant: Term,
        b: Term,
        build: fn(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        if self.op(b) != Op::Concat {
            return None;
        }
        let value = self.value(constant)?.clone();
        self.rewriting(|terms| {
            let (high, low) = (terms.arg(b, 0), terms.arg(b, 1));
            let split = terms.width(low);
            let high_constant = terms.constant(value.extract(value.width() - 1, split));
            let low_constant = terms.constant(value.extract(split - 1, 0));
            let (high, low) = (
                build(terms, high_constant, high),
                build(terms, low_constant, low),
            );
            Some(terms.concat(high, low))
        })
    }

    /// Both operands are concatenations split at the same place, and a half of one is constant.
    fn bitwise_aligned(
        &mut self,
        a: Term,
        b: Term,
        build: fn(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        if self.op(a) != Op::Concat || self.op(b) != Op::Concat {
            return None;
        }
        let [ah, al, bh, bl] = [
            self.arg(a, 0),
            self.arg(a, 1),
            self.arg(b, 0),
            self.arg(b, 1),
        ];
        if ![ah, al, bh, bl].iter().any(|&t| self.is_value(t)) {
            return None;
        }
        self.rewriting(|terms| {
            // Cut both at the lower of the two splits from the top, so that byte-wise assembly by shift and or meets.
            let (wa, wb) = (terms.width(al), terms.width(bl));
            let split = wa.max(wb);
            let top = terms.width(a) - 1;
            let (a_high, a_low) = (terms.extract(a, top, split), terms.extract(a, split - 1, 0));
            let (b_high, b_low) = (terms.extract(b, top, split), terms.extract(b, split - 1, 0));
            let high = build(terms, a_high, b_high);
            let low = build(terms, a_low, b_low);
            Some(terms.concat(high, low))
        })
    }

    /// `op(x, op(c, y))` with the constant brought to the front: `op(op(c, d), y)`.
    fn reassociate(&mut self, op: Op, a: Term, b: Term) -> Option<(Term, Term)> {
        if self.op(b) == op && self.is_value(a) && self.is_value(self.arg(b, 0)) {
            return Some((self.arg(b, 0), self.arg(b, 1)));
        }
        None
    }

    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.fold2(a, b, Bv::and) {
            Ok(operands) => operands,
            Err(folded) => {
                self.fired("bvand-const");
                return folded;
            }
        };
        if a == b {
            self.fired("bvand-same");
            return a;
        }
        if self.bv_complementary(a, b) {
            self.fired("bvand-complement");
            let width = self.width(a);
            return self.bv(width, 0);
        }
        if let Some(value) = self.value(a) {
            if value.is_zero() {
                self.fired("bvand-zero");
                return a;
            }
            if value.is_ones() {
                self.fired("bvand-ones");
                return b;
            }
        }
        if let Some((inner, rest)) = self.reassociate(Op::BvAnd, a, b) {
            self.fired("bvand-const-const");
            let mask = self.bv_and(a, inner);
            return self.bv_and(mask, rest);
        }
        if let Some(pushed) = self.bitwise_over_concat(a, b, Terms::bv_and) {
            self.fired("bvand-concat-const");
            return pushed;
        }
        if let Some(sliced) = self.mask_as_slice(a, b) {
            self.fired("bvand-mask-slice");
            return sliced;
        }
        if let Some(pushed) = self.bitwise_aligned(a, b, Terms::bv_and) {
            self.fired("bvand-concat-concat");
            return pushed;
        }
        let sort = self.sort(a);
        self.commutative(Op::BvAnd, sort, a, b)
    }

    /// A mask whose ones are contiguous takes a slice: zeros around an extract.
    fn mask_as_slice(&mut self, mask: Term, b: Term) -> Option<Term> {
        let value = self.value(mask)?;
        let width = value.width();
        let low = value.trailing_zeros();
        let high = width - 1 - value.leading_zeros();
        let ones: u32 = value.words().iter().map(|w| w.count_ones()).sum();
        if ones != high - low + 1 {
            return None;
        }
        self.rewriting(|terms| {
            let mut result = terms.extract(b, high, low);
            if low > 0 {
                let zeros = terms.bv(low, 0);
                result = terms.concat(result, zeros);
            }
            Some(terms.zero_extend(result, width - 1 - high))
        })
    }

    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.fold2(a, b, Bv::or) {
            Ok(operands) => operands,
            Err(folded) => {
                self.fired("bvor-const");
                return folded;
            }
        };
        if a == b {
            self.fired("bvor-same");
            return a;
        }
        if self.bv_complementary(a, b) {
            self.fired("bvor-complement");
            let width = self.width(a);
            return self.constant(Bv::ones(width));
        }
        if let Some(value) = self.value(a) {
            if value.is_zero() {
                self.fired("bvor-zero");
                return b;
            }
            if value.is_ones() {
                self.fired("bvor-ones");
                return a;
            }
        }
        if let Some((inner, rest)) = self.reassociate(Op::BvOr, a, b) {
            self.fired("bvor-const-const");
            let constant = self.bv_or(a, inner);
            return self.bv_or(constant, rest);
        }
        if let Some(pushed) = self.bitwise_over_concat(a, b, Terms::bv_or) {
            self.fired("bvor-concat-const");
            return pushed;
        }
        if let Some(pushed) = self.bitwise_aligned(a, b, Terms::bv_or) {
            self.fired("bvor-concat-concat");
            return pushed;
        }
        let sort = self.sort(a);
        self.commutative(Op::BvOr, sort, a, b)
    }

    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = match self.fold2(a, b, Bv::xor) {
            Ok(operands) => operands,
            Err(folded) => {
                self.fired("bvxor-const");
                return folded;
            }
        };
        let sort = self.sort(a);
        let width = self.width(a);
        if a == b {
            self.fired("bvxor-same");
            return self.bv(width, 0);
        }
        if self.bv_complementary(a, b) {
            self.fired("bvxor-complement");
            return self.constant(Bv::ones(width));
        }
        if let Some(value) = self.value(a) {
            if value.is_zero() {
                self.fired("bvxor-zero");
                return b;
            }
            if value.is_ones() {
                self.fired("bvxor-ones");
                return self.bv_not(b);
            }
        }
        if let Some((inner, rest)) = self.reassociate(Op::BvXor, a, b) {
            self.fired("bvxor-const-const");
            let constant = self.bv_xor(a, inner);
            return self.bv_xor(constant, rest);
        }
        if let Some(pushed) = self.bitwise_over_concat(a, b, Terms::bv_xor) {
            self.fired("bvxor-concat-const");
            return pushed;
        }
        // Negations move out, where they may meet another one.
        match (self.op(a), self.op(b)) {
            (Op::BvNot, Op::BvNot) => {
                self.fired("bvxor-not-not");
                let (a, b) = (self.arg(a, 0), self.arg(b, 0));
                self.commutative(Op::BvXor, Sort::BitVec(width), a, b)
            }
            (Op::BvNot, _) | (_, Op::BvNot) => {
                self.fired("bvxor-not");
                let (negated, other) = if self.op(a) == Op::BvNot {
                    (a, b)
                } else {
                    (b, a)
                };
                let inner = self.arg(negated, 0);
                let xor = self.bv_xor(inner, other);
                self.bv_not(xor)
            }
            _ => self.commutative(Op::BvXor, sort, a, b),
        }
    }
}
