//! Enumeration: a slice with few inputs is decided by trying all their values.
//!
//! Products, remainders and table look-ups of a few bytes make circuits that a SAT engine may never get through, while
//! evaluating them under all 2^24 values of three bytes takes seconds. The values of inputs are those that atoms about
//! them alone leave, be it about several side by side, as the bytes of an integer are. The engine goes first, with about
//! as much time as the enumeration would take.

use std::ops::ControlFlow;
use std::sync::Arc;

use refrain_path::inputs::Place;
use refrain_path::repair::Repair;
use refrain_path::solution::write_word;
use refrain_path::values::ValueSet;
use refrain_path::values::words;
use refrain_path::{InputId, Limits, Path};
use refrain_term::value::mask;
use refrain_term::{Assignment, Batch, Bits, Op, Term, Terms, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::{Component, Engine};

/// Evaluations of terms that are too many.
const MOST_EVALUATIONS: u64 = 1 << 32;

/// About as many evaluations of terms as a conflict of the engine takes.
const EVALUATIONS_PER_CONFLICT: u64 = 1 << 18;

/// How many assignments are evaluated at once.
const LANES: u64 = 1 << 16;

/// Inputs of more bits in all are not looked at closer.
const MOST_BITS: u32 = 48;

/// Whether the inputs of a component may have few values.
pub(super) fn has_few_bits(path: &Path, component: &Component) -> bool {
    let mut bits = component
        .inputs
        .iter()
        .map(|&input| path.atoms.inputs.place(input).word_bits());
    let total = bits.try_fold(0u32, |total, bits| total.checked_add(bits?));
    total.is_some_and(|total| total <= MOST_BITS)
}

/// Inputs side by side, and the values that they can have together.
struct Domain {
    /// Each with the place of its lowest bit, and its width.
    inputs: Vec<(InputId, u32, u32)>,
    ranges: Vec<(u64, u64)>,
    size: u64,
}

impl Domain {
    fn new(inputs: Vec<(InputId, u32, u32)>, set: &ValueSet) -> Option<Domain> {
        let set = set.words()?;
        let ranges: Vec<(u64, u64)> = words::ranges(set.width, &set.cuts).collect();
        let count = |&(first, last): &(u64, u64)| (last - first).saturating_add(1);
        let size = ranges.iter().map(count).fold(0, u64::saturating_add);
        Some(Domain {
            inputs,
            ranges,
            size,
        })
    }

    /// The value at a place, of all in ascending order.
    fn value(&self, mut place: u64) -> u64 {
        for &(first, last) in &self.ranges {
            if place <= last - first {
                return first + place;
            }
            place -= last - first + 1;
        }
        unreachable!("a place among the values")
    }
}

/// What there is to enumerate.
pub(super) struct Enumeration {
    domains: Vec<Domain>,
    roots: Vec<Term>,
    /// How many assignments there are.
    size: u64,
    /// How many terms each is evaluated on.
    terms: u64,
}

impl Enumeration {
    /// The values of a component's inputs, if they are few enough to try.
    pub fn of(terms: &mut Terms, path: &mut Path, component: &Component) -> Option<Enumeration> {
        let atoms = &component.atoms;
        let inputs = component.inputs.iter();
        let bits = |&input: &InputId| Some((input, path.atoms.inputs.place(input).word_bits()?));
        let mut left: FxHashMap<InputId, u32> = inputs.map(bits).collect::<Option<_>>()?;
        path.atoms.know(terms, atoms);
        let mut sets: FxHashMap<Term, ValueSet> = FxHashMap::default();
        for &atom in atoms {
            let restriction = path.atoms.restriction(atom);
            let values = &restriction.values;
            sets.entry(restriction.subject)
                .and_modify(|set| *set = set.intersection(values))
                .or_insert_with(|| values.clone());
        }
        let mut candidates: Vec<Domain> = sets
            .iter()
            .filter_map(|(&subject, set)| Domain::new(side_by_side(terms, path, subject)?, set))
            .collect();
        candidates.sort_by_key(|domain| (domain.size, domain.inputs[0].0));
        let mut domains = Vec::new();
        for domain in candidates {
            let is_new = |(input, ..): &(InputId, u32, u32)| left.contains_key(input);
            if domain.inputs.iter().all(is_new) {
                for (input, ..) in &domain.inputs {
                    left.remove(input);
                }
                domains.push(domain);
            }
        }
        let mut left: Vec<(InputId, u32)> = left.into_iter().collect();
        left.sort_unstable();
        for (input, width) in left {
            domains.push(Domain {
                inputs: vec![(input, 0, width)],
                ranges: vec![(0, mask(width))],
                size: 1u64.checked_shl(width)?,
            });
        }
        let size = domains
            .iter()
            .try_fold(1u64, |size, domain| size.checked_mul(domain.size))?;
        let roots: Vec<Term> = atoms
            .iter()
            .map(|&atom| path.atoms.get(atom).term)
            .collect();
        if size > MOST_EVALUATIONS {
            return None;
        }
        let count = reachable(terms, &roots).len() as u64;
        let is_small = size.checked_mul(count)? <= MOST_EVALUATIONS;
        is_small.then_some(Enumeration {
            domains,
            roots,
            size,
            terms: count,
        })
    }

    /// How many conflicts the engine may meet before this is worth it.
    pub fn conflicts(&self) -> u64 {
        self.size * self.terms / EVALUATIONS_PER_CONFLICT
    }

    /// Calls back with words for all inputs, for each of so many first domains.
    fn outer(
        &self,
        count: usize,
        mut found: impl FnMut(&[(InputId, u64)]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let domains = &self.domains[..count];
        let total: u64 = domains.iter().map(|domain| domain.size).product();
        for place in 0..total {
            found(&words_at(domains, place))?;
        }
        ControlFlow::Continue(())
    }
}

/// The words of the inputs of some domains, at a place among all.
fn words_at(domains: &[Domain], mut place: u64) -> Vec<(InputId, u64)> {
    let mut words = Vec::new();
    for domain in domains.iter().rev() {
        let value = domain.value(place % domain.size);
        place /= domain.size;
        let parts = domain.inputs.iter();
        words.extend(parts.map(|&(input, low, width)| (input, value >> low & mask(width))));
    }
    words
}

/// The inputs that a term consists of, if it is nothing but inputs side by side, each once.
fn side_by_side(terms: &Terms, path: &Path, term: Term) -> Option<Vec<(InputId, u32, u32)>> {
    if terms.sort(term).width()? > 64 {
        return None;
    }
    let mut inputs = Vec::new();
    let mut seen = FxHashSet::default();
    let mut low = 0;
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if terms.op(term) == Op::Concat {
            // The low part is on top.
            stack.extend([terms.arg(term, 0), terms.arg(term, 1)]);
            continue;
        }
        let input = path.atoms.inputs.find_term(term)?;
        let width = terms.width(term);
        if !seen.insert(input) {
            return None;
        }
        inputs.push((input, low, width));
        low += width;
    }
    Some(inputs)
}

impl Engine {
    /// Tries all values. `None` if a limit was reached.
    pub(super) fn enumerate(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        enumeration: &Enumeration,
        limits: &Limits,
    ) -> Option<Repair> {
        let domains = &enumeration.domains;
        // The last domains vary from lane to lane, all others from batch to batch.
        let mut outer = domains.len();
        let mut inner_size = 1;
        while outer > 0 && inner_size < LANES {
            outer -= 1;
            inner_size *= domains[outer].size;
        }
        if enumeration.size == 0 {
            self.stats.enumerated += 1;
            return Some(Repair::Impossible(component.atoms.clone()));
        }
        let base = Assignment::clone(path.model.assignment());
        let mut solution = None;
        let mut stopped = false;
        let _ = enumeration.outer(outer, |outer_words| {
            let mut given = base.clone();
            for &(input, word) in outer_words {
                write_word(path.atoms.inputs.place(input), &mut given, word);
            }
            let given = Arc::new(given);
            for start in (0..inner_size).step_by(LANES as usize) {
                if limits.exceeded().is_some() {
                    stopped = true;
                    return ControlFlow::Break(());
                }
                let lanes = start..inner_size.min(start + LANES);
                let words: Vec<Vec<(InputId, u64)>> = lanes
                    .map(|place| words_at(&domains[outer..], place))
                    .collect();
                let mut batch = Batch::new(words.len(), Arc::clone(&given));
                set_columns(&mut batch, path, &words);
                let mut holds = Bits::ones(words.len());
                for atom in batch.eval(terms, &enumeration.roots) {
                    holds.intersect(&atom);
                }
                if let Some(lane) = holds.first() {
                    let all = outer_words.iter().chain(&words[lane]).copied();
                    solution = Some(all.collect::<Vec<_>>());
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        if stopped {
            return None;
        }
        self.stats.enumerated += 1;
        let Some(words) = solution else {
            return Some(Repair::Impossible(component.atoms.clone()));
        };
        for (input, word) in words {
            path.model.set_word(&path.atoms.inputs, input, word);
        }
        self.in_doubt = true;
        Some(self.verified(terms, path, component))
    }
}

/// Sets the inputs of each lane.
fn set_columns(batch: &mut Batch, path: &Path, words: &[Vec<(InputId, u64)>]) {
    for (which, &(input, _)) in words[0].iter().enumerate() {
        let column = words.iter().map(|lane| lane[which].1);
        match path.atoms.inputs.place(input) {
            Place::Bool(var) => {
                let mut bits = Bits::new(words.len());
                for (lane, word) in column.enumerate() {
                    bits.set(lane, word != 0);
                }
                batch.set_bool(*var, &bits);
            }
            Place::Word { var, .. } => batch.set_bv(*var, column.collect()),
            Place::Cell { array, index, .. } => {
                batch.set_cell(*array, index.clone(), column.collect());
            }
            _ => unreachable!("words only"),
        }
    }
}
