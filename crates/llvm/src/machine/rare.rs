//! Operations that are described rather than encoded: wide integers, odd floats, vectors at variable lanes, and the
//! stack's own business.

use refrain_term::{Bv, Terms};

use super::bits::{self, Wide};
use super::{ErrorKind, Halt, Machine, State};
use crate::code::{Instr, IntIntrinsic, Slow, Src};
use crate::ir::{BinaryOp, CastOp};
use crate::memory::Value;

impl Machine {
    pub(super) fn rare(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let linked = self.linked.clone();
        let Ok(code) = linked.code(state.top().function) else {
            return Err(self.unsupported(state, "a function that cannot be lowered"));
        };
        match &code.slow[i.a as usize] {
            Slow::WideBinary {
                op,
                width,
                dst,
                a,
                b,
            } => {
                if let (true, Some(a), Some(b)) =
                    (*width <= 128, self.plain(state, a), self.plain(state, b))
                    && let Some(value) = plain_binary(*op, a, b, *width)
                {
                    self.set_plain(state, *dst, value);
                    state.top_mut().pc += 1;
                    return Ok(());
                }
                let (a, b) = (
                    self.wide(terms, state, a, *width),
                    self.wide(terms, state, b, *width),
                );
                let value = match (&a, &b) {
                    (Wide::Number(a), Wide::Number(b)) if !divides_badly(*op, a, b) => {
                        Wide::Number(number(*op, a, b))
                    }
                    _ => self.wide_binary(terms, state, *op, &a, &b)?,
                };
                self.set_wide(terms, state, *dst, value);
            }
            Slow::WideCompare {
                predicate,
                width,
                dst,
                a,
                b,
            } => {
                let (a, b) = (
                    self.wide(terms, state, a, *width),
                    self.wide(terms, state, b, *width),
                );
                let value = match (&a, &b) {
                    (Wide::Number(a), Wide::Number(b)) => Value::Concrete(u64::from(
                        crate::lower::constant::compare(*predicate, a, b),
                    )),
                    _ => {
                        let (a, b) = (self.wide_term(terms, &a), self.wide_term(terms, &b));
                        let condition = bits::compare(terms, *predicate, a, b);
                        self.value_of(terms, condition)
                    }
                };
                state.set(*dst, value);
            }
            Slow::WideCast {
                op,
                from,
                to,
                dst,
                a,
            } => {
                let value = match self.wide(terms, state, a, *from) {
                    Wide::Number(number) => Wide::Number(match to.checked_sub(*from) {
                        None => number.extract(to - 1, 0),
                        Some(by) if *op == CastOp::SExt => number.sign_extend(by),
                        Some(by) => number.zero_extend(by),
                    }),
                    Wide::Term(term) => Wide::Term(match to.checked_sub(*from) {
                        None => terms.extract(term, to - 1, 0),
                        Some(by) if *op == CastOp::SExt => terms.sign_extend(term, by),
                        Some(by) => terms.zero_extend(term, by),
                    }),
                };
                self.set_wide(terms, state, *dst, value);
            }
            Slow::Intrinsic {
                name,
                width,
                dst,
                args,
            } => {
                let numbers: Option<Vec<Bv>> = args
                    .iter()
                    .map(|arg| match self.wide(terms, state, arg, *width) {
                        Wide::Number(number) => Some(number),
                        Wide::Term(_) => None,
                    })
                    .collect();
                if let Some(numbers) = numbers {
                    self.plain_intrinsic(state, *name, *width, *dst, numbers);
                    state.top_mut().pc += 1;
                    return Ok(());
                }
                let args: Vec<Wide> = args
                    .iter()
                    .map(|arg| self.wide(terms, state, arg, *width))
                    .collect();
                let args: Vec<_> = args.iter().map(|arg| self.wide_term(terms, arg)).collect();
                let (value, overflow) = bits::intrinsic(terms, *name, &args);
                if matches!(name, IntIntrinsic::UCmp | IntIntrinsic::SCmp) {
                    // -1, 0 or 1 in a type of its own, cut by whoever uses it.
                    let value = self.value_of(terms, value);
                    state.set(*dst, value);
                } else {
                    self.set_wide(terms, state, *dst, Wide::Term(value));
                }
                if let Some(overflow) = overflow {
                    let overflow = self.value_of(terms, overflow);
                    state.set(dst + width.div_ceil(64), overflow);
                }
            }
            Slow::Repack { from, to } => self.repack(terms, state, from, to),
            Slow::ExtractLane {
                lanes,
                words,
                index,
                dst,
            } => {
                let index = self.lane_index(state, *index)?;
                for word in 0..*words {
                    let at = index
                        .checked_mul(u64::from(*words))
                        .and_then(|at| at.checked_add(u64::from(word)));
                    let src = at.and_then(|at| lanes.get(usize::try_from(at).ok()?));
                    let value = src.map_or(Value::Concrete(0), |&src| self.source(state, src));
                    state.set(dst + word, value);
                }
            }
            Slow::InsertLane {
                lanes,
                words,
                index,
                value,
                dst,
            } => {
                let index = self
                    .lane_index(state, *index)?
                    .saturating_mul(u64::from(*words));
                let values: Vec<Value> = lanes
                    .iter()
                    .enumerate()
                    .map(|(at, &src)| match (at as u64).checked_sub(index) {
                        Some(within) if within < u64::from(*words) => {
                            self.source(state, value[within as usize])
                        }
                        _ => self.source(state, src),
                    })
                    .collect();
                for (at, value) in values.into_iter().enumerate() {
                    state.set(dst + at as u32, value);
                }
            }
            Slow::VaStart { list } => {
                let list = self.source(state, *list);
                let area = state.top().variadic;
                // No argument is in a register: those areas are used up.
                self.write(terms, state, list, 8, Value::Concrete(176 << 32 | 48))?;
                for (offset, value) in [(8, area), (16, 0)] {
                    let at = self.sum(terms, list, Value::Concrete(offset));
                    self.write(terms, state, at, 8, Value::Concrete(value))?;
                }
            }
            Slow::StackSave { dst } => {
                let objects = state.objects.len() as u64;
                state.set(*dst, Value::Concrete(objects));
            }
            Slow::StackRestore { a } => {
                if let Value::Concrete(objects) = self.source(state, *a) {
                    let site = state.site();
                    let keep = (objects as usize)
                        .max(state.top().objects as usize)
                        .min(state.objects.len());
                    for address in state.objects.drain(keep..) {
                        state.memory.release(address, site);
                    }
                }
            }
            Slow::LandingPad { dst } => {
                let (exception, selector) = state.landed;
                state.set(*dst, Value::Concrete(exception));
                state.set(dst + 1, Value::Concrete(u64::from(selector)));
            }
            Slow::FrameAddress { dst, level } => {
                let level = self.fixed(state, self.source(state, *level))?;
                let depth = state.frames.len() as u64;
                state.set(
                    *dst,
                    Value::Concrete((depth.saturating_sub(level) + 1) * 16),
                );
            }
            Slow::ShiftTooFar => return Err(self.error(state, ErrorKind::ShiftTooFar, "")),
            Slow::Overflow => return Err(self.error(state, ErrorKind::SignedOverflow, "")),
            Slow::Unsupported(what) => return Err(self.unsupported(state, what.clone())),
            Slow::BadGoto => return Err(self.error(state, ErrorKind::BadGoto, "")),
            float => self.float(terms, state, float)?,
        }
        state.top_mut().pc += 1;
        Ok(())
    }

