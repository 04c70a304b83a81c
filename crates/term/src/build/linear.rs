//! Sums in linear normal form: a constant, then distinct terms with coefficients, in canonical order.
//!
//! `x - y` is `x + (-1)*y`, `~x` inside a sum is `-x - 1`. Sums are flattened up to a bound; a longer one keeps
//! its operands as opaque addends, so that building a chain of n additions stays linear.

use super::shift::Shift;
use crate::{Bv, Op, Sort, Term, Terms};

/// The most addends a flattened sum has.
const MAX_ADDENDS: usize = 12;

/// `constant + Σ coefficient * term`, terms in canonical order, coefficients not zero.
pub(crate) struct Linear {
    pub constant: Bv,
    pub monomials: Vec<(Term, Bv)>,
}

impl Terms {
    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        match self.sum_with_shifted(a, b) {
            Some(product) => product,
            None => self.bv_sum(&[a, b]),
        }
    }

    /// `t + (t << k)` is a multiple of the sum `t`, which its slices would be built beside at one width after the other.
    fn sum_with_shifted(&mut self, a: Term, b: Term) -> Option<Term> {
        let (sum, shifted) = match (self.op(a), self.op(b)) {
            (Op::BvAdd, Op::Concat) => (a, b),
            (Op::Concat, Op::BvAdd) => (b, a),
            _ => return None,
        };
        // The slice of a sum is a sum: most of what is shifted need not be compared.
        if self.op(self.arg(shifted, 0)) != Op::BvAdd {
            return None;
        }
        let Some(Shift::Left(amount)) = self.shift_of(shifted, sum) else {
            return None;
        };
        self.fired("add-shifted-sum");
        let width = self.width(sum);
        let power = Bv::one(width).shl(&Bv::new(64, u64::from(amount)));
        Some(self.scaled(&power.add(&Bv::one(width)), sum))
    }

    /// The sum of one or more terms.
    pub fn bv_sum(&mut self, addends: &[Term]) -> Term {
        let width = self.width(addends[0]);
        let mut linear = Linear {
            constant: Bv::zero(width),
            monomials: Vec::new(),
        };
        for &addend in addends {
            self.add_to(&mut linear, addend);
        }
        self.sum_of(linear)
    }

    /// The linear form of one term.
    pub(crate) fn linear(&mut self, term: Term) -> Linear {
        let width = self.width(term);
        let mut linear = Linear {
            constant: Bv::zero(width),
            monomials: Vec::new(),
        };
        self.add_to(&mut linear, term);
        linear
    }

    fn add_to(&mut self, linear: &mut Linear, addend: Term) {
        match self.op(addend) {
            Op::BvAdd if linear.monomials.len() + self.args(addend).len() <= MAX_ADDENDS => {
                self.fired("add-flatten");
                for i in 0..self.args(addend).len() {
                    let inner = self.arg(addend, i);
                    self.add_monomial(linear, inner);
                }
            }
            _ => self.add_monomial(linear, addend),
        }
    }

    fn add_monomial(&mut self, linear: &mut Linear, addend: Term) {
        let (coefficient, base) = self.monomial(addend);
        match self.op(base) {
            Op::Const(id) => {
                linear.constant = linear.constant.add(&self.const_value(id).mul(&coefficient));
            }
            Op::BvNot => {
                self.fired("add-bvnot");
                let negated = coefficient.neg();
                linear.constant = linear.constant.add(&negated);
                let inner = self.arg(base, 0);
                linear.monomials.push((inner, negated));
            }
            _ => linear.monomials.push((base, coefficient)),
        }
    }

    /// A term as coefficient times base.
    pub(super) fn monomial(&self, term: Term) -> (Bv, Term) {
        let width = self.width(term);
        match self.op(term) {
            Op::BvMul => {
                if let Some(value) = self.value(self.arg(term, 0)) {
                    return (value.clone(), self.arg(term, 1));
                }
            }
            // x << k, in the form that shifts by constants have.
            Op::Concat => {
                let (high, low) = (self.arg(term, 0), self.arg(term, 1));
                if self.value(low).is_some_and(Bv::is_zero)
                    && self.op(high) == (Op::Extract { lo: 0 })
                    && self.width(self.arg(high, 0)) == width
                {
                    let shift = Bv::new(64, u64::from(self.width(low)));
                    return (Bv::one(width).shl(&shift), self.arg(high, 0));
                }
            }
            _ => {}
        }
        (Bv::one(width), term)
    }

    /// The term of a linear form.
    pub(crate) fn sum_of(&mut self, mut linear: Linear) -> Term {
        let width = linear.constant.width();
        linear
            .monomials
            .sort_by_key(|&(t, _)| (self.structural_hash(t), t));
        let mut merged: Vec<(Term, Bv)> = Vec::with_capacity(linear.monomials.len());
        for (term, coefficient) in std::mem::take(&mut linear.monomials) {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => {
                    *sum = sum.add(&coefficient);
                    self.fired("add-merge");
                }
                _ => merged.push((term, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| !coefficient.is_zero());
        // -x - 1 is ~x.
        if let [(term, coefficient)] = &merged[..]
            && coefficient.is_ones()
            && linear.constant.is_ones()
            && width > 1
        {
            self.fired("add-to-bvnot");
            return self.bv_not(*term);
        }
        linear.monomials = merged;
        if let Some(sum) = self.rewriting(|terms| terms.ring_add(&linear)) {
            return sum;
        }
        let merged = linear.monomials;
        let mut addends = Vec::with_capacity(merged.len() + 1);
        if !linear.constant.is_zero() || merged.is_empty() {
            addends.push(self.constant(linear.constant));
        }
        for (term, coefficient) in merged {
            addends.push(self.scaled(&coefficient, term));
        }
        match addends[..] {
            [single] => single,
            [a, b] => match self.disjoint_sum(a, b) {
                Some(joined) => joined,
                None => self.intern(Op::BvAdd, Sort::BitVec(width), &addends),
            },
            _ => self.intern(Op::BvAdd, Sort::BitVec(width), &addends),
        }
    }

    /// Two addends that share no bit make no carry.
    fn disjoint_sum(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.op(a) != Op::Concat && self.op(b) != Op::Concat {
            return None;
        }
        if self.possible_ones(a)? & self.possible_ones(b)? != 0 {
            return None;
        }
        self.rewriting(|terms| {
            terms.fired("add-disjoint");
            Some(terms.bv_or(a, b))
        })
    }

    /// A mask of the bits that may be set, as far as constants in concatenations tell; up to 64 bits.
    fn possible_ones(&self, term: Term) -> Option<u64> {
        let width = self.width(term);
        if width > 64 {
            return None;
        }
        let mut ones = 0;
        let mut rest = term;
        loop {
            let (part, next) = match self.op(rest) {
                Op::Concat => (self.arg(rest, 0), Some(self.arg(rest, 1))),
                _ => (rest, None),
            };
            let part_ones = self
                .small_value(part)
                .unwrap_or(crate::value::mask(self.width(part)));
            match next {
                Some(low) => {
                    ones |= part_ones << self.width(low);
                    rest = low;
                }
                None => return Some(ones | part_ones),
            }
        }
    }

    /// A constant times a term.
    pub(crate) fn scaled(&mut self, coefficient: &Bv, term: Term) -> Term {
        let width = coefficient.width();
        if coefficient.is_zero() {
            self.fired("mul-zero");
            return self.bv(width, 0);
        }
        if coefficient.is_one() {
            self.fired("mul-one");
            return term;
        }
        if let Some(value) = self.value(term) {
            let value = value.mul(coefficient);
            self.fired("mul-const");
            return self.constant(value);
        }
        let (inner, base) = self.monomial(term);
        if !inner.is_one() {
            self.fired("mul-const-const");
            return self.scaled(&inner.mul(coefficient), base);
        }
        if let Some(shift) = coefficient.power_of_two() {
            self.fired("mul-power-of-two");
            let kept = self.extract(term, width - 1 - shift, 0);
            let zeros = self.bv(shift, 0);
            return self.concat(kept, zeros);
        }
        if self.op(term) == Op::BvAdd && coefficient.is_ones() {
            let negated = self.rewriting(|terms| {
                let mut linear = terms.linear(term);
                linear.constant = linear.constant.neg();
                for (_, c) in &mut linear.monomials {
                    *c = c.neg();
                }
                Some(terms.sum_of(linear))
            });
            if let Some(negated) = negated {
                self.fired("neg-add");
                return negated;
            }
        }
        let coefficient = self.constant(coefficient.clone());
        self.intern(Op::BvMul, Sort::BitVec(width), &[coefficient, term])
    }

    pub fn bv_neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if self.op(a) == Op::BvNot {
            let mut linear = self.linear(a);
            self.fired("neg-bvnot");
            linear.constant = linear.constant.neg();
            for (_, c) in &mut linear.monomials {
                *c = c.neg();
            }
            return self.sum_of(linear);
        }
        self.scaled(&Bv::ones(width), a)
    }

    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.bv_neg(b);
        self.bv_add(a, negated)
    }
}
