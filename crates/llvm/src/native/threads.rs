//! Threads take turns: one goes on, and the others are set aside with their stacks and variables.
//!
//! Who goes on is decided by the C library (`runtime/schedule.rs`). Only one thread runs at a time, so a thread-local
//! variable is one object: a thread that goes on finds in it what it had left there, a new one what it starts with.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Call, Flow, NativeFn};
use crate::machine::{ErrorKind, Halt, Stack, Then};
use crate::memory::{Kind, Origin, Value};

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__refrain_thread_switch", switch),
    ("__refrain_thread_leave", leave),
    ("__refrain_thread_unwinds", unwinds),
];

/// A thread that does not run.
#[derive(Clone)]
pub struct Parked {
    pub stack: Stack,
    /// Where the values of its thread-local variables are.
    variables: u64,
}

/// A range of memory, and where it is kept in what is set aside.
struct Range {
    address: u64,
    size: u64,
    kept: u64,
}

/// The ranges that are a thread's own, the first of them the runtime's, and how much room they take.
fn ranges(call: &Call<'_>, block: u64, len: u64) -> (Vec<Range>, u64) {
    let mut end = 0u64;
    let mut ranges = Vec::new();
    let variables = call
        .machine
        .linked
        .thread_locals
        .iter()
        .map(|variable| (variable.address, variable.size));
    for (address, size) in [(block, len)].into_iter().chain(variables) {
        ranges.push(Range {
            address,
            size,
            kept: end,
        });
        end = (end + size).next_multiple_of(16);
    }
    (ranges, end)
}

fn copy(call: &mut Call<'_>, to: u64, from: u64, len: u64) -> Result<(), Halt> {
    let copied = call.state.memory.copy(call.terms, to, from, len);
    copied.map_err(|fault| call.fault(fault, len, false))
}

/// Another thread goes on, and this one when it is its turn again.
fn switch(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (block, len) = (call.number(0)?, call.number(1)?);
    let (from, to, argument) = (call.number(2)?, call.number(3)?, call.number(4)?);
    if let Some(why) = shares_variable(call, argument) {
        return Err(call.unsupported(why));
    }
    let (ranges, room) = ranges(call, block, len);
    let origin = Origin {
        kind: Kind::Runtime,
        name: 0,
        site: call.state.site(),
    };
    let Some(variables) = call.state.memory.allocate(room, 16, origin) else {
        return Err(call.error(ErrorKind::OutOfMemory, ""));
    };
    for range in &ranges {
        copy(call, variables + range.kept, range.address, range.size)?;
    }
    // When it comes back, it is behind the call.
    call.state.top_mut().pc += 1;
    let stack = call.state.take_stack();
    let own = Parked { stack, variables };
    call.state.parked.insert(from, Rc::new(own));
    go_on(call, to, &ranges)
}

/// Another thread goes on, and this one is no more.
fn leave(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (block, len) = (call.number(0)?, call.number(1)?);
    let (to, argument) = (call.number(2)?, call.number(3)?);
    if let Some(why) = shares_variable(call, argument) {
        return Err(call.unsupported(why));
    }
    let (ranges, _) = ranges(call, block, len);
    call.machine.pop_to(call.state, 0);
    drop(call.state.take_stack());
    go_on(call, to, &ranges)
}

/// Puts a thread in the place of the one that was taken away.
fn go_on(call: &mut Call<'_>, thread: u64, ranges: &[Range]) -> Result<Flow, Halt> {
    match call.state.parked.remove(&thread) {
        Some(parked) => {
            let Parked { stack, variables } = Rc::unwrap_or_clone(parked);
            for range in ranges {
                copy(call, range.address, variables + range.kept, range.size)?;
            }
            call.state.put_stack(stack);
            let site = call.state.site();
            call.state.memory.release(variables, site);
        }
        None => begin(call, thread, ranges)?,
    }
    call.machine.switched(call.state);
    Ok(Flow::Jumped)
}

