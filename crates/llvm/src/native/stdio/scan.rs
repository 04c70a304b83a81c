//! `scanf` and its kin: lays the arguments out as a `va_list` and lets the library read.

use super::arguments::List;
use super::scratch;
use crate::code::{ArgClass, Format};
use crate::machine::Halt;
use crate::memory::Value;
use crate::native::{Call, Flow};

/// Where formatted input comes from.
#[derive(Clone, Copy)]
pub(super) enum From {
    String,
    Stream,
    Stdin,
    WideString,
    WideStream,
    WideStdin,
}

/// Lays the arguments out as a list and lets the library read. `binary`: `%i` takes binary numbers.
pub(super) fn scan(call: &mut Call<'_>, from: From, binary: bool) -> Result<Flow, Halt> {
    let (source, format, name) = match from {
        From::String => (call.arg(0), 1, "__refrain_scan_string"),
        From::Stream => (call.arg(0), 1, "__refrain_scan_stream"),
        From::Stdin => (Value::Concrete(0), 0, "__refrain_scan_stream"),
        From::WideString => (call.arg(0), 1, "__refrain_scan_wide_string"),
        From::WideStream => (call.arg(0), 1, "__refrain_scan_wide_stream"),
        From::WideStdin => (Value::Concrete(0), 0, "__refrain_scan_wide_stream"),
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
