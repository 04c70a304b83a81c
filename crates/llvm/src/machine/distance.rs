//! How far a state is from code that has not run, or from a target: the fewest instructions on any way there.
//!
//! As KLEE's minimum distance to uncovered code, over the control-flow graph of all functions (`graph`): within a
//! function from block to block; into a function at a call of it; back to whoever called, through the frames that the
//! state has. Whether the conditions on the way can hold is not asked.
//!
//! What it takes to get through a function does not change, and neither do distances to a target. Distances to what
//! has not run grow as more does. They are worked out anew when it has and when enough questions were asked since, so
//! that on average a question costs the same in any program; until then the answers are those of before, which are
//! never too long. Nothing depends on time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use refrain_machine::{Goal, Point};

use super::coverage::{Covered, own_body};
use super::graph::{Callees, Graph, Node};
use super::target::Aim;
use super::{Machine, State, Then};
use crate::code::Code;
use crate::load::Linked;
use crate::memory::Site;

/// Further than any way.
const FAR: u32 = u32::MAX;

/// What a call of the runtime counts as.
const RUNTIME: u32 = 4;

/// What it counts as to leave functions by an exception or a long jump.
const UNWIND: u32 = 1000;

/// How many blocks may be looked at again for each question.
const WORK: usize = 64;

/// Frames that are looked at: what lies deeper is not near.
pub(super) const FRAMES: usize = 1000;

/// Distances to one goal: by function and block, from its start; by function, from its entry.
#[derive(Default)]
struct Distances {
    blocks: Vec<Vec<u32>>,
    entries: Vec<u32>,
    /// By function: the goals in its blocks, sorted by block.
    goals: Vec<Vec<(u32, Local)>>,
}

/// All distances that were worked out.
#[derive(Default)]
pub(super) struct Ways {
    graph: Option<Graph>,
    /// To the end of a function.
    returns: Distances,
    uncovered: Distances,
    /// What had run when those were worked out, how many blocks they are, and the questions since.
    version: Option<u64>,
    size: usize,
    asked: usize,
    aims: Vec<Aim>,
    target: Option<Distances>,
}

impl Ways {
    pub fn set_aims(&mut self, aims: Vec<Aim>) {
        self.aims = aims;
        self.target = None;
    }

    pub fn aims(&self) -> &[Aim] {
        &self.aims
    }

    fn prepare(&mut self, linked: &Linked, covered: &Covered, goal: Goal) {
        let graph = self.graph.get_or_insert_with(|| Graph::of(linked));
        if self.returns.entries.is_empty() {
            self.returns = Distances::returns(graph);
        }
        match goal {
            Goal::Target => {
                if self.target.is_none() {
                    let goals = Target { aims: &self.aims };
                    self.target = Some(Distances::of(graph, &self.returns, &goals));
                }
            }
            Goal::Uncovered => {
                self.asked += 1;
                let is_known = self.version == Some(covered.version);
                if self.version.is_none() || !is_known && self.asked * WORK > self.size {
                    let goals = Uncovered { linked, covered };
                    self.uncovered = Distances::of(graph, &self.returns, &goals);
                    self.version = Some(covered.version);
                    self.size = self.uncovered.blocks.iter().map(Vec::len).sum();
                    self.asked = 0;
                }
            }
        }
    }
}

/// What is to be reached.
trait Goals {
    /// Whether it is known without looking into a function how far it is from its entry.
    fn entry(&self, function: u32) -> Option<u32>;
    /// What is a goal in the blocks of a function.
    fn within(&self, function: u32, visit: &mut dyn FnMut(u32, Local));
}

/// A goal within a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Local {
    Inst(u32),
    End,
    /// To leave it for another one.
    Leave(u32),
}

struct Uncovered<'a> {
    linked: &'a Linked,
    covered: &'a Covered,
}

