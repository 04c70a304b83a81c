//! Values as terms and back, and the operations that both integers of any width and terms have.
//!
//! A register's term may be narrower than the register's type: it stands for its zero extension. A condition stands
//! for 0 or 1.

use refrain_term::{Bv, Sort, Term, Terms};

use super::{Machine, State};
use crate::code::{IntIntrinsic, Src, mask};
use crate::ir::{BinaryOp, ICmpPredicate};
use crate::memory::Value;

impl Machine {
    /// A term of at least its own width as one of exactly `width` bits.
    pub(crate) fn widen(&self, terms: &mut Terms, term: Term, width: u32) -> Term {
        match terms.sort(term) {
            Sort::Bool => {
                let (one, zero) = (terms.bv(width, 1), terms.bv(width, 0));
                terms.ite(term, one, zero)
            }
            _ => {
                let own = terms.width(term);
                if own < width {
                    terms.zero_extend(term, width - own)
                } else if own > width {
                    terms.extract(term, width - 1, 0)
                } else {
                    term
                }
            }
        }
    }

    pub(crate) fn term(&self, terms: &mut Terms, value: Value, width: u32) -> Term {
        match value {
            Value::Concrete(value) => terms.bv(width, value & mask(width)),
            Value::Symbolic(term) => self.widen(terms, term, width),
        }
    }

    /// A number where the term is one.
    pub(crate) fn value_of(&self, terms: &Terms, term: Term) -> Value {
        if term == Term::TRUE {
            return Value::Concrete(1);
        }
        if term == Term::FALSE {
            return Value::Concrete(0);
        }
        match terms.small_value(term) {
            Some(value) => Value::Concrete(value),
            None => Value::Symbolic(term),
        }
    }

    /// A value as a condition: its lowest bit.
    pub(crate) fn condition(&self, terms: &mut Terms, value: Value) -> Term {
        match value {
            Value::Concrete(value) => Term::bool(value & 1 == 1),
            Value::Symbolic(term) => match terms.sort(term) {
                Sort::Bool => term,
                _ => {
                    let bit = terms.extract(term, 0, 0);
                    let one = terms.bv(1, 1);
                    terms.eq(bit, one)
                }
            },
        }
    }

    /// The low bits of a value.
    pub(crate) fn cut(&self, terms: &mut Terms, value: Value, width: u32) -> Value {
        match value {
            Value::Concrete(value) => Value::Concrete(value & mask(width)),
            Value::Symbolic(term) => {
                if terms.sort(term) == Sort::Bool || terms.width(term) <= width {
                    return value;
                }
                let low = terms.extract(term, width - 1, 0);
                self.value_of(terms, low)
            }
        }
    }

    pub(super) fn source(&self, state: &State, src: Src) -> Value {
        match src {
            Src::Reg(register) => state.get(register),
            Src::Const(value) => Value::Concrete(value),
        }
    }

    /// Several words as one number or term of `width` bits.
    pub(super) fn wide(&self, terms: &mut Terms, state: &State, words: &[Src], width: u32) -> Wide {
        let values: Vec<Value> = words.iter().map(|&src| self.source(state, src)).collect();
        self.join(terms, &values, width)
    }

