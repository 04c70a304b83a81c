//! Without the tool: random inputs, or those that are given by name. What was made is remembered, for the report of a
//! failure.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::Random;

/// An input by name.
pub(crate) type Made = (String, Vec<u8>);

enum Source {
    Random(Random),
    Given(Vec<Made>),
}

/// The inputs of one run of a property.
pub(crate) struct State {
    source: Source,
    made: Vec<Made>,
    /// Somebody waits to hear that an assumption does not hold.
    is_case: bool,
}

/// How a run ended.
pub(crate) enum Case {
    Passed,
    /// An assumption did not hold.
    Skipped,
    Panicked(Box<dyn std::any::Any + Send>),
}

/// The payload of the unwinding that leaves a case; it is no panic, and nothing is printed.
struct Skip;

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::random(Random::new(0, "", 0)));
}

impl State {
    pub fn random(random: Random) -> State {
        State {
            source: Source::Random(random),
            made: Vec::new(),
            is_case: false,
        }
    }

    /// The name, with a number if it is taken: as the engine does it.
    fn unique(&self, name: &str) -> String {
        let is_taken = |name: &str| self.made.iter().any(|(made, _)| made == name);
        let mut unique = name.to_string();
        let mut number = 1;
        while is_taken(&unique) {
            number += 1;
            unique = format!("{name}_{number}");
        }
        unique
    }

    /// An input, drawn at random unless it is given. Given bytes that are missing are zero.
    fn make(&mut self, name: &str, bytes: &mut [u8], draw: impl FnOnce(&mut Random, &mut [u8])) {
        let name = self.unique(name);
        match &mut self.source {
            Source::Random(random) => draw(random, bytes),
            Source::Given(given) => {
                let found = given.iter().find(|(other, _)| *other == name);
                let value = found.map_or(&[][..], |(_, value)| value);
                for (index, byte) in bytes.iter_mut().enumerate() {
                    *byte = value.get(index).copied().unwrap_or(0);
                }
            }
        }
        self.made.push((name, bytes.to_vec()));
    }
}

pub(crate) fn fill(name: &str, bytes: &mut [u8], width: usize) {
    if bytes.is_empty() {
        return;
    }
    STATE.with_borrow_mut(|state| {
        state.make(name, bytes, |random, bytes| {
            for number in bytes.chunks_mut(width.max(1)) {
                random.number(number);
            }
        });
    });
}

pub(crate) fn choose(
    name: &str,
    width: usize,
    is_valid: impl Fn(u64) -> bool,
    draw: impl FnOnce(u64) -> u64,
) -> u64 {
    let mut bytes = [0; 8];
    STATE.with_borrow_mut(|state| {
        state.make(name, &mut bytes[..width], |random, bytes| {
            bytes.copy_from_slice(&draw(random.next()).to_le_bytes()[..width]);
        });
    });
    let number = u64::from_le_bytes(bytes);
    assume(is_valid(number));
    number
}

pub(crate) fn assume(condition: bool) {
    if condition {
        return;
    }
    if STATE.with_borrow(|state| state.is_case) {
        resume_unwind(Box::new(Skip));
    }
    panic!("an assumption does not hold for this input");
}

/// Runs one case with these inputs.
pub(crate) fn within(mut state: State, case: impl FnOnce()) -> Case {
    state.is_case = true;
    let before = STATE.replace(state);
    let result = catch_unwind(AssertUnwindSafe(case));
    // What was made stays readable until the next case.
    let mut after = STATE.replace(before);
    STATE.with_borrow_mut(|state| state.made = std::mem::take(&mut after.made));
    match result {
        Ok(()) => Case::Passed,
        Err(payload) if payload.is::<Skip>() => Case::Skipped,
        Err(payload) => Case::Panicked(payload),
    }
}

/// The inputs that the last case made.
pub(crate) fn made() -> Vec<Made> {
    STATE.with_borrow(|state| state.made.clone())
}

/// Runs a function in which [`any`](crate::any) gives these values: how a failure that such values are part of is run
/// again.
pub fn with_inputs<R>(inputs: &[(&str, &[u8])], run: impl FnOnce() -> R) -> R {
    let given = inputs
        .iter()
        .map(|&(name, bytes)| (name.to_string(), bytes.to_vec()));
    let state = State {
        source: Source::Given(given.collect()),
        made: Vec::new(),
        is_case: false,
    };
    let before = STATE.replace(state);
    let result = catch_unwind(AssertUnwindSafe(run));
    STATE.set(before);
    result.unwrap_or_else(|payload| resume_unwind(payload))
}
