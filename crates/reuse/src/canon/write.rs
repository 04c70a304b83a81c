//! Writing a set down, once every input has a colour of its own.
//!
//! Atoms in the order of their hashes, operands before users and each once, operands of commutative operators in the
//! order of their hashes. A node that may be written two ways is written so that its first coefficient is positive, a
//! condition so that it is not negated.

use super::bytes::put_varint;
use super::code;
use super::set::{NONE, Set};
use super::shape::{Edge, Kind, Shapes, Target};

/// The first byte of every key: the version of this format.
pub const FORMAT: u8 = 1;

/// A set as written down.
#[derive(Clone, Default)]
pub(super) struct Written {
    pub key: Vec<u8>,
    /// Atoms, in their order in the key.
    pub order: Vec<u32>,
    /// Inputs, in the order of first occurrence.
    pub slots: Vec<u32>,
    /// Where in the key the list of atoms begins.
    pub atoms_at: usize,
    /// How the first of the given atoms is written.
    pub first: Way,
}

/// Which of its two ways a node is written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// Its negation is written.
    pub is_negated: bool,
    /// All coefficients are negated.
    pub is_turned: bool,
}

/// Buffers of the writer.
#[derive(Default)]
pub(super) struct Writer {
    body: Vec<u8>,
    /// By node: its number in the key, or [`NONE`].
    numbers: Vec<u32>,
    /// By node: which way it is written.
    ways: Vec<Way>,
    next: u32,
    /// Nodes to be entered, and those to be written when all above is done (lowest bit).
    stack: Vec<u32>,
    /// The operands of nodes that are entered, in order; the innermost last.
    operands: Vec<Edge>,
    starts: Vec<u32>,
    sorted: Vec<(u64, Edge)>,
    atoms: Vec<(u64, u32)>,
}

impl Writer {
    /// Writes the set, whose hashes must be up to date.
    pub fn write(&mut self, shapes: &Shapes, set: &Set, out: &mut Written) {
        self.body.clear();
        self.numbers.clear();
        self.numbers.resize(set.nodes.len(), NONE);
        self.ways.clear();
        self.ways.resize(set.nodes.len(), Way::default());
        self.next = 0;
        self.atoms.clear();
        let roots = set.roots.iter().enumerate();
        self.atoms
            .extend(roots.map(|(atom, &root)| (set.hash(root), atom as u32)));
        self.atoms.sort_unstable();
        out.slots.clear();
        out.order.clear();
        for at in 0..self.atoms.len() {
            let atom = self.atoms[at].1;
            out.order.push(atom);
            self.term(shapes, set, set.roots[atom as usize] >> 1, &mut out.slots);
        }
        let terms = self.body.len();
        put_varint(&mut self.body, self.atoms.len() as u64);
        for at in 0..self.atoms.len() {
            let root = self.written(set, set.roots[self.atoms[at].1 as usize]);
            put_varint(&mut self.body, u64::from(root));
        }
        out.key.clear();
        out.key
            .reserve_exact(self.body.len() + 4 * out.slots.len() + 16);
        out.key.push(FORMAT);
        put_varint(&mut out.key, out.slots.len() as u64);
        for &slot in &out.slots {
            let shape = &shapes.shapes[set.nodes[set.inputs[slot as usize] as usize] as usize];
            let sort = shape.labels[0].payload.of(&shapes.bytes);
            out.key.extend_from_slice(sort);
        }
        put_varint(&mut out.key, u64::from(self.next));
        out.atoms_at = out.key.len() + terms;
        out.key.extend_from_slice(&self.body);
        out.first = set.roots.first().map_or(Way::default(), |&root| Way {
            is_negated: self.written(set, root) & 1 == 1,
            ..self.ways[set.node(root >> 1)]
        });
    }

    /// The number of a node that is written and the sign it is used with, in one.
    #[inline]
    fn written(&self, set: &Set, target: Target) -> u32 {
        let node = set.node(target >> 1);
        let sign = target & 1 ^ u32::from(self.ways[node].is_negated);
        self.numbers[node] << 1 | sign
    }

    fn term(&mut self, shapes: &Shapes, set: &Set, root: u32, slots: &mut Vec<u32>) {
        self.stack.push((set.node(root) as u32) << 1);
        while let Some(top) = self.stack.pop() {
            let node = top as usize >> 1;
            if top & 1 == 1 {
                self.leave(shapes, set, node);
            } else if self.numbers[node] == NONE {
                match set.input_of[node] {
                    NONE => self.enter(shapes, set, node),
                    input => {
                        slots.push(input);
                        self.body.push(code::SLOT);
                        self.number(node);
                    }
                }
            }
        }
    }

