//! Which code has run: blocks and ways between them, at nearly no cost.
//!
//! The machine runs its own copy of a function's code. There, a branch or jump says itself which of its ways nobody
//! has gone so far, in bits of a field that the main loop has at hand anyway; going one of them leaves the loop once,
//! to note it and to clear the bit. So what has been seen costs a test that never holds. The runtime's functions are
//! not watched. `trace` sets the bits again for every run.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use refrain_machine::{CodeUnit, Part, is_system_file};

use crate::code::{
    Code, Edge, Instr, JumpTable, NEVER_FELL_THROUGH, NEVER_REACHED, NEVER_TAKEN, Op,
};
use crate::ir::{Body, SymbolKind};
use crate::load::{FunctionKind, Linked};
use crate::memory::Site;

use super::source::outcomes;
use super::trace::{Stamps, Trace};
use super::{Machine, State};

/// How much of the program's own code has run: what has, and what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub blocks: (u64, u64),
    /// Outcomes of conditional branches, and where switches lead to.
    pub branches: (u64, u64),
}

/// A piece of code that ran for the first time. The same number for the same piece in every run of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark {
    pub function: u32,
    /// One of the function's ways from block to block, or [`Mark::ENTRY`].
    pub edge: u32,
}

impl Mark {
    /// The function was entered.
    pub const ENTRY: u32 = u32::MAX;
}

/// A function as the machine runs it.
#[derive(Default)]
pub(super) struct Running {
    /// The last run that executed it.
    epoch: u64,
    pub instrs: Vec<Instr>,
    pub tables: Vec<JumpTable>,
    /// By edge of the code, and by block.
    edges: Vec<bool>,
    blocks: Vec<bool>,
    /// By instruction: the first of its edges.
    first_edges: Vec<u32>,
    pub is_watched: bool,
    /// It is the program's own, and not a library's that was compiled into it.
    is_counted: bool,
    pub stamps: Stamps,
}

impl Running {
    /// Lets an edge leave the main loop.
    pub fn mark(&mut self, edge: Edge) {
        let Some(i) = self.instrs.get_mut(edge.pc as usize) else {
            return;
        };
        match (i.op, edge.way) {
            (Op::Switch, target) => self.tables[i.b as usize].each_target(|known| {
                if *known == target {
                    *known |= NEVER_REACHED;
                }
            }),
            (_, Edge::NOT_TAKEN) => i.dst |= NEVER_FELL_THROUGH,
            _ => i.dst |= NEVER_TAKEN,
        }
    }

    /// Lets it stay in the main loop.
    pub fn unmark(&mut self, edge: Edge) {
        let i = &mut self.instrs[edge.pc as usize];
        match (i.op, edge.way) {
            (Op::Switch, target) => self.tables[i.b as usize].each_target(|known| {
                if *known & !NEVER_REACHED == target {
                    *known = target;
                }
            }),
            (_, Edge::NOT_TAKEN) => i.dst &= !NEVER_FELL_THROUGH,
            _ => i.dst &= !NEVER_TAKEN,
        }
    }
}

/// What has run, of all functions.
#[derive(Default)]
pub(super) struct Covered {
    pub functions: Vec<Running>,
    /// Counts runs.
    pub epoch: u64,
    pub trace: Trace,
    blocks: u64,
    branches: u64,
    total: Option<(u64, u64)>,
    /// Where functions were left in the middle.
    pub abandoned: BTreeSet<(u32, u32)>,
    /// What ran for the first time, in order, and how much of that was told.
    marks: Vec<Mark>,
    told: usize,
    /// By function: edges that leave the main loop every time.
    always: BTreeMap<u32, Vec<usize>>,
    /// How many marks there have been, those that others told of among them.
    pub version: u64,
}

impl Covered {
    pub fn new(linked: &Linked) -> Covered {
        let mut covered = Covered::default();
        covered
            .functions
            .resize_with(linked.functions.len(), Running::default);
        covered
    }

