//! Bit-vectors as a ring: sums of products in normal form.
//!
//! A product is a multiset of factors and a sum of products a polynomial, so that associativity, commutativity and
//! distribution are nothing but ways to write the same one. Terms are not built in this form: distribution trades one
//! multiplier for several, and sorting the factors of a product takes apart what others share. It is computed where
//! two terms are compared, or several products added: what it decides is decided, and what it makes smaller, counted
//! in multipliers, is built in its place.
//!
//! `x << k` is `2^k * x`, `~x` is `-x - 1`, and `x % y` is `x - y * (x / y)`, which holds for zero divisors too. All of
//! this is bounded (see [`Budget`]): what is beyond the bounds is a factor as it stands.

use std::cmp::Ordering;

use super::linear::Linear;
use crate::{Bv, Op, Term, Terms};

/// The most monomials of a polynomial.
const MAX_MONOMIALS: usize = 48;

/// The most factors of a monomial.
const MAX_FACTORS: usize = 32;

/// How deep sums and products nest.
const MAX_DEPTH: u32 = 12;

/// Factors in canonical order, with repetition.
type Factors = Vec<Term>;

/// `Σ coefficient * factors`, monomials in canonical order, coefficients not zero. The constant has no factors.
#[derive(PartialEq, Eq, Hash)]
struct Polynomial {
    width: u32,
    monomials: Vec<(Factors, Bv)>,
}

/// What terms with the same normal form have in common: they are equal.
#[derive(PartialEq, Eq, Hash)]
pub struct RingForm(Polynomial);

/// How much work the normal form of one comparison may take, and what it met.
struct Budget {
    /// Terms that may yet be taken apart, and monomials that may yet be multiplied.
    steps: u32,
    /// Multipliers and dividers met so far, each once.
    dear: Vec<Term>,
    /// Remainders that are written as what their quotients leave.
    remainders: Vec<Term>,
    /// Write `ite(c, a, b)` as `b + ite(c, 1, 0) * (a - b)`.
    takes_choices: bool,
}

impl Budget {
    fn new(remainders: Vec<Term>) -> Budget {
        Budget {
            steps: 256,
            dear: Vec::new(),
            remainders,
            takes_choices: false,
        }
    }

    fn spend(&mut self, steps: usize) -> bool {
        match self.steps.checked_sub(steps as u32) {
            Some(left) => {
                self.steps = left;
                true
            }
            None => false,
        }
    }

    fn meet(&mut self, term: Term) {
        if !self.dear.contains(&term) {
            self.dear.push(term);
        }
    }
}

impl Polynomial {
    fn constant(value: Bv) -> Polynomial {
        let width = value.width();
        let mut polynomial = Polynomial {
            width,
            monomials: Vec::new(),
        };
        if !value.is_zero() {
            polynomial.monomials.push((Factors::new(), value));
        }
        polynomial
    }

    fn factor(width: u32, term: Term) -> Polynomial {
        Polynomial {
            width,
            monomials: vec![(vec![term], Bv::one(width))],
        }
    }

    fn scale(&mut self, by: &Bv) {
        if by.is_one() {
            return;
        }
        for (_, coefficient) in &mut self.monomials {
            *coefficient = coefficient.mul(by);
        }
        self.monomials
            .retain(|(_, coefficient)| !coefficient.is_zero());
    }

    /// The constant addend.
    fn offset(&self) -> Bv {
        match self.monomials.first() {
            Some((factors, value)) if factors.is_empty() => value.clone(),
            _ => Bv::zero(self.width),
        }
    }

    fn is_constant(&self) -> bool {
        self.monomials.iter().all(|(factors, _)| factors.is_empty())
    }
}

