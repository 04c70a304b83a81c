//! The proof forest: for each merge an edge between the two nodes that were made equal, with the reason.
//!
//! The way between two nodes of a tree says why they are equal. Later merges add edges, but do not change that way. An
//! edge is walked once in an explanation: walked ones are contracted, as in section 5 of the paper.

use refrain_sat::Lit;

use super::egraph::{EGraph, Node, Shape};

/// Why two nodes are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// Nothing to say.
    Given,
    Literal(Lit),
    /// Their parts are equal, one by one.
    Congruent,
    /// Equations whose sides are equal, the left to the right.
    Crossed,
    /// An equation whose sides are equal, and TRUE.
    Reflexive,
    /// An equation whose sides are different constants, and FALSE.
    Different,
}

#[derive(Default)]
pub struct Forest {
    parents: Vec<Option<Node>>,
    /// By node: the reason of the edge to its parent.
    edges: Vec<Edge>,
    /// By node: the explanation in which the edge to its parent was walked, and a node further up.
    walked: Vec<(u32, Node)>,
    explanation: u32,
    /// By node: the search for a common ancestor that came by.
    seen: Vec<u32>,
    search: u32,
}

impl Forest {
    /// Room for one more node.
    pub fn grow(&mut self) {
        self.parents.push(None);
        self.edges.push(Edge::Given);
        self.walked.push((0, Node::TRUE));
        self.seen.push(0);
    }

    /// Adds an edge from one tree to another.
    pub fn link(&mut self, from: Node, to: Node, edge: Edge) {
        // The tree of `from` gets it as its root: all edges on the way up are turned round.
        let (mut node, mut parent, mut reason) = (from, Some(to), edge);
        while let Some(to) = parent {
            let old = self.parents[node.index()].replace(to);
            let old_reason = std::mem::replace(&mut self.edges[node.index()], reason);
            (parent, reason) = (old.map(|_| node), old_reason);
            match old {
                Some(above) => node = above,
                None => break,
            }
        }
    }

    /// Takes an edge away.
    pub fn cut(&mut self, a: Node, b: Node) {
        let child = if self.parents[a.index()] == Some(b) {
            a
        } else {
            b
        };
        debug_assert!(self.parents[child.index()] == Some(if child == a { b } else { a }));
        self.parents[child.index()] = None;
        self.edges[child.index()] = Edge::Given;
    }

    /// The first node on the way up from a node, itself included, whose edge has not been walked.
    fn top(&mut self, node: Node) -> Node {
        let mut top = node;
        while let (round, above) = self.walked[top.index()]
            && round == self.explanation
        {
            top = above;
        }
        let mut node = node;
        while node != top {
            node = std::mem::replace(&mut self.walked[node.index()].1, top);
        }
        top
    }

    fn above(&mut self, node: Node) -> Option<Node> {
        let parent = self.parents[node.index()]?;
        Some(self.top(parent))
    }

    /// Where the ways up from two nodes of a tree meet.
    fn meeting(&mut self, a: Node, b: Node) -> Node {
        self.search += 1;
        let mut climbers = [Some(self.top(a)), Some(self.top(b))];
        loop {
            for climber in &mut climbers {
                if let Some(node) = *climber {
                    if std::mem::replace(&mut self.seen[node.index()], self.search) == self.search {
                        return node;
                    }
                    *climber = self.above(node);
                }
            }
            debug_assert!(climbers.iter().any(Option::is_some), "nodes of one tree");
        }
    }
}

/// An explanation under way.
#[derive(Default)]
struct Explanation {
    todo: Vec<(Node, Node)>,
    lits: Vec<Lit>,
}

impl EGraph {
    /// The true literals that make nodes equal, which they are, and hold up an edge that is about to be added.
    pub(super) fn reasons(&mut self, pairs: &[(Node, Node)], edge: (Node, Node, Edge)) -> Vec<Lit> {
        self.forest.explanation += 1;
        let mut explanation = Explanation::default();
        let (a, b, reason) = edge;
        self.expand(a, b, reason, &mut explanation);
        explanation.todo.extend_from_slice(pairs);
        while let Some((a, b)) = explanation.todo.pop() {
            let meeting = self.forest.meeting(a, b);
            for start in [a, b] {
                self.climb(start, meeting, &mut explanation);
            }
        }
        explanation.lits
    }

    /// Walks the edges from a node up to another.
    fn climb(&mut self, from: Node, to: Node, explanation: &mut Explanation) {
        let mut node = self.forest.top(from);
        while node != to {
            let parent = self.forest.parents[node.index()].expect("on the way up");
            let edge = self.forest.edges[node.index()];
            self.expand(node, parent, edge, explanation);
            self.forest.walked[node.index()] = (self.forest.explanation, parent);
            node = self.forest.top(parent);
        }
    }

    /// What the reason of an edge rests on.
    fn expand(&self, a: Node, b: Node, edge: Edge, explanation: &mut Explanation) {
        let Explanation { todo, lits } = explanation;
        match edge {
            Edge::Given => {}
            Edge::Literal(lit) => lits.push(lit),
            Edge::Congruent | Edge::Crossed => {
                let ([p, q], [x, y]) = (self.parts(a), self.parts(b));
                match edge {
                    Edge::Congruent => todo.extend([(p, x), (q, y)]),
                    _ => todo.extend([(p, y), (q, x)]),
                }
            }
            Edge::Reflexive => {
                let [x, y] = self.parts(equation_of(a, b));
                todo.push((x, y));
            }
            Edge::Different => {
                for side in self.parts(equation_of(a, b)) {
                    let constant = self.constant_of(side).expect("it had one");
                    todo.push((side, constant));
                }
            }
        }
    }

    fn parts(&self, node: Node) -> [Node; 2] {
        match self.shape(node) {
            Shape::Apply(a, b) | Shape::Equation(a, b) => [a, b],
            Shape::Leaf => unreachable!("a leaf has no parts"),
        }
    }
}

/// The one of two nodes that is no truth value.
fn equation_of(a: Node, b: Node) -> Node {
    if a == Node::TRUE || a == Node::FALSE {
        b
    } else {
        a
    }
}