    /// A run begins.
    pub fn begin(&mut self, linked: &Linked, state: &State) {
        self.epoch += 1;
        if self.trace.is_on {
            self.begin_trace(linked, state);
        }
    }

    /// A function's code to run, if this run has been in it already.
    #[inline(always)]
    pub fn current(&self, function: u32) -> Option<*const Instr> {
        let running = self.functions.get(function as usize)?;
        (running.epoch == self.epoch).then_some(running.instrs.as_ptr())
    }

    /// A run gets into a function for the first time. False if there is no code.
    #[cold]
    #[inline(never)]
    pub fn enter(&mut self, linked: &Linked, function: u32) -> bool {
        let Ok(code) = linked.code(function) else {
            return false;
        };
        self.prepare(linked, function, code);
        self.functions[function as usize].epoch = self.epoch;
        if self.cover_entry(code, function) {
            self.note(function, Mark::ENTRY);
        }
        true
    }

    /// Makes the copy that is run.
    pub fn prepare(&mut self, linked: &Linked, function: u32, code: &Code) {
        let running = &mut self.functions[function as usize];
        if !running.instrs.is_empty() {
            return;
        }
        running.is_watched = !linked.is_library(linked.functions[function as usize].module);
        if self.trace.is_on {
            running.trace(linked, function, code);
        }
        running.instrs = code.instrs.clone();
        running.tables = code.tables.clone();
        for &edge in self.always.get(&function).into_iter().flatten() {
            running.mark(code.edges[edge]);
        }
        if !running.is_watched {
            return;
        }
        running.is_counted = !is_of_the_system(linked, function);
        running.edges = vec![false; code.edges.len()];
        running.blocks = vec![false; code.blocks.len()];
        running.first_edges = vec![u32::MAX; code.instrs.len()];
        for (index, edge) in code.edges.iter().enumerate().rev() {
            running.first_edges[edge.pc as usize] = index as u32;
        }
        let returns = |i: &&mut Instr| matches!(i.op, Op::Ret | Op::RetVoid);
        for i in running.instrs.iter_mut().filter(returns) {
            i.dst |= NEVER_TAKEN;
        }
        for &edge in &code.edges {
            running.mark(edge);
        }
    }

    /// From here on, going one of these edges leaves the main loop every time, not only the first.
    pub fn watch_always(&mut self, code: &Code, function: u32, edges: impl Iterator<Item = usize>) {
        for edge in edges {
            self.always.entry(function).or_default().push(edge);
            self.functions[function as usize].mark(code.edges[edge]);
        }
    }

    /// Lets the edges of a function that is run leave the main loop in every run, or from here on those alone that
    /// nobody has gone so far.
    pub fn watch_edges(&mut self, linked: &Linked, function: u32, in_every_run: bool) {
        if self.functions[function as usize].instrs.is_empty() {
            return;
        }
        let Ok(code) = linked.code(function) else {
            return;
        };
        let running = &mut self.functions[function as usize];
        running.stamps = Stamps::default();
        if in_every_run {
            running.trace(linked, function, code);
        }
        for index in 0..running.edges.len() {
            let stays = in_every_run || self.is_always_watched(function, index);
            let running = &mut self.functions[function as usize];
            if stays {
                running.mark(code.edges[index]);
            } else if running.edges[index] {
                running.unmark(code.edges[index]);
            }
        }
    }

    /// Whether an edge leaves the main loop every time.
    fn is_always_watched(&self, function: u32, edge: usize) -> bool {
        let always = || self.always.get(&function);
        !self.always.is_empty() && always().is_some_and(|always| always.contains(&edge))
    }

    fn note(&mut self, function: u32, edge: u32) {
        self.marks.push(Mark { function, edge });
        self.version += 1;
    }

    // What counts as covered. Each says whether any of it is new.

    fn cover_entry(&mut self, code: &Code, function: u32) -> bool {
        self.cover_from(code, function, 0)
    }

