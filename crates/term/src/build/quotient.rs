//! Quotients, remainders and divisibility of numbers.
//!
//! SMT-LIB leaves division by zero open: it is some function of the dividend, and so it is here, a function symbol
//! that nobody else can declare. The node [`Op::Div`] itself is zero there, and stands under an ite wherever its
//! divisor may be zero. The remainder is defined by the quotient: `a mod b` is `a - b * (a div b)`.
//!
//! Of an integer quotient by a constant, what is a whole multiple of the divisor is taken out: `(6x + y + 7) div 3` is
//! `2x + 2 + (y + 1) div 3`. So congruences that the coefficients decide are decided when they are built.

use super::number::LinearForm;
use crate::{FuncId, Op, Rational, Sort, Term, Terms};

impl Terms {
    /// Exact division on Real, Euclidean division on Int: the remainder is never negative.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        let by_zero = match self.sort(a) {
            Sort::Int => self.func_by_zero("div", Sort::Int),
            sort => self.func_by_zero("/", sort),
        };
        self.unless_zero(b, by_zero, a, |terms| terms.quotient(a, b))
    }

    /// The remainder of the division on Int, never negative.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        let by_zero = self.func_by_zero("mod", Sort::Int);
        self.unless_zero(b, by_zero, a, |terms| {
            let quotient = terms.quotient(a, b);
            let multiple = terms.mul(b, quotient);
            terms.sub(a, multiple)
        })
    }

    pub fn abs(&mut self, a: Term) -> Term {
        let zero = self.number(self.sort(a), Rational::ZERO);
        let is_positive = self.ge(a, zero);
        let negated = self.neg(a);
        self.ite(is_positive, a, negated)
    }

    /// Whether the divisor, a positive integer, divides an Int term.
    pub fn divisible(&mut self, divisor: &Rational, a: Term) -> Term {
        debug_assert!(divisor.is_positive());
        let divisor = self.number(Sort::Int, divisor.clone());
        let remainder = self.modulo(a, divisor);
        let zero = self.int(0);
        self.eq(zero, remainder)
    }

    /// What `operator` gives for a dividend if the divisor is zero.
    fn func_by_zero(&mut self, operator: &str, sort: Sort) -> FuncId {
        // A backslash cannot occur in a symbol that anyone else declares.
        self.func(&format!("\\{operator} by zero"), &[sort], sort)
    }

    /// A function of the dividend if the divisor is zero, and something else if it is not.
    fn unless_zero(
        &mut self,
        divisor: Term,
        by_zero: FuncId,
        dividend: Term,
        other: impl FnOnce(&mut Terms) -> Term,
    ) -> Term {
        let zero = self.number(self.sort(divisor), Rational::ZERO);
        match self.eq(zero, divisor) {
            Term::FALSE => other(self),
            Term::TRUE => {
                self.fired("div-by-zero");
                self.apply(by_zero, &[dividend])
            }
            is_zero => {
                let undefined = self.apply(by_zero, &[dividend]);
                let defined = other(self);
                self.ite(is_zero, undefined, defined)
            }
        }
    }

    /// The quotient that is zero if the divisor is.
    pub(super) fn quotient(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        if self.number_value(a).is_some_and(Rational::is_zero) {
            self.fired("quotient-of-zero");
            return a;
        }
        match self.number_value(b).cloned() {
            None => self.intern(Op::Div, sort, &[a, b]),
            Some(divisor) if divisor.is_zero() => {
                self.fired("quotient-by-zero");
                b
            }
            Some(divisor) if sort == Sort::Real => {
                self.fired("quotient-real");
                self.num_scaled(&divisor.inverse(), a)
            }
            Some(divisor) => self.int_quotient(a, &divisor),
        }
    }

    /// An integer divided by a constant that is not zero.
    fn int_quotient(&mut self, a: Term, divisor: &Rational) -> Term {
        if divisor.is_one() {
            self.fired("quotient-by-one");
            return a;
        }
        if divisor.is_negative() {
            self.fired("quotient-negative");
            let opposite = self.int_quotient(a, &-divisor);
            return self.neg(opposite);
        }
        let (constant, monomials) = self.linear_form(a);
        let whole = constant.div_euclid(divisor);
        let mut rest = LinearForm {
            sort: Sort::Int,
            constant: constant.rem_euclid(divisor),
            monomials: Vec::new(),
        };
        let mut addends = vec![self.number(Sort::Int, whole)];
        for (term, coefficient) in monomials {
            let whole = truncated(&(&coefficient / divisor));
            let left = &coefficient - &(&whole * divisor);
            addends.push(self.num_scaled(&whole, term));
            if !left.is_zero() {
                rest.monomials.push((term, left));
            }
        }
        let is_smaller = addends
            .iter()
            .any(|&addend| !self.number_value(addend).is_some_and(Rational::is_zero));
        if is_smaller {
            self.fired("quotient-whole-part");
        }
        addends.push(self.proper_quotient(rest, divisor.clone()));
        self.sum(&addends)
    }

    /// A form whose constant is not negative, and whose numbers are all less than the divisor, divided.
    fn proper_quotient(&mut self, mut form: LinearForm, mut divisor: Rational) -> Term {
        if form.monomials.is_empty() {
            self.fired("quotient-const");
            return self.int(0);
        }
        let coefficients = form.monomials.iter().map(|(_, coefficient)| coefficient);
        let common = coefficients.fold(divisor.clone(), |common, next| common.gcd(next));
        if !common.is_one() {
            self.fired("quotient-common-factor");
            form.scale(&common.inverse());
            form.constant = form.constant.floor();
            divisor = &divisor / &common;
        }
        if let Some(quotient) = self.quotient_of_quotient(&form, &divisor) {
            return quotient;
        }
        let dividend = self.term_of(form);
        let divisor = self.number(Sort::Int, divisor);
        self.intern(Op::Div, Sort::Int, &[dividend, divisor])
    }

    /// `(t div a + c) div b` is `(t + a*c) div a*b`, as long as the divisor stays a machine word.
    fn quotient_of_quotient(&mut self, form: &LinearForm, divisor: &Rational) -> Option<Term> {
        let [(inner, coefficient)] = &form.monomials[..] else {
            return None;
        };
        if self.op(*inner) != Op::Div || !coefficient.is_one() {
            return None;
        }
        let (dividend, inner_divisor) = (self.arg(*inner, 0), self.arg(*inner, 1));
        let inner_divisor = self.number_value(inner_divisor)?.clone();
        let product = &inner_divisor * divisor;
        product.to_i64()?;
        self.rewriting(|terms| {
            terms.fired("quotient-of-quotient");
            let shift = terms.number(Sort::Int, &inner_divisor * &form.constant);
            let dividend = terms.add(dividend, shift);
            Some(terms.int_quotient(dividend, &product))
        })
    }
}

/// Rounded towards zero.
fn truncated(number: &Rational) -> Rational {
    if number.is_negative() {
        number.ceil()
    } else {
        number.floor()
    }
}
