//! Memory accesses that the loop does not do itself: the first of a page, symbolic contents, symbolic addresses.

use refrain_machine::Ask;
use refrain_term::{Term, Terms};

use super::{Halt, Machine, State};
use crate::code::{Addressing, Encoding, Instr, Op};
use crate::memory::{Kind, Origin, Value};

/// What an access touches.
pub(super) struct Access {
    pub address: Value,
    pub bytes: u32,
    /// What is stored, if anything is.
    pub value: Option<Value>,
}

impl Machine {
    /// The second half of the instruction at hand.
    pub(super) fn more(&self, state: &State) -> Instr {
        let frame = state.top();
        let instrs = self
            .linked
            .code(frame.function)
            .map_or(&[][..], |code| &code.instrs);
        let at = frame.pc as usize + 1;
        instrs
            .get(at)
            .copied()
            .unwrap_or(Instr::new(Op::More, 0, 0, 0, 0))
    }

    /// What the access of an instruction is.
    fn access(&self, terms: &mut Terms, state: &State, i: Instr) -> Access {
        let in_b = || Some(state.get(i.b));
        let (bytes, addressing, offset, value) = match i.op.encoding() {
            Encoding::Load(bytes, addressing) => (bytes, addressing, i.signed(), None),
            Encoding::Store(bytes, Addressing::Offset) => {
                (bytes, Addressing::Offset, i.signed_dst(), in_b())
            }
            Encoding::Store(bytes, addressing) => (bytes, addressing, 0, Some(state.get(i.dst))),
            Encoding::StoreImmediate(bytes) => {
                let value = Value::Concrete(u64::from(i.b));
                (bytes, Addressing::Offset, i.signed_dst(), Some(value))
            }
            Encoding::StoreBytes => (u32::from(i.x), Addressing::Offset, i.signed_dst(), in_b()),
            // A load of an odd number of bits.
            _ => (self.more(state).a, Addressing::Offset, i.signed(), None),
        };
        let address = match addressing {
            Addressing::Offset => self.sum(terms, state.get(i.a), Value::Concrete(offset)),
            Addressing::Indexed => {
                let index = self.scaled(terms, state.get(i.b), u64::from(i.x));
                self.sum(terms, state.get(i.a), index)
            }
            Addressing::Absolute => Value::Concrete(i.wide()),
        };
        Access {
            address,
            bytes,
            value,
        }
    }

    pub(super) fn scaled(&self, terms: &mut Terms, value: Value, scale: u64) -> Value {
        match value {
            Value::Concrete(value) => Value::Concrete(value.wrapping_mul(scale)),
            Value::Symbolic(term) => {
                let wide = self.widen(terms, term, 64);
                let scale = terms.bv(64, scale);
                let product = terms.bv_mul(wide, scale);
                self.value_of(terms, product)
            }
        }
    }

