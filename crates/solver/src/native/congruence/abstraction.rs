//! Equations that a disjunction implies, whichever of its members holds.
//!
//! `(a = b and b = d) or (a = c and c = d)` implies `a = d`, of which there may be no atom. A chain of such diamonds has
//! exponentially many ways from one end to the other, and a search that only has the atoms of the formula goes through
//! them all. So each formula is abstracted to a partition of the numbers into those that are equal: a conjunction joins
//! the partitions of its members, a disjunction meets them. (Yices does the same, before it solves.)

use refrain_term::{Op, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use super::plain_sides;

/// Formulas are looked into down to this depth.
const DEPTH: u32 = 6;
/// Longer conjunctions and disjunctions are not looked into.
const MOST_MEMBERS: usize = 64;

/// Which numbers are equal: each of those that are with another has a class. `None` where nothing can hold.
type Partition = Option<FxHashMap<Term, u32>>;

/// Pairs of numbers whose equality a disjunction implies: enough to make all equal that are.
pub fn implied_equations(terms: &Terms, formula: Term) -> Vec<(Term, Term)> {
    let is_disjunction = terms.op(formula) == Op::Not && terms.op(terms.arg(formula, 0)) == Op::And;
    if !is_disjunction {
        return Vec::new();
    }
    let classes = partition(terms, formula, true, DEPTH).unwrap_or_default();
    let mut members: Vec<(u32, Term)> = classes
        .iter()
        .map(|(&term, &class)| (class, term))
        .collect();
    members.sort_unstable();
    let neighbours = members.windows(2);
    neighbours
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| (pair[0].1, pair[1].1))
        .collect()
}

/// What a formula, or its negation, makes equal.
fn partition(terms: &Terms, formula: Term, holds: bool, depth: u32) -> Partition {
    let nothing = Some(FxHashMap::default());
    if depth == 0 {
        return nothing;
    }
    let members = terms.args(formula);
    let parts = |holds| {
        let of_member = move |&member: &Term| partition(terms, member, holds, depth - 1);
        members.iter().map(of_member)
    };
    match terms.op(formula) {
        Op::True | Op::False => match (formula == Term::TRUE) == holds {
            true => nothing,
            false => None,
        },
        Op::Not => partition(terms, members[0], !holds, depth),
        Op::And if members.len() > MOST_MEMBERS => nothing,
        Op::And if holds => parts(true).reduce(join).unwrap_or(nothing),
        Op::And => {
            let mut all = None;
            for part in parts(false) {
                all = meet(all, part);
                if all.as_ref().is_some_and(FxHashMap::is_empty) {
                    break;
                }
            }
            all
        }
        Op::Eq if holds && terms.sort(members[0]).is_number() => {
            let sides = plain_sides(terms, formula);
            Some(
                sides
                    .into_iter()
                    .flat_map(|(a, b)| [(a, 0), (b, 0)])
                    .collect(),
            )
        }
        Op::Ite if terms.sort(formula) == Sort::Bool => {
            let branch = |place: usize, condition: bool| {
                let condition = partition(terms, members[0], condition, depth - 1);
                join(
                    condition,
                    partition(terms, members[place], holds, depth - 1),
                )
            };
            meet(branch(1, true), branch(2, false))
        }
        _ => nothing,
    }
}

/// What is equal by the one, the other, or both together.
fn join(a: Partition, b: Partition) -> Partition {
    let (mut a, b) = (a?, b?);
    let mut next = a.values().max().map_or(0, |class| class + 1);
    let mut renamed: FxHashMap<u32, u32> = FxHashMap::default();
    for (term, class) in b {
        match (a.get(&term).copied(), renamed.get(&class).copied()) {
            (Some(old), Some(new)) if old != new => {
                for class in a.values_mut().chain(renamed.values_mut()) {
                    if *class == old {
                        *class = new;
                    }
                }
            }
            (Some(old), _) => {
                renamed.insert(class, old);
            }
            (None, _) => {
                let class = *renamed.entry(class).or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                a.insert(term, class);
            }
        }
    }
    Some(a)
}

/// What is equal by both.
fn meet(a: Partition, b: Partition) -> Partition {
    let (Some(a), Some(b)) = (&a, &b) else {
        return a.or(b);
    };
    let mut classes: FxHashMap<(u32, u32), Vec<Term>> = FxHashMap::default();
    for (&term, &class) in a {
        if let Some(&other) = b.get(&term) {
            classes.entry((class, other)).or_default().push(term);
        }
    }
    let classes = classes.into_values().filter(|class| class.len() > 1);
    let numbered = classes.zip(0..);
    Some(
        numbered
            .flat_map(|(class, number)| class.into_iter().map(move |term| (term, number)))
            .collect(),
    )
}
