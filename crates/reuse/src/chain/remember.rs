//! What the solver says, kept for later: answers by set, solutions, and partial solutions for the prefixes and branches that they satisfy.

use refrain_term::{Assignment, Evaluator, Terms};

use super::{Chain, Part};
use crate::answers::{Answer, SolutionId};
use crate::path::AtomId;
use crate::preset::Trie;
use crate::solution::Solution;

impl Chain {
    /// Remembers that the model satisfies a part.
    pub(super) fn remember_sat(&mut self, terms: &Terms, part: &Part) {
        if self.layers.exact {
            let solution = Solution::of(terms, &self.model, self.table.inputs(&part.atoms));
            let id = self.solutions.add(solution);
            self.remember_solution(part, id);
        }
    }

    pub(super) fn remember_solution(&mut self, part: &Part, solution: SolutionId) {
        if self.layers.exact {
            let answer = Answer::Sat(solution);
            self.answers.insert(part.key, &part.atoms, answer);
        }
        if self.layers.trie != Trie::Off {
            self.sat.insert(&self.table, &part.atoms, solution.0);
        }
        if self.layers.quick_test.is_some() {
            self.quick.add(part.key, solution);
        }
    }

    /// Remembers that some atoms cannot hold together, and that therefore neither can the part they are in.
    pub(super) fn remember_unsat(&mut self, parts: &[Part], core: &[AtomId]) {
        if !self.layers.exact {
            return;
        }
        let key = self.table.key(core.iter().copied());
        self.answers.insert(key, core, Answer::Unsat(core.into()));
        if self.layers.trie != Trie::Off {
            self.unsat.insert(&self.table, core);
        }
        for part in parts {
            let is_within = core
                .iter()
                .all(|atom| part.atoms.binary_search(atom).is_ok());
            if is_within {
                let answer = Answer::Unsat(core.into());
                self.answers.insert(part.key, &part.atoms, answer);
            }
        }
    }

    /// Takes the partial solutions of the last solve, and keeps them as candidates for the prefixes and off-the-path branches that they satisfy.
    pub(super) fn collect_partial(&mut self, terms: &mut Terms, parts: &[Part]) {
        if self.partial.max(self.layers.partial_solutions).is_none() {
            return;
        }
        // While nobody tries solutions, there is no use in more of them.
        if self.partial.is_none() && self.quick_gate.is_resting() {
            return;
        }
        let found = self.solver.partial_solutions(terms);
        self.stats.partial_solutions += found.len() as u64;
        if self.layers.partial_solutions.is_some() {
            for part in parts {
                self.keep_partial(terms, part, &found);
            }
        }
        if self.partial.is_some() {
            self.partial_solutions.extend(found);
        }
    }

    fn keep_partial(&mut self, terms: &mut Terms, part: &Part, found: &[Assignment]) {
        let atoms = self.ordered(part);
        let inputs = self.table.inputs(&part.atoms);
        for assignment in found {
            let solution = Solution::of(terms, assignment, inputs.iter().copied());
            let mut evaluator = Evaluator::new();
            let first_false = atoms
                .iter()
                .position(|&atom| !evaluator.bool(terms, assignment, self.table.get(atom).term));
            let reached = first_false.unwrap_or(atoms.len());
            let id = self.solutions.add(solution);
            let mut key = 0u128;
            for &atom in &atoms[..reached] {
                key = key.wrapping_add(self.table.get(atom).hash);
                self.quick.add(key, id);
            }
            if let Some(&off) = atoms.get(reached) {
                let negated = terms.not(self.table.get(off).term);
                let off = self.table.id(terms, negated);
                let key = key.wrapping_add(self.table.get(off).hash);
                self.quick.add(key, id);
            }
        }
    }
}
