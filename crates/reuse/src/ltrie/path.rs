//! The search for a logical subset of a query that grows and shrinks at its end, as the condition of a path does.
//!
//! A step down the trie that could not be taken waits at the label that was not implied. An atom added to the query
//! marks the labels that are newly implied, and only the steps that wait for one of these go on. What waits at a
//! label is a chain through one vector, latest first, so dropping the last atom cuts the vector and mends the heads
//! of the chains.

use super::ipog::Word;
use super::signature::Signature;
use super::trie::NONE;
use super::unsat::{Marks, UnsatHit, UnsatTrie};
use super::{AtomId, Atoms, cover};

/// A node entered but not passed: the label at this place of its segment is not marked.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    node: u32,
    place: u32,
    label: u32,
    /// What waited at the label before.
    next: u32,
}

/// Beyond so much to wait for, every search is one from the root: it is cheaper than keeping account of what was not
/// found.
const MOST_WAITING: usize = 1024;
const MOST_WIDE: usize = 12;

/// The lengths before an atom was added, and the leaf found when it was.
#[derive(Clone, Copy, Debug)]
struct Level {
    trail: usize,
    waiting: usize,
    wide: usize,
    signature: Signature,
    leaf: Option<u32>,
    /// There was too much to wait for.
    from_root: bool,
}

/// A query that is a stack of atoms, and where its search for a subset stands. It belongs to one [`UnsatTrie`].
#[derive(Default, Debug)]
pub struct UnsatPath {
    version: u64,
    query: Vec<AtomId>,
    levels: Vec<Level>,
    marks: Marks,
    /// What was marked, in order.
    trail: Vec<Word>,
    waiting: Vec<Waiting>,
    head: Vec<u32>,
    /// Nodes passed that have too many edges to wait at each.
    wide: Vec<u32>,
    agenda: Vec<(u32, u32)>,
    stack: Vec<u32>,
}

impl UnsatPath {
    pub fn new() -> UnsatPath {
        UnsatPath::default()
    }

    pub fn query(&self) -> &[AtomId] {
        &self.query
    }

    /// Adds an atom; a stored set all of whose atoms the query now implies. A change of the store since the last call
    /// costs a search from the beginning.
    pub fn push(
        &mut self,
        store: &mut UnsatTrie,
        atoms: &impl Atoms,
        atom: AtomId,
    ) -> Option<UnsatHit> {
        self.query.push(atom);
        if self.version != store.trie.version() {
            self.start_again(store, atoms);
        } else {
            self.add(store, atoms, atom);
        }
        self.hit(store)
    }

    /// Takes the last atom away.
    pub fn pop(&mut self) {
        if self.query.pop().is_some() && self.levels.len() > self.query.len() {
            self.drop_level();
        }
    }

    /// Makes this the query: atoms it shares with the query so far, from the first on, cost nothing.
    pub fn set(
        &mut self,
        store: &mut UnsatTrie,
        atoms: &impl Atoms,
        query: &[AtomId],
    ) -> Option<UnsatHit> {
        let shared = self.query.iter().zip(query).take_while(|(a, b)| a == b);
        let shared = shared.count();
        while self.query.len() > shared {
            self.pop();
        }
        let mut hit = self.current(store, atoms);
        for &atom in &query[shared..] {
            hit = self.push(store, atoms, atom);
        }
        hit
    }

    /// The stored set found for the query as it is.
    pub fn current(&mut self, store: &mut UnsatTrie, atoms: &impl Atoms) -> Option<UnsatHit> {
        if self.version != store.trie.version() {
            self.start_again(store, atoms);
        }
        self.hit(store)
    }

    fn hit(&self, store: &UnsatTrie) -> Option<UnsatHit> {
        let leaf = self.levels.last()?.leaf?;
        Some(store.hit(leaf, &self.query))
    }

    fn start_again(&mut self, store: &mut UnsatTrie, atoms: &impl Atoms) {
        while !self.levels.is_empty() {
            self.drop_level();
        }
        self.version = store.trie.version();
        for at in 0..self.query.len() {
            self.add(store, atoms, self.query[at]);
        }
    }

    fn drop_level(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        for word in self.trail.drain(level.trail..).rev() {
            self.marks.labels.take_back(word);
        }
        self.marks.signature = level.signature;
        for waiting in self.waiting.drain(level.waiting..).rev() {
            self.head[waiting.label as usize] = waiting.next;
        }
        self.wide.truncate(level.wide);
    }