impl Terms {
    /// What the ring makes of an equation: a decision, or one with fewer multipliers.
    pub(super) fn ring_eq(&mut self, a: Term, b: Term) -> Option<Term> {
        if !self.is_polynomial(a) && !self.is_polynomial(b) {
            return None;
        }
        let width = self.width(a);
        let minus_one = Bv::ones(width);
        let (difference, dear) = self.ring_form(width, &[(a, Bv::one(width)), (b, minus_one)])?;
        if difference.is_constant() {
            self.fired("eq-ring-const");
            return Some(Term::bool(difference.offset().is_zero()));
        }
        let products = difference.monomials.iter();
        let zeros = products
            .filter(|(factors, _)| !factors.is_empty())
            .map(|(_, coefficient)| coefficient.trailing_zeros())
            .min()?;
        if difference.offset().trailing_zeros() < zeros {
            self.fired("eq-ring-parity");
            return Some(Term::FALSE);
        }
        if self.ring_cost(&difference) >= dear {
            return self.ring_eq_by_cases(&difference, a, b);
        }
        self.fired("eq-ring-smaller");
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (factors, coefficient) in difference.monomials {
            match coefficient.sign() {
                false => left.push((factors, coefficient)),
                true => right.push((factors, coefficient.neg())),
            }
        }
        let (left, right) = (self.ring_sum(width, left), self.ring_sum(width, right));
        Some(self.eq(left, right))
    }

    /// Decides an equation whose difference has choices among its factors: products of choices and choices of products
    /// are the same polynomials.
    fn ring_eq_by_cases(&mut self, difference: &Polynomial, a: Term, b: Term) -> Option<Term> {
        let mut factors = difference.monomials.iter().flat_map(|(factors, _)| factors);
        if !factors.any(|&factor| self.op(factor) == Op::Ite) {
            return None;
        }
        let mut budget = Budget::new(Vec::new());
        budget.takes_choices = true;
        let left = self.polynomial(a, MAX_DEPTH, &mut budget);
        let mut right = self.polynomial(b, MAX_DEPTH, &mut budget);
        right.scale(&Bv::ones(right.width));
        let difference = self.ring_merged(left, right)?;
        if !difference.is_constant() {
            return None;
        }
        self.fired("eq-ring-choices");
        Some(Term::bool(difference.offset().is_zero()))
    }

    /// The normal form of a term with multipliers, to find others that are equal to it.
    pub fn ring_form_of(&mut self, term: Term) -> Option<RingForm> {
        let multiplies = |term: Term| {
            self.op(term) == Op::BvMul
                && (!self.is_value(self.arg(term, 0)) || self.op(self.arg(term, 1)) == Op::BvMul)
        };
        let is_nonlinear = match self.op(term) {
            Op::BvAdd => self.args(term).iter().any(|&addend| multiplies(addend)),
            _ => multiplies(term),
        };
        if !is_nonlinear {
            return None;
        }
        let mut budget = Budget::new(Vec::new());
        Some(RingForm(self.polynomial(term, MAX_DEPTH, &mut budget)))
    }

    /// Whether the ring shows that two terms are the same.
    pub(super) fn ring_same(&mut self, a: Term, b: Term) -> bool {
        if !self.is_polynomial(a) || !self.is_polynomial(b) {
            return false;
        }
        let width = self.width(a);
        let minus_one = Bv::ones(width);
        let difference = self.ring_form(width, &[(a, Bv::one(width)), (b, minus_one)]);
        difference.is_some_and(|(difference, _)| difference.monomials.is_empty())
    }

    /// A sum of several products with fewer multipliers.
    pub(super) fn ring_add(&mut self, linear: &Linear) -> Option<Term> {
        let products = linear.monomials.iter();
        if products.filter(|&&(term, _)| self.is_product(term)).count() < 2 {
            return None;
        }
        let width = linear.constant.width();
        let (sum, dear) = self.ring_form(width, &linear.monomials)?;
        if self.ring_cost(&sum) >= dear {
            return None;
        }
        self.fired("add-ring-smaller");
        let constant = Polynomial::constant(linear.constant.clone());
        let sum = self.ring_merged(sum, constant)?;
        Some(self.ring_sum(width, sum.monomials))
    }

    /// Whether a term is something that the linear form does not see through, or adds such.
    fn is_polynomial(&self, term: Term) -> bool {
        match self.op(term) {
            Op::BvAdd => {
                let addends = self.args(term).iter();
                addends.copied().any(|addend| self.is_product(addend))
            }
            Op::BvNot => self.is_product(self.arg(term, 0)),
            _ => self.is_product(term),
        }
    }

