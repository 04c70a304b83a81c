//! What the program's code is in its source, and what of it a run has executed: lines, outcomes of branches, functions.
//!
//! The code is walked once, and everything in it that a reader of the source can point at gets a number. What a run
//! did is then a set of numbers, which costs no more than the functions that it was in. Copies of the same source
//! (instances of a generic function, inlined calls) are one thing here.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use crate::code::Code;
use crate::fingerprint::is_debug;
use crate::ir::{BlockId, Body, DebugInfo, InstKind, LocId, Operand, ScopeId, SymbolKind};

use super::coverage::own_body;
use super::{Machine, State, demangle};

/// Something in a file of the source that runs, or does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    Line(u32),
    /// One of the ways that a branch or switch can go. Several may stand at the same place, as where a macro is used.
    Outcome {
        line: u32,
        column: u32,
        index: u32,
        way: u32,
    },
    /// By the line where it is defined.
    Function {
        line: u32,
        name: String,
    },
}

/// All items of a program; their numbers are places in the list, and the same for every machine with the same program.
#[derive(Debug, Default)]
pub struct Outline {
    pub files: Vec<String>,
    /// With the file that each is in.
    pub items: Vec<(u32, Item)>,
    /// By function that has items, and by its blocks.
    functions: HashMap<u32, Vec<Block>>,
}

/// The items of a block.
#[derive(Debug, Default)]
struct Block {
    /// With the number of the instruction in the block, each as often as it comes up anew.
    insts: Vec<(u32, u32)>,
    /// With the block that the outcome leads to.
    outcomes: Vec<(u32, u32)>,
}

struct Builder<'a, F> {
    is_wanted: F,
    outline: Outline,
    files: HashMap<&'a str, Option<u32>>,
    numbers: HashMap<(u32, Item), u32>,
}

impl<'a, F: Fn(&str) -> bool> Builder<'a, F> {
    /// None if the file is left out.
    fn file(&mut self, path: &'a str) -> Option<u32> {
        let (outline, is_wanted) = (&mut self.outline, &self.is_wanted);
        *self.files.entry(path).or_insert_with(|| {
            let is_in = !path.is_empty() && is_wanted(path);
            is_in.then(|| {
                outline.files.push(path.to_string());
                outline.files.len() as u32 - 1
            })
        })
    }

    fn number(&mut self, file: u32, item: Item) -> u32 {
        let items = &mut self.outline.items;
        *self.numbers.entry((file, item)).or_insert_with_key(|key| {
            items.push(key.clone());
            items.len() as u32 - 1
        })
    }

    /// A function, and the line that defines it: whoever enters it has run that.
    fn function(&mut self, debug: &'a DebugInfo, scope: ScopeId) -> Vec<u32> {
        let Some(scope) = debug.scopes.get(scope.0 as usize) else {
            return Vec::new();
        };
        let Some(file) = self.file(&scope.file).filter(|_| scope.line > 0) else {
            return Vec::new();
        };
        let name = match scope.linkage_name.is_empty() {
            true => &scope.name,
            false => &scope.linkage_name,
        };
        let item = Item::Function {
            line: scope.line,
            name: demangle(name),
        };
        vec![
            self.number(file, item),
            self.number(file, Item::Line(scope.line)),
        ]
    }

    /// What runs where an instruction comes from this location: its line, and those of the calls that were inlined.
    fn located(&mut self, debug: &'a DebugInfo, loc: LocId) -> Vec<u32> {
        const DEEPEST: usize = 64;
        let mut found = Vec::new();
        let mut loc = loc;
        for _ in 0..DEEPEST {
            let Some(location) = debug.locations.get(loc.0 as usize) else {
                break;
            };
            let Some(scope) = location.scope.filter(|_| loc != LocId(0)) else {
                break;
            };
            found.extend(self.function(debug, scope));
            if location.line > 0
                && let Some(known) = debug.scopes.get(scope.0 as usize)
                && let Some(file) = self.file(&known.file)
            {
                found.push(self.number(file, Item::Line(location.line)));
            }
            loc = location.inlined_at;
        }
        found
    }
}

