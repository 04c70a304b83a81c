//! The values that atoms leave a single input.
//!
//! An atom about one small input is a set of its values ([`Truth`]). An atom that compares one wide input, or that
//! input plus a constant, with a constant is a *circular interval* of machine integers, wrap-around included, or
//! everything but a point. A [`Domain`] is the intersection of such sets: empty is a conflict, otherwise it proposes
//! values.

use refrain_term::value::mask;
use refrain_term::{Input, Op, Term, Terms};
use rustc_hash::FxHashSet;

use crate::simplify::truth::{self, Truth};

/// The values of its one input that an atom allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allowed {
    Values(Truth),
    /// From `first` upwards to `last`, through zero if `last` is below `first`.
    Range {
        first: u64,
        last: u64,
    },
    Not(u64),
}

impl Allowed {
    #[inline]
    pub fn contains(&self, value: u64) -> bool {
        match *self {
            Allowed::Values(truth) => truth.contains(value),
            Allowed::Range { first, last } if first <= last => first <= value && value <= last,
            Allowed::Range { first, last } => value >= first || value <= last,
            Allowed::Not(point) => value != point,
        }
    }

    /// What an atom that depends on one wide input allows, if it has the form for it.
    pub fn range(terms: &Terms, atom: Term, input: Input) -> Option<Allowed> {
        let (Input::Symbol(symbol) | Input::Cell(symbol)) = input else {
            return None;
        };
        let width = terms.sort(symbol).width().filter(|&width| width <= 64)?;
        let (positive, comparison) = match terms.op(atom) {
            Op::Not => (false, terms.arg(atom, 0)),
            _ => (true, atom),
        };
        let op = terms.op(comparison);
        if !matches!(op, Op::Eq | Op::BvUlt | Op::BvSlt) {
            return None;
        }
        let (a, b) = (terms.arg(comparison, 0), terms.arg(comparison, 1));
        let (constant, other, left) = match (terms.small_value(a), terms.small_value(b)) {
            (Some(constant), None) => (constant, b, true),
            (None, Some(constant)) => (constant, a, false),
            _ => return None,
        };
        // other = symbol + offset
        let offset = if other == symbol {
            0
        } else if terms.op(other) == Op::BvAdd
            && terms.args(other).len() == 2
            && terms.arg(other, 1) == symbol
        {
            terms.small_value(terms.arg(other, 0))?
        } else {
            return None;
        };
        let wrap = |value: u64| value & mask(width);
        if op == Op::Eq {
            let point = wrap(constant.wrapping_sub(offset));
            return Some(if positive {
                Allowed::Range {
                    first: point,
                    last: point,
                }
            } else {
                Allowed::Not(point)
            });
        }
        // Signed order is unsigned order from the smallest signed value on.
        let smallest = if op == Op::BvSlt {
            1u64 << (width - 1)
        } else {
            0
        };
        let largest = wrap(smallest.wrapping_sub(1));
        // Rewriting leaves no comparison with a bound that nothing or everything satisfies.
        let (first, last) = match (left, positive) {
            (false, true) => (smallest, constant.wrapping_sub(1)),
            (false, false) => (constant, largest),
            (true, true) => (constant.wrapping_add(1), largest),
            (true, false) => (smallest, constant),
        };
        let empty_or_full = match (left, positive) {
            (false, _) => constant == smallest,
            (true, _) => constant == largest,
        };
        if empty_or_full {
            return None;
        }
        Some(Allowed::Range {
            first: wrap(first.wrapping_sub(offset)),
            last: wrap(last.wrapping_sub(offset)),
        })
    }
}

/// The values that several atoms leave an input.
pub enum Domain {
    Small(Truth),
    Wide {
        /// Disjoint intervals, ascending.
        pieces: Vec<(u64, u64)>,
        holes: FxHashSet<u64>,
    },
}

impl Domain {
    /// All values of an input of `bits` bits, at most 64.
    pub fn all(bits: u32) -> Domain {
        if bits <= truth::MAX_BITS {
            return Domain::Small(Truth::all(bits));
        }
        Domain::Wide {
            pieces: vec![(0, mask(bits))],
            holes: FxHashSet::default(),
        }
    }

    /// Keeps the values that are allowed.
    pub fn intersect(&mut self, allowed: &Allowed) {
        match (self, allowed) {
            (Domain::Small(values), Allowed::Values(truth)) => *values = values.and(truth),
            (Domain::Wide { pieces, .. }, &Allowed::Range { first, last }) => {
                if first <= last {
                    clip(pieces, &[(first, last)]);
                } else {
                    clip(pieces, &[(0, last), (first, u64::MAX)]);
                }
            }
            (Domain::Wide { holes, .. }, &Allowed::Not(point)) => {
                holes.insert(point);
            }
            _ => unreachable!("small inputs have sets of values, wide ones have ranges"),
        }
    }

