//! Sets of edges of a tree, a bit each.

use std::ops::Range;

use crate::edge::{Edge, NodeId};
use crate::tree::Tree;

/// Some edges of the tree that made it; none unless a tree says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    words: Vec<u64>,
}

impl Edges {
    pub(crate) fn new(tree: &Tree) -> Edges {
        Edges {
            words: vec![0; tree.slots.len().div_ceil(64)],
        }
    }

    pub(crate) fn insert(&mut self, slot: u32) {
        self.words[slot as usize / 64] |= 1 << (slot % 64);
    }

    pub(crate) fn has(&self, slot: u32) -> bool {
        let word = self.words.get(slot as usize / 64);
        word.is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    pub(crate) fn has_any(&self, mut slots: Range<u32>) -> bool {
        slots.any(|slot| self.has(slot))
    }

    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}

impl Tree {
    /// A set that has no edge yet.
    pub fn no_edges(&self) -> Edges {
        Edges::new(self)
    }

    /// Adds an edge to a set; whether it was not there. One that was recorded since the tree was opened is left out.
    pub fn add_edge(&self, edge: Edge, edges: &mut Edges) -> bool {
        match self.slot(edge) {
            Some(slot) if !edges.has(slot) => {
                edges.insert(slot);
                true
            }
            _ => false,
        }
    }

    /// Every edge that the root leads to, each after those that lead to it.
    pub fn every_edge(&self) -> impl Iterator<Item = Edge> + '_ {
        self.all_edges().map(|(_, edge)| edge)
    }

    /// Whether an edge is in a set. What was recorded since the tree was opened is in none.
    pub fn is_in(&self, edge: Edge, edges: &Edges) -> bool {
        self.slot(edge).is_some_and(|slot| edges.has(slot))
    }

    /// The edges of a set, each after those that lead to it.
    pub fn edges_in<'a>(&'a self, edges: &'a Edges) -> impl Iterator<Item = Edge> + 'a {
        self.all_edges()
            .filter(|(slot, _)| edges.has(*slot))
            .map(|(_, edge)| edge)
    }

    /// All edges that the root leads to, with their slots, each after those that lead to it.
    pub(crate) fn all_edges(&self) -> impl Iterator<Item = (u32, Edge)> + '_ {
        let below = self.top_down().flat_map(|node| self.numbered_edges(node));
        std::iter::once((0, Edge::ROOT)).chain(below)
    }

    /// The edges that start at a node, with their slots.
    pub(crate) fn numbered_edges(
        &self,
        node: u32,
    ) -> impl DoubleEndedIterator<Item = (u32, Edge)> + use<> {
        let slots = self.slots_of(node);
        let first = slots.start;
        slots.map(move |slot| (slot, NodeId::of_tree(node).edge(slot - first)))
    }
}