impl Goals for Uncovered<'_> {
    fn entry(&self, function: u32) -> Option<u32> {
        (!self.covered.is_entered(function)).then_some(0)
    }

    fn within(&self, function: u32, visit: &mut dyn FnMut(u32, Local)) {
        let Ok(code) = self.linked.code(function) else {
            return;
        };
        let has_run = |block: u32| self.covered.is_block_covered(function, block);
        for (index, edge) in code.edges.iter().enumerate() {
            if !self.covered.is_edge_covered(function, index) || !has_run(edge.to) {
                visit(edge.from, Local::Leave(edge.to));
            }
        }
        for (block, follows) in (0..).zip(&code.follows) {
            if *follows && has_run(block) && !has_run(block + 1) {
                visit(block, Local::Leave(block + 1));
            }
        }
    }
}

struct Target<'a> {
    aims: &'a [Aim],
}

impl Goals for Target<'_> {
    fn entry(&self, _function: u32) -> Option<u32> {
        None
    }

    fn within(&self, function: u32, visit: &mut dyn FnMut(u32, Local)) {
        let first = self.aims.partition_point(|aim| aim.function < function);
        for aim in self.aims[first..]
            .iter()
            .take_while(|aim| aim.function == function)
        {
            visit(aim.block, Local::Inst(aim.inst));
        }
    }
}

/// The end of a function.
struct Return<'a> {
    graph: &'a Graph,
}

impl Goals for Return<'_> {
    fn entry(&self, _function: u32) -> Option<u32> {
        None
    }

    fn within(&self, function: u32, visit: &mut dyn FnMut(u32, Local)) {
        for (index, node) in self.graph.functions[function as usize].iter().enumerate() {
            if node.returns {
                visit(index as u32, Local::End);
            }
        }
    }
}

/// A block from one of its instructions on, walked along once.
struct Walk {
    /// To its end, and to where its last call would throw.
    end: u32,
    unwind: u32,
    /// To the nearest goal that a call leads to.
    call: u32,
}

impl Walk {
    /// To another block.
    fn length(&self, node: &Node, to: u32) -> u32 {
        match node.unwind {
            Some(unwind) if unwind == to => self.unwind,
            _ => self.end,
        }
    }
}

/// How far it is to each point of a block, from an instruction on. `inside` gives the distance from a function's
/// entry to the goal.
fn walk(
    graph: &Graph,
    node: &Node,
    from: u32,
    returns: impl Fn(u32) -> u32,
    inside: impl Fn(u32) -> u32,
    mut at_inst: impl FnMut(u32, u32),
) -> Walk {
    let mut walk = Walk {
        end: 0,
        unwind: 0,
        call: FAR,
    };
    let mut at = from;
    let mut so_far = 0u32;
    for site in node.sites.iter().filter(|site| site.at >= from) {
        at_inst(at, so_far);
        so_far = so_far.saturating_add(site.at - at).saturating_add(1);
        at = site.at + 1;
        walk.unwind = so_far;
        let functions = site.callees.functions(&graph.groups);
        let nearest = functions.iter().map(|&function| inside(function)).min();
        walk.call = walk.call.min(so_far.saturating_add(nearest.unwrap_or(FAR)));
        let through = match &site.callees {
            Callees::Own(function) => returns(*function),
            Callees::Group(_) => {
                let ways = functions.iter().map(|&function| returns(function));
                // Where none of those that are known returns, it is another one.
                ways.min().filter(|&way| way != FAR).unwrap_or(RUNTIME)
            }
            Callees::Passed(_) => RUNTIME,
        };
        so_far = so_far.saturating_add(through);
    }
    at_inst(at, so_far);
    walk.end = so_far.saturating_add(node.length.saturating_sub(at));
    walk
}

impl Distances {
    fn returns(graph: &Graph) -> Distances {
        let mut distances = Distances::default();
        distances.solve(graph, None, &Return { graph });
        distances
    }

    fn of(graph: &Graph, returns: &Distances, goals: &dyn Goals) -> Distances {
        let mut distances = Distances::default();
        distances.solve(graph, Some(returns), goals);
        distances
    }

