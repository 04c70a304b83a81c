//! The memo tree: what earlier runs have decided is not decided again, and what this run decides is recorded.
//!
//! Every state is on an [`Edge`] of the tree. When it asks, the tree may know the question: then nobody is asked about
//! choices that were decided, those under which everything is finished are left alone, and each that is entered gets an
//! input from the tree. A question counts as known only if it is the same: its kind, its conditions by a structural
//! hash, the value that was chosen, and the choices since the question before that the path condition left alone. All
//! conditions on the way are the same then, and so is whatever was found out about them. Any other is recorded anew, and
//! what the tree has below its place is forgotten.

pub(crate) mod code;
pub(crate) mod core;
pub(crate) mod encode;
mod guide;
mod plan;

use std::sync::{Arc, OnceLock};

use refrain_machine::{CodePiece, End, InputValue, Machine, Point};
use refrain_memo::{
    AskKind, Below, Boundary, CodeUnit, Edge, Ending, Input, Leaf, LogWriter, MemoError,
    NamedPoint, NodeId, Question, Recording, Subtrees, SymbolId, Tree, UnitId,
};
use refrain_term::{Term, Terms, Value};
use rustc_hash::FxHashMap;

use crate::trail::{Decision, Trail};
use code::KnownCode;
pub use encode::{input_bytes, input_of, value_of};
use encode::{question_hash, value_bytes};
pub use guide::{Guide, Heuristic};
use plan::Plan;
pub use plan::{Again, Kept};

/// A tree that a run starts from and adds to.
pub struct Memo {
    tree: Tree,
    plan: Plan,
    /// How much there is below each edge, if anybody has asked.
    sizes: OnceLock<Subtrees>,
    recording: Recording,
}

impl Memo {
    pub fn new(tree: Tree, again: &Again<'_>) -> Result<Memo, MemoError> {
        Ok(Memo {
            recording: tree.record()?,
            plan: Plan::new(&tree, again),
            sizes: OnceLock::new(),
            tree,
        })
    }

    /// Goes on wherever the tree is open.
    pub fn resume(tree: Tree) -> Result<Memo, MemoError> {
        Memo::new(tree, &Again::default())
    }

    /// Goes on from a tree of another version of the program: wherever it is open, and wherever code ran that is
    /// another now, down to the ends of all these paths. `hash_now` is what [`Machine::code_hash`] says.
    pub fn regress(
        tree: Tree,
        hash_now: impl Fn(&str, u32) -> Option<u64>,
    ) -> Result<Memo, MemoError> {
        let again = Again {
            hash_now: Some(&hash_now),
            ..Again::default()
        };
        Memo::new(tree, &again)
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What is not executed again.
    pub fn kept(&self) -> &Kept {
        &self.plan.kept
    }

    /// Counts as covered what ran there.
    pub fn cover<M: Machine>(&self, machine: &mut M) {
        for unit in &self.kept().code {
            machine.cover_code(unit);
        }
    }

    /// Says that a run has recorded everything.
    pub(crate) fn seal(&self) -> Result<(), MemoError> {
        self.recording.seal()
    }

    /// Whether there is anything to do.
    pub fn has_work(&self) -> bool {
        self.tree.is_in(Edge::ROOT, &self.plan.enabled)
    }

    /// The decisions that lead to the end of an edge, without those that a path condition left alone.
    pub fn decisions(&self, edge: Edge) -> Vec<Decision> {
        let edges = self.tree.path_to(edge).into_iter();
        edges.filter_map(|edge| self.decision(edge)).collect()
    }

    fn decision(&self, edge: Edge) -> Option<Decision> {
        let question = self.tree.question(edge.node()?);
        let value = || question.value.and_then(value_of);
        let alternative = edge.alternative();
        Some(match (question.kind, alternative) {
            (AskKind::Choose(_), choice) => Decision::Choice(choice),
            (AskKind::Assume, _) => Decision::Assumed(alternative == 0),
            (AskKind::Witness, _) => Decision::Witness(value()?),
            (AskKind::Fix | AskKind::Sample, 0) => Decision::Fixed(value()?),
            (AskKind::Fix | AskKind::Sample, _) => Decision::Other(value()?),
        })
    }
}

/// A question, as it is asked now.
pub(crate) struct Asking<'a> {
    pub kind: AskKind,
    /// By alternative that has one.
    pub conditions: &'a [Term],
    pub value: Option<&'a Value>,
}

