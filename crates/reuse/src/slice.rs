//! Slices: the atoms of a path that share inputs, transitively.
//!
//! Two ways to find them. *From scratch* ([`from_scratch`]): the atoms are grouped by what they depend on, each time anew. *Incrementally* ([`Partitions`]): the groups
//! are kept along the path; an atom that is put on merges those it touches, one that is taken off splits them again (the study of HVC'14 calls the two *caching* and *cachingOpt*).
//!
//! A cell of an array is an input of its own as long as nothing on the path uses the array as a whole.

use refrain_term::{Input, Term, Terms};
use rustc_hash::FxHashMap;

use crate::path::{AtomId, AtomTable};

type Node = u32;

/// Groups of atoms and inputs, merged as atoms come and split as they go.
#[derive(Default)]
pub struct Partitions {
    nodes: FxHashMap<Input, Node>,
    /// By atom: the nodes of its inputs, once it was put on.
    nodes_of: Vec<Option<Box<[Node]>>>,
    /// By node: the one above it, or itself.
    parents: Vec<Node>,
    sizes: Vec<u32>,
    /// By root: the atoms of its group, as a list through `next_atom`.
    heads: Vec<u32>,
    tails: Vec<u32>,
    /// The atoms put on, each with the one after it in its group.
    atoms: Vec<AtomId>,
    next_atom: Vec<u32>,
    /// What each atom changed, to be taken back.
    log: Vec<Change>,
    marks: Vec<usize>,
    /// By array symbol: its cells, and whether it is used as a whole.
    families: FxHashMap<Term, Family>,
}

#[derive(Default)]
struct Family {
    cells: Vec<Node>,
    wholes: u32,
}

const NONE: u32 = u32::MAX;

enum Change {
    /// The root `lower` went under another; the other's list ended at `tail` before.
    Merged { lower: Node, tail: u32 },
    /// An atom joined a group whose list ended at `tail` before.
    Joined { root: Node, tail: u32 },
    /// An array is used as a whole once more.
    Whole(Term),
}

impl Partitions {
    fn node(&mut self, terms: &Terms, input: Input) -> Node {
        if let Some(&node) = self.nodes.get(&input) {
            return node;
        }
        let node = self.parents.len() as Node;
        self.nodes.insert(input, node);
        self.parents.push(node);
        self.sizes.push(1);
        self.heads.push(NONE);
        self.tails.push(NONE);
        if let Input::Cell(_) = input {
            let array = input.array(terms).expect("a cell has an array");
            self.families.entry(array).or_default().cells.push(node);
        }
        node
    }

    /// Takes the nodes of an atom's inputs out of their place.
    fn nodes_of(&mut self, terms: &Terms, table: &AtomTable, atom: AtomId) -> Box<[Node]> {
        if self.nodes_of.len() <= atom.index() {
            self.nodes_of.resize(table.len(), None);
        }
        self.nodes_of[atom.index()].take().unwrap_or_else(|| {
            let inputs = table.get(atom).inputs.iter();
            inputs.map(|&input| self.node(terms, input)).collect()
        })
    }

    fn root(&self, mut node: Node) -> Node {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    fn merge(&mut self, a: Node, b: Node) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (upper, lower) = if self.sizes[a as usize] >= self.sizes[b as usize] {
            (a, b)
        } else {
            (b, a)
        };
        let tail = self.tails[upper as usize];
        self.log.push(Change::Merged { lower, tail });
        self.parents[lower as usize] = upper;
        self.sizes[upper as usize] += self.sizes[lower as usize];
        if self.heads[lower as usize] != NONE {
            match tail {
                NONE => self.heads[upper as usize] = self.heads[lower as usize],
                last => self.next_atom[last as usize] = self.heads[lower as usize],
            }
            self.tails[upper as usize] = self.tails[lower as usize];
        }
    }

