//! Products, quotients and remainders.

use super::linear::Linear;
use crate::{Bv, Op, Term, Terms};

/// How far down unused bits are looked for.
pub(super) const UNUSED_DEPTH: u32 = 4;

/// A dividend with so many zero bits more than its divisor is divided by what of that fits.
const MUCH_NARROWER: u32 = 4;

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
        let ((c, x), (d, y)) = (self.monomial(a), self.monomial(b));
        if !c.is_one() || !d.is_one() {
            self.fired("mul-coefficients");
            let product = self.bv_mul(x, y);
            return self.scaled(&c.mul(&d), product);
        }
        for (one, other) in [(a, b), (b, a)] {
            if let Some(amount) = self.shifted_one(one) {
                self.fired("mul-shifted-one");
                return self.bv_shl(other, amount);
            }
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

    /// High zero bits that operators show too; looks a bounded way down.
    pub(super) fn unused_bits(&self, term: Term, depth: u32) -> u32 {
        let width = self.width(term);
        let zeros = self.leading_zeros(term);
        if zeros == width || depth == 0 {
            return zeros;
        }
        let of = |term: Term| self.unused_bits(term, depth - 1);
        let arg = |index: usize| self.arg(term, index);
        match self.op(term) {
            Op::Concat => {
                // Only zeros above the last part: what that leaves unused is unused, too.
                let mut rest = term;
                while self.op(rest) == Op::Concat {
                    rest = self.arg(rest, 1);
                }
                match width - self.width(rest) == zeros {
                    true => zeros + of(rest),
                    false => zeros,
                }
            }
            Op::BvMul => {
                let used = 2 * width - of(arg(0)) - of(arg(1));
                width.saturating_sub(used)
            }
            Op::BvAdd => {
                let addends = self.args(term);
                let unused = addends.iter().map(|&addend| of(addend)).min();
                let carries = (addends.len() - 1).ilog2() + 1;
                unused.unwrap_or(0).saturating_sub(carries)
            }
            Op::BvUrem => match self.value(arg(1)) {
                Some(divisor) if !divisor.is_zero() => {
                    let largest = divisor.sub(&Bv::one(width));
                    largest.leading_zeros().max(of(arg(0)))
                }
                _ => of(arg(0)),
            },
            Op::BvAnd => of(arg(0)).max(of(arg(1))),
            Op::BvOr | Op::BvXor => of(arg(0)).min(of(arg(1))),
            Op::BvLshr => of(arg(0)),
            Op::Ite => of(arg(1)).min(of(arg(2))),
            _ => zeros,
        }
    }

    /// The largest value that a term of at most 64 bits may have, as far as its unused bits tell.
    fn largest(&self, term: Term) -> u128 {
        let used = self.width(term) - self.unused_bits(term, UNUSED_DEPTH);
        (1 << used) - 1
    }

    /// Whether a term can only be less than a constant, as its range tells.
    fn is_below(&self, term: Term, constant: &Bv) -> bool {
        match (self.range(term), constant.small()) {
            (Some((_, largest)), Some(constant)) => largest < constant,
            _ => false,
        }
    }

    /// A dividend that cannot overflow, as a multiple of a divisor and a rest.
    fn split_multiple(&mut self, a: Term, divisor: &Bv) -> Option<(Linear, Linear)> {
        let width = self.width(a);
        let divisor = divisor.small()?;
        if !matches!(self.op(a), Op::BvAdd | Op::BvMul) {
            return None;
        }
        let whole = self.linear(a);
        let mut largest = u128::from(whole.constant.small()?);
        for (term, coefficient) in &whole.monomials {
            let addend = u128::from(coefficient.small()?) * self.largest(*term);
            largest = largest.checked_add(addend)?;
        }
        if largest >= 1 << width {
            return None;
        }
        let split = |value: &Bv| {
            let value = value.small().unwrap_or(0);
            let (multiple, rest) = (value / divisor, value % divisor);
            (Bv::new(width, multiple), Bv::new(width, rest))
        };
        let (constant, rest) = split(&whole.constant);
        let (mut quotient, mut rest) = (
            Linear {
                constant,
                monomials: Vec::new(),
            },
            Linear {
                constant: rest,
                monomials: Vec::new(),
            },
        );
        for (term, coefficient) in &whole.monomials {
            let (multiple, left) = split(coefficient);
            if !multiple.is_zero() {
                quotient.monomials.push((*term, multiple));
            }
            if !left.is_zero() {
                rest.monomials.push((*term, left));
            }
        }
        (!quotient.monomials.is_empty()).then_some((quotient, rest))
    }

    /// The other factor of a product by this one that cannot overflow.
    fn cofactor(&self, product: Term, factor: Term) -> Option<Term> {
        if self.op(product) != Op::BvMul {
            return None;
        }
        let other = match [self.arg(product, 0), self.arg(product, 1)] {
            [other, same] | [same, other] if same == factor => other,
            _ => return None,
        };
        let unused = |term| self.unused_bits(term, UNUSED_DEPTH);
        (unused(other) + unused(factor) >= self.width(product)).then_some(other)
    }

    /// The amount by which a one is shifted.
    fn shifted_one(&self, term: Term) -> Option<Term> {
        let is_one = self.op(term) == Op::BvShl && self.value(self.arg(term, 0))?.is_one();
        is_one.then(|| self.arg(term, 1))
    }

    /// All ones if the divisor is zero, which is how division is defined, and a quotient elsewhere.
    fn unless_by_zero(&mut self, divisor: Term, quotient: Term) -> Term {
        let width = self.width(divisor);
        let (zero, ones) = (self.bv(width, 0), self.constant(Bv::ones(width)));
        let is_zero = self.eq(zero, divisor);
        self.ite(is_zero, ones, quotient)
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
            if let Some(quotient) = self.rewriting(|terms| {
                let (multiple, rest) = terms.split_multiple(a, &divisor)?;
                terms.fired("udiv-multiple");
                let (multiple, rest) = (terms.sum_of(multiple), terms.sum_of(rest));
                let rest = terms.bv_udiv(rest, b);
                Some(terms.bv_add(multiple, rest))
            }) {
                return quotient;
            }
            if self.is_below(a, &divisor) {
                self.fired("udiv-below");
                return self.bv(width, 0);
            }
            // A dividend known to be small: divide only what can be set.
            let zeros = self.unused_bits(a, UNUSED_DEPTH);
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
        } else if let Some(quotient) = self.rewriting(|terms| terms.simplify_udiv(a, b)) {
            return quotient;
        }
        let sort = self.sort(a);
        self.intern(Op::BvUdiv, sort, &[a, b])
    }

    /// A quotient whose divisor is no constant.
    fn simplify_udiv(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        if a == b {
            self.fired("udiv-same");
            let one = self.bv(width, 1);
            return Some(self.unless_by_zero(b, one));
        }
        if self.value(a).is_some_and(Bv::is_zero) {
            self.fired("udiv-of-zero");
            return Some(self.unless_by_zero(b, a));
        }
        if let Some(other) = self.cofactor(a, b) {
            self.fired("udiv-cofactor");
            return Some(self.unless_by_zero(b, other));
        }
        if let Some(amount) = self.shifted_one(b) {
            self.fired("udiv-shifted-one");
            let shifted = self.bv_lshr(a, amount);
            return Some(self.unless_by_zero(b, shifted));
        }
        if self.op(a) == Op::BvUrem && self.arg(a, 1) == b {
            self.fired("udiv-urem");
            let zero = self.bv(width, 0);
            return Some(self.unless_by_zero(b, zero));
        }
        let unused = |term| self.unused_bits(term, UNUSED_DEPTH);
        let (zeros_a, zeros_b) = (unused(a), unused(b));
        let zeros = zeros_a.min(zeros_b);
        if zeros > 0 && zeros < width {
            self.fired("udiv-narrow-both");
            let top = width - zeros - 1;
            let (x, y) = (self.extract(a, top, 0), self.extract(b, top, 0));
            let quotient = self.bv_udiv(x, y);
            let zero = self.bv(top + 1, 0);
            let is_zero = self.eq(zero, y);
            let (ones, zeros) = (self.constant(Bv::ones(zeros)), self.bv(zeros, 0));
            let high = self.ite(is_zero, ones, zeros);
            return Some(self.concat(high, quotient));
        }
        if zeros_a >= MUCH_NARROWER && zeros_a < width {
            // A divisor that is larger than the dividend can be, or one as narrow.
            self.fired("udiv-narrow-dividend");
            let (high, x, y) = self.narrow_division(a, b, zeros_a);
            let quotient = self.bv_udiv(x, y);
            let quotient = self.zero_extend(quotient, zeros_a);
            let quotient = self.unless_by_zero(b, quotient);
            let zero = self.bv(width, 0);
            return Some(self.ite(high, quotient, zero));
        }
        None
    }

    /// Whether a divisor fits the used bits of its dividend, and both cut to these.
    fn narrow_division(&mut self, a: Term, b: Term, zeros: u32) -> (Term, Term, Term) {
        let width = self.width(a);
        let kept = width - zeros;
        let (x, y) = (self.extract(a, kept - 1, 0), self.extract(b, kept - 1, 0));
        let high = self.extract(b, width - 1, kept);
        let zero = self.bv(zeros, 0);
        (self.eq(zero, high), x, y)
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
        if self.value(a).is_some_and(Bv::is_zero) {
            self.fired("urem-of-zero");
            return a;
        }
        if self.op(a) == Op::BvUrem && self.arg(a, 1) == b {
            self.fired("urem-urem");
            return a;
        }
        if let Some(divisor) = self.value(b).cloned() {
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
            if self.is_below(a, &divisor) {
                self.fired("urem-below");
                return a;
            }
            if let Some(remainder) = self.rewriting(|terms| {
                let (_, rest) = terms.split_multiple(a, &divisor)?;
                terms.fired("urem-multiple");
                let rest = terms.sum_of(rest);
                Some(terms.bv_urem(rest, b))
            }) {
                return remainder;
            }
        }
        let unused = |term| self.unused_bits(term, UNUSED_DEPTH);
        let (zeros_a, zeros_b) = (unused(a), unused(b));
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
        if !self.is_value(b)
            && let Some(remainder) = self.rewriting(|terms| terms.simplify_urem(a, b, zeros_a))
        {
            return remainder;
        }
        let sort = self.sort(a);
        self.intern(Op::BvUrem, sort, &[a, b])
    }

    /// A remainder whose divisor is no constant.
    fn simplify_urem(&mut self, a: Term, b: Term, zeros: u32) -> Option<Term> {
        let width = self.width(a);
        if self.cofactor(a, b).is_some() {
            self.fired("urem-cofactor");
            return Some(self.bv(width, 0));
        }
        if self.shifted_one(b).is_some() {
            // Where the one is shifted out, all bits stay.
            self.fired("urem-shifted-one");
            let ones = self.constant(Bv::ones(width));
            let mask = self.bv_add(b, ones);
            return Some(self.bv_and(a, mask));
        }
        if zeros >= MUCH_NARROWER && zeros < width {
            self.fired("urem-narrow-dividend");
            let (fits, x, y) = self.narrow_division(a, b, zeros);
            let remainder = self.bv_urem(x, y);
            let remainder = self.zero_extend(remainder, zeros);
            return Some(self.ite(fits, remainder, a));
        }
        None
    }
}
