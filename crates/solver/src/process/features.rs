//! What the questions asked so far are made of: it decides the logic that a program is told to expect.
//!
//! Programs are faster in a narrow logic, so one starts narrow, and starts again when a wider question comes.

use refrain_term::{Op, Sort, Term, Terms};
use rustc_hash::FxHashSet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    pub arrays: bool,
    pub constant_arrays: bool,
    pub functions: bool,
    /// Questions come with assumptions. Some programs simplify less when they must be ready to explain themselves.
    pub assumptions: bool,
}

/// The features of all terms seen; each term is visited once.
#[derive(Default)]
pub(super) struct Seen {
    pub features: Features,
    visited: FxHashSet<Term>,
}

impl Seen {
    pub fn add(&mut self, terms: &Terms, formula: Term) {
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            if !self.visited.insert(term) {
                continue;
            }
            self.features.arrays |= matches!(terms.sort(term), Sort::Array { .. });
            self.features.constant_arrays |= terms.op(term) == Op::ConstArray;
            self.features.functions |= matches!(terms.op(term), Op::Apply(_));
            stack.extend_from_slice(terms.args(term));
        }
    }
}
