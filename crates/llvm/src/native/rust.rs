//! What programs in Rust need beyond C: system calls by number, stacks to look at, and panics.

use super::{Call, Flow, NativeFn, clock, errno, kernel};
use crate::code::{ArgClass, CallSite};
use crate::machine::Halt;
use crate::memory::Value;

pub const TABLE: &[(&str, NativeFn)] = &[
    ("syscall", system_call),
    ("__rust_probestack", nothing),
    ("_Unwind_Backtrace", end_of_stack),
    ("_Unwind_ForcedUnwind", end_of_stack),
    ("_Unwind_GetIP", zero),
    ("_Unwind_GetIPInfo", zero),
    ("_Unwind_GetCFA", zero),
    ("_Unwind_GetGR", zero),
    ("_Unwind_GetRegionStart", zero),
    ("_Unwind_GetTextRelBase", zero),
    ("_Unwind_GetDataRelBase", zero),
    ("_Unwind_GetLanguageSpecificData", zero),
    ("_Unwind_FindEnclosingFunction", zero),
    ("_Unwind_SetGR", nothing),
    ("_Unwind_SetIP", nothing),
    ("_Unwind_DeleteException", delete_exception),
    ("dl_iterate_phdr", zero),
    ("dladdr", zero),
    ("dlsym", zero),
    ("dlopen", zero),
    ("dlclose", zero),
    ("dlerror", zero),
    ("backtrace", zero),
    ("backtrace_symbols", zero),
    ("backtrace_symbols_fd", nothing),
];

fn zero(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::value(0))
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}

/// There is nothing on the stack that could be walked.
fn end_of_stack(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const END_OF_STACK: i64 = 5;
    Ok(call.signed(END_OF_STACK))
}

/// An exception carries the function that deletes it.
fn delete_exception(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const FOREIGN_CAUGHT: u64 = 1;
    let exception = call.number(0)?;
    if exception == 0 {
        return Ok(Flow::void());
    }
    let place = Value::Concrete(exception + 8);
    let cleanup = call.machine.read(call.terms, call.state, place, 8)?;
    let cleanup = call.machine.fixed(call.terms, call.state, cleanup)?;
    match call.state.memory.function_at(cleanup) {
        Some(function) => {
            let args = vec![Value::Concrete(FOREIGN_CAUGHT), Value::Concrete(exception)];
            Ok(Flow::Enter(function, args))
        }
        None => Ok(Flow::void()),
    }
}

/// The C function of a system call.
fn function_of(number: u64) -> Option<&'static str> {
    Some(match number {
        0 => "read",
        1 => "write",
        2 => "open",
        3 => "close",
        8 => "lseek",
        9 => "mmap",
        10 => "mprotect",
        11 => "munmap",
        20 => "writev",
        28 => "madvise",
        32 => "dup",
        33 => "dup2",
        39 => "getpid",
        60 | 231 => "_exit",
        63 => "uname",
        96 => "gettimeofday",
        102 => "getuid",
        104 => "getgid",
        107 => "geteuid",
        108 => "getegid",
        110 => "getppid",
        204 => "sched_getaffinity",
        228 => "clock_gettime",
        257 => "openat",
        318 => "getrandom",
        _ => return None,
    })
}

fn system_call(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const FUTEX: u64 = 202;
    const YIELD: u64 = 24;
    const THREAD: u64 = 186;
    const SLEEP: u64 = 35;
    let number = call.number(0)?;
    match number {
        FUTEX => return futex(call),
        YIELD => return call.enter("sched_yield", Vec::new()),
        THREAD => return call.enter("gettid", Vec::new()),
        SLEEP => return call.enter("nanosleep", vec![call.arg(1), call.arg(2)]),
        _ => {}
    }
    let Some((name, native)) =
        function_of(number).and_then(|name| Some((name, super::find(name)?)))
    else {
        return Ok(call.fail(errno::ENOSYS));
    };
    let args = call.site.args.get(1..).unwrap_or_default().to_vec();
    let site = CallSite {
        fixed: args.len(),
        args,
        variadic: false,
        results: 1,
        result: Some(ArgClass::Int(64)),
        is_ignored: false,
    };
    native(&mut Call {
        machine: call.machine,
        terms: call.terms,
        state: call.state,
        site: &site,
        dst: call.dst,
        name,
    })
}

