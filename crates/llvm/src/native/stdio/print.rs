//! `printf` and its kin: formats a call, then writes to a stream, a descriptor or an array.

use super::arguments::Given;
use super::formatted::{Formatted, encoded, formatted};
use super::{FAILED, load, scratch, write_values};
use crate::code::{Arg, ArgClass, Src};
use crate::load::FunctionKind;
use crate::machine::{ErrorKind, Halt};
use crate::memory::Value;
use crate::native::file_system::{Stream, Way};
use crate::native::{Call, Flow, errno};

/// Where formatted text goes.
#[derive(Clone, Copy)]
pub(super) enum To {
    Stdout,
    /// The stream that is the first argument.
    Stream,
    /// The descriptor that is the first argument.
    Descriptor,
    /// The array that is the first argument.
    Memory(Room),
    /// A new array, of which the first argument is told.
    Fresh,
    /// The object that grows on the obstack that is the first argument.
    Obstack,
}

/// How much an array takes.
#[derive(Clone, Copy)]
pub(super) enum Room {
    Any,
    /// No more than the argument of this index says, or the program ends.
    Checked(usize),
    /// As much as the second argument says, which must not be more than the argument of this index.
    AtMost(Option<usize>),
}

pub(super) fn print(call: &mut Call<'_>, to: To, given: Given) -> Result<Flow, Halt> {
    // All that might be asked comes first.
    let first = match to {
        To::Stdout => standard_stream(call, "stdout")?,
        _ => call.number(0)?,
    };
    let room = match to {
        To::Memory(Room::Checked(index)) => call.number(index)?,
        To::Memory(Room::AtMost(limit)) => {
            let size = call.number(1)?;
            if let Some(index) = limit
                && size > call.number(index)?
            {
                return Err(overflown(call));
            }
            size
        }
        _ => u64::MAX,
    };
    let is_open = stays_open(call, to, first)?;
    let out = formatted(call, given, is_open)?;
    if let Some(error) = out.trouble {
        call.set_errno(error);
        return Ok(Flow::value(FAILED));
    }
    if out.bytes.len() > i32::MAX as usize {
        call.set_errno(errno::EOVERFLOW);
        return Ok(Flow::value(FAILED));
    }
    if given.is_wide {
        return print_wide(call, to, first, room, out);
    }
    let len = out.bytes.len() as u64;
    if let To::Memory(Room::Checked(_)) = to
        && len >= room
    {
        return Err(overflown(call));
    }
    settle(call, &out)?;
    match to {
        To::Stdout | To::Stream => return write_stream(call, first, out.bytes),
        To::Descriptor => return write_descriptor(call, first, out.bytes),
        To::Obstack => {
            let text = scratch(call, &out.bytes)?;
            let args = [first, text, len].map(Value::Concrete);
            return call.enter("__refrain_obstack_grow", args.to_vec());
        }
        To::Memory(Room::AtMost(_)) => {
            if room > 0 {
                let shown = out.bytes.len().min(room as usize - 1);
                write_text(call, first, &out.bytes[..shown])?;
            }
        }
        To::Memory(_) => write_text(call, first, &out.bytes)?,
        To::Fresh => {
            let address = call.allocate(len + 1, 16);
            if address == 0 {
                call.set_errno(errno::ENOMEM);
                return Ok(Flow::value(FAILED));
            }
            write_text(call, address, &out.bytes)?;
            call.write_bytes(first, &address.to_le_bytes())?;
        }
    }
    Ok(Flow::value(len))
}

/// Wide characters go to memory as they are, and to a stream as bytes.
fn print_wide(
    call: &mut Call<'_>,
    to: To,
    first: u64,
    room: u64,
    out: Formatted,
) -> Result<Flow, Halt> {
    const EILSEQ: i32 = 84;
    let len = out.bytes.len() as u64;
    match to {
        To::Stdout | To::Stream => {
            let mut bytes = Vec::new();
            for &value in &out.bytes {
                match value {
                    Value::Symbolic(_) => bytes.push(value),
                    Value::Concrete(character) => match encoded(call, character)? {
                        Some(more) => {
                            bytes.extend(more.iter().map(|&byte| Value::Concrete(byte.into())));
                        }
                        None => {
                            call.set_errno(EILSEQ);
                            return Ok(Flow::value(FAILED));
                        }
                    },
                }
            }
            // What writes tells the length in bytes.
            if bytes.len() as u64 != len && !call.site.is_ignored {
                return Err(call.unsupported("the length of wide text beyond ASCII"));
            }
            settle(call, &out)?;
            write_stream(call, first, bytes)
        }
        _ => {
            settle(call, &out)?;
            let fits = len < room;
            if room > 0 {
                let shown = out.bytes.len().min(room as usize - 1);
                let mut bytes = Vec::new();
                for &value in &out.bytes[..shown] {
                    match value {
                        Value::Concrete(character) => {
                            let parts = (character as u32).to_le_bytes();
                            bytes.extend(parts.map(|byte| Value::Concrete(u64::from(byte))));
                        }
                        Value::Symbolic(_) => {
                            bytes.push(value);
                            bytes.extend([Value::Concrete(0); 3]);
                        }
                    }
                }
                bytes.extend([Value::Concrete(0); 4]);
                write_values(call, first, &bytes)?;
            }
            // What does not fit has no length.
            Ok(Flow::value(if fits { len } else { FAILED }))
        }
    }
}