    fn is_product(&self, term: Term) -> bool {
        match self.op(term) {
            Op::BvMul => {
                let second = self.op(self.arg(term, 1));
                !self.is_value(self.arg(term, 0))
                    || matches!(second, Op::BvMul | Op::BvAdd | Op::BvUdiv)
            }
            Op::BvUrem | Op::BvShl => true,
            Op::Concat => {
                let (high, low) = (self.arg(term, 0), self.arg(term, 1));
                self.value(low).is_some_and(Bv::is_zero)
                    && matches!(self.op(high), Op::BvMul | Op::BvAdd | Op::BvUdiv)
            }
            _ => false,
        }
    }

    /// The normal form of a sum, and how many multipliers and dividers are in what it was made from.
    fn ring_form(&mut self, width: u32, addends: &[(Term, Bv)]) -> Option<(Polynomial, usize)> {
        let mut remainders = Vec::new();
        loop {
            let mut budget = Budget::new(remainders);
            let mut sum = Polynomial::constant(Bv::zero(width));
            for (term, coefficient) in addends {
                let mut addend = self.polynomial(*term, MAX_DEPTH, &mut budget);
                addend.scale(coefficient);
                sum = self.ring_merged(sum, addend)?;
            }
            // A remainder beside its quotient may be what that leaves.
            let factors = || sum.monomials.iter().flat_map(|(factors, _)| factors);
            let divides = |&&factor: &&Term| self.op(factor) == Op::BvUdiv;
            let quotients: Vec<Term> = factors().filter(divides).copied().collect();
            let is_left = |&&factor: &&Term| {
                self.op(factor) == Op::BvUrem
                    && quotients
                        .iter()
                        .any(|&quotient| self.args(quotient) == self.args(factor))
            };
            let left: Vec<Term> = factors().filter(is_left).copied().collect();
            if left.is_empty() || !budget.remainders.is_empty() {
                return Some((sum, budget.dear.len()));
            }
            remainders = left;
        }
    }

    /// How many multipliers and dividers it takes to build a polynomial.
    fn ring_cost(&self, polynomial: &Polynomial) -> usize {
        let (mut multipliers, mut dividers) = (0, Vec::<Term>::new());
        for (factors, _) in &polynomial.monomials {
            multipliers += factors.len().saturating_sub(1);
            let divides = |&&factor: &&Term| matches!(self.op(factor), Op::BvUdiv | Op::BvUrem);
            dividers.extend(factors.iter().filter(divides));
        }
        dividers.sort_unstable();
        dividers.dedup();
        multipliers + dividers.len()
    }

    /// The normal form of a term, as far as the bounds allow.
    fn polynomial(&mut self, term: Term, depth: u32, budget: &mut Budget) -> Polynomial {
        let width = self.width(term);
        if let Some(value) = self.value(term) {
            return Polynomial::constant(value.clone());
        }
        if depth == 0 || !budget.spend(1) {
            return Polynomial::factor(width, term);
        }
        let met = budget.dear.len();
        let expanded = match self.op(term) {
            Op::BvAdd => self.ring_of_sum(term, depth, budget),
            Op::BvMul => self.ring_of_product(term, depth, budget),
            Op::BvNot => {
                let mut negated = self.polynomial(self.arg(term, 0), depth - 1, budget);
                negated.scale(&Bv::ones(width));
                self.ring_merged(negated, Polynomial::constant(Bv::ones(width)))
            }
            Op::BvUrem if budget.remainders.contains(&term) => {
                self.ring_of_remainder(term, depth, budget)
            }
            Op::BvUdiv | Op::BvUrem => {
                budget.meet(term);
                return Polynomial::factor(width, term);
            }
            Op::Concat => self.ring_of_shift(term, depth, budget),
            Op::BvShl => self.ring_of_shl(term, depth, budget),
            Op::Ite if budget.takes_choices => self.ring_of_choice(term, depth, budget),
            _ => None,
        };
        expanded.unwrap_or_else(|| {
            budget.dear.truncate(met);
            Polynomial::factor(width, term)
        })
    }

