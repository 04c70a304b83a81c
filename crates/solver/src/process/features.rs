//! What the questions asked so far are made of: it decides the logic that a program is told to expect.
//!
//! Programs are faster in a narrow logic, so one starts narrow, and starts again when a wider question comes.

use refrain_term::{FloatOp, Op, Sort, Term, Terms};
use rustc_hash::FxHashSet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    pub arrays: bool,
    pub constant_arrays: bool,
    pub functions: bool,
    pub bit_vectors: bool,
    pub floats: bool,
    /// Sines and the like.
    pub functions_of_floats: bool,
    pub integers: bool,
    pub reals: bool,
    /// Products and quotients of numbers none of which is a constant.
    pub products: bool,
    /// Cores of assumptions are wanted. Some programs simplify less when they must be ready to explain themselves.
    pub cores: bool,
}

impl Features {
    pub fn has_numbers(self) -> bool {
        self.integers || self.reals
    }

    fn add(&mut self, terms: &Terms, term: Term) {
        match terms.sort(term) {
            Sort::Bool => {}
            Sort::BitVec(_) => self.bit_vectors = true,
            Sort::Array { .. } => self.arrays = true,
            Sort::Int => self.integers = true,
            Sort::Real => self.reals = true,
            sort @ (Sort::Float(_) | Sort::RoundingMode | Sort::Coded(_)) => {
                unreachable!("{sort} below the surface")
            }
        }
        match terms.op(term) {
            Op::ConstArray => self.constant_arrays = true,
            Op::Apply(_) => self.functions = true,
            Op::Float { op, .. } => {
                self.floats = true;
                self.functions_of_floats |= matches!(op, FloatOp::Function(_));
            }
            // A constant factor comes first, a divisor last.
            Op::Mul => self.products |= !terms.is_value(terms.arg(term, 0)),
            Op::Div => self.products |= !terms.is_value(terms.arg(term, 1)),
            _ => {}
        }
    }
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
            self.features.add(terms, term);
            stack.extend_from_slice(terms.args(term));
        }
    }
}