/// Waits for a word to change, or wakes those that do.
fn futex(call: &mut Call<'_>) -> Result<Flow, Halt> {
    const WAIT: u64 = 0;
    const WAKE: u64 = 1;
    const WAIT_BITSET: u64 = 9;
    const WAKE_BITSET: u64 = 10;
    const COMMAND: u64 = 127;
    const ON_REAL_TIME: u64 = 256;
    const MONOTONIC: u64 = 1;
    let (place, command, expected) = (call.arg(1), call.number(2)?, call.number(3)?);
    match command & COMMAND {
        WAIT | WAIT_BITSET => {}
        WAKE | WAKE_BITSET => {
            let most = Value::Concrete(expected);
            return call.enter("__refrain_futex_wake", vec![place, most]);
        }
        _ => return Ok(call.fail(errno::ENOSYS)),
    }
    let timeout = call.number(4)?;
    let value = call.machine.read(call.terms, call.state, place, 4)?;
    let value = call.machine.fixed(call.terms, call.state, value)?;
    if value as u32 != expected as u32 {
        return Ok(call.fail(errno::EAGAIN));
    }
    let mut words = [u64::MAX, 0, 0];
    if timeout != 0 {
        let Some(mut until) = clock::span(call, timeout)? else {
            return Ok(call.fail(errno::EINVAL));
        };
        if command & COMMAND == WAIT {
            until = until.saturating_add(clock::monotonic(call));
        }
        let clock = u64::from(command & ON_REAL_TIME == 0) * MONOTONIC;
        words = [clock, until / kernel::SECOND, until % kernel::SECOND];
    }
    let words = words.into_iter().map(Value::Concrete);
    let arguments = [place].into_iter().chain(words).collect();
    call.enter("__refrain_futex_wait", arguments)
}

/// Where a panic was and what it said, from the end of what was written to standard error: `file:line:column: message`.
pub fn panic_message(stderr_tail: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr_tail);
    let said = " panicked at ";
    let mut report = None;
    let mut end = text.len();
    while let Some(at) = text[..end].rfind(said) {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        if !text[line..at].starts_with("thread '") {
            break;
        }
        report = Some(&text[at + said.len()..]);
        // A panic that another one set off: that one is the cause.
        let follows = [
            "panic in a destructor during cleanup",
            "panic in a function that cannot unwind",
            "panicked while processing panic",
        ];
        if !follows
            .iter()
            .any(|follows| text[at..end].contains(follows))
        {
            break;
        }
        end = line;
    }
    let report = report?;
    let (first, rest) = report.split_once('\n').unwrap_or((report, ""));
    let Some(place) = first.strip_suffix(':') else {
        // Before Rust 1.73: 'message', file:line:column.
        return Some(match first.rsplit_once("', ") {
            Some((message, place)) => format!("{place}: {}", message.trim_start_matches('\'')),
            None => first.to_string(),
        });
    };
    let is_note = |line: &str| {
        line.starts_with("note: run with `RUST_BACKTRACE")
            || line.starts_with("stack backtrace:")
            || line.starts_with("thread caused non-unwinding panic")
            || (line.starts_with("thread '") && line.contains(said))
    };
    let lines: Vec<&str> = rest.lines().take_while(|line| !is_note(line)).collect();
    let message = lines.join("\n");
    Some(format!("{place}: {}", message.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::panic_message;

    #[test]
    fn a_panic_is_recognised() {
        let text = b"some output\n\nthread 'main' (42) panicked at src/main.rs:1:95:\nindex out of bounds: the len is 3 \
but the index is 6\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let message = "src/main.rs:1:95: index out of bounds: the len is 3 but the index is 6";
        assert_eq!(panic_message(text).as_deref(), Some(message));
    }

    #[test]
    fn lines_of_a_message_stay() {
        let text = b"thread '<unnamed>' panicked at a b/c.rs:2:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n";
        let message = "a b/c.rs:2:5: assertion `left == right` failed\n  left: 1\n right: 2";
        assert_eq!(panic_message(text).as_deref(), Some(message));
    }

    #[test]
    fn older_compilers_say_it_in_one_line() {
        let text = b"thread 'main' panicked at 'it's over', src/main.rs:2:5\nnote: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(
            panic_message(text).as_deref(),
            Some("src/main.rs:2:5: it's over")
        );
    }

    #[test]
    fn the_cause_of_a_panic_counts() {
        let text = b"thread 'main' panicked at a.rs:1:1:\nfirst\nstack backtrace:\nthread 'main' panicked at b.rs:2:2:\n\
panic in a destructor during cleanup\nthread caused non-unwinding panic. aborting.\n";
        assert_eq!(panic_message(text).as_deref(), Some("a.rs:1:1: first"));
        let caught = b"thread 'main' panicked at a.rs:1:1:\nfirst\n\nthread 'main' panicked at b.rs:2:2:\nsecond\n";
        assert_eq!(panic_message(caught).as_deref(), Some("b.rs:2:2: second"));
    }

    #[test]
    fn other_text_is_no_panic() {
        for text in [
            &b""[..],
            b"thread 'main'",
            b"he panicked at midnight\n",
            b"\xff\xfe panicked at ",
        ] {
            assert_eq!(panic_message(text), None);
        }
    }
}
