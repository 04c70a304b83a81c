//! Which blocks a state executes, exactly, and how it leaves them: for whoever asks what an edit of the program changes
//! of a path, and what a path covers.
//!
//! A trace is of one state, of as many runs as it makes until the trace is taken. The bits that let an edge leave the
//! main loop once (see `coverage`) are set again when a trace begins, for the edges that the one before it has. So a
//! state leaves the loop once for each of its edges, to note the edge and the block that it leads to. Blocks are also
//! entered without an edge: where the trace begins, where a function is called, where an exception or a long jump
//! lands, and where a call returns into a frame from before the trace (a frame that was made since was noted when it
//! was called). Control that falls into a block, from one that cannot go elsewhere, is seen by nobody: such blocks count
//! as one.
//!
//! The runtime's functions are not noted: they are the same in every version of the program. Nor is that they can tell
//! where things lie: all they do with it is to see how far two pointers into one object are apart.

use std::cell::Cell;

use refrain_machine::{CodePiece, Part};
use rustc_hash::FxHashSet;

use super::coverage::{Covered, Running};
use super::{Machine, State};
use crate::code::{Code, Edge};
use crate::load::Linked;
use crate::memory::Site;

/// What was executed since the last trace was taken, if that is noted.
#[derive(Default)]
pub(super) struct Trace {
    pub is_on: bool,
    /// Counts traces.
    epoch: u64,
    /// It goes on with the next run.
    is_open: bool,
    ran: Vec<CodePiece>,
    /// Assumptions that are noted.
    passed: FxHashSet<Site>,
    /// Edges that stay in the main loop since they were gone, by function.
    gone: Vec<(u32, Edge)>,
    /// The fewest frames that there were so far.
    lowest: usize,
    /// Where things lie may have mattered.
    saw_layout: Cell<bool>,
}

/// What is known of a function's blocks and edges.
#[derive(Default)]
pub(super) struct Stamps {
    /// The last trace of each block and of each edge.
    blocks: Vec<u64>,
    edges: Vec<u64>,
    /// By block: it can tell where things lie.
    sees_layout: Vec<bool>,
}

impl Stamps {
    /// Whether there has been a trace with an edge.
    pub fn is_traced(&self, edge: usize) -> bool {
        self.edges.get(edge).is_some_and(|&stamp| stamp > 0)
    }
}

impl Running {
    /// Gets a function's code ready to be traced.
    pub fn trace(&mut self, linked: &Linked, function: u32, code: &Code) {
        if self.is_watched {
            self.stamps = Stamps {
                blocks: vec![0; code.blocks.len()],
                edges: vec![0; code.edges.len()],
                sees_layout: linked.sees_layout(function),
            };
        }
    }
}

impl Covered {
    pub fn take_ran(&mut self) -> &[CodePiece] {
        if !std::mem::take(&mut self.trace.is_open) {
            return &[];
        }
        if self.trace.saw_layout.get() {
            self.trace.ran.push(CodePiece::LAYOUT);
        }
        &self.trace.ran
    }

    /// A run begins where a state is.
    pub fn begin_trace(&mut self, linked: &Linked, state: &State) {
        if std::mem::replace(&mut self.trace.is_open, true) {
            return;
        }
        self.trace.epoch += 1;
        for (function, edge) in self.trace.gone.drain(..) {
            self.functions[function as usize].mark(edge);
        }
        self.trace.ran.clear();
        self.trace.passed.clear();
        self.trace.saw_layout.set(false);
        self.trace.lowest = state.frames.len();
        if is_at_start(state) {
            self.trace.ran.push(CodePiece::START);
        }
        self.trace_site(linked, state.site());
    }

    /// Where things lie may have mattered.
    pub fn note_layout(&self) {
        self.trace.saw_layout.set(true);
    }

    /// A function is called.
    #[inline]
    pub fn trace_call(&mut self, linked: &Linked, function: u32) {
        if self.trace.is_on {
            let running = &self.functions[function as usize];
            let has_run = running.stamps.blocks.first() == Some(&self.trace.epoch);
            if running.instrs.is_empty() || (running.is_watched && !has_run) {
                self.trace_site(linked, Site { function, pc: 0 });
            }
        }
    }

    /// A function has returned to the frame that is on top now.
    #[inline]
    pub fn trace_return(&mut self, linked: &Linked, state: &State) {
        if self.trace.is_on && state.frames.len() < self.trace.lowest {
            self.trace_landing(linked, state);
        }
    }