/// A new thread: its variables are what they are at the start of a program.
fn begin(call: &mut Call<'_>, thread: u64, ranges: &[Range]) -> Result<(), Halt> {
    let linked = call.machine.linked.clone();
    for range in ranges {
        let zero = Value::Concrete(0);
        let cleared = { &mut call.state.memory }.fill(call.terms, range.address, zero, range.size);
        cleared.map_err(|fault| call.fault(fault, range.size, true))?;
    }
    for variable in &linked.thread_locals {
        for (offset, bytes) in &variable.initial {
            call.state
                .memory
                .initialise(variable.address + offset, bytes);
        }
    }
    let Some(function) = linked.find("__refrain_thread_begin") else {
        return Err(call.unsupported("a thread without a C library"));
    };
    let arguments = [Value::Concrete(thread)];
    call.machine
        .enter(call.state, function, &arguments, 0, Then::Finish)
}

/// Why a thread might see a thread-local variable of another: one that its argument or the variables of all threads lead
/// to. It would not be where it is while that thread runs.
fn shares_variable(call: &mut Call<'_>, argument: u64) -> Option<&'static str> {
    /// Bytes that are looked at.
    const MOST: u64 = 1 << 26;
    call.machine.note_layout();
    let linked = call.machine.linked.clone();
    if linked.thread_locals.is_empty() {
        return None;
    }
    let variables: HashSet<u64> = linked
        .thread_locals
        .iter()
        .map(|variable| variable.address)
        .collect();
    let mut seen = HashSet::new();
    let mut left = MOST;
    let mut waiting = linked.shared_variables();
    waiting.push(argument);
    while let Some(address) = waiting.pop() {
        let Some(object) = call.state.memory.object_at(address) else {
            continue;
        };
        // Other numbers lie somewhere in the part of memory that the object has to itself.
        let is_inside = (object.base..object.base + object.size.max(1)).contains(&address);
        if !is_inside || object.freed.is_some() || object.origin.kind == Kind::Function {
            continue;
        }
        if variables.contains(&object.base) {
            return Some("a thread that gets the address of a thread-local variable of another");
        }
        if object.read_only || !seen.insert(object.base) {
            continue;
        }
        let Some(rest) = left.checked_sub(object.size) else {
            return Some(
                "a thread that shares too much memory to look through for thread-local variables",
            );
        };
        left = rest;
        let mut bytes = Vec::new();
        if matches!(
            call.state
                .memory
                .concrete_bytes(object.base, object.size, &mut bytes),
            Ok(true)
        ) {
            let words = bytes
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()));
            waiting.extend(words);
            continue;
        }
        for at in (0..object.size & !7).step_by(8) {
            if let Ok(Value::Concrete(word)) =
                call.state.memory.load(call.terms, object.base + at, 8)
            {
                waiting.push(word);
            }
        }
    }
    None
}

/// A thread that ends runs the destructors of all it leaves, as an exception would.
fn unwinds(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let place = call.number(0)?;
    let depth = match place {
        0 => 0,
        _ => {
            let number = call
                .machine
                .read(call.terms, call.state, Value::Concrete(place), 8)?;
            let number = call.machine.fixed(call.terms, call.state, number)? as usize;
            call.state
                .jumps
                .get(number.wrapping_sub(1))
                .map_or(0, |jump| jump.depth)
        }
    };
    let linked = call.machine.linked.clone();
    let has_pad = |frame: &crate::machine::Frame| {
        let code = linked.code(frame.function);
        code.is_ok_and(|code| {
            code.pads
                .binary_search_by_key(&frame.pc, |&(pc, _)| pc)
                .is_ok()
        })
    };
    if call.state.frames.iter().skip(depth as usize).any(has_pad) {
        return Err(call.unsupported("pthread_exit out of a function with something to clean up"));
    }
    Ok(Flow::void())
}