    fn ring_of_sum(&mut self, term: Term, depth: u32, budget: &mut Budget) -> Option<Polynomial> {
        let mut sum = Polynomial::constant(Bv::zero(self.width(term)));
        for place in 0..self.args(term).len() {
            let addend = self.polynomial(self.arg(term, place), depth - 1, budget);
            sum = self.ring_merged(sum, addend)?;
        }
        Some(sum)
    }

    fn ring_of_product(
        &mut self,
        term: Term,
        depth: u32,
        budget: &mut Budget,
    ) -> Option<Polynomial> {
        let mut product = Polynomial::constant(Bv::one(self.width(term)));
        // A chain of products is as long as it likes.
        let mut pending = vec![term];
        while let Some(factor) = pending.pop() {
            if self.op(factor) == Op::BvMul && budget.spend(1) {
                let (x, y) = (self.arg(factor, 0), self.arg(factor, 1));
                if !self.is_value(x) {
                    budget.meet(factor);
                }
                pending.extend([y, x]);
                continue;
            }
            let factor = self.polynomial(factor, depth - 1, budget);
            product = self.ring_product(&product, &factor, budget)?;
        }
        Some(product)
    }

    /// `x % y` as `x - y * (x / y)`.
    fn ring_of_remainder(
        &mut self,
        term: Term,
        depth: u32,
        budget: &mut Budget,
    ) -> Option<Polynomial> {
        budget.meet(term);
        let (x, y) = (self.arg(term, 0), self.arg(term, 1));
        let width = self.width(term);
        let quotient = self.intern(Op::BvUdiv, self.sort(term), &[x, y]);
        let divisor = self.polynomial(y, depth - 1, budget);
        let mut product =
            self.ring_product(&divisor, &Polynomial::factor(width, quotient), budget)?;
        product.scale(&Bv::ones(width));
        let dividend = self.polynomial(x, depth - 1, budget);
        self.ring_merged(dividend, product)
    }

    /// Zeros below something are a power of two times that, of which the bits shifted out do not matter.
    fn ring_of_shift(&mut self, term: Term, depth: u32, budget: &mut Budget) -> Option<Polynomial> {
        let (high, low) = (self.arg(term, 0), self.arg(term, 1));
        if !self.value(low).is_some_and(Bv::is_zero) {
            return None;
        }
        let (width, shift) = (self.width(term), self.width(low));
        let narrow = self.polynomial(high, depth - 1, budget);
        let by = Bv::one(width).shl(&Bv::new(64, u64::from(shift)));
        let mut sum = Polynomial::constant(Bv::zero(width));
        for (factors, coefficient) in narrow.monomials {
            let mut factors: Factors = factors
                .into_iter()
                .map(|factor| self.widened(factor, width))
                .collect();
            self.sort_factors(&mut factors);
            let coefficient = coefficient.zero_extend(shift).mul(&by);
            let addend = Polynomial {
                width,
                monomials: vec![(factors, coefficient)],
            };
            sum = self.ring_merged(sum, addend)?;
        }
        Some(sum)
    }

    /// `x << y` is `x * (1 << y)`.
    fn ring_of_shl(&mut self, term: Term, depth: u32, budget: &mut Budget) -> Option<Polynomial> {
        budget.meet(term);
        let (shifted, amount) = (self.arg(term, 0), self.arg(term, 1));
        let width = self.width(term);
        let one = self.bv(width, 1);
        let power = self.intern(Op::BvShl, self.sort(term), &[one, amount]);
        let shifted = self.polynomial(shifted, depth - 1, budget);
        self.ring_product(&shifted, &Polynomial::factor(width, power), budget)
    }

    fn ring_of_choice(
        &mut self,
        term: Term,
        depth: u32,
        budget: &mut Budget,
    ) -> Option<Polynomial> {
        let [condition, then, other] = [0, 1, 2].map(|place| self.arg(term, place));
        let width = self.width(term);
        let (one, zero) = (self.bv(width, 1), self.bv(width, 0));
        let chosen = self.intern(Op::Ite, self.sort(term), &[condition, one, zero]);
        let then = self.polynomial(then, depth - 1, budget);
        let other = self.polynomial(other, depth - 1, budget);
        let chosen = Polynomial::factor(width, chosen);
        let then = self.ring_product(&chosen, &then, budget)?;
        let mut less = self.ring_product(&chosen, &other, budget)?;
        less.scale(&Bv::ones(width));
        let sum = self.ring_merged(other, then)?;
        self.ring_merged(sum, less)
    }