    fn add(&mut self, store: &mut UnsatTrie, atoms: &impl Atoms, atom: AtomId) {
        let last = self.levels.last();
        let level = Level {
            trail: self.trail.len(),
            waiting: self.waiting.len(),
            wide: self.wide.len(),
            signature: self.marks.signature,
            leaf: last.and_then(|last| last.leaf),
            from_root: last.is_some_and(|last| last.from_root),
        };
        self.levels.push(level);
        if level.leaf.is_some() || !store.ipog.update(atoms, atom.0) {
            return;
        }
        self.mark(store, atoms, atom);
        if self.trail.len() > level.trail {
            let (leaf, from_root) = self.search(store, level);
            let top = self.levels.len() - 1;
            self.levels[top].leaf = leaf;
            self.levels[top].from_root = from_root;
        }
    }

    fn mark(&mut self, store: &UnsatTrie, atoms: &impl Atoms, atom: AtomId) {
        let related = store.ipog.related(atom.0);
        for &word in &related.words {
            let new = self.marks.labels.add(word);
            if new.bits != 0 {
                self.trail.push(new);
            }
        }
        let of_atom = related.signature(atoms.subject(atom));
        self.marks.signature = self.marks.signature.union(of_atom);
    }

    /// A leaf, if the new marks lead to one, and whether the search was one from the root.
    fn search(&mut self, store: &UnsatTrie, level: Level) -> (Option<u32>, bool) {
        if !level.from_root {
            let leaf = self.go_on(store, level);
            if leaf.is_some() || !self.is_too_much() {
                return (leaf, false);
            }
        }
        let mut left = u32::MAX;
        let found = self
            .marks
            .walk_down(&store.trie, &mut self.stack, &mut left);
        (found.hit(), true)
    }

    fn is_too_much(&self) -> bool {
        self.waiting.len() > MOST_WAITING || self.wide.len() > MOST_WIDE
    }

    /// Takes the steps that the newly marked labels allow, until one leads to a leaf.
    fn go_on(&mut self, store: &UnsatTrie, before: Level) -> Option<u32> {
        self.agenda.clear();
        for at in before.trail..self.trail.len() {
            let new = self.trail[at];
            for label in store.trie.root_labels(new).labels() {
                let child = store.trie.root_child(label);
                self.agenda.extend(child.map(|child| (child, 1)));
            }
            for label in new.labels() {
                self.wake(label);
                for &id in &self.wide[..before.wide] {
                    let child = store.trie.child(id, label);
                    self.agenda.extend(child.map(|child| (child, 1)));
                }
            }
        }
        while let Some((node, place)) = self.agenda.pop() {
            if self.is_too_much() {
                return None;
            }
            if self.enter(store, node, place) {
                return Some(node);
            }
        }
        None
    }

    /// What waits at a label goes on behind it.
    fn wake(&mut self, label: u32) {
        let mut at = self.head.get(label as usize).copied().unwrap_or(NONE);
        while at != NONE {
            let waiting = self.waiting[at as usize];
            self.agenda.push((waiting.node, waiting.place + 1));
            at = waiting.next;
        }
    }

    /// Goes through a node from a place of its segment on. True if that ends at a leaf.
    fn enter(&mut self, store: &UnsatTrie, id: u32, from: u32) -> bool {
        let node = store.trie.node(id);
        let segment = store.trie.segment(node);
        let rest = &segment[from as usize..];
        if let Some(missing) = rest.iter().position(|&label| !self.marks.labels.has(label)) {
            self.wait(id, from + missing as u32, rest[missing]);
            return false;
        }
        if store.trie.is_wide(node) {
            self.wide.push(id);
            let labels = self.marks.labels.words().flat_map(|word| word.labels());
            let children = labels.filter_map(|label| store.trie.child(id, label));
            self.agenda.extend(children.map(|child| (child, 1)));
            return false;
        }
        for edge in store.trie.edges(node) {
            if self.marks.labels.has(edge.label) {
                self.agenda.push((edge.child, 1));
            } else {
                self.wait(edge.child, 0, edge.label);
            }
        }
        node.is_leaf()
    }

    fn wait(&mut self, node: u32, place: u32, label: u32) {
        cover(&mut self.head, label as usize, NONE);
        let next = self.head[label as usize];
        self.head[label as usize] = self.waiting.len() as u32;
        self.waiting.push(Waiting {
            node,
            place,
            label,
            next,
        });
    }
}
