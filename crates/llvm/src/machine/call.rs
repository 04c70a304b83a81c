//! Entering and leaving functions.

use refrain_machine::{Ask, ExitStatus};
use refrain_term::{Term, Terms};

use super::state::CONCRETE;
use super::{End, ErrorKind, Frame, Halt, Jump, Machine, State, Then};
use crate::code::{Arg, ArgClass, CallSite, Code, Format, Instr, NEVER_TAKEN, Src, mask};
use crate::load::{FunctionKind, Linked};
use crate::memory::{Kind, Origin, Value};
use crate::native::{Call, Flow, failing};

/// Frames and registers beyond which a stack has overflowed: a native one of eight megabytes would have, too.
const MOST_FRAMES: usize = 150_000;
const MOST_REGISTERS: usize = 1 << 23;

impl Machine {
    /// Calls a function of the program or its library.
    pub(super) fn call(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        if state.world.stands_for.is_some() {
            return self.call_another(terms, state, i);
        }
        self.call_code(terms, state, i)
    }

    /// Calls a function of the machine's own.
    pub(super) fn call_native(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        if state.world.stands_for.is_some() {
            return self.call_another(terms, state, i);
        }
        self.call_own(terms, state, i)
    }

    /// Calls what the program has put in the place of a function, or the function.
    #[cold]
    fn call_another(&mut self, terms: &mut Terms, state: &mut State, i: Instr) -> Result<(), Halt> {
        let stands_for = state.world.stands_for.as_ref();
        let a = stands_for.and_then(|other| other.get(&i.a).copied());
        let a = a.unwrap_or(i.a);
        let known = Instr { a, ..i };
        match self.linked.functions[a as usize].kind {
            FunctionKind::Code => self.call_code(terms, state, known),
            _ => self.call_own(terms, state, known),
        }
    }

    fn call_code(&mut self, terms: &mut Terms, state: &mut State, i: Instr) -> Result<(), Halt> {
        let linked = self.linked.clone();
        let code = self.code_to_enter(&linked, state, i.a)?;
        let own = self.code_to_enter(&linked, state, state.top().function)?;
        self.enter_site(terms, state, i, code, own)
    }

