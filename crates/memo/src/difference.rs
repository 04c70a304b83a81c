//! Two trees side by side: which paths both have, and how those differ that only one has.

use crate::edge::{Edge, NodeId};
use crate::question::{Ending, Leaf};
use crate::tree::{Below, Tree};

/// What became of the paths of a tree in another one. A path is the questions on it with their conditions and what was
/// decided, whatever code asked them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Paths that both have, with the same end.
    pub same: u64,
    /// Paths that both have, with different ends: where they are in each.
    pub changed: Vec<(Edge, Edge)>,
    /// Paths that only the second has.
    pub new: Vec<Edge>,
    /// Paths that only the first has.
    pub gone: Vec<Edge>,
}

impl Difference {
    pub fn of(before: &Tree, after: &Tree) -> Difference {
        let mut difference = Difference::default();
        let mut pairs = vec![(Edge::ROOT, Edge::ROOT)];
        while let Some((old, new)) = pairs.pop() {
            match (before.below(old), after.below(new)) {
                (Below::Node(one), Below::Node(other)) if is_same(before, one, after, other) => {
                    pairs.extend(before.edges(one).zip(after.edges(other)));
                }
                (Below::Leaf(one), Below::Leaf(other)) if one.implied == other.implied => {
                    match has_same_end(&one, &other) {
                        true => difference.same += 1,
                        false => difference.changed.push((old, new)),
                    }
                }
                (Below::Summary(one), Below::Summary(other)) if one.counts == other.counts => {
                    difference.same += one.counts.leaves();
                }
                _ => {
                    difference.gone.extend(before.leaves_below(old));
                    difference.new.extend(after.leaves_below(new));
                }
            }
        }
        difference
    }
}

fn is_same(before: &Tree, one: NodeId, after: &Tree, other: NodeId) -> bool {
    let (one, other) = (before.question(one), after.question(other));
    (one.kind, one.hash, one.value, one.implied)
        == (other.kind, other.hash, other.value, other.implied)
}

fn has_same_end(one: &Leaf<'_>, other: &Leaf<'_>) -> bool {
    match (one.ending, other.ending) {
        (Ending::Boundary(one), Ending::Boundary(other)) => one.cause == other.cause,
        (Ending::Unsupported(one), Ending::Unsupported(other)) => what(one) == what(other),
        (one, other) => one == other,
    }
}

/// What is not supported, without the line: that may be another.
fn what(text: &str) -> &str {
    text.rsplit_once(" at ").map_or(text, |(what, _)| what)
}

impl Tree {
    /// The ends of paths that an edge leads to.
    pub fn leaves_below(&self, edge: Edge) -> Vec<Edge> {
        let mut leaves = Vec::new();
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            match self.below(edge) {
                Below::Node(node) => open.extend(self.edges(node)),
                Below::Leaf(_) | Below::Summary(_) => leaves.push(edge),
                Below::Infeasible { .. } | Below::Open(_) | Below::Unknown { .. } => {}
            }
        }
        leaves
    }
}
