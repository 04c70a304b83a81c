//! The constraint trie: sets of labels, sorted, along the paths from the root to the leaves (section 5).
//!
//! Of two sets of which one is a prefix of the other only one is kept: the longer where sets are satisfiable, the
//! shorter where they are unsatisfiable. So entries are exactly the leaves.
//!
//! A node carries a *segment*, all the labels up to the next fork, rather than one label: most of a large trie is the
//! unshared ends of its sets, and those are read in one stretch. A node also carries a *signature* of the sets that
//! run through it: the union of their labels (hashed to 64 bits) where supersets are searched, what they have in
//! common where subsets are. It tells of most nodes that nothing below them can be what is looked for. The edges out
//! of a node are one slice of a pool; nodes with many edges have them in a hash table as well, and those of the root
//! in a table by label.

use rustc_hash::FxHashMap;

use super::cover;
use super::edges::{Edge, EdgePool};
use super::ipog::Word;
use super::signature::Signature;

pub(super) const NONE: u32 = u32::MAX;
pub(super) const ROOT: u32 = 0;

/// Nodes with more edges than this are looked up in the hash table.
const NARROW: usize = 12;

/// Which of two sets is kept when one is a prefix of the other, and which way signatures are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    Longer,
    Shorter,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub signature: Signature,
    pub parent: u32,
    /// The place among the parent's edges.
    place: u32,
    segment: u32,
    length: u32,
    edges: u32,
    fan: u32,
    /// Of a leaf: what its owner has stored with it.
    pub payload: u32,
}

impl Node {
    pub fn is_leaf(&self) -> bool {
        self.fan == 0
    }

    /// Freed nodes are their own parents.
    fn free(id: u32) -> Node {
        Node {
            signature: Signature::EMPTY,
            parent: id,
            place: 0,
            segment: 0,
            length: 0,
            edges: 0,
            fan: 0,
            payload: NONE,
        }
    }
}

/// What has become of a set to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Inserted {
    /// Case 1 (c).
    New(u32),
    /// Case 1 (a) where the longer is kept: this leaf now stands for the longer set. Its former payload.
    Extended(u32, u32),
    /// Case 1 (b) where the shorter is kept: this leaf stands in place of the entries that are listed.
    Shortened(u32, Vec<u32>),
    /// It is stored, or another set makes it superfluous.
    Superfluous,
}

#[derive(Debug)]
pub(super) struct Trie {
    keep: Keep,
    nodes: Vec<Node>,
    free: Vec<u32>,
    labels: Vec<u32>,
    edges: EdgePool,
    /// The children of the root by label, and the labels that have one, by chunk.
    of_root: Vec<u32>,
    root_words: Vec<u16>,
    wide: FxHashMap<u64, u32>,
    entries: usize,
    /// Labels in the pool that belong to no node.
    garbage: usize,
    /// Changes whenever nodes do.
    version: u64,
    /// The nodes made or given other segments by the last insertion.
    changed: Vec<u32>,
}

fn wide_key(node: u32, label: u32) -> u64 {
    u64::from(node) << 32 | u64::from(label)
}

impl Trie {
    pub fn new(keep: Keep) -> Trie {
        let root = Node {
            parent: NONE,
            ..Node::free(ROOT)
        };
        Trie {
            keep,
            nodes: vec![root],
            free: Vec::new(),
            labels: Vec::new(),
            edges: EdgePool::default(),
            of_root: Vec::new(),
            root_words: Vec::new(),
            wide: FxHashMap::default(),
            entries: 0,
            garbage: 0,
            version: 0,
            changed: Vec::new(),
        }
    }

