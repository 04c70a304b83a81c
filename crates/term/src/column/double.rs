//! Columns of up to 128 bits: products of two words, as hashes and checksums have them.

use crate::{Bv, Op};

use super::block::{Block, Column};
use super::words::Words;

/// The most bits that such a column has.
pub(super) const MOST_BITS: u32 = 128;

fn mask(width: u32) -> u128 {
    u128::MAX >> (MOST_BITS - width)
}

/// A bit-vector of at most 128 bits.
pub(super) fn of_bv(value: &Bv) -> u128 {
    let words = value.words();
    let high = words.get(1).copied().unwrap_or(0);
    u128::from(high) << 64 | u128::from(words[0])
}

pub(super) fn to_bv(width: u32, value: u128) -> Bv {
    Bv::from_words(width, vec![value as u64, (value >> 64) as u64])
}

/// A value's sign, up to the highest bit.
fn sign_extended(value: u128, width: u32) -> i128 {
    let shift = MOST_BITS - width;
    (value << shift) as i128 >> shift
}

impl Block<'_> {
    /// Whether a node and all its operands have at most 128 bits.
    pub(super) fn is_double(&self, place: usize) -> bool {
        let mut operands = self.plan.operands(place).iter();
        self.width(place) <= MOST_BITS
            && operands.all(|&operand| self.width(operand as usize) <= MOST_BITS)
    }

    /// Operators that take or give more than 64 bits, and no more than 128.
    pub(super) fn compute_double(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let operands = plan.operands(place);
        let mut places = operands.iter();
        let is_uniform = places.all(|&operand| self.is_uniform(operand as usize));
        let lanes = if is_uniform { 1 } else { self.len };
        let width = self.width(place);
        let value = |lane| self.double_of_operands(place, lane);
        if width > 64 {
            return Column::Double((0..lanes).map(value).collect());
        }
        if is_uniform {
            return Column::Uniform(value(0) as u64);
        }
        let mut words = Words::with_capacity(width, lanes);
        (0..lanes).for_each(|lane| words.push(value(lane) as u64));
        Column::Small(words)
    }

    /// What an operator gives in one lane.
    fn double_of_operands(&self, place: usize, lane: usize) -> u128 {
        let operands = self.plan.operands(place);
        let width = self.width(place);
        let all = mask(width);
        let arg = |index: usize| self.double(operands[index] as usize, lane);
        let from = self.width(operands[0] as usize);
        let signed = |index: usize| sign_extended(arg(index), from);
        let is_within = |by: u128| by < u128::from(width);
        match self.terms.op(self.plan.nodes[place].term) {
            Op::Eq => u128::from(arg(0) == arg(1)),
            Op::BvUlt => u128::from(arg(0) < arg(1)),
            Op::BvSlt => u128::from(signed(0) < signed(1)),
            Op::BvNot => arg(0) ^ all,
            Op::BvAnd => arg(0) & arg(1),
            Op::BvOr => arg(0) | arg(1),
            Op::BvXor => arg(0) ^ arg(1),
            Op::BvAdd => {
                let addends = (0..operands.len()).map(arg);
                addends.fold(0, u128::wrapping_add) & all
            }
            Op::BvMul => arg(0).wrapping_mul(arg(1)) & all,
            Op::BvUdiv => arg(0).checked_div(arg(1)).unwrap_or(all),
            Op::BvUrem => arg(0).checked_rem(arg(1)).unwrap_or(arg(0)),
            Op::BvShl if is_within(arg(1)) => arg(0) << arg(1) & all,
            Op::BvLshr if is_within(arg(1)) => arg(0) >> arg(1),
            Op::BvShl | Op::BvLshr => 0,
            Op::BvAshr => (signed(0) >> arg(1).min(u128::from(width - 1))) as u128 & all,
            Op::Concat => arg(0) << self.width(operands[1] as usize) | arg(1),
            Op::Extract { lo } => arg(0) >> lo & all,
            Op::SignExtend => signed(0) as u128 & all,
            op => unreachable!("{op:?} is handled elsewhere"),
        }
    }
}
