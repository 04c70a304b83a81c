//! Instructions of the main loop on operands of which some are terms.

use std::time::Instant;

use refrain_term::{Term, Terms};

use super::bits::{self, Wide};
use super::{Halt, Machine, State};
use crate::code::{Edge, Instr, IntIntrinsic, NEVER_PASSED, NEVER_TAKEN, Op};
use crate::ir::BinaryOp;
use crate::memory::Value;

/// One in so many symbolic instructions is timed.
const TIMED: u32 = 64;

impl Machine {
    /// Does an instruction on terms. Some are timed, for all of them.
    pub(super) fn symbolic(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        self.symbolic_steps = self.symbolic_steps.wrapping_add(1);
        if !self.symbolic_steps.is_multiple_of(TIMED) {
            return self.on_terms(terms, state, i);
        }
        let started = Instant::now();
        let done = self.on_terms(terms, state, i);
        self.building += started.elapsed() * TIMED;
        done
    }

    fn on_terms(&mut self, terms: &mut Terms, state: &mut State, i: Instr) -> Result<(), Halt> {
        if let Some(binary) = i.binary() {
            let a = state.get(i.a);
            let b = binary
                .immediate
                .map_or_else(|| state.get(i.b), Value::Concrete);
            let width = binary.width.max(1);
            let (a, b) = (self.term(terms, a, width), self.term(terms, b, width));
            let term = self.guarded_binary(terms, state, binary.op, a, b)?;
            let value = self.value_of(terms, term);
            return self.done(state, i.dst, value, 1);
        }
        if let Some(compare) = i.compare() {
            let a = state.get(i.a);
            let b = compare
                .immediate
                .map_or_else(|| state.get(i.b), Value::Concrete);
            let width = self.compare_width(terms, compare.width, compare.predicate, a, b);
            let (a, b) = (self.term(terms, a, width), self.term(terms, b, width));
            let condition = bits::compare(terms, compare.predicate, a, b);
            if i.op.is_jump() {
                return self.branch(terms, state, i, condition);
            }
            let value = self.value_of(terms, condition);
            return self.done(state, i.dst, value, 1);
        }
        let x = u32::from(i.x);
        match i.op {
            Op::BrIf | Op::BrUnless => {
                let mut condition = self.condition(terms, state.get(i.a));
                if i.op == Op::BrUnless {
                    condition = terms.not(condition);
                }
                self.branch(terms, state, i, condition)
            }
            Op::Select => {
                let condition = self.condition(terms, state.get(i.a));
                let (then, other) = (state.get(i.b), state.get(self.more(state).a));
                let value = self.either(terms, condition, then, other);
                self.done(state, i.dst, value, 2)
            }
            Op::Switch => self.switch(terms, state, i),
            Op::Trunc => {
                let value = self.cut(terms, state.get(i.a), x);
                self.done(state, i.dst, value, 1)
            }
            Op::SExt32 | Op::SExt64 | Op::SExtN => {
                let to = match i.op {
                    Op::SExt32 => 32,
                    Op::SExt64 => 64,
                    _ => i.b,
                };
                let a = self.term(terms, state.get(i.a), x);
                let extended = terms.sign_extend(a, to - x);
                let value = self.value_of(terms, extended);
                self.done(state, i.dst, value, 1)
            }
            Op::Lea => {
                let a = self.term(terms, state.get(i.a), 64);
                let b = self.term(terms, state.get(i.b), 64);
                let scale = terms.bv(64, u64::from(i.x));
                let product = terms.bv_mul(b, scale);
                let sum = terms.bv_add(a, product);
                let value = self.value_of(terms, sum);
                self.done(state, i.dst, value, 1)
            }
            Op::FNeg32 | Op::FNeg64 => {
                let width = if i.op == Op::FNeg32 { 32 } else { 64 };
                let a = self.term(terms, state.get(i.a), width);
                let sign = terms.bv(width, 1 << (width - 1));
                let negated = terms.bv_xor(a, sign);
                let value = self.value_of(terms, negated);
                self.done(state, i.dst, value, 1)
            }
            _ if is_load(i.op) => self.load(terms, state, i),
            _ if is_store(i.op) => self.store(terms, state, i),
            _ => match integer_intrinsic(i.op) {
                Some((name, operands)) => {
                    self.symbolic_intrinsic(terms, state, i, name, operands, x)
                }
                None => Err(self.unsupported(
                    state,
                    format!("a float that depends on symbolic input ({:?})", i.op),
                )),
            },
        }
    }

