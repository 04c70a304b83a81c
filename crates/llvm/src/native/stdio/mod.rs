//! Formatted output, and the variadic functions of formatted input.
//!
//! A call is formatted as a whole before anything is written: what must be asked about symbolic arguments is asked by
//! then. Bytes that `%s` and `%c` take from symbolic input stay symbolic. A symbolic number that goes to standard
//! output or error, and whose length nobody looks at, stays open if the machine is told so: its place is held by a
//! variable until its path's output is read. Elsewhere the path goes on with one value of it.

mod arguments;
mod formatted;
mod messages;
mod print;
mod scan;
mod symbolic_format;

use self::arguments::Given;
use self::messages::{Complaint, argp_message, complain, error};
use self::print::{Room, To, print};
use self::scan::{From, scan};
use super::{Call, Flow, NativeFn, errno};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("printf", |call| print(call, To::Stdout, Given::passed(0))),
    ("__printf_chk", |call| {
        print(call, To::Stdout, Given::passed(1))
    }),
    ("vprintf", |call| print(call, To::Stdout, Given::list(0))),
    ("__vprintf_chk", |call| {
        print(call, To::Stdout, Given::list(1))
    }),
    ("fprintf", |call| print(call, To::Stream, Given::passed(1))),
    ("__fprintf_chk", |call| {
        print(call, To::Stream, Given::passed(2))
    }),
    ("vfprintf", |call| print(call, To::Stream, Given::list(1))),
    ("__vfprintf_chk", |call| {
        print(call, To::Stream, Given::list(2))
    }),
    ("dprintf", |call| {
        print(call, To::Descriptor, Given::passed(1))
    }),
    ("__dprintf_chk", |call| {
        print(call, To::Descriptor, Given::passed(2))
    }),
    ("vdprintf", |call| {
        print(call, To::Descriptor, Given::list(1))
    }),
    ("__vdprintf_chk", |call| {
        print(call, To::Descriptor, Given::list(2))
    }),
    ("sprintf", |call| {
        print(call, To::Memory(Room::Any), Given::passed(1))
    }),
    ("__sprintf_chk", |call| {
        print(call, To::Memory(Room::Checked(2)), Given::passed(3))
    }),
    ("vsprintf", |call| {
        print(call, To::Memory(Room::Any), Given::list(1))
    }),
    ("__vsprintf_chk", |call| {
        print(call, To::Memory(Room::Checked(2)), Given::list(3))
    }),
    ("snprintf", |call| {
        print(call, To::Memory(Room::AtMost(None)), Given::passed(2))
    }),
    ("__snprintf_chk", |call| {
        print(call, To::Memory(Room::AtMost(Some(3))), Given::passed(4))
    }),
    ("vsnprintf", |call| {
        print(call, To::Memory(Room::AtMost(None)), Given::list(2))
    }),
    ("__vsnprintf_chk", |call| {
        print(call, To::Memory(Room::AtMost(Some(3))), Given::list(4))
    }),
    ("asprintf", |call| print(call, To::Fresh, Given::passed(1))),
    ("__asprintf", |call| {
        print(call, To::Fresh, Given::passed(1))
    }),
    ("__asprintf_chk", |call| {
        print(call, To::Fresh, Given::passed(2))
    }),
    ("vasprintf", |call| print(call, To::Fresh, Given::list(1))),
    ("__vasprintf_chk", |call| {
        print(call, To::Fresh, Given::list(2))
    }),
    ("wprintf", |call| {
        print(call, To::Stdout, Given::passed(0).wide())
    }),
    ("__wprintf_chk", |call| {
        print(call, To::Stdout, Given::passed(1).wide())
    }),
    ("vwprintf", |call| {
        print(call, To::Stdout, Given::list(0).wide())
    }),
    ("__vwprintf_chk", |call| {
        print(call, To::Stdout, Given::list(1).wide())
    }),
    ("fwprintf", |call| {
        print(call, To::Stream, Given::passed(1).wide())
    }),
    ("__fwprintf_chk", |call| {
        print(call, To::Stream, Given::passed(2).wide())
    }),
    ("vfwprintf", |call| {
        print(call, To::Stream, Given::list(1).wide())
    }),
    ("__vfwprintf_chk", |call| {
        print(call, To::Stream, Given::list(2).wide())
    }),
    ("swprintf", |call| {
        print(
            call,
            To::Memory(Room::AtMost(None)),
            Given::passed(2).wide(),
        )
    }),
    ("__swprintf_chk", |call| {
        let room = Room::AtMost(Some(3));
        print(call, To::Memory(room), Given::passed(4).wide())
    }),
    ("vswprintf", |call| {
        print(call, To::Memory(Room::AtMost(None)), Given::list(2).wide())
    }),
    ("__vswprintf_chk", |call| {
        let room = Room::AtMost(Some(3));
        print(call, To::Memory(room), Given::list(4).wide())
    }),
    ("warn", |call| {
        complain(call, Complaint::warning(true, false))
    }),
    ("warnx", |call| {
        complain(call, Complaint::warning(false, false))
    }),
    ("vwarn", |call| {
        complain(call, Complaint::warning(true, true))
    }),
    ("vwarnx", |call| {
        complain(call, Complaint::warning(false, true))
    }),
    ("err", |call| complain(call, Complaint::fatal(true, false))),
    ("errx", |call| {
        complain(call, Complaint::fatal(false, false))
    }),
    ("verr", |call| complain(call, Complaint::fatal(true, true))),
    ("verrx", |call| {
        complain(call, Complaint::fatal(false, true))
    }),
    ("error", |call| error(call, false)),
    ("error_at_line", |call| error(call, true)),
    ("argp_error", |call| {
        argp_message(call, "__refrain_argp_error", 1)
    }),
    ("argp_failure", |call| {
        argp_message(call, "__refrain_argp_failure", 3)
    }),
    ("obstack_printf", |call| {
        print(call, To::Obstack, Given::passed(1))
    }),
    ("__obstack_printf_chk", |call| {
        print(call, To::Obstack, Given::passed(2))
    }),
    ("obstack_vprintf", |call| {
        print(call, To::Obstack, Given::list(1))
    }),
    ("__obstack_vprintf_chk", |call| {
        print(call, To::Obstack, Given::list(2))
    }),
    ("vsyslog", nothing),
    ("__syslog_chk", nothing),
    ("__vsyslog_chk", nothing),
    ("execl", no_program),
    ("execlp", no_program),
    ("execle", no_program),
    ("sscanf", |call| scan(call, From::String, false)),
    ("__isoc99_sscanf", |call| scan(call, From::String, false)),
    ("__isoc23_sscanf", |call| scan(call, From::String, true)),
    ("fscanf", |call| scan(call, From::Stream, false)),
    ("__isoc99_fscanf", |call| scan(call, From::Stream, false)),
    ("__isoc23_fscanf", |call| scan(call, From::Stream, true)),
    ("scanf", |call| scan(call, From::Stdin, false)),
    ("__isoc99_scanf", |call| scan(call, From::Stdin, false)),
    ("__isoc23_scanf", |call| scan(call, From::Stdin, true)),
    ("swscanf", |call| scan(call, From::WideString, false)),
    ("__isoc99_swscanf", |call| {
        scan(call, From::WideString, false)
    }),
    ("__isoc23_swscanf", |call| {
        scan(call, From::WideString, true)
    }),
    ("fwscanf", |call| scan(call, From::WideStream, false)),
    ("__isoc99_fwscanf", |call| {
        scan(call, From::WideStream, false)
    }),
    ("__isoc23_fwscanf", |call| {
        scan(call, From::WideStream, true)
    }),
    ("wscanf", |call| scan(call, From::WideStdin, false)),
    ("__isoc99_wscanf", |call| scan(call, From::WideStdin, false)),
    ("__isoc23_wscanf", |call| scan(call, From::WideStdin, true)),
];

