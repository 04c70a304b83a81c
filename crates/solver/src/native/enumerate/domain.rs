//! The values that inputs can have: those that atoms about them alone leave, be it about several side by side, as the
//! bytes of an integer are.

use std::ops::Range;

use refrain_path::values::{ValueSet, words};
use refrain_path::{InputId, Path};
use refrain_term::value::mask;
use refrain_term::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Component;

/// Inputs side by side, and the values that they can have together.
#[derive(Clone)]
pub struct Domain {
    /// Each with the place of its lowest bit, and its width.
    pub inputs: Vec<(InputId, u32, u32)>,
    ranges: Vec<(u64, u64)>,
    pub size: u64,
    /// The atoms that leave no others, by their places in the component.
    pub bounds: Vec<usize>,
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

    /// Adds the values at these places, of all in ascending order.
    pub fn add_values(&self, places: Range<u64>, values: &mut Vec<u64>) {
        let mut before = 0;
        for &(first, last) in &self.ranges {
            // Of all words of 64 bits there are more than a number can say.
            let end = (last - first).saturating_add(before + 1);
            let (start, stop) = (places.start.max(before), places.end.min(end));
            values.extend((start..stop).map(|place| first + (place - before)));
            before = end;
        }
    }
}

/// The values that all inputs of a component can have; nothing if an input is no word.
pub fn domains(terms: &mut Terms, path: &mut Path, component: &Component) -> Option<Vec<Domain>> {
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
