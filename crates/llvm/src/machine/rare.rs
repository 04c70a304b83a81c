//! Operations that are described rather than encoded: wide integers, odd floats, vectors at variable lanes, and what
//! concerns the stack.

use refrain_term::{Bv, Term, Terms};

use super::bits::Wide;
use super::{Halt, Machine, State};
use crate::code::{Instr, Slow, Src};
use crate::memory::Value;
use crate::ops::{IntOp, Operands, Outcome, WIDEST_WORD};

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
            Slow::Int {
                op,
                width,
                dst,
                args,
            } => self.wide_int(terms, state, *op, *width, *dst, args)?,
            Slow::IntCast {
                cast,
                from,
                to,
                dst,
                a,
            } => match self.plain(state, a) {
                Some(a) if *to <= WIDEST_WORD => {
                    self.set_plain(state, *dst, cast.word128(a, *from, *to), *to);
                }
                _ => {
                    let value = match self.wide(terms, state, a, *from) {
                        Wide::Number(number) => Wide::Number(cast.fold(&number, *to)),
                        Wide::Term(term) => Wide::Term(cast.term(terms, term, *to)),
                    };
                    self.set_wide(terms, state, *dst, value);
                }
            },
            Slow::Repack { from, to } => self.repack(terms, state, from, to),
            Slow::ExtractLane {
                lanes,
                words,
                index,
                dst,
            } => {
                let count = lanes.len() / *words as usize;
                let index = self.lane_index(terms, state, *index, count)?;
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
                let count = lanes.len() / *words as usize;
                let index = self
                    .lane_index(terms, state, *index, count)?
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
                let level = self.fixed(terms, state, self.source(state, *level))?;
                let depth = state.frames.len() as u64;
                state.set(
                    *dst,
                    Value::Concrete((depth.saturating_sub(level) + 1) * 16),
                );
            }
            Slow::CheckFloat(check) => self.check_float(terms, state, check)?,
            Slow::Error(error) => return Err(self.arithmetic_error(state, *error)),
            Slow::Unsupported(what) => return Err(self.unsupported(state, what.clone())),
            Slow::BadGoto => return Err(self.error(state, super::ErrorKind::BadGoto, "")),
            float => {
                if !self.slow_uninitialised_float(terms, state, float)? {
                    self.float(terms, state, float)?;
                }
            }
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

    /// Writes a number of at most 128 bits.
    fn set_plain(&self, state: &mut State, dst: u32, value: u128, bits: u32) {
        state.set(dst, Value::Concrete(value as u64));
        if bits > 64 {
            state.set(dst + 1, Value::Concrete((value >> 64) as u64));
        }
    }

    /// An operation on integers of any width: on words where they are numbers of few enough bits.
    fn wide_int(
        &self,
        terms: &mut Terms,
        state: &mut State,
        op: IntOp,
        width: u32,
        dst: u32,
        args: &[Vec<Src>],
    ) -> Result<(), Halt> {
        // The overflow of a calculation comes behind it.
        let (op, overflow) = match op.overflow_of() {
            Some(calculation) => (calculation, Some(op)),
            None => (op, None),
        };
        let behind = dst + width.div_ceil(64);
        if width <= WIDEST_WORD
            && let Some(words) = self.plain_operands(state, args)
        {
            let value = op
                .fold_words(words, width)
                .map_err(|error| self.arithmetic_error(state, error))?;
            let bits = match op.outcome() {
                Outcome::Word => width,
                Outcome::Bit => 1,
            };
            self.set_plain(state, dst, value, bits);
            if let Some(overflow) = overflow {
                let overflow = overflow.word128(words, width) as u64;
                state.set(behind, Value::Concrete(overflow));
            }
            return Ok(());
        }
        let args: Vec<Wide> = args
            .iter()
            .map(|arg| self.wide(terms, state, arg, width))
            .collect();
        let numbers: Option<Vec<Bv>> = args.iter().map(Wide::number).collect();
        if let Some(numbers) = numbers {
            let value = op
                .fold(&numbers)
                .map_err(|error| self.arithmetic_error(state, error))?;
            self.set_wide(terms, state, dst, Wide::Number(value));
            if let Some(Ok(overflow)) = overflow.map(|overflow| overflow.fold(&numbers)) {
                self.set_wide(terms, state, behind, Wide::Number(overflow));
            }
            return Ok(());
        }
        let mut operands = [Term::FALSE; 3];
        for (operand, arg) in operands.iter_mut().zip(&args) {
            *operand = self.wide_term(terms, arg);
        }
        let value = self.checked_term(terms, state, op, operands)?;
        self.set_wide(terms, state, dst, Wide::Term(value));
        if let Some(overflow) = overflow {
            let overflow = overflow.term(terms, operands);
            self.set_wide(terms, state, behind, Wide::Term(overflow));
        }
        Ok(())
    }

    /// Operands that are numbers of up to two words.
    fn plain_operands(&self, state: &State, args: &[Vec<Src>]) -> Option<Operands<u128>> {
        let mut words = [0; 3];
        for (word, arg) in words.iter_mut().zip(args) {
            *word = self.plain(state, arg)?;
        }
        Some(words)
    }

    /// Which lane of so many an index means. All that mean none are one path: what comes of them is poison.
    fn lane_index(
        &self,
        terms: &mut Terms,
        state: &mut State,
        index: Src,
        lanes: usize,
    ) -> Result<u64, Halt> {
        let term = match self.source(state, index) {
            Value::Concrete(index) => return Ok(index),
            Value::Symbolic(term) => self.widen(terms, term, 64),
        };
        let mut conditions = Vec::with_capacity(lanes + 1);
        for lane in 0..lanes as u64 {
            let lane = terms.bv(64, lane);
            conditions.push(terms.eq(term, lane));
        }
        let count = terms.bv(64, lanes as u64);
        conditions.push(terms.bv_ule(count, term));
        let chosen = self.choose(terms, state, conditions)? as u64;
        Ok(if chosen < lanes as u64 {
            chosen
        } else {
            u64::MAX
        })
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
