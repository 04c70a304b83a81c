//! What a thread has of its own: its variables change hands when another one runs.
//!
//! Threads run one after the other, so a thread-local variable is one object. A new thread finds in it what it starts
//! with; what its creator had there is set aside meanwhile.

use std::collections::HashSet;

use super::{Call, Flow, NativeFn};
use crate::machine::{ErrorKind, Halt};
use crate::memory::{Kind, Origin, Value};

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__refrain_thread_enter", enter),
    ("__refrain_thread_leave", leave),
    ("__refrain_thread_unwinds", unwinds),
];

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

fn enter(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (block, len, arg) = (call.number(0)?, call.number(1)?, call.number(2)?);
    if let Some(why) = shares_variable(call, arg) {
        return Err(call.unsupported(why));
    }
    let (ranges, room) = ranges(call, block, len);
    let origin = Origin {
        kind: Kind::Runtime,
        name: 0,
        site: call.state.site(),
    };
    let Some(saved) = call.state.memory.allocate(room, 16, origin) else {
        return Err(call.error(ErrorKind::OutOfMemory, ""));
    };
    for Range {
        address,
        size,
        kept,
    } in ranges
    {
        copy(call, saved + kept, address, size)?;
        let cleared = call
            .state
            .memory
            .fill(call.terms, address, Value::Concrete(0), size);
        cleared.map_err(|fault| call.fault(fault, size, true))?;
    }
    for variable in &call.machine.linked.thread_locals {
        for (offset, bytes) in &variable.initial {
            call.state
                .memory
                .initialise(variable.address + offset, bytes);
        }
    }
    Ok(Flow::value(saved))
}

fn leave(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (block, len, saved) = (call.number(0)?, call.number(1)?, call.number(2)?);
    let (ranges, _) = ranges(call, block, len);
    for Range {
        address,
        size,
        kept,
    } in ranges
    {
        copy(call, address, saved + kept, size)?;
    }
    let site = call.state.site();
    call.state.memory.release(saved, site);
    Ok(Flow::void())
}

/// Why a new thread might see a thread-local variable of another: one that its argument or the variables of all
/// threads lead to. It would not be where it is while the new thread runs.
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
            let number = call.machine.fixed(call.state, number)? as usize;
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
