//! The store of satisfiable sets, and the search for a logical superset of a query (algorithm 1, made complete).
//!
//! Each atom of the query must be implied by a label of one path; the labels that imply it are its *choices*. The
//! algorithm as published starts at the nodes with a choice for the last atom of the query, walks up, and takes off
//! the atoms from the last to the first. That misses paths: a label may imply an atom while a label further down
//! implies the atom before, since atoms of one subject are not sorted by implication, and one label may imply several
//! atoms that are not neighbours. Here a path collects all atoms that its labels imply, as a set of bits. And the
//! search starts not from the last atom but from the one with the fewest nodes to start from: it walks up to the
//! root, then down, for what is still missing. Signatures tell of most nodes that some atom has no choice in any set
//! that runs through them. Downwards, a node is also left where all choices of a missing atom would have come before
//! it in the order.

use super::ipog::{Direction, Ipog, LabelSet, Ranks, Word};
use super::signature::Signature;
use super::trie::{Inserted, Keep, NONE, Node, ROOT, Trie};
use super::{AtomId, Atoms, Effort, EntryId, Found, Order, cover, sorted};

/// A stored satisfiable set such that each atom of the query is implied by one of its atoms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SatHit {
    pub entry: EntryId,
    pub solution: u32,
    /// All atoms of the query are atoms of the set.
    pub exact: bool,
}

/// What has become of a set to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatStored {
    New(EntryId),
    /// A prefix of the set was stored: the entry now is the longer set, and the former solution is returned.
    Extended(EntryId, u32),
    /// The set is stored, or one that it is a prefix of.
    Superfluous,
}

/// A node whose segment contains a label, with the signature of its set if it is a leaf: reading the list tells of
/// most nodes that they need not be looked at. Of inner nodes, whose signatures change, anything is possible.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    labels: [u32; 2],
    node: u32,
}

impl Occurrence {
    fn new(id: u32, node: &Node) -> Occurrence {
        let labels = match node.is_leaf() {
            true => node.signature.labels,
            false => u64::MAX,
        };
        Occurrence {
            labels: [labels as u32, (labels >> 32) as u32],
            node: id,
        }
    }

    fn labels(self) -> u64 {
        u64::from(self.labels[1]) << 32 | u64::from(self.labels[0])
    }
}

#[derive(Debug)]
pub struct SatTrie {
    trie: Trie,
    ipog: Ipog,
    /// By label, the nodes whose segments contain it; others may be listed, too.
    nodes_of: Vec<Vec<Occurrence>>,
    listed: usize,
    search: Search,
    visits: u64,
}

impl Default for SatTrie {
    fn default() -> Self {
        Self::new()
    }
}

impl SatTrie {
    pub fn new() -> SatTrie {
        SatTrie {
            trie: Trie::new(Keep::Longer),
            ipog: Ipog::new(Direction::Implying),
            nodes_of: Vec::new(),
            listed: 0,
            search: Search::default(),
            visits: 0,
        }
    }