    /// A block, and those it goes on to.
    fn cover_from(&mut self, code: &Code, function: u32, block: u32) -> bool {
        let mut block = block;
        let mut is_new = self.cover_block(function, block);
        while code.follows.get(block as usize) == Some(&true) {
            block += 1;
            is_new |= self.cover_block(function, block);
        }
        is_new
    }

    fn cover_block(&mut self, function: u32, block: u32) -> bool {
        let running = &mut self.functions[function as usize];
        let Some(known @ false) = running.blocks.get_mut(block as usize) else {
            return false;
        };
        *known = true;
        self.blocks += u64::from(running.is_counted);
        true
    }

    /// An edge that leads to a block.
    fn cover_edge(&mut self, code: &Code, function: u32, index: usize) -> bool {
        let stays = self.trace.is_on || self.is_always_watched(function, index);
        let is_new = self.cover_way(code, function, index);
        let edge = code.edges[index];
        if !stays {
            self.functions[function as usize].unmark(edge);
        }
        self.cover_from(code, function, edge.to) || is_new
    }

    /// That a block was left by an edge, wherever that leads to.
    fn cover_way(&mut self, code: &Code, function: u32, index: usize) -> bool {
        let running = &mut self.functions[function as usize];
        let is_new = !std::mem::replace(&mut running.edges[index], true);
        let is_outcome = code.edges[index].is_outcome && running.is_counted;
        self.branches += u64::from(is_new && is_outcome);
        is_new
    }

    /// An instruction has gone one of its ways.
    #[cold]
    #[inline(never)]
    pub fn went(&mut self, linked: &Linked, function: u32, pc: u32, way: u32) {
        let Ok(code) = linked.code(function) else {
            return;
        };
        let running = &self.functions[function as usize];
        let Some(&first) = running.first_edges.get(pc as usize) else {
            return;
        };
        let from_here = code.edges.iter().enumerate().skip(first as usize);
        let mut own = from_here.take_while(|(_, edge)| edge.pc == pc);
        let Some((index, _)) = own.find(|(_, edge)| edge.way == way) else {
            return;
        };
        if !running.stamps.is_traced(index) && self.cover_edge(code, function, index) {
            self.note(function, index as u32);
        }
        if self.trace.is_on {
            let stays = self.is_always_watched(function, index);
            self.trace_edge(code, function, index, stays);
        }
    }

    /// A function returns, for the first time at this place.
    #[cold]
    #[inline(never)]
    pub fn returned(&mut self, function: u32, pc: u32) {
        let running = &mut self.functions[function as usize];
        if let Some(i) = running.instrs.get_mut(pc as usize) {
            i.dst &= !NEVER_TAKEN;
        }
    }

    /// Whether it has ever returned at one of these places.
    pub fn has_returned(&self, function: u32, pcs: Range<u32>) -> bool {
        let instrs = &self.functions[function as usize].instrs;
        let instrs = instrs.get(pcs.start as usize..(pcs.end as usize).min(instrs.len()));
        instrs
            .unwrap_or_default()
            .iter()
            .any(|i| matches!(i.op, Op::Ret | Op::RetVoid) && i.dst & NEVER_TAKEN == 0)
    }

    /// A function is left from here by an exception or a long jump.
    pub fn abandon(&mut self, site: Site) {
        let running = self.functions.get(site.function as usize);
        if running.is_some_and(|running| running.is_watched) {
            self.abandoned.insert((site.function, site.pc));
        }
    }

    /// Whether a function has ever been entered.
    pub fn is_entered(&self, function: u32) -> bool {
        let running = self.functions.get(function as usize);
        running.is_some_and(|running| running.blocks.first() == Some(&true))
    }

    pub fn is_edge_covered(&self, function: u32, edge: usize) -> bool {
        self.functions[function as usize].edges.get(edge) == Some(&true)
    }