    /// Up to two words as a number, if they are numbers.
    fn plain(&self, state: &State, words: &[Src]) -> Option<u128> {
        if words.len() > 2 {
            return None;
        }
        let mut number = 0;
        for (index, &word) in words.iter().enumerate() {
            let Value::Concrete(value) = self.source(state, word) else {
                return None;
            };
            number |= u128::from(value) << (64 * index);
        }
        Some(number)
    }

    fn set_plain(&self, state: &mut State, dst: u32, value: u128) {
        state.set(dst, Value::Concrete(value as u64));
        state.set(dst + 1, Value::Concrete((value >> 64) as u64));
    }

    /// An intrinsic on numbers. Terms of an arena that is thrown away do the work: the state's own would keep every
    /// number.
    fn plain_intrinsic(
        &self,
        state: &mut State,
        name: IntIntrinsic,
        width: u32,
        dst: u32,
        numbers: Vec<Bv>,
    ) {
        let mut terms = Terms::new();
        let args: Vec<_> = numbers
            .into_iter()
            .map(|number| terms.constant(number))
            .collect();
        let (value, overflow) = bits::intrinsic(&mut terms, name, &args);
        self.set_wide(&mut terms, state, dst, Wide::Term(value));
        if let Some(overflow) = overflow {
            let overflow = self.value_of(&terms, overflow);
            state.set(dst + width.div_ceil(64), overflow);
        }
    }

