//! The e-graph: which terms are equal, and why.
//!
//! Classes are kept as in Nieuwenhuis and Oliveras, "Fast congruence closure and extensions" (2007): every node knows
//! its root, a class is a ring of its members, and each root lists the nodes that use its class. Functions are
//! curried, so that a node has at most two parts and one table of pairs of roots finds what is congruent. When two
//! classes merge, the uses of the smaller one are looked up again. Keys of a root that has gone are left in the table:
//! nobody asks for them until the merge is undone, and then they are right again.
//!
//! Truth values are nodes, and so are equations: an equation joins the class of TRUE when its sides meet, that of FALSE
//! when they are different numbers, and congruent equations are equal. So what is implied is what joins one of these
//! classes ([`EGraph::implied`]).
//!
//! Nodes are added only while nothing is merged. Everything else is undone to a [`Mark`].

use std::collections::VecDeque;

use refrain_sat::Lit;
use rustc_hash::FxHashMap;

use super::forest::{Edge, Forest};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(u32);

impl Node {
    pub const TRUE: Node = Node(0);
    pub const FALSE: Node = Node(1);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn truth(holds: bool) -> Node {
        if holds { Node::TRUE } else { Node::FALSE }
    }
}

/// What a node is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Leaf,
    /// A function, perhaps applied to some arguments already, and one argument more.
    Apply(Node, Node),
    Equation(Node, Node),
}

pub struct EGraph {
    shapes: Vec<Shape>,
    roots: Vec<Node>,
    /// The next member of the same class, in a ring.
    next: Vec<Node>,
    /// By root: how many members the class has.
    sizes: Vec<u32>,
    /// By root: the nodes that are made of members, each for one of those that are congruent.
    uses: Vec<Vec<Node>>,
    /// By root: the member whose value is known.
    constants: Vec<Option<Node>>,
    table: FxHashMap<u64, Node>,
    pub(super) forest: Forest,
    pending: VecDeque<(Node, Node, Edge)>,
    /// Members that have joined the class of a truth value, in this order.
    implied: Vec<Node>,
    undo: Vec<Undo>,
}

/// How far the e-graph was.
#[derive(Clone, Copy, Default, Debug)]
pub struct Mark {
    undo: usize,
    implied: usize,
}

enum Undo {
    Key(u64),
    Union {
        kept: Node,
        merged: Node,
        /// How many uses the root that is kept had.
        uses: u32,
        had_constant: bool,
        edge: (Node, Node),
    },
}

/// Two different constants would be equal: the true literals that make them so.
pub type Conflict = Vec<Lit>;

impl Default for EGraph {
    fn default() -> EGraph {
        let mut graph = EGraph {
            shapes: Vec::new(),
            roots: Vec::new(),
            next: Vec::new(),
            sizes: Vec::new(),
            uses: Vec::new(),
            constants: Vec::new(),
            table: FxHashMap::default(),
            forest: Forest::default(),
            pending: VecDeque::new(),
            implied: Vec::new(),
            undo: Vec::new(),
        };
        graph.constant();
        graph.constant();
        graph
    }
}

impl EGraph {
    fn push(&mut self, shape: Shape) -> Node {
        debug_assert!(self.undo.is_empty(), "nodes are added at the bottom");
        let node = Node(self.roots.len() as u32);
        self.shapes.push(shape);
        self.roots.push(node);
        self.next.push(node);
        self.sizes.push(1);
        self.uses.push(Vec::new());
        self.constants.push(None);
        self.forest.grow();
        node
    }

    /// A node of which nothing is known.
    pub fn leaf(&mut self) -> Node {
        self.push(Shape::Leaf)
    }

    /// A node that is different from all others made by this.
    pub fn constant(&mut self) -> Node {
        let node = self.leaf();
        self.constants[node.index()] = Some(node);
        node
    }

    /// A function applied to one argument more.
    pub fn apply(&mut self, function: Node, argument: Node) -> Node {
        self.compound(Shape::Apply(function, argument))
    }

    /// Whether two nodes are equal, as a node.
    pub fn equation(&mut self, a: Node, b: Node) -> Node {
        self.compound(Shape::Equation(a, b))
    }

    fn compound(&mut self, shape: Shape) -> Node {
        let key = self.key(shape);
        if let Some(&known) = self.table.get(&key) {
            return known;
        }
        let node = self.push(shape);
        self.table.insert(key, node);
        if let Shape::Apply(a, b) | Shape::Equation(a, b) = shape {
            for part in [a, b] {
                self.uses[part.index()].push(node);
            }
        }
        node
    }

    #[inline]
    pub fn root(&self, node: Node) -> Node {
        self.roots[node.index()]
    }

    #[inline]
    pub fn are_equal(&self, a: Node, b: Node) -> bool {
        self.root(a) == self.root(b)
    }

    /// The node of the same class whose value is known.
    pub fn constant_of(&self, node: Node) -> Option<Node> {
        self.constants[self.root(node).index()]
    }

    pub fn shape(&self, node: Node) -> Shape {
        self.shapes[node.index()]
    }

    /// Nodes that have joined the class of a truth value since a mark.
    pub fn implied(&self) -> &[Node] {
        &self.implied
    }

