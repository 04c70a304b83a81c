//! Which blocks a program runs, in their order: for programs that were compiled to say so
//! (`-fsanitize-coverage=trace-pc-guard`).
//!
//! Blocks are numbered as they are first seen, so that two runs can be compared wherever their code lies: a run is
//! kept as a count, a hash and its first part. What the numbers stand for is kept beside it: two runs are the same if
//! the numbers are, and stand for the same.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Call, Flow, NativeFn};
use crate::machine::{End, Halt, State};

pub const TABLE: &[(&str, NativeFn)] = &[
    ("__sanitizer_cov_trace_pc_guard", block),
    ("__sanitizer_cov_trace_pc_guard_init", nothing),
];

/// How much of a run is kept block by block.
pub const KEPT_BLOCKS: usize = 1 << 20;

/// The blocks of a run so far.
#[derive(Clone, Debug)]
pub struct Trace {
    pub count: u64,
    /// Of the numbers of all blocks: FNV-1a, a number at a time.
    pub hash: u64,
    /// The numbers of the first [`KEPT_BLOCKS`].
    pub first: Vec<u32>,
    /// By the address of the block's guard, counted from 1 on.
    numbers: HashMap<u64, u32>,
    /// The first block of a number: the function that runs it, and the address of its guard. Those of a function lie
    /// side by side.
    pub blocks: Vec<(u32, u64)>,
    /// The run ends with this block.
    last: Option<u64>,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace {
            count: 0,
            hash: 0xcbf2_9ce4_8422_2325,
            first: Vec::new(),
            numbers: HashMap::new(),
            blocks: Vec::new(),
            last: None,
        }
    }
}

impl Trace {
    fn append(&mut self, function: u32, guard: u64) {
        let number = *self.numbers.entry(guard).or_insert_with(|| {
            self.blocks.push((function, guard));
            self.blocks.len() as u32
        });
        self.count += 1;
        self.hash = (self.hash ^ u64::from(number)).wrapping_mul(0x100_0000_01b3);
        if self.first.len() < KEPT_BLOCKS {
            self.first.push(number);
        }
    }
}

impl State {
    /// The blocks that were run.
    pub fn trace(&self) -> &Trace {
        &self.world.trace
    }

    /// Ends the path, silently, with the block of this number.
    pub fn end_with_block(&mut self, number: u64) {
        Rc::make_mut(&mut self.world.trace).last = Some(number);
    }

    /// Gives inputs their values: what the program makes symbolic under one of these names has these bytes. An input
    /// that is not among them ends the path as unsupported.
    pub fn give(&mut self, inputs: impl IntoIterator<Item = (String, Vec<u8>)>) {
        self.world.given = Some(Rc::new(inputs.into_iter().collect()));
    }
}

fn block(call: &mut Call<'_>) -> Result<Flow, Halt> {
    let guard = call.number(0)?;
    let function = call.state.site().function;
    let trace = Rc::make_mut(&mut call.state.world.trace);
    trace.append(function, guard);
    if trace.last == Some(trace.count) {
        return Err(Halt::End(End::Silent));
    }
    Ok(Flow::void())
}

fn nothing(_call: &mut Call<'_>) -> Result<Flow, Halt> {
    Ok(Flow::void())
}
