//! Sets of points of a line, as the places where membership changes.
//!
//! A set is told by whether it starts inside, at the lower end of the line, and by its *cuts*: ascending places
//! between points, at each of which it changes from inside to outside or back. An interval has two cuts, a half-line
//! one, an exceptional point two more. Complement turns the start; union and intersection are one merge of two
//! ascending sequences; to compare a set with a much larger one takes a binary search for each cut. A set has one
//! representation, so equality is equality of the parts, and a few cuts need no allocation.

use std::hash::{Hash, Hasher};

/// A set by its cuts, up to `N` of them in place.
#[derive(Clone, Debug)]
pub struct CutSet<C, const N: usize> {
    starts_inside: bool,
    cuts: Cuts<C, N>,
}

/// Ascending cuts: in place if and only if they fit.
#[derive(Clone, Debug)]
enum Cuts<C, const N: usize> {
    Few { len: u8, places: [C; N] },
    Many(Vec<C>),
}

impl<C: Clone + Default, const N: usize> Cuts<C, N> {
    fn new() -> Cuts<C, N> {
        Cuts::Few {
            len: 0,
            places: std::array::from_fn(|_| C::default()),
        }
    }

    #[inline]
    fn as_slice(&self) -> &[C] {
        match self {
            Cuts::Few { len, places } => &places[..usize::from(*len)],
            Cuts::Many(cuts) => cuts,
        }
    }

    #[inline]
    fn push(&mut self, cut: C) {
        match self {
            Cuts::Few { len, places } if usize::from(*len) < N => {
                places[usize::from(*len)] = cut;
                *len += 1;
            }
            Cuts::Few { places, .. } => {
                let mut cuts = Vec::with_capacity(2 * N + 2);
                cuts.extend(places.iter_mut().map(std::mem::take));
                cuts.push(cut);
                *self = Cuts::Many(cuts);
            }
            Cuts::Many(cuts) => cuts.push(cut),
        }
    }
}

impl<C: Clone + Default + Ord, const N: usize> CutSet<C, N> {
    /// Everything, or nothing.
    #[inline]
    pub fn whole(is_inside: bool) -> CutSet<C, N> {
        CutSet {
            starts_inside: is_inside,
            cuts: Cuts::new(),
        }
    }

    /// From ascending cuts.
    #[inline]
    pub fn new(starts_inside: bool, cuts: impl IntoIterator<Item = C>) -> CutSet<C, N> {
        let mut set = CutSet::whole(starts_inside);
        for cut in cuts {
            set.push(cut);
        }
        set
    }

    #[inline]
    fn push(&mut self, cut: C) {
        debug_assert!(self.cuts().last().is_none_or(|last| *last < cut));
        self.cuts.push(cut);
    }

    #[inline]
    pub fn cuts(&self) -> &[C] {
        self.cuts.as_slice()
    }

    #[inline]
    pub fn starts_inside(&self) -> bool {
        self.starts_inside
    }

    #[inline]
    pub fn ends_inside(&self) -> bool {
        self.starts_inside ^ is_odd(self.cuts().len())
    }

    /// Whether the point right after the place `at` is in the set.
    #[inline]
    pub fn contains_after(&self, at: &C) -> bool {
        self.starts_inside ^ is_odd(self.cuts().partition_point(|cut| cut <= at))
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.starts_inside && self.cuts().is_empty()
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.starts_inside && self.cuts().is_empty()
    }

    #[inline]
    pub fn complement(mut self) -> CutSet<C, N> {
        self.starts_inside = !self.starts_inside;
        self
    }

    /// The points for which `holds` is true of being in this set and of being in the other.
    #[inline]
    pub fn combine(&self, other: &Self, holds: impl Fn(bool, bool) -> bool) -> CutSet<C, N> {
        let mut inside = holds(self.starts_inside, other.starts_inside);
        let mut result = CutSet::whole(inside);
        for (cut, in_self, in_other) in self.merge(other) {
            if holds(in_self, in_other) != inside {
                inside = !inside;
                result.push(cut.clone());
            }
        }
        result
    }

