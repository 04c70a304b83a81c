//! Comparisons of numbers in normal form.
//!
//! Everything but the constant goes to the left: `a <= b` becomes a bound on the sum `a - b` without its constant,
//! scaled so that its coefficients are coprime integers and the first is positive. Equations and inequalities that
//! differ by a factor or by how they are written are the same term, and all bounds on one sum share it. Over the
//! integers the bound is rounded, so that only `<=` and its negation are left, and an equation with a constant that
//! the coefficients cannot reach is false.

use super::number::LinearForm;
use crate::{Op, Rational, Sort, Term, Terms};

/// `left` compared with `right`, where the left side may have changed sides.
struct Comparison {
    /// A sum without a constant, in normal form.
    left: Term,
    right: Rational,
    is_flipped: bool,
}

impl Terms {
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.order(a, b, false)
    }

    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.order(a, b, true)
    }

    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// `a < b` or `a <= b`.
    fn order(&mut self, a: Term, b: Term, is_strict: bool) -> Term {
        let sort = self.sort(a);
        debug_assert_eq!(sort, self.sort(b));
        let difference = self.difference(a, b);
        if difference.monomials.is_empty() {
            self.fired("order-const");
            let sign = difference.constant.signum();
            return Term::bool(if is_strict { sign < 0 } else { sign <= 0 });
        }
        let Comparison {
            left,
            right,
            is_flipped,
        } = self.normalized(difference);
        // A flipped `<=` is the negation of `<`.
        let is_strict = is_strict != is_flipped;
        let bound = match (sort, is_strict) {
            (Sort::Int, false) => self.bound(Op::Le, left, right.floor()),
            (Sort::Int, true) => self.bound(Op::Le, left, &right.ceil() - &Rational::ONE),
            (_, false) => self.bound(Op::Le, left, right),
            (_, true) => self.bound(Op::Lt, left, right),
        };
        if is_flipped { self.not(bound) } else { bound }
    }

    /// `Σ + constant` against zero as a sum in normal form against a constant.
    fn normalized(&mut self, mut form: LinearForm) -> Comparison {
        let factor = normal_factor(&form.monomials);
        if !factor.is_one() {
            self.fired("order-scale");
            form.scale(&factor);
        }
        let right = -std::mem::take(&mut form.constant);
        Comparison {
            left: self.term_of(form),
            right,
            is_flipped: factor.is_negative(),
        }
    }

    /// A sum in normal form, and its bound.
    fn bound(&mut self, op: Op, sum: Term, limit: Rational) -> Term {
        if self.op(sum) == Op::Ite
            && let (Some(then), Some(other)) = (
                self.number_value(self.arg(sum, 1)),
                self.number_value(self.arg(sum, 2)),
            )
        {
            let holds = |value: &Rational| match op {
                Op::Le => *value <= limit,
                _ => *value < limit,
            };
            let (then, other) = (Term::bool(holds(then)), Term::bool(holds(other)));
            self.fired("order-ite-const");
            return self.ite(self.arg(sum, 0), then, other);
        }
        let limit = self.number(self.sort(sum), limit);
        self.intern(op, Sort::Bool, &[sum, limit])
    }

    /// Equality of numbers.
    pub(super) fn eq_numbers(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        let difference = self.difference(a, b);
        if difference.monomials.is_empty() {
            self.fired("eq-number-const");
            return Term::bool(difference.constant.is_zero());
        }
        let Comparison { left, right, .. } = self.normalized(difference);
        if sort == Sort::Int && !right.is_integer() {
            self.fired("eq-number-impossible");
            return Term::FALSE;
        }
        let right = self.number(sort, right);
        if let Some(carried) = self.rewriting(|terms| terms.eq_number_ite(right, left)) {
            return carried;
        }
        self.commutative(Op::Eq, Sort::Bool, right, left)
    }

    /// The two terms that an equation of numbers says are the same, where it says no more.
    pub fn equated(&self, equation: Term) -> Option<(Term, Term)> {
        let Op::Eq = self.op(equation) else {
            return None;
        };
        let (mut zero, mut sum) = (self.arg(equation, 0), self.arg(equation, 1));
        if self.op(sum) != Op::Add {
            (zero, sum) = (sum, zero);
        }
        if self.op(sum) != Op::Add || !self.number_value(zero)?.is_zero() {
            return None;
        }
        let &[a, b] = self.args(sum) else {
            return None;
        };
        let negated = |term: Term| {
            let is_negated = self.op(term) == Op::Mul
                && self.number_value(self.arg(term, 0)) == Some(&Rational::MINUS_ONE);
            is_negated.then(|| self.arg(term, 1))
        };
        match (negated(a), negated(b)) {
            (Some(a), None) => Some((b, a)),
            (None, Some(b)) => Some((a, b)),
            _ => None,
        }
    }

    /// A constant is an ite with a constant branch: it is the other branch, or the condition says so.
    fn eq_number_ite(&mut self, constant: Term, ite: Term) -> Option<Term> {
        if self.op(ite) != Op::Ite {
            return None;
        }
        let [c, t, e] = [self.arg(ite, 0), self.arg(ite, 1), self.arg(ite, 2)];
        if !self.is_value(t) && !self.is_value(e) {
            return None;
        }
        self.fired("eq-number-ite");
        let (t, e) = (self.eq(constant, t), self.eq(constant, e));
        Some(self.ite(c, t, e))
    }
}

/// What makes the coefficients coprime integers, and the first of them positive.
fn normal_factor(monomials: &[(Term, Rational)]) -> Rational {
    let (mut divisor, mut multiple) = (Rational::ZERO, Rational::ONE);
    for (_, coefficient) in monomials {
        divisor = divisor.gcd(&coefficient.numerator());
        multiple = multiple.lcm(&coefficient.denominator());
    }
    let factor = &multiple / &divisor;
    if monomials[0].1.is_negative() {
        -factor
    } else {
        factor
    }
}
