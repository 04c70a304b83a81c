//! How often input decided that a loop goes on: what `--max-unroll` bounds.
//!
//! An iteration counts if a branch on a symbolic condition stays in the loop during it, where it could have left it.
//! How often that was is counted for each frame and each loop, from the moment the loop is entered. A loop that goes
//! on whatever the input is counts nothing, however long it runs.
//!
//! The main loop knows nothing of loops. Decisions are seen when they are answered. What enters a loop, or goes around
//! it, is seen because those edges leave the main loop (see `coverage`), from the first iteration of the loop that
//! counts on: before that there is nothing to reset.

mod forest;

use rustc_hash::FxHashMap;

use super::coverage::body;
use super::{Machine, State};
use crate::code::{Code, Edge, Op};
use crate::ir::InstKind;
use crate::load::Linked;
use crate::lower::successors;
use forest::{Blocks, Forest};

/// The iterations of a loop that count, in one frame.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// How many frames there are, with the loop's own on top.
    depth: u32,
    function: u32,
    which: u32,
    iterations: u32,
    /// The iteration at hand is one of them.
    is_counted: bool,
}

impl Unrolled {
    fn is_of(&self, depth: u32, function: u32, which: u32) -> bool {
        (self.depth, self.function, self.which) == (depth, function, which)
    }
}

/// The loops of functions in which input has decided something.
#[derive(Default)]
pub(super) struct Loops {
    pub is_counting: bool,
    forests: FxHashMap<u32, Function>,
}

struct Function {
    forest: Forest,
    /// By loop: whether its edges leave the main loop.
    is_watched: Vec<bool>,
}

impl Function {
    fn of(linked: &Linked, function: u32) -> Function {
        let mut blocks = Blocks::default();
        for block in body(linked, function).map_or(&[][..], |body| &body.blocks) {
            let mut next = Vec::new();
            let end = block.insts.last().map(|end| &end.kind);
            if let Some(end) = end {
                successors(end, |to| next.push(to.0));
            }
            blocks.successors.push(next);
            blocks.returns.push(matches!(end, Some(InstKind::Ret(_))));
        }
        let forest = Forest::of(&blocks);
        Function {
            is_watched: vec![false; forest.len()],
            forest,
        }
    }
}

impl Code {
    /// Which way the branch or switch at a place goes, if its question is answered so.
    pub(super) fn way(&self, pc: u32, choice: u32) -> Option<u32> {
        let instr = self.instrs.get(pc as usize)?;
        match instr.op {
            Op::Switch => {
                let targets = self.tables[instr.b as usize].targets();
                targets.get(choice as usize).copied()
            }
            op if op.is_jump() || matches!(op, Op::BrIf | Op::BrUnless) => {
                Some([Edge::TAKEN, Edge::NOT_TAKEN][choice.min(1) as usize])
            }
            _ => None,
        }
    }

    /// The edges that an instruction goes.
    fn edges_at(&self, pc: u32) -> &[Edge] {
        let from = self.edges.partition_point(|edge| edge.pc < pc);
        let to = self.edges.partition_point(|edge| edge.pc <= pc);
        &self.edges[from..to]
    }
}

impl Machine {
    /// Counts from here on how often input decides that loops go on.
    pub fn count_iterations(&mut self, counts: bool) {
        self.loops.is_counting = counts;
    }

    /// The question at hand, which depends on input, is answered so: the loops go on that the path stays in, although
    /// it could have left them.
    pub(super) fn count_decision(&mut self, state: &mut State, choice: u32) {
        let (depth, site) = (state.frames.len() as u32, state.site());
        let linked = self.linked.clone();
        let Ok(code) = linked.code(site.function) else {
            return;
        };
        let edges = code.edges_at(site.pc);
        let (Some(way), Some(first)) = (code.way(site.pc, choice), edges.first()) else {
            return;
        };
        let taken = edges.iter().find(|edge| edge.way == way);
        // A switch on a wide number is several branches, the next of which is in the same block.
        let to = taken.map_or(first.from, |edge| edge.to);
        let known = self.loops.forests.entry(site.function);
        let function = known.or_insert_with(|| Function::of(&linked, site.function));
        let forest = &function.forest;
        state.unrolled.retain(|unrolled| unrolled.depth <= depth);
        for which in forest.around(first.from) {
            let may_leave = edges.iter().any(|edge| forest.leaves(which, edge.to));
            if !may_leave || !forest.contains(which, to) {
                continue;
            }
            let mut known = state.unrolled.iter_mut();
            match known.find(|known| known.is_of(depth, site.function, which)) {
                Some(known) => {
                    known.iterations += u32::from(!known.is_counted);
                    known.is_counted = true;
                }
                None => state.unrolled.push(Unrolled {
                    depth,
                    function: site.function,
                    which,
                    iterations: 1,
                    is_counted: true,
                }),
            }
            if !std::mem::replace(&mut function.is_watched[which as usize], true) {
                let edges = code.edges.iter().enumerate();
                let into = edges.filter(|(_, edge)| forest.enters(edge.to) == Some(which));
                let into = into.map(|(index, _)| index);
                self.covered.watch_always(code, site.function, into);
            }
        }
    }

    /// A path goes from block to block: into a loop, or around it once more.
    #[cold]
    #[inline(never)]
    pub(super) fn note_edge(&self, state: &mut State, way: u32) {
        let (depth, site) = (state.frames.len() as u32, state.site());
        let Some(function) = self.loops.forests.get(&site.function) else {
            return;
        };
        let Ok(code) = self.linked.code(site.function) else {
            return;
        };
        let mut edges = code.edges_at(site.pc).iter();
        let Some(edge) = edges.find(|edge| edge.way == way) else {
            return;
        };
        let Some(which) = function.forest.enters(edge.to) else {
            return;
        };
        let goes_around = function.forest.contains(which, edge.from);
        state.unrolled.retain_mut(|known| {
            let is_it = known.is_of(depth, site.function, which);
            known.is_counted &= !is_it;
            !is_it || goes_around
        });
    }
}

impl State {
    /// The most iterations that count of any loop, since it was entered.
    pub(super) fn most_unrolled(&self) -> u32 {
        let counts = self.unrolled.iter().map(|known| known.iterations);
        counts.max().unwrap_or(0)
    }
}