    /// The number of stored sets.
    pub fn len(&self) -> usize {
        self.trie.entries()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An estimate of the memory in use.
    pub fn bytes(&self) -> usize {
        self.bytes_of_sets() + self.ipog.bytes() - self.ipog.bytes_of_labels() + self.search.bytes()
    }

    /// The same, without what is as large however many sets are stored.
    pub fn bytes_of_sets(&self) -> usize {
        let lists = self.listed * size_of::<Occurrence>();
        let table = self.nodes_of.capacity() * size_of::<Vec<Occurrence>>();
        self.trie.bytes() + self.ipog.bytes_of_labels() + lists + table
    }

    /// Stores a satisfiable set with its solution. The empty set is not stored.
    pub fn insert(&mut self, atoms: &impl Atoms, set: &[AtomId], solution: u32) -> SatStored {
        let mut labels = std::mem::take(&mut self.search.query);
        sorted(atoms, set, &mut labels);
        let stored = self.insert_sorted(atoms, &mut labels, solution);
        self.search.query = labels;
        stored
    }

    fn insert_sorted(&mut self, atoms: &impl Atoms, set: &mut [u32], solution: u32) -> SatStored {
        if set.is_empty() {
            return SatStored::Superfluous;
        }
        let mut signature = Signature::EMPTY;
        for atom in &mut *set {
            *atom = self.ipog.insert(atoms, *atom, Order::Rank);
            signature = signature.union(self.ipog.signature(*atom));
        }
        let stored = match self.trie.insert(set, signature, solution) {
            Inserted::New(leaf) | Inserted::Shortened(leaf, _) => SatStored::New(EntryId(leaf)),
            Inserted::Extended(leaf, former) => SatStored::Extended(EntryId(leaf), former),
            Inserted::Superfluous => return SatStored::Superfluous,
        };
        for at in 0..self.trie.changed().len() {
            self.list(self.trie.changed()[at]);
        }
        self.compact_if_worthwhile();
        stored
    }

    /// Lists a node under the labels of its segment.
    fn list(&mut self, id: u32) {
        let node = self.trie.node(id);
        let segment = self.trie.segment(node);
        self.listed += segment.len();
        for &label in segment {
            cover(&mut self.nodes_of, label as usize, Vec::new());
            self.nodes_of[label as usize].push(Occurrence::new(id, node));
        }
    }

    /// Whether an entry is stored.
    pub fn contains(&self, entry: EntryId) -> bool {
        self.trie.is_entry(entry.0)
    }

    /// The atoms of an entry, in the order of their ranks.
    pub fn set(&self, entry: EntryId) -> Vec<AtomId> {
        let labels = self.trie.set(entry.0).into_iter();
        labels.map(|label| self.ipog.atom(label)).collect()
    }

    /// The solution of an entry that is stored.
    pub fn solution(&self, entry: EntryId) -> u32 {
        self.trie.node(entry.0).payload
    }

    /// Removes an entry. False if there is no such entry.
    pub fn remove(&mut self, entry: EntryId) -> bool {
        if !self.contains(entry) {
            return false;
        }
        self.trie.remove(entry.0);
        self.compact_if_worthwhile();
        true
    }

    /// Keeps the sets whose solutions are kept, under their new numbers, and gives back what the others take.
    pub fn retain(&mut self, atoms: &impl Atoms, renumber: impl Fn(u32) -> Option<u32>) {
        let mut kept = SatTrie::new();
        for entry in self.entries() {
            if let Some(solution) = renumber(self.solution(entry)) {
                kept.insert(atoms, &self.set(entry), solution);
            }
        }
        kept.visits = self.visits;
        *self = kept;
    }

    /// All entries.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        let leaves = self.trie.live().filter(|&id| self.trie.node(id).is_leaf());
        leaves.map(EntryId)
    }

    fn compact_if_worthwhile(&mut self) {
        let half_stale = self.listed > 2 * self.trie.labels_in_use() + 1024;
        if !half_stale && !self.trie.is_half_garbage() {
            return;
        }
        self.trie.compact(|label| self.ipog.signature(label));
        self.ipog.retain(&self.trie.used_labels());
        self.nodes_of.clear();
        self.listed = 0;
        let live: Vec<u32> = self.trie.live().collect();
        live.into_iter().for_each(|id| self.list(id));
    }

    /// How many nodes searches have looked at, and how many pairs of atoms have been compared.
    pub fn effort(&self) -> (u64, u64) {
        (self.visits, self.ipog.comparisons())
    }

