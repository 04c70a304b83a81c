//! Enumeration: a slice with few inputs is decided by trying all their values.
//!
//! Products, remainders and table look-ups of a few bytes make circuits that a SAT engine may never get through, while
//! evaluating them under all 2^24 values of three bytes takes seconds. The values of inputs are those that atoms about
//! them alone leave, be it about several side by side, as the bytes of an integer are. Where they are so few that trying
//! them takes less than encoding the question would, that is done at once; otherwise the engine goes first, with about
//! as much time as the enumeration would take.

use std::ops::Range;
use std::sync::Arc;

use refrain_path::repair::Repair;
use refrain_path::simplify::tables::set_input;
use refrain_path::solution::write_word;
use refrain_path::values::ValueSet;
use refrain_path::values::words;
use refrain_path::{AtomId, InputId, Kind, Limits, Path};
use refrain_term::value::mask;
use refrain_term::{Assignment, Batch, Bits, Op, Term, Terms, reachable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::engine::{Component, Engine};
use super::partial::PartialSolutions;

/// Evaluations of terms that are too many.
const MOST_EVALUATIONS: u64 = 1 << 32;

/// About as many evaluations of terms as a conflict of the engine takes for each gate.
const EVALUATIONS_PER_GATE: u64 = 1 << 7;

/// How many assignments are evaluated at once.
const LANES: u64 = 1 << 16;

/// Among more assignments at once none are chosen as partial solutions.
const MOST_NOTED: usize = 1 << 12;

/// More inputs are not looked at closer.
const MOST_INPUTS: usize = 16;

/// Inputs side by side, and the values that they can have together.
struct Domain {
    /// Each with the place of its lowest bit, and its width.
    inputs: Vec<(InputId, u32, u32)>,
    ranges: Vec<(u64, u64)>,
    size: u64,
    /// The atoms that leave no others, by their places in the component.
    bounds: Vec<usize>,
}

impl Domain {
    fn new(inputs: Vec<(InputId, u32, u32)>, set: &ValueSet, bounds: Vec<usize>) -> Option<Domain> {
        let set = set.words()?;
        let ranges: Vec<(u64, u64)> = words::ranges(set.width, &set.cuts).collect();
        let count = |&(first, last): &(u64, u64)| (last - first).saturating_add(1);
        let size = ranges.iter().map(count).fold(0, u64::saturating_add);
        Some(Domain {
            inputs,
            ranges,
            size,
            bounds,
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
    /// About how many gates their circuits have.
    gates: u64,
}

impl Enumeration {
    /// The values of a component's inputs, if they are few enough to try.
    pub fn of(terms: &mut Terms, path: &mut Path, component: &Component) -> Option<Enumeration> {
        if component.inputs.len() > MOST_INPUTS {
            return None;
        }
        let domains = domains(terms, path, component)?;
        let mut sizes = domains.iter().map(|domain| domain.size);
        let size = sizes.try_fold(1u64, |size, next| size.checked_mul(next))?;
        if size > MOST_EVALUATIONS {
            return None;
        }
        let roots: Vec<Term> = { component.atoms.iter() }
            .map(|&atom| path.atoms.get(atom).term)
            .collect();
        let all = reachable(terms, &roots);
        let count = all.len() as u64;
        let is_small = size.checked_mul(count)? <= MOST_EVALUATIONS;
        is_small.then_some(Enumeration {
            domains,
            roots,
            size,
            terms: count,
            gates: all.iter().map(|&term| gates(terms, term)).sum(),
        })
    }

    /// How many conflicts the engine may meet before this is worth it.
    pub fn conflicts(&self) -> u64 {
        self.size * self.terms / (EVALUATIONS_PER_GATE * self.gates)
    }

    /// Atoms that cannot hold together, given which hold under all values there are: those that leave no other values,
    /// and for each of the values one that excludes it, chosen as what excludes the most that are left.
    fn core(&self, component: &Component, lanes: &[Bits]) -> Vec<AtomId> {
        let bounds = self.domains.iter().flat_map(|domain| &domain.bounds);
        let mut places: FxHashSet<usize> = bounds.copied().collect();
        let mut left = Bits::ones(self.size as usize);
        for &place in &places {
            left.intersect(&lanes[place]);
        }
        while left.first().is_some() {
            let kept = |place: &usize| {
                let mut kept = left.clone();
                kept.intersect(&lanes[*place]);
                kept.count()
            };
            let best = (0..lanes.len()).min_by_key(kept).expect("an atom");
            left.intersect(&lanes[best]);
            places.insert(best);
        }
        let mut places: Vec<usize> = places.into_iter().collect();
        places.sort_unstable();
        places.iter().map(|&place| component.atoms[place]).collect()
    }
}

/// About how many gates the circuit of a term has, without those of what it is made of.
fn gates(terms: &Terms, term: Term) -> u64 {
    let width = terms.sort(term).width().map_or(1, u64::from);
    match terms.op(term) {
        Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::Float { .. } => width * width,
        _ => width,
    }
}

/// The values that all inputs of a component can have; nothing if an input is no word.
fn domains(terms: &mut Terms, path: &mut Path, component: &Component) -> Option<Vec<Domain>> {
    let inputs = component.inputs.iter();
    let bits = |&input: &InputId| Some((input, path.atoms.inputs.place(input).word_bits()?));
    let mut left: FxHashMap<InputId, u32> = inputs.map(bits).collect::<Option<_>>()?;
    path.atoms.know(terms, &component.atoms);
    let mut sets: FxHashMap<Term, (ValueSet, Vec<usize>)> = FxHashMap::default();
    for (place, &atom) in component.atoms.iter().enumerate() {
        let restriction = path.atoms.restriction(atom);
        let values = &restriction.values;
        sets.entry(restriction.subject)
            .and_modify(|(set, bounds)| {
                *set = set.intersection(values);
                bounds.push(place);
            })
            .or_insert_with(|| (values.clone(), vec![place]));
    }
    let mut candidates: Vec<Domain> = { sets.into_iter() }
        .filter_map(|(subject, (set, bounds))| {
            Domain::new(side_by_side(terms, path, subject)?, &set, bounds)
        })
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
            bounds: Vec::new(),
        });
    }
    Some(domains)
}

/// The words of the inputs of some domains, at places among all of their values: a column for each input.
fn columns(domains: &[Domain], places: Range<u64>) -> Vec<(InputId, Vec<u64>)> {
    let mut columns = Vec::new();
    let mut stride = 1;
    for domain in domains.iter().rev() {
        let place = |lane: u64| lane / stride % domain.size;
        let values: Vec<u64> = { places.clone() }
            .map(|lane| domain.value(place(lane)))
            .collect();
        for &(input, low, width) in &domain.inputs {
            let part = values.iter().map(|value| value >> low & mask(width));
            columns.push((input, part.collect()));
        }
        stride *= domain.size;
    }
    columns
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
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Option<Repair> {
        let Enumeration { domains, roots, .. } = enumeration;
        if let Some(empty) = domains.iter().find(|domain| domain.size == 0) {
            self.stats.enumerated += 1;
            let bounds = empty.bounds.iter();
            let core = bounds.map(|&place| component.atoms[place]).collect();
            return Some(Repair::Impossible(core));
        }
        // The last domains vary from lane to lane, all others from batch to batch.
        let mut outer = domains.len();
        let mut inner_size = 1;
        while outer > 0 && inner_size < LANES {
            outer -= 1;
            inner_size *= domains[outer].size;
        }
        let (outer, inner) = domains.split_at(outer);
        let outer_size: u64 = outer.iter().map(|domain| domain.size).product();
        let base = Assignment::clone(path.model.assignment());
        let mut core = component.atoms.clone();
        for place in 0..outer_size {
            let outer = columns(outer, place..place + 1);
            let mut given = base.clone();
            for (input, word) in &outer {
                write_word(path.atoms.inputs.place(*input), &mut given, word[0]);
            }
            let given = Arc::new(given);
            for start in (0..inner_size).step_by(LANES as usize) {
                if limits.exceeded().is_some() {
                    return None;
                }
                let inner = columns(inner, start..inner_size.min(start + LANES));
                let lanes = (inner_size - start).min(LANES) as usize;
                let mut batch = Batch::new(lanes, Arc::clone(&given));
                for (input, column) in &inner {
                    set_input(&mut batch, terms, path.atoms.inputs.get(*input), column);
                }
                let truths = batch.eval(terms, roots);
                path.work.note(Kind::Batch, 1);
                path.work.note(Kind::Column, lanes * roots.len());
                let mut holds = Bits::ones(lanes);
                truths.iter().for_each(|truth| holds.intersect(truth));
                if lanes <= MOST_NOTED && partial.tried.wants_more() {
                    partial.tried.note(path, &inner, &truths);
                }
                if let Some(lane) = holds.first() {
                    let outer = outer.iter().map(|(input, word)| (*input, word[0]));
                    let inner = inner.iter().map(|(input, column)| (*input, column[lane]));
                    for (input, word) in outer.chain(inner) {
                        path.model.set_word(&path.atoms.inputs, input, word);
                    }
                    self.stats.enumerated += 1;
                    self.in_doubt = true;
                    return Some(self.verified(terms, path, component));
                }
                if lanes as u64 == enumeration.size {
                    core = enumeration.core(component, &truths);
                }
            }
        }
        self.stats.enumerated += 1;
        Some(Repair::Impossible(core))
    }
}
