//! Where the main loop is: the next instruction, the registers of the frame on top, and the instructions counted.
//!
//! Safety: a cursor moves over code that `lower::verify` has passed. Such code names registers below `Code::slots`
//! only, and a frame's window has that many slots in `State::registers` (and in `State::terms`, for a symbolic frame);
//! jumps stay within the code, which ends in an instruction that does not go on. The vectors and the code do not move
//! while a cursor is used: the loop enters the frame again after an instruction that was done outside.

use refrain_machine::{End, Stop};
use refrain_term::Term;

use super::LoopExit;
use crate::code::Instr;
use crate::load::Linked;
use crate::machine::Machine;
use crate::machine::state::{CONCRETE, State};

pub(super) struct Cursor<const SYM: bool> {
    pub function: u32,
    start: *const Instr,
    ip: *const Instr,
    registers: *mut u64,
    /// The terms beside the registers, in a symbolic frame.
    terms: *mut Term,
    /// Counts up to the limit.
    pub executed: u64,
}

impl<const SYM: bool> Cursor<SYM> {
    /// In no frame yet.
    #[inline(always)]
    pub fn new(state: &State) -> Cursor<SYM> {
        Cursor {
            function: u32::MAX,
            start: std::ptr::null(),
            ip: std::ptr::null(),
            registers: std::ptr::null_mut(),
            terms: std::ptr::null_mut(),
            executed: state.instructions,
        }
    }

    /// Goes to where the frame on top is.
    #[inline(always)]
    pub fn enter(
        &mut self,
        machine: &mut Machine,
        linked: &Linked,
        state: &mut State,
    ) -> Result<(), LoopExit> {
        let Some(frame) = state.frames.last() else {
            return Err(internal("no frame to run"));
        };
        if frame.symbolic != SYM {
            return Err(LoopExit::OtherLoop);
        }
        if self.function != frame.function {
            self.function = frame.function;
            self.start = match machine.covered.current(self.function) {
                Some(start) => start,
                // A frame's function was lowered when it was entered.
                None if machine.covered.enter(linked, self.function) => {
                    let functions = &machine.covered.functions;
                    functions[self.function as usize].instrs.as_ptr()
                }
                None => return Err(internal("a frame without code")),
            };
        }
        // SAFETY: see the module's words.
        unsafe {
            self.ip = self.start.add(frame.pc as usize);
            self.registers = state.registers.as_mut_ptr().add(frame.base as usize);
            if SYM {
                self.terms = state.terms.as_mut_ptr().add(frame.base as usize);
            }
        }
        Ok(())
    }

    /// Brings the state up to date.
    #[inline(always)]
    pub fn save(&self, state: &mut State) {
        // SAFETY: both point into the same code.
        let pc = unsafe { self.ip.offset_from(self.start) } as u32;
        state.frames.last_mut().expect("a frame is running").pc = pc;
        state.instructions = self.executed;
    }

    #[inline(always)]
    pub fn instr(&self) -> Instr {
        // SAFETY: see the module's words.
        unsafe { *self.ip }
    }

    /// The second half of an instruction that has one.
    #[inline(always)]
    pub fn more(&self) -> Instr {
        // SAFETY: see the module's words.
        unsafe { *self.ip.add(1) }
    }

    #[inline(always)]
    pub fn advance(&mut self, by: usize) {
        // SAFETY: see the module's words.
        self.ip = unsafe { self.ip.add(by) };
    }

    /// Goes to a place that is so many bytes behind the start.
    #[inline(always)]
    pub fn jump(&mut self, bytes: usize) {
        // SAFETY: see the module's words.
        self.ip = unsafe { self.start.byte_add(bytes) };
    }

    #[inline(always)]
    pub fn get(&self, register: u32) -> u64 {
        // SAFETY: see the module's words.
        unsafe { *self.registers.add(register as usize) }
    }

    #[inline(always)]
    pub fn set(&mut self, register: u32, value: u64) {
        // SAFETY: see the module's words.
        unsafe {
            *self.registers.add(register as usize) = value;
            if SYM {
                *self.terms.add(register as usize) = CONCRETE;
            }
        }
    }

    /// Copies a register, with its term.
    #[inline(always)]
    pub fn copy(&mut self, to: u32, from: u32) {
        // SAFETY: see the module's words.
        unsafe {
            *self.registers.add(to as usize) = *self.registers.add(from as usize);
            if SYM {
                *self.terms.add(to as usize) = *self.terms.add(from as usize);
            }
        }
    }

    /// Whether a register holds a term.
    #[inline(always)]
    pub fn is_symbolic(&self, register: u32) -> bool {
        // SAFETY: see the module's words.
        SYM && unsafe { *self.terms.add(register as usize) != CONCRETE }
    }
}

/// What cannot happen.
#[cold]
fn internal(what: &str) -> LoopExit {
    LoopExit::Stop(Stop::End(End::Internal(what.into())))
}
