//! Entries that are about the same named things as a question.
//!
//! An entry of atoms that cannot hold together is listed under one of their subjects: a question from which it
//! follows has that subject. A solution is listed under two: that of the newest atom, and that with the least hash,
//! which sets that differ in an atom or two mostly share. For questions about other names an entry is listed under
//! patterns of its subjects as well (`renamed`).

use std::time::Instant;

use refrain_store::Store;
use refrain_term::{Input, Sort, Term, Terms};

use super::Lasting;
use super::named::form_of;
use super::record::{Kept, Record, SlotName};
use crate::canon::{SlotSort, SlotTerm, instantiate, slot_sorts};
use refrain_path::atoms::{AtomId, AtomTable};

/// What an entry is listed under: what it answers, and the hash of a subject with its names.
pub type IndexKey = [u8; 9];

/// The most entries that are fetched under one key.
const PER_KEY: usize = 16;

/// After so many entries no further key is looked up.
const AT_ONCE: usize = 24;

/// What a key begins with; in upper case, for questions about other names.
const CORES: u8 = b'u';
const SOLUTIONS: u8 = b's';
const SETS: u8 = b'e';
pub(crate) const RENAMED_CORES: u8 = b'U';
pub(crate) const RENAMED_SOLUTIONS: u8 = b'S';

/// An entry in terms of the symbols at hand.
pub struct Fetched {
    /// What it was found under.
    pub under: IndexKey,
    pub atoms: Vec<AtomId>,
    pub answer: Kept,
    /// By slot: the input it stands for.
    pub inputs: Vec<Input>,
}

pub(crate) fn index_key(kind: u8, hash: u64) -> IndexKey {
    let mut key = [kind; 9];
    key[1..].copy_from_slice(&hash.to_be_bytes());
    key
}

/// Whether what is listed under a key is looked for by questions about other names.
pub(super) fn is_for_other_names(key: &IndexKey) -> bool {
    matches!(key[0], RENAMED_CORES | RENAMED_SOLUTIONS)
}

fn hash(terms: &Terms, atoms: &AtomTable, atom: AtomId) -> u64 {
    terms.structural_hash(atoms.restriction(atom).subject)
}

/// Where a set of atoms itself is listed, if it is looked up by name.
pub fn under_set(terms: &Terms, atoms: &AtomTable, set: &[AtomId]) -> IndexKey {
    let hashes = set
        .iter()
        .map(|&atom| terms.structural_hash(atoms.get(atom).term));
    // The order of atoms is that in which they were met.
    index_key(SETS, hashes.fold(0, u64::wrapping_add))
}

/// Where atoms that cannot hold together are listed.
pub fn under_core(terms: &Terms, atoms: &AtomTable, core: &[AtomId]) -> Option<IndexKey> {
    let least = core.iter().map(|&atom| hash(terms, atoms, atom)).min()?;
    Some(index_key(CORES, least))
}

/// Where a solution of atoms is listed, of which one is the newest.
pub fn under_solution(
    terms: &Terms,
    atoms: &AtomTable,
    set: &[AtomId],
    newest: AtomId,
) -> Vec<IndexKey> {
    let least = set.iter().map(|&atom| hash(terms, atoms, atom)).min();
    let mut keys: Vec<IndexKey> = least
        .into_iter()
        .chain([hash(terms, atoms, newest)])
        .map(|hash| index_key(SOLUTIONS, hash))
        .collect();
    keys.dedup();
    keys
}

impl Fetched {
    /// The atoms that the answer is about: all, or those that cannot hold together. `None` if there are no such.
    pub fn about(&self) -> Option<Vec<AtomId>> {
        let mut about = match &self.answer {
            Kept::Sat(_) => self.atoms.clone(),
            Kept::Unsat(positions) => {
                let mut core = Vec::with_capacity(positions.len());
                for &position in positions {
                    core.push(*self.atoms.get(position as usize)?);
                }
                core
            }
        };
        about.sort_unstable();
        about.dedup();
        (!about.is_empty()).then_some(about)
    }
}

impl Lasting {
    /// Entries that are about the same named things as a question and have not been fetched before. All atoms must be
    /// known.
    pub fn fetch(
        &mut self,
        terms: &mut Terms,
        atoms: &mut AtomTable,
        set: &[AtomId],
        newest: AtomId,
    ) -> Vec<Fetched> {
        let mut keys = Vec::new();
        if self.by_name {
            keys.push(under_set(terms, atoms, set));
        }
        keys.extend(under_solution(terms, atoms, set, newest));
        keys.extend(
            set.iter()
                .map(|&atom| index_key(CORES, hash(terms, atoms, atom))),
        );
        self.listed(keys, |entry| named(terms, atoms, entry))
    }

    /// Entries that are listed under some keys and have not been fetched before, over symbols that nothing else uses.
    pub fn fetch_nameless(
        &mut self,
        terms: &mut Terms,
        atoms: &mut AtomTable,
        keys: Vec<IndexKey>,
    ) -> Vec<Fetched> {
        self.listed(keys, |entry| nameless(terms, atoms, entry))
    }

