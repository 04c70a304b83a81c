//! Shifts. By a constant, a shift is a slice beside zeros (or signs), which the slice rules understand.

use crate::{Bv, Op, Term, Terms};

/// A shift by a constant that is neither zero nor the width.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Left(u32),
    Right(u32),
}

impl Shift {
    pub(super) fn amount(self) -> u32 {
        match self {
            Shift::Left(amount) | Shift::Right(amount) => amount,
        }
    }
}

impl Terms {
    /// By how much `term` is shifted in `shifted`, whatever the slice rules have made of it.
    pub(super) fn shift_of(&mut self, shifted: Term, term: Term) -> Option<Shift> {
        if self.op(shifted) != Op::Concat {
            return None;
        }
        let (high, low) = (self.arg(shifted, 0), self.arg(shifted, 1));
        let is_zero = |part: Term| self.value(part).is_some_and(Bv::is_zero);
        let shift = match (is_zero(high), is_zero(low)) {
            (true, _) => Shift::Right(self.width(high)),
            (_, true) => Shift::Left(self.width(low)),
            _ => return None,
        };
        let again = match shift {
            Shift::Right(amount) => self.lshr_by(term, amount),
            Shift::Left(amount) => self.shl_by(term, amount),
        };
        (again == shifted).then_some(shift)
    }

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
        if let Some(amount) = self.shift_amount(b) {
            return self.shl_by(a, amount);
        }
        if self.value(a).is_some_and(Bv::is_zero) {
            self.fired("shl-zero");
            return a;
        }
        let sort = self.sort(a);
        self.intern(Op::BvShl, sort, &[a, b])
    }

    fn shl_by(&mut self, a: Term, amount: u32) -> Term {
        let width = self.width(a);
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
        self.concat(kept, zeros)
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
