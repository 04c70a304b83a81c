//! A program that has no symbolic input: it is run, with standard input and output as they are.

use std::time::Instant;

use refrain_llvm::machine::{Machine, State, demangle};
use refrain_machine::{End, ExitStatus, Machine as _, Stop};
use refrain_term::Terms;

use super::report::{describe, describe_unsupported};
use super::{Arguments, environment};
use crate::{complain, show};

/// Runs the program; its status, or 1 for an error in it.
pub fn run(arguments: &Arguments, mut machine: Machine, mut state: State) -> Result<u8, String> {
    machine
        .start(
            &mut state,
            arguments.entry(),
            &arguments.args(),
            &environment(),
        )
        .map_err(|error| error.to_string())?;
    let mut terms = Terms::new();
    let started = Instant::now();
    let end = loop {
        match machine.run(&mut terms, &mut state, u64::MAX) {
            Stop::OutOfFuel => {}
            Stop::End(end) => break end,
            Stop::Ask(_) => {
                return Err("a program without symbolic input asks about some".into());
            }
        }
    };
    if arguments.how.verbose {
        let seconds = started.elapsed().as_secs_f64();
        let millions = state.instructions as f64 / 1e6;
        complain(format!(
            "{} instructions in {seconds:.3} s, {:.0} million a second",
            state.instructions,
            millions / seconds
        ));
    }
    if !matches!(end, End::Exit(_)) {
        // What the program had to say before it went wrong is still in its buffers.
        machine.flush(&mut terms, &mut state);
    }
    Ok(match end {
        End::Exit(ExitStatus::Known(status)) => status as u8,
        End::Exit(ExitStatus::Symbolic(_)) => {
            return Err("a program without symbolic input ends with a symbolic status".into());
        }
        End::Internal(what) => return Err(format!("a bug of Refrain: {what}; please report it")),
        End::Silent => 0,
        End::Error(error) => {
            show(&describe(&error));
            1
        }
        End::Unsupported(what) => {
            complain(describe_unsupported(&what));
            if what.missing_name.is_some() {
                let missing = machine.linked().missing();
                let missing: Vec<String> = missing.into_iter().map(demangle).collect();
                complain(format!("used and not defined: {}", missing.join(", ")));
            }
            2
        }
    })
}
