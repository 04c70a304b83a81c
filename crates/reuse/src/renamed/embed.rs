//! Embedding: whether each atom of one set is implied by an atom of another, under some renaming of inputs.
//!
//! Each atom of the first set has its *choices*: atoms of the second with the same pattern, read in one way or another,
//! whose values are among its own. Choices bind inputs of the first set to inputs of the second, and must agree. The
//! search takes the atom with the fewest choices that agree with what is bound, and goes back when there is none. It
//! may take so many comparisons.

use std::rc::Rc;

use super::patterns::{Member, Patterns};
use refrain_path::inputs::InputId;

/// Each input of the first set, and the input of the second set that stands for it.
pub type Renaming = Vec<(InputId, InputId)>;

/// Embeds the first set in the second. `budget` is how many comparisons there may be; what is left of them.
pub(super) fn embed(
    patterns: &Patterns,
    first: &[Rc<Member>],
    second: &[Rc<Member>],
    budget: &mut u32,
) -> Option<Renaming> {
    let mut inputs: Vec<InputId> = first
        .iter()
        .flat_map(|m| m.inputs.iter().copied())
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    let mut wanted = Vec::with_capacity(first.len());
    for member in first {
        let slots = member.inputs.iter();
        let slots = slots.map(|input| inputs.binary_search(input).unwrap_or_default());
        wanted.push(Wanted {
            slots: slots.collect(),
            choices: choices(patterns, member, second, budget)?,
            is_met: false,
        });
    }
    let mut search = Search {
        bound: vec![None; inputs.len()],
        wanted,
        budget,
    };
    if !search.run() {
        return None;
    }
    let bound = search.bound;
    inputs
        .into_iter()
        .zip(bound)
        .map(|(input, bound)| Some((input, bound?)))
        .collect()
}

/// The atoms that imply a member, by the inputs that stand for those of the member. `None` if there is no such.
fn choices(
    patterns: &Patterns,
    member: &Member,
    among: &[Rc<Member>],
    budget: &mut u32,
) -> Option<Vec<Box<[InputId]>>> {
    let symmetries = &patterns.get(member.pattern).symmetries;
    let mut choices: Vec<Box<[InputId]>> = Vec::new();
    for other in among {
        if other.pattern != member.pattern {
            continue;
        }
        *budget = budget.checked_sub(1)?;
        let is_among = other.values.is_subset_of(&member.values);
        let mut is_negated_among = None;
        for symmetry in symmetries {
            let implies = match symmetry.is_negated {
                false => is_among,
                true => *is_negated_among
                    .get_or_insert_with(|| other.values.negated().is_subset_of(&member.values)),
            };
            if implies {
                let slots = symmetry.slots.iter();
                let inputs: Box<[InputId]> =
                    slots.map(|&slot| other.inputs[slot as usize]).collect();
                if !choices.contains(&inputs) {
                    choices.push(inputs);
                }
            }
        }
    }
    (!choices.is_empty()).then_some(choices)
}

/// An atom that must be implied.
struct Wanted {
    /// Its inputs, by their places among all.
    slots: Box<[usize]>,
    choices: Vec<Box<[InputId]>>,
    is_met: bool,
}

struct Search<'a> {
    bound: Vec<Option<InputId>>,
    wanted: Vec<Wanted>,
    budget: &'a mut u32,
}

impl Search<'_> {
    /// Meets all that is wanted. Its depth is the number of atoms, which is small.
    fn run(&mut self) -> bool {
        let Some((at, count)) = self.hardest() else {
            return *self.budget > 0;
        };
        if count == 0 {
            return false;
        }
        self.wanted[at].is_met = true;
        for choice in 0..self.wanted[at].choices.len() {
            if !self.agrees(at, choice) {
                continue;
            }
            let newly = self.bind(at, choice);
            if self.run() {
                return true;
            }
            let is_bound_by_others = newly.is_empty();
            for place in newly {
                self.bound[place] = None;
            }
            // Another choice would bind nothing else.
            if is_bound_by_others || *self.budget == 0 {
                break;
            }
        }
        self.wanted[at].is_met = false;
        false
    }

    /// What is not met yet and has the fewest choices left; how many. `None` if all is met, or the budget used up.
    fn hardest(&mut self) -> Option<(usize, usize)> {
        let mut hardest = None;
        for at in 0..self.wanted.len() {
            if self.wanted[at].is_met {
                continue;
            }
            let choices = self.wanted[at].choices.len();
            *self.budget = self.budget.saturating_sub(choices as u32);
            if *self.budget == 0 {
                return None;
            }
            let count = (0..choices)
                .filter(|&choice| self.agrees(at, choice))
                .count();
            if hardest.is_none_or(|(_, least)| count < least) {
                hardest = Some((at, count));
            }
            if count == 0 {
                break;
            }
        }
        hardest
    }

    fn agrees(&self, at: usize, choice: usize) -> bool {
        let Wanted { slots, choices, .. } = &self.wanted[at];
        let mut pairs = slots.iter().zip(&choices[choice]);
        pairs.all(|(&place, input)| self.bound[place].is_none_or(|bound| bound == *input))
    }

    /// Binds what a choice binds; what was not bound before.
    fn bind(&mut self, at: usize, choice: usize) -> Vec<usize> {
        let Wanted { slots, choices, .. } = &self.wanted[at];
        let mut newly = Vec::new();
        for (&place, &input) in slots.iter().zip(&choices[choice]) {
            if self.bound[place].is_none() {
                self.bound[place] = Some(input);
                newly.push(place);
            }
        }
        newly
    }
}