    /// Finds a stored set such that each atom of the query is implied by one of its atoms.
    pub fn find_superset(
        &mut self,
        atoms: &impl Atoms,
        query: &[AtomId],
        effort: Effort,
    ) -> Found<SatHit> {
        let known = |&atom: &AtomId| self.ipog.knows_subject(atoms, atom);
        if self.is_empty() || !query.iter().all(known) {
            return Found::Miss;
        }
        let mut search = std::mem::take(&mut self.search);
        sorted(atoms, query, &mut search.query);
        search.left = effort.visits;
        let leaf = if self.want(atoms, &mut search, effort.implication) {
            self.prefix_hit(&search.wanted)
                .or_else(|| search.run(self, effort.implication))
        } else {
            None
        };
        let exact = leaf.is_some_and(|leaf| search.is_plain(self, leaf));
        let gave_up = search.left == 0;
        self.visits += u64::from(effort.visits - search.left);
        self.search = search;
        match leaf {
            Some(leaf) => Found::Hit(SatHit {
                entry: EntryId(leaf),
                solution: self.trie.node(leaf).payload,
                exact,
            }),
            None if gave_up => Found::GaveUp,
            None => Found::Miss,
        }
    }

    /// Lists what must be found. False if nothing stored has anything for some atom.
    fn want(&mut self, atoms: &impl Atoms, search: &mut Search, implication: bool) -> bool {
        search.wanted.clear();
        search.subjects = 0;
        let (now, patience) = (self.trie.version(), self.len() as u64 / 16);
        for &atom in &search.query {
            let label = self.ipog.label(atom);
            let wanted = match label {
                _ if implication => {
                    if !self.ipog.update(atoms, atom) {
                        return false;
                    }
                    let count = |label: u32| self.nodes_of[label as usize].len();
                    self.ipog.weigh(atom, now, patience, count);
                    let related = self.ipog.related(atom);
                    Wanted {
                        atom,
                        label: label.unwrap_or(NONE),
                        bits: related.bits,
                        ranks: related.ranks,
                        occurrences: related.occurrences,
                    }
                }
                Some(label) => Wanted {
                    atom,
                    label,
                    bits: Signature::label_bit(label),
                    ranks: Ranks {
                        earliest: self.ipog.rank(label),
                        latest: self.ipog.rank(label),
                    },
                    occurrences: self.nodes_of[label as usize].len() as u32,
                },
                None => return false,
            };
            search.wanted.push(wanted);
            search.subjects |= Signature::subject_bit(atoms.subject(AtomId(atom)).0);
        }
        true
    }

    fn first_rank(&self, node: &Node) -> u64 {
        let first = self.trie.segment(node).first();
        first.map_or(0, |&label| self.ipog.rank(label))
    }

    fn last_rank(&self, node: &Node) -> u64 {
        let last = self.trie.segment(node).last();
        last.map_or(0, |&label| self.ipog.rank(label))
    }

    /// A leaf whose set begins with the query.
    fn prefix_hit(&self, mut query: &[Wanted]) -> Option<u32> {
        let mut at = ROOT;
        while let Some(first) = query.first() {
            at = self.trie.child(at, first.label)?;
            let segment = self.trie.segment(self.trie.node(at));
            let length = segment.len().min(query.len());
            let (head, rest) = query.split_at(length);
            if !head.iter().zip(segment).all(|(a, &b)| a.label == b) {
                return None;
            }
            query = rest;
        }
        Some(self.trie.any_leaf(at))
    }
}

/// So many atoms of a query are followed by bits; the others are compared at the leaves.
const FOLLOWED: usize = 128;

/// What must be found on a path for one atom of the query.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    atom: u32,
    /// The label that the atom itself is, or `NONE`.
    label: u32,
    /// How many nodes have choices, about.
    occurrences: u32,
    /// The union of the choices' signatures.
    bits: u64,
    /// The ranks of the choices are within.
    ranks: Ranks,
}

/// A node to go on from, and the atoms found on the path down to it, itself included.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    found: u128,
}

/// The state of a search, kept for its allocations.
#[derive(Default, Debug)]
struct Search {
    query: Vec<u32>,
    left: u32,
    wanted: Vec<Wanted>,
    subjects: u64,
    /// What the signature of a set has at least one bit of each of.
    tests: Vec<u64>,
    choices: Choices,
    stack: Vec<Open>,
}

