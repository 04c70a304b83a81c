//! Whether two runs are the same: what the test says, what the machine does, what the native program does.

use refrain_machine::{End, ErrorKind, ExitStatus};
use refrain_results::{Outcome, Test};

use super::native::Ended;

/// What an error is natively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// The program dies of it: by a signal, or with the status of a panic or of a shell's abort.
    Dies,
    /// Anything may happen; clang's sanitizers report it.
    Reported,
    /// It dies, or the sanitizers report it.
    DiesOrReported,
    /// The sanitizers report it of scalars.
    MayBeReported,
    /// The runtime says that the test contradicts an assumption.
    Contradicts,
    /// There is nothing to see.
    Unseen,
}

pub fn natively(kind: ErrorKind) -> Native {
    use ErrorKind::*;
    match kind {
        Assertion | Abort | Panic | UncaughtException | Trap => Native::Dies,
        DivisionByZero | DivisionOverflow | NullDereference | NullCall | StackOverflow
        | BadJump | BadGoto => Native::DiesOrReported,
        OutOfBoundsRead | OutOfBoundsWrite | UseAfterFree | UseAfterReturn | WildRead
        | WildWrite | WriteToReadOnly | DoubleFree | BadFree | SignedOverflow | ShiftTooFar
        | Unreachable | BadCall => Native::Reported,
        ImpossibleAssumption => Native::Contradicts,
        FloatDivisionByZero | FloatToInteger => Native::MayBeReported,
        UninitialisedRead | OutOfMemory | NotANumber | InfiniteResult => Native::Unseen,
    }
}

pub fn has_died(ended: Ended) -> bool {
    matches!(ended, Ended::Signal(_) | Ended::Exit(101 | 134))
}

/// Whether a program ended with this status. Whoever ends by a signal that is no error has in the machine the status
/// that a shell would give.
pub fn has_status(ended: Ended, status: i32) -> bool {
    let is_error = |signal| matches!(signal, 4..=8 | 11);
    match ended {
        Ended::Exit(found) => found == status & 0xff,
        Ended::Signal(signal) => !is_error(signal) && 128 + signal == status & 0xff,
        Ended::TimedOut => false,
    }
}

/// Whether one of clang's sanitizers has something to say.
pub fn is_reported(ended: Ended, stderr: &[u8]) -> bool {
    let has = |text: &[u8]| stderr.windows(text.len()).any(|found| found == text);
    ended != Ended::Exit(0) && (has(b"ERROR: AddressSanitizer") || has(b"runtime error: "))
}

/// In words.
pub fn ending(ended: Ended) -> String {
    match ended {
        Ended::Exit(status) => format!("exits with {status}"),
        Ended::Signal(signal) => format!("dies by {}", signal_name(signal)),
        Ended::TimedOut => "does not end in time".into(),
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        4 => "SIGILL".into(),
        5 => "SIGTRAP".into(),
        6 => "SIGABRT".into(),
        7 => "SIGBUS".into(),
        8 => "SIGFPE".into(),
        9 => "SIGKILL".into(),
        11 => "SIGSEGV".into(),
        _ => format!("signal {signal}"),
    }
}

pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit { status, .. } => format!("exit with {status}"),
        Outcome::Error(fault) if fault.message.is_empty() => fault.kind.to_string(),
        Outcome::Error(fault) => format!("{}: {}", fault.kind, fault.message),
        Outcome::Unfinished(cause) => format!("not finished: {cause}"),
    }
}

/// How the machine's run of a test ends otherwise than the test says.
pub fn in_the_machine(test: &Test, end: Option<&End>, is_main: bool) -> Option<String> {
    let found = match (&test.outcome, end?) {
        (Outcome::Error(fault), End::Error(error)) if fault.kind == error.kind => return None,
        (_, End::Silent) => "the program wants the path to be silent".into(),
        (_, End::Error(error)) if error.kind == ErrorKind::ImpossibleAssumption => {
            "an assumption does not hold".into()
        }
        (Outcome::Unfinished(_), _) => return None,
        // What another function than main returns is no status.
        (Outcome::Exit { .. }, End::Exit(_)) if !is_main => return None,
        (Outcome::Exit { status, .. }, End::Exit(ExitStatus::Known(found)))
            if status & 0xff == found & 0xff =>
        {
            return None;
        }
        (_, End::Exit(ExitStatus::Known(status))) => format!("exit with {status}"),
        (_, End::Exit(ExitStatus::Symbolic(_))) => "a symbolic status".into(),
        (_, End::Error(error)) => error.kind.name().to_string(),
        (_, End::Unsupported(what)) => what.what.clone(),
        (_, End::Internal(what)) => format!("a bug of Refrain: {what}"),
    };
    Some(format!("in the machine: {found}"))
}

/// How many bytes two outputs share, with what comes then.
pub fn outputs(expected: &[u8], found: &[u8]) -> String {
    let shared = expected.iter().zip(found).take_while(|(a, b)| a == b);
    let shared = shared.count();
    let excerpt = |bytes: &[u8]| {
        let rest = &bytes[shared.min(bytes.len())..];
        let start = &rest[..rest.len().min(20)];
        match start.is_empty() {
            true => "nothing".to_string(),
            false => format!("\"{}\"", refrain_results::text(start)),
        }
    };
    format!(
        "standard output differs after {shared} bytes: {} instead of {}",
        excerpt(found),
        excerpt(expected)
    )
}
