//! Constructors that rewrite as they build.
//!
//! Each rule is an equivalence, local, and cheap: it looks a bounded way down, so building stays linear. Every rule
//! is named by a call of [`Terms::fired`]; the property tests demand that each name fires and hold what comes out
//! against the evaluator.

mod array;
mod bitwise;
mod boolean;
mod compare;
mod convert;
mod derived;
mod float;
mod linear;
mod number;
mod order;
mod product;
mod quotient;
mod range;
mod ring;
mod shift;
mod slice;

pub use ring::RingForm;

use crate::{Op, Sort, Term, Terms};

impl Terms {
    /// Notes that a rewriting rule applied; debug builds count them for the tests.
    #[inline]
    pub(crate) fn fired(&mut self, _rule: &'static str) {
        #[cfg(debug_assertions)]
        {
            *self.rule_counts.entry(_rule).or_default() += 1;
        }
    }

    /// How often each rewriting rule has applied in this arena; debug builds only.
    #[cfg(debug_assertions)]
    pub fn rule_counts(&self) -> &std::collections::BTreeMap<&'static str, u64> {
        &self.rule_counts
    }

    /// A node with two interchangeable operands, in their canonical order.
    fn commutative(&mut self, op: Op, sort: Sort, a: Term, b: Term) -> Term {
        let args = if self.precedes(b, a) { [b, a] } else { [a, b] };
        self.intern(op, sort, &args)
    }

    /// A term of a sort that only scripts have, by what it is below.
    pub fn surface(&mut self, sort: Sort, below: Term) -> Term {
        debug_assert_eq!(sort.below(), Some(self.sort(below)));
        self.intern(Op::Surface, sort, &[below])
    }

    /// What a term of a sort that only scripts have is below.
    pub fn below_surface(&self, term: Term) -> Term {
        debug_assert_eq!(self.op(term), Op::Surface);
        self.arg(term, 0)
    }

    /// Rebuilds `term` with other operands through the rewriting constructors.
    pub fn rebuild(&mut self, term: Term, args: &[Term]) -> Term {
        match self.op(term) {
            Op::True | Op::False | Op::Const(_) | Op::Number(_) | Op::Var(_) => term,
            Op::Apply(func) => self.apply(func, args),
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvAdd => self.bv_sum(args),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::Extract { lo } => {
                let width = self.width(term);
                self.extract(args[0], lo + width - 1, lo)
            }
            Op::SignExtend => {
                let by = self.width(term) - self.width(args[0]);
                self.sign_extend(args[0], by)
            }
            Op::BvUlt => self.bv_ult(args[0], args[1]),
            Op::BvSlt => self.bv_slt(args[0], args[1]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray => {
                let Sort::Array { index, .. } = self.sort(term) else {
                    unreachable!("an array")
                };
                self.const_array(index, args[0])
            }
            Op::Table(id) => {
                let cells = self.cells(id).to_vec();
                self.table(args[0], cells)
            }
            Op::Add => self.sum(args),
            Op::Mul => self.mul(args[0], args[1]),
            Op::Div => self.quotient(args[0], args[1]),
            Op::ToReal => self.to_real(args[0]),
            Op::ToInt => self.to_int(args[0]),
            Op::Le => self.le(args[0], args[1]),
            Op::Lt => self.lt(args[0], args[1]),
            Op::Float { .. } => self.rebuild_float(term, args),
            Op::Surface => self.surface(self.sort(term), args[0]),
        }
    }
}