    /// Works all out: functions again and again, until none comes nearer by what was found of those it calls.
    fn solve(&mut self, graph: &Graph, returns: Option<&Distances>, goals: &dyn Goals) {
        let count = graph.functions.len();
        self.entries = vec![FAR; count];
        self.blocks = vec![Vec::new(); count];
        self.goals = vec![Vec::new(); count];
        let mut queue: VecDeque<u32> = VecDeque::new();
        let mut is_queued = vec![false; count];
        // Callees mostly come before their callers in a file.
        for (function, nodes) in graph.functions.iter().enumerate() {
            if nodes.is_empty() {
                continue;
            }
            match goals.entry(function as u32) {
                Some(known) => self.entries[function] = known,
                None => {
                    is_queued[function] = true;
                    queue.push_back(function as u32);
                }
            }
        }
        while let Some(function) = queue.pop_front() {
            is_queued[function as usize] = false;
            let (blocks, goals_within) = self.function(graph, returns, goals, function);
            self.goals[function as usize] = goals_within;
            let entry = blocks.first().copied().unwrap_or(FAR);
            let known = std::mem::replace(&mut self.entries[function as usize], entry);
            self.blocks[function as usize] = blocks;
            if entry < known {
                for &caller in &graph.callers[function as usize] {
                    if goals.entry(caller).is_none()
                        && !std::mem::replace(&mut is_queued[caller as usize], true)
                    {
                        queue.push_back(caller);
                    }
                }
            }
        }
    }

    /// The distances from the blocks of one function, with what is known of others.
    fn function(
        &self,
        graph: &Graph,
        returns: Option<&Distances>,
        goals: &dyn Goals,
        function: u32,
    ) -> (Vec<u32>, Vec<(u32, Local)>) {
        let nodes = &graph.functions[function as usize];
        // While the ways to returns are being worked out, they are what is looked up, and no call leads to a goal.
        let through = returns.unwrap_or(self);
        let walks: Vec<Walk> = nodes
            .iter()
            .map(|node| {
                walk(
                    graph,
                    node,
                    0,
                    |callee| through.entries[callee as usize],
                    |callee| match returns {
                        Some(_) => self.entries[callee as usize],
                        None => FAR,
                    },
                    |_, _| {},
                )
            })
            .collect();
        let mut distances: Vec<u32> = walks.iter().map(|walk| walk.call).collect();
        let mut goals_within = Vec::new();
        goals.within(function, &mut |block, place| {
            let Some(node) = nodes.get(block as usize) else {
                return;
            };
            let way = match place {
                Local::End => walks[block as usize].end,
                Local::Leave(to) => walks[block as usize].length(node, to),
                Local::Inst(inst) => to_inst(graph, node, 0, inst, |f| through.entries[f as usize]),
            };
            goals_within.push((block, place));
            let known = &mut distances[block as usize];
            *known = way.min(*known);
        });
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for &to in &node.successors {
                if let Some(known) = predecessors.get_mut(to as usize) {
                    known.push(index as u32);
                }
            }
        }
        let mut heap: BinaryHeap<Reverse<(u32, u32)>> = distances
            .iter()
            .enumerate()
            .filter(|&(_, &distance)| distance != FAR)
            .map(|(block, &distance)| Reverse((distance, block as u32)))
            .collect();
        while let Some(Reverse((distance, block))) = heap.pop() {
            if distance > distances[block as usize] {
                continue;
            }
            for &before in &predecessors[block as usize] {
                let length = walks[before as usize].length(&nodes[before as usize], block);
                let way = distance.saturating_add(length);
                let known = &mut distances[before as usize];
                if way < *known {
                    *known = way;
                    heap.push(Reverse((way, before)));
                }
            }
        }
        goals_within.sort_unstable();
        (distances, goals_within)
    }
}

/// How far it is from one instruction of a block to another.
fn to_inst(graph: &Graph, node: &Node, from: u32, to: u32, returns: impl Fn(u32) -> u32) -> u32 {
    if to < from {
        return FAR;
    }
    let mut way = FAR;
    walk(
        graph,
        node,
        from,
        returns,
        |_| FAR,
        |at, so_far| {
            if at <= to {
                way = so_far.saturating_add(to - at);
            }
        },
    );
    way
}