    /// An operation of terms; one that divides makes sure first that it may.
    pub(super) fn guarded_binary(
        &self,
        terms: &mut Terms,
        state: &mut State,
        op: BinaryOp,
        a: Term,
        b: Term,
    ) -> Result<Term, Halt> {
        let width = terms.width(b);
        if matches!(
            op,
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem
        ) {
            let zero = terms.bv(width, 0);
            let by_zero = terms.eq(b, zero);
            if self.decide(terms, state, by_zero)? {
                return Err(self.division_by_zero(state));
            }
        }
        if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
            let overflow = terms.bv_sdivo(a, b);
            if self.decide(terms, state, overflow)? {
                return Err(self.division_overflow(state));
            }
        }
        Ok(bits::binary(terms, op, a, b))
    }

    /// Signed comparisons have a width; others are made as narrow as their operands.
    fn compare_width(
        &self,
        terms: &Terms,
        width: u32,
        predicate: crate::ir::ICmpPredicate,
        a: Value,
        b: Value,
    ) -> u32 {
        use crate::ir::ICmpPredicate::{Sge, Sgt, Sle, Slt};
        if matches!(predicate, Slt | Sle | Sgt | Sge) {
            return width;
        }
        let needed = |value: Value| match value {
            Value::Concrete(value) => 64 - value.leading_zeros(),
            Value::Symbolic(term) => terms.sort(term).width().unwrap_or(1),
        };
        needed(a).max(needed(b)).max(1)
    }

    fn done(&self, state: &mut State, dst: u32, value: Value, length: u32) -> Result<(), Halt> {
        state.set(dst, value);
        state.top_mut().pc += length;
        Ok(())
    }

    fn branch(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
        condition: Term,
    ) -> Result<(), Halt> {
        let taken = self.decide(terms, state, condition)?;
        self.go(state, i, taken)
    }

    /// Takes a branch or jump, or passes it by; perhaps for the first time.
    #[inline(never)]
    pub(super) fn go(&mut self, state: &mut State, i: Instr, taken: bool) -> Result<(), Halt> {
        state.instructions += u64::from(i.x);
        let frame = state.top_mut();
        let (new, way) = if taken {
            (NEVER_TAKEN, Edge::TAKEN)
        } else {
            (NEVER_PASSED, Edge::PASSED)
        };
        if i.dst & new != 0 {
            self.covered
                .went(&self.linked, frame.function, frame.pc, way);
        }
        frame.pc = if taken { i.target() } else { frame.pc + 1 };
        Ok(())
    }

    /// Goes where a switch leads to.
    #[inline(never)]
    pub(super) fn switch_to(
        &mut self,
        state: &mut State,
        i: Instr,
        target: u32,
    ) -> Result<(), Halt> {
        let function = state.top().function;
        let running = &self.covered.functions[function as usize];
        state.instructions += u64::from(running.tables[i.b as usize].count);
        let frame = state.top_mut();
        self.covered
            .went(&self.linked, frame.function, frame.pc, target);
        frame.pc = target;
        Ok(())
    }

    /// One of two values.
    pub(super) fn either(
        &self,
        terms: &mut Terms,
        condition: Term,
        then: Value,
        other: Value,
    ) -> Value {
        if then == other || condition == Term::TRUE {
            return then;
        }
        if condition == Term::FALSE {
            return other;
        }
        let width = |value: Value| match value {
            Value::Concrete(value) => (64 - value.leading_zeros()).max(1),
            Value::Symbolic(term) => terms.sort(term).width().unwrap_or(1),
        };
        // Values are their own zero extensions: the wider one's width is enough. Round numbers share terms.
        let wide = width(then).max(width(other));
        let wide = [1, 8, 16, 32, 64]
            .into_iter()
            .find(|&bits| bits >= wide)
            .unwrap_or(64);
        if wide == 1 {
            let (then, other) = (self.condition(terms, then), self.condition(terms, other));
            let term = terms.ite(condition, then, other);
            return self.value_of(terms, term);
        }
        let (then, other) = (self.term(terms, then, wide), self.term(terms, other, wide));
        let term = terms.ite(condition, then, other);
        self.value_of(terms, term)
    }

    fn switch(&mut self, terms: &mut Terms, state: &mut State, i: Instr) -> Result<(), Halt> {
        let linked = self.linked.clone();
        let Ok(code) = linked.code(state.top().function) else {
            return Err(self.unsupported(state, "a function that cannot be lowered"));
        };
        let table = &code.tables[i.b as usize];
        let value = self.term(terms, state.get(i.a), table.width);
        // One condition a target, however many values lead there.
        let targets = table.targets();
        let mut any: Vec<Vec<Term>> = vec![Vec::new(); targets.len() - 1];
        for &(case, target) in &table.cases {
            let place = targets.iter().position(|&known| known == target);
            if let Some(conditions) = place.and_then(|place| any.get_mut(place)) {
                let case = terms.bv(table.width, case);
                conditions.push(terms.eq(value, case));
            }
        }
        let mut conditions: Vec<Term> = any.iter().map(|any| terms.or(any)).collect();
        let taken = terms.or(&conditions);
        conditions.push(terms.not(taken));
        let chosen = self.choose(state, conditions)?;
        let target = targets.get(chosen).copied().unwrap_or(table.default);
        self.switch_to(state, i, target)
    }

    fn symbolic_intrinsic(
        &self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
        name: IntIntrinsic,
        operands: usize,
        width: u32,
    ) -> Result<(), Halt> {
        let mut args = vec![self.term(terms, state.get(i.a), width)];
        if operands > 1 {
            args.push(self.term(terms, state.get(i.b), width));
        }
        if operands > 2 {
            let third = self.more(state).a;
            args.push(self.term(terms, state.get(third), width));
        }
        let (value, overflow) = bits::intrinsic(terms, name, &args);
        let value = self.value_of(terms, value);
        state.set(i.dst, value);
        if let Some(overflow) = overflow {
            let overflow = self.value_of(terms, overflow);
            state.set(i.dst + 1, overflow);
        }
        state.top_mut().pc += if operands > 2 { 2 } else { 1 };
        Ok(())
    }

    /// Integers of any width: numbers where both are, else terms.
    pub(super) fn wide_binary(
        &self,
        terms: &mut Terms,
        state: &mut State,
        op: BinaryOp,
        a: &Wide,
        b: &Wide,
    ) -> Result<Wide, Halt> {
        // Terms fold where their operands are constants.
        let (a, b) = (self.wide_term(terms, a), self.wide_term(terms, b));
        Ok(Wide::Term(self.guarded_binary(terms, state, op, a, b)?))
    }
}

