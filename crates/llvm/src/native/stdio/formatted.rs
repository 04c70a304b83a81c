//! What a format makes of its arguments: bytes, of which some may be symbolic.

use std::rc::Rc;

use refrain_term::Sort;

use super::arguments::{Given, List, Passed, take};
use super::load;
use super::messages::{error_text, load_errno};
use super::symbolic_format::FormatText;
use crate::machine::{Halt, Printed};
use crate::memory::Value;
use crate::native::format::{self, Conversion, Kind, Length, Real, Spec, Step, Trouble};
use crate::native::{Call, errno};

/// A character that the locale does not have.
const EILSEQ: i32 = 84;

/// A single width, precision or text beyond this is not laid out.
const MOST_BYTES: usize = 1 << 26;

/// What a format makes of its arguments, and what is to be stored once that is written.
pub(super) struct Formatted {
    pub(super) bytes: Vec<Value>,
    /// Where `%n` stores how much, in how many bytes.
    pub(super) counts: Vec<(u64, u32, u64)>,
    pub(super) list: Option<List>,
    /// `bytes` are wide characters; those of 8 bits are ASCII.
    is_wide: bool,
    /// Symbolic numbers may stay open.
    is_open: bool,
    /// Why nothing is written.
    pub(super) trouble: Option<i32>,
}

