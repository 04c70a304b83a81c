//! How much there is below each edge, and work in equal parts.

use crate::dictionary::EndingRow;
use crate::edge::Edge;
use crate::slot::Slot;
use crate::tree::{Counts, Detail, Tree};

/// How much there is below each edge of the tree that made it.
pub struct Subtrees {
    /// By node.
    counts: Vec<Counts>,
}

impl Tree {
    /// Counts all subtrees at once.
    pub fn subtrees(&self) -> Subtrees {
        let mut counts = vec![Counts::default(); self.nodes.at.len()];
        for node in self.top_down().rev() {
            let mut sum = Counts {
                nodes: 1,
                ..Counts::default()
            };
            for slot in self.slots_of(node) {
                sum += self.count_slot(slot, &counts);
            }
            counts[node as usize] = sum;
        }
        Subtrees { counts }
    }

    /// What is below an edge, itself included.
    pub fn count(&self, edge: Edge, subtrees: &Subtrees) -> Counts {
        let slot = self.slot(edge);
        slot.map_or(Counts::default(), |slot| {
            self.count_slot(slot, &subtrees.counts)
        })
    }

    pub(crate) fn count_slot(&self, slot: u32, of_nodes: &[Counts]) -> Counts {
        match self.slots[slot as usize].unpack() {
            Slot::Node(node) => of_nodes[node as usize],
            Slot::Summary(summary) => self.summaries[summary as usize].counts,
            other => self.count_one(other),
        }
    }

    /// Of what has nothing below it.
    pub(crate) fn count_one(&self, slot: Slot) -> Counts {
        let mut counts = Counts::default();
        let count = match slot {
            Slot::Node(_) | Slot::Summary(_) => return counts,
            Slot::Leaf(leaf) => {
                let row = self.leaves.row[leaf as usize];
                match self.dictionary.leaf_row(row).ending {
                    EndingRow::Exit(_) => &mut counts.exits,
                    EndingRow::Error(_) => &mut counts.errors,
                    EndingRow::Unsupported(_) => &mut counts.unsupported,
                    EndingRow::Silent => &mut counts.silent,
                    EndingRow::Boundary(_) => &mut counts.boundaries,
                }
            }
            Slot::Infeasible => &mut counts.infeasible,
            Slot::Open => &mut counts.open,
            Slot::Detail(detail) => match self.details[detail as usize] {
                Detail::Infeasible { .. } => &mut counts.infeasible,
                Detail::Open { .. } | Detail::Unknown { .. } => &mut counts.open,
            },
        };
        *count = 1;
        counts
    }

    /// Candidates in so many lists of about the same weight. Each list is of neighbours, which share most of the way
    /// from the root. A candidate weighs as much as is known below the node that it starts at: subtrees of the same
    /// question are often alike.
    pub fn split(&self, parts: usize, is_candidate: impl Fn(Edge) -> bool) -> Vec<Vec<Edge>> {
        let mut nodes = vec![1u32; self.nodes.at.len()];
        for node in self.top_down().rev() {
            for slot in self.slots_of(node) {
                if let Slot::Node(child) = self.slots[slot as usize].unpack() {
                    nodes[node as usize] += nodes[child as usize];
                }
            }
        }
        let mut candidates = Vec::new();
        let mut stack = vec![(0, Edge::ROOT)];
        while let Some((slot, edge)) = stack.pop() {
            if is_candidate(edge) {
                let weight = edge.node().map_or(1, |node| nodes[node.index as usize]);
                candidates.push((edge, u64::from(weight)));
            }
            if let Slot::Node(node) = self.slots[slot as usize].unpack() {
                stack.extend(self.numbered_edges(node).rev());
            }
        }
        let total: u64 = candidates.iter().map(|(_, weight)| weight).sum();
        let mut lists = vec![Vec::new(); parts];
        let mut before = 0;
        for (edge, weight) in candidates {
            // By its middle.
            let part = (2 * before + weight) as u128 * parts as u128 / (2 * total) as u128;
            lists[part as usize].push(edge);
            before += weight;
        }
        lists
    }
}