fn is_load(op: Op) -> bool {
    (Op::Load8 as u16..=Op::LoadN as u16).contains(&(op as u16))
}

fn is_store(op: Op) -> bool {
    (Op::Store8 as u16..=Op::StoreN as u16).contains(&(op as u16))
}

/// The intrinsic that an operation is, and how many operands it has.
fn integer_intrinsic(op: Op) -> Option<(IntIntrinsic, usize)> {
    use IntIntrinsic::*;
    Some(match op {
        Op::UMin => (UMin, 2),
        Op::UMax => (UMax, 2),
        Op::SMin => (SMin, 2),
        Op::SMax => (SMax, 2),
        Op::UAddSat => (UAddSat, 2),
        Op::USubSat => (USubSat, 2),
        Op::SAddSat => (SAddSat, 2),
        Op::SSubSat => (SSubSat, 2),
        Op::UAddO => (UAddO, 2),
        Op::USubO => (USubO, 2),
        Op::UMulO => (UMulO, 2),
        Op::SAddO => (SAddO, 2),
        Op::SSubO => (SSubO, 2),
        Op::SMulO => (SMulO, 2),
        Op::CtPop => (CtPop, 1),
        Op::Ctlz => (Ctlz, 1),
        Op::Cttz => (Cttz, 1),
        Op::BSwap => (BSwap, 1),
        Op::BitReverse => (BitReverse, 1),
        Op::Abs => (Abs, 1),
        Op::FShl => (FShl, 3),
        Op::FShr => (FShr, 3),
        _ => return None,
    })
}