    fn number(&mut self, node: usize) {
        self.numbers[node] = self.next;
        self.next += 1;
    }

    /// Puts the operands of a node in order, to be written before it.
    fn enter(&mut self, shapes: &Shapes, set: &Set, node: usize) {
        let shape = &shapes.shapes[set.nodes[node] as usize];
        let edges = shapes.edges_of(shape);
        let start = self.operands.len();
        self.starts.push(start as u32);
        self.stack.push((node as u32) << 1 | 1);
        match shape.kind {
            Kind::Value | Kind::Input | Kind::Cell | Kind::Ordered | Kind::Ite => {
                self.operands.extend_from_slice(edges);
            }
            // What is the same either way decides the order.
            Kind::Iff => {
                let key = |edge: &Edge| {
                    let (a, b) = (set.hash(edge.target), set.hash(edge.target ^ 1));
                    a.wrapping_add(b)
                };
                self.sort(edges, key);
            }
            Kind::Commutative | Kind::Sum | Kind::Equation | Kind::Order => {
                self.sort(edges, |edge| set.hash(edge.target));
            }
        }
        for edge in self.operands[start..].iter().rev() {
            self.stack.push((set.node(edge.target >> 1) as u32) << 1);
        }
        if shape.kind == Kind::Ite {
            // The branches may change places yet: the order of writing them must not depend on it.
            let [t, e] = [edges[1].target, edges[2].target];
            if set.hash(e) < set.hash(t) {
                let top = self.stack.len();
                self.stack.swap(top - 2, top - 3);
            }
        }
    }

    fn sort(&mut self, edges: &[Edge], key: impl Fn(&Edge) -> u64) {
        if let [a, b] = edges {
            let pair = if key(b) < key(a) { [*b, *a] } else { [*a, *b] };
            return self.operands.extend_from_slice(&pair);
        }
        self.sorted.clear();
        self.sorted
            .extend(edges.iter().map(|edge| (key(edge), *edge)));
        self.sorted.sort_by_key(|&(key, _)| key);
        self.operands
            .extend(self.sorted.iter().map(|&(_, edge)| edge));
    }

    /// Writes a node whose operands are written.
    fn leave(&mut self, shapes: &Shapes, set: &Set, node: usize) {
        let shape = &shapes.shapes[set.nodes[node] as usize];
        let start = self.starts.pop().unwrap_or_default() as usize;
        let mut way = 0;
        match shape.kind {
            Kind::Cell => way = 1,
            Kind::Equation | Kind::Order => {
                let operands = self.operands[start..].iter();
                let signs = operands.map(|edge| shapes.weights[edge.weight as usize].sign);
                if signs.into_iter().find(|&sign| sign != 0) == Some(-1) {
                    way = 1;
                    self.ways[node] = Way {
                        is_negated: shape.kind == Kind::Order,
                        is_turned: true,
                    };
                }
            }
            Kind::Iff => {
                // Signs move out.
                for at in start..start + 2 {
                    let sign = self.written(set, self.operands[at].target) & 1;
                    self.operands[at].target ^= sign;
                    self.ways[node].is_negated ^= sign == 1;
                }
            }
            Kind::Ite => {
                let condition = self.operands[start].target;
                if self.written(set, condition) & 1 == 1 {
                    self.operands[start].target ^= 1;
                    self.operands.swap(start + 1, start + 2);
                }
            }
            _ => {}
        }
        let label = &shape.labels[way];
        self.body.push(label.code);
        let count = self.operands.len() - start;
        if code::arity(label.code).is_none() {
            put_varint(&mut self.body, count as u64);
        }
        let is_weighted = code::is_weighted(label.code);
        for at in start..start + count {
            let edge = self.operands[at];
            let written = self.written(set, edge.target);
            let distance = self.next - (written >> 1);
            put_varint(
                &mut self.body,
                u64::from(distance) << 1 | u64::from(written & 1),
            );
            if is_weighted {
                let weight = &shapes.weights[edge.weight as usize];
                let bytes = weight.bytes[way].of(&shapes.bytes);
                self.body.extend_from_slice(bytes);
            }
        }
        self.body.extend_from_slice(label.payload.of(&shapes.bytes));
        self.operands.truncate(start);
        self.number(node);
    }
}
