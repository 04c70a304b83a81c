//! `--check uninitialised`: uses of bytes that nothing has written.
//!
//! Memory gives such bytes as *markers*: symbols that stand for no input (`memory/marker`). Loads, stores, copies,
//! selects and arithmetic carry them along in terms, as any other symbol. Only a use is an error: a question to the
//! explorer (branches, addresses, sizes, what native code must know), output, and the exit status.
//!
//! A term that depends on markers is split in two at its use, by the rules of shadow memory (Seward and Nethercote,
//! "Using Valgrind to detect undefined value errors with bit-precision", 2005; MemorySanitizer): which of its bits
//! the markers decide, and its value where they decide nothing. Both are terms over inputs alone. So inputs for which
//! a used bit is undefined are one path, which ends in the error; on the other path the term is its value, and no
//! marker ever reaches a path condition.

mod rules;

use std::cell::RefCell;

use refrain_machine::Ask;
use refrain_term::{Epoch, Term, Terms};
use rustc_hash::FxHashMap;

use self::rules::{any, undefined, zeros};
use super::{Halt, Machine, State};
use crate::code::{Encoding, Instr, Op as Opcode, Slow, Src};
use crate::memory::{Value, marker_index};

/// What is known of the terms of one arena.
#[derive(Default)]
pub(super) struct Splits(RefCell<Known>);

#[derive(Default)]
struct Known {
    epoch: Option<Epoch>,
    /// By term: seen, and without a marker in it.
    plain: Vec<bool>,
    split: FxHashMap<Term, Split>,
}

/// A term that depends on markers.
#[derive(Clone, Copy)]
struct Split {
    /// The bits that markers decide: of the sort of the term; for a Bool, whether they decide it.
    undefined: Term,
    /// The term, with zero for every marker.
    value: Term,
}

impl Splits {
    /// What a term is made of, if a marker is part of it.
    fn of(&self, terms: &mut Terms, root: Term) -> Option<Split> {
        let known = &mut *self.0.borrow_mut();
        if known.epoch != Some(terms.epoch()) {
            *known = Known {
                epoch: Some(terms.epoch()),
                ..Known::default()
            };
        }
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if known.is_seen(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let args = terms.args(term).iter().copied();
            stack.extend(args.filter(|&arg| !known.is_seen(arg)));
            if stack.len() == before {
                stack.pop();
                known.see(terms, term);
            }
        }
        known.split.get(&root).copied()
    }

    /// A marker that is part of a term.
    fn first_marker(&self, terms: &Terms, term: Term) -> Marker {
        let known = self.0.borrow();
        let mut at = term;
        loop {
            if let Some(index) = marker_index(terms, at) {
                let bits = terms.sort(at).width().unwrap_or(8);
                return Marker { index, bits };
            }
            let mut args = terms.args(at).iter();
            let next = args.find(|arg| known.split.contains_key(arg));
            at = *next.expect("an operand has the marker");
        }
    }
}

struct Marker {
    index: usize,
    bits: u32,
}

impl Known {
    fn is_seen(&self, term: Term) -> bool {
        self.plain.get(term.index()) == Some(&true) || self.split.contains_key(&term)
    }

    fn see(&mut self, terms: &mut Terms, term: Term) {
        let is_marker = marker_index(terms, term).is_some();
        let args = terms.args(term).to_vec();
        if is_marker || args.iter().any(|arg| self.split.contains_key(arg)) {
            let args: Vec<Split> = args.iter().map(|&arg| self.part(terms, arg)).collect();
            let values: Vec<Term> = args.iter().map(|arg| arg.value).collect();
            let split = Split {
                undefined: undefined(terms, term, &args),
                value: match is_marker {
                    true => zeros(terms, term),
                    false => terms.rebuild(term, &values),
                },
            };
            self.split.insert(term, split);
            return;
        }
        if self.plain.len() <= term.index() {
            self.plain.resize(term.index() + 1, false);
        }
        self.plain[term.index()] = true;
    }

    fn part(&self, terms: &mut Terms, term: Term) -> Split {
        self.split.get(&term).copied().unwrap_or_else(|| Split {
            undefined: zeros(terms, term),
            value: term,
        })
    }
}

impl Machine {
    fn split(&self, terms: &mut Terms, term: Term) -> Option<Split> {
        match self.linked.options.check_uninitialised {
            true => self.splits.of(terms, term),
            false => None,
        }
    }

