//! Partial solutions: the assignments that a search goes through (paper 4, algorithms 3 and 4; paper 5, algorithm 3).
//!
//! At every conflict, and for every candidate that arrays or functions refute, the bits of the component's inputs are
//! noted: projected, without repetition, and sampled uniformly down to the limit. An input bit that the search had
//! not assigned keeps the value it had in the model before.
//!
//! What repairs try is kept beside it ([`Tried`]).

use std::sync::Arc;

use refrain_path::partial_solution::base_fingerprint;
use refrain_path::repair::tried::Tried;
use refrain_path::{InputId, PartialSolution, Path};
use refrain_sat::Lit;
use refrain_term::{Assignment, Bv, Rational, Term, Terms, Value};
use rustc_hash::FxHashSet;

use super::blast::Literals;

pub struct PartialSolutions {
    limit: usize,
    layouts: Vec<Layout>,
    /// The layout of the current component, once something was noted.
    current: Option<usize>,
    /// Hashes of all assignments noted in this check.
    seen: FxHashSet<u64>,
    kept: Vec<Snapshot>,
    /// Assignments that repairs tried, as they were.
    pub tried: Tried,
    noted: u64,
    random: fastrand::Rng,
}

/// The inputs of a component, bit by bit.
#[derive(Default)]
struct Layout {
    inputs: Vec<(Term, u32)>,
    /// Integers and reals, each with its value before.
    numbers: Vec<(Term, Rational)>,
    lits: Vec<Lit>,
    before: Vec<u64>,
    /// Tells layouts of different inputs apart; the same for those of the same.
    identity: u64,
}

impl Layout {
    fn new(terms: &Terms, path: &mut Path, literals: &Literals, inputs: &[InputId]) -> Layout {
        let mut layout = Layout::default();
        let table = &path.atoms.inputs;
        for &input in inputs {
            let Some(term) = table.term(input) else {
                continue;
            };
            let sort = terms.sort(term);
            if sort.is_number() {
                let before = path.model.number(table, input).clone();
                layout.numbers.push((term, before));
                continue;
            }
            if !literals.contain(term) {
                continue;
            }
            let lits = literals.of(terms, term);
            let small = table.place(input).is_word();
            let before = if small {
                path.model.word(table, input)
            } else {
                0
            };
            for (i, &lit) in lits.iter().enumerate() {
                let place = layout.lits.len();
                layout.lits.push(lit);
                layout.before.resize(place / 64 + 1, 0);
                let bit = if i < 64 { before >> i & 1 } else { 0 };
                layout.before[place / 64] |= bit << (place % 64);
            }
            layout.inputs.push((term, lits.len() as u32));
        }
        let all = layout.inputs.iter().map(|(term, _)| term);
        let all = all.chain(layout.numbers.iter().map(|(term, _)| term));
        layout.identity = mixed(0, all.map(|term| term.index() as u64));
        layout
    }

    /// The numbers of an assignment; those it leaves open are as they were before.
    fn project_numbers(&self, number: &dyn Fn(Term) -> Option<Rational>) -> Box<[Rational]> {
        let numbers = self.numbers.iter();
        numbers
            .map(|(term, before)| number(*term).unwrap_or_else(|| before.clone()))
            .collect()
    }

    /// The input bits of an assignment; those it leaves open are as they were before.
    fn project(&self, value: impl Fn(Lit) -> Option<bool>) -> Box<[u64]> {
        let mut words: Box<[u64]> = self.before.as_slice().into();
        for (place, &lit) in self.lits.iter().enumerate() {
            if let Some(value) = value(lit) {
                let bit = 1 << (place % 64);
                if value {
                    words[place / 64] |= bit;
                } else {
                    words[place / 64] &= !bit;
                }
            }
        }
        words
    }
}

impl Layout {
    /// The inputs of at most 64 bits.
    fn words(&self) -> Arc<[Term]> {
        let small = self.inputs.iter().filter(|(_, bits)| *bits <= 64);
        small.map(|&(term, _)| term).collect()
    }

    fn partial_solution(
        &self,
        terms: &Terms,
        inputs: &Arc<[Term]>,
        snapshot: &Snapshot,
    ) -> PartialSolution {
        let mut words = Vec::with_capacity(inputs.len());
        let mut others = Vec::with_capacity(self.numbers.len());
        let mut place = 0;
        for &(term, bits) in &self.inputs {
            let mut parts = (0..bits).step_by(64);
            let part = |at: u32| bits_at(&snapshot.words, place + at as usize, (bits - at).min(64));
            match bits {
                ..=64 => words.push(part(0)),
                _ => {
                    let value = Bv::from_words(bits, parts.by_ref().map(part).collect::<Vec<_>>());
                    others.push((term, Value::Bv(value)));
                }
            }
            place += bits as usize;
        }
        for ((term, _), number) in self.numbers.iter().zip(&snapshot.numbers) {
            others.push((*term, Value::number(terms.sort(*term), number.clone())));
        }
        PartialSolution::new(inputs.clone(), words.into(), others.into())
    }
}