    /// Whether a factor is 0 or 1, so that it is its own square.
    fn is_choice(&self, factor: Term) -> bool {
        self.op(factor) == Op::Ite
            && self.value(self.arg(factor, 1)).is_some_and(Bv::is_one)
            && self.value(self.arg(factor, 2)).is_some_and(Bv::is_zero)
    }

    /// A term of this width whose low bits are those of a narrower one: the one it was cut from, if there is one.
    fn widened(&mut self, term: Term, width: u32) -> Term {
        if self.op(term) == (Op::Extract { lo: 0 }) && self.width(self.arg(term, 0)) >= width {
            let whole = self.arg(term, 0);
            return self.extract(whole, width - 1, 0);
        }
        let by = width - self.width(term);
        self.zero_extend(term, by)
    }

    fn ring_product(
        &self,
        a: &Polynomial,
        b: &Polynomial,
        budget: &mut Budget,
    ) -> Option<Polynomial> {
        let count = a.monomials.len() * b.monomials.len();
        if count > MAX_MONOMIALS || !budget.spend(count) {
            return None;
        }
        let mut monomials = Vec::with_capacity(count);
        for (x, c) in &a.monomials {
            for (y, d) in &b.monomials {
                if x.len() + y.len() > MAX_FACTORS {
                    return None;
                }
                let mut factors = x.clone();
                factors.extend_from_slice(y);
                self.sort_factors(&mut factors);
                monomials.push((factors, c.mul(d)));
            }
        }
        Some(self.collected(a.width, monomials))
    }

    /// The sum of two polynomials.
    fn ring_merged(&self, a: Polynomial, b: Polynomial) -> Option<Polynomial> {
        let mut monomials = a.monomials;
        monomials.extend(b.monomials);
        if monomials.len() > 2 * MAX_MONOMIALS {
            return None;
        }
        Some(self.collected(a.width, monomials))
    }

    fn collected(&self, width: u32, mut monomials: Vec<(Factors, Bv)>) -> Polynomial {
        monomials.sort_by(|(x, _), (y, _)| self.compare_factors(x, y));
        let mut collected: Vec<(Factors, Bv)> = Vec::with_capacity(monomials.len());
        for (factors, coefficient) in monomials {
            match collected.last_mut() {
                Some((last, sum)) if *last == factors => *sum = sum.add(&coefficient),
                _ => collected.push((factors, coefficient)),
            }
        }
        collected.retain(|(_, coefficient)| !coefficient.is_zero());
        Polynomial {
            width,
            monomials: collected,
        }
    }

    fn sort_factors(&self, factors: &mut Factors) {
        factors.sort_by_key(|&factor| (self.structural_hash(factor), factor));
        factors.dedup_by(|a, b| a == b && self.is_choice(*a));
    }

    fn compare_factors(&self, a: &[Term], b: &[Term]) -> Ordering {
        let key = |&factor: &Term| (self.structural_hash(factor), factor);
        let by_length = a.len().cmp(&b.len());
        by_length.then_with(|| a.iter().map(key).cmp(b.iter().map(key)))
    }

    /// The term of a sum of products. Products that share their first factors share multipliers.
    fn ring_sum(&mut self, width: u32, monomials: Vec<(Factors, Bv)>) -> Term {
        let mut addends = Vec::with_capacity(monomials.len());
        for (factors, coefficient) in monomials {
            let product = factors
                .into_iter()
                .reduce(|product, factor| self.bv_mul(product, factor));
            addends.push(match product {
                Some(product) => self.scaled(&coefficient, product),
                None => self.constant(coefficient),
            });
        }
        match addends[..] {
            [] => self.bv(width, 0),
            _ => self.bv_sum(&addends),
        }
    }
}
