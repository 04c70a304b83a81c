//! Symbolic addresses: which object they point into, and where in it.
//!
//! Where the structure of an address shows that it is one of few places, no array is needed: what is loaded is chosen
//! among their contents, what is stored is stored at each, under its condition. A *pointer* that is loaded from one of
//! several places, and is one of few, has a path for each of them: whatever is done with it would have to choose again
//! and again.

use refrain_machine::Ask;
use refrain_term::{Term, Terms};

use super::{Halt, Machine, State};
use crate::memory::{Fault, Kind, ObjectInfo, Value};

/// An address of more possible places is not looked at one by one.
const FEW_PLACES: usize = 16;

/// What an address points to: an object, or the slot where there is none; and whether the access is within.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Target {
    at: u64,
    is_hit: bool,
}

/// A place that an access may be to, and the condition under which it is.
type Place = (u64, Term);

impl Machine {
    /// Loads from a symbolic address.
    pub(super) fn read_at_symbolic(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Term,
        bytes: u32,
    ) -> Result<Value, Halt> {
        let address = self.address_on_inputs(terms, state, address)?;
        let (base, offset) = self.resolve(terms, state, address, u64::from(bytes), false)?;
        if let Some(offset) = terms.small_value(offset) {
            let address = Value::Concrete(base.wrapping_add(offset));
            return self.read(terms, state, address, bytes);
        }
        let alternatives = self
            .few_places(terms, state, base, address, bytes)
            .and_then(|places| self.contents(terms, state, &places, bytes));
        let Some(alternatives) = alternatives else {
            let loaded = state.memory.load_at(terms, base, offset, bytes);
            return Ok(self.value_of(terms, loaded));
        };
        let mut others = None;
        for (value, condition) in alternatives.into_iter().rev() {
            let term = value.term(terms, bytes);
            others = Some(match others {
                Some(others) => terms.ite(condition, term, others),
                None => term,
            });
        }
        Ok(self.value_of(terms, others.expect("one place at least")))
    }

    /// Stores at a symbolic address a value of so many bytes.
    pub(super) fn write_at_symbolic(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Term,
        bytes: u32,
        value: Value,
    ) -> Result<(), Halt> {
        let address = self.address_on_inputs(terms, state, address)?;
        let (base, offset) = self.resolve(terms, state, address, u64::from(bytes), true)?;
        if let Some(offset) = terms.small_value(offset) {
            let address = Value::Concrete(base.wrapping_add(offset));
            return self.write(terms, state, address, bytes, value);
        }
        let places = self.few_places(terms, state, base, address, bytes);
        let is_written = |&(at, _): &Place| state.memory.load(terms, at, bytes).is_ok();
        let Some(places) = places.filter(|places| places.iter().all(is_written)) else {
            state.memory.store_at(terms, base, offset, bytes, value);
            return Ok(());
        };
        for (at, condition) in places {
            // Places may overlap: what is there now counts, under the other conditions.
            let before = state.memory.load(terms, at, bytes);
            let before =
                before.map_err(|fault| self.fault(state, fault, u64::from(bytes), true))?;
            let (new, old) = (value.term(terms, bytes), before.term(terms, bytes));
            let now = terms.ite(condition, new, old);
            let now = self.value_of(terms, now);
            self.write(terms, state, Value::Concrete(at), bytes, now)?;
        }
        Ok(())
    }

    /// A pointer that was loaded from one of several places: one of its possible values, if they are few.
    pub(super) fn one_pointer(
        &self,
        terms: &mut Terms,
        state: &mut State,
        pointer: Term,
    ) -> Result<Value, Halt> {
        let values = state.facts.possible_values(terms, pointer, FEW_PLACES);
        // To copy a pointer that nobody has written is no use of it.
        let values = values.filter(|_| !self.is_marked(terms, pointer));
        let Some(values) = values else {
            return Ok(Value::Symbolic(pointer));
        };
        let is = |&value| {
            let constant = terms.bv(terms.width(pointer), value);
            terms.eq(pointer, constant)
        };
        let conditions = values.iter().map(is).collect();
        self.note_layout();
        Ok(Value::Concrete(
            values[self.choose(terms, state, conditions)?],
        ))
    }

