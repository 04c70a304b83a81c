//! Repairs: another value for one input of an atom that the model violates, all others staying as they are.
//!
//! Atoms about an input alone leave it a set of values (`values`); linear atoms leave each of their numbers a room
//! while the others stay (`shift`). Nothing left is a conflict. Otherwise what is left proposes values, and one under
//! which the violated atom holds, and all that held before, is a repair. Most branches of a program are decided here,
//! without a solver.
//!
//! A proposed value is believed when the plain evaluator agrees; one that it refutes is taken back.

pub mod search;
mod shift;
pub mod tried;
mod values;

use refrain_term::Terms;

use crate::atoms::AtomId;
use crate::inputs::InputId;
use crate::limits::{Limits, Reason};
use crate::path::Path;
use crate::simplify::tables::Spent;
use crate::solution::Solution;
use tried::Tried;

/// What became of a violated atom.
#[derive(Debug)]
pub enum Repair {
    /// The model satisfies it now, and what it satisfied before.
    Done,
    /// These atoms of the path cannot hold together.
    Impossible(Vec<AtomId>),
    /// A limit was reached.
    Stopped(Reason),
}

/// How much is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many inputs of a violated atom.
    pub inputs: usize,
    /// About how many evaluations of atoms one input may cost.
    pub evaluations: usize,
    /// Of how many terms these atoms may be, if not less is left.
    pub terms: usize,
}

impl Effort {
    /// What takes hardly longer than looking an answer up.
    pub const QUICK: Effort = Effort {
        inputs: 2,
        evaluations: 1 << 9,
        terms: 1 << 10,
    };
    /// What takes less than asking a solver.
    pub const FULL: Effort = Effort {
        inputs: 8,
        evaluations: 1 << 18,
        terms: usize::MAX,
    };
}

/// What random choices begin with.
const SEED: u64 = 0x2545_f491_4f6c_dd1d;

/// About how many evaluations of atoms one check may cause, if it has few atoms; others may cause a few for each.
const EVALUATIONS_PER_CHECK: usize = 1 << 20;

/// What repairs keep from one to the next.
pub(crate) struct Repairs {
    /// Proposes values.
    random: fastrand::Rng,
    /// How many evaluations of atoms this check may still cause.
    evaluations_left: usize,
    spent: Spent,
}

impl Default for Repairs {
    fn default() -> Repairs {
        Repairs {
            random: fastrand::Rng::with_seed(SEED),
            evaluations_left: 0,
            spent: Spent::default(),
        }
    }
}

impl Path {
    /// Another check begins. Its random choices do not depend on the checks before.
    pub fn begin_repairs(&mut self) {
        self.repairs.random = fastrand::Rng::with_seed(SEED ^ self.steps().len() as u64);
        self.repairs.evaluations_left = EVALUATIONS_PER_CHECK.max(8 * self.steps().len());
    }

    /// Changes the model so that it satisfies the atom at `place`, and still all those that it satisfied before, or
    /// shows that this cannot be. `None`: neither. Slices must be in line with the path.
    pub fn repair(
        &mut self,
        terms: &mut Terms,
        place: u32,
        effort: Effort,
        tried: &mut Tried,
        limits: &Limits,
    ) -> Option<Repair> {
        self.repair_by_shift(terms, place, effort, tried, limits)
            .or_else(|| self.repair_by_values(terms, place, effort, tried, limits))
    }

    /// The places whose atoms a new value of `input` can change, of those that must hold: the violated one, and all
    /// that hold now.
    fn affected(&mut self, terms: &Terms, violated: u32, input: InputId) -> Vec<u32> {
        let mut places = self.occurrences.of(input).to_vec();
        // An array used as a whole depends on each of its cells.
        if let Some(whole) = self.atoms.inputs.whole_of(input) {
            places.extend_from_slice(self.occurrences.of(whole));
            places.sort_unstable();
            places.dedup();
        }
        places.retain(|&place| place == violated || self.holds(terms, place));
        places
    }

    /// Gives the model other values, if these places hold under them.
    fn try_values(&mut self, terms: &Terms, values: Solution, places: &[u32]) -> bool {
        let inputs = &self.atoms.inputs;
        let words = values.words.iter().map(|(input, _)| *input);
        let others = values.others.iter().map(|(input, _)| *input);
        let before = Solution::of(inputs, self.model.assignment(), words.chain(others));
        self.model.adopt(inputs, &values, |_| true);
        // The newest first: they are the likeliest to fail.
        if places.iter().rev().all(|&place| self.holds(terms, place)) {
            return true;
        }
        self.model.adopt(&self.atoms.inputs, &before, |_| true);
        false
    }
}
