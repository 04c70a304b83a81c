//! What is to be executed again: the ways from the root to candidates (Memoise, section III-C), and candidates that a
//! change of the program makes (section IV-A3).

use crate::dictionary::Dictionary;
use crate::edge::Edge;
use crate::edges::Edges;
use crate::question::UnitId;
use crate::slot::Slot;
use crate::tree::Tree;

/// What a change of the program comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Code that ran, and is another now or none at all.
    pub units: Vec<UnitId>,
    /// The edges on which such code ran; of a summary, somewhere below.
    pub edges: Edges,
}

impl Tree {
    /// All edges on ways from the root to candidates: whoever goes down these, once each, comes to all candidates.
    pub fn enabled(&self, is_candidate: impl Fn(Edge) -> bool) -> Edges {
        let mut enabled = Edges::new(self);
        let visit = |enabled: &mut Edges, slot: u32, edge: Edge| {
            let leads_on = match self.slots[slot as usize].unpack() {
                Slot::Node(node) => enabled.has_any(self.slots_of(node)),
                _ => false,
            };
            if leads_on || is_candidate(edge) {
                enabled.insert(slot);
            }
        };
        for node in self.top_down().rev() {
            for (slot, edge) in self.numbered_edges(node) {
                visit(&mut enabled, slot, edge);
            }
        }
        visit(&mut enabled, 0, Edge::ROOT);
        enabled
    }

    /// All edges at whose end, or somewhere below, there is more to explore.
    pub fn open_edges(&self) -> Edges {
        self.enabled(|edge| self.below(edge).is_open())
    }

    /// These edges and all that are below them.
    pub fn with_all_below(&self, edges: &Edges) -> Edges {
        let mut all = edges.clone();
        for node in self.top_down() {
            if all.has(self.nodes.at[node as usize]) {
                self.slots_of(node).for_each(|slot| all.insert(slot));
            }
        }
        all
    }

    /// What a change of the program comes to, by the hashes that blocks and symbols have now.
    pub fn impact(&self, hash_now: impl Fn(&str, Option<u32>) -> Option<u64>) -> Impact {
        let dictionary = &self.dictionary;
        let is_changed: Vec<bool> = dictionary
            .units()
            .map(|unit| hash_now(self.symbol(unit.symbol), unit.block) != Some(unit.hash))
            .collect();
        let changed = Changed::new(dictionary, &is_changed);
        let mut edges = Edges::new(self);
        for (slot, _) in self.all_edges() {
            let is_impacted = match self.slots[slot as usize].unpack() {
                Slot::Node(node) => changed.questions[self.nodes.question[node as usize] as usize],
                Slot::Leaf(leaf) => changed.leaves[self.leaves.row[leaf as usize] as usize],
                Slot::Summary(summary) => {
                    changed.codes[self.summaries[summary as usize].ran as usize]
                }
                Slot::Open | Slot::Infeasible | Slot::Detail(_) => false,
            };
            if is_impacted {
                edges.insert(slot);
            }
        }
        let units = (0..).map(UnitId).zip(is_changed);
        Impact {
            units: units
                .filter_map(|(unit, is_changed)| is_changed.then_some(unit))
                .collect(),
            edges,
        }
    }
}

/// Which rows of the dictionary have to do with changed code.
struct Changed {
    codes: Vec<bool>,
    questions: Vec<bool>,
    leaves: Vec<bool>,
}

impl Changed {
    fn new(dictionary: &Dictionary, units: &[bool]) -> Changed {
        let has_changed = |code: &[UnitId]| code.iter().any(|unit| units[unit.0 as usize]);
        let codes: Vec<bool> = dictionary.codes().map(has_changed).collect();
        let of_questions = dictionary
            .question_rows()
            .map(|row| codes[row.ran as usize]);
        let of_leaves = dictionary.leaf_rows().map(|row| codes[row.ran as usize]);
        Changed {
            questions: of_questions.collect(),
            leaves: of_leaves.collect(),
            codes,
        }
    }
}