/// Whether text goes to the standard output or error and nowhere else, and its length to nobody.
fn stays_open(call: &mut Call<'_>, to: To, first: u64) -> Result<bool, Halt> {
    if !call.machine.prints_later || !call.site.is_ignored {
        return Ok(false);
    }
    let descriptor = match to {
        To::Stdout => 1,
        To::Stream if first == standard_stream(call, "stdout")? => 1,
        To::Stream if first == standard_stream(call, "stderr")? => 2,
        To::Descriptor => first as i32,
        _ => return Ok(false),
    };
    let way = call.state.world.files.way(descriptor);
    Ok(way.is_ok_and(|way| matches!(way, Way::Stream(Stream::Output(_)))))
}

fn overflown(call: &Call<'_>) -> Halt {
    call.error(ErrorKind::Abort, "buffer overflow detected")
}

/// Stores what the program is told besides the text.
pub(super) fn settle(call: &mut Call<'_>, out: &Formatted) -> Result<(), Halt> {
    for &(address, bytes, count) in &out.counts {
        let place = Value::Concrete(address);
        call.machine
            .write(call.terms, call.state, place, bytes, Value::Concrete(count))?;
    }
    match &out.list {
        Some(list) => list.close(call),
        None => Ok(()),
    }
}

/// Writes text and the zero byte behind it.
fn write_text(call: &mut Call<'_>, address: u64, text: &[Value]) -> Result<(), Halt> {
    let mut text = text.to_vec();
    text.push(Value::Concrete(0));
    write_values(call, address, &text)
}

/// The stream that a variable of the library holds; null without the library.
fn standard_stream(call: &mut Call<'_>, name: &str) -> Result<u64, Halt> {
    match call.machine.linked.address_of(name) {
        Some(address) => load(call, address, 8),
        None => Ok(0),
    }
}

fn write_stream(call: &mut Call<'_>, stream: u64, bytes: Vec<Value>) -> Result<Flow, Halt> {
    let len = bytes.len() as u64;
    if call.machine.linked.find("__refrain_print").is_none() {
        return Err(call.unsupported("a stream without the library"));
    }
    let address = scratch(call, &bytes)?;
    let args = [stream, address, len].map(Value::Concrete);
    call.enter("__refrain_print", args.to_vec())
}

/// Calls a function of the machine's own or of the program with these arguments.
fn delegate(call: &mut Call<'_>, name: &str, args: &[u64]) -> Result<Option<Flow>, Halt> {
    if let Some(function) = call.machine.linked.find(name)
        && let FunctionKind::Code = call.machine.linked.functions[function as usize].kind
    {
        let args = args.iter().copied().map(Value::Concrete).collect();
        return Ok(Some(Flow::Enter(function, args)));
    }
    let Some(native) = crate::native::find(name) else {
        return Ok(None);
    };
    let word = |&word: &u64| Arg {
        words: vec![Src::Const(word)],
        class: ArgClass::Int(64),
        layout: Vec::new(),
    };
    let site = crate::code::CallSite {
        args: args.iter().map(word).collect(),
        fixed: args.len(),
        variadic: false,
        ..call.site.clone()
    };
    let mut inner = Call {
        machine: call.machine,
        terms: call.terms,
        state: call.state,
        site: &site,
        dst: call.dst,
        name,
    };
    native(&mut inner).map(Some)
}

fn write_descriptor(call: &mut Call<'_>, descriptor: u64, bytes: Vec<Value>) -> Result<Flow, Halt> {
    let len = bytes.len() as u64;
    let address = scratch(call, &bytes)?;
    match delegate(call, "write", &[descriptor, address, len])? {
        Some(flow) => Ok(flow),
        None => {
            call.output(descriptor as i32, bytes)?;
            Ok(Flow::value(len))
        }
    }
}
