//! The store of unsatisfiable sets, and the search for a logical subset of a query (algorithm 2).
//!
//! The labels that the query's atoms imply are marked; the search walks down from the root along marked labels until
//! it stands at a leaf. At each node it reads the edges or probes for the marked labels, whichever are fewer, and it
//! leaves out the nodes all of whose sets have something in common that is not marked, as their signatures tell.

use super::ipog::{Direction, Ipog, LabelSet, Word};
use super::signature::Signature;
use super::trie::{Inserted, Keep, NONE, Trie};
use super::{AtomId, Atoms, Effort, EntryId, Found, Order, sorted};

/// A stored unsatisfiable set each of whose atoms some atom of the query implies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsatHit {
    pub entry: EntryId,
    /// All atoms of the set are atoms of the query.
    pub exact: bool,
}

/// What has become of a set to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnsatStored {
    New(EntryId),
    /// The set is a prefix of others: it has replaced them. The entries that are no more; an entry of the same id is
    /// now this set.
    Replaced(EntryId, Vec<EntryId>),
    /// A prefix of the set is stored, or the set itself.
    Superfluous,
}

#[derive(Debug)]
pub struct UnsatTrie {
    order: Order,
    trie: Trie,
    ipog: Ipog,
    marks: Marks,
    scratch: Vec<u32>,
    stack: Vec<u32>,
    visits: u64,
}

impl Default for UnsatTrie {
    fn default() -> Self {
        Self::new(Order::LatestFirst)
    }
}

