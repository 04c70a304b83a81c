//! Quick tests: known solutions of related sets, tried all at once by column evaluation (paper 4, algorithm 2).
//!
//! Every set of atoms that was answered, and every prefix of it or branch off it that a partial solution satisfies, has a list of solutions. A new set tries
//! those of its own prefixes, the longest first: their solutions are the closest to its own.

use std::sync::Arc;

use refrain_term::{Assignment, Batch, Evaluator, Input, Term, Terms};
use rustc_hash::FxHashMap;

use crate::answers::SolutionId;
use crate::path::{AtomId, AtomTable};
use crate::solution::Solution;

/// The most solutions that are kept for one set.
const PER_SET: usize = 16;

/// Below this many, one after the other is faster than a column.
const FEW: usize = 8;

#[derive(Default)]
pub struct QuickTests {
    by_key: FxHashMap<u128, Vec<SolutionId>>,
}

impl QuickTests {
    /// Keeps a solution for the set with this key. (Solutions are tested before they are believed: a key is enough.)
    pub fn add(&mut self, key: u128, solution: SolutionId) {
        let solutions = self.by_key.entry(key).or_default();
        if solutions.len() < PER_SET && !solutions.contains(&solution) {
            solutions.push(solution);
        }
    }

    /// Up to `limit` solutions of the prefixes of a list of atoms, of the longest first.
    pub fn candidates(&self, table: &AtomTable, atoms: &[AtomId], limit: usize) -> Vec<SolutionId> {
        let mut key = table.key(atoms.iter().copied());
        let mut candidates: Vec<SolutionId> = Vec::new();
        for &atom in atoms.iter().rev() {
            if let Some(solutions) = self.by_key.get(&key) {
                for &solution in solutions {
                    if !candidates.contains(&solution) {
                        candidates.push(solution);
                    }
                }
            }
            if candidates.len() >= limit {
                break;
            }
            key = key.wrapping_sub(table.get(atom).hash);
        }
        candidates.truncate(limit);
        candidates
    }
}

/// The first solution under which all formulas hold, everything but these inputs being as in `model`.
pub fn first_satisfying(
    terms: &Terms,
    model: &Arc<Assignment>,
    formulas: &[Term],
    inputs: &[Input],
    solutions: &[&Solution],
) -> Option<usize> {
    let with = |solution: &Solution| {
        let mut assignment = Assignment::clone(model);
        solution.put_into(terms, &mut assignment, inputs);
        assignment
    };
    if solutions.len() < FEW {
        let mut evaluator = Evaluator::new();
        return solutions.iter().position(|solution| {
            let assignment = with(solution);
            evaluator.forget();
            // The last atom is the newest, and the most likely to fail.
            let mut newest_first = formulas.iter().rev();
            newest_first.all(|&formula| evaluator.bool(terms, &assignment, formula))
        });
    }
    let assignments: Vec<Arc<Assignment>> = solutions
        .iter()
        .map(|solution| Arc::new(with(solution)))
        .collect();
    let lanes = Batch::from_shared(assignments).eval(terms, formulas);
    (0..solutions.len()).find(|&lane| lanes.iter().all(|bits| bits.get(lane)))
}