    /// Terms that are used, as terms over inputs: it is an error where uninitialised bytes decide one of them.
    fn used(
        &self,
        terms: &mut Terms,
        state: &mut State,
        used: &mut [Term],
        how: &str,
    ) -> Result<(), Halt> {
        if !self.linked.options.check_uninitialised {
            return Ok(());
        }
        let mut undefined = Term::FALSE;
        let mut blamed = None;
        for term in used {
            if let Some(split) = self.splits.of(terms, *term) {
                let some = any(terms, split.undefined);
                undefined = terms.or2(undefined, some);
                if some != Term::FALSE {
                    blamed.get_or_insert(*term);
                }
                *term = split.value;
            }
        }
        let Some(blamed) = blamed else {
            return Ok(());
        };
        match self.decide(terms, state, undefined)? {
            true => Err(self.uninitialised(terms, state, blamed, how)),
            false => Ok(()),
        }
    }

    /// A question over inputs alone.
    pub(super) fn about_inputs(
        &self,
        terms: &mut Terms,
        state: &mut State,
        ask: Ask,
    ) -> Result<Ask, Halt> {
        let mut one = |term: Term, how| -> Result<Term, Halt> {
            let mut used = [term];
            self.used(terms, state, &mut used, how)?;
            Ok(used[0])
        };
        Ok(match ask {
            Ask::Choose(mut conditions) => {
                self.used(terms, state, &mut conditions, BRANCH)?;
                Ask::Choose(conditions)
            }
            Ask::Assume(condition) => Ask::Assume(one(condition, BRANCH)?),
            Ask::Witness(term) => Ask::Witness(one(term, CALCULATED)?),
            Ask::Fix(term) => Ask::Fix(one(term, CALCULATED)?),
            Ask::Sample(term) => Ask::Sample(one(term, CALCULATED)?),
        })
    }

    /// An address over inputs alone.
    pub(super) fn address_on_inputs(
        &self,
        terms: &mut Terms,
        state: &mut State,
        address: Term,
    ) -> Result<Term, Halt> {
        let mut used = [address];
        self.used(terms, state, &mut used, CALCULATED)?;
        Ok(used[0])
    }

    /// Whether bytes that nothing has written are part of a term.
    pub(super) fn is_marked(&self, terms: &mut Terms, term: Term) -> bool {
        self.split(terms, term).is_some()
    }

    /// Conditions over inputs alone.
    pub(super) fn conditions_on_inputs(
        &self,
        terms: &mut Terms,
        state: &mut State,
        conditions: &mut [Term],
    ) -> Result<(), Halt> {
        self.used(terms, state, conditions, BRANCH)
    }

    /// What leaves the program.
    pub(crate) fn written_out(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
    ) -> Result<Value, Halt> {
        let Value::Symbolic(term) = value else {
            return Ok(value);
        };
        let mut used = [term];
        self.used(terms, state, &mut used, "the bytes are written out")?;
        Ok(self.value_of(terms, used[0]))
    }

    /// A value that a calculation depends on: it is an error where it is uninitialised.
    pub(crate) fn calculated_with(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
    ) -> Result<Value, Halt> {
        let Value::Symbolic(term) = value else {
            return Ok(value);
        };
        let mut used = [term];
        self.used(
            terms,
            state,
            &mut used,
            "a calculation depends on the bytes",
        )?;
        Ok(self.value_of(terms, used[0]))
    }

    /// A number for a calculation that terms do not have: inputs that give it another one go elsewhere.
    pub(crate) fn float_word(
        &self,
        terms: &mut Terms,
        state: &mut State,
        value: Value,
    ) -> Result<u64, Halt> {
        match self.calculated_with(terms, state, value)? {
            Value::Concrete(word) => Ok(word),
            symbolic => self.fixed_bits(terms, state, symbolic, 32),
        }
    }

    /// A condition as far as it is defined: where uninitialised bytes decide it, it does not hold.
    pub(super) fn surely(&self, terms: &mut Terms, condition: Term) -> Term {
        match self.split(terms, condition) {
            Some(split) => {
                let defined = terms.not(split.undefined);
                terms.and2(defined, split.value)
            }
            None => condition,
        }
    }

