//! Formatted output, and the variadic functions of formatted input.
//!
//! A call is formatted as a whole before anything is written: what must be asked about symbolic arguments is asked by
//! then. Bytes that `%s` and `%c` take from symbolic input stay symbolic. A symbolic number that goes to standard
//! output or error, and whose length nobody looks at, stays open if the machine is told so: its place is held by a
//! variable until its path's output is read. Elsewhere the path goes on with one value of it.

use std::rc::Rc;

use refrain_term::Sort;

use super::file_system::Target;
use super::format::{self, Conversion, Kind, Length, Real, Spec, Step, Trouble};
use super::{Call, Flow, NativeFn, errno};
use crate::code::{Arg, ArgClass, Format, Src};
use crate::image::FunctionKind;
use crate::machine::{ErrorKind, Halt, Printed};
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("printf", |call| {
        print(
            call,
            To::Stdout,
            Given {
                format: 0,
                list: false,
            },
        )
    }),
    ("__printf_chk", |call| {
        print(
            call,
            To::Stdout,
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("vprintf", |call| {
        print(
            call,
            To::Stdout,
            Given {
                format: 0,
                list: true,
            },
        )
    }),
    ("__vprintf_chk", |call| {
        print(
            call,
            To::Stdout,
            Given {
                format: 1,
                list: true,
            },
        )
    }),
    ("fprintf", |call| {
        print(
            call,
            To::Stream,
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("__fprintf_chk", |call| {
        print(
            call,
            To::Stream,
            Given {
                format: 2,
                list: false,
            },
        )
    }),
    ("vfprintf", |call| {
        print(
            call,
            To::Stream,
            Given {
                format: 1,
                list: true,
            },
        )
    }),
    ("__vfprintf_chk", |call| {
        print(
            call,
            To::Stream,
            Given {
                format: 2,
                list: true,
            },
        )
    }),
    ("dprintf", |call| {
        print(
            call,
            To::Descriptor,
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("__dprintf_chk", |call| {
        print(
            call,
            To::Descriptor,
            Given {
                format: 2,
                list: false,
            },
        )
    }),
    ("vdprintf", |call| {
        print(
            call,
            To::Descriptor,
            Given {
                format: 1,
                list: true,
            },
        )
    }),
    ("__vdprintf_chk", |call| {
        print(
            call,
            To::Descriptor,
            Given {
                format: 2,
                list: true,
            },
        )
    }),
    ("sprintf", |call| {
        print(
            call,
            To::Memory(Room::Any),
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("__sprintf_chk", |call| {
        print(
            call,
            To::Memory(Room::Checked(2)),
            Given {
                format: 3,
                list: false,
            },
        )
    }),
    ("vsprintf", |call| {
        print(
            call,
            To::Memory(Room::Any),
            Given {
                format: 1,
                list: true,
            },
        )
    }),
    ("__vsprintf_chk", |call| {
        print(
            call,
            To::Memory(Room::Checked(2)),
            Given {
                format: 3,
                list: true,
            },
        )
    }),
    ("snprintf", |call| {
        print(
            call,
            To::Memory(Room::AtMost(None)),
            Given {
                format: 2,
                list: false,
            },
        )
    }),
    ("__snprintf_chk", |call| {
        print(
            call,
            To::Memory(Room::AtMost(Some(3))),
            Given {
                format: 4,
                list: false,
            },
        )
    }),
    ("vsnprintf", |call| {
        print(
            call,
            To::Memory(Room::AtMost(None)),
            Given {
                format: 2,
                list: true,
            },
        )
    }),
    ("__vsnprintf_chk", |call| {
        print(
            call,
            To::Memory(Room::AtMost(Some(3))),
            Given {
                format: 4,
                list: true,
            },
        )
    }),
    ("asprintf", |call| {
        print(
            call,
            To::Fresh,
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("__asprintf", |call| {
        print(
            call,
            To::Fresh,
            Given {
                format: 1,
                list: false,
            },
        )
    }),
    ("__asprintf_chk", |call| {
        print(
            call,
            To::Fresh,
            Given {
                format: 2,
                list: false,
            },
        )
    }),
    ("vasprintf", |call| {
        print(
            call,
            To::Fresh,
            Given {
                format: 1,
                list: true,
            },
        )
    }),
    ("__vasprintf_chk", |call| {
        print(
            call,
            To::Fresh,
            Given {
                format: 2,
                list: true,
            },
        )
    }),
    ("warn", |call| {
        complain(
            call,
            Complaint {
                status: None,
                with_error: true,
                list: false,
            },
        )
    }),
    ("warnx", |call| {
        complain(
            call,
            Complaint {
                status: None,
                with_error: false,
                list: false,
            },
        )
    }),
    ("vwarn", |call| {
        complain(
            call,
            Complaint {
                status: None,
                with_error: true,
                list: true,
            },
        )
    }),
    ("vwarnx", |call| {
        complain(
            call,
            Complaint {
                status: None,
                with_error: false,
                list: true,
            },
        )
    }),
    ("err", |call| {
        complain(
            call,
            Complaint {
                status: Some(0),
                with_error: true,
                list: false,
            },
        )
    }),
    ("errx", |call| {
        complain(
            call,
            Complaint {
                status: Some(0),
                with_error: false,
                list: false,
            },
        )
    }),
    ("verr", |call| {
        complain(
            call,
            Complaint {
                status: Some(0),
                with_error: true,
                list: true,
            },
        )
    }),
    ("verrx", |call| {
        complain(
            call,
            Complaint {
                status: Some(0),
                with_error: false,
                list: true,
            },
        )
    }),
    ("error", error),
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
];

/// A character that the locale does not have.
const EILSEQ: i32 = 84;

/// A single width, precision or text beyond this is not laid out.
const MOST_BYTES: usize = 1 << 26;

/// -1 as an `int`.
const FAILED: u64 = 0xffff_ffff;

fn load_errno(call: &mut Call<'_>) -> Result<i32, Halt> {
    match call.machine.linked.address_of("__refrain_errno") {
        Some(address) => Ok(load(call, address, 4)? as i32),
        None => Ok(0),
    }
}

/// What the C library calls an error.
fn error_text(error: i32) -> String {
    if error == 0 {
        return "Success".to_string();
    }
    let text = std::io::Error::from_raw_os_error(error).to_string();
    let suffix = format!(" (os error {error})");
    text.strip_suffix(&suffix)
        .map_or(text.clone(), str::to_string)
}

fn load(call: &mut Call<'_>, address: u64, bytes: u32) -> Result<u64, Halt> {
    let value = call
        .machine
        .read(call.terms, call.state, Value::Concrete(address), bytes)?;
    call.machine.fixed(call.state, value)
}

/// Where the format and its arguments are.
#[derive(Clone, Copy)]
struct Given {
    /// The index of the format among the arguments; what it formats follows.
    format: usize,
    /// What follows is a `va_list`.
    list: bool,
}

/// One argument as it was passed.
#[derive(Clone, Copy)]
struct Passed {
    low: Value,
    high: Value,
}

/// A `va_list` of which arguments are taken.
struct List {
    address: u64,
    general: u64,
    floating: u64,
    overflow: u64,
    save: u64,
}

impl List {
    /// Bytes of the areas for registers.
    const GENERAL_END: u64 = 48;
    const FLOATING_END: u64 = 176;

    fn open(call: &mut Call<'_>, address: u64) -> Result<List, Halt> {
        Ok(List {
            address,
            general: load(call, address, 4)?,
            floating: load(call, address + 4, 4)?,
            overflow: load(call, address + 8, 8)?,
            save: load(call, address + 16, 8)?,
        })
    }

    /// Where the next argument of a kind lies.
    fn next(&mut self, kind: Kind) -> u64 {
        let place = match kind {
            Kind::Int | Kind::Long if self.general < Self::GENERAL_END => {
                self.general += 8;
                return self.save.wrapping_add(self.general - 8);
            }
            Kind::Double if self.floating < Self::FLOATING_END => {
                self.floating += 16;
                return self.save.wrapping_add(self.floating - 16);
            }
            Kind::LongDouble => self.overflow.next_multiple_of(16),
            _ => self.overflow,
        };
        let bytes = if kind == Kind::LongDouble { 16 } else { 8 };
        self.overflow = place.wrapping_add(bytes);
        place
    }

    /// Tells the program what was taken.
    fn close(&self, call: &mut Call<'_>) -> Result<(), Halt> {
        let mut bytes = (self.general as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&(self.floating as u32).to_le_bytes());
        bytes.extend_from_slice(&self.overflow.to_le_bytes());
        call.write_bytes(self.address, &bytes)
    }
}

/// What a format makes of its arguments, and what is to be stored once that is written.
struct Formatted {
    bytes: Vec<Value>,
    /// Where `%n` stores how much, in how many bytes.
    counts: Vec<(u64, u32, u64)>,
    list: Option<List>,
    /// Symbolic numbers may stay open.
    is_open: bool,
    /// Why nothing is written.
    trouble: Option<i32>,
}

impl Formatted {
    fn failed(error: i32) -> Formatted {
        Formatted {
            bytes: Vec::new(),
            counts: Vec::new(),
            list: None,
            is_open: false,
            trouble: Some(error),
        }
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes
            .extend(text.iter().map(|&byte| Value::Concrete(u64::from(byte))));
    }

    /// Text that may be symbolic, with spaces around it.
    fn padded(&mut self, spec: &Spec, text: &[Value]) {
        let (before, behind) = spec.padding(text.len());
        let space = Value::Concrete(u64::from(b' '));
        self.bytes.resize(self.bytes.len() + before, space);
        self.bytes.extend_from_slice(text);
        self.bytes.resize(self.bytes.len() + behind, space);
    }
}

/// Takes the arguments of these kinds.
fn take(
    call: &mut Call<'_>,
    given: Given,
    kinds: &[Kind],
) -> Result<(Vec<Passed>, Option<List>), Halt> {
    let first = given.format + 1;
    let mut passed = Vec::with_capacity(kinds.len());
    if !given.list {
        for index in 0..kinds.len() {
            let words = call.words(first + index);
            let Some(&low) = words.first() else {
                let message = format!(
                    "{} is to format {} arguments and is given {index}",
                    call.name,
                    kinds.len()
                );
                return Err(call.error(ErrorKind::OutOfBoundsRead, message));
            };
            let high = words.get(1).copied().unwrap_or(Value::Concrete(0));
            passed.push(Passed { low, high });
        }
        return Ok((passed, None));
    }
    let address = call.number(first)?;
    let mut list = List::open(call, address)?;
    for &kind in kinds {
        let place = list.next(kind);
        let bytes = if kind == Kind::Int { 4 } else { 8 };
        let low = call
            .machine
            .read(call.terms, call.state, Value::Concrete(place), bytes)?;
        let mut high = Value::Concrete(0);
        if kind == Kind::LongDouble {
            high = call
                .machine
                .read(call.terms, call.state, Value::Concrete(place + 8), 2)?;
        }
        passed.push(Passed { low, high });
    }
    Ok((passed, Some(list)))
}

/// The bytes of a string up to its end, or so many of them; symbolic ones stay symbolic.
fn string(call: &mut Call<'_>, address: u64, most: Option<usize>) -> Result<Vec<Value>, Halt> {
    if most.is_none() {
        let len = call
            .state
            .memory
            .concrete_len_to_nul(address)
            .map_err(|fault| call.fault(fault, 1, false))?;
        if let Some(len) = len {
            let bytes = call.bytes(address, len)?;
            return Ok(bytes
                .into_iter()
                .map(|byte| Value::Concrete(u64::from(byte)))
                .collect());
        }
    }
    let most = most.unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while bytes.len() < most {
        let at = Value::Concrete(address.wrapping_add(bytes.len() as u64));
        let byte = call.machine.read(call.terms, call.state, at, 1)?;
        let is_end = match byte {
            Value::Concrete(byte) => byte == 0,
            Value::Symbolic(term) => {
                let zero = call.terms.bv(8, 0);
                let is_zero = call.terms.eq(term, zero);
                call.machine.decide(call.terms, call.state, is_zero)?
            }
        };
        if is_end {
            break;
        }
        bytes.push(byte);
    }
    Ok(bytes)
}

/// A wide string as bytes: in the C locale, ASCII. `None` if a character is something else.
fn wide_string(
    call: &mut Call<'_>,
    address: u64,
    most: Option<usize>,
) -> Result<Option<Vec<u8>>, Halt> {
    let most = most.unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    while bytes.len() < most {
        match load(call, address.wrapping_add(4 * bytes.len() as u64), 4)? {
            0 => break,
            character @ 1..128 => bytes.push(character as u8),
            _ => return Ok(None),
        }
    }
    Ok(Some(bytes))
}

/// Formats a call; nothing is changed yet.
fn formatted(call: &mut Call<'_>, given: Given, is_open: bool) -> Result<Formatted, Halt> {
    let address = call.number(given.format)?;
    let text = call.string(address)?;
    let (steps, kinds) = match format::plan(&text) {
        Ok(plan) => plan,
        Err(Trouble::Unfinished) => return Ok(Formatted::failed(errno::EINVAL)),
        Err(Trouble::Overflow) => return Ok(Formatted::failed(errno::EOVERFLOW)),
    };
    let (passed, list) = take(call, given, &kinds)?;
    let mut out = Formatted {
        bytes: Vec::new(),
        counts: Vec::new(),
        list,
        is_open: is_open && !steps.iter().any(Step::counts),
        trouble: None,
    };
    for step in steps {
        let (conversion, width, precision, value) = match step {
            Step::Text(text) => {
                out.text(text);
                continue;
            }
            Step::Convert {
                conversion,
                width,
                precision,
                value,
            } => (conversion, width, precision, value),
        };
        let mut spec = Spec::new(&conversion);
        if let Some(index) = width {
            spec.set_width(narrow(call, passed[index].low, 32)? as i32);
        }
        if let Some(index) = precision {
            spec.set_precision(narrow(call, passed[index].low, 32)? as i32);
        }
        if spec.width > MOST_BYTES
            || (spec.precision.is_some_and(|bytes| bytes > MOST_BYTES)
                && conversion.letter | 32 != b's')
        {
            return Err(call.unsupported("formatted text of over 64 megabytes"));
        }
        convert(
            call,
            &mut out,
            &conversion,
            &spec,
            value.map(|index| passed[index]),
        )?;
        if out.trouble.is_some() {
            break;
        }
    }
    Ok(out)
}

/// The low bits of a value as a number.
fn narrow(call: &mut Call<'_>, value: Value, bits: u32) -> Result<u64, Halt> {
    let value = call.machine.cut(call.terms, value, bits);
    call.machine.fixed(call.state, value)
}

fn float_bits(call: &Call<'_>, value: Value) -> Result<u64, Halt> {
    match value {
        Value::Concrete(bits) => Ok(bits),
        Value::Symbolic(_) => Err(call.unsupported("a float that depends on symbolic input")),
    }
}

fn convert(
    call: &mut Call<'_>,
    out: &mut Formatted,
    conversion: &Conversion,
    spec: &Spec,
    value: Option<Passed>,
) -> Result<(), Halt> {
    let Some(passed) = value else {
        match conversion.letter {
            b'%' => out.text(b"%"),
            b'm' => {
                let text = error_text(load_errno(call)?);
                let shown = spec.precision.unwrap_or(usize::MAX).min(text.len());
                out.text(&spec.padded(&text.as_bytes()[..shown]));
            }
            _ => out.text(&spec.unknown()),
        }
        return Ok(());
    };
    let is_wide = conversion.length == Length::Long || matches!(conversion.letter, b'S' | b'C');
    match conversion.letter {
        b'c' | b'C' if is_wide => match narrow(call, passed.low, 32)? {
            character @ 0..128 => out.text(&spec.padded(&[character as u8])),
            _ => out.trouble = Some(EILSEQ),
        },
        b'c' => {
            let byte = call.machine.cut(call.terms, passed.low, 8);
            out.padded(spec, &[byte]);
        }
        b's' | b'S' => {
            let address = call.machine.fixed(call.state, passed.low)?;
            if address == 0 {
                out.text(&format::null_string(spec));
            } else if is_wide {
                match wide_string(call, address, spec.precision)? {
                    Some(text) => out.text(&spec.padded(&text)),
                    None => out.trouble = Some(EILSEQ),
                }
            } else {
                let text = string(call, address, spec.precision)?;
                out.padded(spec, &text);
            }
        }
        b'p' => {
            let address = call.machine.fixed(call.state, passed.low)?;
            out.text(&format::pointer(spec, address));
        }
        b'n' => {
            let address = call.machine.fixed(call.state, passed.low)?;
            out.counts.push((
                address,
                conversion_bytes(conversion.length),
                out.bytes.len() as u64,
            ));
        }
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' => {
            let bits = conversion.bits();
            if out.is_open
                && let Some(place) = hold(call, spec, bits, passed.low)
            {
                out.bytes.push(place);
                return Ok(());
            }
            let number = narrow(call, passed.low, bits)?;
            out.text(&format::integer(spec, conversion.bits(), number));
        }
        _ => {
            let low = float_bits(call, passed.low)?;
            let real = if conversion.kind() == Some(Kind::LongDouble) {
                Real::from_extended(low, float_bits(call, passed.high)? as u16)
            } else {
                Real::from_double(f64::from_bits(low))
            };
            out.text(&format::float(spec, real));
        }
    }
    Ok(())
}

/// A variable in the place of a number that is symbolic.
fn hold(call: &mut Call<'_>, spec: &Spec, bits: u32, value: Value) -> Option<Value> {
    let Value::Symbolic(_) = value else {
        return None;
    };
    let cut = call.machine.cut(call.terms, value, bits);
    let Value::Symbolic(_) = cut else {
        return None;
    };
    let value = call.machine.term(call.terms, cut, bits);
    let printed = Printed {
        spec: *spec,
        bits,
        value,
    };
    // The same number printed in the same way has the same place, in every arena.
    let hash = call.terms.structural_hash(value);
    let mut name = format!("(printed {spec:?} {bits} {hash:x})");
    loop {
        let place = call.terms.var(&name, Sort::BitVec(8));
        match call.state.printed.get(&place) {
            Some(known) if *known != printed => name.push('\''),
            Some(_) => return Some(Value::Symbolic(place)),
            None => {
                Rc::make_mut(&mut call.state.printed).insert(place, printed);
                return Some(Value::Symbolic(place));
            }
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
    let open = call.state.world.files.get(descriptor);
    Ok(open.is_ok_and(|open| matches!(open.target, Target::Output(_))))
}

fn conversion_bytes(length: Length) -> u32 {
    match length {
        Length::Char => 1,
        Length::Short => 2,
        Length::Int => 4,
        Length::Long | Length::LongLong => 8,
    }
}

/// Where formatted text goes.
#[derive(Clone, Copy)]
enum To {
    Stdout,
    /// The stream that is the first argument.
    Stream,
    /// The descriptor that is the first argument.
    Descriptor,
    /// The array that is the first argument.
    Memory(Room),
    /// A new array, of which the first argument is told.
    Fresh,
}

/// How much an array takes.
#[derive(Clone, Copy)]
enum Room {
    Any,
    /// No more than the argument of this index says, or the program ends.
    Checked(usize),
    /// As much as the second argument says, which must not be more than the argument of this index.
    AtMost(Option<usize>),
}

fn print(call: &mut Call<'_>, to: To, given: Given) -> Result<Flow, Halt> {
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

fn overflown(call: &Call<'_>) -> Halt {
    call.error(ErrorKind::Abort, "buffer overflow detected")
}

/// Stores what the program is told besides the text.
fn settle(call: &mut Call<'_>, out: &Formatted) -> Result<(), Halt> {
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

fn concrete(values: &[Value]) -> Vec<u8> {
    let number = |value: &Value| match value {
        Value::Concrete(byte) => *byte as u8,
        Value::Symbolic(_) => 0,
    };
    values.iter().map(number).collect()
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

fn write_values(call: &mut Call<'_>, address: u64, values: &[Value]) -> Result<(), Halt> {
    call.write_bytes(address, &concrete(values))?;
    write_symbolic(call, address, values)
}

/// Puts bytes where code can read them.
fn scratch(call: &mut Call<'_>, values: &[Value]) -> Result<u64, Halt> {
    let address = call.scratch(&concrete(values))?;
    write_symbolic(call, address, values)?;
    Ok(address)
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
    let Some(native) = super::find(name) else {
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
            call.output(descriptor as i32, bytes);
            Ok(Flow::value(len))
        }
    }
}

/// What `err` and its kin are to say.
struct Complaint {
    /// The index of the status to exit with.
    status: Option<usize>,
    with_error: bool,
    list: bool,
}

/// The last part of the name that the program was called by.
fn program_name(call: &mut Call<'_>) -> Result<Vec<u8>, Halt> {
    let argv = call.state.world.arguments[1];
    if argv == 0 {
        return Ok(Vec::new());
    }
    let address = load(call, argv, 8)?;
    if address == 0 {
        return Ok(Vec::new());
    }
    let name = call.string(address)?;
    Ok(name
        .rsplit(|&byte| byte == b'/')
        .next()
        .unwrap_or_default()
        .to_vec())
}

fn plain(text: &[u8]) -> Vec<Value> {
    text.iter()
        .map(|&byte| Value::Concrete(u64::from(byte)))
        .collect()
}

fn complain(call: &mut Call<'_>, how: Complaint) -> Result<Flow, Halt> {
    let format = how.status.map_or(0, |index| index + 1);
    let status = match how.status {
        Some(index) => Some(call.number(index)?),
        None => None,
    };
    let error = load_errno(call)?;
    let mut bytes = plain(&program_name(call)?);
    bytes.extend(plain(b": "));
    let prints_later = call.machine.prints_later;
    // Without a format, there is only the error.
    let has_format = call.number(format)? != 0;
    if has_format {
        let out = formatted(
            call,
            Given {
                format,
                list: how.list,
            },
            prints_later,
        )?;
        settle(call, &out)?;
        bytes.extend(out.bytes);
    }
    if how.with_error {
        bytes.extend(plain(if has_format { b": " } else { b"" }));
        bytes.extend(plain(error_text(error).as_bytes()));
    }
    bytes.extend(plain(b"\n"));
    call.output(2, bytes);
    match status {
        Some(status) => call.enter("exit", vec![Value::Concrete(status & 0xffff_ffff)]),
        None => Ok(Flow::void()),
    }
}

/// `error` of the GNU C library: a status to exit with unless it is 0, an error unless it is 0, and a format.
fn error(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let (status, error) = (call.int(0)?, call.int(1)?);
    let prints_later = call.machine.prints_later;
    let mut bytes = plain(&program_name(call)?);
    bytes.extend(plain(b": "));
    let out = formatted(
        call,
        Given {
            format: 2,
            list: false,
        },
        prints_later,
    )?;
    settle(call, &out)?;
    bytes.extend(out.bytes);
    if error != 0 {
        bytes.extend(plain(format!(": {}", error_text(error)).as_bytes()));
    }
    bytes.extend(plain(b"\n"));
    call.output(2, bytes);
    if status == 0 {
        return Ok(Flow::void());
    }
    call.enter("exit", vec![Value::Concrete(u64::from(status as u32))])
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}

fn no_program(call: &mut Call<'_>) -> Result<Flow, Halt> {
    call.set_errno(errno::ENOENT);
    Ok(Flow::value(FAILED))
}

/// Where formatted input comes from.
#[derive(Clone, Copy)]
enum From {
    String,
    Stream,
    Stdin,
}

/// Lays the arguments out as a list and lets the library read. `binary`: `%i` takes binary numbers.
fn scan(call: &mut Call<'_>, from: From, binary: bool) -> Result<Flow, Halt> {
    let (source, format, name) = match from {
        From::String => (call.arg(0), 1, "__refrain_scan_string"),
        From::Stream => (call.arg(0), 1, "__refrain_scan_stream"),
        From::Stdin => (Value::Concrete(0), 0, "__refrain_scan_stream"),
    };
    const LIST_BYTES: u64 = 24;
    let mut words = vec![Value::Concrete(0); (LIST_BYTES as usize / 8) + 1];
    for index in format + 1..call.site.args.len() {
        let is_wide = matches!(
            call.class(index),
            Some(ArgClass::Float(Format::X87 | Format::Quad))
        );
        if is_wide && words.len() % 2 == 1 {
            words.push(Value::Concrete(0));
        }
        words.extend(call.words(index));
    }
    let text: Vec<Value> = vec![Value::Concrete(0); 8 * words.len()];
    let list = scratch(call, &text)?;
    // The registers are used up; the arguments follow, with room to stay aligned.
    words[0] = Value::Concrete(List::FLOATING_END << 32 | List::GENERAL_END);
    words[1] = Value::Concrete(list + 32);
    for (index, &word) in words.iter().enumerate() {
        let place = Value::Concrete(list + 8 * index as u64);
        call.machine.write(call.terms, call.state, place, 8, word)?;
    }
    let format = call.arg(format);
    call.enter(
        name,
        vec![
            source,
            format,
            Value::Concrete(list),
            Value::Concrete(u64::from(binary)),
        ],
    )
}
