//! Which terms to name because the program has named them.
//!
//! This is what sets *stackOpt* apart from *stack* in Liu et al., "A Comparative Study of Incremental Constraint
//! Solving Approaches in Symbolic Execution" (HVC 2014, §3.2): what the program assigns to a variable is defined once,
//! on the level below the branch that depends on it, and constraints from there on refer to it by name, on either side
//! of the branch (figure 2c). The arena [knows](Terms::assigned) what was assigned; a name is defined when a constraint
//! needs it.
//!
//! Terms are rewritten as they are built, so that a constraint may say the same without the assigned term. Where that
//! is most common it is undone here: sums are flat. After `a = x + y`, the constraint `a + z > 10` is about the sum of
//! `x`, `y` and `z`; it is written as the sum of `a` and `z` all the same.

use refrain_term::{Bv, Op, Rational, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// How many assigned sums are tried for one addend, the last ones first.
const MOST_CANDIDATES: usize = 64;

#[derive(Default)]
pub(super) struct Assignments {
    /// How many of the arena's assigned terms have been looked at.
    met: usize,
    /// The assigned sums among them, by the last of their addends.
    sums: FxHashMap<Term, Vec<Term>>,
    /// By sum: how it is written by an assigned one.
    splits: FxHashMap<Term, Split>,
}

/// A sum as an assigned sum, further addends, and a constant.
pub(super) struct Split {
    pub assigned: Term,
    pub rest: Vec<Term>,
    pub constant: Option<Constant>,
}

pub(super) enum Constant {
    Bits(Bv),
    Number(Sort, Rational),
}

impl Assignments {
    /// Takes in what the program has assigned since.
    pub fn meet(&mut self, terms: &Terms) {
        for &term in &terms.assigned()[self.met..] {
            if is_sum(terms, term)
                && let Some(&last) = addends(terms, term).last()
            {
                self.sums.entry(last).or_default().push(term);
            }
        }
        self.met = terms.assigned().len();
    }

    /// How a term is written by an assigned sum that is a part of it, if there is one. It stays so until this is asked
    /// again.
    pub fn split(&mut self, terms: &Terms, term: Term) -> Option<&Split> {
        if !is_sum(terms, term) {
            return None;
        }
        let all = addends(terms, term);
        let (_, part) = all
            .iter()
            .filter_map(|last| self.sums.get(last))
            .flat_map(|sums| sums.iter().rev().take(MOST_CANDIDATES))
            .filter_map(|&part| Some((worth(terms, term, &all, part)?, part)))
            .max()?;
        let within = addends(terms, part);
        let split = Split {
            assigned: part,
            rest: all
                .into_iter()
                .filter(|addend| within.binary_search(addend).is_err())
                .collect(),
            constant: difference(terms, term, part),
        };
        self.splits.insert(term, split);
        self.splits.get(&term)
    }

    /// What [`Assignments::split`] has found.
    pub fn known_split(&self, term: Term) -> Option<&Split> {
        self.splits.get(&term)
    }
}

fn is_sum(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::BvAdd | Op::Add)
}

/// The addends that are no constants, ascending.
fn addends(terms: &Terms, sum: Term) -> Vec<Term> {
    let addends = terms.args(sum).iter().copied();
    let mut addends: Vec<Term> = addends.filter(|&addend| !terms.is_value(addend)).collect();
    addends.sort_unstable();
    addends
}

/// How good a part of a sum is: the more addends the better, and better without a constant that is left. `None` if it
/// is none, or says no more than its only addend does.
///
/// The order of terms decides between sums of the same addends, so that none is ever a part of itself.
fn worth(terms: &Terms, sum: Term, all: &[Term], part: Term) -> Option<(usize, bool)> {
    let within = addends(terms, part);
    let is_part = within
        .iter()
        .all(|addend| all.binary_search(addend).is_ok());
    let is_smaller = within.len() < all.len() || within.len() == all.len() && part < sum;
    let is_even = difference(terms, sum, part).is_none();
    let says_more = within.len() > 1 || is_even;
    (is_part && is_smaller && says_more).then_some((within.len(), is_even))
}

/// What the constant of a sum has over that of another; `None` if they are the same.
fn difference(terms: &Terms, sum: Term, part: Term) -> Option<Constant> {
    let sort = terms.sort(sum);
    if let Sort::BitVec(width) = sort {
        let of = |sum: Term| {
            let values = terms
                .args(sum)
                .iter()
                .filter_map(|&addend| terms.value(addend));
            values.fold(Bv::zero(width), |total, value| total.add(value))
        };
        let difference = of(sum).sub(&of(part));
        return (!difference.is_zero()).then_some(Constant::Bits(difference));
    }
    let of = |sum: Term| terms.linear_form(sum).0;
    let difference = &of(sum) - &of(part);
    (!difference.is_zero()).then_some(Constant::Number(sort, difference))
}