    pub fn is_block_covered(&self, function: u32, block: u32) -> bool {
        let running = self.functions.get(function as usize);
        running.is_some_and(|running| running.blocks.get(block as usize) == Some(&true))
    }
}

impl JumpTable {
    fn each_target(&mut self, mut change: impl FnMut(&mut u32)) {
        self.cases.iter_mut().for_each(|(_, target)| change(target));
        if let Some((_, targets)) = &mut self.dense {
            targets.iter_mut().for_each(&mut change);
        }
        change(&mut self.default);
    }
}

/// The body of a function, of the program or of the runtime.
pub(super) fn body(linked: &Linked, function: u32) -> Option<&Body> {
    let entry = linked.functions.get(function as usize)?;
    if !matches!(entry.kind, FunctionKind::Code) {
        return None;
    }
    let module = linked.program.modules.get(entry.module)?;
    match &module.symbols.get(entry.symbol.0 as usize)?.kind {
        SymbolKind::Function(function) => function.body.as_ref(),
        _ => None,
    }
}

/// The body of a function of the program's own, rather than of the runtime.
pub(super) fn own_body(linked: &Linked, function: u32) -> Option<(usize, &Body)> {
    let entry = linked.functions.get(function as usize)?;
    if linked.is_library(entry.module) {
        return None;
    }
    Some((entry.module, body(linked, function)?))
}

/// Whether a function comes from such a file: it is part of the program, but nobody asks how much of it was covered.
fn is_of_the_system(linked: &Linked, function: u32) -> bool {
    let entry = &linked.functions[function as usize];
    let Some(module) = linked.program.modules.get(entry.module) else {
        return false;
    };
    let symbol = module.symbols.get(entry.symbol.0 as usize);
    let Some(SymbolKind::Function(function)) = symbol.map(|symbol| &symbol.kind) else {
        return false;
    };
    let scopes = &module.debug.scopes;
    match function
        .debug
        .and_then(|scope| scopes.get(scope.0 as usize))
    {
        Some(scope) => is_system_file(&scope.file),
        // What comes compiled, as most of Rust's library does, has none where the program has some.
        None => !scopes.is_empty(),
    }
}

/// Whether a function is the program's own, rather than the runtime's or the system's.
pub(super) fn is_own(linked: &Linked, function: u32) -> bool {
    own_body(linked, function).is_some() && !is_of_the_system(linked, function)
}

impl Machine {
    /// How much of the program's own code has run, by this machine and by those whose marks it was told.
    pub fn coverage(&mut self) -> Coverage {
        let linked = &self.linked;
        let (blocks, branches) = *self.covered.total.get_or_insert_with(|| {
            let functions = 0..linked.functions.len() as u32;
            let counted = functions.filter(|&function| is_own(linked, function));
            let bodies = counted.filter_map(|function| own_body(linked, function));
            bodies.fold((0, 0), |(blocks, branches), (_, body)| {
                let ends = body.blocks.iter().filter_map(|block| block.insts.last());
                let outcomes: usize = ends.map(|end| outcomes(&end.kind).len()).sum();
                (
                    blocks + body.blocks.len() as u64,
                    branches + outcomes as u64,
                )
            })
        });
        Coverage {
            blocks: (self.covered.blocks, blocks),
            branches: (self.covered.branches, branches),
        }
    }

    /// Everything that this machine was the first to run, in that order.
    pub fn marks(&self) -> &[Mark] {
        &self.covered.marks
    }

    /// Counts as covered here what another machine of the same program has run. It is nothing new then.
    pub fn cover(&mut self, marks: &[Mark]) {
        let linked = self.linked.clone();
        for mark in marks {
            if own_body(&linked, mark.function).is_none() {
                continue;
            }
            let Ok(code) = linked.code(mark.function) else {
                continue;
            };
            self.covered.prepare(&linked, mark.function, code);
            let is_new = match mark.edge {
                Mark::ENTRY => self.covered.cover_entry(code, mark.function),
                edge if (edge as usize) < code.edges.len() => {
                    self.covered.cover_edge(code, mark.function, edge as usize)
                }
                _ => false,
            };
            self.covered.version += u64::from(is_new);
        }
    }

