//! Trails: the decisions on the way to a state, as persistent lists, so that a fork costs nothing and paths share
//! their prefixes.
//!
//! Every question that a machine asks gets exactly one decision, so that a trail alone leads to the same state again,
//! whatever the solver or the presets are: values that had to be chosen are part of it.

use std::rc::Rc;
use std::sync::Arc;

use refrain_machine::Answer;
use refrain_term::{Term, Value};

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// This one of the conditions holds.
    Choice(u32),
    /// Some questions in a row to which the path condition leaves one answer only: these.
    Implied(Arc<[u32]>),
    /// What the program assumes joined the path condition; or it holds for no input of the path.
    Assumed(bool),
    /// The term may have this value.
    Witness(Value),
    /// The term has this value from here on.
    Fixed(Value),
    /// The term has another value than this; the question is asked again.
    Other(Value),
}

impl Decision {
    /// What a machine is told, if anything. Implied choices are told one by one.
    pub fn answer(&self) -> Option<Answer> {
        match self {
            Decision::Choice(choice) => Some(Answer::Choice(*choice)),
            Decision::Assumed(holds) => Some(Answer::Choice(u32::from(!holds))),
            Decision::Witness(value) | Decision::Fixed(value) => Some(Answer::Value(value.clone())),
            Decision::Implied(_) | Decision::Other(_) => None,
        }
    }

    /// Whether other inputs may have been decided otherwise.
    pub fn is_branch(&self) -> bool {
        matches!(
            self,
            Decision::Choice(_) | Decision::Fixed(_) | Decision::Other(_)
        )
    }

    /// The value that had to be chosen.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Decision::Witness(value) | Decision::Fixed(value) | Decision::Other(value) => {
                Some(value)
            }
            Decision::Choice(_) | Decision::Implied(_) | Decision::Assumed(_) => None,
        }
    }

    /// The place that it leads to from another.
    pub fn place(&self, from: PlaceId) -> PlaceId {
        match self {
            Decision::Choice(choice) => from.child(*choice),
            Decision::Implied(choices) => choices.iter().fold(from, |at, &choice| at.child(choice)),
            Decision::Assumed(holds) => from.child(u32::from(!holds)),
            Decision::Witness(_) | Decision::Fixed(_) => from.child(0),
            Decision::Other(_) => from.child(1),
        }
    }
}

/// A place in the tree of all paths: where it is under its parent, and so on up to the root. Values do not matter. It
/// is the same in every run and for every worker, wherever the values that were chosen are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u128);

impl PlaceId {
    pub const ROOT: PlaceId = PlaceId(0);

    /// The place at this position under it.
    #[must_use]
    pub fn child(self, position: u32) -> PlaceId {
        let [high, low] = [(self.0 >> 64) as u64, self.0 as u64];
        let position = u64::from(position) + 1;
        let high = mix(high ^ position.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let low = mix(low.rotate_left(23) ^ position.wrapping_mul(0xa076_1d64_78bd_642f));
        PlaceId(u128::from(high) << 64 | u128::from(low))
    }
}

/// Spreads the bits of a number.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl std::fmt::Display for PlaceId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

/// A list of decisions, the last one first.
#[derive(Clone, Default)]
pub struct Trail(Option<Rc<Node>>);

pub struct Node {
    before: Trail,
    pub decision: Decision,
    /// What it adds to the path condition.
    pub condition: Term,
    /// How many conditions the path condition has up to here.
    conditions: u32,
    /// How many decisions that could have been others.
    branches: u32,
    place: PlaceId,
}

impl Trail {
    #[must_use]
    pub fn with(&self, decision: Decision, condition: Term) -> Trail {
        let place = decision.place(self.place());
        self.at_place(decision, condition, place)
    }