/// A question in the tree.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    id: NodeId,
    /// Whether earlier runs asked it.
    is_known: bool,
}

impl Node {
    /// The edge of a decision.
    pub fn edge(self, decision: &Decision) -> Edge {
        self.id.edge(alternative(decision))
    }
}

/// What earlier runs know of a decision.
pub(crate) enum Known {
    Infeasible,
    /// An input takes it.
    Feasible(Vec<InputValue>),
    /// There is nothing to do below it.
    Finished,
}

/// One worker's part: what it knows, and its log.
pub(crate) struct Memory {
    memo: Arc<Memo>,
    writer: LogWriter,
    symbols: FxHashMap<u32, SymbolId>,
    units: FxHashMap<CodePiece, UnitId>,
    /// Code that ran, as it was told: mostly the same ran before.
    sets: FxHashMap<Box<[CodePiece]>, Arc<[UnitId]>>,
    known: KnownCode,
}

impl Memory {
    pub fn new(memo: Arc<Memo>) -> Result<Memory, MemoError> {
        Ok(Memory {
            writer: memo.recording.writer()?,
            memo,
            symbols: FxHashMap::default(),
            units: FxHashMap::default(),
            sets: FxHashMap::default(),
            known: KnownCode::default(),
        })
    }

    /// Writes what is not on disk yet; whether all of it is.
    pub fn finish(self) -> Result<(), MemoError> {
        self.writer.finish()
    }

    pub fn has_work(&self) -> bool {
        self.memo.has_work() || matches!(self.memo.tree.root(), Below::Open(_))
    }

    // What is known.

    /// The test of a path that ended at the end of an edge.
    pub fn test(&self, edge: Edge) -> Option<u32> {
        match self.memo.tree.below(edge) {
            Below::Leaf(leaf) => leaf.test,
            _ => None,
        }
    }

    /// How many paths and open places are known to be below an edge.
    pub fn size(&self, edge: Edge) -> u64 {
        let tree = &self.memo.tree;
        let sizes = self.memo.sizes.get_or_init(|| tree.subtrees());
        let counts = tree.count(edge, sizes);
        counts.leaves() + counts.open
    }

    /// An input that takes an edge.
    pub fn input(&self, edge: Edge) -> Option<Vec<InputValue>> {
        match self.memo.tree.input(edge)? {
            Input::Bytes(bytes) => input_of(&bytes),
            // Every input is in the tree.
            Input::Test(_) => None,
        }
    }

    /// The value that was chosen at the end of an edge, and the hash of the question, if it came after the same choices.
    pub fn value(&self, edge: Edge, kind: AskKind, trail: &Trail) -> Option<(Value, u64)> {
        let Below::Node(node) = self.memo.tree.below(edge) else {
            return None;
        };
        let question = self.memo.tree.question(node);
        let value = question.value.filter(|_| question.kind == kind)?;
        if question.implied != implied(trail) {
            return None;
        }
        Some((value_of(value)?, question.hash))
    }

    /// The hash of a question.
    pub fn hash(terms: &Terms, conditions: &[Term], value: Option<&Value>) -> u64 {
        let value = value.and_then(value_bytes);
        question_hash(terms, conditions, value.as_deref())
    }

    /// What is known of a decision.
    pub fn known(&self, node: Node, decision: &Decision) -> Option<Known> {
        if !node.is_known {
            return None;
        }
        let edge = node.edge(decision);
        let tree = &self.memo.tree;
        let is_enabled = tree.is_in(edge, &self.memo.plan.enabled);
        match tree.below(edge) {
            Below::Infeasible { .. } => Some(Known::Infeasible),
            _ if !is_enabled => Some(Known::Finished),
            Below::Unknown { .. } => None,
            Below::Node(_) | Below::Leaf(_) | Below::Open(_) | Below::Summary(_) => {
                self.input(edge).map(Known::Feasible)
            }
        }
    }

    // What is recorded.

