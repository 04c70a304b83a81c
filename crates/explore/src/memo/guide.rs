//! Which open places of a tree are worth going on at (Memoise, section IV-A2).
//!
//! *Reachability*: those from which the goal may be reached at all, over call graph and control flow. *Counter*: some
//! code runs only when other code has run often enough. Of the places above, those whose paths have gone most often
//! the way that is nearest to the goal, of all ways that input decided on.
//!
//! A place of which nobody knows where it is may lead anywhere. Where no way leads to the goal, every path has gone
//! it equally often.

use refrain_machine::{Goal, Machine, Point};
use refrain_memo::{AskKind, Below, Edge, Ending, NamedPoint, NodeId, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::named;

/// What an open place must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heuristic {
    Reachability,
    Counter,
}

/// The open places that a heuristic has chosen.
pub struct Guide {
    chosen: FxHashSet<Edge>,
}

impl Guide {
    /// All that has run in the tree counts as covered by the machine from here on.
    pub fn new<M: Machine>(
        tree: &Tree,
        machine: &mut M,
        heuristic: Heuristic,
        goal: Goal,
    ) -> Guide {
        for unit in tree.code_on(|_| true) {
            if let Some(unit) = named(tree, unit) {
                machine.cover_code(&unit);
            }
        }
        let mut distances = Distances {
            tree,
            machine,
            goal,
            places: FxHashMap::default(),
            ways: FxHashMap::default(),
        };
        let open = tree.every_edge();
        let mut chosen: FxHashSet<Edge> = open.filter(|&edge| distances.may_reach(edge)).collect();
        if heuristic == Heuristic::Counter {
            let counts = distances.counts();
            let most = chosen.iter().map(|edge| counts[edge]).max();
            chosen.retain(|edge| Some(counts[edge]) == most);
        }
        Guide { chosen }
    }

    /// Whether a run is to go on at an open place.
    pub fn goes_on(&self, edge: Edge) -> bool {
        self.chosen.contains(&edge)
    }
}

/// How far it is to the goal, by what a tree says.
struct Distances<'a, M> {
    tree: &'a Tree,
    machine: &'a mut M,
    goal: Goal,
    /// Whether the goal may be reached from the places where paths were left.
    places: FxHashMap<&'a [NamedPoint], bool>,
    /// From a branch on, by choice.
    ways: FxHashMap<(NamedPoint, u32), Option<u32>>,
}

impl<'a, M: Machine> Distances<'a, M> {
    /// Whether an edge is open, and the goal may be reached from there.
    fn may_reach(&mut self, edge: Edge) -> bool {
        let stack = match self.tree.below(edge) {
            Below::Open(boundary) => boundary.stack,
            Below::Leaf(leaf) => match leaf.ending {
                Ending::Boundary(boundary) => boundary.stack,
                _ => return false,
            },
            Below::Unknown { .. } => return true,
            Below::Node(_) | Below::Infeasible { .. } | Below::Summary(_) => return false,
        };
        if let Some(&known) = self.places.get(stack) {
            return known;
        }
        let points = stack.iter().map(|&point| self.point(point));
        let points: Option<Vec<Point>> = points.collect();
        let may_reach = match points.as_deref() {
            None | Some([]) => true,
            Some(points) => (self.machine)
                .distance_of(points, None, self.goal)
                .is_some(),
        };
        self.places.insert(stack, may_reach);
        may_reach
    }

    /// How often the path to each edge has gone the nearest way.
    fn counts(&mut self) -> FxHashMap<Edge, u32> {
        let tree = self.tree;
        let ways = tree.every_edge().filter_map(|edge| self.way(edge));
        let nearest = ways.min();
        let mut counts = FxHashMap::default();
        let mut of_nodes: FxHashMap<NodeId, u32> = FxHashMap::default();
        // Each comes after those that lead to it.
        for edge in tree.every_edge() {
            let before = edge.node().map_or(0, |node| of_nodes[&node]);
            let way = self.way(edge);
            let count = before + u32::from(way.is_some() && way == nearest);
            if let Below::Node(node) = tree.below(edge) {
                of_nodes.insert(node, count);
            }
            counts.insert(edge, count);
        }
        counts
    }

    /// How far it is from a branch on, if an edge is a choice there that was taken.
    fn way(&mut self, edge: Edge) -> Option<u32> {
        if let Below::Infeasible { .. } | Below::Unknown { .. } = self.tree.below(edge) {
            return None;
        }
        let question = self.tree.question(edge.node()?);
        let AskKind::Choose(_) = question.kind else {
            return None;
        };
        let way = (question.point, edge.alternative());
        if let Some(&known) = self.ways.get(&way) {
            return known;
        }
        let point = self.point(question.point);
        let distance = point.and_then(|point| {
            let choice = Some(edge.alternative());
            self.machine.distance_of(&[point], choice, self.goal)
        });
        self.ways.insert(way, distance);
        distance
    }

    fn point(&self, point: NamedPoint) -> Option<Point> {
        let symbol = self.tree.symbol(point.symbol);
        self.machine
            .find_point(symbol, point.block, point.instruction)
    }
}
