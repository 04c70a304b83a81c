//! The process: how it ends, jumps and throws.

use refrain_term::Term;

use super::{Call, Flow, NativeFn};
use crate::machine::{ErrorKind, Halt, Jump, exited};
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("_exit", exit),
    ("_Exit", exit),
    ("exit_group", exit),
    ("abort", abort),
    ("__refrain_trap", trap),
    ("__assert_fail", assert_fail),
    ("__assert", assert_fail),
    ("__stack_chk_fail", stack_smashed),
    ("__chk_fail", stack_smashed),
    ("__fortify_fail", stack_smashed),
    ("setjmp", set_jump_without_mask),
    ("_setjmp", set_jump_without_mask),
    ("__sigsetjmp", set_jump_with_mask),
    ("sigsetjmp", set_jump_with_mask),
    ("__refrain_set_jump", set_jump),
    ("longjmp", restore_and_jump),
    ("_longjmp", restore_and_jump),
    ("siglongjmp", restore_and_jump),
    ("__refrain_long_jump", long_jump),
    ("__refrain_unwind", throw),
    ("_Unwind_RaiseException", raise),
    ("_Unwind_Resume", throw),
    ("_Unwind_Resume_or_Rethrow", throw),
    ("__refrain_unsupported", unsupported),
    ("__refrain_is_symbolic", is_symbolic),
    ("__refrain_division_by_zero", division_by_zero),
    ("__refrain_division_overflow", division_overflow),
];

fn exit(call: &mut Call<'_>) -> Result<Flow, Halt> {
    // What Rust's `main` returns after a panic that nobody caught.
    const PANICKED: u32 = 101;
    let status = call
        .machine
        .written_out(call.terms, call.state, call.arg(0))?;
    if let Some(panic) = panic(call) {
        let panicked = match status {
            Value::Concrete(status) => Term::bool(status as u32 == PANICKED),
            Value::Symbolic(term) => {
                let code = call.terms.bv(call.terms.width(term), u64::from(PANICKED));
                call.terms.eq(term, code)
            }
        };
        if call.machine.decide(call.terms, call.state, panicked)? {
            return Err(panic);
        }
    }
    // Nobody reads it: it may stay symbolic.
    Err(Halt::End(exited(status)))
}

/// The end of a Rust program that has just said that it panics.
fn panic(call: &Call<'_>) -> Option<Halt> {
    let message = super::rust::panic_message(&call.state.world.said)?;
    Some(call.error(ErrorKind::Panic, message))
}

fn abort(call: &mut Call<'_>) -> Result<Flow, Halt> {
    if let Some(panic) = panic(call) {
        return Err(panic);
    }
    // The runtime of C++ says so before it gives up, whoever called it.
    let said = String::from_utf8_lossy(&call.state.world.said).to_string();
    let last_words = said.rfind("terminate called after throwing");
    match last_words {
        Some(at) => Err(call.error(ErrorKind::UncaughtException, said[at..].trim_end())),
        None if call.state.world.uncaught => Err(call.error(ErrorKind::UncaughtException, "")),
        None => Err(call.error(ErrorKind::Abort, "")),
    }
}

fn trap(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(panic(call).unwrap_or_else(|| call.error(ErrorKind::Trap, "")))
}

fn assert_fail(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let text = call.number(0)?;
    let text = call.string(text)?;
    Err(call.error(ErrorKind::Assertion, String::from_utf8_lossy(&text)))
}

fn stack_smashed(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(call.error(ErrorKind::Abort, format!("{} was called", call.name)))
}

fn division_by_zero(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(call.error(ErrorKind::DivisionByZero, ""))
}

fn division_overflow(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Err(call.error(ErrorKind::DivisionOverflow, ""))
}

fn unsupported(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let text = call.number(0)?;
    let text = call.string(text)?;
    Err(call.unsupported(String::from_utf8_lossy(&text)))
}

