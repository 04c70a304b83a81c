//! Instructions of the main loop on operands of which some are terms.

use std::time::Instant;

use refrain_term::{Term, Terms};

use super::{Halt, Machine, State};
use crate::code::{
    Edge, Encoding, Fields, Instr, NEVER_FELL_THROUGH, NEVER_TAKEN, Width, has_no_width,
};
use crate::memory::Value;
use crate::ops::{ArithmeticError, Cast, IntOp, Operands};

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
        match i.op.encoding() {
            Encoding::Int(op, width, fields) => {
                let args = self.operands(terms, state, i, op, width, fields);
                let term = self.checked_term(terms, state, op, args)?;
                let value = self.value_of(terms, term);
                let length = if i.op.is_double() { 2 } else { 1 };
                self.done(terms, state, i.dst, value, length)
            }
            Encoding::Overflowing(op, overflow) => {
                let args = self.operands(terms, state, i, op, Width::X, Fields::Two);
                let (value, overflow) = (op.term(terms, args), overflow.term(terms, args));
                let (value, overflow) =
                    (self.value_of(terms, value), self.value_of(terms, overflow));
                state.set(i.dst + 1, overflow);
                self.done(terms, state, i.dst, value, 1)
            }
            Encoding::Branch(op, width, fields) => {
                let args = self.operands(terms, state, i, op, width, fields);
                let condition = self.checked_term(terms, state, op, args)?;
                self.branch(terms, state, i, condition)
            }
            Encoding::BranchIf(wanted) => {
                let mut condition = self.condition(terms, state.get(i.a));
                if !wanted {
                    condition = terms.not(condition);
                }
                self.branch(terms, state, i, condition)
            }
            Encoding::Select => {
                let condition = self.condition(terms, state.get(i.a));
                let (then, other) = (state.get(i.b), state.get(self.more(state).a));
                let value = self.choice(terms, condition, then, other);
                self.done(terms, state, i.dst, value, 2)
            }
            Encoding::Switch => self.switch(terms, state, i),
            Encoding::Truncate => {
                let value = self.cut(terms, state.get(i.a), u32::from(i.x));
                self.done(terms, state, i.dst, value, 1)
            }
            Encoding::SignExtend(to) => {
                let a = self.term(terms, state.get(i.a), u32::from(i.x));
                let extended = Cast::SignExtend.term(terms, a, to.of(i));
                let value = self.value_of(terms, extended);
                self.done(terms, state, i.dst, value, 1)
            }
            Encoding::Lea => {
                let index = self.scaled(terms, state.get(i.b), u64::from(i.x));
                let value = self.sum(terms, state.get(i.a), index);
                self.done(terms, state, i.dst, value, 1)
            }
            Encoding::Load(..) | Encoding::LoadBits => self.load(terms, state, i),
            Encoding::Store(..) | Encoding::StoreImmediate(_) | Encoding::StoreBytes => {
                self.store(terms, state, i)
            }
            encoding => {
                if self.on_uninitialised_float(terms, state, i, encoding)? {
                    return Ok(());
                }
                match self.float_on_terms(terms, state, i, encoding) {
                    Some(term) => {
                        let value = self.value_of(terms, term);
                        self.done(terms, state, i.dst, value, 1)
                    }
                    None => Err(self.unsupported(state, format!("{:?} on symbolic input", i.op))),
                }
            }
        }
    }

    /// The operands of an operation as terms of one width.
    fn operands(
        &self,
        terms: &mut Terms,
        state: &State,
        i: Instr,
        op: IntOp,
        width: Width,
        fields: Fields,
    ) -> Operands<Term> {
        let a = state.get(i.a);
        let b = match fields {
            Fields::One => a,
            Fields::Two | Fields::Three => state.get(i.b),
            Fields::Signed => Value::Concrete(i.signed()),
            Fields::Unsigned => Value::Concrete(u64::from(i.b)),
        };
        let width = if has_no_width(op, width) {
            self.common_width(terms, a, b)
        } else {
            width.of(i)
        };
        let (a, b) = (self.term(terms, a, width), self.term(terms, b, width));
        let c = match fields {
            Fields::Three => self.term(terms, state.get(self.more(state).a), width),
            _ => b,
        };
        [a, b, c]
    }

    /// The fewest bits that both values fit into.
    fn common_width(&self, terms: &Terms, a: Value, b: Value) -> u32 {
        let needed = |value: Value| match value {
            Value::Concrete(value) => 64 - value.leading_zeros(),
            Value::Symbolic(term) => terms.sort(term).width().unwrap_or(1),
        };
        needed(a).max(needed(b)).max(1)
    }

    /// The term of an operation, which is no error on the path from here on.
    pub(super) fn checked_term(
        &self,
        terms: &mut Terms,
        state: &mut State,
        op: IntOp,
        args: Operands<Term>,
    ) -> Result<Term, Halt> {
        for &(condition, error) in op.errors() {
            let mut condition = condition.term(terms, args);
            if error != ArithmeticError::DivisionByZero {
                condition = self.surely(terms, condition);
            }
            if self.decide(terms, state, condition)? {
                return Err(self.arithmetic_error(state, error));
            }
        }
        Ok(op.term(terms, args))
    }

    /// Assigns the result of an instruction to its register, and goes on.
    pub(super) fn done(
        &self,
        terms: &mut Terms,
        state: &mut State,
        dst: u32,
        value: Value,
        length: u32,
    ) -> Result<(), Halt> {
        if let Value::Symbolic(term) = value {
            terms.note_assigned(term);
        }
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
        self.follow(state, i, taken)
    }

    /// Follows a branch or jump, taken or not. An edge that is new is covered.
    #[inline(never)]
    pub(super) fn follow(&mut self, state: &mut State, i: Instr, taken: bool) -> Result<(), Halt> {
        state.instructions += u64::from(i.x);
        let frame = state.top_mut();
        let (new, way) = if taken {
            (NEVER_TAKEN, Edge::TAKEN)
        } else {
            (NEVER_FELL_THROUGH, Edge::NOT_TAKEN)
        };
        if i.dst & new != 0 {
            self.covered
                .went(&self.linked, frame.function, frame.pc, way);
        }
        if self.loops.is_counting {
            self.note_edge(state, way);
        }
        let frame = state.top_mut();
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
        if self.loops.is_counting {
            self.note_edge(state, target);
        }
        state.top_mut().pc = target;
        Ok(())
    }

    /// One of two values.
    fn choice(&self, terms: &mut Terms, condition: Term, then: Value, other: Value) -> Value {
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
        let chosen = self.choose(terms, state, conditions)?;
        let target = targets.get(chosen).copied().unwrap_or(table.default);
        self.switch_to(state, i, target)
    }
}
