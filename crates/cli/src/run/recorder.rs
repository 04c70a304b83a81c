//! One worker's listener: what ends and what is cut becomes tests, errors and boundaries.

use std::ops::ControlFlow;

use refrain_explore::listener::{Asked, Decided, Progress};
use refrain_explore::{Decision, Listener, Path, Trail};
use refrain_llvm::machine::Machine;
use refrain_machine::{Cause, End, ErrorKind, ExitStatus, Fault, InputValue, Machine as _};
use refrain_results::{Outcome, Test};
use refrain_term::{Evaluator, Term, Value};
use tracing::{debug, trace};

use super::record::{Counts, Record, Tests, decisions_text};
use super::report::shown_stack;
use crate::log;

/// What every report over the integers says.
const NO_OVERFLOW: &str = "over mathematical integers: overflow is not modelled";

pub struct Recorder<'a> {
    pub record: &'a Record,
    pub worker: usize,
    /// Over the integers, what a machine does may be something else.
    pub notes_overflow: bool,
}

impl Listener<Machine> for Recorder<'_> {
    fn asked(&mut self, asked: &Asked<'_, Machine>) {
        self.record.supersede(asked.earlier_test);
    }

    fn decided(&mut self, decided: &Decided<'_, Machine>) {
        trace!(
            target: log::QUERIES,
            worker = self.worker,
            place = %decided.place,
            decision = ?decided.decision,
            feasibility = ?decided.feasibility,
        );
    }

    fn end(&mut self, path: Path<'_, Machine>, end: &End) -> ControlFlow<(), Option<u32>> {
        debug!(
            target: log::PATHS,
            worker = self.worker,
            branches = path.trail.branches(),
            instructions = path.state.instructions,
            is_new = path.is_new,
            end = ?end,
        );
        let counts = &self.record.counts;
        match end {
            End::Exit(status) => {
                Counts::add(&counts.completed);
                self.keep(path, |path| exit_of(path, *status))
            }
            End::Error(fault) if fault.kind == ErrorKind::ImpossibleAssumption => {
                Counts::add(&counts.silent);
                self.record.leave_unclaimed(path.is_new);
                let (site, outcome) = (path.state.site(), Outcome::Error(self.fault(fault)));
                let test = self.test(path, 0, |_| outcome);
                self.record.note_impossible(site, test);
                ControlFlow::Continue(None)
            }
            End::Error(fault) => {
                Counts::add(&counts.errors);
                let outcome = Outcome::Error(self.fault(fault));
                self.keep(path, |_| outcome)
            }
            End::Silent => {
                Counts::add(&counts.silent);
                self.record.leave_unclaimed(path.is_new);
                ControlFlow::Continue(None)
            }
            End::Unsupported(what) => self.cut(path, Cause::Unsupported(what.to_string())),
            End::Internal(what) => {
                Counts::add(&counts.internal);
                self.cut(path, Cause::Internal(what.clone()))
            }
        }
    }

    fn boundary(
        &mut self,
        trail: &Trail,
        cause: &Cause,
        path: Option<Path<'_, Machine>>,
    ) -> ControlFlow<(), Option<u32>> {
        match path {
            Some(path) => self.cut(path, cause.clone()),
            None => {
                self.note_boundary(trail, cause);
                ControlFlow::Continue(None)
            }
        }
    }

    fn progress(&mut self, machine: &mut Machine, progress: &Progress<'_>) {
        self.record.note_progress(self.worker, machine, progress);
        if self.worker == 0 {
            self.record.tell(progress.elapsed);
        }
    }
}