    /// A question is asked at the end of an edge, to which the path condition leaves several answers. Whether the tree
    /// had another there is in the second value.
    pub fn ask<M: Machine>(
        &mut self,
        machine: &M,
        terms: &Terms,
        at: &Place<'_, M::State>,
        asking: &Asking<'_>,
    ) -> (Node, bool) {
        let value = asking.value.and_then(value_bytes);
        let implied = implied(at.trail);
        let hash = question_hash(terms, asking.conditions, value.as_deref());
        let tree = &self.memo.tree;
        let known = match tree.below(at.edge) {
            Below::Node(node) => Some(node),
            _ => None,
        };
        let same = known.filter(|&node| {
            let known = tree.question(node);
            (known.kind, known.hash, known.implied, known.value)
                == (asking.kind, hash, &implied[..], value.as_deref())
        });
        let is_other = known.is_some() && same.is_none();
        if let Some(id) = same
            && !(self.memo.plan.is_regression && self.is_by_other_code(machine, at, id))
        {
            return (Node { id, is_known: true }, is_other);
        }
        let ran = self.code(machine, at.ran);
        let question = Question {
            point: self.point(machine, machine.point(at.state)),
            kind: asking.kind,
            value: value.as_deref(),
            implied: &implied,
            ran: &ran,
            hash,
        };
        let node = match same {
            // By other code.
            Some(id) => {
                self.writer.ask_anew(id, &question);
                Node { id, is_known: true }
            }
            None => Node {
                id: self.writer.node(at.edge, &question),
                is_known: false,
            },
        };
        (node, is_other)
    }

    /// Whether other code has led to a question than in the tree. Other code before may have led to other values, and
    /// these past other blocks.
    fn is_by_other_code<M: Machine>(
        &mut self,
        machine: &M,
        at: &Place<'_, M::State>,
        node: NodeId,
    ) -> bool {
        let tree = &self.memo.tree;
        let known = tree.question(node);
        tree.is_in(at.edge, &self.memo.plan.impacted)
            || !self.known.is_same(tree, machine, at.ran, known.ran)
            || self.known.point(tree, machine, machine.point(at.state)) != Some(known.point)
    }

    /// No input takes an edge; perhaps with its core.
    pub fn infeasible(&mut self, edge: Edge, core: Option<&[u8]>) {
        if !matches!(self.memo.tree.below(edge), Below::Infeasible { .. }) {
            self.writer.infeasible(edge, core);
        }
    }

    /// It could not be decided whether an input takes an edge.
    pub fn unknown(&mut self, edge: Edge, reason: &str) {
        self.writer.unknown(edge, reason);
    }

    /// What is at the end of an edge is not explored; where that is, if it is known.
    pub fn leave<M: Machine>(
        &mut self,
        machine: &M,
        edge: Edge,
        cause: &str,
        stack: &[Point],
        input: Option<&[InputValue]>,
    ) {
        if self.is_on_the_way(edge) {
            return self.leave_below(edge, cause);
        }
        let stack = &self.stack(machine, stack);
        let boundary = Boundary { cause, stack };
        let input = input.map(input_bytes);
        self.writer.open(edge, &boundary, input.as_deref());
    }

    /// Whether an edge only leads to something to do: what is known below it stays.
    fn is_on_the_way(&self, edge: Edge) -> bool {
        let (tree, plan) = (&self.memo.tree, &self.memo.plan);
        let leads_on = tree.is_in(edge, &plan.enabled) && !tree.is_in(edge, &plan.candidates);
        leads_on && matches!(tree.below(edge), Below::Node(_))
    }

    /// All that was to be done below an edge is not done.
    fn leave_below(&mut self, edge: Edge, cause: &str) {
        let memo = Arc::clone(&self.memo);
        let (tree, enabled) = (&memo.tree, &memo.plan.enabled);
        let mut edges = vec![edge];
        while let Some(edge) = edges.pop() {
            let stack = match tree.below(edge) {
                Below::Node(node) if self.is_on_the_way(edge) => {
                    edges.extend(tree.edges(node).filter(|&edge| tree.is_in(edge, enabled)));
                    continue;
                }
                Below::Open(boundary)
                | Below::Leaf(Leaf {
                    ending: Ending::Boundary(boundary),
                    ..
                }) => boundary.stack,
                _ => &[],
            };
            let stack: Vec<NamedPoint> = { stack.iter() }
                .map(|&point| NamedPoint {
                    symbol: self.writer.symbol(tree.symbol(point.symbol)),
                    ..point
                })
                .collect();
            let input = match tree.input(edge) {
                Some(Input::Bytes(bytes)) => Some(bytes),
                Some(Input::Test(_)) | None => None,
            };
            let boundary = Boundary {
                cause,
                stack: &stack,
            };
            self.writer.open(edge, &boundary, input.as_deref());
        }
    }