/// The block that a place in the code belongs to, and the first of its instructions that is still to come, as far as
/// calls tell.
fn position(code: &Code, pc: u32, is_calling: bool) -> (u32, u32) {
    if let Some(index) = code
        .trampolines
        .partition_point(|&(start, _)| start <= pc)
        .checked_sub(1)
    {
        return (code.trampolines[index].1, 0);
    }
    let block = code
        .blocks
        .partition_point(|&start| start <= pc)
        .saturating_sub(1);
    let start = code.blocks.get(block).copied().unwrap_or(0);
    let next = code.sites.partition_point(|&(site, _)| site < pc);
    let from = match code.sites.get(next) {
        Some(&(site, inst)) if is_calling && site == pc => inst + 1,
        _ => match next.checked_sub(1).map(|last| code.sites[last]) {
            Some((site, inst)) if site >= start => inst + 1,
            _ => 0,
        },
    };
    (block as u32, from)
}

/// A frame: its function, and where it is in that, if that is known.
struct Standing {
    function: u32,
    place: Option<(u32, u32)>,
    /// Its callers are not returned to.
    is_last: bool,
}

impl Standing {
    /// `callee`: the frame that it has called. The runtime may still call functions that it was passed.
    fn at(linked: &Linked, site: Site, callee: Option<u32>) -> Standing {
        let code = linked.code(site.function).ok();
        let is_calling = callee.is_some_and(|callee| own_body(linked, callee).is_some());
        Standing {
            function: site.function,
            place: code.map(|code| position(code, site.pc, is_calling)),
            is_last: false,
        }
    }
}

impl Machine {
    /// The block that the branch at a place leads to, if it is answered so.
    pub(super) fn answered(&self, site: Site, way: u32) -> Option<u32> {
        let code = self.linked.code(site.function).ok()?;
        let way = code.way(site.pc, way)?;
        let mut edges = code.edges.iter();
        let edge = edges.find(|edge| edge.pc == site.pc && edge.way == way)?;
        Some(edge.to)
    }

    pub(super) fn distance_to(
        &mut self,
        state: &State,
        way: Option<u32>,
        goal: Goal,
    ) -> Option<u32> {
        let has_branches = !state.frames.is_empty() && state.world.unstarted.is_none();
        let way = way.filter(|_| has_branches);
        let answered = way.and_then(|way| self.answered(state.site(), way));
        let linked = self.linked.clone();
        let frames = state.frames.iter().rev().take(FRAMES);
        let mut callee = None;
        let stack = frames.map(|frame| {
            let (function, pc) = (frame.function, frame.pc);
            Standing {
                is_last: matches!(frame.then, Then::Exit | Then::Finish),
                ..Standing::at(&linked, Site { function, pc }, callee.replace(function))
            }
        });
        let then = state.start.iter().rev().map(|(function, _)| *function);
        self.nearest(stack, answered, then, goal, false)
    }

    /// The same for a stack of points. Where it ends, whatever the program calls by itself may come. What does not
    /// return may land in a function that called it.
    pub(super) fn distance_along(
        &mut self,
        stack: &[Point],
        way: Option<u32>,
        goal: Goal,
    ) -> Option<u32> {
        let stack = &stack[..stack.len().min(FRAMES)];
        let sites: Vec<Option<Site>> = stack.iter().map(|&point| self.site_of(point)).collect();
        let innermost = sites.first().copied().flatten();
        let answered = way.and_then(|way| self.answered(innermost?, way));
        let linked = self.linked.clone();
        let mut callee = None;
        let standing = stack.iter().zip(sites).map(|(point, site)| {
            let callee = callee.replace(point.function);
            match site {
                Some(site) => Standing::at(&linked, site, callee),
                None => Standing {
                    function: point.function,
                    place: None,
                    is_last: false,
                },
            }
        });
        let then = self.called_after(stack.last().map(|point| point.function));
        self.nearest(standing, answered, then.into_iter(), goal, true)
    }

