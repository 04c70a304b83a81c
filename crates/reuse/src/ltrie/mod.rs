//! The L-Trie: answers of earlier queries, found again by implication between atoms.
//!
//! A query is a set of atoms. It is unsatisfiable if every atom of some stored unsatisfiable set is implied by an
//! atom of the query (the stored set is a *logical subset*), and satisfiable, with the stored solution, if every atom
//! of the query is implied by an atom of some stored satisfiable set (a *logical superset*). "Enhancing Reuse of
//! Constraint Solutions to Improve Symbolic Execution" (ISSTA 2015), sections 2, 5 and 6.
//!
//! * `trie`: sets as sorted sequences, shared prefixes stored once, and which of two sets is kept when one is a
//!   prefix of the other; (`edges`: its edges; `signature`: what tells early that a set cannot be it);
//! * `ipog`: which stored atoms a given atom implies, or is implied by (the implication partial order graph);
//! * `unsat`: the store of unsatisfiable sets and the search for a logical subset (algorithm 2);
//! * `sat`: the store of satisfiable sets and the search for a logical superset (algorithm 1, made complete).
//!
//! Nothing here knows what an atom says: the owner of the atoms answers that through [`Atoms`].

mod edges;
mod ipog;
mod sat;
mod signature;
mod trie;
mod unsat;

pub use sat::{SatHit, SatStored, SatTrie};
pub use unsat::{UnsatHit, UnsatStored, UnsatTrie};

pub use refrain_path::{AtomId, SubjectId};

/// What the tries must know of atoms. The answers for an atom must never change.
pub trait Atoms {
    /// Atoms of different subjects are taken not to imply each other.
    fn subject(&self, atom: AtomId) -> SubjectId;

    /// Whether `a` implies `b`: reflexive and transitive. Only called for atoms of one subject.
    fn implies(&self, a: AtomId, b: AtomId) -> bool;

    /// The order in which sets are sorted ([`Order::Rank`]), different for different atoms. Whether the atoms of a
    /// subject are neighbours, and which come first, makes a difference to size and speed only: in a store of
    /// satisfiable sets, those should that many sets share.
    fn rank(&self, atom: AtomId) -> u64;
}

/// A stored set. It names the set until the set is removed, or replaced by one that makes it superfluous.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryId(pub(crate) u32);

/// How the sets of a store are sorted: what a prefix is, and so which sets are superfluous, depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By [`Atoms::rank`].
    Rank,
    /// Atoms that were stored later come first. These are the rarer ones, most of the time: a search for subsets is
    /// over at once where the query has nothing to do with a rare atom, whereas it follows many sets for long that
    /// begin with what all have in common.
    LatestFirst,
}

/// How far a search may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Without implication an atom only stands for itself: plain subsets and supersets.
    pub implication: bool,
    /// So many nodes of the trie are looked at before the search gives up.
    pub visits: u32,
}

impl Effort {
    /// By implication, to the end.
    pub const FULL: Effort = Effort {
        implication: true,
        visits: u32::MAX,
    };
    /// Plain subsets and supersets, to the end.
    pub const PLAIN: Effort = Effort {
        implication: false,
        visits: u32::MAX,
    };
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found<T> {
    Hit(T),
    /// There is nothing to be found.
    Miss,
    /// The visits allowed were used up.
    GaveUp,
}

impl<T> Found<T> {
    pub fn hit(self) -> Option<T> {
        match self {
            Found::Hit(hit) => Some(hit),
            Found::Miss | Found::GaveUp => None,
        }
    }
}

/// The atoms as the tries keep them: sorted by rank, each once.
fn sorted(atoms: &impl Atoms, set: &[AtomId], into: &mut Vec<u32>) {
    into.clear();
    into.extend(set.iter().map(|atom| atom.0));
    let in_order = |pair: &[u32]| atoms.rank(AtomId(pair[0])) < atoms.rank(AtomId(pair[1]));
    if !into.windows(2).all(in_order) {
        into.sort_unstable_by_key(|&atom| atoms.rank(AtomId(atom)));
        into.dedup();
    }
}

/// Makes a table long enough for an index.
fn cover<T: Clone>(table: &mut Vec<T>, index: usize, filler: T) {
    if table.len() <= index {
        table.resize((index + 1).next_power_of_two(), filler);
    }
}