    pub(crate) fn sum(&self, terms: &mut Terms, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Concrete(a), Value::Concrete(b)) => Value::Concrete(a.wrapping_add(b)),
            _ => {
                let (a, b) = (self.term(terms, a, 64), self.term(terms, b, 64));
                let sum = terms.bv_add(a, b);
                self.value_of(terms, sum)
            }
        }
    }

    pub(super) fn load(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let access = self.access(terms, state, i);
        let mut value = self.read(terms, state, access.address, access.bytes)?;
        if let (Value::Symbolic(_), Value::Symbolic(pointer)) = (access.address, value)
            && self.loads_pointer(state)
        {
            value = self.one_pointer(terms, state, pointer)?;
        }
        let mut length = 1;
        if i.op == Op::LoadN {
            value = self.cut(terms, value, u32::from(i.x));
            length = 2;
        }
        self.done(terms, state, i.dst, value, length)
    }

    pub(super) fn store(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let access = self.access(terms, state, i);
        let value = access.value.unwrap_or(Value::Concrete(0));
        self.write(terms, state, access.address, access.bytes, value)?;
        state.top_mut().pc += 1;
        Ok(())
    }

    /// Whether the instruction at hand loads a pointer.
    fn loads_pointer(&self, state: &State) -> bool {
        let frame = state.top();
        let code = self.linked.code(frame.function);
        code.is_ok_and(|code| code.pointers.binary_search(&frame.pc).is_ok())
    }

    /// Loads up to eight bytes from an address that may be symbolic.
    pub(crate) fn read(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Value,
        bytes: u32,
    ) -> Result<Value, Halt> {
        match address {
            Value::Concrete(address) => state
                .memory
                .load(terms, address, bytes)
                .map_err(|fault| self.fault(state, fault, u64::from(bytes), false)),
            Value::Symbolic(term) => {
                let address = self.widen(terms, term, 64);
                self.read_at_symbolic(terms, state, address, bytes)
            }
        }
    }

    pub(crate) fn write(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Value,
        bytes: u32,
        value: Value,
    ) -> Result<(), Halt> {
        // Memory takes terms of exactly the bytes stored.
        let value = match value {
            Value::Concrete(_) => value,
            Value::Symbolic(_) => {
                let term = self.term(terms, value, 8 * bytes);
                self.value_of(terms, term)
            }
        };
        match address {
            Value::Concrete(address) => state
                .memory
                .store(terms, address, bytes, value)
                .map_err(|fault| self.fault(state, fault, u64::from(bytes), true)),
            Value::Symbolic(term) => {
                let address = self.widen(terms, term, 64);
                self.write_at_symbolic(terms, state, address, bytes, value)
            }
        }
    }

    // Objects of the stack.

    pub(super) fn alloca(&mut self, state: &mut State, i: Instr) -> Result<(), Halt> {
        if i.wide() >= 1 << 30 {
            return Err(self.error(state, super::ErrorKind::StackOverflow, ""));
        }
        self.new_stack_object(state, i, i.wide())?;
        state.top_mut().pc += 1;
        Ok(())
    }

    pub(super) fn alloca_many(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        const MOST_BYTES: u64 = (1 << 30) - 1;
        let size = self.more(state).a;
        let Value::Concrete(size) = state.get(size) else {
            return Err(self.unsupported(state, "a variable of symbolic size"));
        };
        let most = MOST_BYTES.checked_div(size).unwrap_or(u64::MAX);
        let Some(count) = self.size(terms, state, state.get(i.a), most)? else {
            return Err(self.error(state, super::ErrorKind::StackOverflow, ""));
        };
        self.new_stack_object(state, i, size * count)?;
        state.top_mut().pc += 2;
        Ok(())
    }

    fn new_stack_object(&self, state: &mut State, i: Instr, size: u64) -> Result<(), Halt> {
        let site = state.site();
        let names = self
            .linked
            .code(site.function)
            .map_or(&[][..], |code| &code.names);
        let name = names
            .binary_search_by_key(&site.pc, |&(pc, _)| pc)
            .map_or(0, |index| names[index].1);
        let origin = Origin {
            kind: Kind::Stack,
            name,
            site,
        };
        match state.memory.allocate(size, 1 << i.x, origin) {
            Some(address) => {
                state.objects.push(address);
                state.set(i.dst, Value::Concrete(address));
                Ok(())
            }
            None => Err(self.error(state, super::ErrorKind::StackOverflow, "")),
        }
    }

    /// A number in place of a size, or none if it is larger than it may be, which is one path for all such sizes. Of
    /// others, a few are gone on with.
    pub(crate) fn size(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
        most: u64,
    ) -> Result<Option<u64>, Halt> {
        let term = match value {
            Value::Concrete(size) => return Ok(Some(size).filter(|&size| size <= most)),
            Value::Symbolic(term) => self.widen(terms, term, 64),
        };
        let most = terms.bv(64, most);
        let fits = terms.bv_ule(term, most);
        match self.decide(terms, state, fits)? {
            true => self.one_of_few(terms, state, term).map(Some),
            false => Ok(None),
        }
    }

    /// One value of a term: each if it has few. Of many, some that stand for all.
    pub(crate) fn one_of_few(
        &self,
        terms: &mut Terms,
        state: &mut State,
        term: Term,
    ) -> Result<u64, Halt> {
        if let Some(value) = state.facts.value(terms, term) {
            return Ok(value);
        }
        for _ in 0..FEW {
            let value = self.ask(terms, state, Ask::Witness(term))?;
            let constant = terms.bv(terms.width(term), value);
            let is_this = terms.eq(term, constant);
            if self.decide(terms, state, is_this)? {
                return Ok(value);
            }
        }
        self.ask(terms, state, Ask::Sample(term))
    }

    /// A number in place of a value: inputs that give it another one go elsewhere.
    pub(crate) fn fixed(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
    ) -> Result<u64, Halt> {
        self.fixed_bits(terms, state, value, 64)
    }

    /// The same of so many bits: few make no address.
    pub(crate) fn fixed_bits(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
        bits: u32,
    ) -> Result<u64, Halt> {
        match value {
            Value::Concrete(value) => Ok(value),
            Value::Symbolic(term) => {
                if bits > 32 {
                    self.note_layout();
                }
                self.ask(terms, state, Ask::Fix(term))
            }
        }
    }
}

/// So many values of a term have a path each before others stand for all.
const FEW: u32 = 8;
