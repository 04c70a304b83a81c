//! Operators: the loops over columns.

use std::borrow::Cow;

use crate::eval::operate;
use crate::value::{mask, sign_extend_u64};
use crate::{Bv, Op, Value};

use super::block::{Block, Column};
use super::double;
use super::words::{Lanes, Word, Words, by_width};

impl Block<'_> {
    /// A column from one operand's.
    #[inline]
    pub(super) fn map<W: Word, R: Word>(&mut self, a: usize, f: impl Fn(W) -> R) -> Column {
        if let Lanes::Uniform(a) = self.small(a) {
            return Column::Uniform(f(a).word());
        }
        let mut out = self.buffer::<R>();
        if let Lanes::Each(a) = self.small(a) {
            for (out, &a) in out.iter_mut().zip(a) {
                *out = f(a);
            }
        }
        Column::Small(R::into_words(out))
    }

    /// A column from two operands'.
    #[inline]
    pub(super) fn zip<W: Word, R: Word>(
        &mut self,
        a: usize,
        b: usize,
        f: impl Fn(W, W) -> R,
    ) -> Column {
        if let (Lanes::Uniform(a), Lanes::Uniform(b)) = (self.small(a), self.small(b)) {
            return Column::Uniform(f(a, b).word());
        }
        let mut out = self.buffer::<R>();
        match (self.small(a), self.small(b)) {
            (Lanes::Each(a), Lanes::Each(b)) => {
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                    *out = f(a, b);
                }
            }
            (Lanes::Uniform(a), Lanes::Each(b)) => {
                for (out, &b) in out.iter_mut().zip(b) {
                    *out = f(a, b);
                }
            }
            (Lanes::Each(a), Lanes::Uniform(b)) => {
                for (out, &a) in out.iter_mut().zip(a) {
                    *out = f(a, b);
                }
            }
            (Lanes::Uniform(_), Lanes::Uniform(_)) => unreachable!("handled above"),
        }
        Column::Small(R::into_words(out))
    }

    /// A column from all operands', by an associative operation.
    #[inline]
    fn fold<W: Word>(&mut self, place: usize, unit: W, f: impl Fn(W, W) -> W) -> Column {
        let plan = self.plan;
        let mut uniform = unit;
        let mut out: Option<Vec<W>> = None;
        for &operand in plan.operands(place) {
            let operand = operand as usize;
            let Some(sum) = &mut out else {
                if let Lanes::Uniform(value) = self.small(operand) {
                    uniform = f(uniform, value);
                    continue;
                }
                let mut buffer = self.buffer();
                if let Lanes::Each(column) = self.small(operand) {
                    for (out, &value) in buffer.iter_mut().zip(column) {
                        *out = f(uniform, value);
                    }
                }
                out = Some(buffer);
                continue;
            };
            match self.small(operand) {
                Lanes::Uniform(value) => sum.iter_mut().for_each(|out| *out = f(*out, value)),
                Lanes::Each(column) => {
                    for (out, &value) in sum.iter_mut().zip(column) {
                        *out = f(*out, value);
                    }
                }
            }
        }
        match out {
            Some(out) => Column::Small(W::into_words(out)),
            None => Column::Uniform(uniform.word()),
        }
    }

    /// Operators on at most 64 bits.
    pub(super) fn compute(&mut self, place: usize) -> Column {
        let from = self.width(self.plan.operands(place)[0] as usize);
        let to = self.width(place);
        match self.terms.op(self.plan.nodes[place].term) {
            Op::Concat => by_width!(to, R => self.concat::<R>(place)),
            Op::Extract { lo } => {
                by_width!(from, W => by_width!(to, R => self.extract::<W, R>(place, lo)))
            }
            Op::SignExtend => {
                by_width!(from, W => by_width!(to, R => self.sign_extend::<W, R>(place)))
            }
            op => by_width!(from, W => self.same_width::<W>(place, op)),
        }
    }

    /// Operators whose operands are of one width, and whose result is of the same or a truth value.
    fn same_width<W: Word>(&mut self, place: usize, op: Op) -> Column {
        let operands = self.plan.operands(place);
        let a = operands[0] as usize;
        let b = *operands.last().expect("an operand") as usize;
        let width = self.width(a);
        let bits = u64::from(width);
        let all = W::of(mask(width));
        let sign = W::of(1 << (width - 1));
        match op {
            Op::Not => self.map::<u8, u8>(a, |a| a ^ 1),
            Op::And => self.fold::<u8>(place, 1, |a, b| a & b),
            Op::Eq => self.zip::<W, u8>(a, b, |a, b| u8::from(a == b)),
            Op::BvUlt => self.zip::<W, u8>(a, b, |a, b| u8::from(a < b)),
            Op::BvSlt => self.zip::<W, u8>(a, b, |a, b| u8::from((a ^ sign) < (b ^ sign))),
            Op::BvNot => self.map::<W, W>(a, |a| a ^ all),
            Op::BvAnd => self.zip::<W, W>(a, b, |a, b| a & b),
            Op::BvOr => self.zip::<W, W>(a, b, |a, b| a | b),
            Op::BvXor => self.zip::<W, W>(a, b, |a, b| a ^ b),
            Op::BvAdd => self.fold::<W>(place, W::ZERO, |a, b| a.plus(b) & all),
            Op::BvMul => self.zip::<W, W>(a, b, |a, b| a.times(b) & all),
            Op::BvUdiv => self.zip_words::<W>(a, b, |a, b| a.checked_div(b).unwrap_or(all.word())),
            Op::BvUrem => self.zip_words::<W>(a, b, |a, b| a.checked_rem(b).unwrap_or(a)),
            Op::BvShl => {
                self.zip_words::<W>(a, b, |a, b| if b < bits { a << b & all.word() } else { 0 })
            }
            Op::BvLshr => self.zip_words::<W>(a, b, |a, b| if b < bits { a >> b } else { 0 }),
            Op::BvAshr => self.zip_words::<W>(a, b, |a, b| {
                (sign_extend_u64(a, width) >> b.min(bits - 1)) as u64 & all.word()
            }),
            op => unreachable!("{op:?} is handled elsewhere"),
        }
    }

    /// Two operands' columns by an operation that gains nothing from narrow words.
    #[inline]
    fn zip_words<W: Word>(&mut self, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) -> Column {
        self.zip::<W, W>(a, b, |a, b| W::of(f(a.word(), b.word())))
    }

    fn extract<W: Word, R: Word>(&mut self, place: usize, lo: u32) -> Column {
        let result = R::of(mask(self.width(place)));
        let a = self.plan.operands(place)[0] as usize;
        self.map::<W, R>(a, |a| R::of(a.right(lo).word()) & result)
    }

    fn sign_extend<W: Word, R: Word>(&mut self, place: usize) -> Column {
        let result = R::of(mask(self.width(place)));
        let a = self.plan.operands(place)[0] as usize;
        let sign = R::of(1 << (self.width(a) - 1));
        self.map::<W, R>(a, |a| (R::of(a.word()) ^ sign).minus(sign) & result)
    }

    /// The low operand, widened, and then the high one over it.
    fn concat<R: Word>(&mut self, place: usize) -> Column {
        let operands = self.plan.operands(place);
        let (high, low) = (operands[0] as usize, operands[1] as usize);
        let by = self.width(low);
        if let Some(high) = self.uniform(high) {
            let high = R::of(high << by);
            return by_width!(by, W => self.map::<W, R>(low, |low| high | R::of(low.word())));
        }
        let mut out = self.buffer::<R>();
        by_width!(by, W => match self.small::<W>(low) {
            Lanes::Uniform(low) => out.fill(R::of(low.word())),
            Lanes::Each(low) => {
                for (out, &low) in out.iter_mut().zip(low) {
                    *out = R::of(low.word());
                }
            }
        });
        by_width!(self.width(high), W => {
            if let Lanes::Each(high) = self.small::<W>(high) {
                for (out, &high) in out.iter_mut().zip(high) {
                    *out = *out | R::of(high.word()).left(by);
                }
            }
        });
        Column::Small(R::into_words(out))
    }

    pub(super) fn ite(&mut self, place: usize) -> Column {
        let [c, t, e] = *self.plan.operands(place) else {
            unreachable!("three operands")
        };
        let [c, t, e] = [c, t, e].map(|operand| operand as usize);
        if let Some(condition) = self.uniform(c) {
            return self.copy(if condition != 0 { t } else { e });
        }
        let width = self.width(place);
        let taken = |lane| if self.word(c, lane) != 0 { t } else { e };
        if width > double::MOST_BITS {
            let pick = |lane| self.bv(taken(lane), lane).into_owned();
            return Column::Wide((0..self.len).map(pick).collect());
        }
        if width > 64 {
            let pick = |lane| self.double(taken(lane), lane);
            return Column::Double((0..self.len).map(pick).collect());
        }
        by_width!(width, W => self.pick::<W>(c, t, e))
    }

    /// One or the other column, by a condition that is not the same in all lanes.
    fn pick<W: Word>(&mut self, c: usize, t: usize, e: usize) -> Column {
        let mut out = self.buffer::<W>();
        let Lanes::Each(condition) = self.small::<u8>(c) else {
            unreachable!("not the same in all lanes")
        };
        let pick = |c: u8, t: W, e: W| if c != 0 { t } else { e };
        match (self.small(t), self.small(e)) {
            (Lanes::Each(t), Lanes::Each(e)) => {
                for (((out, &c), &t), &e) in out.iter_mut().zip(condition).zip(t).zip(e) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Each(t), Lanes::Uniform(e)) => {
                for ((out, &c), &t) in out.iter_mut().zip(condition).zip(t) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Uniform(t), Lanes::Each(e)) => {
                for ((out, &c), &e) in out.iter_mut().zip(condition).zip(e) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Uniform(t), Lanes::Uniform(e)) => {
                for (out, &c) in out.iter_mut().zip(condition) {
                    *out = pick(c, t, e);
                }
            }
        }
        Column::Small(W::into_words(out))
    }

    /// Operators that take or give more than 128 bits.
    pub(super) fn compute_wide(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let operands = plan.operands(place);
        let op = self.terms.op(plan.nodes[place].term);
        let width = self.width(place);
        let uniform = operands
            .iter()
            .all(|&operand| self.is_uniform(operand as usize));
        let lanes = if uniform { 1 } else { self.len };
        let mut small = Words::with_capacity(width, lanes);
        let mut wide = Vec::new();
        for lane in 0..lanes {
            let values: Vec<Cow<'_, Bv>> = operands
                .iter()
                .map(|&operand| self.bv(operand as usize, lane))
                .collect();
            let value = match op {
                Op::Eq => Value::Bool(values[0] == values[1]),
                op => operate(op, width, &values),
            };
            match value {
                Value::Bool(value) => small.push(u64::from(value)),
                Value::Bv(value) if width <= 64 => small.push(value.words()[0]),
                Value::Bv(value) => wide.push(value),
                value => unreachable!("a {} of bit-vectors", value.sort()),
            }
        }
        match small.len() {
            0 => Column::Wide(wide),
            1 if uniform => Column::Uniform(small.get(0)),
            _ => Column::Small(small),
        }
    }
}