/// -1 as an `int`.
const FAILED: u64 = 0xffff_ffff;

fn load(call: &mut Call<'_>, address: u64, bytes: u32) -> Result<u64, Halt> {
    let value = call
        .machine
        .read(call.terms, call.state, Value::Concrete(address), bytes)?;
    call.machine.fixed(call.terms, call.state, value)
}

/// Puts bytes where code can read them.
fn scratch(call: &mut Call<'_>, values: &[Value]) -> Result<u64, Halt> {
    let address = call.scratch(&concrete(values))?;
    write_symbolic(call, address, values)?;
    Ok(address)
}

fn write_values(call: &mut Call<'_>, address: u64, values: &[Value]) -> Result<(), Halt> {
    call.write_bytes(address, &concrete(values))?;
    write_symbolic(call, address, values)
}

fn write_symbolic(call: &mut Call<'_>, address: u64, values: &[Value]) -> Result<(), Halt> {
    for (index, &value) in values.iter().enumerate() {
        if let Value::Symbolic(_) = value {
            let place = Value::Concrete(address + index as u64);
            call.machine
                .write(call.terms, call.state, place, 1, value)?;
        }
    }
    Ok(())
}

fn concrete(values: &[Value]) -> Vec<u8> {
    let number = |value: &Value| match value {
        Value::Concrete(byte) => *byte as u8,
        Value::Symbolic(_) => 0,
    };
    values.iter().map(number).collect()
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}

fn no_program(call: &mut Call<'_>) -> Result<Flow, Halt> {
    call.set_errno(errno::ENOENT);
    Ok(Flow::value(FAILED))
}