    /// What `read` makes of the entries under keys, in the store and from other threads, that have not been fetched
    /// before.
    fn listed(
        &mut self,
        keys: Vec<IndexKey>,
        mut read: impl FnMut(Listed) -> Option<Fetched>,
    ) -> Vec<Fetched> {
        let mut found = Vec::new();
        for &under in &keys {
            // The rest when it is asked for again.
            if found.len() >= AT_ONCE {
                break;
            }
            self.listed_by_threads(under, |entry| found.extend(read(entry)));
        }
        if self.store.is_none() || keys.iter().all(|key| self.fetched.contains(key)) {
            return found;
        }
        let started = Instant::now();
        if let Some(Ok(snapshot)) = self.store.as_ref().map(Store::snapshot) {
            for &under in &keys {
                if found.len() >= AT_ONCE {
                    break;
                }
                if !self.fetched.insert(under) {
                    continue;
                }
                for entry in snapshot.find(&under).take(PER_KEY) {
                    let Some(form) = form_of(entry.key) else {
                        continue;
                    };
                    let record = Record::decode(form, entry.value);
                    let listed = record.and_then(|record| Listed::new(under, form, record));
                    self.hits += u64::from(self.by_name && listed.is_some());
                    found.extend(listed.and_then(&mut read));
                }
            }
        }
        self.time += started.elapsed();
        found
    }

    /// Entries that other threads have listed under a key since it was last looked at.
    fn listed_by_threads(&mut self, under: IndexKey, mut take: impl FnMut(Listed)) {
        let Some(shared) = &self.shared else {
            return;
        };
        let seen = self.seen.entry(under).or_default();
        let mut forms = shared.listed(under, *seen);
        forms.truncate(PER_KEY);
        *seen += forms.len();
        for form in forms.iter().filter(|&form| !self.own.contains_key(form)) {
            let record = shared.get(form, |value| Record::decode(form, value));
            let listed = record.and_then(|record| Listed::new(under, form, record));
            listed.into_iter().for_each(&mut take);
        }
    }
}

/// An entry as it is listed.
struct Listed<'a> {
    under: IndexKey,
    key: &'a [u8],
    record: Record,
}

impl<'a> Listed<'a> {
    /// `None` if it is not what it is listed as.
    fn new(under: IndexKey, key: &'a [u8], record: Record) -> Option<Listed<'a>> {
        let is_core = matches!(under[0], CORES | RENAMED_CORES);
        let is_unsat = matches!(record.answer, Kept::Unsat(_));
        let is_listed = is_core == is_unsat || under[0] == SETS;
        is_listed.then_some(Listed { under, key, record })
    }
}

/// An entry over the symbols that have the names of its slots, if there are such.
fn named(terms: &mut Terms, atoms: &mut AtomTable, entry: Listed) -> Option<Fetched> {
    let sorts = slot_sorts(entry.key)?;
    let names = entry.record.names.iter();
    let slots: Option<Vec<_>> = names
        .zip(&sorts)
        .map(|(name, sort)| slot(terms, name, sort))
        .collect();
    over(terms, atoms, entry, slots?)
}

/// An entry over symbols of its own, which have no other use than to be renamed.
fn nameless(terms: &mut Terms, atoms: &mut AtomTable, entry: Listed) -> Option<Fetched> {
    let sorts = slot_sorts(entry.key)?.into_iter().enumerate();
    let slots: Option<Vec<_>> = sorts
        .map(|(at, sort)| match sort {
            // A backslash cannot occur in a symbol that anyone else declares.
            SlotSort::Plain(sort) => Some(symbol_slot(terms.var(&format!("\\{at}"), sort), sort)),
            SlotSort::Func { .. } => None,
        })
        .collect();
    over(terms, atoms, entry, slots?)
}

/// An entry over these inputs.
fn over(
    terms: &mut Terms,
    atoms: &mut AtomTable,
    entry: Listed,
    slots: Vec<(Input, SlotTerm)>,
) -> Option<Fetched> {
    let (inputs, slots): (Vec<Input>, Vec<SlotTerm>) = slots.into_iter().unzip();
    let formulas = instantiate(terms, entry.key, &slots)?;
    if formulas.iter().any(|&formula| terms.is_value(formula)) {
        return None;
    }
    let set = formulas.iter().map(|&formula| atoms.id(terms, formula));
    Some(Fetched {
        under: entry.under,
        atoms: set.collect(),
        answer: entry.record.answer,
        inputs,
    })
}

fn symbol_slot(symbol: Term, sort: Sort) -> (Input, SlotTerm) {
    let input = match sort {
        Sort::Array { .. } => Input::Array(symbol),
        _ => Input::Symbol(symbol),
    };
    (input, SlotTerm::Term(symbol))
}

fn slot(terms: &mut Terms, name: &SlotName, sort: &SlotSort) -> Option<(Input, SlotTerm)> {
    Some(match (name, sort) {
        (SlotName::Symbol(name), SlotSort::Func { args, result }) => {
            let func = terms.find_func(name, args, *result)?;
            (Input::Func(func), SlotTerm::Func(func))
        }
        (SlotName::Symbol(name), SlotSort::Plain(sort)) => {
            symbol_slot(terms.find_var(name, *sort)?, *sort)
        }
        (SlotName::Cell(name, index), SlotSort::Plain(Sort::BitVec(element))) => {
            let sort = Sort::Array {
                index: index.width(),
                element: *element,
            };
            let array = terms.find_var(name, sort)?;
            let index = terms.constant(index.clone());
            let read = terms.select(array, index);
            (Input::Cell(read), SlotTerm::Term(read))
        }
        (SlotName::Cell(..), _) => return None,
    })
}
