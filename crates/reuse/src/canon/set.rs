//! A set of atoms as one graph: its nodes, operands before users, and what their hashes are under a colouring of the
//! inputs.
//!
//! Hashes go up: a node's from those of its operands. Contexts go down: a node's is the sum of how each of its users
//! sees it, so that of two inputs with the same context no user says which is which.

use super::hash::mix;
use super::shape::{Kind, Shapes, Target, input_hashes};

/// Where a shape is not an input.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Set {
    /// Shapes, operands before users.
    pub nodes: Vec<u32>,
    /// By node: which input it is, or [`NONE`].
    pub input_of: Vec<u32>,
    /// By input: its node.
    pub inputs: Vec<u32>,
    /// By atom: its shape and sign.
    pub roots: Vec<Target>,
    /// By node: its hash, as it is and negated.
    pub hashes: Vec<[u64; 2]>,
    /// By node: its contexts, as it is and negated.
    pub contexts: Vec<[u64; 2]>,
    /// By shape: the number of the set that it was last in, and its node there.
    places: Vec<(u32, u32)>,
    current: u32,
    stack: Vec<u32>,
}

impl Set {
    /// Starts anew.
    pub fn clear(&mut self, shapes: &Shapes) {
        self.nodes.clear();
        self.input_of.clear();
        self.inputs.clear();
        self.roots.clear();
        if self.places.len() < shapes.shapes.len() {
            self.places.resize(shapes.shapes.len(), (0, 0));
        }
        if self.current == u32::MAX {
            self.places.fill((0, 0));
            self.current = 0;
        }
        self.current += 1;
    }

    /// The node of a shape of the set.
    #[inline]
    pub fn node(&self, shape: u32) -> usize {
        self.places[shape as usize].1 as usize
    }

    #[inline]
    pub fn has(&self, shape: u32) -> bool {
        self.places[shape as usize].0 == self.current
    }

    /// Adds a shape whose operands are there, if it is not there yet.
    #[inline]
    pub fn add(&mut self, shapes: &Shapes, shape: u32) {
        if self.has(shape) {
            return;
        }
        self.places[shape as usize] = (self.current, self.nodes.len() as u32);
        let is_input = matches!(shapes.shapes[shape as usize].kind, Kind::Input | Kind::Cell);
        if is_input {
            self.input_of.push(self.inputs.len() as u32);
            self.inputs.push(self.nodes.len() as u32);
        } else {
            self.input_of.push(NONE);
        }
        self.nodes.push(shape);
    }

    /// Adds a shape and what it is made of; cells are inputs. False if there are more than `limit` nodes.
    pub fn walk(&mut self, shapes: &Shapes, root: u32, limit: usize) -> bool {
        self.stack.clear();
        self.stack.push(root);
        while let Some(&shape) = self.stack.last() {
            if self.has(shape) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let node = &shapes.shapes[shape as usize];
            if node.kind != Kind::Cell {
                for edge in shapes.edges_of(node) {
                    if !self.has(edge.target >> 1) {
                        self.stack.push(edge.target >> 1);
                    }
                }
            }
            if self.stack.len() == before {
                self.stack.pop();
                self.add(shapes, shape);
            }
            if self.nodes.len() > limit {
                return false;
            }
        }
        true
    }

    /// Makes those cells reads whose arrays are inputs. The nodes change places.
    pub fn open_cells(&mut self, shapes: &Shapes) {
        // Shapes are numbered operands first, and an array that is an input is in the set.
        self.nodes.sort_unstable();
        self.input_of.clear();
        self.inputs.clear();
        for (place, &shape) in self.nodes.iter().enumerate() {
            self.places[shape as usize].1 = place as u32;
            let node = &shapes.shapes[shape as usize];
            let is_input = match node.kind {
                Kind::Input => true,
                Kind::Cell => !self.has(shapes.edges_of(node)[0].target >> 1),
                _ => false,
            };
            if is_input {
                self.input_of.push(self.inputs.len() as u32);
                self.inputs.push(place as u32);
            } else {
                self.input_of.push(NONE);
            }
        }
    }

    #[inline]
    pub fn hash(&self, target: Target) -> u64 {
        self.hashes[self.node(target >> 1)][target as usize & 1]
    }

