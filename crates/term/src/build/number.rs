//! Sums and products of integers and of reals, in linear normal form.
//!
//! A sum is a constant unless that is zero, then monomials in canonical order: distinct terms, each by itself or as
//! the second operand of a product with a coefficient. A coefficient times a sum is the sum of its multiples. Sums
//! are flattened up to a bound; beyond it an operand that is a sum stays an opaque addend, so that building a chain
//! of n additions stays linear.
//!
//! A product of terms that are no constants is a term like any other: it has exactly two operands, in canonical
//! order, its constant factors are outside, and it is not multiplied out.

use crate::{Op, Rational, Sort, Term, Terms};

/// The most addends of a sum that came about by flattening.
const MAX_ADDENDS: usize = 64;

/// `constant + Σ coefficient * term`, on the way to become a term.
pub(crate) struct LinearForm {
    pub sort: Sort,
    pub constant: Rational,
    pub monomials: Vec<(Term, Rational)>,
}

impl LinearForm {
    fn zero(sort: Sort) -> LinearForm {
        LinearForm {
            sort,
            constant: Rational::ZERO,
            monomials: Vec::new(),
        }
    }

    pub fn scale(&mut self, factor: &Rational) {
        if factor.is_one() {
            return;
        }
        self.constant = &self.constant * factor;
        for (_, coefficient) in &mut self.monomials {
            *coefficient = &*coefficient * factor;
        }
    }
}

