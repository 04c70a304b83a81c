//! Exceptions: who catches one, and what is cleaned up on the way there.
//!
//! As the ABI has it, first the handler is searched for, with the stack as it is; only if there is one does the stack
//! shrink, to the nearest landing pad on the way. A pad that only cleans up resumes, and the search is made again
//! from there. Whether a type matches is asked of the program's own runtime, which is code like any other.

use refrain_term::Terms;

use super::{Halt, Machine, State};
use crate::code::{Clause, Instr, LandingPad};
use crate::memory::Value;

/// How a search ended.
pub(crate) enum Found {
    /// A pad has been entered.
    Landed,
    /// Code is running that answers a question; the search is made again after it.
    Asked,
    /// Nobody catches it.
    Nobody,
}

impl Machine {
    pub(super) fn resume(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        i: Instr,
    ) -> Result<(), Halt> {
        let exception = self.fixed(terms, state, state.get(i.a))?;
        match self.unwind(state, exception)? {
            Found::Landed | Found::Asked => Ok(()),
            Found::Nobody => self.uncaught(state, exception),
        }
    }

    /// Enters the landing pad where an exception thrown by the frame on top is handled first.
    pub(crate) fn unwind(&mut self, state: &mut State, exception: u64) -> Result<Found, Halt> {
        let linked = self.linked.clone();
        // The outermost function of a thread: what lies below belongs to another one.
        let thread = linked.find("__refrain_thread_run");
        let mut first: Option<(usize, &LandingPad)> = None;
        for depth in (0..state.frames.len()).rev() {
            let frame = &state.frames[depth];
            if Some(frame.function) == thread {
                break;
            }
            let Ok(code) = linked.code(frame.function) else {
                continue;
            };
            let Ok(index) = code.pads.binary_search_by_key(&frame.pc, |&(pc, _)| pc) else {
                continue;
            };
            let pad = &code.pads[index].1;
            for clause in &pad.clauses {
                let selector = match clause {
                    Clause::Catch(0) => Some(linked.type_number(0)),
                    Clause::Catch(ty) => match self.catches(state, exception, *ty)? {
                        None => return Ok(Found::Asked),
                        Some(true) => Some(linked.type_number(*ty)),
                        Some(false) => None,
                    },
                    Clause::Filter(types) => {
                        let mut passes = false;
                        for &ty in types {
                            match self.catches(state, exception, ty)? {
                                None => return Ok(Found::Asked),
                                Some(matches) => passes |= matches,
                            }
                        }
                        // A filter that stops an exception selects a negative number.
                        (!passes).then_some(u32::MAX)
                    }
                };
                if let Some(selector) = selector {
                    // What is to be cleaned up on the way comes first.
                    let (depth, pad, selector) = match first {
                        Some((nearest, pad)) => (nearest, pad, 0),
                        None => (depth, pad, selector),
                    };
                    self.land(state, depth, pad.pc, exception, selector);
                    return Ok(Found::Landed);
                }
            }
            if pad.cleanup && first.is_none() {
                first = Some((depth, pad));
            }
        }
        Ok(Found::Nobody)
    }

    fn land(&mut self, state: &mut State, depth: usize, pc: u32, exception: u64, selector: u32) {
        self.pop_to(state, depth + 1);
        state.landed = (exception, selector);
        state.instructions += 1;
        state.top_mut().pc = pc;
        self.covered.trace_landing(&self.linked, state);
    }

    fn catches(
        &mut self,
        state: &mut State,
        exception: u64,
        ty: u64,
    ) -> Result<Option<bool>, Halt> {
        if ty == 0 {
            return Ok(Some(true));
        }
        let Some(matches) = self.linked.find("__refrain_exception_matches") else {
            return Ok(Some(false));
        };
        let args = [
            Value::Concrete(exception),
            Value::Concrete(ty),
            Value::Concrete(0),
        ];
        Ok(self
            .ask_code(state, matches, &args)?
            .map(|answer| answer as u32 != 0))
    }

    /// The program's runtime says its last words, if it has one.
    pub(crate) fn uncaught(&mut self, state: &mut State, exception: u64) -> Result<(), Halt> {
        state.world.uncaught = true;
        match self.linked.find("__refrain_terminate_uncaught") {
            Some(terminate) => {
                let args = [Value::Concrete(exception)];
                self.enter(state, terminate, &args, 0, super::Then::Continue)
            }
            None => Err(self.error(state, super::ErrorKind::UncaughtException, "")),
        }
    }
}
