//! Signals: Ctrl-C ends a check, SIGTERM ends the process and the solvers it has started.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use refrain_smtlib::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Exit status of a session that Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;

/// How long a check may take to end once it is told to.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ctrl-C ends a check, not the session; without a check it ends the process. SIGTERM ends both: a solver in a
/// process of its own would go on for hours if this one just died.
pub fn catch(interrupt: &Interrupt) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| format!("cannot catch signals: {error}"))?;
    let interrupt = interrupt.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTERM {
                interrupt.end(PATIENCE);
                let _ = emulate_default_handler(SIGTERM);
            } else if !interrupt.interrupt() {
                process::exit(INTERRUPTED);
            }
        }
    });
    Ok(())
}

/// Ctrl-C and SIGTERM ask to stop; what was found is written then. The second one does not wait for that.
pub fn stop_on_interrupt(stop: &Arc<AtomicBool>) -> Result<(), String> {
    let stop = stop.clone();
    on_interrupt(move || stop.store(true, Ordering::Relaxed))
}

/// Does something at the first Ctrl-C or SIGTERM; the second one ends the process.
pub fn on_interrupt(act: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| format!("cannot catch signals: {error}"))?;
    thread::spawn(move || {
        let mut act = Some(act);
        for signal in signals.forever() {
            match act.take() {
                Some(act) => act(),
                None => drop(emulate_default_handler(signal)),
            }
        }
    });
    Ok(())
}