impl Terms {
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.sum(&[a, b])
    }

    /// The sum of one or more terms of sort Int, or of sort Real.
    pub fn sum(&mut self, addends: &[Term]) -> Term {
        let mut form = LinearForm::zero(self.sort(addends[0]));
        for &addend in addends {
            let is_short = form.monomials.len() + self.args(addend).len() <= MAX_ADDENDS;
            self.add_multiple(&mut form, addend, &Rational::ONE, is_short);
        }
        self.term_of(form)
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.neg(b);
        self.add(a, negated)
    }

    pub fn neg(&mut self, a: Term) -> Term {
        self.num_scaled(&Rational::MINUS_ONE, a)
    }

    /// A constant times a term.
    pub fn num_scaled(&mut self, factor: &Rational, a: Term) -> Term {
        let mut form = LinearForm::zero(self.sort(a));
        self.add_multiple(&mut form, a, factor, true);
        self.term_of(form)
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            if let Some(factor) = self.number_value(x).cloned() {
                self.fired("product-constant");
                return self.num_scaled(&factor, y);
            }
        }
        let (first, a) = self.coefficient_and_base(a);
        let (second, b) = self.coefficient_and_base(b);
        let product = self.commutative(Op::Mul, self.sort(a), a, b);
        let factor = &first * &second;
        if !factor.is_one() {
            self.fired("product-factor");
        }
        self.num_scaled(&factor, product)
    }

    /// An integer as a real: a sum of its parts as reals.
    pub fn to_real(&mut self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Int);
        let (constant, monomials) = self.linear_form(a);
        if monomials.len() != 1 || !constant.is_zero() || monomials[0].0 != a {
            self.fired("to-real-sum");
        }
        let mut form = LinearForm::zero(Sort::Real);
        form.constant = constant;
        for (base, coefficient) in monomials {
            let base = match self.op(base) {
                // A sum within a sum.
                Op::Add if base != a => self.to_real(base),
                _ => self.intern(Op::ToReal, Sort::Real, &[base]),
            };
            form.monomials.push((base, coefficient));
        }
        self.term_of(form)
    }

    /// The greatest integer that a real is not less than.
    pub fn to_int(&mut self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Real);
        let (constant, monomials) = self.linear_form(a);
        // What is an integer stays outside.
        let mut whole = LinearForm::zero(Sort::Int);
        let mut rest = LinearForm::zero(Sort::Real);
        whole.constant = constant.floor();
        rest.constant = &constant - &whole.constant;
        for (base, coefficient) in monomials {
            if self.op(base) == Op::ToReal && coefficient.is_integer() {
                whole.monomials.push((self.arg(base, 0), coefficient));
            } else {
                rest.monomials.push((base, coefficient));
            }
        }
        if rest.monomials.is_empty() {
            self.fired("to-int-whole");
            return self.term_of(whole);
        }
        if !whole.monomials.is_empty() || !whole.constant.is_zero() {
            self.fired("to-int-part");
        }
        let rest = self.floored_once(rest);
        let floor = self.intern(Op::ToInt, Sort::Int, &[rest]);
        whole.monomials.push((floor, Rational::ONE));
        self.term_of(whole)
    }

    /// What has the same floor, without a floor that is divided: those of `(⌊r⌋ + c)/n` and `(r + c)/n` are one for
    /// integers.
    fn floored_once(&mut self, form: LinearForm) -> Term {
        if let [(base, coefficient)] = &form.monomials[..]
            && self.op(*base) == Op::ToReal
            && self.op(self.arg(*base, 0)) == Op::ToInt
        {
            let divisor = coefficient.inverse();
            if divisor.is_integer() && divisor.is_positive() {
                self.fired("to-int-nested");
                let (inner, coefficient) = (self.arg(self.arg(*base, 0), 0), coefficient.clone());
                let constant = (&form.constant * &divisor).floor();
                let mut once = LinearForm::zero(Sort::Real);
                self.add_multiple(&mut once, inner, &coefficient, true);
                once.constant.add_mul(&constant, &coefficient);
                return self.term_of(once);
            }
        }
        self.term_of(form)
    }

    /// Whether a real is an integer.
    pub fn is_int(&mut self, a: Term) -> Term {
        let floor = self.to_int(a);
        let floor = self.to_real(floor);
        self.eq(a, floor)
    }

    /// A number term as constant + Σ coefficient * term, as it stands: operands of sums and products inside are not
    /// looked into.
    pub fn linear_form(&self, term: Term) -> (Rational, Vec<(Term, Rational)>) {
        let mut constant = Rational::ZERO;
        let addends = match self.op(term) {
            Op::Add => self.args(term),
            _ => &[term],
        };
        let mut monomials = Vec::with_capacity(addends.len());
        for &addend in addends {
            match self.number_value(addend) {
                Some(value) => constant += value,
                None => {
                    let (coefficient, base) = self.coefficient_and_base(addend);
                    monomials.push((base, coefficient));
                }
            }
        }
        (constant, monomials)
    }

    /// A term that is no constant as coefficient times base.
    fn coefficient_and_base(&self, term: Term) -> (Rational, Term) {
        if self.op(term) == Op::Mul
            && let Some(factor) = self.number_value(self.arg(term, 0))
        {
            return (factor.clone(), self.arg(term, 1));
        }
        (Rational::ONE, term)
    }

    /// The linear form of `a - b`, whatever the number of addends: comparisons do not build upon each other.
    pub(crate) fn difference(&mut self, a: Term, b: Term) -> LinearForm {
        let mut form = LinearForm::zero(self.sort(a));
        self.add_multiple(&mut form, a, &Rational::ONE, true);
        self.add_multiple(&mut form, b, &Rational::MINUS_ONE, true);
        self.merge(&mut form);
        while self.is_multiple_of_sum(&form) {
            self.open(&mut form);
        }
        form
    }

    /// Whether all but the constant is one opaque sum.
    fn is_multiple_of_sum(&self, form: &LinearForm) -> bool {
        matches!(form.monomials[..], [(base, _)] if self.op(base) == Op::Add)
    }

    /// Takes the only monomial of a form apart.
    fn open(&mut self, form: &mut LinearForm) {
        self.fired("sum-open");
        for (base, coefficient) in std::mem::take(&mut form.monomials) {
            self.add_multiple(form, base, &coefficient, true);
        }
    }

    /// Adds `factor * term`, taken apart if it is a sum and that is wanted.
    fn add_multiple(
        &mut self,
        form: &mut LinearForm,
        term: Term,
        factor: &Rational,
        flatten: bool,
    ) {
        if self.op(term) == Op::Add && !flatten {
            form.monomials.push((term, factor.clone()));
            return;
        }
        if self.op(term) == Op::Add {
            self.fired("sum-flatten");
        }
        let (constant, monomials) = self.linear_form(term);
        form.constant.add_mul(factor, &constant);
        for (base, coefficient) in monomials {
            form.monomials.push((base, &coefficient * factor));
        }
    }

    /// Brings monomials into canonical order, each term once and with a coefficient that is not zero.
    fn merge(&mut self, form: &mut LinearForm) {
        let key = |&(term, _): &(Term, Rational)| (self.structural_hash(term), term);
        if !form.monomials.is_sorted_by_key(key) {
            form.monomials.sort_by_key(key);
        }
        let before = form.monomials.len();
        form.monomials.dedup_by(|(term, coefficient), (last, sum)| {
            let is_same = term == last;
            if is_same {
                *sum += coefficient;
            }
            is_same
        });
        if form.monomials.len() < before {
            self.fired("sum-merge");
        }
        form.monomials.retain(|(_, factor)| !factor.is_zero());
    }

    /// The term of a linear form.
    pub(crate) fn term_of(&mut self, mut form: LinearForm) -> Term {
        self.merge(&mut form);
        if form.constant.is_zero() && self.is_multiple_of_sum(&form) {
            self.open(&mut form);
        }
        let sort = form.sort;
        let mut addends = Vec::with_capacity(form.monomials.len() + 1);
        if !form.constant.is_zero() || form.monomials.is_empty() {
            addends.push(self.number(sort, form.constant));
        }
        for (term, coefficient) in form.monomials {
            addends.push(self.multiple(coefficient, term));
        }
        match addends[..] {
            [single] => single,
            _ => self.intern(Op::Add, sort, &addends),
        }
    }

    /// The product of a coefficient that is not zero and a base.
    fn multiple(&mut self, coefficient: Rational, base: Term) -> Term {
        if coefficient.is_one() {
            return base;
        }
        let sort = self.sort(base);
        let coefficient = self.number(sort, coefficient);
        self.intern(Op::Mul, sort, &[coefficient, base])
    }
}