    /// A state goes on in the frame that is on top now, which others were above of.
    #[cold]
    #[inline(never)]
    pub fn trace_landing(&mut self, linked: &Linked, state: &State) {
        if self.trace.is_on && !state.frames.is_empty() {
            self.trace.lowest = self.trace.lowest.min(state.frames.len());
            self.trace_site(linked, state.site());
        }
    }

    /// Another thread goes on, whose functions others have run since.
    pub fn trace_switch(&mut self, linked: &Linked, state: &State) {
        if self.trace.is_on {
            self.trace.lowest = state.frames.len();
            self.trace_site(linked, state.site());
        }
    }

    /// An edge is gone, for the first time in this run or not.
    pub fn trace_edge(&mut self, code: &Code, function: u32, index: usize, stays: bool) {
        let running = &mut self.functions[function as usize];
        let edge = code.edges[index];
        if std::mem::replace(&mut running.stamps.edges[index], self.trace.epoch) == self.trace.epoch
        {
            return;
        }
        if !stays {
            running.unmark(edge);
            self.trace.gone.push((function, edge));
        }
        let part = Part::Left(edge.to.wrapping_sub(edge.from) as i32);
        self.trace.ran.push(CodePiece {
            function,
            block: edge.from,
            part,
        });
        self.trace_block(code, function, edge.to);
    }

    /// An assumption is satisfied.
    pub fn trace_passed(&mut self, linked: &Linked, site: Site) {
        if !self.trace.is_on || !self.functions[site.function as usize].is_watched {
            return;
        }
        if self.trace.passed.insert(site)
            && let Ok(code) = linked.code(site.function)
        {
            let (block, instruction) = code.point(site.pc);
            self.trace.ran.push(CodePiece {
                function: site.function,
                block,
                part: Part::Passed(instruction),
            });
        }
    }

    /// The code at a place is executed.
    #[cold]
    #[inline(never)]
    fn trace_site(&mut self, linked: &Linked, site: Site) {
        if site.function as usize >= self.functions.len() {
            return;
        }
        let Ok(code) = linked.code(site.function) else {
            return;
        };
        self.prepare(linked, site.function, code);
        let block = code.block(site.pc);
        self.trace_block(code, site.function, block);
        if let Some(to) = on_edge(code, block, site.pc) {
            self.trace_block(code, site.function, to);
        }
    }

    /// A block is executed, and those it goes on to.
    fn trace_block(&mut self, code: &Code, function: u32, block: u32) {
        let stamps = &mut self.functions[function as usize].stamps;
        let mut block = block as usize;
        while let Some(stamp) = stamps.blocks.get_mut(block) {
            if std::mem::replace(stamp, self.trace.epoch) != self.trace.epoch {
                let piece = CodePiece::block(function, block as u32);
                self.trace.ran.push(piece);
                if stamps.sees_layout.get(block) == Some(&true) {
                    self.trace.saw_layout.set(true);
                }
            }
            if !code.follows[block] {
                break;
            }
            block += 1;
        }
    }
}

/// Where control is going already: behind the end of a block may be the moves of an edge out of it.
fn on_edge(code: &Code, block: u32, pc: u32) -> Option<u32> {
    if code
        .trampolines
        .first()
        .is_some_and(|&(first, _)| first <= pc)
    {
        return None;
    }
    let start = code.blocks.get(block as usize)?;
    let from = code.edges.partition_point(|edge| edge.pc < *start);
    let before = code.edges[from..].iter().take_while(|edge| edge.pc < pc);
    let mut own = before.filter(|edge| edge.from == block);
    let moves = |edge: &&Edge| match edge.way {
        Edge::NOT_TAKEN => true,
        Edge::TAKEN => {
            let target = code.instrs[edge.pc as usize].target();
            edge.pc < target && target <= pc
        }
        _ => false,
    };
    own.find(moves).map(|edge| edge.to)
}

/// Nothing of the program has run.
fn is_at_start(state: &State) -> bool {
    let is_first = matches!(&state.frames[..], [frame] if frame.pc == 0);
    is_first && state.instructions == 0 && state.answers.is_empty()
}

impl Machine {
    /// Another thread goes on than the one that ran.
    pub(crate) fn switched(&mut self, state: &State) {
        self.has_threads = true;
        let linked = self.linked.clone();
        self.covered.trace_switch(&linked, state);
    }

    pub(super) fn start_tracing(&mut self, on: bool) {
        if self.covered.trace.is_on == on {
            return;
        }
        self.covered.trace = Trace {
            is_on: on,
            ..Trace::default()
        };
        let linked = self.linked.clone();
        for function in 0..self.covered.functions.len() as u32 {
            self.covered.watch_edges(&linked, function, on);
        }
    }
}