    /// The hashes of all nodes under these colours of the inputs.
    pub fn hash_up(&mut self, shapes: &Shapes, colours: &[u64]) {
        self.hashes.clear();
        for (place, &shape) in self.nodes.iter().enumerate() {
            let hashes = match self.input_of[place] {
                NONE => shapes.hashes(&shapes.shapes[shape as usize], |target| self.hash(target)),
                input => input_hashes(colours[input as usize]),
            };
            self.hashes.push(hashes);
        }
    }

    /// The hashes that do not see inputs.
    pub fn nameless(&mut self, shapes: &Shapes) {
        self.hashes.clear();
        let nodes = self.nodes.iter();
        self.hashes
            .extend(nodes.map(|&shape| shapes.shapes[shape as usize].hashes));
    }

    /// The contexts of all nodes, from their hashes.
    pub fn contexts_down(&mut self, shapes: &Shapes) {
        self.contexts.clear();
        self.contexts.resize(self.nodes.len(), [0; 2]);
        for at in 0..self.roots.len() {
            let root = self.roots[at];
            self.see(root, mix(self.hash(root), ROOT));
        }
        for place in (0..self.nodes.len()).rev() {
            if self.input_of[place] == NONE {
                self.pass_on(shapes, place);
            }
        }
    }

    /// How an input is used, as far as hashes and contexts tell.
    #[inline]
    pub fn use_of(&self, input: usize) -> u64 {
        let [as_is, negated] = self.contexts[self.inputs[input] as usize];
        mix(as_is, negated)
    }

    #[inline]
    fn see(&mut self, target: Target, context: u64) {
        let node = self.node(target >> 1);
        let seen = &mut self.contexts[node][target as usize & 1];
        *seen = seen.wrapping_add(context);
    }

    fn pass_on(&mut self, shapes: &Shapes, place: usize) {
        let shape = &shapes.shapes[self.nodes[place] as usize];
        let edges = shapes.edges_of(shape);
        if edges.is_empty() {
            return;
        }
        let [as_is, negated] = self.contexts[place];
        let [hash, negated_hash] = self.hashes[place];
        let own = hash.wrapping_add(negated_hash);
        let base = mix(mix(as_is, negated), own);
        match shape.kind {
            Kind::Value | Kind::Input => {}
            Kind::Ordered | Kind::Cell => {
                for (at, edge) in edges.iter().enumerate() {
                    self.see(edge.target, mix(base, at as u64));
                }
            }
            Kind::Commutative => edges.iter().for_each(|edge| self.see(edge.target, base)),
            Kind::Sum => {
                for edge in edges {
                    let weight = &shapes.weights[edge.weight as usize];
                    self.see(edge.target, mix(base, weight.hashes[0]));
                }
            }
            Kind::Equation | Kind::Order => {
                let turned = match shape.kind {
                    Kind::Order => mix(mix(negated, as_is), own),
                    _ => base,
                };
                let one = mix(base, shape.labels[0].hash);
                let other = mix(turned, shape.labels[1].hash);
                for edge in edges {
                    let [weight, opposite] = shapes.weights[edge.weight as usize].hashes;
                    let both = mix(one, weight).wrapping_add(mix(other, opposite));
                    self.see(edge.target, both);
                }
            }
            Kind::Iff => {
                let base = mix(as_is.wrapping_add(negated), own);
                for edge in edges {
                    self.see(edge.target, base);
                    self.see(edge.target ^ 1, base);
                }
            }
            Kind::Ite => {
                let [c, t, e] = [edges[0].target, edges[1].target, edges[2].target];
                let (then, other) = (mix(base, self.hash(t)), mix(base, self.hash(e)));
                self.see(c, then);
                self.see(c ^ 1, other);
                self.see(t, mix(base, self.hash(c)));
                self.see(e, mix(base, self.hash(c ^ 1)));
            }
        }
    }

    /// One number for the whole set, whatever the order of its atoms.
    pub fn total(&self) -> u64 {
        let hashes = self.roots.iter().map(|&root| mix(self.hash(root), ROOT));
        hashes.fold(0, u64::wrapping_add)
    }
}

const ROOT: u64 = 0x4007_c11d_25b6_e90b;
