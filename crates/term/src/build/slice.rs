//! Cutting and joining: `extract`, `concat` and the extensions.
//!
//! Programs take bytes apart and put them together all the time. These rules bring such terms back to the bytes they
//! are made of.

use crate::{Op, Sort, Term, Terms};

/// A left-nested concatenation is turned to the right only if it has at most this many parts.
const REASSOCIATE: usize = 64;

impl Terms {
    /// Bits `high` down to `low`.
    pub fn extract(&mut self, a: Term, high: u32, low: u32) -> Term {
        let width = self.width(a);
        debug_assert!(low <= high && high < width);
        if high - low + 1 == width {
            return a;
        }
        if let Some(value) = self.value(a) {
            let value = value.extract(high, low);
            self.fired("extract-const");
            return self.constant(value);
        }
        let pushed = self.rewriting(|terms| terms.push_extract(a, high, low));
        pushed.unwrap_or_else(|| {
            self.intern(Op::Extract { lo: low }, Sort::BitVec(high - low + 1), &[a])
        })
    }

    fn push_extract(&mut self, a: Term, high: u32, low: u32) -> Option<Term> {
        let arg = |terms: &Terms, i| terms.arg(a, i);
        match self.op(a) {
            Op::Extract { lo } => {
                self.fired("extract-extract");
                let inner = arg(self, 0);
                Some(self.extract(inner, high + lo, low + lo))
            }
            Op::Concat => {
                let (upper, lower) = (arg(self, 0), arg(self, 1));
                let split = self.width(lower);
                if low >= split {
                    self.fired("extract-concat-high");
                    Some(self.extract(upper, high - split, low - split))
                } else if high < split {
                    self.fired("extract-concat-low");
                    Some(self.extract(lower, high, low))
                } else {
                    self.fired("extract-concat-both");
                    let upper = self.extract(upper, high - split, 0);
                    let lower = self.extract(lower, split - 1, low);
                    Some(self.concat(upper, lower))
                }
            }
            Op::SignExtend => {
                let inner = arg(self, 0);
                let width = self.width(inner);
                if high < width {
                    self.fired("extract-sext-inside");
                    Some(self.extract(inner, high, low))
                } else if low < width {
                    self.fired("extract-sext-across");
                    let part = self.extract(inner, width - 1, low);
                    Some(self.sign_extend(part, high - width + 1))
                } else {
                    self.fired("extract-sext-above");
                    let sign = self.extract(inner, width - 1, width - 1);
                    Some(self.sign_extend(sign, high - low))
                }
            }
            Op::BvNot => {
                self.fired("extract-bvnot");
                let inner = arg(self, 0);
                let inner = self.extract(inner, high, low);
                Some(self.bv_not(inner))
            }
            Op::BvAnd | Op::BvOr | Op::BvXor => {
                self.fired("extract-bitwise");
                let (x, y) = (arg(self, 0), arg(self, 1));
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                Some(self.rebuild(a, &[x, y]))
            }
            // The low bits of a sum or product depend on the low bits of the operands alone.
            Op::BvAdd if low == 0 => {
                self.fired("extract-low-add");
                let args: Vec<Term> = self.args(a).to_vec();
                let args: Vec<Term> = args.into_iter().map(|t| self.extract(t, high, 0)).collect();
                Some(self.bv_sum(&args))
            }
            Op::BvMul if low == 0 => {
                self.fired("extract-low-mul");
                let (x, y) = (arg(self, 0), arg(self, 1));
                let (x, y) = (self.extract(x, high, 0), self.extract(y, high, 0));
                Some(self.bv_mul(x, y))
            }
            Op::Ite => {
                let [c, t, e] = [arg(self, 0), arg(self, 1), arg(self, 2)];
                if !self.is_value(t) && !self.is_value(e) {
                    return None;
                }
                self.fired("extract-ite");
                let (t, e) = (self.extract(t, high, low), self.extract(e, high, low));
                Some(self.ite(c, t, e))
            }
            _ => None,
        }
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let sort = Sort::BitVec(self.width(high) + self.width(low));
        if let (Some(a), Some(b)) = (self.value(high), self.value(low)) {
            let value = a.concat(b);
            self.fired("concat-const");
            return self.constant(value);
        }
        if self.op(high) == Op::Concat {
            // Right-nested is the normal form: unfold the upper chain and fold it over the lower part.
            let mut parts = Vec::new();
            let mut rest = high;
            while self.op(rest) == Op::Concat && parts.len() < REASSOCIATE {
                parts.push(self.arg(rest, 0));
                rest = self.arg(rest, 1);
            }
            if self.op(rest) != Op::Concat {
                self.fired("concat-right");
                let mut result = self.concat(rest, low);
                for &part in parts.iter().rev() {
                    result = self.concat_step(part, result);
                }
                return result;
            }
            return self.intern(Op::Concat, sort, &[high, low]);
        }
        self.concat_step(high, low)
    }