impl Search {
    /// A leaf whose set is a logical superset.
    fn run(&mut self, store: &SatTrie, implication: bool) -> Option<u32> {
        let rarest = *self.wanted.iter().min_by_key(|wanted| wanted.occurrences)?;
        self.choices.clear();
        self.prepare_tests();
        if implication {
            let mut labels = store.ipog.related(rarest.atom).labels();
            labels.find_map(|label| self.start_at_label(store, label, implication))
        } else {
            self.start_at_label(store, rarest.label, implication)
        }
    }

    /// Whether each atom of the query is in the set of a leaf.
    fn is_plain(&self, store: &SatTrie, leaf: u32) -> bool {
        let trie = &store.trie;
        let is_there = |wanted: &Wanted| {
            trie.upward(leaf)
                .any(|node| trie.segment(node).contains(&wanted.label))
        };
        self.wanted.iter().all(is_there)
    }

    /// A leaf of a superset, at or below the nodes of a label.
    fn start_at_label(&mut self, store: &SatTrie, label: u32, implication: bool) -> Option<u32> {
        for occurrence in &store.nodes_of[label as usize] {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            if !self.may_have_all(occurrence.labels()) {
                continue;
            }
            let id = occurrence.node;
            let node = store.trie.node(id);
            if !self.may_lead_to_all(node.signature) || !store.trie.segment(node).contains(&label) {
                continue;
            }
            self.fill_in_choices(store, implication);
            let Some(found) = self.found_above(store, node) else {
                continue;
            };
            self.stack.clear();
            self.stack.push(Open { node: id, found });
            let leaf = self.walk_down(store, implication);
            if leaf.is_some() {
                return leaf;
            }
        }
        None
    }

    /// Whether, by their signature, the sets through a node may have a choice for every atom.
    fn may_lead_to_all(&self, signature: Signature) -> bool {
        self.subjects & !signature.subjects == 0 && self.may_have_all(signature.labels)
    }

    fn may_have_all(&self, labels: u64) -> bool {
        self.tests.iter().all(|bits| bits & labels != 0)
    }

    /// Keeps the signatures that are of any use, the most telling first.
    fn prepare_tests(&mut self) {
        self.tests.clear();
        let bits = self.wanted.iter().map(|wanted| wanted.bits);
        self.tests
            .extend(bits.filter(|bits| bits.count_ones() < 32));
        self.tests.sort_unstable_by_key(|bits| bits.count_ones());
    }

    /// Done once in a search, and only if a node gives reason to.
    fn fill_in_choices(&mut self, store: &SatTrie, implication: bool) {
        if !self.choices.is_empty() {
            return;
        }
        for (index, wanted) in self.wanted.iter().take(FOLLOWED).enumerate() {
            if implication {
                for &word in &store.ipog.related(wanted.atom).words {
                    self.choices.add(word, index);
                }
            } else {
                self.choices.add(Word::of(wanted.label), index);
            }
        }
    }

    fn found_in(&self, store: &SatTrie, node: &Node) -> u128 {
        let segment = store.trie.segment(node).iter();
        segment.fold(0, |found, &label| found | self.choices.implied_by(label))
    }

    /// The atoms found at a node and above it. None, as soon as that is known, if some atom has no choice on any path
    /// through the node.
    fn found_above(&self, store: &SatTrie, node: &Node) -> Option<u128> {
        let all = self.all();
        let mut found = self.found_in(store, node);
        // Atoms that cannot be found below.
        let end = store.last_rank(node);
        let due = self.of_these(all & !found, |ranks| ranks.latest <= end);
        let mut above = node;
        loop {
            let begin = store.first_rank(above);
            let overdue = self.of_these(due & !found, |ranks| ranks.earliest >= begin);
            if overdue != 0 {
                return None;
            }
            if above.parent == ROOT {
                return (due & !found == 0).then_some(found);
            }
            above = store.trie.node(above.parent);
            found |= self.found_in(store, above);
        }
    }

