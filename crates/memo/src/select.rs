//! What is to be executed again: the ways from the root to candidates (Memoise, section III-C), and candidates that a
//! change of the program makes (section IV-A3).

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
        let has_changed = |code: &[UnitId]| code.iter().any(|unit| is_changed[unit.0 as usize]);
        let codes: Vec<bool> = dictionary.codes().map(has_changed).collect();
        let mut edges = Edges::new(self);
        for (slot, _) in self.all_edges() {
            if self.code_at(slot).is_some_and(|code| codes[code as usize]) {
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

    /// The code that ran on some edges, each piece once; of a summary, all that ran below.
    pub fn code_on(&self, is_wanted: impl Fn(Edge) -> bool) -> Vec<UnitId> {
        let mut codes = vec![false; self.dictionary.codes().count()];
        for (slot, edge) in self.all_edges() {
            if let Some(code) = self.code_at(slot)
                && !codes[code as usize]
            {
                codes[code as usize] = is_wanted(edge);
            }
        }
        let wanted = self.dictionary.codes().zip(codes);
        let units = wanted.filter(|(_, is_wanted)| *is_wanted);
        let mut units: Vec<UnitId> = units.flat_map(|(code, _)| code).copied().collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// The set of code that ran where a slot leads to, if that is known.
    fn code_at(&self, slot: u32) -> Option<u32> {
        match self.slots[slot as usize].unpack() {
            Slot::Node(node) => {
                let question = self.nodes.question[node as usize];
                Some(self.dictionary.question_row(question).ran)
            }
            Slot::Leaf(leaf) => {
                let row = self.leaves.row[leaf as usize];
                Some(self.dictionary.leaf_row(row).ran)
            }
            Slot::Summary(summary) => Some(self.summaries[summary as usize].ran),
            Slot::Open | Slot::Infeasible | Slot::Detail(_) => None,
        }
    }
}