    pub fn entries(&self) -> usize {
        self.entries
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn is_half_garbage(&self) -> bool {
        self.garbage > self.labels.len() / 2 && self.garbage > 1024
    }

    /// The total length of all segments, as they are stored: an upper bound.
    pub fn labels_in_use(&self) -> usize {
        self.labels.len() - self.garbage.min(self.labels.len())
    }

    /// By label, whether any set contains it.
    pub fn used_labels(&self) -> Vec<bool> {
        let mut used = Vec::new();
        for id in self.live() {
            for &label in self.segment(self.node(id)) {
                cover(&mut used, label as usize, false);
                used[label as usize] = true;
            }
        }
        used
    }

    /// The nodes whose segments the last insertion made.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    /// All nodes in use but the root.
    pub fn live(&self) -> impl Iterator<Item = u32> {
        (1..self.nodes.len() as u32).filter(|&id| self.is_live(id))
    }

    pub fn is_live(&self, id: u32) -> bool {
        self.nodes[id as usize].parent != id
    }

    pub fn is_entry(&self, id: u32) -> bool {
        id != ROOT
            && (id as usize) < self.nodes.len()
            && self.is_live(id)
            && self.node(id).is_leaf()
    }

    pub fn segment(&self, node: &Node) -> &[u32] {
        &self.labels[node.segment as usize..][..node.length as usize]
    }

    pub fn edges(&self, node: &Node) -> &[Edge] {
        self.edges.slice(node.edges, node.fan)
    }

    /// Whether probing for labels one by one is better than reading the edges.
    pub fn prefers_probing(&self, node: &Node, labels: usize) -> bool {
        node.fan as usize > NARROW.max(labels)
    }

    pub fn is_wide(&self, node: &Node) -> bool {
        node.fan as usize > NARROW
    }

    pub fn root_child(&self, label: u32) -> Option<u32> {
        let child = *self.of_root.get(label as usize)?;
        (child != NONE).then_some(child)
    }

    /// Those of some labels that lead out of the root.
    pub fn root_labels(&self, word: Word) -> Word {
        let present = self.root_words.get(word.chunk as usize);
        let bits = word.bits & present.copied().unwrap_or(0);
        Word { bits, ..word }
    }

    pub fn child(&self, id: u32, label: u32) -> Option<u32> {
        if id == ROOT {
            return self.root_child(label);
        }
        let node = self.node(id);
        if self.is_wide(node) {
            return self.wide.get(&wide_key(id, label)).copied();
        }
        let edge = self.edges(node).iter().find(|edge| edge.label == label)?;
        Some(edge.child)
    }

    /// The nodes from here up to the root, without the root.
    pub fn upward(&self, id: u32) -> impl Iterator<Item = &Node> {
        let mut at = id;
        std::iter::from_fn(move || {
            let node = (at != ROOT).then(|| self.node(at))?;
            at = node.parent;
            Some(node)
        })
    }

    /// Some leaf below a node.
    pub fn any_leaf(&self, mut id: u32) -> u32 {
        while let Some(edge) = self.edges(self.node(id)).first() {
            id = edge.child;
        }
        id
    }

    /// The set of an entry, in order.
    pub fn set(&self, leaf: u32) -> Vec<u32> {
        let mut set: Vec<u32> = self
            .upward(leaf)
            .flat_map(|node| self.segment(node).iter().rev().copied())
            .collect();
        set.reverse();
        set
    }

    /// Whether a stored set is a prefix of this one, or the same.
    pub fn has_prefix(&self, labels: impl IntoIterator<Item = Option<u32>>) -> bool {
        let mut labels = labels.into_iter();
        let mut at = ROOT;
        while let Some(Some(first)) = labels.next() {
            let Some(child) = self.child(at, first) else {
                return false;
            };
            let node = self.node(child);
            let mut rest = self.segment(node)[1..].iter();
            if !rest.all(|&label| labels.next() == Some(Some(label))) {
                return false;
            }
            if node.is_leaf() {
                return true;
            }
            at = child;
        }
        false
    }

    /// Stores a set that is sorted and not empty.
    pub fn insert(&mut self, set: &[u32], signature: Signature, payload: u32) -> Inserted {
        self.changed.clear();
        let (mut at, mut rest) = (ROOT, set);
        let inserted = loop {
            let Some(child) = self.child(at, rest[0]) else {
                break Inserted::New(self.add_leaf(at, rest, signature, payload));
            };
            let shared = self.shared_length(child, rest);
            let whole_segment = shared == self.node(child).length as usize;
            rest = &rest[shared..];
            match (whole_segment, rest.is_empty()) {
                (true, false) if self.node(child).is_leaf() => match self.keep {
                    Keep::Shorter => return Inserted::Superfluous,
                    Keep::Longer => break self.extend(child, rest, payload),
                },
                (true, false) => at = child,
                (false, false) => {
                    let fork = self.split(at, child, shared);
                    break Inserted::New(self.add_leaf(fork, rest, signature, payload));
                }
                (_, true) if whole_segment && self.node(child).is_leaf() => {
                    return Inserted::Superfluous;
                }
                (_, true) => match self.keep {
                    Keep::Longer => return Inserted::Superfluous,
                    Keep::Shorter => break self.shorten(child, shared, payload),
                },
            }
        };
        self.version += 1;
        if let Inserted::New(leaf) | Inserted::Extended(leaf, _) | Inserted::Shortened(leaf, _) =
            inserted
        {
            self.sign(leaf, signature);
        }
        inserted
    }

    fn shared_length(&self, child: u32, rest: &[u32]) -> usize {
        let segment = self.segment(self.node(child));
        segment.iter().zip(rest).take_while(|(a, b)| a == b).count()
    }

    /// Adds the signature of a set to every node it runs through.
    fn sign(&mut self, leaf: u32, signature: Signature) {
        self.nodes[leaf as usize].signature = signature;
        self.sign_edge(leaf);
        let mut at = self.node(leaf).parent;
        while at != ROOT {
            let node = &mut self.nodes[at as usize];
            node.signature = match self.keep {
                Keep::Longer => node.signature.union(signature),
                Keep::Shorter => node.signature.intersection(signature),
            };
            self.sign_edge(at);
            at = self.node(at).parent;
        }
    }

    /// Copies the signature of a node to the edge that leads to it.
    fn sign_edge(&mut self, id: u32) {
        let node = self.nodes[id as usize];
        let parent = self.nodes[node.parent as usize];
        let edges = self.edges.slice_mut(parent.edges, parent.fan);
        edges[node.place as usize].signature = node.signature;
    }

    fn add_node(&mut self, node: Node) -> u32 {
        let id = self.free.pop().unwrap_or(self.nodes.len() as u32);
        if id as usize == self.nodes.len() {
            self.nodes.push(node);
        } else {
            self.nodes[id as usize] = node;
        }
        self.changed.push(id);
        id
    }

    fn add_leaf(&mut self, parent: u32, rest: &[u32], signature: Signature, payload: u32) -> u32 {
        let leaf = self.add_node(Node {
            signature,
            parent,
            place: 0,
            segment: self.labels.len() as u32,
            length: rest.len() as u32,
            edges: 0,
            fan: 0,
            payload,
        });
        self.labels.extend_from_slice(rest);
        self.add_edge(parent, rest[0], leaf);
        self.entries += 1;
        leaf
    }

    /// Case 1 (a), the longer is kept.
    fn extend(&mut self, leaf: u32, rest: &[u32], payload: u32) -> Inserted {
        let node = *self.node(leaf);
        let (start, end) = (node.segment as usize, (node.segment + node.length) as usize);
        if end != self.labels.len() {
            self.nodes[leaf as usize].segment = self.labels.len() as u32;
            self.labels.extend_from_within(start..end);
            self.garbage += end - start;
        }
        self.labels.extend_from_slice(rest);
        let node = &mut self.nodes[leaf as usize];
        node.length += rest.len() as u32;
        let former = std::mem::replace(&mut node.payload, payload);
        self.changed.push(leaf);
        Inserted::Extended(leaf, former)
    }

    /// Case 1 (b), the shorter is kept.
    fn shorten(&mut self, at: u32, length: usize, payload: u32) -> Inserted {
        let mut dropped = Vec::new();
        let mut doomed: Vec<u32> = self.edges(self.node(at)).iter().map(|e| e.child).collect();
        if doomed.is_empty() {
            self.entries -= 1;
        }
        self.drop_edges(at);
        while let Some(id) = doomed.pop() {
            let node = *self.node(id);
            if node.is_leaf() {
                dropped.push(id);
                self.entries -= 1;
            }
            doomed.extend(self.edges(&node).iter().map(|edge| edge.child));
            self.drop_edges(id);
            self.free_node(id);
        }
        let node = &mut self.nodes[at as usize];
        self.garbage += node.length as usize - length;
        node.length = length as u32;
        node.payload = payload;
        self.entries += 1;
        Inserted::Shortened(at, dropped)
    }

    /// Makes the first labels of a child's segment a node of their own, between it and its parent.
    fn split(&mut self, parent: u32, child: u32, length: usize) -> u32 {
        let lower = *self.node(child);
        let first = self.labels[lower.segment as usize];
        let upper = self.add_node(Node {
            parent,
            length: length as u32,
            edges: 0,
            fan: 0,
            payload: NONE,
            ..lower
        });
        self.redirect_edge(parent, first, upper);
        let node = &mut self.nodes[child as usize];
        node.parent = upper;
        node.segment += length as u32;
        node.length -= length as u32;
        let next = self.labels[node.segment as usize];
        self.add_edge(upper, next, child);
        upper
    }

    fn add_edge(&mut self, id: u32, label: u32, child: u32) {
        self.nodes[child as usize].place = self.node(id).fan;
        let signature = self.node(child).signature;
        let edge = Edge {
            label,
            child,
            signature,
        };
        let node = &mut self.nodes[id as usize];
        self.edges.push(&mut node.edges, &mut node.fan, edge);
        if id == ROOT {
            cover(&mut self.of_root, label as usize, NONE);
            self.of_root[label as usize] = child;
            let Word { chunk, bits } = Word::of(label);
            cover(&mut self.root_words, chunk as usize, 0);
            self.root_words[chunk as usize] |= bits;
            return;
        }
        let node = self.nodes[id as usize];
        if node.fan as usize == NARROW + 1 {
            for edge in self.edges.slice(node.edges, node.fan) {
                self.wide.insert(wide_key(id, edge.label), edge.child);
            }
        } else if self.is_wide(&node) {
            self.wide.insert(wide_key(id, label), child);
        }
    }

    fn redirect_edge(&mut self, id: u32, label: u32, child: u32) {
        let node = *self.node(id);
        if id == ROOT {
            self.of_root[label as usize] = child;
        } else if self.is_wide(&node) {
            self.wide.insert(wide_key(id, label), child);
        }
        let place = self.node(child).place;
        self.edges.slice_mut(node.edges, node.fan)[place as usize].child = child;
    }

    fn drop_edges(&mut self, id: u32) {
        let node = *self.node(id);
        if self.is_wide(&node) {
            for edge in self.edges.slice(node.edges, node.fan) {
                self.wide.remove(&wide_key(id, edge.label));
            }
        }
        self.edges.release(node.edges, node.fan);
        self.nodes[id as usize].fan = 0;
    }

    fn drop_edge(&mut self, id: u32, label: u32, place: u32) {
        let node = *self.node(id);
        if id == ROOT {
            self.of_root[label as usize] = NONE;
            let Word { chunk, bits } = Word::of(label);
            self.root_words[chunk as usize] &= !bits;
        } else if self.is_wide(&node) {
            self.wide.remove(&wide_key(id, label));
            if node.fan as usize == NARROW + 1 {
                for edge in self.edges.slice(node.edges, node.fan) {
                    self.wide.remove(&wide_key(id, edge.label));
                }
            }
        }
        let last = self.edges(&node)[node.fan as usize - 1].child;
        self.nodes[last as usize].place = place;
        let node = &mut self.nodes[id as usize];
        self.edges
            .swap_remove(&mut node.edges, &mut node.fan, place as usize);
    }

    fn free_node(&mut self, id: u32) {
        self.garbage += self.node(id).length as usize;
        self.nodes[id as usize] = Node::free(id);
        self.free.push(id);
    }

    /// Removes an entry, and the nodes that only it needs.
    pub fn remove(&mut self, leaf: u32) {
        self.version += 1;
        self.entries -= 1;
        let mut at = leaf;
        while at != ROOT && self.node(at).is_leaf() {
            let node = *self.node(at);
            let first = self.labels[node.segment as usize];
            self.drop_edge(node.parent, first, node.place);
            self.free_node(at);
            at = node.parent;
        }
    }

    /// Drops the garbage and makes the signatures exact again. Nodes keep their ids.
    pub fn compact(&mut self, signature: impl Fn(u32) -> Signature) {
        let mut labels =
            Vec::with_capacity(self.labels.len() - self.garbage.min(self.labels.len()));
        for id in 1..self.nodes.len() {
            if !self.is_live(id as u32) {
                continue;
            }
            let node = &mut self.nodes[id];
            let start = labels.len() as u32;
            labels.extend_from_slice(&self.labels[node.segment as usize..][..node.length as usize]);
            node.segment = start;
            node.signature = match self.keep {
                Keep::Longer => Signature::EMPTY,
                Keep::Shorter => Signature::FULL,
            };
        }
        self.labels = labels;
        self.garbage = 0;
        let leaves: Vec<u32> = self.live().filter(|&id| self.node(id).is_leaf()).collect();
        for leaf in leaves {
            let of_set = self
                .upward(leaf)
                .flat_map(|node| self.segment(node))
                .fold(Signature::EMPTY, |all, &label| all.union(signature(label)));
            self.sign(leaf, of_set);
        }
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + (self.free.capacity() + self.labels.capacity() + self.of_root.capacity()) * 4
            + self.edges.bytes()
            + self.wide.capacity() * 17
    }
}
