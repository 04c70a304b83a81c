//! Equality and order.
//!
//! A comparison with a constant is carried down through invertible operations to the terms that matter, and a
//! comparison of concatenations is taken apart into comparisons of their parts.

use super::product::UNUSED_DEPTH;
use super::shift::Shift;
use crate::{Bv, Op, Sort, Term, Terms};

impl Terms {
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            self.fired("eq-same");
            return Term::TRUE;
        }
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::BitVec(_) => match (self.value(a).is_some(), self.value(b).is_some()) {
                (true, true) => {
                    // Constants are interned: different terms are different values.
                    self.fired("eq-const");
                    Term::FALSE
                }
                (true, false) => self.eq_const(a, b),
                (false, true) => self.eq_const(b, a),
                (false, false) => self.eq_terms(a, b),
            },
            Sort::Array { .. } => self.eq_arrays(a, b),
            Sort::Int | Sort::Real => self.eq_numbers(a, b),
            Sort::Float(format) => self.eq_floats(format, a, b),
            Sort::RoundingMode | Sort::Coded(_) => {
                let (a, b) = (self.below_surface(a), self.below_surface(b));
                self.eq(a, b)
            }
        }
    }

    /// `constant = b`.
    fn eq_const(&mut self, constant: Term, b: Term) -> Term {
        let carried = self.rewriting(|terms| match terms.carry_eq(constant, b) {
            None if terms.op(b) == Op::BvAdd => terms.ring_eq(b, constant),
            carried => carried,
        });
        if let Some(carried) = carried {
            return carried;
        }
        let width = self.width(b);
        if width == 1 && self.value(constant).is_some_and(Bv::is_zero) {
            self.fired("eq-bit-zero");
            let one = self.bv(1, 1);
            let eq = self.commutative(Op::Eq, Sort::Bool, one, b);
            return self.not(eq);
        }
        self.commutative(Op::Eq, Sort::Bool, constant, b)
    }

    fn carry_eq(&mut self, constant: Term, b: Term) -> Option<Term> {
        let value = self.value(constant)?.clone();
        match self.op(b) {
            Op::Concat => {
                self.fired("eq-concat-const");
                let (high, low) = (self.arg(b, 0), self.arg(b, 1));
                let split = self.width(low);
                let high_value = self.constant(value.extract(value.width() - 1, split));
                let low_value = self.constant(value.extract(split - 1, 0));
                let first = self.eq(high_value, high);
                if first == Term::FALSE {
                    return Some(Term::FALSE);
                }
                let second = self.eq(low_value, low);
                Some(self.and2(first, second))
            }
            Op::Ite => {
                let [c, t, e] = [self.arg(b, 0), self.arg(b, 1), self.arg(b, 2)];
                if !self.is_value(t) && !self.is_value(e) {
                    return None;
                }
                self.fired("eq-ite-const");
                let (t, e) = (self.eq(constant, t), self.eq(constant, e));
                Some(self.ite(c, t, e))
            }
            Op::BvNot => {
                self.fired("eq-bvnot-const");
                let inner = self.arg(b, 0);
                let flipped = self.constant(value.not());
                Some(self.eq(flipped, inner))
            }
            Op::BvAdd => {
                let mut linear = self.linear(b);
                if linear.constant.is_zero() {
                    return None;
                }
                self.fired("eq-add-const");
                let difference = self.constant(value.sub(&linear.constant));
                linear.constant = Bv::zero(value.width());
                let rest = self.sum_of(linear);
                Some(self.eq(difference, rest))
            }
            Op::BvMul => {
                let factor = self.value(self.arg(b, 0))?.clone();
                let inner = self.arg(b, 1);
                let zeros = factor.trailing_zeros();
                if value.trailing_zeros() < zeros {
                    self.fired("eq-mul-even-impossible");
                    return Some(Term::FALSE);
                }
                // An odd number times a power of two: what the product is says what the low bits of the term are.
                self.fired("eq-mul-const");
                let top = value.width() - 1;
                let inverse = factor.extract(top, zeros).inverse()?;
                let quotient = self.constant(value.extract(top, zeros).mul(&inverse));
                let low = self.extract(inner, top - zeros, 0);
                Some(self.eq(quotient, low))
            }
            Op::SignExtend => {
                self.fired("eq-sext-const");
                let inner = self.arg(b, 0);
                let width = self.width(inner);
                let truncated = value.extract(width - 1, 0);
                if truncated.sign_extend(value.width() - width) != value {
                    return Some(Term::FALSE);
                }
                let truncated = self.constant(truncated);
                Some(self.eq(truncated, inner))
            }
            Op::BvXor => {
                let (first, inner) = (self.arg(b, 0), self.arg(b, 1));
                let Some(flip) = self.value(first) else {
                    return self.eq_xor_shift(&value, first, inner);
                };
                let flipped = value.xor(flip);
                self.fired("eq-xor-const");
                let flipped = self.constant(flipped);
                Some(self.eq(flipped, inner))
            }
            Op::BvUdiv => {
                // What the quotient is says where the dividend lies.
                let (dividend, divisor) = (self.arg(b, 0), self.arg(b, 1));
                let (first, next) = self.multiples(&value, divisor)?;
                self.fired("eq-udiv-const");
                let Some(first) = first else {
                    return Some(Term::FALSE);
                };
                let bound = match next {
                    Some(_) => divisor,
                    // The last quotient there is: from here to the largest dividend.
                    None => {
                        let below = self.constant(first);
                        let below = self.bv_ult(dividend, below);
                        return Some(self.not(below));
                    }
                };
                let first = self.constant(first.neg());
                let above = self.bv_add(dividend, first);
                Some(self.bv_ult(above, bound))
            }
            Op::BvAnd => {
                let mask = self.value(self.arg(b, 0))?;
                if value.and(&mask.not()).is_zero() {
                    return None;
                }
                self.fired("eq-and-impossible");
                Some(Term::FALSE)
            }
            Op::BvOr => {
                let set = self.value(self.arg(b, 0))?;
                if set.and(&value.not()).is_zero() {
                    return None;
                }
                self.fired("eq-or-impossible");
                Some(Term::FALSE)
            }
            _ => None,
        }
    }

    /// `x ^ (x >> k)` or `x ^ (x << k)`, as hashes mix their bits, is a value for just one `x`.
    fn eq_xor_shift(&mut self, value: &Bv, a: Term, b: Term) -> Option<Term> {
        let (shift, x) = match (self.shift_of(b, a), self.shift_of(a, b)) {
            (Some(shift), _) => (shift, a),
            (None, Some(shift)) => (shift, b),
            (None, None) => return None,
        };
        self.fired("eq-xor-shift");
        // Each round makes twice as many of the bits those of `x`.
        let (mut solution, mut by) = (value.clone(), shift.amount());
        while by < value.width() {
            let amount = Bv::new(64, u64::from(by));
            let moved = match shift {
                Shift::Left(_) => solution.shl(&amount),
                Shift::Right(_) => solution.lshr(&amount),
            };
            solution = solution.xor(&moved);
            by *= 2;
        }
        let solution = self.constant(solution);
        Some(self.eq(solution, x))
    }

    /// This many times a constant divisor, and one time more, as far as they fit; not of a divisor that is zero.
    fn multiples(&self, times: &Bv, divisor: Term) -> Option<(Option<Bv>, Option<Bv>)> {
        let divisor = self.value(divisor)?;
        if divisor.is_zero() {
            return None;
        }
        let width = times.width();
        let wide = |value: &Bv| value.zero_extend(width + 1);
        let product = wide(times).mul(&wide(divisor));
        let fitting = |value: Bv| {
            let fits = value.leading_zeros() > width;
            fits.then(|| value.extract(width - 1, 0))
        };
        let next = product.add(&wide(divisor));
        Some((fitting(product), fitting(next)))
    }

    fn eq_terms(&mut self, a: Term, b: Term) -> Term {
        let rewritten = self.rewriting(|terms| {
            let simplified = terms.simplify_eq(a, b);
            simplified.or_else(|| terms.ring_eq(a, b))
        });
        if let Some(rewritten) = rewritten {
            return rewritten;
        }
        self.commutative(Op::Eq, Sort::Bool, a, b)
    }

    fn simplify_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::Concat, Op::Concat) => {
                let [ah, al, bh, bl] = [
                    self.arg(a, 0),
                    self.arg(a, 1),
                    self.arg(b, 0),
                    self.arg(b, 1),
                ];
                if self.width(al) == self.width(bl) {
                    self.fired("eq-concat-concat");
                    let (high, low) = (self.eq(ah, bh), self.eq(al, bl));
                    return Some(self.and2(high, low));
                }
                if self.is_value(ah) && self.is_value(bh) {
                    // Extensions of different length: cut at the higher split.
                    self.fired("eq-extensions");
                    let split = self.width(al).max(self.width(bl));
                    let top = self.width(a) - 1;
                    let (x, y) = (self.extract(a, top, split), self.extract(b, top, split));
                    let high = self.eq(x, y);
                    let (x, y) = (self.extract(a, split - 1, 0), self.extract(b, split - 1, 0));
                    let low = self.eq(x, y);
                    return Some(self.and2(high, low));
                }
                None
            }
            (Op::BvNot, Op::BvNot) => {
                self.fired("eq-bvnot-bvnot");
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                Some(self.eq(x, y))
            }
            (Op::SignExtend, Op::SignExtend)
                if self.width(self.arg(a, 0)) == self.width(self.arg(b, 0)) =>
            {
                self.fired("eq-sext-sext");
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                Some(self.eq(x, y))
            }
            (Op::SignExtend, _) | (_, Op::SignExtend) => {
                let (x, y) = self.without_sign_bits(a, b)?;
                self.fired("eq-sign-bits");
                Some(self.eq(x, y))
            }
            (Op::Concat, Op::BvMul) | (Op::BvMul, Op::Concat) => {
                let zeros = self.common_zeros(a, b)?;
                self.fired("eq-narrow-product");
                let top = self.width(a) - zeros - 1;
                let (x, y) = (self.extract(a, top, 0), self.extract(b, top, 0));
                Some(self.eq(x, y))
            }
            (Op::BvAdd, _) | (_, Op::BvAdd) => self.cancel_eq(a, b),
            _ => None,
        }
    }

    /// High bits that are zero in two terms, one of which may be a product.
    fn common_zeros(&self, a: Term, b: Term) -> Option<u32> {
        let zeros = |term: Term| match self.op(term) {
            Op::BvMul => self.unused_bits(term, UNUSED_DEPTH),
            _ => self.leading_zeros(term),
        };
        Some(zeros(a).min(zeros(b))).filter(|&zeros| zeros > 0)
    }

    /// Two terms without the high bits that repeat the sign of both.
    fn without_sign_bits(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let bits = self.signed_bits(a).max(self.signed_bits(b));
        if bits == self.width(a) {
            return None;
        }
        Some((self.extract(a, bits - 1, 0), self.extract(b, bits - 1, 0)))
    }

    /// So many low bits say what a signed value is, as far as extensions tell.
    pub(super) fn signed_bits(&self, term: Term) -> u32 {
        let width = self.width(term);
        match self.op(term) {
            Op::SignExtend => self.width(self.arg(term, 0)),
            Op::Const(id) => {
                let value = self.const_value(id);
                let repeated = match value.sign() {
                    true => value.not().leading_zeros(),
                    false => value.leading_zeros(),
                };
                width + 1 - repeated
            }
            Op::BvMul if !self.is_value(self.arg(term, 0)) => {
                let bits = |place: usize| match self.op(self.arg(term, place)) {
                    // One level is enough for operands that were extended.
                    Op::BvMul => width,
                    _ => self.signed_bits(self.arg(term, place)),
                };
                (bits(0) + bits(1)).min(width)
            }
            _ => (width + 1 - self.leading_zeros(term)).min(width),
        }
    }

    /// Takes away what both sides of an equation add: common terms, and the constant of one side.
    fn cancel_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        let mut left = self.linear(a);
        let mut right = self.linear(b);
        let mut changed = false;
        for (term, coefficient) in &mut left.monomials {
            if let Some((_, other)) = right.monomials.iter_mut().find(|(t, _)| t == term) {
                cancel(coefficient, other);
                changed = true;
            }
        }
        if !left.constant.is_zero() && !right.constant.is_zero() {
            cancel(&mut left.constant, &mut right.constant);
            changed = true;
        }
        if !changed {
            return None;
        }
        self.fired("eq-cancel");
        let (left, right) = (self.sum_of(left), self.sum_of(right));
        Some(self.eq(left, right))
    }

    fn eq_arrays(&mut self, a: Term, b: Term) -> Term {
        if self.op(a) == Op::ConstArray && self.op(b) == Op::ConstArray {
            self.fired("eq-const-arrays");
            let (x, y) = (self.arg(a, 0), self.arg(b, 0));
            return self.eq(x, y);
        }
        self.commutative(Op::Eq, Sort::Bool, a, b)
    }

    /// Unsigned less-than.
    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            self.fired("ult-same");
            return Term::FALSE;
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let less = x.ult(y);
            self.fired("ult-const");
            return Term::bool(less);
        }
        if let Some(rewritten) = self.rewriting(|terms| terms.simplify_ult(a, b)) {
            return rewritten;
        }
        self.intern(Op::BvUlt, Sort::Bool, &[a, b])
    }

    fn simplify_ult(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.ring_same(a, b) {
            self.fired("ult-ring-same");
            return Some(Term::FALSE);
        }
        if (self.is_value(a) || self.is_value(b))
            && let (Some(x), Some(y)) = (self.range(a), self.range(b))
        {
            if x.1 < y.0 {
                self.fired("ult-range");
                return Some(Term::TRUE);
            }
            if y.1 <= x.0 {
                self.fired("ult-range-not");
                return Some(Term::FALSE);
            }
        }
        let width = self.width(a);
        let (zeros_a, zeros_b) = (self.leading_zeros(a), self.leading_zeros(b));
        if let Some(value) = self.value(a).cloned() {
            if value.is_zero() {
                self.fired("ult-zero-left");
                let eq = self.eq(a, b);
                return Some(self.not(eq));
            }
            if value.is_ones() || zeros_a < zeros_b {
                self.fired("ult-too-large-left");
                return Some(Term::FALSE);
            }
            if value.add(&Bv::one(width)).is_ones() {
                self.fired("ult-almost-largest");
                let ones = self.constant(Bv::ones(width));
                return Some(self.eq(ones, b));
            }
        }
        if let Some(value) = self.value(b).cloned() {
            if value.is_zero() {
                self.fired("ult-zero-right");
                return Some(Term::FALSE);
            }
            if value.is_one() {
                self.fired("ult-one");
                let zero = self.bv(width, 0);
                return Some(self.eq(zero, a));
            }
            if value.is_ones() {
                self.fired("ult-largest");
                let eq = self.eq(a, b);
                return Some(self.not(eq));
            }
            if zeros_b < zeros_a {
                self.fired("ult-large-right");
                return Some(Term::TRUE);
            }
        }
        let zeros = self.common_zeros(a, b).unwrap_or(0);
        if zeros > 0 {
            self.fired("ult-narrow");
            let top = width - zeros - 1;
            let (x, y) = (self.extract(a, top, 0), self.extract(b, top, 0));
            return Some(self.bv_ult(x, y));
        }
        match (self.op(a), self.op(b)) {
            // Sign extension keeps the unsigned order, too.
            (Op::SignExtend, _) | (_, Op::SignExtend) => {
                let (x, y) = self.without_sign_bits(a, b)?;
                self.fired("ult-sign-bits");
                Some(self.bv_ult(x, y))
            }
            (Op::BvUdiv, Op::Const(_)) => {
                let (dividend, divisor) = (self.arg(a, 0), self.arg(a, 1));
                let bound = self.value(b)?.clone();
                let (first, _) = self.multiples(&bound, divisor)?;
                self.fired("ult-udiv-const");
                let Some(first) = first else {
                    return Some(Term::TRUE);
                };
                let first = self.constant(first);
                Some(self.bv_ult(dividend, first))
            }
            (Op::Const(_), Op::BvUdiv) => {
                let (dividend, divisor) = (self.arg(b, 0), self.arg(b, 1));
                let bound = self.value(a)?.clone();
                let (_, next) = self.multiples(&bound, divisor)?;
                self.fired("ult-const-udiv");
                let Some(next) = next else {
                    return Some(Term::FALSE);
                };
                let next = self.constant(next);
                let below = self.bv_ult(dividend, next);
                Some(self.not(below))
            }
            (Op::BvUrem, _) if self.arg(a, 1) == b => {
                self.fired("ult-urem-divisor");
                let zero = self.bv(width, 0);
                let is_zero = self.eq(zero, b);
                Some(self.not(is_zero))
            }
            (_, Op::BvUrem) if self.arg(b, 0) == a => {
                self.fired("ult-urem-dividend");
                Some(Term::FALSE)
            }
            (_, Op::BvUdiv) if self.arg(b, 0) == a => {
                self.fired("ult-udiv-dividend");
                let divisor = self.arg(b, 1);
                let (zero, ones) = (self.bv(width, 0), self.constant(Bv::ones(width)));
                let (is_zero, is_largest) = (self.eq(zero, divisor), self.eq(ones, a));
                let is_smaller = self.not(is_largest);
                Some(self.and2(is_zero, is_smaller))
            }
            (Op::BvNot, Op::BvNot) => {
                self.fired("ult-bvnot-bvnot");
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                Some(self.bv_ult(y, x))
            }
            (Op::Concat, Op::Const(_)) => self.ult_concat_const(a, b),
            (Op::Const(_), Op::Concat) => self.ult_const_concat(a, b),
            (Op::Ite, Op::Const(_)) | (Op::Const(_), Op::Ite) => {
                self.compare_ite(a, b, Terms::bv_ult)
            }
            _ => None,
        }
    }

    /// An ite of constants compared with a constant is its condition, or nothing.
    fn compare_ite(
        &mut self,
        a: Term,
        b: Term,
        compare: fn(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        let ite = if self.op(a) == Op::Ite { a } else { b };
        let [c, t, e] = [self.arg(ite, 0), self.arg(ite, 1), self.arg(ite, 2)];
        if !self.is_value(t) || !self.is_value(e) {
            return None;
        }
        self.fired("compare-ite-const");
        let (t, e) = if ite == a {
            (compare(self, t, b), compare(self, e, b))
        } else {
            (compare(self, a, t), compare(self, a, e))
        };
        Some(self.ite(c, t, e))
    }

    /// `high·low < c`: where c's high part is zero, or its low part is, one half decides.
    fn ult_concat_const(&mut self, a: Term, b: Term) -> Option<Term> {
        let (high, low) = (self.arg(a, 0), self.arg(a, 1));
        let split = self.width(low);
        let value = self.value(b)?.clone();
        let (high_value, low_value) = (
            value.extract(value.width() - 1, split),
            value.extract(split - 1, 0),
        );
        if low_value.is_zero() {
            self.fired("ult-concat-high");
            let bound = self.constant(high_value);
            return Some(self.bv_ult(high, bound));
        }
        if high_value.is_zero() {
            self.fired("ult-concat-low");
            let zero = self.constant(high_value);
            let bound = self.constant(low_value);
            let (first, second) = (self.eq(zero, high), self.bv_ult(low, bound));
            return Some(self.and2(first, second));
        }
        None
    }

    /// `c < high·low`, likewise.
    fn ult_const_concat(&mut self, a: Term, b: Term) -> Option<Term> {
        let (high, low) = (self.arg(b, 0), self.arg(b, 1));
        let split = self.width(low);
        let value = self.value(a)?.clone();
        let (high_value, low_value) = (
            value.extract(value.width() - 1, split),
            value.extract(split - 1, 0),
        );
        if low_value.is_ones() {
            self.fired("ult-const-concat-high");
            let bound = self.constant(high_value);
            return Some(self.bv_ult(bound, high));
        }
        if high_value.is_zero() {
            self.fired("ult-const-concat-low");
            let zero = self.constant(high_value);
            let bound = self.constant(low_value);
            let (first, second) = (self.eq(zero, high), self.bv_ult(bound, low));
            let above = self.not(first);
            return Some(self.or2(above, second));
        }
        None
    }

    /// Signed less-than.
    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            self.fired("slt-same");
            return Term::FALSE;
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let less = x.slt(y);
            self.fired("slt-const");
            return Term::bool(less);
        }
        if let Some(rewritten) = self.rewriting(|terms| terms.simplify_slt(a, b)) {
            return rewritten;
        }
        self.intern(Op::BvSlt, Sort::Bool, &[a, b])
    }

    /// The sign of a term, as far as constants show.
    fn known_sign(&self, term: Term) -> Option<bool> {
        match self.op(term) {
            Op::Const(id) => Some(self.const_value(id).sign()),
            Op::Concat => self.value(self.arg(term, 0)).map(Bv::sign),
            _ => None,
        }
    }

    fn simplify_slt(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.ring_same(a, b) {
            self.fired("slt-ring-same");
            return Some(Term::FALSE);
        }
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.known_sign(a), self.known_sign(b)) {
            if x != y {
                self.fired("slt-signs");
                return Some(Term::bool(x));
            }
            self.fired("slt-same-sign");
            return Some(self.bv_ult(a, b));
        }
        if let Some(value) = self.value(b) {
            if *value == Bv::min_signed(width) {
                self.fired("slt-smallest");
                return Some(Term::FALSE);
            }
            if value.is_zero() {
                self.fired("slt-zero");
                return Some(self.sign_bit(a));
            }
        }
        if let Some(value) = self.value(a) {
            if *value == Bv::max_signed(width) {
                self.fired("slt-largest");
                return Some(Term::FALSE);
            }
            if value.is_ones() {
                self.fired("slt-minus-one");
                let negative = self.sign_bit(b);
                return Some(self.not(negative));
            }
        }
        match (self.op(a), self.op(b)) {
            (Op::SignExtend, Op::SignExtend)
                if self.width(self.arg(a, 0)) == self.width(self.arg(b, 0)) =>
            {
                self.fired("slt-sext-sext");
                let (x, y) = (self.arg(a, 0), self.arg(b, 0));
                Some(self.bv_slt(x, y))
            }
            (Op::SignExtend, Op::Const(_)) => {
                let (inner, value) = (self.arg(a, 0), self.value(b)?.clone());
                let narrow = self.width(inner);
                let truncated = value.extract(narrow - 1, 0);
                self.fired("slt-sext-const");
                if truncated.sign_extend(width - narrow) != value {
                    // Out of the narrow range: above all of it, or below all of it.
                    return Some(Term::bool(!value.sign()));
                }
                let bound = self.constant(truncated);
                Some(self.bv_slt(inner, bound))
            }
            (Op::Const(_), Op::SignExtend) => {
                let (inner, value) = (self.arg(b, 0), self.value(a)?.clone());
                let narrow = self.width(inner);
                let truncated = value.extract(narrow - 1, 0);
                self.fired("slt-const-sext");
                if truncated.sign_extend(width - narrow) != value {
                    return Some(Term::bool(value.sign()));
                }
                let bound = self.constant(truncated);
                Some(self.bv_slt(bound, inner))
            }
            (Op::SignExtend, _) | (_, Op::SignExtend) => {
                let (x, y) = self.without_sign_bits(a, b)?;
                self.fired("slt-sign-bits");
                Some(self.bv_slt(x, y))
            }
            (Op::Ite, Op::Const(_)) | (Op::Const(_), Op::Ite) => {
                self.compare_ite(a, b, Terms::bv_slt)
            }
            _ => None,
        }
    }

    /// The top bit, as a truth value.
    fn sign_bit(&mut self, a: Term) -> Term {
        let top = self.width(a) - 1;
        let bit = self.extract(a, top, top);
        let one = self.bv(1, 1);
        self.eq(one, bit)
    }
}

/// Takes from both what they have in common; the side on which it is positive keeps the rest, so that it does not
/// matter which side is which.
fn cancel(left: &mut Bv, right: &mut Bv) {
    let difference = left.sub(right);
    let zero = Bv::zero(left.width());
    (*left, *right) = match difference.sign() {
        true => (zero, difference.neg()),
        false => (difference, zero),
    };
}
