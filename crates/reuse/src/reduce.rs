//! Reduction of a conjunction, subject by subject (paper 2, section 4).
//!
//! Restrictions of one subject are intersected. If nothing is left, they are in conflict, and so is the query: a few
//! of them say so by themselves. Otherwise one set stands for them all: the overlapping interval, its ends moved past
//! exceptional points, the exceptional points inside it (`normal` writes it). An atom whose set includes what the
//! others of its subject leave is redundant.

use refrain_term::Term;

use refrain_path::restriction::Restriction;
use refrain_path::values::ValueSet;

/// What a conjunction comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// The restrictions at these places cannot hold together; without any of them the others can.
    Conflict(Vec<usize>),
    /// One restriction for each subject that is restricted at all.
    Reduced(Vec<Merged>),
}

/// All restrictions of one subject as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    pub restriction: Restriction,
    /// Where those are that are enough, and of which none can be left out; ascending.
    pub kept: Vec<usize>,
}

/// A restriction that leaves its subject fewer values than those before it.
struct Step<'a> {
    place: usize,
    own: &'a ValueSet,
    /// What this one and those before leave.
    left: ValueSet,
}

/// Reduces a conjunction.
pub fn reduce<'a>(restrictions: impl IntoIterator<Item = &'a Restriction>) -> Reduction {
    let places = restrictions.into_iter().enumerate();
    let mut places: Vec<(Term, usize, &ValueSet)> = places
        .map(|(place, restriction)| (restriction.subject, place, &restriction.values))
        .collect();
    places.sort_unstable_by_key(|&(subject, place, _)| (subject, place));
    let mut merged = Vec::new();
    for group in places.chunk_by(|a, b| a.0 == b.0) {
        let steps = steps(group.iter().map(|&(_, place, values)| (place, values)));
        let Some(last) = steps.last() else {
            continue;
        };
        let kept = enough(&steps, &last.left);
        if last.left.is_empty() {
            return Reduction::Conflict(kept);
        }
        let restriction = Restriction {
            subject: group[0].0,
            values: last.left.clone(),
        };
        merged.push(Merged { restriction, kept });
    }
    Reduction::Reduced(merged)
}

/// The restrictions of one subject that leave it fewer values, until none is left.
fn steps<'a>(group: impl Iterator<Item = (usize, &'a ValueSet)>) -> Vec<Step<'a>> {
    let mut steps: Vec<Step> = Vec::new();
    for (place, own) in group {
        let left = match steps.last() {
            None if own.is_full() => continue,
            None => own.clone(),
            Some(last) if last.left.is_empty() => break,
            Some(last) if last.left.is_subset_of(own) => continue,
            Some(last) => last.left.intersection(own),
        };
        steps.push(Step { place, own, left });
    }
    steps
}

/// Steps that together leave nothing but what is in the target, as all of them do, and of which none can be left out.
/// The newest are left out first: a conflict among the oldest rules out most.
fn enough(steps: &[Step], target: &ValueSet) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut common: Option<ValueSet> = None;
    for (at, step) in steps.iter().enumerate().rev() {
        let before = at.checked_sub(1).map(|before| &steps[before].left);
        if !is_within(before, common.as_ref(), target) {
            kept.push(step.place);
            common = Some(match common {
                Some(common) => common.intersection(step.own),
                None => step.own.clone(),
            });
        }
    }
    kept.reverse();
    kept
}

/// Whether what is in both sets, where they are given, is in the target.
fn is_within(a: Option<&ValueSet>, b: Option<&ValueSet>, target: &ValueSet) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.intersection(b).is_subset_of(target),
        (Some(set), None) | (None, Some(set)) => set.is_subset_of(target),
        (None, None) => target.is_full(),
    }
}

/// The places of restrictions, all of one subject, that together leave nothing but what is in the target, and of which
/// none can be left out. `None` if they leave more.
pub fn implying<'a>(
    restrictions: impl Iterator<Item = &'a ValueSet> + Clone,
    target: &ValueSet,
) -> Option<Vec<usize>> {
    let mut places = restrictions.enumerate();
    // One that says it alone is better than several.
    let alone = places.clone().find(|(_, own)| own.is_subset_of(target));
    if let Some((place, _)) = alone {
        return Some(vec![place]);
    }
    let steps = steps(&mut places);
    let is_enough = steps
        .last()
        .is_some_and(|last| last.left.is_subset_of(target));
    is_enough.then(|| enough(&steps, target))
}