/// So that the library can calculate without a branch what depends on input, and at once what does not.
fn is_symbolic(call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(
        matches!(call.arg(0), Value::Symbolic(_)).into(),
    ))
}

/// The buffer keeps the number of the place, from 1 on.
fn set_jump(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let buffer = call.arg(0);
    let frame = call.state.top();
    let jump = Jump {
        depth: call.state.frames.len() as u32,
        pc: frame.pc,
        dst: call.dst,
        function: frame.function,
    };
    let known = call.state.jumps.iter().position(|known| *known == jump);
    let number = known.unwrap_or(call.state.jumps.len()) as u64 + 1;
    call.machine
        .write(call.terms, call.state, buffer, 8, Value::Concrete(number))?;
    if known.is_none() {
        call.state.jumps.push(jump);
    }
    Ok(Flow::value(0))
}

/// Where in a `jmp_buf` it says whether the mask of signals follows.
const IS_MASK_SAVED: u64 = 64;

fn set_jump_without_mask(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let says = Value::Concrete(call.number(0)?.wrapping_add(IS_MASK_SAVED));
    call.machine
        .write(call.terms, call.state, says, 4, Value::Concrete(0))?;
    set_jump(call)
}

fn set_jump_with_mask(call: &mut Call<'_>) -> Result<Flow, Halt> {
    if call.int(1)? == 0 {
        return set_jump_without_mask(call);
    }
    set_jump(call)?;
    call.enter("__refrain_save_mask", vec![call.arg(0)])
}

/// The mask is restored before, as the signals that it lets through come before.
fn restore_and_jump(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let number = call.machine.read(call.terms, call.state, call.arg(0), 8)?;
    let number = call.machine.fixed(call.terms, call.state, number)? as usize;
    if number.wrapping_sub(1) < call.state.jumps.len() {
        let says = Value::Concrete(call.number(0)?.wrapping_add(IS_MASK_SAVED));
        let saved = call.machine.read(call.terms, call.state, says, 4)?;
        if call.machine.fixed(call.terms, call.state, saved)? != 0 {
            return call.enter("__refrain_restore_mask", vec![call.arg(0), call.arg(1)]);
        }
    }
    long_jump(call)
}

fn long_jump(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let buffer = call.arg(0);
    let number = call.machine.read(call.terms, call.state, buffer, 8)?;
    let number = call.machine.fixed(call.terms, call.state, number)?;
    let value = match call.arg(1) {
        Value::Concrete(0) => Value::Concrete(1),
        Value::Concrete(value) => Value::Concrete(value),
        Value::Symbolic(term) => {
            // `setjmp` does not return zero a second time.
            let term = call.machine.widen(call.terms, term, 32);
            let (zero, one) = (call.terms.bv(32, 0), call.terms.bv(32, 1));
            let is_zero = call.terms.eq(term, zero);
            let term = call.terms.ite(is_zero, one, term);
            call.machine.value_of(call.terms, term)
        }
    };
    let Some(jump) = call
        .state
        .jumps
        .get((number as usize).wrapping_sub(1))
        .cloned()
    else {
        return Err(call.error(
            ErrorKind::BadJump,
            "longjmp with a buffer that setjmp did not fill",
        ));
    };
    call.machine.long_jump(call.state, &jump, value)?;
    Ok(Flow::Jumped)
}

fn throw(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use crate::machine::Found;
    let exception = call.number(0)?;
    if let Found::Nobody = call.machine.unwind(call.state, exception)? {
        call.machine.uncaught(call.state, exception)?;
    }
    Ok(Flow::Jumped)
}

/// As `throw`, but whoever threw is told that nobody catches it.
fn raise(call: &mut Call<'_>) -> Result<Flow, Halt> {
    use crate::machine::Found;
    const END_OF_STACK: u64 = 5;
    let exception = call.number(0)?;
    match call.machine.unwind(call.state, exception)? {
        Found::Nobody => Ok(Flow::value(END_OF_STACK)),
        Found::Landed | Found::Asked => Ok(Flow::Jumped),
    }
}
