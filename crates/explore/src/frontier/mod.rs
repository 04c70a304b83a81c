//! The frontier: everything that is pending, in the order in which it comes.
//!
//! States whose inputs are known already come first (`ready`), then what the searcher picks, then deferred queries with
//! a larger budget. Work items are states that were evicted with all terms.

mod pending;
pub mod search;
mod surplus;
mod tree;

use std::collections::VecDeque;

use refrain_machine::{Goal, Machine};
use refrain_term::{Assignment, Evaluator, Term, Terms};

pub use pending::{Pending, WorkItem};
pub use search::{Id, Search};
pub use surplus::SurplusInput;
pub use tree::{Leaf, NodeId};

use pending::Slab;
use search::{Searcher, View};
use tree::Tree;

pub(crate) struct Frontier<S> {
    pending: Slab<S>,
    /// Inputs are known that lead to these: they come first.
    ready: VecDeque<Id>,
    /// Queries that met too many conflicts: they come after everything else, with a larger budget.
    deferred: Vec<Pending<S>>,
    /// States that were evicted together with their terms.
    evicted: Vec<WorkItem>,
    searcher: Box<dyn Searcher>,
    tree: Tree,
    /// Grows whenever code runs for the first time.
    pub covered: u64,
    pub most_pending: u64,
}

/// What searchers see.
struct Seen<'a, M: Machine> {
    machine: &'a mut M,
    pending: &'a Slab<M::State>,
    tree: &'a Tree,
    covered: u64,
}

impl<M: Machine> View for Seen<'_, M> {
    fn tree(&self) -> &Tree {
        self.tree
    }

    fn distance(&mut self, id: Id, goal: Goal) -> Option<u32> {
        let pending = self.pending.get(id);
        // One that was evicted has nothing to measure from.
        let state = pending.state.as_ref()?;
        let choice = match &pending.next {
            Some((crate::Decision::Choice(choice), _)) => Some(*choice),
            _ => None,
        };
        self.machine.distance(state, choice, goal)
    }

    fn covered(&self) -> u64 {
        self.covered
    }
}

impl<S> Frontier<S> {
    pub fn new(searcher: Box<dyn Searcher>) -> Frontier<S> {
        Frontier {
            pending: Slab::new(),
            ready: VecDeque::new(),
            deferred: Vec::new(),
            evicted: Vec::new(),
            searcher,
            tree: Tree::new(),
            covered: 0,
            most_pending: 0,
        }
    }

    /// How much is pending in all.
    pub fn len(&self) -> usize {
        self.pending.len() + self.deferred.len() + self.evicted.len()
    }

    pub fn ids(&self) -> Vec<Id> {
        self.pending.ids()
    }

    pub fn get(&self, id: Id) -> &Pending<S> {
        self.pending.get(id)
    }

    /// Instructions that a path may execute before something else is picked.
    pub fn slice(&self) -> u64 {
        self.searcher.slice()
    }

    /// Which of so many choices to go on with at once; none to pick again.
    pub fn go_on(&mut self, choices: usize) -> Option<usize> {
        self.searcher.go_on(choices)
    }

    pub fn add<M: Machine<State = S>>(&mut self, machine: &mut M, pending: Pending<S>) -> Id {
        let node = pending.node;
        let id = self.pending.add(pending);
        if let Some(node) = node {
            self.tree.wait(node, id);
        }
        self.most_pending = self.most_pending.max(self.pending.len() as u64);
        let mut seen = Seen {
            machine,
            pending: &self.pending,
            tree: &self.tree,
            covered: self.covered,
        };
        self.searcher.add(id, &mut seen);
        id
    }

    /// What comes next, if anything is pending that is neither deferred nor evicted.
    pub fn pick<M: Machine<State = S>>(&mut self, machine: &mut M) -> Option<Pending<S>> {
        while let Some(id) = self.ready.pop_front() {
            if self.pending.has(id) {
                return Some(self.remove(id));
            }
        }
        if self.pending.is_empty() {
            return None;
        }
        let mut seen = Seen {
            machine,
            pending: &self.pending,
            tree: &self.tree,
            covered: self.covered,
        };
        let id = self.searcher.pick(&mut seen);
        Some(self.remove(id))
    }

    /// Takes something out; it is running then, or gone.
    pub fn remove(&mut self, id: Id) -> Pending<S> {
        self.searcher.remove(id);
        let pending = self.pending.take(id);
        if let Some(node) = pending.node {
            self.tree.run(node);
        }
        pending
    }