    #[inline]
    pub fn is_subset_of(&self, other: &Self) -> bool {
        if self.cuts().len() <= other.cuts().len() {
            self.pieces()
                .all(|(begin, end)| other.is_uniform(begin, end, true))
        } else {
            other
                .gaps()
                .all(|(begin, end)| self.is_uniform(begin, end, false))
        }
    }

    #[inline]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        let (few, many) = match self.cuts().len() <= other.cuts().len() {
            true => (self, other),
            false => (other, self),
        };
        few.pieces()
            .all(|(begin, end)| many.is_uniform(begin, end, false))
    }

    /// Whether all that is between two cuts is inside, or all of it outside.
    #[inline]
    fn is_uniform(&self, begin: Option<&C>, end: Option<&C>, is_inside: bool) -> bool {
        let cuts = self.cuts();
        let before = begin.map_or(0, |begin| cuts.partition_point(|cut| cut <= begin));
        let ends_before = |next: &C| end.is_some_and(|end| end <= next);
        self.starts_inside ^ is_odd(before) == is_inside && cuts.get(before).is_none_or(ends_before)
    }

    #[inline]
    fn merge<'a>(&'a self, other: &'a Self) -> Merge<'a, C> {
        Merge {
            left: self.cuts(),
            right: other.cuts(),
            in_left: self.starts_inside,
            in_right: other.starts_inside,
        }
    }

    /// The intervals of the set, in order, each by the cuts around it; none where the line ends.
    pub fn pieces(&self) -> impl Iterator<Item = (Option<&C>, Option<&C>)> {
        pieces(self.cuts(), self.starts_inside)
    }

    /// The intervals between those of the set.
    pub fn gaps(&self) -> impl Iterator<Item = (Option<&C>, Option<&C>)> {
        pieces(self.cuts(), !self.starts_inside)
    }
}

fn pieces<C>(cuts: &[C], starts_inside: bool) -> impl Iterator<Item = (Option<&C>, Option<&C>)> {
    let shift = usize::from(starts_inside);
    (0..(cuts.len() + shift).div_ceil(2)).map(move |piece| {
        let begin = (2 * piece).checked_sub(shift);
        (
            begin.map(|begin| &cuts[begin]),
            cuts.get(2 * piece + 1 - shift),
        )
    })
}

#[inline]
fn is_odd(count: usize) -> bool {
    count % 2 == 1
}

/// The cuts of two sets in ascending order, each with what is inside right after it.
struct Merge<'a, C> {
    left: &'a [C],
    right: &'a [C],
    in_left: bool,
    in_right: bool,
}

impl<'a, C: Ord> Iterator for Merge<'a, C> {
    type Item = (&'a C, bool, bool);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = match (self.left.first(), self.right.first()) {
            (None, None) => return None,
            (Some(_), None) => Less,
            (None, Some(_)) => Greater,
            (Some(left), Some(right)) => left.cmp(right),
        };
        let mut cut = None;
        if let (Less | Equal, [first, rest @ ..]) = (order, self.left) {
            self.left = rest;
            self.in_left = !self.in_left;
            cut = Some(first);
        }
        if let (Greater | Equal, [first, rest @ ..]) = (order, self.right) {
            self.right = rest;
            self.in_right = !self.in_right;
            cut = Some(first);
        }
        cut.map(|cut| (cut, self.in_left, self.in_right))
    }
}

impl<C: Clone + Default + Ord, const N: usize> PartialEq for CutSet<C, N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.starts_inside == other.starts_inside && self.cuts() == other.cuts()
    }
}

impl<C: Clone + Default + Ord, const N: usize> Eq for CutSet<C, N> {}

impl<C: Clone + Default + Ord + Hash, const N: usize> Hash for CutSet<C, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.starts_inside, self.cuts()).hash(state);
    }
}