    /// The rank by which the first of these atoms must have been found.
    fn deadline(&self, mut atoms: u128) -> u64 {
        let mut deadline = u64::MAX;
        while atoms != 0 {
            let wanted = &self.wanted[atoms.trailing_zeros() as usize];
            deadline = deadline.min(wanted.ranks.latest);
            atoms &= atoms - 1;
        }
        deadline
    }

    /// One bit for each atom that is followed.
    fn all(&self) -> u128 {
        u128::MAX >> (FOLLOWED - self.wanted.len().min(FOLLOWED))
    }

    fn of_these(&self, mut atoms: u128, holds: impl Fn(&Ranks) -> bool) -> u128 {
        let mut those = 0;
        while atoms != 0 {
            let index = atoms.trailing_zeros();
            if holds(&self.wanted[index as usize].ranks) {
                those |= 1 << index;
            }
            atoms &= atoms - 1;
        }
        those
    }

    /// Goes on from the open nodes until a leaf completes the query.
    fn walk_down(&mut self, store: &SatTrie, implication: bool) -> Option<u32> {
        let all = self.all();
        while let Some(Open { node: id, found }) = self.stack.pop() {
            let node = store.trie.node(id);
            let complete = found == all;
            if complete && self.wanted.len() <= FOLLOWED {
                return Some(store.trie.any_leaf(id));
            }
            if node.is_leaf() {
                if complete && self.has_others(store, id, implication) {
                    return Some(id);
                }
                continue;
            }
            let deadline = self.deadline(all & !found);
            if deadline <= store.last_rank(node) {
                continue;
            }
            for edge in store.trie.edges(node) {
                if self.left == 0 {
                    return None;
                }
                self.left -= 1;
                if self.may_lead_to_all(edge.signature) && store.ipog.rank(edge.label) <= deadline {
                    let child = store.trie.node(edge.child);
                    let found = found | self.found_in(store, child);
                    let node = edge.child;
                    self.stack.push(Open { node, found });
                }
            }
        }
        None
    }

    /// Whether a leaf has choices for the atoms that are not followed by bits.
    fn has_others(&self, store: &SatTrie, leaf: u32, implication: bool) -> bool {
        let set = store.trie.set(leaf);
        self.wanted[FOLLOWED..].iter().all(|wanted| {
            if !implication {
                return set.contains(&wanted.label);
            }
            let mut choices = store.ipog.related(wanted.atom).labels();
            choices.any(|label| set.contains(&label))
        })
    }

    fn bytes(&self) -> usize {
        self.choices.bytes()
    }
}

/// For each label, the atoms of the query that it implies.
#[derive(Default, Debug)]
struct Choices {
    any: LabelSet,
    /// By chunk, one more than the place of the last of its links.
    head: Vec<u32>,
    links: Vec<Link>,
}

/// Labels of a chunk that imply an atom, and the link before of the same chunk.
#[derive(Clone, Copy, Debug)]
struct Link {
    bits: u16,
    atom: u16,
    next: u32,
}

impl Choices {
    fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    fn clear(&mut self) {
        for word in self.any.words() {
            self.head[word.chunk as usize] = 0;
        }
        self.any.clear();
        self.links.clear();
    }

    fn add(&mut self, word: Word, atom: usize) {
        self.any.add(word);
        cover(&mut self.head, word.chunk as usize, 0);
        let head = &mut self.head[word.chunk as usize];
        self.links.push(Link {
            bits: word.bits,
            atom: atom as u16,
            next: *head,
        });
        *head = self.links.len() as u32;
    }

    fn implied_by(&self, label: u32) -> u128 {
        let Word { chunk, bits } = Word::of(label);
        if self.any.word(chunk) & bits == 0 {
            return 0;
        }
        let mut implied = 0;
        let mut at = self.head[chunk as usize];
        while at != 0 {
            let link = self.links[at as usize - 1];
            if link.bits & bits != 0 {
                implied |= 1 << link.atom;
            }
            at = link.next;
        }
        implied
    }

    fn bytes(&self) -> usize {
        self.any.bytes() + self.head.capacity() * 4
    }
}