    /// How far it is to a goal from the innermost of some frames, through those that called it, and by what is called
    /// when all have returned. `only`: the block that the innermost goes to.
    fn nearest(
        &mut self,
        stack: impl Iterator<Item = Standing>,
        mut only: Option<u32>,
        then: impl Iterator<Item = u32>,
        goal: Goal,
        unwinds: bool,
    ) -> Option<u32> {
        let linked = self.linked.clone();
        self.ways.prepare(&linked, &self.covered, goal);
        let ways = &self.ways;
        let graph = ways.graph.as_ref()?;
        let distances = match goal {
            Goal::Uncovered => &ways.uncovered,
            Goal::Target => ways.target.as_ref()?,
        };
        let returns = |function: u32| ways.returns.entries[function as usize];
        let mut best = FAR;
        // What it takes to get out of the frames so far.
        let mut out = 0u32;
        for frame in stack {
            if out >= best && !(unwinds && best == FAR) {
                break;
            }
            let only = only.take();
            let known = graph
                .functions
                .get(frame.function as usize)
                .zip(frame.place);
            let Some((node, block, from)) = known
                .and_then(|(nodes, (block, from))| Some((nodes.get(block as usize)?, block, from)))
            else {
                out = out.saturating_add(RUNTIME);
                continue;
            };
            let nearest = |blocks: &[u32]| blocks.iter().copied().min().unwrap_or(FAR);
            let lands = unwinds && out == FAR && graph.lands[frame.function as usize];
            if lands {
                out = UNWIND;
                let anywhere = nearest(&distances.blocks[frame.function as usize]);
                best = best.min(out.saturating_add(anywhere));
            }
            if distances.blocks[frame.function as usize].is_empty() {
                // Not looked into: it had not been entered, so that anywhere in it was as good.
                best = best.min(out.saturating_add(distances.entries[frame.function as usize]));
            }
            let walk = walk(
                graph,
                node,
                from,
                returns,
                |callee| distances.entries[callee as usize],
                |_, _| {},
            );
            best = best.min(out.saturating_add(walk.call));
            let of_function = distances.blocks.get(frame.function as usize);
            let mut leave = FAR;
            let is_open = |to: u32| only.is_none_or(|only| only == to);
            for &to in node.successors.iter().filter(|&&to| is_open(to)) {
                let length = walk.length(node, to);
                let onward = of_function.and_then(|blocks| blocks.get(to as usize).copied());
                let way = length.saturating_add(onward.unwrap_or(FAR));
                best = best.min(out.saturating_add(way));
                let back = ways.returns.blocks[frame.function as usize]
                    .get(to as usize)
                    .copied();
                leave = leave.min(length.saturating_add(back.unwrap_or(FAR)));
            }
            let goals = &distances.goals[frame.function as usize];
            let first = goals.partition_point(|&(at, _)| at < block);
            for &(_, place) in goals[first..].iter().take_while(|&&(at, _)| at == block) {
                let way = match place {
                    Local::End => walk.end,
                    Local::Leave(to) if !is_open(to) => continue,
                    Local::Leave(to) => walk.length(node, to),
                    Local::Inst(inst) => to_inst(graph, node, from, inst, returns),
                };
                best = best.min(out.saturating_add(way));
            }
            if node.returns {
                leave = walk.end;
            }
            if lands {
                leave = leave.min(nearest(&ways.returns.blocks[frame.function as usize]));
            }
            out = out.saturating_add(leave);
            if frame.is_last {
                out = FAR;
            }
        }
        // What is called when those have returned.
        for function in then {
            if out >= best {
                break;
            }
            let entry = distances.entries[function as usize];
            best = best.min(out.saturating_add(entry));
            let is_own = !graph.functions[function as usize].is_empty();
            out = out.saturating_add(if is_own { returns(function) } else { RUNTIME });
        }
        (best != FAR).then_some(best)
    }
}