    pub(super) fn join(&self, terms: &mut Terms, values: &[Value], width: u32) -> Wide {
        let concrete: Option<Vec<u64>> = values
            .iter()
            .map(|value| match value {
                Value::Concrete(value) => Some(*value),
                Value::Symbolic(_) => None,
            })
            .collect();
        if let Some(words) = concrete {
            return Wide::Number(Bv::from_words(width, words));
        }
        let mut whole: Option<Term> = None;
        for (index, &value) in values.iter().enumerate() {
            let bits = (width - 64 * index as u32).min(64);
            let part = self.term(terms, value, bits);
            whole = Some(match whole {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        Wide::Term(whole.unwrap_or(Term::FALSE))
    }

    /// Writes a number or term to consecutive registers.
    pub(super) fn set_wide(&self, terms: &mut Terms, state: &mut State, dst: u32, value: Wide) {
        match value {
            Wide::Number(number) => {
                for (index, &word) in number.words().iter().enumerate() {
                    state.set(dst + index as u32, Value::Concrete(word));
                }
            }
            Wide::Term(term) => {
                if let Some(number) = terms.value(term) {
                    let number = number.clone();
                    return self.set_wide(terms, state, dst, Wide::Number(number));
                }
                if terms.sort(term) == Sort::Bool {
                    let value = self.value_of(terms, term);
                    state.set(dst, value);
                    return;
                }
                let width = terms.width(term);
                for word in 0..width.div_ceil(64) {
                    let high = (word * 64 + 63).min(width - 1);
                    let part = terms.extract(term, high, word * 64);
                    let part = self.value_of(terms, part);
                    state.set(dst + word, part);
                }
            }
        }
    }

    pub(super) fn wide_term(&self, terms: &mut Terms, value: &Wide) -> Term {
        match value {
            Wide::Number(number) => terms.constant(number.clone()),
            Wide::Term(term) => *term,
        }
    }
}

/// A number or a term of any width.
#[derive(Clone, Debug)]
pub(super) enum Wide {
    Number(Bv),
    Term(Term),
}

/// An operation of two terms of one width. Division is by something that is not zero.
pub(super) fn binary(terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Term {
    match op {
        BinaryOp::Add => terms.bv_add(a, b),
        BinaryOp::Sub => terms.bv_sub(a, b),
        BinaryOp::Mul => terms.bv_mul(a, b),
        BinaryOp::UDiv => terms.bv_udiv(a, b),
        BinaryOp::SDiv => terms.bv_sdiv(a, b),
        BinaryOp::URem => terms.bv_urem(a, b),
        BinaryOp::SRem => terms.bv_srem(a, b),
        BinaryOp::Shl => terms.bv_shl(a, b),
        BinaryOp::LShr => terms.bv_lshr(a, b),
        BinaryOp::AShr => terms.bv_ashr(a, b),
        BinaryOp::And => terms.bv_and(a, b),
        BinaryOp::Or => terms.bv_or(a, b),
        BinaryOp::Xor => terms.bv_xor(a, b),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            unreachable!("floats have operations of their own")
        }
    }
}

pub(super) fn compare(terms: &mut Terms, predicate: ICmpPredicate, a: Term, b: Term) -> Term {
    match predicate {
        ICmpPredicate::Eq => terms.eq(a, b),
        ICmpPredicate::Ne => {
            let equal = terms.eq(a, b);
            terms.not(equal)
        }
        ICmpPredicate::Ult => terms.bv_ult(a, b),
        ICmpPredicate::Ule => terms.bv_ule(a, b),
        ICmpPredicate::Ugt => terms.bv_ugt(a, b),
        ICmpPredicate::Uge => terms.bv_uge(a, b),
        ICmpPredicate::Slt => terms.bv_slt(a, b),
        ICmpPredicate::Sle => terms.bv_sle(a, b),
        ICmpPredicate::Sgt => terms.bv_sgt(a, b),
        ICmpPredicate::Sge => terms.bv_sge(a, b),
    }
}

/// An intrinsic on terms of one width: its value, and its overflow bit where it has one.
pub(super) fn intrinsic(
    terms: &mut Terms,
    name: IntIntrinsic,
    args: &[Term],
) -> (Term, Option<Term>) {
    use IntIntrinsic::*;
    let a = args[0];
    let width = terms.width(a);
    let b = args.get(1).copied().unwrap_or(a);
    let constant = |terms: &mut Terms, value: u64| terms.bv(width, value);
    let value = match name {
        UMin | UMax | SMin | SMax => {
            let less = match name {
                UMin | UMax => terms.bv_ult(a, b),
                _ => terms.bv_slt(a, b),
            };
            match name {
                UMin | SMin => terms.ite(less, a, b),
                _ => terms.ite(less, b, a),
            }
        }
        UAddO => return (terms.bv_add(a, b), Some(terms.bv_uaddo(a, b))),
        USubO => return (terms.bv_sub(a, b), Some(terms.bv_usubo(a, b))),
        UMulO => return (terms.bv_mul(a, b), Some(terms.bv_umulo(a, b))),
        SAddO => return (terms.bv_add(a, b), Some(terms.bv_saddo(a, b))),
        SSubO => return (terms.bv_sub(a, b), Some(terms.bv_ssubo(a, b))),
        SMulO => return (terms.bv_mul(a, b), Some(terms.bv_smulo(a, b))),
        UAddSat => {
            let (sum, over) = (terms.bv_add(a, b), terms.bv_uaddo(a, b));
            let ones = terms.constant(Bv::ones(width));
            terms.ite(over, ones, sum)
        }
        USubSat => {
            let (difference, over) = (terms.bv_sub(a, b), terms.bv_usubo(a, b));
            let zero = constant(terms, 0);
            terms.ite(over, zero, difference)
        }
        SAddSat | SSubSat => {
            let (value, over) = if name == SAddSat {
                (terms.bv_add(a, b), terms.bv_saddo(a, b))
            } else {
                (terms.bv_sub(a, b), terms.bv_ssubo(a, b))
            };
            let limit = signed_limit(terms, a);
            terms.ite(over, limit, value)
        }
        UShlSat | SShlSat => {
            let shifted = terms.bv_shl(a, b);
            let (back, limit) = if name == UShlSat {
                (terms.bv_lshr(shifted, b), terms.constant(Bv::ones(width)))
            } else {
                (terms.bv_ashr(shifted, b), signed_limit(terms, a))
            };
            let kept = terms.eq(back, a);
            terms.ite(kept, shifted, limit)
        }
        UCmp | SCmp => {
            let (less, greater) = if name == UCmp {
                (terms.bv_ult(a, b), terms.bv_ult(b, a))
            } else {
                (terms.bv_slt(a, b), terms.bv_slt(b, a))
            };
            let (zero, one) = (constant(terms, 0), constant(terms, 1));
            let minus = terms.constant(Bv::ones(width));
            let upper = terms.ite(greater, one, zero);
            terms.ite(less, minus, upper)
        }
        Abs => {
            let zero = constant(terms, 0);
            let negative = terms.bv_slt(a, zero);
            let negated = terms.bv_neg(a);
            terms.ite(negative, negated, a)
        }
        CtPop => {
            let mut sum = constant(terms, 0);
            for bit in 0..width {
                let bit = terms.extract(a, bit, bit);
                let bit = terms.zero_extend(bit, width - 1);
                sum = terms.bv_add(sum, bit);
            }
            sum
        }
        Ctlz | Cttz => {
            // The first bit that is set decides; looked at last.
            let mut found = constant(terms, u64::from(width));
            for distance in (0..width).rev() {
                let bit = if name == Cttz {
                    distance
                } else {
                    width - 1 - distance
                };
                let one = terms.bv(1, 1);
                let bit = terms.extract(a, bit, bit);
                let is_set = terms.eq(bit, one);
                let here = constant(terms, u64::from(distance));
                found = terms.ite(is_set, here, found);
            }
            found
        }
        BSwap => pieces(terms, a, 8),
        BitReverse => pieces(terms, a, 1),
        FShl | FShr => {
            let modulus = constant(terms, u64::from(width));
            let by = terms.bv_urem(args[2], modulus);
            let rest = terms.bv_sub(modulus, by);
            // A shift by the whole width gives 0.
            let (high, low) = if name == FShl {
                (terms.bv_shl(a, by), terms.bv_lshr(b, rest))
            } else {
                (terms.bv_shl(a, rest), terms.bv_lshr(b, by))
            };
            terms.bv_or(high, low)
        }
    };
    (value, None)
}

/// The most or the least, by the sign of a value.
fn signed_limit(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    let zero = terms.bv(width, 0);
    let negative = terms.bv_slt(a, zero);
    let least = terms.constant(Bv::min_signed(width));
    let most = terms.constant(Bv::max_signed(width));
    terms.ite(negative, least, most)
}

/// Pieces of so many bits in the opposite order.
fn pieces(terms: &mut Terms, a: Term, bits: u32) -> Term {
    let width = terms.width(a);
    let mut result: Option<Term> = None;
    for piece in 0..width / bits {
        let part = terms.extract(a, piece * bits + bits - 1, piece * bits);
        result = Some(match result {
            None => part,
            Some(high) => terms.concat(high, part),
        });
    }
    result.unwrap_or(a)
}