    /// The same where the place that a decision leads to is known.
    pub(crate) fn at_place(&self, decision: Decision, condition: Term, place: PlaceId) -> Trail {
        Trail(Some(Rc::new(Node {
            conditions: self.conditions() + u32::from(condition != Term::TRUE),
            branches: self.branches() + u32::from(decision.is_branch()),
            decision,
            condition,
            place,
            before: self.clone(),
        })))
    }

    pub fn last(&self) -> Option<&Node> {
        self.0.as_deref()
    }

    /// How many conditions the path condition has.
    pub fn conditions(&self) -> u32 {
        self.last().map_or(0, |node| node.conditions)
    }

    /// How many decisions it has that could have been others.
    pub fn branches(&self) -> u32 {
        self.last().map_or(0, |node| node.branches)
    }

    pub fn place(&self) -> PlaceId {
        self.last().map_or(PlaceId::ROOT, |node| node.place)
    }

    pub fn is_same(&self, other: &Trail) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// From the last one back.
    pub fn backwards(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.last(), |node| node.before.last())
    }

    /// Its prefixes, longest first, that end with a condition.
    pub(crate) fn prefixes_with_condition(&self) -> impl Iterator<Item = &Trail> {
        let prefixes =
            std::iter::successors(Some(self), |trail| trail.last().map(|node| &node.before));
        prefixes.filter(|trail| {
            let last = trail.last();
            last.is_some_and(|node| node.condition != Term::TRUE)
        })
    }

    pub fn decisions(&self) -> Vec<Decision> {
        let mut decisions: Vec<Decision> =
            self.backwards().map(|node| node.decision.clone()).collect();
        decisions.reverse();
        decisions
    }

    /// The path condition, from the end back.
    pub fn conditions_backwards(&self) -> impl Iterator<Item = Term> {
        let conditions = self.backwards().map(|node| node.condition);
        conditions.filter(|&term| term != Term::TRUE)
    }

    /// The path condition, in order.
    pub fn path_condition(&self) -> Vec<Term> {
        let mut conditions: Vec<Term> = self.conditions_backwards().collect();
        conditions.reverse();
        conditions
    }

    /// How many values the last question was decided against.
    pub(crate) fn others(&self) -> usize {
        self.backwards()
            .take_while(|node| matches!(node.decision, Decision::Other(_)))
            .count()
    }
}

/// Lists can be long: they are taken apart one by one, not each within the other.
impl Drop for Node {
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.before.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::Bv;

    fn value(value: u64) -> Value {
        Value::Bv(Bv::new(64, value))
    }

    #[test]
    fn long_trails_are_dropped_without_recursion() {
        let mut trail = Trail::default();
        for i in 0..1_000_000 {
            trail = trail.with(Decision::Fixed(value(i)), Term::FALSE);
        }
        assert_eq!(trail.conditions(), 1_000_000);
        drop(trail);
    }

    #[test]
    fn a_place_is_its_position_under_its_parent() {
        let root = Trail::default();
        let a = root.with(Decision::Choice(0), Term::FALSE);
        let b = root.with(Decision::Choice(1), Term::FALSE);
        let again = root.with(Decision::Choice(0), Term::TRUE);
        assert_eq!(a.place(), again.place());
        assert_ne!(a.place(), b.place());
        assert_ne!(a.place().child(1), b.place().child(0));
        assert_eq!(again.conditions(), 0);
        assert_eq!(again.branches(), 1);
    }

    #[test]
    fn values_are_no_part_of_a_place() {
        let root = Trail::default();
        let place = |decision| root.with(decision, Term::TRUE).place();
        assert_eq!(
            place(Decision::Fixed(value(1))),
            place(Decision::Fixed(value(2)))
        );
        assert_ne!(
            place(Decision::Fixed(value(1))),
            place(Decision::Other(value(1)))
        );
        let run = Decision::Implied([1, 0].into());
        let one_by_one = root.with(Decision::Choice(1), Term::TRUE);
        let one_by_one = one_by_one.with(Decision::Choice(0), Term::TRUE);
        assert_eq!(place(run), one_by_one.place());
    }
}