    pub fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            implied: self.implied.len(),
        }
    }

    /// What tells nodes apart that are not congruent.
    fn key(&self, shape: Shape) -> u64 {
        let pack = |a: Node, b: Node| u64::from(a.0) << 32 | u64::from(b.0);
        match shape {
            Shape::Leaf => unreachable!("leaves are congruent to nothing"),
            Shape::Apply(function, argument) => pack(self.root(function), self.root(argument)),
            Shape::Equation(a, b) => {
                let (a, b) = (self.root(a), self.root(b));
                pack(a.min(b), a.max(b)) | 1 << 63
            }
        }
    }

    /// Makes two nodes equal, because a literal is true.
    pub fn merge(&mut self, a: Node, b: Node, reason: Lit) -> Result<(), Conflict> {
        self.pending.push_back((a, b, Edge::Literal(reason)));
        while let Some((a, b, edge)) = self.pending.pop_front() {
            if self.are_equal(a, b) {
                continue;
            }
            let constants = (self.constant_of(a), self.constant_of(b));
            if let (Some(x), Some(y)) = constants {
                self.pending.clear();
                return Err(self.reasons(&[(a, x), (b, y)], (a, b, edge)));
            }
            self.unite(a, b, edge);
        }
        Ok(())
    }

    /// The true literals that make two nodes equal, which they are.
    pub fn explain(&mut self, a: Node, b: Node) -> Vec<Lit> {
        debug_assert!(self.are_equal(a, b));
        self.reasons(&[(a, b)], (a, b, Edge::Given))
    }

    fn unite(&mut self, a: Node, b: Node, edge: Edge) {
        let weight = |root: Node| self.uses[root.index()].len() + self.sizes[root.index()] as usize;
        let (mut kept, mut merged) = (a, b);
        if weight(self.root(a)) < weight(self.root(b)) {
            (kept, merged) = (b, a);
        }
        self.forest.link(merged, kept, edge);
        let (kept, merged) = (self.root(kept), self.root(merged));
        let (kept_constant, constant) =
            (self.constants[kept.index()], self.constants[merged.index()]);
        self.undo.push(Undo::Union {
            kept,
            merged,
            uses: self.uses[kept.index()].len() as u32,
            had_constant: kept_constant.is_some(),
            edge: (a, b),
        });
        if let Some(known) = kept_constant.or(constant)
            && (known == Node::TRUE || known == Node::FALSE)
        {
            let joining = if kept_constant.is_some() {
                merged
            } else {
                kept
            };
            let mut member = joining;
            loop {
                self.implied.push(member);
                member = self.next[member.index()];
                if member == joining {
                    break;
                }
            }
        }
        self.relabel(merged, kept);
        self.next.swap(kept.index(), merged.index());
        self.sizes[kept.index()] += self.sizes[merged.index()];
        self.constants[kept.index()] = kept_constant.or(constant);
        let uses = std::mem::take(&mut self.uses[merged.index()]);
        let before = self.uses[kept.index()].len();
        for &user in &uses {
            self.look_up(user, kept);
        }
        self.uses[merged.index()] = uses;
        // Equations of a class that has a value now may be false.
        if kept_constant.is_none() && constant.is_some() {
            for place in 0..before {
                let user = self.uses[kept.index()][place];
                if self.is_between_constants(user) {
                    self.pending.push_back((user, Node::FALSE, Edge::Different));
                }
            }
        }
    }

    /// Finds out what a node is congruent to, after a part of it has come into the class of `root`.
    fn look_up(&mut self, user: Node, root: Node) {
        let shape = self.shape(user);
        if let Shape::Equation(a, b) = shape {
            if self.are_equal(a, b) {
                self.pending.push_back((user, Node::TRUE, Edge::Reflexive));
                return;
            }
            if self.is_between_constants(user) {
                self.pending.push_back((user, Node::FALSE, Edge::Different));
                return;
            }
        }
        let key = self.key(shape);
        match self.table.get(&key) {
            Some(&other) => {
                if !self.are_equal(user, other) {
                    let edge = self.congruence(shape, self.shape(other));
                    self.pending.push_back((user, other, edge));
                }
            }
            None => {
                self.table.insert(key, user);
                self.undo.push(Undo::Key(key));
                self.uses[root.index()].push(user);
            }
        }
    }

    /// Why nodes of these shapes are congruent.
    fn congruence(&self, shape: Shape, other: Shape) -> Edge {
        match (shape, other) {
            (Shape::Equation(a, _), Shape::Equation(c, _)) if !self.are_equal(a, c) => {
                Edge::Crossed
            }
            _ => Edge::Congruent,
        }
    }

    fn is_between_constants(&self, user: Node) -> bool {
        let Shape::Equation(a, b) = self.shape(user) else {
            return false;
        };
        let (x, y) = (self.constant_of(a), self.constant_of(b));
        x.is_some() && y.is_some() && x != y
    }

    fn relabel(&mut self, class: Node, root: Node) {
        let mut member = class;
        loop {
            self.roots[member.index()] = root;
            member = self.next[member.index()];
            if member == class {
                break;
            }
        }
    }

    /// Takes back all that was merged since a mark.
    pub fn undo_to(&mut self, mark: Mark) {
        self.implied.truncate(mark.implied);
        while self.undo.len() > mark.undo {
            match self.undo.pop().expect("more than there were") {
                Undo::Key(key) => {
                    self.table.remove(&key);
                }
                Undo::Union {
                    kept,
                    merged,
                    uses,
                    had_constant,
                    edge: (a, b),
                } => {
                    self.next.swap(kept.index(), merged.index());
                    self.relabel(merged, merged);
                    self.sizes[kept.index()] -= self.sizes[merged.index()];
                    self.uses[kept.index()].truncate(uses as usize);
                    if !had_constant {
                        self.constants[kept.index()] = None;
                    }
                    self.forest.cut(a, b);
                }
            }
        }
    }
}
