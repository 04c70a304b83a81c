//! Pieces that terms of several operations are made of.

use refrain_term::{Bv, Term, Terms};

/// 0, as wide as a term.
pub(super) fn zero(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    terms.bv(width, 0)
}

/// All bits set: -1, or the greatest unsigned number.
pub(super) fn ones(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    terms.constant(Bv::ones(width))
}

/// The greatest or the least signed number, by the sign of a value.
pub(super) fn limit_by_sign(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    let zero = terms.bv(width, 0);
    let negative = terms.bv_slt(a, zero);
    let least = terms.constant(Bv::min_signed(width));
    let most = terms.constant(Bv::max_signed(width));
    terms.ite(negative, least, most)
}

/// -1 if less, 1 if greater, else 0.
pub(super) fn order(terms: &mut Terms, a: Term, less: Term, greater: Term) -> Term {
    let width = terms.width(a);
    let (zero, one) = (terms.bv(width, 0), terms.bv(width, 1));
    let minus_one = ones(terms, a);
    let not_less = terms.ite(greater, one, zero);
    terms.ite(less, minus_one, not_less)
}

pub(super) fn count_ones(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    let mut sum = terms.bv(width, 0);
    for bit in 0..width {
        let bit = terms.extract(a, bit, bit);
        let bit = terms.zero_extend(bit, width - 1);
        sum = terms.bv_add(sum, bit);
    }
    sum
}

/// The distance of the nearest bit that is set, where `bit_at` says which bit is how far; the width if there is none.
pub(super) fn first_set(terms: &mut Terms, a: Term, bit_at: impl Fn(u32) -> u32) -> Term {
    let width = terms.width(a);
    let mut found = terms.bv(width, u64::from(width));
    // The nearest decides, so it is looked at last.
    for distance in (0..width).rev() {
        let bit = bit_at(distance);
        let one = terms.bv(1, 1);
        let bit = terms.extract(a, bit, bit);
        let is_set = terms.eq(bit, one);
        let here = terms.bv(width, u64::from(distance));
        found = terms.ite(is_set, here, found);
    }
    found
}

/// Pieces of so many bits in the opposite order.
pub(super) fn reversed(terms: &mut Terms, a: Term, bits: u32) -> Term {
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
