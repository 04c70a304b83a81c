//! What is found out, kept for later: answers by set, solutions, and partial solutions for the prefixes and branches
//! that they satisfy.

use std::time::{Duration, Instant};

use refrain_term::{Assignment, Evaluator, Terms};

use super::Chain;
use super::part::Part;
use crate::answers::Answer;
use crate::preset::Trie;
use crate::solution::{Solution, SolutionId};
use crate::stats::{AnsweredBy, Layer};
use crate::work::Kind;

impl Chain {
    /// Remembers a solution of a part that the solver has found.
    pub(super) fn remember_sat(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        solution: SolutionId,
        cost: Duration,
    ) {
        self.remember_exact(part, Answer::Sat(solution));
        if part.is_large() {
            return;
        }
        self.keep_sat(terms, part, cost);
        if self.layers.trie != Trie::Off {
            self.atoms.know(terms, &part.reduced);
            self.sat.insert(&self.atoms, &part.reduced, solution.0);
        }
        if self.layers.quick_test.is_some() {
            self.quick.add(part.key, solution);
        }
    }

    fn remember_exact(&mut self, part: &Part, answer: Answer) {
        if !self.layers.exact {
            return;
        }
        if part.reduced.len() < part.atoms.len() {
            let key = self.atoms.key(part.reduced.iter().copied());
            self.answers.insert(key, answer.clone());
        }
        self.answers.insert(part.key, answer);
    }

    /// Remembers that the atoms of the core cannot hold together, and that therefore neither can the part they are in.
    pub(super) fn remember_unsat(&mut self, terms: &mut Terms, parts: &mut [Part], cost: Duration) {
        if !self.layers.exact {
            return;
        }
        if self.layers.reduce {
            self.shrink_core(terms);
        }
        let core = self.core.clone();
        let key = self.atoms.key(core.iter().copied());
        self.answers.insert(key, Answer::Unsat(core.clone()));
        if self.layers.trie != Trie::Off {
            self.atoms.know(terms, &core);
            self.unsat.insert(&self.atoms, &core);
        }
        let within = |part: &&mut Part| {
            let is_in = |atom| part.atoms.binary_search(atom).is_ok();
            core.iter().all(is_in)
        };
        let mut all;
        let part = match parts.iter_mut().find(within) {
            Some(part) => part,
            None => {
                all = self.together(parts);
                &mut all
            }
        };
        self.answers.insert(part.key, Answer::Unsat(core.clone()));
        self.keep_unsat(terms, part, cost);
    }

    /// Remembers the core of what followed from other answers.
    pub(super) fn remember_derived_unsat(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        by: AnsweredBy,
    ) {
        if !self.layers.exact {
            return;
        }
        self.answers
            .insert(part.key, Answer::Unsat(self.core.clone()));
        if !matches!(by, AnsweredBy::Exact | AnsweredBy::Reduce) {
            self.keep_unsat(terms, part, Duration::ZERO);
        }
    }

    /// Remembers that the model, taken over from another answer, satisfies a part.
    pub(super) fn remember_derived_sat(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        by: AnsweredBy,
    ) {
        if !self.layers.exact {
            return;
        }
        let inputs = self.atoms.inputs_of(&part.atoms);
        let solution = Solution::of(&self.atoms.inputs, self.model.assignment(), inputs);
        let id = self.solutions.add(solution);
        self.remember_exact(part, Answer::Sat(id));
        if by == AnsweredBy::Exact {
            return;
        }
        self.keep_sat(terms, part, Duration::ZERO);
        if by == AnsweredBy::QuickTest && self.layers.trie != Trie::Off {
            self.atoms.know(terms, &part.reduced);
            self.sat.insert(&self.atoms, &part.reduced, id.0);
        }
    }

    /// Keeps the partial solutions of a solve as candidates for the prefixes and off-the-path branches that they satisfy.
    pub(super) fn collect_partial(
        &mut self,
        terms: &mut Terms,
        parts: &[Part],
        found: Vec<Assignment>,
    ) {
        if let Some(asked_for) = &mut self.asked_for {
            asked_for.note(None);
        }
        if found.is_empty() {
            return;
        }
        let (started, before) = (Instant::now(), self.work());
        self.stats.partial_solutions += found.len() as u64;
        if self.asked_for.is_some() {
            for part in parts.iter().filter(|part| !part.is_large()) {
                self.keep_partial(terms, part, &found);
            }
            self.stats.took(Layer::QuickTest, started.elapsed());
            let cost = self.work().units() - before.units();
            self.gates.of(Layer::QuickTest).charge(cost);
        }
        if self.wants.partial_solutions > 0 {
            self.partial_solutions.extend(found);
        }
    }

    fn keep_partial(&mut self, terms: &mut Terms, part: &Part, found: &[Assignment]) {
        let atoms = self.ordered(part);
        let inputs = self.atoms.inputs_of(&part.atoms);
        let count = found.len() as u64;
        self.work.note(Kind::Solution, count);
        self.work.note(Kind::Atom, count * atoms.len() as u64);
        for assignment in found {
            let solution = Solution::of(&self.atoms.inputs, assignment, inputs.iter().copied());
            let mut evaluator = Evaluator::new();
            let first_false = atoms
                .iter()
                .position(|&atom| !evaluator.bool(terms, assignment, self.atoms.get(atom).term));
            let reached = first_false.unwrap_or(atoms.len());
            let id = self.solutions.add_partial(solution);
            let mut key = 0u128;
            for &atom in &atoms[..reached] {
                key = key.wrapping_add(self.atoms.get(atom).hash);
                self.quick.add(key, id);
            }
            if let Some(&off) = atoms.get(reached) {
                let off = self.atoms.negation(terms, off);
                let key = key.wrapping_add(self.atoms.get(off).hash);
                self.quick.add(key, id);
            }
        }
    }
}