/// Up to 64 bits from a place on.
fn bits_at(words: &[u64], place: usize, count: u32) -> u64 {
    let (word, shift) = (place / 64, place % 64);
    let low = words[word] >> shift;
    let high = match words.get(word + 1) {
        Some(next) if shift > 0 => next << (64 - shift),
        _ => 0,
    };
    (low | high) & (u64::MAX >> (64 - count))
}

/// The input bits and numbers of one assignment.
struct Snapshot {
    layout: usize,
    words: Box<[u64]>,
    numbers: Box<[Rational]>,
}

impl Snapshot {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.numbers.is_empty()
    }

    fn hash(&self, layout: &Layout) -> u64 {
        let numbers = self.numbers.iter().flat_map(Rational::words);
        mixed(layout.identity, self.words.iter().copied().chain(numbers))
    }
}

fn mixed(start: u64, words: impl Iterator<Item = u64>) -> u64 {
    words.fold(start, |hash, word| {
        (hash ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    })
}

impl PartialSolutions {
    /// Keeps up to `limit` of them; with none nothing is noted, at no cost.
    pub fn new(limit: usize) -> PartialSolutions {
        PartialSolutions {
            limit,
            layouts: Vec::new(),
            current: None,
            seen: FxHashSet::default(),
            kept: Vec::new(),
            tried: Tried::new(limit),
            noted: 0,
            random: fastrand::Rng::with_seed(0x9e37_79b9_7f4a_7c15),
        }
    }

    pub fn are_wanted(&self) -> bool {
        self.limit > 0
    }

    /// Turns to another component, or to one whose encoding has changed.
    pub(super) fn begin_component(&mut self) {
        self.current = None;
    }

    /// Keeps the input bits of the assignment that `value` tells, if they are new and the sample takes them.
    pub(super) fn note(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        literals: &Literals,
        inputs: &[InputId],
        value: impl Fn(Lit) -> Option<bool>,
        number: &dyn Fn(Term) -> Option<Rational>,
    ) {
        if !self.are_wanted() {
            return;
        }
        let layout = *self.current.get_or_insert_with(|| {
            self.layouts
                .push(Layout::new(terms, path, literals, inputs));
            self.layouts.len() - 1
        });
        let snapshot = Snapshot {
            layout,
            words: self.layouts[layout].project(value),
            numbers: self.layouts[layout].project_numbers(number),
        };
        self.keep(snapshot);
    }

    /// Keeps a snapshot if it is new and the sample takes it.
    fn keep(&mut self, snapshot: Snapshot) {
        let hash = snapshot.hash(&self.layouts[snapshot.layout]);
        if snapshot.is_empty() || !self.seen.insert(hash) {
            return;
        }
        // Reservoir sampling: after n distinct ones each has been kept with the same probability.
        self.noted += 1;
        if self.kept.len() < self.limit {
            self.kept.push(snapshot);
            return;
        }
        let place = self.random.u64(0..self.noted);
        if let Some(kept) = self.kept.get_mut(place as usize) {
            *kept = snapshot;
        }
    }

    /// The sample. What a repair has tried the search may have gone through too.
    pub fn into_sample(mut self, terms: &Terms) -> Vec<PartialSolution> {
        let tried = std::mem::take(&mut self.tried).into_partial_solutions();
        let layouts: Vec<Arc<[Term]>> = self.layouts.iter().map(Layout::words).collect();
        let kept = self.kept.iter();
        let kept = kept.map(|snapshot| {
            let layout = &self.layouts[snapshot.layout];
            layout.partial_solution(terms, &layouts[snapshot.layout], snapshot)
        });
        if tried.is_empty() {
            return kept.collect();
        }
        let mut seen = FxHashSet::default();
        let mut base: Option<(Arc<Assignment>, u64)> = None;
        let mut is_new = |found: &PartialSolution| {
            // Most of those that are tried are changes of the same assignment.
            let hash = match (found.base(), &base) {
                (None, _) => 0,
                (Some(own), Some((last, hash))) if Arc::ptr_eq(own, last) => *hash,
                (Some(own), _) => base.insert((own.clone(), base_fingerprint(own))).1,
            };
            seen.insert(found.fingerprint(terms, hash))
        };
        kept.chain(tried)
            .filter(|found| is_new(found))
            .take(self.limit)
            .collect()
    }
}