    fn uninitialised(&self, terms: &Terms, state: &State, term: Term, how: &str) -> Halt {
        let marker = self.splits.first_marker(terms, term);
        let place = state.memory.marked(marker.index);
        self.uninitialised_use(state, place, u64::from(marker.bits / 8), how)
    }

    /// A calculation with floats of the main loop. Whether something was done.
    pub(super) fn on_uninitialised_float(
        &self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
        encoding: Encoding,
    ) -> Result<bool, Halt> {
        let bits = match (encoding, i.op) {
            (Encoding::FloatCompare, _) => 1,
            (Encoding::FloatToInt, _) => u32::from(i.x),
            (Encoding::Float | Encoding::IntToFloat | Encoding::FloatToFloat, op) => match op {
                Opcode::FAdd32 | Opcode::FSub32 | Opcode::FMul32 | Opcode::FDiv32 => 32,
                Opcode::FRem32 | Opcode::SToF32 | Opcode::UToF32 | Opcode::F64ToF32 => 32,
                _ => 64,
            },
            _ => return Ok(false),
        };
        let operands = match encoding {
            Encoding::Float | Encoding::FloatCompare => vec![Src::Reg(i.a), Src::Reg(i.b)],
            _ => vec![Src::Reg(i.a)],
        };
        match self.float_result(terms, state, &operands, i.dst, bits)? {
            // With numbers in its registers the instruction is done by the main loop.
            Operand::Defined => Ok(true),
            Operand::Uninitialised => {
                state.top_mut().pc += 1;
                Ok(true)
            }
            Operand::Plain => Ok(false),
        }
    }

    /// Another calculation with floats. Whether it is done.
    pub(super) fn slow_uninitialised_float(
        &self,
        terms: &mut Terms,
        state: &mut State,
        slow: &Slow,
    ) -> Result<bool, Halt> {
        let (dst, bits, operands) = match slow {
            Slow::FloatBinary {
                format, dst, a, b, ..
            } => (*dst, format.bits(), [&a[..], b].concat()),
            Slow::FloatCompare { dst, a, b, .. } => (*dst, 1, [&a[..], b].concat()),
            Slow::FloatCast { to, dst, a, .. } => (*dst, to.bits(), a.clone()),
            Slow::FloatToInt { to, dst, a, .. } => (*dst, *to, a.clone()),
            Slow::IntToFloat { to, dst, a, .. } => (*dst, to.bits(), a.clone()),
            Slow::FloatMath {
                format, dst, args, ..
            } => (*dst, format.bits(), args.concat()),
            _ => return Ok(false),
        };
        let result = self.float_result(terms, state, &operands, dst, bits)?;
        Ok(result == Operand::Uninitialised)
    }

    /// What a calculation gives of which an operand is uninitialised: a marker of its own.
    fn float_result(
        &self,
        terms: &mut Terms,
        state: &mut State,
        operands: &[Src],
        dst: u32,
        bits: u32,
    ) -> Result<Operand, Halt> {
        let mut defined = Vec::new();
        for &operand in operands {
            if let Src::Reg(register) = operand
                && let Value::Symbolic(term) = state.get(register)
                && let Some(split) = self.split(terms, term)
            {
                let undefined = any(terms, split.undefined);
                if self.decide(terms, state, undefined)? {
                    let marker = self.splits.first_marker(terms, term);
                    for (word, low) in (0..bits).step_by(64).enumerate() {
                        let width = (bits - low).min(64);
                        let marker = state.memory.mark_again(terms, marker.index, width);
                        state.set(dst + word as u32, Value::Symbolic(marker));
                    }
                    return Ok(Operand::Uninitialised);
                }
                defined.push((register, self.value_of(terms, split.value)));
            }
        }
        if defined.is_empty() {
            return Ok(Operand::Plain);
        }
        for (register, value) in defined {
            state.set(register, value);
        }
        Ok(Operand::Defined)
    }
}

/// What the operands of a calculation are.
#[derive(PartialEq)]
enum Operand {
    /// There is no marker in them.
    Plain,
    /// There were some, which decide nothing: now there are none.
    Defined,
    /// The result is a marker.
    Uninitialised,
}

const BRANCH: &str = "a branch depends on the bytes";
const CALCULATED: &str = "an address, a size or a native function depends on the bytes";

#[cfg(test)]
mod tests;