    pub fn contains(&self, value: u64) -> bool {
        match self {
            Domain::Small(values) => values.contains(value),
            Domain::Wide { pieces, holes } => {
                pieces
                    .iter()
                    .any(|&(first, last)| first <= value && value <= last)
                    && !holes.contains(&value)
            }
        }
    }

    /// The smallest value.
    pub fn first(&self) -> Option<u64> {
        match self {
            Domain::Small(values) => values.first(),
            // At most as many steps as there are holes.
            Domain::Wide { pieces, holes } => pieces
                .iter()
                .find_map(|&(first, last)| (first..=last).find(|value| !holes.contains(value))),
        }
    }

    /// Up to `count` values worth trying: all of a small domain, the ends of a wide one and some between.
    pub fn candidates(&self, count: usize, random: &mut impl FnMut() -> u64) -> Vec<u64> {
        match self {
            Domain::Small(values) => (0..256)
                .filter(|&value| values.contains(value))
                .take(count)
                .collect(),
            Domain::Wide { pieces, .. } => {
                let mut found = Vec::with_capacity(count);
                for &(first, last) in pieces.iter().take(count) {
                    found.extend([first, last, first + (last - first) / 2]);
                }
                for i in 0..count {
                    let Some(&(first, last)) = pieces.get(i % pieces.len().max(1)) else {
                        break;
                    };
                    let span = last - first;
                    // Near the lower end as often as anywhere.
                    let within = if i % 2 == 0 {
                        random() >> (random() % 64)
                    } else {
                        random()
                    };
                    found.push(
                        first
                            + if span == u64::MAX {
                                within
                            } else {
                                within % (span + 1)
                            },
                    );
                }
                found.retain(|&value| self.contains(value));
                found.dedup();
                found.truncate(count);
                found
            }
        }
    }
}

/// Intersects ascending disjoint intervals with a few others of the kind.
fn clip(pieces: &mut Vec<(u64, u64)>, others: &[(u64, u64)]) {
    let mut clipped = Vec::with_capacity(pieces.len());
    for &(first, last) in pieces.iter() {
        for &(other_first, other_last) in others {
            let (first, last) = (first.max(other_first), last.min(other_last));
            if first <= last {
                clipped.push((first, last));
            }
        }
    }
    *pieces = clipped;
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrain_term::{Assignment, Bv, Sort, Value, eval};

    /// Every comparison of `x + k` with a constant, at a width where all values can be tried.
    #[test]
    fn ranges_are_exactly_the_values_that_satisfy() {
        let width = 9;
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::BitVec(width));
        let Op::Var(var) = terms.op(x) else {
            unreachable!()
        };
        let interesting = [0u64, 1, 2, 100, 254, 255, 256, 257, 300, 510, 511];
        let mut recognised = 0;
        for offset in interesting {
            for constant in interesting {
                for form in 0..10 {
                    let (k, c) = (terms.bv(width, offset), terms.bv(width, constant));
                    let sum = terms.bv_add(x, k);
                    let atom = match form {
                        0 => terms.eq(sum, c),
                        1 => terms.bv_ult(sum, c),
                        2 => terms.bv_ult(c, sum),
                        3 => terms.bv_slt(sum, c),
                        4 => terms.bv_slt(c, sum),
                        _ => continue,
                    };
                    for atom in [atom, terms.not(atom)] {
                        let Some(allowed) = Allowed::range(&terms, atom, Input::Symbol(x)) else {
                            continue;
                        };
                        recognised += 1;
                        let mut domain = Domain::all(width);
                        domain.intersect(&allowed);
                        for value in 0..1u64 << width {
                            let mut assignment = Assignment::new();
                            assignment.set(var, Value::Bv(Bv::new(width, value)));
                            let truth = eval(&terms, atom, &assignment) == Value::Bool(true);
                            assert_eq!(
                                allowed.contains(value),
                                truth,
                                "{allowed:?} at {value}, form {form}"
                            );
                            assert_eq!(domain.contains(value), truth);
                        }
                    }
                }
            }
        }
        assert!(recognised > 500, "only {recognised} atoms were recognised");
    }

    #[test]
    fn intersections_are_exact() {
        let mut seed = 3u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for _ in 0..500 {
            let mut domain = Domain::all(9);
            let mut all = Vec::new();
            for _ in 0..random() % 6 {
                let allowed = match random() % 3 {
                    0 => Allowed::Not(random() % 512),
                    _ => Allowed::Range {
                        first: random() % 512,
                        last: random() % 512,
                    },
                };
                domain.intersect(&allowed);
                all.push(allowed);
            }
            let expected: Vec<u64> = (0..512)
                .filter(|&v| all.iter().all(|a| a.contains(v)))
                .collect();
            assert_eq!(
                (0..512).filter(|&v| domain.contains(v)).collect::<Vec<_>>(),
                expected
            );
            assert_eq!(domain.first(), expected.first().copied());
            assert!(
                domain
                    .candidates(20, &mut random)
                    .iter()
                    .all(|value| expected.contains(value))
            );
        }
    }
}
