//! Trails: what was decided on the way to a state, as persistent lists, so that a fork costs nothing and paths share
//! their beginnings.

use std::rc::Rc;

use refrain_term::Term;

/// An answer that a machine was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// This one of the conditions holds.
    Way(u32),
    /// The term may have this value.
    Witness(u64),
    /// The term has this value from here on.
    Fixed(u64),
    /// The term has another value than this; the question is asked again.
    Other(u64),
}

impl Decision {
    /// What a machine is told, if anything.
    pub fn answer(self) -> Option<u64> {
        match self {
            Decision::Way(way) => Some(u64::from(way)),
            Decision::Witness(value) | Decision::Fixed(value) => Some(value),
            Decision::Other(_) => None,
        }
    }

    /// Whether other inputs may have been decided otherwise.
    pub fn is_branch(self) -> bool {
        !matches!(self, Decision::Witness(_))
    }

    fn code(self) -> u64 {
        let (kind, value) = match self {
            Decision::Way(way) => (1, u64::from(way)),
            Decision::Witness(value) => (2, value),
            Decision::Fixed(value) => (3, value),
            Decision::Other(value) => (4, value),
        };
        mix(value ^ mix(kind))
    }
}

/// Names a place in the tree of all paths: the same in every run, whatever came before it and whoever explores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub u64);

/// A list of decisions, the last one first.
#[derive(Clone, Default)]
pub struct Trail(Option<Rc<Node>>);

pub struct Node {
    before: Trail,
    pub decision: Decision,
    /// What holds because of it.
    pub condition: Term,
    /// How many conditions that say something there are up to here.
    conditions: u32,
    /// How many decisions that could have been others.
    branches: u32,
    id: PlaceId,
}

impl Trail {
    #[must_use]
    pub fn with(&self, decision: Decision, condition: Term) -> Trail {
        let id = PlaceId(mix(self.id().0 ^ decision.code()).rotate_left(17));
        Trail(Some(Rc::new(Node {
            decision,
            condition,
            conditions: self.conditions() + u32::from(condition != Term::TRUE),
            branches: self.branches() + u32::from(decision.is_branch()),
            id,
            before: self.clone(),
        })))
    }

    pub fn last(&self) -> Option<&Node> {
        self.0.as_deref()
    }

    /// How many conditions that say something it has.
    pub fn conditions(&self) -> u32 {
        self.last().map_or(0, |node| node.conditions)
    }

    /// How many decisions it has that could have been others.
    pub fn branches(&self) -> u32 {
        self.last().map_or(0, |node| node.branches)
    }

    pub fn id(&self) -> PlaceId {
        self.last().map_or(PlaceId(0), |node| node.id)
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

    /// From the last one back, those that end in a condition which says something.
    pub(crate) fn ends_in_condition(&self) -> impl Iterator<Item = &Trail> {
        std::iter::successors(Some(self), |trail| trail.last().map(|node| &node.before)).filter(
            |trail| {
                trail
                    .last()
                    .is_some_and(|node| node.condition != Term::TRUE)
            },
        )
    }

    pub fn decisions(&self) -> Vec<Decision> {
        let mut decisions: Vec<Decision> = self.backwards().map(|node| node.decision).collect();
        decisions.reverse();
        decisions
    }

    /// What holds on the path, from the end back.
    pub fn conditions_backwards(&self) -> impl Iterator<Item = Term> {
        let conditions = self.backwards().map(|node| node.condition);
        conditions.filter(|&term| term != Term::TRUE)
    }

    /// What holds on the path, in order.
    pub fn all_conditions(&self) -> Vec<Term> {
        let mut conditions: Vec<Term> = self.conditions_backwards().collect();
        conditions.reverse();
        conditions
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

/// Spreads the bits of a number.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_trails_are_dropped_without_recursion() {
        let mut trail = Trail::default();
        for i in 0..1_000_000 {
            trail = trail.with(Decision::Fixed(i), Term::FALSE);
        }
        assert_eq!(trail.conditions(), 1_000_000);
        drop(trail);
    }

    #[test]
    fn a_place_is_named_by_its_decisions() {
        let root = Trail::default();
        let a = root.with(Decision::Way(0), Term::FALSE);
        let b = root.with(Decision::Way(1), Term::FALSE);
        let again = root.with(Decision::Way(0), Term::TRUE);
        assert_eq!(a.id(), again.id());
        assert_ne!(a.id(), b.id());
        assert_ne!(
            a.with(Decision::Way(1), Term::FALSE).id(),
            b.with(Decision::Way(0), Term::FALSE).id()
        );
        assert_eq!(again.conditions(), 0);
        assert_eq!(again.branches(), 1);
    }
}
