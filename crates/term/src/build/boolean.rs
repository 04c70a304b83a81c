//! Boolean connectives: conjunction and negation; disjunction is their dual.

use crate::{Op, Sort, Term, Terms};

/// Operands of nested conjunctions are lifted up to this many; a longer conjunction keeps its nesting, so that
/// building a chain of n conjunctions stays linear.
const FLATTEN: usize = 8;

impl Terms {
    pub fn not(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::True => Term::FALSE,
            Op::False => Term::TRUE,
            Op::Not => {
                self.fired("not-not");
                self.arg(a, 0)
            }
            _ => self.intern(Op::Not, Sort::Bool, &[a]),
        }
    }

    /// The operand of a negation.
    pub(crate) fn as_not(&self, a: Term) -> Option<Term> {
        (self.op(a) == Op::Not).then(|| self.arg(a, 0))
    }

    fn complementary(&self, a: Term, b: Term) -> bool {
        self.as_not(a) == Some(b) || self.as_not(b) == Some(a)
    }

    pub fn and(&mut self, operands: &[Term]) -> Term {
        let mut flat: Vec<Term> = Vec::with_capacity(operands.len());
        for &operand in operands {
            match self.op(operand) {
                Op::True => {}
                Op::False => {
                    self.fired("and-false");
                    return Term::FALSE;
                }
                Op::And if self.args(operand).len() <= FLATTEN && operands.len() <= FLATTEN => {
                    self.fired("and-flatten");
                    flat.extend_from_slice(self.args(operand));
                }
                _ => flat.push(operand),
            }
        }
        self.sort_and_dedup(&mut flat);
        // A term and its negation: look for the operand of each negation among the rest.
        for i in 0..flat.len() {
            if let Some(positive) = self.as_not(flat[i])
                && self.contains_sorted(&flat, positive)
            {
                self.fired("and-complement");
                return Term::FALSE;
            }
        }
        match flat[..] {
            [] => Term::TRUE,
            [single] => single,
            _ => self.intern(Op::And, Sort::Bool, &flat),
        }
    }

    fn sort_and_dedup(&mut self, terms: &mut Vec<Term>) {
        let before = terms.len();
        terms.sort_unstable_by_key(|&t| (self.structural_hash(t), t));
        terms.dedup();
        if terms.len() < before {
            self.fired("and-idempotent");
        }
    }

    fn contains_sorted(&self, terms: &[Term], wanted: Term) -> bool {
        let key = |t: Term| (self.structural_hash(t), t);
        terms
            .binary_search_by_key(&key(wanted), |&t| key(t))
            .is_ok()
    }

    pub fn or(&mut self, operands: &[Term]) -> Term {
        let negated: Vec<Term> = operands.iter().map(|&t| self.not(t)).collect();
        let and = self.and(&negated);
        self.not(and)
    }

    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.and(&[a, b])
    }

    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.or(&[a, b])
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or2(not_a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let eq = self.eq(a, b);
        self.not(eq)
    }

    /// "If and only if".
    pub(super) fn iff(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            match self.op(x) {
                Op::True => {
                    self.fired("iff-true");
                    return y;
                }
                Op::False => {
                    self.fired("iff-false");
                    return self.not(y);
                }
                _ => {}
            }
        }
        if self.complementary(a, b) {
            self.fired("iff-complement");
            return Term::FALSE;
        }
        match (self.as_not(a), self.as_not(b)) {
            (Some(x), Some(y)) => {
                self.fired("iff-not-not");
                self.commutative(Op::Eq, Sort::Bool, x, y)
            }
            (Some(x), None) => {
                self.fired("iff-not");
                let eq = self.commutative(Op::Eq, Sort::Bool, x, b);
                self.not(eq)
            }
            (None, Some(y)) => {
                self.fired("iff-not");
                let eq = self.commutative(Op::Eq, Sort::Bool, a, y);
                self.not(eq)
            }
            (None, None) => self.commutative(Op::Eq, Sort::Bool, a, b),
        }
    }

    pub fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        let sort = self.sort(then);
        debug_assert_eq!(sort, self.sort(other));
        match self.op(condition) {
            Op::True => return then,
            Op::False => return other,
            Op::Not => {
                self.fired("ite-not");
                let positive = self.arg(condition, 0);
                return self.ite(positive, other, then);
            }
            _ => {}
        }
        if then == other {
            self.fired("ite-same");
            return then;
        }
        // Inside a branch the condition is decided.
        if self.op(then) == Op::Ite && self.arg(then, 0) == condition {
            self.fired("ite-then-nested");
            let inner = self.arg(then, 1);
            return self.ite(condition, inner, other);
        }
        if self.op(other) == Op::Ite && self.arg(other, 0) == condition {
            self.fired("ite-else-nested");
            let inner = self.arg(other, 2);
            return self.ite(condition, then, inner);
        }
        if sort == Sort::Bool {
            return self.bool_ite(condition, then, other);
        }
        if sort.below().is_some() {
            let (then, other) = (self.below_surface(then), self.below_surface(other));
            let chosen = self.ite(condition, then, other);
            return self.surface(sort, chosen);
        }
        self.intern(Op::Ite, sort, &[condition, then, other])
    }

    fn bool_ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        if then == condition || then == Term::TRUE {
            self.fired("ite-or");
            return self.or2(condition, other);
        }
        if other == condition || other == Term::FALSE {
            self.fired("ite-and");
            return self.and2(condition, then);
        }
        if then == Term::FALSE || self.complementary(then, condition) {
            self.fired("ite-not-and");
            let not_condition = self.not(condition);
            return self.and2(not_condition, other);
        }
        if other == Term::TRUE || self.complementary(other, condition) {
            self.fired("ite-implies");
            return self.implies(condition, then);
        }
        if self.complementary(then, other) {
            self.fired("ite-iff");
            return self.iff(condition, then);
        }
        self.intern(Op::Ite, Sort::Bool, &[condition, then, other])
    }

    /// All operands pairwise different.
    pub fn distinct(&mut self, operands: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (i, &a) in operands.iter().enumerate() {
            for &b in &operands[i + 1..] {
                let eq = self.eq(a, b);
                parts.push(self.not(eq));
            }
        }
        self.and(&parts)
    }
}
