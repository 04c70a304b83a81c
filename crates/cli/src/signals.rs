//! Signals: Ctrl-C ends a check, SIGTERM ends the process and the solvers it has started.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refrain_smtlib::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

/// Exit status of a session that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// How long a check may take to end once it is told to.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ctrl-C ends a check, not the session; without a check it ends the process. The handler does all of it: a thread
/// that waits for signals would be started, and ended, by every process that answers one small script.
pub fn catch(interrupt: &Interrupt) -> Result<(), String> {
    let interrupt = interrupt.clone();
    let act = move || {
        if !interrupt.interrupt() {
            low_level::exit(INTERRUPTED);
        }
    };
    // SAFETY: the handler loads and stores two flags, or ends the process.
    let registered = unsafe { low_level::register(SIGINT, act) };
    registered.map_err(cannot_catch)?;
    Ok(())
}

/// SIGTERM ends a check first, and then the process: a solver in a process of its own would go on for hours if this one
/// just died.
pub fn end_solvers_first(interrupt: &Interrupt) -> Result<(), String> {
    let mut signals = Signals::new([SIGTERM]).map_err(cannot_catch)?;
    let interrupt = interrupt.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            interrupt.end(PATIENCE);
            let _ = low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

fn cannot_catch(error: io::Error) -> String {
    format!("cannot catch signals: {error}")
}

/// Ctrl-C and SIGTERM ask to stop; what was found is written then. The second one does not wait for that.
pub fn stop_on_interrupt(stop: &Arc<AtomicBool>) -> Result<(), String> {
    let stop = stop.clone();
    on_interrupt(move || stop.store(true, Ordering::Relaxed))
}

/// Does something at the first Ctrl-C or SIGTERM; the second one ends the process.
pub fn on_interrupt(act: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(cannot_catch)?;
    thread::spawn(move || {
        let mut act = Some(act);
        for signal in signals.forever() {
            match act.take() {
                Some(act) => act(),
                None => drop(low_level::emulate_default_handler(signal)),
            }
        }
    });
    Ok(())
}
