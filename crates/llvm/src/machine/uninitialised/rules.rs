//! Which bits of a term are undefined, by those of its operands.

use refrain_term::{Bv, Op, Sort, Term, Terms};

use super::Split;

/// Nothing undefined, in the sort of a term.
pub(super) fn zeros(terms: &mut Terms, like: Term) -> Term {
    all(terms, like, false)
}

/// Everything undefined, in the sort of a term.
fn ones(terms: &mut Terms, like: Term) -> Term {
    all(terms, like, true)
}

fn all(terms: &mut Terms, like: Term, set: bool) -> Term {
    let bits = |width| {
        if set {
            Bv::ones(width)
        } else {
            Bv::new(width, 0)
        }
    };
    match terms.sort(like) {
        Sort::BitVec(width) => terms.constant(bits(width)),
        Sort::Array { index, element } => {
            let element = terms.constant(bits(element));
            terms.const_array(index, element)
        }
        _ => Term::bool(set),
    }
}

/// Whether any bit is undefined.
pub(super) fn any(terms: &mut Terms, undefined: Term) -> Term {
    match terms.sort(undefined) {
        Sort::BitVec(width) => {
            let zero = terms.constant(Bv::new(width, 0));
            let none = terms.eq(undefined, zero);
            terms.not(none)
        }
        Sort::Bool => undefined,
        // Nothing asks about whole arrays.
        _ => Term::TRUE,
    }
}

/// Which bits of a term are undefined, by those of its operands.
pub(super) fn undefined(terms: &mut Terms, term: Term, args: &[Split]) -> Term {
    match terms.op(term) {
        Op::Not | Op::BvNot => args[0].undefined,
        Op::And => {
            // One operand that is false makes it false.
            let mut some = Term::FALSE;
            let mut none_is_false = Term::TRUE;
            for arg in args {
                some = terms.or2(some, arg.undefined);
                let may_hold = terms.or2(arg.undefined, arg.value);
                none_is_false = terms.and2(none_is_false, may_hold);
            }
            terms.and2(some, none_is_false)
        }
        Op::Eq => match terms.sort(args[0].value) {
            Sort::BitVec(_) => {
                // One defined bit that differs decides it.
                let either = terms.bv_or(args[0].undefined, args[1].undefined);
                let differing = terms.bv_xor(args[0].value, args[1].value);
                let known = terms.bv_not(either);
                let surely = terms.bv_and(differing, known);
                let (some, differs) = (any(terms, either), any(terms, surely));
                let open = terms.not(differs);
                terms.and2(some, open)
            }
            Sort::Bool => terms.or2(args[0].undefined, args[1].undefined),
            _ => Term::TRUE,
        },
        Op::Ite => {
            let [condition, then, other] = [args[0], args[1], args[2]];
            let chosen = terms.ite(condition.value, then.undefined, other.undefined);
            let either = match terms.sort(term) {
                Sort::BitVec(_) => {
                    let differing = terms.bv_xor(then.value, other.value);
                    let parts = terms.bv_or(then.undefined, other.undefined);
                    terms.bv_or(parts, differing)
                }
                Sort::Bool => {
                    let differing = terms.xor(then.value, other.value);
                    terms.or(&[then.undefined, other.undefined, differing])
                }
                _ => ones(terms, term),
            };
            terms.ite(condition.undefined, either, chosen)
        }
        Op::BvAnd => fold(terms, args, |terms, a, b| {
            // A defined zero makes a zero.
            let both = terms.bv_and(a.undefined, b.undefined);
            let first = terms.bv_and(a.value, b.undefined);
            let second = terms.bv_and(a.undefined, b.value);
            let one = terms.bv_or(first, second);
            (terms.bv_or(both, one), terms.bv_and(a.value, b.value))
        }),
        Op::BvOr => fold(terms, args, |terms, a, b| {
            // A defined one makes a one.
            let both = terms.bv_and(a.undefined, b.undefined);
            let (not_a, not_b) = (terms.bv_not(a.value), terms.bv_not(b.value));
            let first = terms.bv_and(not_a, b.undefined);
            let second = terms.bv_and(a.undefined, not_b);
            let one = terms.bv_or(first, second);
            (terms.bv_or(both, one), terms.bv_or(a.value, b.value))
        }),
        Op::BvXor => fold(terms, args, |terms, a, b| {
            let undefined = terms.bv_or(a.undefined, b.undefined);
            (undefined, terms.bv_xor(a.value, b.value))
        }),
        Op::BvAdd => fold(terms, args, sum),
        Op::BvMul => fold(terms, args, product),
        Op::BvUdiv | Op::BvUrem => all_if_any(terms, term, args),
        op @ (Op::BvShl | Op::BvLshr | Op::BvAshr) => {
            let by = args[1].value;
            let shifted = match op {
                Op::BvShl => terms.bv_shl(args[0].undefined, by),
                Op::BvLshr => terms.bv_lshr(args[0].undefined, by),
                _ => terms.bv_ashr(args[0].undefined, by),
            };
            unless(terms, args[1].undefined, shifted)
        }
        Op::Concat => terms.concat(args[0].undefined, args[1].undefined),
        Op::Extract { lo } => {
            let width = terms.width(term);
            terms.extract(args[0].undefined, lo + width - 1, lo)
        }
        Op::SignExtend => {
            let by = terms.width(term) - terms.width(args[0].value);
            terms.sign_extend(args[0].undefined, by)
        }
        Op::BvUlt => less(terms, args[0], args[1]),
        Op::BvSlt => {
            // Unsigned comparison, after the sign is flipped.
            let sign = Bv::min_signed(terms.width(args[0].value));
            let sign = terms.constant(sign);
            let flipped = args.iter().map(|arg| Split {
                value: terms.bv_xor(arg.value, sign),
                ..*arg
            });
            let flipped: Vec<Split> = flipped.collect();
            less(terms, flipped[0], flipped[1])
        }
        Op::Select => {
            let read = terms.select(args[0].undefined, args[1].value);
            unless(terms, args[1].undefined, read)
        }
        Op::Store => {
            let stored = terms.store(args[0].undefined, args[1].value, args[2].undefined);
            unless(terms, args[1].undefined, stored)
        }
        Op::ConstArray => match terms.sort(term) {
            Sort::Array { index, .. } => terms.const_array(index, args[0].undefined),
            _ => ones(terms, term),
        },
        Op::Table(table) => {
            let cells = terms.cells(table).iter();
            let defined = cells.map(|(index, cell)| (index.clone(), Bv::new(cell.width(), 0)));
            let defined = defined.collect();
            terms.table(args[0].undefined, defined)
        }
        // A marker itself, and what bytes of programs are not made of.
        _ => ones(terms, term),
    }
}