impl UnsatTrie {
    pub fn new(order: Order) -> UnsatTrie {
        UnsatTrie {
            order,
            trie: Trie::new(Keep::Shorter),
            ipog: Ipog::new(Direction::Implied),
            marks: Marks::default(),
            scratch: Vec::new(),
            stack: Vec::new(),
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
        self.trie.bytes() + self.ipog.bytes() + self.marks.labels.bytes()
    }

    /// The same, without what is as large however many sets are stored.
    pub fn bytes_of_sets(&self) -> usize {
        self.trie.bytes() + self.ipog.bytes_of_labels()
    }

    /// Stores an unsatisfiable set. The empty set is not stored.
    pub fn insert(&mut self, atoms: &impl Atoms, set: &[AtomId]) -> UnsatStored {
        let mut labels = std::mem::take(&mut self.scratch);
        sorted(atoms, set, &mut labels);
        let stored = self.insert_sorted(atoms, &mut labels);
        self.scratch = labels;
        stored
    }

    fn insert_sorted(&mut self, atoms: &impl Atoms, set: &mut [u32]) -> UnsatStored {
        if set.is_empty() || self.is_superfluous(set) {
            return UnsatStored::Superfluous;
        }
        let mut signature = Signature::EMPTY;
        for atom in &mut *set {
            *atom = self.ipog.insert(atoms, *atom, self.order);
            signature = signature.union(self.ipog.signature(*atom));
        }
        set.sort_unstable_by_key(|&label| self.ipog.rank(label));
        let stored = match self.trie.insert(set, signature, NONE) {
            Inserted::New(leaf) | Inserted::Extended(leaf, _) => UnsatStored::New(EntryId(leaf)),
            Inserted::Shortened(leaf, dropped) => {
                let dropped = dropped.into_iter().map(EntryId).collect();
                UnsatStored::Replaced(EntryId(leaf), dropped)
            }
            Inserted::Superfluous => UnsatStored::Superfluous,
        };
        self.compact_if_worthwhile();
        stored
    }

    /// Whether a prefix of a set sorted by rank is stored. Atoms that are new, and come first, make that impossible.
    fn is_superfluous(&self, set: &[u32]) -> bool {
        let known = set.iter().map(|&atom| self.ipog.label(atom));
        self.order == Order::Rank && self.trie.has_prefix(known)
    }

    /// Whether an entry is stored (and has not been removed or replaced).
    pub fn contains(&self, entry: EntryId) -> bool {
        self.trie.is_entry(entry.0)
    }

    /// The atoms of an entry, in the order of the store.
    pub fn set(&self, entry: EntryId) -> Vec<AtomId> {
        let labels = self.trie.set(entry.0).into_iter();
        labels.map(|label| self.ipog.atom(label)).collect()
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

    /// Keeps the sets that are wanted, and gives back what the others take.
    pub fn retain(&mut self, atoms: &impl Atoms, is_kept: impl Fn(&[AtomId]) -> bool) {
        let mut kept = UnsatTrie::new(self.order);
        for entry in self.entries() {
            let set = self.set(entry);
            if is_kept(&set) {
                kept.insert(atoms, &set);
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
        if !self.trie.is_half_garbage() {
            return;
        }
        self.trie.compact(|label| self.ipog.signature(label));
        self.ipog.retain(&self.trie.used_labels());
    }

    /// How many nodes searches have looked at, and how many pairs of atoms have been compared.
    pub fn effort(&self) -> (u64, u64) {
        (self.visits, self.ipog.comparisons())
    }

    /// Finds a stored set all of whose atoms are implied by atoms of the query.
    pub fn find_subset(
        &mut self,
        atoms: &impl Atoms,
        query: &[AtomId],
        effort: Effort,
    ) -> Found<UnsatHit> {
        self.marks.labels.clear();
        self.marks.signature = Signature::EMPTY;
        for &AtomId(atom) in query {
            if effort.implication {
                self.mark_implied(atoms, atom);
            } else if let Some(label) = self.ipog.label(atom) {
                self.marks.labels.add(Word::of(label));
                self.marks.signature = self.marks.signature.union(self.ipog.signature(label));
            }
        }
        if self.marks.labels.count() == 0 {
            return Found::Miss;
        }
        let mut left = effort.visits;
        let found = self.marks.walk_down(&self.trie, &mut self.stack, &mut left);
        self.visits += u64::from(effort.visits - left);
        match found {
            Found::Hit(leaf) => Found::Hit(self.hit(leaf, query)),
            Found::Miss => Found::Miss,
            Found::GaveUp => Found::GaveUp,
        }
    }

    fn mark_implied(&mut self, atoms: &impl Atoms, atom: u32) {
        if !self.ipog.update(atoms, atom) {
            return;
        }
        let related = self.ipog.related(atom);
        for &word in &related.words {
            self.marks.labels.add(word);
        }
        let of_atom = related.signature(atoms.subject(AtomId(atom)));
        self.marks.signature = self.marks.signature.union(of_atom);
    }

    fn hit(&self, leaf: u32, query: &[AtomId]) -> UnsatHit {
        let in_query = |label: &u32| query.contains(&self.ipog.atom(*label));
        let exact = self
            .trie
            .upward(leaf)
            .all(|node| self.trie.segment(node).iter().all(in_query));
        UnsatHit {
            entry: EntryId(leaf),
            exact,
        }
    }
}

/// What a walk down the trie goes by: the labels that the query implies, and their signature.
#[derive(Default, Debug)]
struct Marks {
    labels: LabelSet,
    signature: Signature,
}

impl Marks {
    /// A leaf all labels above which are marked, unless so many visits are not enough to find it; what is left of them.
    fn walk_down(&self, trie: &Trie, stack: &mut Vec<u32>, left: &mut u32) -> Found<u32> {
        stack.clear();
        self.children_of_root(trie, stack);
        while let Some(id) = stack.pop() {
            if *left == 0 {
                return Found::GaveUp;
            }
            *left -= 1;
            let node = trie.node(id);
            let segment = trie.segment(node);
            if !segment[1..].iter().all(|&label| self.labels.has(label)) {
                continue;
            }
            if node.is_leaf() {
                return Found::Hit(id);
            }
            self.children(trie, id, stack);
        }
        Found::Miss
    }

    fn children_of_root(&self, trie: &Trie, stack: &mut Vec<u32>) {
        for word in self.labels.words() {
            let labels = trie.root_labels(word).labels();
            let children = labels.filter_map(|label| trie.root_child(label));
            stack.extend(children.filter(|&child| self.may_be_within(trie, child)));
        }
    }

    /// Puts the children whose first labels are marked on the stack.
    fn children(&self, trie: &Trie, id: u32, stack: &mut Vec<u32>) {
        let node = trie.node(id);
        if trie.prefers_probing(node, self.labels.count()) {
            let labels = self.labels.words().flat_map(|word| word.labels());
            let children = labels.filter_map(|label| trie.child(id, label));
            stack.extend(children.filter(|&child| self.may_be_within(trie, child)));
        } else {
            let edges = trie.edges(node).iter();
            let open = edges.filter(|edge| {
                self.labels.has(edge.label) && edge.signature.is_within(self.signature)
            });
            stack.extend(open.map(|edge| edge.child));
        }
    }

    /// Whether, by its signature, some set through a node may have only marked labels.
    fn may_be_within(&self, trie: &Trie, id: u32) -> bool {
        trie.node(id).signature.is_within(self.signature)
    }
}