    /// Takes something out for good.
    pub fn take(&mut self, id: Id) -> Pending<S> {
        let pending = self.remove(id);
        self.cut(pending.node);
        pending
    }

    /// Lets a state go; it is executed again when its turn comes.
    pub fn evict(&mut self, id: Id) {
        self.pending.get_mut(id).state = None;
    }

    pub fn defer(&mut self, mut pending: Pending<S>) {
        self.cut(pending.node.take());
        self.deferred.push(pending);
    }

    pub fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Puts deferred queries among everything else.
    pub fn take_deferred_back<M: Machine<State = S>>(&mut self, machine: &mut M) {
        for mut pending in std::mem::take(&mut self.deferred) {
            pending.node = Some(self.tree.add_root());
            self.add(machine, pending);
        }
    }

    pub fn add_evicted(&mut self, work: impl IntoIterator<Item = WorkItem>) {
        self.evicted.extend(work);
    }

    pub fn pop_evicted(&mut self) -> Option<WorkItem> {
        self.evicted.pop()
    }

    pub fn take_evicted(&mut self, count: usize) -> Vec<WorkItem> {
        self.evicted.drain(..count).collect()
    }

    pub fn evicted(&self) -> usize {
        self.evicted.len()
    }

    /// Forgets the searcher's order and the tree: nothing is pending but evicted work.
    pub fn restart(&mut self, searcher: Box<dyn Searcher>) {
        self.ready.clear();
        self.tree = Tree::new();
        self.searcher = searcher;
    }

    // The tree.

    pub fn add_root(&mut self) -> NodeId {
        self.tree.add_root()
    }

    pub fn cut(&mut self, node: Option<NodeId>) {
        if let Some(node) = node {
            self.tree.cut(node);
        }
    }

    /// Nodes for the choices of a question, those that are not open cut off. Where only one is open, the node stays.
    pub fn split(
        &mut self,
        node: Option<NodeId>,
        conditions: &[Term],
        open: &[usize],
    ) -> Vec<NodeId> {
        let Some(node) = node.filter(|_| open.len() > 1) else {
            return Vec::new();
        };
        let nodes = self.tree.split(node, conditions);
        for (index, &node) in nodes.iter().enumerate() {
            if !open.contains(&index) {
                self.tree.cut(node);
            }
        }
        nodes
    }

    /// The places that all others are under.
    pub fn roots(&self) -> Vec<NodeId> {
        self.tree.roots()
    }

    /// Where an input leads to that gets to a node, unless everything there is finished.
    pub fn follow(
        &self,
        from: NodeId,
        terms: &Terms,
        evaluator: &mut Evaluator,
        input: &Assignment,
    ) -> Option<Leaf> {
        self.tree.follow(from, terms, evaluator, input)
    }

    // Surplus inputs.

    /// Keeps an input with the place that it leads to, unless there are enough. Whether it was kept.
    pub fn keep(&mut self, node: NodeId, input: SurplusInput) -> bool {
        self.tree.keep(node, input)
    }

    /// The inputs that were kept with a place.
    pub fn surplus(&self, node: Option<NodeId>) -> &[SurplusInput] {
        node.map_or(&[], |node| self.tree.surplus(node))
    }

    pub fn take_surplus(&mut self, node: Option<NodeId>) -> Vec<SurplusInput> {
        node.map_or_else(Vec::new, |node| self.tree.take_surplus(node))
    }

    /// A place with surplus inputs that its state has gone on from.
    pub fn next_passed(&mut self) -> Option<NodeId> {
        self.tree.next_passed()
    }

    pub fn deferred(&self) -> &[Pending<S>] {
        &self.deferred
    }

    /// A deferred query is settled: puts it among everything else.
    pub fn undefer<M: Machine<State = S>>(&mut self, machine: &mut M, index: usize) -> Id {
        let mut pending = self.deferred.remove(index);
        pending.node = Some(self.tree.add_root());
        self.add(machine, pending)
    }

    /// Whether something pending is among what comes first.
    pub fn is_ready(&self, id: Id) -> bool {
        self.ready.contains(&id)
    }

    /// An input is known that leads to something pending: it comes first.
    pub fn make_ready(&mut self, id: Id, input: std::sync::Arc<Assignment>) -> &Pending<S> {
        let pending = self.pending.get_mut(id);
        pending.is_feasible = true;
        pending.input = input;
        self.ready.push_back(id);
        self.pending.get(id)
    }
}