    /// A path ends at the end of an edge.
    pub fn end<M: Machine>(
        &mut self,
        machine: &M,
        at: &Place<'_, M::State>,
        ending: &PathEnd<'_>,
        input: &[InputValue],
        test: Option<u32>,
    ) {
        // A limit that is tighter than those before does not take away what they let be found.
        if let PathEnd::Cut(cause, _) = ending
            && self.is_on_the_way(at.edge)
        {
            return self.leave_below(at.edge, cause);
        }
        let (implied, ran) = (implied(at.trail), self.code(machine, at.ran));
        let mut text = String::new();
        let stack;
        let ending = match ending {
            PathEnd::Undecided(reason) => return self.unknown(at.edge, reason),
            PathEnd::End(end) => encode::ending(end, &mut text),
            PathEnd::Cut(cause, points) => {
                stack = self.stack(machine, points);
                Ending::Boundary(Boundary {
                    cause,
                    stack: &stack,
                })
            }
        };
        let leaf = Leaf {
            ending,
            implied: &implied,
            ran: &ran,
            test,
        };
        let input = input_bytes(input);
        self.writer.leaf(at.edge, &leaf, Some(&input));
    }

    fn stack<M: Machine>(&mut self, machine: &M, stack: &[Point]) -> Vec<NamedPoint> {
        let points = stack.iter();
        points.map(|&point| self.point(machine, point)).collect()
    }

    fn point<M: Machine>(&mut self, machine: &M, point: Point) -> NamedPoint {
        let writer = &mut self.writer;
        let symbol = self.symbols.entry(point.function);
        let symbol = symbol.or_insert_with(|| writer.symbol(&machine.describe(point).symbol));
        NamedPoint {
            symbol: *symbol,
            block: point.block,
            instruction: point.instruction,
        }
    }

    /// Code that ran, as a set.
    fn code<M: Machine>(&mut self, machine: &M, ran: &[CodePiece]) -> Arc<[UnitId]> {
        const MOST: usize = 1 << 14;
        if let Some(set) = self.sets.get(ran) {
            return Arc::clone(set);
        }
        if self.sets.len() >= MOST {
            self.sets.clear();
        }
        let writer = &mut self.writer;
        let mut code: Vec<UnitId> = { ran.iter() }
            .map(|&piece| {
                *self.units.entry(piece).or_insert_with(|| {
                    let unit = machine.code(piece);
                    let unit = CodeUnit {
                        symbol: writer.symbol(&unit.symbol),
                        block: Some(unit.block),
                        hash: unit.hash,
                        part: unit.part.number(),
                    };
                    writer.unit(unit)
                })
            })
            .collect();
        code.sort_unstable();
        code.dedup();
        let code: Arc<[UnitId]> = code.into();
        self.sets.insert(ran.into(), Arc::clone(&code));
        code
    }
}

/// Where a state is that asks or ends.
pub(crate) struct Place<'a, S> {
    pub edge: Edge,
    pub trail: &'a Trail,
    pub state: &'a S,
    /// The code that ran since the edge began.
    pub ran: &'a [CodePiece],
}

/// How a path ends.
pub(crate) enum PathEnd<'a> {
    End(&'a End),
    /// With its call stack.
    Cut(&'a str, &'a [Point]),
    /// The solver could not decide whether an input goes on.
    Undecided(&'a str),
}

/// The alternative that a decision is.
fn alternative(decision: &Decision) -> u32 {
    match decision {
        Decision::Choice(choice) => *choice,
        Decision::Assumed(holds) => u32::from(!holds),
        Decision::Witness(_) | Decision::Fixed(_) => 0,
        Decision::Other(_) => 1,
        Decision::Implied(_) => unreachable!("implied choices are no questions of the tree"),
    }
}

/// The choices since the last question of the tree that the path condition left alone.
fn implied(trail: &Trail) -> Vec<u32> {
    let mut runs: Vec<&[u32]> = Vec::new();
    for node in trail.backwards() {
        let Decision::Implied(choices) = &node.decision else {
            break;
        };
        runs.push(choices);
    }
    runs.into_iter().rev().flatten().copied().collect()
}