    fn lane_index(&self, state: &mut State, index: Src) -> Result<u64, Halt> {
        let value = self.source(state, index);
        self.fixed(state, value)
    }

    /// The same bits, cut differently.
    fn repack(&self, terms: &mut Terms, state: &mut State, from: &[(Src, u32)], to: &[(u32, u32)]) {
        let values: Vec<(Value, u32)> = from
            .iter()
            .map(|&(src, bits)| (self.source(state, src), bits))
            .collect();
        if values
            .iter()
            .all(|(value, _)| matches!(value, Value::Concrete(_)))
        {
            let (mut buffer, mut held) = (0u128, 0);
            let mut parts = values.iter();
            for &(dst, bits) in to {
                while held < bits {
                    let Some(&(Value::Concrete(value), more)) = parts.next() else {
                        break;
                    };
                    buffer |= u128::from(value & crate::code::mask(more)) << held;
                    held += more;
                }
                state.set(
                    dst,
                    Value::Concrete(buffer as u64 & crate::code::mask(bits)),
                );
                buffer >>= bits;
                held = held.saturating_sub(bits);
            }
            return;
        }
        let mut whole = None;
        for &(value, bits) in &values {
            let part = self.term(terms, value, bits);
            whole = Some(match whole {
                None => part,
                Some(low) => terms.concat(part, low),
            });
        }
        let Some(whole) = whole else { return };
        let mut at = 0;
        let width = terms.width(whole);
        for &(dst, bits) in to {
            let value = if at < width {
                let part = terms.extract(whole, (at + bits - 1).min(width - 1), at);
                self.value_of(terms, part)
            } else {
                Value::Concrete(0)
            };
            state.set(dst, value);
            at += bits;
        }
    }
}

/// Integers of 65 to 128 bits. What must be an error, or a shift by too much, is left to others.
fn plain_binary(op: BinaryOp, a: u128, b: u128, width: u32) -> Option<u128> {
    let mask = u128::MAX >> (128 - width);
    let signed = |value: u128| ((value << (128 - width)) as i128) >> (128 - width);
    let by = u32::try_from(b).ok().filter(|&by| by < width);
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << by?,
        BinaryOp::LShr => a >> by?,
        BinaryOp::AShr => (signed(a) >> by?) as u128,
        BinaryOp::UDiv => a.checked_div(b)?,
        BinaryOp::URem => a.checked_rem(b)?,
        BinaryOp::SDiv if signed(b) != -1 => signed(a).checked_div(signed(b))? as u128,
        BinaryOp::SRem if signed(b) != -1 => signed(a).checked_rem(signed(b))? as u128,
        _ => return None,
    };
    Some(value & mask)
}

fn divides_badly(op: BinaryOp, a: &Bv, b: &Bv) -> bool {
    match op {
        BinaryOp::UDiv | BinaryOp::URem => b.is_zero(),
        BinaryOp::SDiv | BinaryOp::SRem => {
            b.is_zero() || (b.is_ones() && *a == Bv::min_signed(a.width()))
        }
        _ => false,
    }
}

fn number(op: BinaryOp, a: &Bv, b: &Bv) -> Bv {
    crate::lower::constant::binary(op, a, b, a.width()).unwrap_or_else(|_| Bv::zero(a.width()))
}