    /// Counts as covered what another run has executed, of this program or of another version of it. Where an edge
    /// leads to need not be what it was then: going it leaves the main loop once more, to cover that.
    pub(super) fn cover_unit(&mut self, unit: &CodeUnit) {
        let linked = self.linked.clone();
        let Some(function) = self.own_function(&unit.symbol) else {
            return;
        };
        let Ok(code) = linked.code(function) else {
            return;
        };
        if self.hash_of_code(&unit.symbol, unit.block) != Some(unit.hash) {
            return;
        }
        let covered = &mut self.covered;
        covered.prepare(&linked, function, code);
        let is_new = match unit.part {
            Part::Begun => covered.cover_block(function, unit.block),
            Part::Left(distance) => {
                let to = unit.block.wrapping_add_signed(distance);
                let mut is_new = false;
                for (index, edge) in code.edges.iter().enumerate() {
                    if (edge.from, edge.to) == (unit.block, to) {
                        is_new |= covered.cover_way(code, function, index);
                    }
                }
                is_new
            }
            Part::Passed(instruction) => {
                let pc = code.asking_at(unit.block, instruction);
                let pc = pc.filter(|&pc| code.point(pc) == (unit.block, instruction));
                self.passed.extend(pc.map(|pc| Site { function, pc }));
                false
            }
        };
        self.covered.version += u64::from(is_new);
    }

    /// All that counts as covered, in order.
    pub fn covered(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (function, running) in (0..).zip(&self.covered.functions) {
            let entry = running.blocks.first().filter(|&&has_run| has_run);
            let edges = (0..).zip(&running.edges).filter(|&(_, &has_run)| has_run);
            let edges = edges
                .map(|(edge, _)| edge)
                .chain(entry.map(|_| Mark::ENTRY));
            marks.extend(edges.map(|edge| Mark { function, edge }));
        }
        marks
    }

    /// Nothing has run so far, as far as coverage goes: to see what one run covers by itself.
    pub fn forget_coverage(&mut self) {
        let covered = &mut self.covered;
        for running in &mut covered.functions {
            if running.is_watched {
                *running = Running::default();
            }
        }
        covered.marks.clear();
        covered.abandoned.clear();
        covered.blocks = 0;
        covered.branches = 0;
        covered.told = 0;
        covered.version += 1;
    }

    /// The lines of the program that have code, by file, and whether any of it has run.
    pub fn lines(&self) -> BTreeMap<String, BTreeMap<u32, bool>> {
        let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
        for function in 0..self.linked.functions.len() as u32 {
            let Some((module, body)) = own_body(&self.linked, function) else {
                continue;
            };
            let debug = &self.linked.program.modules[module].debug;
            for (index, block) in body.blocks.iter().enumerate() {
                let has_run = self.covered.is_block_covered(function, index as u32);
                for inst in &block.insts {
                    let Some(location) = debug.locations.get(inst.loc.0 as usize) else {
                        continue;
                    };
                    let scope = location
                        .scope
                        .and_then(|scope| debug.scopes.get(scope.0 as usize));
                    if let Some(scope) = scope.filter(|_| location.line > 0) {
                        if !files.contains_key(&scope.file) {
                            files.insert(scope.file.clone(), BTreeMap::new());
                        }
                        if let Some(lines) = files.get_mut(&scope.file) {
                            *lines.entry(location.line).or_default() |= has_run;
                        }
                    }
                }
            }
        }
        files
    }

    /// How many marks there are that were not counted before.
    pub(super) fn count_new(&mut self) -> u64 {
        let new = self.covered.marks.len() - self.covered.told;
        self.covered.told = self.covered.marks.len();
        new as u64
    }
}