/// Folds operands from the left, by what two of them make.
fn fold(
    terms: &mut Terms,
    args: &[Split],
    pair: impl Fn(&mut Terms, Split, Split) -> (Term, Term),
) -> Term {
    let mut args = args.iter().copied();
    let first = args.next().expect("an operator has operands");
    let folded = args.fold(first, |a, b| {
        let (undefined, value) = pair(terms, a, b);
        Split { undefined, value }
    });
    folded.undefined
}

/// The least and the greatest value that a term may have.
fn range(terms: &mut Terms, of: Split) -> (Term, Term) {
    let known = terms.bv_not(of.undefined);
    (
        terms.bv_and(of.value, known),
        terms.bv_or(of.value, of.undefined),
    )
}

/// Bits differ between the least sum and the greatest where carries are undefined.
fn sum(terms: &mut Terms, a: Split, b: Split) -> (Term, Term) {
    let ((least_a, most_a), (least_b, most_b)) = (range(terms, a), range(terms, b));
    let (least, most) = (terms.bv_add(least_a, least_b), terms.bv_add(most_a, most_b));
    let carried = terms.bv_xor(least, most);
    let own = terms.bv_or(a.undefined, b.undefined);
    (terms.bv_or(own, carried), terms.bv_add(a.value, b.value))
}

/// A product is defined below the lowest undefined bit, and wholly where a factor is zero.
fn product(terms: &mut Terms, a: Split, b: Split) -> (Term, Term) {
    let value = terms.bv_mul(a.value, b.value);
    if let (true, Some(factor)) = (is_defined(terms, a), terms.value(a.value).cloned()) {
        // Minus a term is its complement and one.
        if factor.is_ones() {
            let one = terms.bv(factor.width(), 1);
            let complement = Split {
                undefined: b.undefined,
                value: terms.bv_not(b.value),
            };
            let one = Split {
                undefined: zeros(terms, one),
                value: one,
            };
            return (sum(terms, complement, one).0, value);
        }
        let lowest = factor.trailing_zeros();
        let shift = terms.bv(factor.width(), u64::from(lowest));
        let moved = terms.bv_shl(b.undefined, shift);
        return (upwards(terms, moved), value);
    }
    let either = terms.bv_or(a.undefined, b.undefined);
    let mut undefined = upwards(terms, either);
    for factor in [a, b] {
        let possible = terms.bv_or(factor.undefined, factor.value);
        let is_other = any(terms, possible);
        let nothing = zeros(terms, value);
        undefined = terms.ite(is_other, undefined, nothing);
    }
    (undefined, value)
}

fn is_defined(terms: &mut Terms, split: Split) -> bool {
    split.undefined == zeros(terms, split.value)
}

/// All bits from the lowest that is set.
fn upwards(terms: &mut Terms, bits: Term) -> Term {
    let minus = terms.bv_neg(bits);
    terms.bv_or(bits, minus)
}

/// A comparison is defined if the ranges of both sides do not meet.
fn less(terms: &mut Terms, a: Split, b: Split) -> Term {
    let ((least_a, most_a), (least_b, most_b)) = (range(terms, a), range(terms, b));
    let always = terms.bv_ult(most_a, least_b);
    let sometimes = terms.bv_ult(least_a, most_b);
    let not_always = terms.not(always);
    terms.and2(sometimes, not_always)
}

/// `bits`, or everything where `deciding` has an undefined bit.
fn unless(terms: &mut Terms, deciding: Term, bits: Term) -> Term {
    let undefined = any(terms, deciding);
    let everything = ones(terms, bits);
    terms.ite(undefined, everything, bits)
}

/// Everything, where an operand has an undefined bit.
fn all_if_any(terms: &mut Terms, term: Term, args: &[Split]) -> Term {
    let mut undefined = Term::FALSE;
    for arg in args {
        let some = any(terms, arg.undefined);
        undefined = terms.or2(undefined, some);
    }
    let (everything, nothing) = (ones(terms, term), zeros(terms, term));
    terms.ite(undefined, everything, nothing)
}
