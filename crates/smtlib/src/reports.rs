//! What a session says: answers, errors with their places, remarks; and a count of what went wrong.

use std::fmt;
use std::io;

use crate::error::{Failure, Place, Places};
use crate::output::Output;

/// What went wrong in a session, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Errors that were answered.
    pub errors: u64,
    /// Answers that differ from the script's `:status`.
    pub status_mismatches: u64,
    /// Models that do not satisfy the assertions.
    pub wrong_models: u64,
    /// Reused answers that were others when solved again.
    pub disagreements: u64,
}

pub(crate) struct Reports {
    output: Output,
    places: Places,
    outcome: Outcome,
}

impl Reports {
    pub fn new(output: Output) -> Reports {
        Reports {
            output,
            places: Places::default(),
            outcome: Outcome::default(),
        }
    }

    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The channels, for the options that redirect them.
    pub fn channels(&mut self) -> &mut Output {
        &mut self.output
    }

    pub fn answer(&mut self, text: impl fmt::Display) {
        self.output.answer(text);
    }

    /// Answers that a command cannot be done, or that something is not supported; where that is.
    pub fn refuse(&mut self, input: &[u8], command: usize, failure: &Failure) -> Place {
        self.places.advance(input, command);
        let place = self.places.place(input, failure.at);
        if failure.unsupported {
            self.output.answer("unsupported");
            self.output
                .diagnostic(format_args!("; {} {place}", failure.message));
        } else {
            self.outcome.errors += 1;
            let message = failure.message.replace('"', "\"\"");
            self.output
                .answer(format_args!("(error \"{place}: {message}\")"));
        }
        place
    }

    pub fn solver_failed(&mut self, why: &str) {
        self.output
            .diagnostic(format_args!("; the solver failed: {why}"));
    }

    pub fn disagreement(&mut self, both: &str) {
        self.outcome.disagreements += 1;
        self.output.diagnostic(format_args!("error: {both}"));
    }

    pub fn not_proved(&mut self, check: u32, why: &str) {
        self.output
            .diagnostic(format_args!("; check {check} is not proved: {why}"));
    }

    pub fn proof_refused(&mut self, check: u32, why: &str) {
        self.output.diagnostic(format_args!(
            "error: the proof of check {check} is refused: {why}"
        ));
    }

    pub fn wrong_model(&mut self) {
        self.outcome.wrong_models += 1;
    }

    pub fn status_mismatch(&mut self, check: u64, answer: &str, announced: &str) {
        self.outcome.status_mismatches += 1;
        self.output.diagnostic(format_args!(
            "error: check {check} is {answer}, its :status is {announced}"
        ));
    }

    /// Another script begins: its lines count from one.
    pub fn begin_script(&mut self) {
        self.places = Places::default();
    }

    /// The first bytes of the input, up to a command that is still to come, are gone.
    pub fn dropped(&mut self, input: &[u8], bytes: usize) {
        self.places.advance(input, bytes);
        self.places.dropped(bytes);
    }

    pub fn flush(&mut self) {
        self.output.flush();
    }

    /// The first error of writing since it was last asked for.
    pub fn take_error(&mut self) -> io::Result<()> {
        self.output.take_error()
    }

    /// Everything that was said is with its reader.
    pub fn finish(&mut self) -> io::Result<()> {
        self.output.flush();
        self.output.take_error()
    }
}
