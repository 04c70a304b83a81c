//! `err`, `warn` and `error`: messages to standard error, perhaps with the text of an error.

use super::arguments::Given;
use super::formatted::formatted;
use super::print::settle;
use super::{load, write_values};
use crate::machine::{ErrorKind, Halt};
use crate::memory::Value;
use crate::native::{Call, Flow};

/// What `err` and its kin are to say.
pub(super) struct Complaint {
    /// The index of the status to exit with.
    status: Option<usize>,
    with_error: bool,
    list: bool,
}

impl Complaint {
    pub(super) fn warning(with_error: bool, list: bool) -> Complaint {
        Complaint {
            status: None,
            with_error,
            list,
        }
    }

    /// Ends the program with the status that is the first argument.
    pub(super) fn fatal(with_error: bool, list: bool) -> Complaint {
        Complaint {
            status: Some(0),
            with_error,
            list,
        }
    }
}

pub(super) fn complain(call: &mut Call<'_>, how: Complaint) -> Result<Flow, Halt> {
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
                list: how.list,
                ..Given::passed(format)
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
    call.output(2, bytes)?;
    match status {
        Some(status) => call.enter("exit", vec![Value::Concrete(status & 0xffff_ffff)]),
        None => Ok(Flow::void()),
    }
}

/// `error` of the GNU C library: a status to exit with unless it is 0, an error unless it is 0, and a format.
/// `error_at_line` has a file and a line before the format. The library says it all, once the text is there.
pub(super) fn error(call: &mut Call<'_>, with_place: bool) -> Result<Flow, Halt> {
    let mut args = vec![call.arg(0), call.arg(1), Value::Concrete(with_place.into())];
    let mut format = 2;
    if with_place {
        args.extend([call.arg(2), call.arg(3)]);
        format = 4;
    } else {
        args.extend([Value::Concrete(0); 2]);
    }
    say(call, "__refrain_error", args, format)
}

/// `argp_error` and `argp_failure`, whose formats come behind so many arguments.
pub(super) fn argp_message(call: &mut Call<'_>, name: &str, before: usize) -> Result<Flow, Halt> {
    let args = (0..before).map(|index| call.arg(index)).collect();
    say(call, name, args, before)
}

/// Formats a message, and has the library say it.
fn say(call: &mut Call<'_>, name: &str, mut args: Vec<Value>, format: usize) -> Result<Flow, Halt> {
    let prints_later = call.machine.prints_later;
    let out = formatted(call, Given::passed(format), prints_later)?;
    if call.machine.linked.find(name).is_none() {
        return Err(call.unsupported("a message without the library"));
    }
    // What says the program's name may itself print: the text gets memory of its own, which the library frees.
    let text = call.allocate(out.bytes.len() as u64 + 1, 16);
    if text == 0 {
        return Err(call.error(ErrorKind::OutOfMemory, ""));
    }
    settle(call, &out)?;
    write_values(call, text, &out.bytes)?;
    args.extend([text, out.bytes.len() as u64].map(Value::Concrete));
    call.enter(name, args)
}

/// The last part of the name that the program was called by.
fn program_name(call: &mut Call<'_>) -> Result<Vec<u8>, Halt> {
    match call.machine.linked.address_of("__progname") {
        Some(variable) => {
            let address = load(call, variable, 8)?;
            call.string(address)
        }
        None => Ok(Vec::new()),
    }
}

fn plain(text: &[u8]) -> Vec<Value> {
    text.iter()
        .map(|&byte| Value::Concrete(u64::from(byte)))
        .collect()
}

pub(super) fn load_errno(call: &mut Call<'_>) -> Result<i32, Halt> {
    match call.machine.linked.address_of("__refrain_errno") {
        Some(address) => Ok(load(call, address, 4)? as i32),
        None => Ok(0),
    }
}

/// What the C library calls an error.
pub(super) fn error_text(error: i32) -> String {
    if error == 0 {
        return "Success".to_string();
    }
    let text = std::io::Error::from_raw_os_error(error).to_string();
    let suffix = format!(" (os error {error})");
    text.strip_suffix(&suffix)
        .map_or(text.clone(), str::to_string)
}
