//! The main loop: register code, as fast as it goes.
//!
//! It exists twice: once for frames none of whose registers can hold a term, which looks at numbers only, and once
//! for the others, which looks at the terms beside them first. Its arms are made of the table of opcodes, by the macros
//! of `arms`. Whatever is not plain and concrete leaves the loop for a function of its own: that one finds the state up
//! to date, does one instruction, and the loop goes on from what it left.

#[macro_use]
mod arms;
mod cursor;
#[cfg(test)]
mod tests;

use refrain_machine::Stop;
use refrain_term::Terms;

use self::cursor::Cursor;
use super::state::State;
use super::{Halt, Machine};
use crate::code::{Instr, NEVER_FELL_THROUGH, NEVER_REACHED, NEVER_TAKEN, Op, opcodes};
use crate::ops::float::{Hardware as _, order_bit, to_signed, to_unsigned};
use crate::ops::{Cast, error64, word64};

/// Why the loop was left.
pub(super) enum LoopExit {
    /// The frame on top wants the other loop.
    OtherLoop,
    Stop(Stop),
}

/// What the loop works with.
struct Run<'r, const SYM: bool> {
    machine: &'r mut Machine,
    terms: &'r mut Terms,
    state: &'r mut State,
    /// How many instructions may be executed.
    limit: u64,
    at: Cursor<SYM>,
    /// The instruction at hand.
    i: Instr,
}

impl Machine {
    /// Runs the frame on top, and those it calls, as long as they are (`SYM`) symbolic or not.
    #[allow(clippy::useless_conversion)]
    pub(super) fn steps<const SYM: bool>(
        &mut self,
        terms: &mut Terms,
        state: &mut State,
        limit: u64,
    ) -> LoopExit {
        let linked = self.linked.clone();
        let mut run = Run {
            at: Cursor::<SYM>::new(state),
            machine: self,
            terms,
            state,
            limit,
            i: Instr::new(Op::More, 0, 0, 0, 0),
        };
        loop {
            if let Err(exit) = run.at.enter(run.machine, &linked, run.state) {
                return exit;
            }
            // Calls alone can take for ever, without a jump.
            if run.at.executed >= limit {
                return LoopExit::Stop(Stop::OutOfFuel);
            }
            let done: Result<(), Halt> = loop {
                run.i = run.at.instr();
                opcodes!(execute(run))
            };
            // What is the same for all that is done outside stands here once: it would be most of the loop otherwise.
            run.at.executed = run.state.instructions;
            if let Err(halt) = done {
                return LoopExit::Stop(halt.into());
            }
            forget_answers(run.state);
            if run.state.facts.was_told() {
                run.state.learn(run.terms);
            }
        }
    }
}

/// The answers that an instruction asked for are used up once it is done, unless it says otherwise.
#[inline(always)]
fn forget_answers(state: &mut State) {
    if state.keep_answers {
        state.keep_answers = false;
    } else {
        state.answers.clear();
    }
    state.asked = 0;
}

/// The address or sum `a + b * x`.
#[inline(always)]
fn indexed(a: u64, b: u64, i: Instr) -> u64 {
    a.wrapping_add(b.wrapping_mul(u64::from(i.x)))
}