    /// Puts an atom on.
    pub fn push(&mut self, terms: &Terms, table: &AtomTable, atom: AtomId) {
        self.marks.push(self.log.len());
        let place = self.atoms.len() as u32;
        self.atoms.push(atom);
        self.next_atom.push(NONE);
        let nodes = self.nodes_of(terms, table, atom);
        let inputs = &table.get(atom).inputs;
        for (&input, &node) in inputs.iter().zip(&nodes) {
            self.merge_family(terms, input, node);
            self.merge(nodes[0], node);
        }
        let first = nodes.first().copied();
        self.nodes_of[atom.index()] = Some(nodes);
        let Some(first) = first else {
            return;
        };
        let root = self.root(first);
        let tail = self.tails[root as usize];
        self.log.push(Change::Joined { root, tail });
        match tail {
            NONE => self.heads[root as usize] = place,
            last => self.next_atom[last as usize] = place,
        }
        self.tails[root as usize] = place;
    }

    /// An array used as a whole ties its cells together.
    fn merge_family(&mut self, terms: &Terms, input: Input, node: Node) {
        let Some(array) = input.array(terms) else {
            return;
        };
        if matches!(input, Input::Array(_)) {
            let family = self.families.entry(array).or_default();
            family.wholes += 1;
            let is_first = family.wholes == 1;
            self.log.push(Change::Whole(array));
            if is_first {
                for place in 0..self.families[&array].cells.len() {
                    let cell = self.families[&array].cells[place];
                    self.merge(node, cell);
                }
            }
        } else if self.families.get(&array).is_some_and(|f| f.wholes > 0) {
            let whole = self.nodes[&Input::Array(array)];
            self.merge(whole, node);
        }
    }

    /// Takes the last atom off.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().expect("an atom was put on");
        while self.log.len() > mark {
            match self.log.pop().expect("longer than the mark") {
                Change::Merged { lower, tail } => {
                    let upper = self.parents[lower as usize];
                    self.parents[lower as usize] = lower;
                    self.sizes[upper as usize] -= self.sizes[lower as usize];
                    self.cut(upper, tail);
                }
                Change::Joined { root, tail } => self.cut(root, tail),
                Change::Whole(array) => {
                    self.families.get_mut(&array).expect("counted").wholes -= 1;
                }
            }
        }
        self.atoms.pop();
        self.next_atom.pop();
    }

    /// Ends a group's list after `tail` again.
    fn cut(&mut self, root: Node, tail: u32) {
        match tail {
            NONE => self.heads[root as usize] = NONE,
            last => self.next_atom[last as usize] = NONE,
        }
        self.tails[root as usize] = tail;
    }

    /// The atoms that share inputs with this one, by place on the path, ascending. An atom without inputs is alone.
    pub fn group(&self, place: u32, group: &mut Vec<u32>) {
        group.clear();
        let nodes = &self.nodes_of[self.atoms[place as usize].index()];
        let Some(&first) = nodes.as_ref().and_then(|nodes| nodes.first()) else {
            group.push(place);
            return;
        };
        let root = self.root(first);
        let mut at = self.heads[root as usize];
        while at != NONE {
            group.push(at);
            at = self.next_atom[at as usize];
        }
        group.sort_unstable();
    }
}

/// All groups of some atoms, each as places in the list, found without anything kept.
pub fn from_scratch(terms: &Terms, table: &AtomTable, atoms: &[AtomId]) -> Vec<Vec<u32>> {
    let mut partitions = Partitions::default();
    for &atom in atoms {
        partitions.push(terms, table, atom);
    }
    let mut seen = vec![false; atoms.len()];
    let mut groups = Vec::new();
    for place in 0..atoms.len() as u32 {
        if seen[place as usize] {
            continue;
        }
        let mut group = Vec::new();
        partitions.group(place, &mut group);
        for &member in &group {
            seen[member as usize] = true;
        }
        groups.push(group);
    }
    groups
}