/// Where the end of a block leads to, in the order of the source, if it decides anything.
pub(super) fn outcomes(kind: &InstKind) -> Vec<BlockId> {
    let mut targets = match kind {
        InstKind::CondBr {
            condition: Operand::Local(_),
            then,
            other,
        } => vec![*then, *other],
        InstKind::Switch { default, cases, .. } => {
            let cases = cases.iter().map(|&(_, target)| target);
            cases.chain([*default]).collect()
        }
        _ => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    targets.retain(|target| seen.insert(target.0));
    if targets.len() < 2 {
        targets.clear();
    }
    targets
}

/// The compiler knows that nobody gets there, as beyond the last variant of an enumeration.
fn is_impossible(body: &Body, block: BlockId) -> bool {
    let block = body.blocks.get(block.0 as usize);
    block.is_some_and(
        |block| matches!(&block.insts[..], [only] if matches!(only.kind, InstKind::Unreachable)),
    )
}

/// How far a block was run that a function was in when the run ended, or when it was left by an exception.
struct Stopped {
    block: u32,
    /// The instructions that were begun.
    begun: u32,
}

/// The last of the blocks that count as run together with this one.
fn chain_end(code: &Code, block: u32) -> u32 {
    let follows = code.follows[block as usize..].iter();
    block + follows.take_while(|&&follows| follows).count() as u32
}

impl Machine {
    /// The items of the program's own code that are in files which are wanted.
    pub fn outline(&self, is_wanted: impl Fn(&str) -> bool) -> Outline {
        let mut builder = Builder {
            is_wanted,
            outline: Outline::default(),
            files: HashMap::new(),
            numbers: HashMap::new(),
        };
        let linked = &*self.linked;
        for function in 0..linked.functions.len() as u32 {
            let Some((module, body)) = own_body(linked, function) else {
                continue;
            };
            let module = &linked.program.modules[module];
            let debug = &module.debug;
            let mut blocks = Vec::new();
            blocks.resize_with(body.blocks.len(), Block::default);
            let symbol = linked.functions[function as usize].symbol;
            if let SymbolKind::Function(known) = &module.symbols[symbol.0 as usize].kind
                && let Some(first) = blocks.first_mut()
            {
                let scope = known.debug.into_iter();
                let numbers = scope.flat_map(|scope| builder.function(debug, scope));
                first.insts.extend(numbers.map(|number| (0, number)));
            }
            let mut known: HashMap<LocId, Vec<u32>> = HashMap::new();
            let mut branches: HashMap<LocId, u32> = HashMap::new();
            for (block, found) in body.blocks.iter().zip(&mut blocks) {
                let mut last = LocId(0);
                for (index, inst) in block.insts.iter().enumerate() {
                    if inst.loc == last || is_debug(module, &inst.kind) {
                        continue;
                    }
                    last = inst.loc;
                    let numbers = known
                        .entry(inst.loc)
                        .or_insert_with(|| builder.located(debug, inst.loc));
                    found
                        .insts
                        .extend(numbers.iter().map(|&number| (index as u32, number)));
                }
                let Some(end) = block.insts.last() else {
                    continue;
                };
                let mut targets = outcomes(&end.kind);
                targets.retain(|&target| !is_impossible(body, target));
                let location = debug.locations.get(end.loc.0 as usize);
                let Some(location) = location.filter(|known| known.line > 0) else {
                    continue;
                };
                let scope = location
                    .scope
                    .and_then(|id| debug.scopes.get(id.0 as usize));
                let file = scope.and_then(|scope| builder.file(&scope.file));
                let Some(file) = file.filter(|_| targets.len() > 1) else {
                    continue;
                };
                let index = branches.entry(end.loc).or_insert(0);
                for (way, target) in targets.into_iter().enumerate() {
                    let item = Item::Outcome {
                        line: location.line,
                        column: location.column,
                        index: *index,
                        way: way as u32,
                    };
                    found.outcomes.push((target.0, builder.number(file, item)));
                }
                *index += 1;
            }
            let has_items = |block: &Block| !block.insts.is_empty() || !block.outcomes.is_empty();
            if blocks.iter().any(has_items) {
                builder.outline.functions.insert(function, blocks);
            }
        }
        builder.outline
    }

    /// What has run since coverage was forgotten. The state is where it ended: what comes behind that in a block has
    /// not run, though the block has been begun.
    pub fn ran_items(&self, outline: &Outline, state: &State) -> BTreeSet<u32> {
        let mut items = BTreeSet::new();
        let functions: BTreeSet<u32> = self.marks().iter().map(|mark| mark.function).collect();
        for function in functions {
            let Some(blocks) = outline.functions.get(&function) else {
                continue;
            };
            let Ok(code) = self.linked.code(function) else {
                continue;
            };
            let stopped = self.stopped(state, function, code);
            for (index, block) in blocks.iter().enumerate() {
                if !self.covered.is_block_covered(function, index as u32) {
                    continue;
                }
                let begun = self.begun(function, code, index as u32, &stopped);
                let insts = block.insts.iter().take_while(|&&(inst, _)| inst < begun);
                items.extend(insts.map(|&(_, number)| number));
            }
            for (index, edge) in code.edges.iter().enumerate() {
                if edge.is_outcome && self.covered.is_edge_covered(function, index) {
                    let outcomes = &blocks[edge.from as usize].outcomes;
                    let taken = outcomes.iter().find(|(to, _)| *to == edge.to);
                    items.extend(taken.map(|&(_, number)| number));
                }
            }
        }
        items
    }

    /// How many instructions of a block that counts as run were begun.
    fn begun(&self, function: u32, code: &Code, block: u32, stopped: &[Stopped]) -> u32 {
        let end = chain_end(code, block);
        let in_chain = |stop: &&Stopped| chain_end(code, stop.block) == end;
        let stops: Vec<&Stopped> = stopped.iter().filter(in_chain).collect();
        if stops.is_empty() || self.was_left(function, code, block, end) {
            return u32::MAX;
        }
        let reached = stops.iter().map(|stop| match stop.block.cmp(&block) {
            Ordering::Less => 0,
            Ordering::Equal => stop.begun,
            Ordering::Greater => u32::MAX,
        });
        reached.max().unwrap_or(0)
    }

    /// Whether anyone has come through these blocks to the end of the last.
    fn was_left(&self, function: u32, code: &Code, first: u32, last: u32) -> bool {
        let mut edges = code.edges.iter().enumerate();
        let by_edge = edges.any(|(index, edge)| {
            (first..=last).contains(&edge.from) && self.covered.is_edge_covered(function, index)
        });
        let start = code.blocks[last as usize];
        let next = code.blocks.get(last as usize + 1).copied();
        let end = next.unwrap_or(code.instrs.len() as u32);
        by_edge || self.covered.has_returned(function, start..end)
    }

    /// Where the function was stopped.
    fn stopped(&self, state: &State, function: u32, code: &Code) -> Vec<Stopped> {
        let Some((_, body)) = own_body(&self.linked, function) else {
            return Vec::new();
        };
        let frames = state.all_frames();
        let ended = frames
            .filter(|frame| frame.function == function)
            .map(|frame| frame.pc);
        let left = self
            .covered
            .abandoned
            .range((function, 0)..=(function, u32::MAX));
        let pcs = ended.chain(left.map(|&(_, pc)| pc));
        pcs.filter_map(|pc| stopped_at(code, body, pc)).collect()
    }
}

fn stopped_at(code: &Code, body: &Body, pc: u32) -> Option<Stopped> {
    let mut trampolines = code.trampolines.iter();
    if trampolines.next().is_some_and(|&(start, _)| start <= pc) {
        return None;
    }
    let after = code.blocks.partition_point(|&start| start <= pc);
    let block = after.checked_sub(1)?;
    let insts = &body.blocks.get(block)?.insts;
    let start = code.blocks[block];
    let next = code.sites.partition_point(|&(site, _)| site <= pc);
    let call = next.checked_sub(1).map(|index| code.sites[index]);
    let begun = match call.filter(|&(site, _)| site >= start) {
        Some((site, inst)) if site == pc => inst as usize + 1,
        call => {
            // Anything but a call is found by where it comes from.
            let from = call.map_or(0, |(_, inst)| inst as usize + 1);
            let loc = code.loc(pc);
            let rest = insts.get(from..).unwrap_or_default();
            let first = rest.iter().position(|inst| inst.loc == loc);
            first.map_or(insts.len(), |first| from + first + 1)
        }
    };
    Some(Stopped {
        block: block as u32,
        begun: begun as u32,
    })
}