impl Recorder<'_> {
    /// A path that was not followed to its end.
    fn cut(&mut self, path: Path<'_, Machine>, cause: Cause) -> ControlFlow<(), Option<u32>> {
        Counts::add(&self.record.counts.killed);
        self.note_boundary(path.trail, &cause);
        self.keep(path, |_| Outcome::Unfinished(cause))
    }

    fn note_boundary(&self, trail: &Trail, cause: &Cause) {
        debug!(target: log::LIMITS, worker = self.worker, branches = trail.branches(), "{cause}");
        let place = || decisions_text(&trail.decisions());
        self.record.note_boundary(cause, place);
    }

    fn fault(&self, fault: &Fault) -> Fault {
        let mut fault = Fault {
            stack: shown_stack(&fault.stack),
            ..fault.clone()
        };
        if self.notes_overflow {
            fault.notes.push(NO_OVERFLOW.into());
        }
        fault
    }

    /// Writes the test of a path, if it is to have one. The number of the test that stands for the path.
    fn keep(
        &self,
        path: Path<'_, Machine>,
        outcome: impl FnOnce(&mut Path<'_, Machine>) -> Outcome,
    ) -> ControlFlow<(), Option<u32>> {
        let mut path = path;
        let record = self.record;
        let (outcome, earlier) = (outcome(&mut path), path.earlier_test);
        let found = match &outcome {
            Outcome::Error(fault) => Some(record.note_error(fault, earlier)),
            _ => None,
        };
        let is_first = found.is_some_and(|found| found.is_first);
        path.is_new = record.claim(path.is_new);
        let is_wanted = match record.which {
            Tests::All => true,
            Tests::Covering => path.is_new || is_first,
            Tests::Errors => found.is_some(),
        };
        record.supersede(earlier);
        if !is_wanted {
            return ControlFlow::Continue(found.map(|found| found.test));
        }
        let mut test = self.test(path, 0, |_| outcome);
        test.number = match found {
            Some(found) if found.is_first => found.test,
            _ => record.number(earlier, &test),
        };
        let number = test.number;
        match record.keep(test, found.filter(|_| is_first).map(|found| found.site)) {
            true => ControlFlow::Continue(Some(number)),
            false => ControlFlow::Break(()),
        }
    }

    /// The test of a path.
    fn test(
        &self,
        mut path: Path<'_, Machine>,
        number: u32,
        outcome: impl FnOnce(&mut Path<'_, Machine>) -> Outcome,
    ) -> Test {
        let outcome = outcome(&mut path);
        if !matches!(outcome, Outcome::Exit { .. }) {
            // What the program had to say before is still in its buffers.
            path.machine.flush(path.terms, path.state);
        }
        let table = path.machine.inputs();
        let inputs = path.machine.inputs_of(path.state).into_iter();
        let inputs = inputs.map(|(id, length)| table.value(path.terms, path.input, id, length));
        let inputs: Vec<InputValue> = inputs.collect();
        let mut evaluator = Evaluator::new();
        let mut value = |term| word(&evaluator.value(path.terms, path.input, term));
        Test {
            number,
            args: self.record.world.realise(&inputs).args,
            inputs,
            outcome,
            stdout: path.state.written(1, &mut value),
            stderr: path.state.written(2, &mut value),
            instructions: path.state.instructions,
            decisions: answers(path.trail),
            new_coverage: path.is_new,
        }
    }
}

fn exit_of(path: &mut Path<'_, Machine>, status: ExitStatus) -> Outcome {
    match status {
        ExitStatus::Known(status) => Outcome::exit(status),
        ExitStatus::Symbolic(term) => Outcome::Exit {
            status: (evaluate(path, term) & 0xff) as i32,
            depends_on_input: true,
        },
    }
}

fn evaluate(path: &Path<'_, Machine>, term: Term) -> u64 {
    word(&Evaluator::new().value(path.terms, path.input, term))
}

pub fn word(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        value => value.as_bv().map_or(0, |value| value.words()[0]),
    }
}

/// The answers on a path that could have been others.
fn answers(trail: &Trail) -> Vec<u64> {
    let decisions = trail.decisions().into_iter();
    let answers = decisions.filter_map(|decision| match decision {
        Decision::Choice(choice) => Some(u64::from(choice)),
        Decision::Fixed(value) => Some(word(&value)),
        _ => None,
    });
    answers.collect()
}
