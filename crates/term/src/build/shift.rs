//! Shifts. By a constant, a shift is a slice beside zeros (or signs), which the slice rules understand.

use crate::{Bv, Op, Term, Terms};

impl Terms {
    /// The constant amount a shift moves by: capped at the width, which shifts everything out.
    fn shift_amount(&self, b: Term) -> Option<u32> {
        let width = self.width(b);
        let value = self.value(b)?;
        Some(
            value
                .to_u64()
                .map_or(width, |amount| amount.min(u64::from(width)) as u32),
        )
    }

    pub fn bv_shl(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let Some(amount) = self.shift_amount(b) {
            if amount == 0 {
                return a;
            }
            if amount == width {
                self.fired("shl-out");
                return self.bv(width, 0);
            }
            self.fired("shl-const");
            let kept = self.extract(a, width - 1 - amount, 0);
            let zeros = self.bv(amount, 0);
            return self.concat(kept, zeros);
        }
        if self.value(a).is_some_and(Bv::is_zero) {
            self.fired("shl-zero");
            return a;
        }
        let sort = self.sort(a);
        self.intern(Op::BvShl, sort, &[a, b])
    }

    pub fn bv_lshr(&mut self, a: Term, b: Term) -> Term {
        if let Some(amount) = self.shift_amount(b) {
            return self.lshr_by(a, amount);
        }
        if self.value(a).is_some_and(Bv::is_zero) {
            self.fired("lshr-zero");
            return a;
        }
        let sort = self.sort(a);
        self.intern(Op::BvLshr, sort, &[a, b])
    }

    pub(super) fn lshr_by(&mut self, a: Term, amount: u32) -> Term {
        let width = self.width(a);
        if amount == 0 {
            return a;
        }
        if amount == width {
            self.fired("lshr-out");
            return self.bv(width, 0);
        }
        self.fired("lshr-const");
        let kept = self.extract(a, width - 1, amount);
        self.zero_extend(kept, amount)
    }

    pub fn bv_ashr(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let Some(amount) = self.shift_amount(b) {
            self.fired("ashr-const");
            let amount = amount.min(width - 1);
            let kept = self.extract(a, width - 1, amount);
            return self.sign_extend(kept, amount);
        }
        if self
            .value(a)
            .is_some_and(|value| value.is_zero() || value.is_ones())
        {
            self.fired("ashr-all-signs");
            return a;
        }
        if self.leading_zeros(a) > 0 {
            self.fired("ashr-positive");
            return self.bv_lshr(a, b);
        }
        let sort = self.sort(a);
        self.intern(Op::BvAshr, sort, &[a, b])
    }
}