    /// Joins a part that is no concatenation itself to whatever is below.
    fn concat_step(&mut self, high: Term, low: Term) -> Term {
        let sort = Sort::BitVec(self.width(high) + self.width(low));
        let (next, rest) = match self.op(low) {
            Op::Concat => (self.arg(low, 0), Some(self.arg(low, 1))),
            _ => (low, None),
        };
        if let Some(joined) = self.join_neighbours(high, next) {
            return match rest {
                Some(rest) => self.concat_step(joined, rest),
                None => joined,
            };
        }
        self.intern(Op::Concat, sort, &[high, low])
    }

    /// Two neighbouring parts that are one: constants, or adjacent slices of the same term.
    fn join_neighbours(&mut self, high: Term, low: Term) -> Option<Term> {
        if let (Some(a), Some(b)) = (self.value(high), self.value(low)) {
            let value = a.concat(b);
            self.fired("concat-join-const");
            return Some(self.constant(value));
        }
        let Op::Extract { lo: high_lo } = self.op(high) else {
            return None;
        };
        let inner = self.arg(high, 0);
        let high_top = high_lo + self.width(high) - 1;
        let low_lo = match self.op(low) {
            Op::Extract { lo } if self.arg(low, 0) == inner => lo,
            _ => return None,
        };
        if low_lo + self.width(low) != high_lo {
            return None;
        }
        self.fired("concat-join-extract");
        Some(self.extract(inner, high_top, low_lo))
    }

    pub fn zero_extend(&mut self, a: Term, by: u32) -> Term {
        if by == 0 {
            return a;
        }
        let zeros = self.bv(by, 0);
        self.concat(zeros, a)
    }

    pub fn sign_extend(&mut self, a: Term, by: u32) -> Term {
        if by == 0 {
            return a;
        }
        if let Some(value) = self.value(a) {
            let value = value.sign_extend(by);
            self.fired("sext-const");
            return self.constant(value);
        }
        match self.op(a) {
            Op::SignExtend => {
                self.fired("sext-sext");
                let inner = self.arg(a, 0);
                let by = by + self.width(a) - self.width(inner);
                self.sign_extend(inner, by)
            }
            // A known sign: extension by a constant.
            Op::Concat if self.is_value(self.arg(a, 0)) => {
                self.fired("sext-known-sign");
                let high = self.arg(a, 0);
                let low = self.arg(a, 1);
                let high = self.sign_extend(high, by);
                self.concat(high, low)
            }
            Op::Ite if self.args(a)[1..].iter().all(|&t| self.is_value(t)) => {
                self.fired("sext-ite-const");
                let [c, t, e] = [self.arg(a, 0), self.arg(a, 1), self.arg(a, 2)];
                let (t, e) = (self.sign_extend(t, by), self.sign_extend(e, by));
                self.ite(c, t, e)
            }
            _ => {
                let sort = Sort::BitVec(self.width(a) + by);
                self.intern(Op::SignExtend, sort, &[a])
            }
        }
    }
}
