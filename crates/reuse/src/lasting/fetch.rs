//! Entries that are about the same named things as a question.
//!
//! An entry of atoms that cannot hold together is listed under one of their subjects: a question from which it
//! follows has that subject. A solution is listed under two: that of the newest atom, and that with the least hash,
//! which sets that differ in an atom or two mostly share.

use std::time::Instant;

use refrain_term::{Input, Sort, Terms};

use super::Lasting;
use super::record::{Kept, Record, SlotName};
use crate::atoms::{AtomId, AtomTable};
use crate::canon::{SlotSort, SlotTerm, instantiate, slot_sorts};

/// What an entry is listed under: what it answers, and the hash of a subject with its names.
pub type IndexKey = [u8; 9];

/// The most entries that are fetched under one subject.
const PER_SUBJECT: usize = 16;

/// After so many entries no further subject is looked up.
const AT_ONCE: usize = 24;

const CORES: u8 = b'u';
const SOLUTIONS: u8 = b's';

/// An entry in terms of the symbols at hand.
pub struct Fetched {
    /// What it was found under.
    pub under: IndexKey,
    pub atoms: Vec<AtomId>,
    pub answer: Kept,
    /// By slot: the input it stands for.
    pub inputs: Vec<Input>,
}

fn index_key(kind: u8, hash: u64) -> IndexKey {
    let mut key = [kind; 9];
    key[1..].copy_from_slice(&hash.to_be_bytes());
    key
}

fn hash(terms: &Terms, atoms: &AtomTable, atom: AtomId) -> u64 {
    terms.structural_hash(atoms.restriction(atom).subject)
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

impl Lasting {
    /// Entries that may have to do with a question and have not been fetched before. All atoms must be known.
    pub fn fetch(
        &mut self,
        terms: &mut Terms,
        atoms: &mut AtomTable,
        set: &[AtomId],
        newest: AtomId,
    ) -> Vec<Fetched> {
        let Some(store) = &self.store else {
            return Vec::new();
        };
        let started = Instant::now();
        let mut keys = under_solution(terms, atoms, set, newest);
        keys.extend(
            set.iter()
                .map(|&atom| index_key(CORES, hash(terms, atoms, atom))),
        );
        keys.retain(|key| !self.fetched.contains(key));
        let mut found = Vec::new();
        if let Ok(snapshot) = store.glimpse() {
            for &under in &keys {
                // The rest when it is asked for again.
                if found.len() >= AT_ONCE {
                    break;
                }
                self.fetched.insert(under);
                for entry in snapshot.find(&under).take(PER_SUBJECT) {
                    let Some(record) = Record::decode(&entry.key, &entry.value) else {
                        continue;
                    };
                    found.extend(named(terms, atoms, under, &entry.key, record));
                }
            }
        }
        self.time += started.elapsed();
        found
    }
}

/// An entry over the symbols that have the names of its slots, if there are such.
fn named(
    terms: &mut Terms,
    atoms: &mut AtomTable,
    under: IndexKey,
    key: &[u8],
    record: Record,
) -> Option<Fetched> {
    let is_core = under[0] == CORES;
    if is_core != matches!(record.answer, Kept::Unsat(_)) {
        return None;
    }
    let sorts = slot_sorts(key)?;
    let mut inputs = Vec::with_capacity(sorts.len());
    let mut slots = Vec::with_capacity(sorts.len());
    for (name, sort) in record.names.iter().zip(&sorts) {
        let (input, slot) = slot(terms, name, sort)?;
        inputs.push(input);
        slots.push(slot);
    }
    let formulas = instantiate(terms, key, &slots)?;
    if formulas.iter().any(|&formula| terms.is_value(formula)) {
        return None;
    }
    let set = formulas.iter().map(|&formula| atoms.id(terms, formula));
    Some(Fetched {
        under,
        atoms: set.collect(),
        answer: record.answer,
        inputs,
    })
}

fn slot(terms: &mut Terms, name: &SlotName, sort: &SlotSort) -> Option<(Input, SlotTerm)> {
    Some(match (name, sort) {
        (SlotName::Symbol(name), SlotSort::Func { args, result }) => {
            let func = terms.find_func(name, args, *result)?;
            (Input::Func(func), SlotTerm::Func(func))
        }
        (SlotName::Symbol(name), SlotSort::Plain(sort)) => {
            let symbol = terms.find_var(name, *sort)?;
            let input = match sort {
                Sort::Array { .. } => Input::Array(symbol),
                _ => Input::Symbol(symbol),
            };
            (input, SlotTerm::Term(symbol))
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
