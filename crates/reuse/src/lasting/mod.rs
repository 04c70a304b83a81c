//! Answers that outlast names, runs and programs: kept by canonical form, in memory, shared between threads, and in a
//! store.
//!
//! Where canonical forms are no layer, entries are kept by name (`named`): the same program finds them again.
//!
//! An *entry* is about a set of atoms. Its key is the set's canonical form, so that the same question about other
//! symbols finds it; its value (`record`) is a value for each slot of the form, or the positions of atoms that cannot
//! hold together. Beside that an entry has the names that its slots had, and is listed under subjects of its atoms: a
//! question that nobody has asked before fetches the entries that are about the same named things (`fetch`), from
//! which others may follow.
//!
//! Nothing that somebody else has written is believed without need: a solution is evaluated before it counts, and a
//! set that cannot hold is the whole form that was asked, not its hash. What does not read as it should is no answer.

mod fetch;
mod named;
mod record;
mod shared;
mod show;

use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_store::{Entry, Store};
use refrain_term::{Inputs, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::canon::{Canonical, Canonizer};
use refrain_path::atoms::{AtomId, AtomTable};

pub use fetch::{Fetched, IndexKey, under_core, under_set, under_solution};
pub(crate) use fetch::{RENAMED_CORES, RENAMED_SOLUTIONS, index_key};
pub use named::{form_of, named_key};
pub use record::{Kept, Record, SlotName, SlotValue};
pub use shared::SharedAnswers;
pub use show::{kind, refuted_question, show};

/// What gives an answer its meaning beside its key: the form of keys and values, and the sources of everything that
/// turns a query into an answer. A version that mends a wrong answer does not find it again.
pub fn validity() -> Vec<u8> {
    let (version, sources) = (env!("CARGO_PKG_VERSION"), env!("REFRAIN_SOURCES"));
    let (form, record) = (crate::canon::FORMAT, record::FORMAT);
    format!("refrain {version}, canonical form {form}, answers {record}, sources {sources}")
        .into_bytes()
}

#[derive(Default)]
pub struct Lasting {
    canonizer: Canonizer,
    /// Answers found in this run. What was in the store before is there.
    own: FxHashMap<Box<[u8]>, Own>,
    /// How many bytes they have.
    own_bytes: usize,
    /// The check that is under way.
    now: u32,
    /// Answers found in this run by others too.
    shared: Option<Arc<SharedAnswers>>,
    store: Option<Store>,
    /// Whether entries are over the names they have: nobody looks a form up as such.
    by_name: bool,
    /// Index keys that have been fetched from the store.
    fetched: FxHashSet<IndexKey>,
    /// By index key: how many of the forms that others have listed have been looked at.
    seen: FxHashMap<IndexKey, usize>,
    /// Answers that others had found.
    pub shared_hits: u64,
    /// Entries that came from the store, and that went there.
    pub hits: u64,
    pub written: u64,
    pub time: Duration,
}

/// An answer found in this run.
struct Own {
    value: Box<[u8]>,
    /// The check in which it was last of use.
    used: u32,
}

impl Lasting {
    pub fn with_store(store: Option<Store>) -> Lasting {
        Lasting {
            store,
            ..Lasting::default()
        }
    }

    /// Answers are kept in a store, by canonical form or by name.
    pub fn keep_in(&mut self, store: Option<Store>, by_name: bool) {
        (self.store, self.by_name) = (store, by_name);
    }

    pub fn is_by_name(&self) -> bool {
        self.by_name
    }

    pub fn share_with(&mut self, shared: Arc<SharedAnswers>) {
        self.shared = Some(shared);
    }

    pub fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// Whether answers of others are listed anywhere.
    pub fn has_lists(&self) -> bool {
        self.store.is_some() || self.shared.is_some()
    }

    /// What finds canonical forms.
    pub fn canonizer(&mut self) -> &mut Canonizer {
        &mut self.canonizer
    }

    /// How many nodes canonizing has gone through, and bytes it has written.
    pub fn canonized(&self) -> u64 {
        self.canonizer.visits()
    }

    /// The canonical form of a set, if it is not too large for one.
    pub fn canonize(
        &mut self,
        terms: &Terms,
        atoms: &AtomTable,
        set: &[AtomId],
    ) -> Option<Canonical> {
        let set: Vec<(Term, &Inputs)> = set
            .iter()
            .map(|&atom| {
                let atom = atoms.get(atom);
                (atom.term, &atom.depends_on)
            })
            .collect();
        self.canonizer.canonize(terms, &set)
    }

    /// What is known of a set.
    pub fn get(&mut self, canonical: &Canonical) -> Option<Record> {
        if let Some(own) = self.own.get_mut(&canonical.key[..]) {
            own.used = self.now;
            return Record::decode(&canonical.key, &own.value);
        }
        if let Some(shared) = &self.shared {
            let decode = |value: &[u8]| Record::decode(&canonical.key, value);
            if let Some(record) = shared.get(&canonical.key, decode) {
                self.shared_hits += 1;
                return Some(record);
            }
        }
        let store = self.store.as_ref()?;
        let started = Instant::now();
        let found = store.get(&canonical.key);
        let record = found
            .as_ref()
            .and_then(|found| Record::decode(&canonical.key, &found.value));
        if let (Some(found), Some(_)) = (&found, &record) {
            store.touch([found.id]);
            self.hits += 1;
        }
        self.time += started.elapsed();
        record
    }

    /// Another check begins.
    pub fn begin(&mut self, check: u32) {
        self.now = check;
    }

    /// The checks in which own answers were last of use.
    pub fn uses(&self) -> impl Iterator<Item = u32> {
        self.own.values().map(|own| own.used)
    }

    /// Forgets the own answers that were of no use after a check; how many. What was fetched can be fetched again.
    pub fn forget_until(&mut self, check: u32) -> usize {
        let before = self.own.len();
        self.own.retain(|key, own| {
            let is_kept = own.used > check;
            if !is_kept {
                self.own_bytes -= key.len() + own.value.len();
            }
            is_kept
        });
        self.own.shrink_to_fit();
        self.fetched = FxHashSet::default();
        self.seen = FxHashMap::default();
        before - self.own.len()
    }

    /// About how many bytes own answers take, and what says which have been fetched.
    pub fn bytes(&self) -> usize {
        self.own_bytes
            + self.own.capacity() * (size_of::<(Box<[u8]>, Own)>() + 1)
            + self.fetched.capacity() * (size_of::<IndexKey>() + 1)
            + self.seen.capacity() * (size_of::<(IndexKey, usize)>() + 1)
    }

    /// Keeps an answer. The first one stays: a later run goes the same way.
    pub fn put(
        &mut self,
        canonical: &Canonical,
        record: &Record,
        index: &[IndexKey],
        cost: Duration,
    ) {
        let key = match self.by_name {
            true => named_key(&canonical.key, &record.names),
            false => canonical.key.clone(),
        };
        if self.own.contains_key(&key[..]) {
            return;
        }
        let Some(value) = record.encode() else {
            return;
        };
        self.own_bytes += key.len() + value.len();
        let own = Own {
            value: value.as_slice().into(),
            used: self.now,
        };
        self.own.insert(key.as_slice().into(), own);
        if let Some(shared) = &self.shared {
            let index = index.iter().copied().filter(fetch::is_for_other_names);
            shared.put(&key, &value, index);
        }
        let Some(store) = &self.store else {
            return;
        };
        let started = Instant::now();
        let cost = u32::try_from(cost.as_micros()).unwrap_or(u32::MAX);
        let mut entry = Entry::new(key, value).costing(cost);
        for &key in index {
            entry = entry.under(key);
        }
        // What cannot be kept is found again; the store has its own words about why.
        if store.put(entry).is_ok() {
            self.written += 1;
        }
        self.time += started.elapsed();
    }
}