impl Formatted {
    fn failed(error: i32) -> Formatted {
        Formatted {
            bytes: Vec::new(),
            counts: Vec::new(),
            list: None,
            is_wide: false,
            is_open: false,
            trouble: Some(error),
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.is_wide {
            let text = String::from_utf8_lossy(text);
            let characters = text.chars().map(|c| Value::Concrete(u64::from(c)));
            self.bytes.extend(characters);
            return;
        }
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

/// Formats a call; nothing is changed yet.
pub(super) fn formatted(
    call: &mut Call<'_>,
    given: Given,
    is_open: bool,
) -> Result<Formatted, Halt> {
    let address = call.number(given.format)?;
    let format = match given.is_wide {
        true => match wide_format(call, address)? {
            Some(text) => FormatText::from(text.into_bytes()),
            None => return Ok(Formatted::failed(EILSEQ)),
        },
        false => FormatText::read(call, address)?,
    };
    let (steps, kinds) = match format::plan(&format.bytes) {
        Ok(plan) => plan,
        Err(Trouble::Unfinished) => return Ok(Formatted::failed(errno::EINVAL)),
        Err(Trouble::Overflow) => return Ok(Formatted::failed(errno::EOVERFLOW)),
    };
    let (passed, list) = take(call, given, &kinds)?;
    let mut out = Formatted {
        bytes: Vec::new(),
        counts: Vec::new(),
        list,
        is_wide: given.is_wide,
        is_open: is_open && !given.is_wide && !steps.iter().any(Step::counts),
        trouble: None,
    };
    for step in steps {
        let (conversion, width, precision, value) = match step {
            Step::Text(text) if given.is_wide => {
                out.text(text);
                continue;
            }
            Step::Text(text) => {
                out.bytes.extend(format.values(text));
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
        b'c' | b'C' if out.is_wide => {
            // A byte that is no character of the locale cannot be a wide one.
            let bits = if is_wide { 32 } else { 8 };
            let character = narrow(call, passed.low, bits)?;
            if is_wide || character < 128 {
                out.padded(spec, &[Value::Concrete(character)]);
            } else {
                out.trouble = Some(EILSEQ);
            }
        }
        b'c' | b'C' if is_wide => {
            let character = narrow(call, passed.low, 32)?;
            match encoded(call, character)? {
                Some(bytes) => out.text(&spec.padded(&bytes)),
                None => out.trouble = Some(EILSEQ),
            }
        }
        b'c' => {
            let byte = call.machine.cut(call.terms, passed.low, 8);
            out.padded(spec, &[byte]);
        }
        b's' | b'S' => {
            let address = call.machine.fixed(call.terms, call.state, passed.low)?;
            if address == 0 {
                out.text(&format::null_string(spec));
            } else if out.is_wide {
                match wide_text(call, address, spec.precision, is_wide)? {
                    Some(text) => out.padded(spec, &text),
                    None => out.trouble = Some(EILSEQ),
                }
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
            let address = call.machine.fixed(call.terms, call.state, passed.low)?;
            call.machine.note_layout();
            out.text(&format::pointer(spec, address));
        }
        b'n' => {
            let address = call.machine.fixed(call.terms, call.state, passed.low)?;
            out.counts.push((
                address,
                conversion_bytes(conversion.length),
                out.bytes.len() as u64,
            ));
        }
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' => {
            let bits = conversion.bits();
            if out.is_open
                && let Some(place) = hold(call, spec, bits, passed.low)?
            {
                out.bytes.push(place);
                return Ok(());
            }
            let number = narrow(call, passed.low, bits)?;
            if call.state.memory.object_at(number).is_some() {
                // A pointer, as likely as not.
                call.machine.note_layout();
            }
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
fn hold(call: &mut Call<'_>, spec: &Spec, bits: u32, value: Value) -> Result<Option<Value>, Halt> {
    let Value::Symbolic(_) = value else {
        return Ok(None);
    };
    let cut = call.machine.cut(call.terms, value, bits);
    let cut = call.machine.written_out(call.terms, call.state, cut)?;
    let Value::Symbolic(_) = cut else {
        return Ok(None);
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
            Some(_) => return Ok(Some(Value::Symbolic(place))),
            None => {
                Rc::make_mut(&mut call.state.printed).insert(place, printed);
                return Ok(Some(Value::Symbolic(place)));
            }
        }
    }
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

/// A format of wide characters, as text. `None` if something in it is no character.
fn wide_format(call: &mut Call<'_>, address: u64) -> Result<Option<String>, Halt> {
    let mut text = String::new();
    loop {
        let at = address.wrapping_add(4 * text.chars().count() as u64);
        match load(call, at, 4)? {
            0 => return Ok(Some(text)),
            character => match char::from_u32(character as u32) {
                Some(character) => text.push(character),
                None => return Ok(None),
            },
        }
    }
}

/// A string as wide characters: of wide ones as they are, of bytes if they are ASCII.
fn wide_text(
    call: &mut Call<'_>,
    address: u64,
    most: Option<usize>,
    from_wide: bool,
) -> Result<Option<Vec<Value>>, Halt> {
    if !from_wide {
        let text = string(call, address, most)?;
        for &byte in &text {
            let is_ascii = match byte {
                Value::Concrete(byte) => byte < 128,
                Value::Symbolic(term) => {
                    let limit = call.terms.bv(8, 128);
                    let is_less = call.terms.bv_ult(term, limit);
                    call.machine.decide(call.terms, call.state, is_less)?
                }
            };
            if !is_ascii {
                return Ok(None);
            }
        }
        return Ok(Some(text));
    }
    let most = most.unwrap_or(usize::MAX);
    let mut text = Vec::new();
    while text.len() < most {
        match load(call, address.wrapping_add(4 * text.len() as u64), 4)? {
            0 => break,
            character => text.push(Value::Concrete(character)),
        }
    }
    Ok(Some(text))
}

/// A character as bytes of the locale: ASCII, or UTF-8. `None` if it has none.
pub(super) fn encoded(call: &mut Call<'_>, character: u64) -> Result<Option<Vec<u8>>, Halt> {
    if character < 128 {
        return Ok(Some(vec![character as u8]));
    }
    let is_utf8 = match call.machine.linked.address_of("__refrain_utf8") {
        Some(variable) => load(call, variable, 4)? != 0,
        None => false,
    };
    let character = char::from_u32(character as u32).filter(|_| is_utf8);
    Ok(character.map(|character| character.to_string().into_bytes()))
}

/// A wide string as bytes of the locale. `None` if a character has none.
fn wide_string(
    call: &mut Call<'_>,
    address: u64,
    most: Option<usize>,
) -> Result<Option<Vec<u8>>, Halt> {
    let most = most.unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    for index in 0.. {
        if bytes.len() >= most {
            break;
        }
        let character = load(call, address.wrapping_add(4 * index), 4)?;
        if character == 0 {
            break;
        }
        match encoded(call, character)? {
            // No part of a character is written.
            Some(more) if bytes.len() + more.len() > most => break,
            Some(more) => bytes.extend(more),
            None => return Ok(None),
        }
    }
    Ok(Some(bytes))
}

/// The low bits of a value as a number.
fn narrow(call: &mut Call<'_>, value: Value, bits: u32) -> Result<u64, Halt> {
    let value = call.machine.cut(call.terms, value, bits);
    call.machine.fixed_bits(call.terms, call.state, value, bits)
}

fn float_bits(call: &mut Call<'_>, value: Value) -> Result<u64, Halt> {
    call.machine.float_word(call.terms, call.state, value)
}

fn conversion_bytes(length: Length) -> u32 {
    match length {
        Length::Char => 1,
        Length::Short => 2,
        Length::Int => 4,
        Length::Long | Length::LongLong => 8,
    }
}