    /// The places within an object that an address may be of, if they are few. It is known to be within.
    fn few_places(
        &self,
        terms: &mut Terms,
        state: &State,
        base: u64,
        address: Term,
        bytes: u32,
    ) -> Option<Vec<Place>> {
        let mut values = state.facts.possible_values(terms, address, FEW_PLACES)?;
        let size = state.memory.object_at(base)?.size;
        let last = size.checked_sub(u64::from(bytes))?;
        values.retain(|value| value.wrapping_sub(base) <= last);
        let place = |value| {
            let constant = terms.bv(64, value);
            (value, terms.eq(address, constant))
        };
        Some(values.into_iter().map(place).collect::<Vec<_>>()).filter(|all| !all.is_empty())
    }

    /// What lies at places: each value once, with the condition under which it is loaded. None if something there
    /// cannot be told.
    fn contents(
        &self,
        terms: &mut Terms,
        state: &mut State,
        places: &[Place],
        bytes: u32,
    ) -> Option<Vec<(Value, Term)>> {
        let mut values: Vec<(Value, Term)> = Vec::new();
        for &(at, condition) in places {
            let value = state.memory.load(terms, at, bytes).ok()?;
            match values.iter_mut().find(|(other, _)| *other == value) {
                Some((_, any)) => *any = terms.or2(*any, condition),
                None => values.push((value, condition)),
            }
        }
        Some(values)
    }

    /// The same for an address of few values: a path for each object that they are in, and for each where they miss.
    fn resolve_few(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Term,
        values: Vec<u64>,
        bytes: u64,
        write: bool,
    ) -> Result<(u64, Term), Halt> {
        // Values side by side: in one object, or nowhere in the same slot.
        let mut groups: Vec<(Target, Vec<u64>)> = Vec::new();
        for value in values {
            let target = match state.memory.object_at(value) {
                Some(object) => Target {
                    at: object.base,
                    is_hit: is_usable(&object, write)
                        && object.size >= bytes
                        && value.wrapping_sub(object.base) <= object.size - bytes,
                },
                None => Target {
                    at: value >> SLOT_BITS << SLOT_BITS,
                    is_hit: false,
                },
            };
            match groups.iter_mut().find(|(other, _)| *other == target) {
                Some((_, values)) => values.push(value),
                None => groups.push((target, vec![value])),
            }
        }
        let mut conditions = Vec::with_capacity(groups.len());
        for (_, values) in &groups {
            let mut any = Term::FALSE;
            for &value in values {
                let constant = terms.bv(64, value);
                let is_this = terms.eq(address, constant);
                any = terms.or2(any, is_this);
            }
            conditions.push(any);
        }
        let chosen = match groups.len() {
            1 => 0,
            _ => self.choose(terms, state, conditions)?,
        };
        let (target, values) = &groups[chosen];
        if !target.is_hit {
            let missed = self.ask(terms, state, Ask::Witness(address))?;
            let fault = self.fault_at(terms, state, missed, bytes, write);
            return Err(self.fault(state, fault, bytes, write));
        }
        let offset = match values[..] {
            [value] => terms.bv(64, value - target.at),
            _ => {
                let base = terms.bv(64, target.at);
                terms.bv_sub(address, base)
            }
        };
        Ok((target.at, offset))
    }