    fn code_to_enter<'l>(
        &self,
        linked: &'l Linked,
        state: &State,
        function: u32,
    ) -> Result<&'l Code, Halt> {
        match linked.code(function) {
            Ok(code) => Ok(code),
            Err(what) => Err(self.unsupported(state, what.to_string())),
        }
    }

    /// Pushes a frame for a call that code makes: `i` of `own`.
    fn enter_site(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
        code: &Code,
        own: &Code,
    ) -> Result<(), Halt> {
        let site = &own.calls[i.b as usize];
        self.fix_by_value(terms, state, site)?;
        let caller = state.top();
        let base = caller.base + own.slots;
        let (from, symbolic) = (caller.base as usize, caller.symbolic);
        self.check_depth(state, base as usize + code.slots as usize)?;
        let objects = state.objects.len() as u32;
        let end = base as usize + code.slots as usize;
        state.registers.resize(end, 0);
        let mut frame = Frame {
            function: i.a,
            pc: 0,
            base,
            dst: i.dst,
            results: site.results,
            result_bits: site.result_bits(),
            objects,
            symbolic: false,
            then: Then::Continue,
            variadic: 0,
        };
        let mut at = base as usize;
        let params = base as usize + code.params as usize;
        let mut has_terms = false;
        let mut special = false;
        let mut narrows = false;
        for arg in &site.args {
            special |= matches!(arg.class, ArgClass::ByValue { .. });
            if let ArgClass::Int(bits) = arg.class
                && let Some(&taken) = code.param_bits.get(at - base as usize)
            {
                narrows |= bits > taken;
            }
            for &word in &arg.words {
                if at >= params {
                    break;
                }
                state.registers[at] = match word {
                    Src::Const(value) => value,
                    Src::Reg(register) => {
                        let register = from + register as usize;
                        has_terms |= symbolic && state.terms[register] != CONCRETE;
                        state.registers[register]
                    }
                };
                at += 1;
            }
        }
        if has_terms {
            frame.symbolic = true;
            state.terms.resize(end, CONCRETE);
            state.terms[base as usize..end].fill(CONCRETE);
            let words = site
                .args
                .iter()
                .flat_map(|arg| &arg.words)
                .take(code.params as usize);
            for (index, &word) in words.enumerate() {
                if let Src::Reg(register) = word {
                    state.terms[base as usize + index] = state.terms[from + register as usize];
                }
            }
        }
        if narrows {
            self.narrow_arguments(terms, state, code, base as usize, has_terms);
        }
        if special {
            self.copy_by_value(terms, state, site, base, code.params)?;
        }
        let named = code.named as usize;
        if code.variadic && site.args.len() > named {
            frame.variadic = self.variadic_area(terms, state, &site.args[named..])?;
        }
        self.covered.trace_call(&self.linked, frame.function);
        state.frames.push(frame);
        Ok(())
    }

    /// A callee of another type takes the low bits of what it is given.
    fn narrow_arguments(
        &self,
        terms: &mut Terms,
        state: &mut State,
        code: &Code,
        base: usize,
        has_terms: bool,
    ) {
        for (at, &bits) in (base..).zip(&code.param_bits) {
            state.registers[at] &= mask(bits);
            if has_terms && state.terms[at] != CONCRETE {
                match self.cut(terms, Value::Symbolic(state.terms[at]), bits) {
                    Value::Symbolic(term) => state.terms[at] = term,
                    Value::Concrete(value) => {
                        state.terms[at] = CONCRETE;
                        state.registers[at] = value;
                    }
                }
            }
        }
    }

    /// Addresses of what is passed by value are numbers before anything is copied: asked first, in order.
    fn fix_by_value(
        &self,
        terms: &mut Terms,
        state: &mut State,
        site: &CallSite,
    ) -> Result<(), Halt> {
        let mut fixed = Vec::new();
        for arg in &site.args {
            if let (ArgClass::ByValue { .. }, Some(&Src::Reg(register))) =
                (arg.class, arg.words.first())
                && let Value::Symbolic(term) = state.get(register)
            {
                self.note_layout();
                fixed.push((register, self.ask(terms, state, Ask::Fix(term))?));
            }
        }
        for (register, address) in fixed {
            state.set(register, Value::Concrete(address));
        }
        Ok(())
    }

    fn check_depth(&self, state: &State, registers: usize) -> Result<(), Halt> {
        if state.frames.len() >= MOST_FRAMES || registers > MOST_REGISTERS {
            return Err(self.error(state, ErrorKind::StackOverflow, ""));
        }
        Ok(())
    }

    /// Gives the callee its own copies of what is passed by value.
    fn copy_by_value(
        &self,
        terms: &mut Terms,
        state: &mut State,
        site: &CallSite,
        base: u32,
        params: u32,
    ) -> Result<(), Halt> {
        let mut at = 0;
        for arg in &site.args {
            if let ArgClass::ByValue { size, align } = arg.class
                && at < params
            {
                let from = state.registers[(base + at) as usize];
                let to = self.new_area(state, size, align)?;
                state
                    .memory
                    .copy(terms, to, from, size)
                    .map_err(|fault| self.fault(state, fault, size, false))?;
                state.registers[(base + at) as usize] = to;
            }
            at += arg.words.len() as u32;
        }
        Ok(())
    }

    fn new_area(&self, state: &mut State, size: u64, align: u64) -> Result<u64, Halt> {
        let origin = Origin {
            kind: Kind::Stack,
            name: 0,
            site: state.site(),
        };
        match state.memory.allocate(size, align, origin) {
            Some(address) => {
                state.objects.push(address);
                Ok(address)
            }
            None => Err(self.error(state, ErrorKind::StackOverflow, "")),
        }
    }

    /// Lays variadic arguments out one after the other, as on a stack.
    pub(crate) fn variadic_area(
        &self,
        terms: &mut Terms,
        state: &mut State,
        args: &[Arg],
    ) -> Result<u64, Halt> {
        let mut places = Vec::new();
        let mut end = 0u64;
        for arg in args {
            let (size, align) = match arg.class {
                ArgClass::Int(bits) => (
                    u64::from(bits.div_ceil(64)) * 8,
                    if bits > 64 { 16 } else { 8 },
                ),
                ArgClass::Float(Format::X87 | Format::Quad) => (16, 16),
                ArgClass::Float(_) => (8, 8),
                ArgClass::ByValue { size, align } => (size.next_multiple_of(8), align.max(8)),
                ArgClass::Aggregate { size } => (size.next_multiple_of(8), 8),
            };
            let at = end.next_multiple_of(align);
            places.push(at);
            end = at + size;
        }
        let area = self.new_area(state, end, 16)?;
        for (arg, at) in args.iter().zip(places) {
            if let ArgClass::ByValue { size, .. } = arg.class {
                let Value::Concrete(from) = self.source(state, arg.words[0]) else {
                    return Err(self
                        .unsupported(state, "a structure passed by value at a symbolic address"));
                };
                state
                    .memory
                    .copy(terms, area + at, from, size)
                    .map_err(|fault| self.fault(state, fault, size, false))?;
                continue;
            }
            for (index, &word) in arg.words.iter().enumerate() {
                let value = self.source(state, word);
                let (offset, bytes) = arg
                    .layout
                    .get(index)
                    .copied()
                    .unwrap_or((8 * index as u64, 8));
                self.write(
                    terms,
                    state,
                    Value::Concrete(area + at + offset),
                    bytes,
                    value,
                )?;
            }
        }
        Ok(area)
    }

    /// Calls a function from the machine, with plain values.
    pub(crate) fn enter(
        &mut self,
        state: &mut State,
        function: u32,
        args: &[Value],
        dst: u32,
        then: Then,
    ) -> Result<(), Halt> {
        let linked = self.linked.clone();
        let code = self.code_to_enter(&linked, state, function)?;
        let base = match state.frames.last() {
            Some(frame) => {
                let slots = self
                    .linked
                    .code(frame.function)
                    .map_or(0, |code| code.slots);
                frame.base + slots
            }
            None => 0,
        };
        let end = base as usize + code.slots as usize;
        self.check_depth(state, end)?;
        state.registers.resize(end, 0);
        self.covered.trace_call(&self.linked, function);
        state.frames.push(Frame {
            function,
            pc: 0,
            base,
            dst,
            results: 0,
            result_bits: 64,
            objects: state.objects.len() as u32,
            symbolic: false,
            then,
            variadic: 0,
        });
        for (index, &arg) in args.iter().take(code.params as usize).enumerate() {
            state.set(index as u32, arg);
        }
        Ok(())
    }

    /// The address of a function that a symbolic pointer may point to. What points to none is one path.
    fn function_address(
        &self,
        terms: &mut Terms,
        state: &mut State,
        pointer: Term,
    ) -> Result<u64, Halt> {
        self.note_layout();
        let pointer = self.widen(terms, pointer, 64);
        let (first, stride, count) = state.memory.function_addresses();
        let (first, size) = (terms.bv(64, first), terms.bv(64, stride * count));
        let offset = terms.bv_sub(pointer, first);
        let within = terms.bv_ult(offset, size);
        let low = terms.extract(pointer, stride.trailing_zeros() - 1, 0);
        let zero = terms.bv(stride.trailing_zeros(), 0);
        let is_start = terms.eq(low, zero);
        let is_function = terms.and2(within, is_start);
        let null = terms.bv(64, 0);
        let is_null = terms.eq(pointer, null);
        let is_neither = {
            let either = terms.or2(is_function, is_null);
            terms.not(either)
        };
        match self.choose(terms, state, vec![is_function, is_null, is_neither])? {
            0 => self.one_of_few(terms, state, pointer),
            1 => Ok(0),
            _ => self.ask(terms, state, Ask::Witness(pointer)),
        }
    }

    pub(super) fn call_indirect(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let address = match state.get(i.a) {
            Value::Concrete(address) => address,
            Value::Symbolic(term) => self.function_address(terms, state, term)?,
        };
        let Some(function) = state.memory.function_at(address) else {
            if address == 0 {
                return Err(self.error(state, ErrorKind::NullCall, ""));
            }
            return Err(self.error(
                state,
                ErrorKind::BadCall,
                format!("at {address:#x} there is none"),
            ));
        };
        match self.linked.functions[function as usize].kind {
            FunctionKind::Code => {
                let known = Instr { a: function, ..i };
                self.call(terms, state, known)
            }
            _ => {
                let known = Instr { a: function, ..i };
                self.call_native(terms, state, known)
            }
        }
    }

    fn call_own(&mut self, terms: &mut Terms, state: &mut State, i: Instr) -> Result<(), Halt> {
        let linked = self.linked.clone();
        let entry = &linked.functions[i.a as usize];
        let FunctionKind::Native(native) = entry.kind else {
            return Err(self.missing_function(state, &entry.name));
        };
        let Ok(own) = linked.code(state.top().function) else {
            return Err(self.unsupported(state, "a function that cannot be lowered"));
        };
        let site = &own.calls[i.b as usize];
        let may_fail = state.world.failures_left > 0;
        let mut call = Call {
            machine: self,
            terms,
            state,
            site,
            dst: i.dst,
            name: &entry.name,
        };
        if !call.state.world.unsettled.is_empty() {
            call.settle_contents()?;
        }
        let flow = match may_fail {
            true => failing::call(native, &mut call)?,
            false => native(&mut call)?,
        };
        match flow {
            Flow::Return(values) => {
                let bits = site.result_bits();
                for index in 0..site.results {
                    let value = values
                        .get(index as usize)
                        .copied()
                        .unwrap_or(Value::Concrete(0));
                    let value = if bits < 64 {
                        self.cut(terms, value, bits)
                    } else {
                        value
                    };
                    state.set(i.dst + index, value);
                }
                state.top_mut().pc += 1;
                Ok(())
            }
            Flow::Enter(function, args) => {
                self.enter(state, function, &args, i.dst, Then::Continue)?;
                let frame = state.top_mut();
                (frame.results, frame.result_bits) = (site.results, site.result_bits());
                Ok(())
            }
            Flow::Jumped => Ok(()),
        }
    }

    /// Calls a function and gives its result to the instruction at hand as an answer, which is then repeated.
    pub(crate) fn ask_code(
        &mut self,
        state: &mut State,
        function: u32,
        args: &[Value],
    ) -> Result<Option<u64>, Halt> {
        if let Some(&answer) = state.answers.get(state.asked) {
            state.asked += 1;
            return Ok(Some(answer));
        }
        let answers = std::mem::take(&mut state.answers);
        self.enter(state, function, args, 0, Then::Answer(answers))?;
        Ok(None)
    }

    pub(super) fn ret(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let words = if i.op == crate::code::Op::Ret {
            u32::from(i.x)
        } else {
            0
        };
        let frame = state.frames.last().expect("a returning frame");
        if i.dst & NEVER_TAKEN != 0 {
            self.covered.returned(frame.function, frame.pc);
        }
        let (base, objects, dst) = (frame.base, frame.objects as usize, frame.dst);
        if state.objects.len() > objects {
            let site = state.site();
            for address in state.objects.drain(objects..) {
                state.memory.release(address, site);
            }
        }
        let Some(frame) = state.frames.pop() else {
            return Ok(());
        };
        self.covered.trace_return(&self.linked, state);
        match frame.then {
            Then::Continue => {
                let caller = state.frames.last().expect("a call has a caller");
                let to = (caller.base + dst) as usize;
                // A callee of another type may have more of them than there is room for.
                let words = words.min(frame.results);
                let bits = frame.result_bits;
                let from = (base + i.a) as usize;
                if frame.symbolic || caller.symbolic {
                    for word in 0..words as usize {
                        let term = if frame.symbolic {
                            state.terms[from + word]
                        } else {
                            CONCRETE
                        };
                        let value = if term == CONCRETE {
                            Value::Concrete(state.registers[from + word])
                        } else {
                            Value::Symbolic(term)
                        };
                        let value = self.cut(terms, value, bits);
                        self.set_in_caller(state, to + word, value, base as usize);
                    }
                } else {
                    for word in 0..words as usize {
                        state.registers[to + word] = state.registers[from + word] & mask(bits);
                    }
                }
                state.registers.truncate(base as usize);
                state.terms.truncate(base as usize);
                state.top_mut().pc += 1;
            }
            Then::Answer(mut answers) => {
                let result = state
                    .registers
                    .get((base + i.a) as usize)
                    .copied()
                    .unwrap_or(0);
                let is_term = frame.symbolic && state.terms[(base + i.a) as usize] != CONCRETE;
                if words > 0 && is_term {
                    return Err(
                        self.unsupported(state, "a symbolic answer to the machine's own question")
                    );
                }
                answers.push(if words > 0 { result } else { 0 });
                state.registers.truncate(base as usize);
                state.terms.truncate(base as usize);
                state.answers = answers;
                state.keep_answers = true;
            }
            Then::Start => {
                state.registers.clear();
                state.terms.clear();
                return self.start_next(state);
            }
            Then::Finish => return self.exit(state, Value::Concrete(0)),
            Then::Exit => {
                let at = (base + i.a) as usize;
                let status = match words {
                    0 => Value::Concrete(0),
                    _ if frame.symbolic && state.terms[at] != CONCRETE => {
                        Value::Symbolic(state.terms[at])
                    }
                    _ => Value::Concrete(state.registers[at]),
                };
                return self.exit(state, status);
            }
        }
        Ok(())
    }

    fn set_in_caller(&self, state: &mut State, at: usize, value: Value, end: usize) {
        let frame = state.frames.last_mut().expect("a call has a caller");
        match value {
            Value::Concrete(value) => {
                state.registers[at] = value;
                if frame.symbolic {
                    state.terms[at] = CONCRETE;
                }
            }
            Value::Symbolic(term) => {
                if !frame.symbolic {
                    frame.symbolic = true;
                    let base = frame.base as usize;
                    if state.terms.len() < end {
                        state.terms.resize(end, CONCRETE);
                    }
                    state.terms[base..end].fill(CONCRETE);
                }
                state.terms[at] = term;
                state.registers[at] = 0;
            }
        }
    }

    /// `main` has returned: the program's own `exit` runs, if it has one.
    fn exit(&mut self, state: &mut State, status: Value) -> Result<(), Halt> {
        state.registers.clear();
        state.terms.clear();
        match self.linked.find("exit") {
            Some(exit)
                if matches!(
                    self.linked.functions[exit as usize].kind,
                    FunctionKind::Code
                ) =>
            {
                self.enter(state, exit, &[status], 0, Then::Start)
            }
            _ => Err(Halt::End(exited(status))),
        }
    }

    /// Calls the next of the functions that run at start.
    pub(super) fn start_next(&mut self, state: &mut State) -> Result<(), Halt> {
        let Some((function, argument)) = state.start.pop() else {
            return Err(Halt::End(exited(Value::Concrete(0))));
        };
        let own = state.parameters.clone().filter(|_| state.start.is_empty());
        let args = match (argument, &own) {
            (Some(words), _) => words.into_iter().map(Value::Concrete).collect(),
            (None, Some(parameters)) => parameters.to_vec(),
            (None, None) => state.world.arguments.map(Value::Concrete).to_vec(),
        };
        let then = if own.is_some() {
            Then::Finish
        } else if state.start.is_empty() {
            Then::Exit
        } else {
            Then::Start
        };
        self.enter(state, function, &args, 0, then)
    }

    /// Leaves all frames above a depth.
    pub(crate) fn pop_to(&mut self, state: &mut State, depth: usize) {
        while state.frames.len() > depth {
            let site = state.site();
            let Some(frame) = state.frames.pop() else {
                break;
            };
            self.covered.abandon(site);
            for address in state
                .objects
                .drain((frame.objects as usize).min(state.objects.len())..)
            {
                state.memory.release(address, site);
            }
            state.registers.truncate(frame.base as usize);
            state.terms.truncate(frame.base as usize);
        }
    }

    pub(crate) fn long_jump(
        &mut self,
        state: &mut State,
        jump: &Jump,
        value: Value,
    ) -> Result<(), Halt> {
        let depth = jump.depth as usize;
        let is_alive = state
            .frames
            .get(depth.wrapping_sub(1))
            .is_some_and(|frame| frame.function == jump.function);
        if !is_alive {
            return Err(self.error(
                state,
                ErrorKind::BadJump,
                "longjmp into a function that has returned",
            ));
        }
        self.pop_to(state, depth);
        self.covered.abandon(state.site());
        // A loop may have no other jump.
        state.instructions += 1;
        state.set(jump.dst, value);
        state.top_mut().pc = jump.pc + 1;
        self.covered.trace_landing(&self.linked, state);
        Ok(())
    }
}

/// The end of a program with a status.
pub(crate) fn exited(status: Value) -> End {
    End::Exit(match status {
        Value::Concrete(status) => ExitStatus::Known((status & 0xff) as i32),
        Value::Symbolic(status) => ExitStatus::Symbolic(status),
    })
}