    /// The object that a symbolic address points into, and where in it.
    ///
    /// A possible value of the address says which object to look at first. The path then splits in three: within that
    /// object, beside it (an error), and elsewhere, where the next possible value is looked at.
    pub(crate) fn resolve(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Term,
        bytes: u64,
        write: bool,
    ) -> Result<(u64, Term), Halt> {
        self.note_layout();
        let address = self.address_on_inputs(terms, state, address)?;
        if let Some(values) = state.facts.possible_values(terms, address, FEW_PLACES) {
            return self.resolve_few(terms, state, address, values, bytes, write);
        }
        let mut rounds = 0;
        loop {
            rounds += 1;
            if rounds > MOST_OBJECTS {
                return Err(self.unsupported(state, "an address that may point nearly anywhere"));
            }
            let witness = self.ask(terms, state, Ask::Witness(address))?;
            let Some(object) = state.memory.object_at(witness) else {
                // Nothing is there. Inputs that lead to this slot are in error; the others go on, but not for ever.
                let low = terms.bv(64, witness >> SLOT_BITS << SLOT_BITS);
                let distance = terms.bv_sub(address, low);
                let slot = terms.bv(64, 1 << SLOT_BITS);
                let is_here = terms.bv_ult(distance, slot);
                let is_here = self.outside_fixed(terms, state, address, is_here);
                if self.decide(terms, state, is_here)? {
                    let fault = self.fault_at(terms, state, witness, bytes, write);
                    return Err(self.fault(state, fault, bytes, write));
                }
                continue;
            };
            let base = terms.bv(64, object.base);
            let offset = terms.bv_sub(address, base);
            let within = if is_usable(&object, write) && object.size >= bytes {
                let last = terms.bv(64, object.size - bytes);
                terms.bv_ule(offset, last)
            } else {
                Term::FALSE
            };
            let is_fixed = state.memory.fixed().any(|(base, _)| base == object.base);
            let near = if is_fixed {
                // What is beside it belongs to others.
                let size = terms.bv(64, object.size);
                terms.bv_ult(offset, size)
            } else {
                // Its slots, which nothing else shares: from there it is missed.
                let first = object.base >> SLOT_BITS << SLOT_BITS;
                let slots = (object.base - first + object.size)
                    .div_ceil(1 << SLOT_BITS)
                    .max(1);
                let first_term = terms.bv(64, first);
                let from_first = terms.bv_sub(address, first_term);
                let end = terms.bv(64, slots << SLOT_BITS);
                let near = terms.bv_ult(from_first, end);
                self.outside_fixed(terms, state, address, near)
            };
            let not_within = terms.not(within);
            let beside = terms.and2(near, not_within);
            let elsewhere = terms.not(near);
            // Within implies near, so the three exclude one another.
            match self.choose(terms, state, vec![within, beside, elsewhere])? {
                0 => return Ok((object.base, offset)),
                1 => {
                    let missed = self.ask(terms, state, Ask::Witness(address))?;
                    let fault = self.fault_at(terms, state, missed, bytes, write);
                    return Err(self.fault(state, fault, bytes, write));
                }
                _ => {}
            }
        }
    }

    /// That a condition holds and an address lies in no object that the program has placed itself.
    fn outside_fixed(
        &self,
        terms: &mut Terms,
        state: &State,
        address: Term,
        condition: Term,
    ) -> Term {
        let mut outside = condition;
        for (base, size) in state.memory.fixed() {
            let (base, size) = (terms.bv(64, base), terms.bv(64, size));
            let offset = terms.bv_sub(address, base);
            let beyond = terms.bv_ule(size, offset);
            outside = terms.and2(outside, beyond);
        }
        outside
    }

    /// What is wrong with an access that is known to be wrong.
    fn fault_at(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: u64,
        bytes: u64,
        write: bool,
    ) -> Fault {
        let bytes = bytes.clamp(1, 8) as u32;
        let tried = if write {
            state
                .memory
                .fork()
                .store(terms, address, bytes, Value::Concrete(0))
        } else {
            state.memory.load(terms, address, bytes).map(|_| ())
        };
        match (tried, state.memory.object_at(address)) {
            (Err(fault), _) => fault,
            (Ok(()), Some(object)) => Fault::OutOfBounds {
                address,
                bytes: u64::from(bytes),
                object,
            },
            (Ok(()), None) => Fault::Null { address },
        }
    }
}

/// Whether an access within the object is none of an error.
fn is_usable(object: &ObjectInfo, write: bool) -> bool {
    object.freed.is_none() && !(write && object.read_only) && object.origin.kind != Kind::Function
}

/// After so many objects and empty places, an address that may still be elsewhere is given up.
const MOST_OBJECTS: u32 = 256;

/// The address space is cut into slots of this many bits, one object each (see `memory`).
const SLOT_BITS: u32 = 24;
