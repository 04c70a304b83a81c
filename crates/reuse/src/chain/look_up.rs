//! What earlier answers say of a part of the path, layer by layer.

use std::sync::Arc;
use std::time::Instant;

use refrain_term::{Term, Terms};

use super::{Chain, Known, Part};
use crate::answers::{Answer, SolutionId};
use crate::ltrie::{Atoms, Effort};
use crate::path::AtomId;
use crate::preset::Trie;
use crate::quick::first_satisfying;
use crate::solution::Solution;
use crate::stats::AnsweredBy;

/// How many nodes of a trie a look-up may visit.
const MAX_VISITS: u32 = 1_000;

impl Chain {
    /// What earlier answers say of a part.
    pub(super) fn look_up(&mut self, terms: &Terms, part: &Part) -> Option<(Known, AnsweredBy)> {
        if self.layers.exact
            && let Some(answer) = self.answers.get(part.key, &part.atoms)
        {
            let known = match answer {
                Answer::Sat(solution) => Known::Sat(*solution),
                Answer::Unsat(core) => Known::Unsat(core.clone()),
            };
            return Some((known, AnsweredBy::Exact));
        }
        if self.layers.trie != Trie::Off && self.set_gate.is_open() {
            let started = Instant::now();
            let found = self.look_up_sets(part);
            let solving = self.stats.mean_solving();
            self.set_gate
                .note(found.is_some(), started.elapsed(), solving);
            if found.is_some() {
                return found;
            }
        }
        let limit = self.layers.quick_test?;
        if !self.quick_gate.is_open() {
            return None;
        }
        let started = Instant::now();
        let atoms = self.ordered(part);
        let candidates = self.quick.candidates(&self.table, &atoms, limit);
        let found = self.test(terms, &atoms, &candidates);
        let solving = self.stats.mean_solving();
        self.quick_gate
            .note(found.is_some(), started.elapsed(), solving);
        Some((Known::Sat(found?), AnsweredBy::QuickTest))
    }

    /// What answers to other sets say of a part.
    fn look_up_sets(&mut self, part: &Part) -> Option<(Known, AnsweredBy)> {
        let effort = Effort {
            implication: self.layers.trie == Trie::Implication,
            visits: MAX_VISITS,
        };
        if let Some(hit) = self
            .unsat
            .find_subset(&self.table, &part.atoms, effort)
            .hit()
        {
            let by = if hit.exact {
                AnsweredBy::Subset
            } else {
                AnsweredBy::ImpliedUnsat
            };
            let core = self.implying(part, &self.unsat.set(hit.entry));
            return Some((Known::Unsat(core.into()), by));
        }
        let hit = self
            .sat
            .find_superset(&self.table, &part.atoms, effort)
            .hit()?;
        let by = if hit.exact {
            AnsweredBy::Superset
        } else {
            AnsweredBy::ImpliedSat
        };
        Some((Known::Sat(SolutionId(hit.solution)), by))
    }

    /// Atoms of a part that imply those of a set, one for each.
    fn implying(&self, part: &Part, set: &[AtomId]) -> Vec<AtomId> {
        let mut found: Vec<AtomId> = set
            .iter()
            .filter_map(|&stored| {
                let implies = |atom: &AtomId| {
                    *atom == stored
                        || self.table.subject(*atom) == self.table.subject(stored)
                            && self.table.implies(*atom, stored)
                };
                let mut atoms = part.atoms.iter().copied();
                atoms.find(implies)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The first of some solutions that satisfies all of these atoms.
    fn test(
        &mut self,
        terms: &Terms,
        atoms: &[AtomId],
        candidates: &[SolutionId],
    ) -> Option<SolutionId> {
        let formulas: Vec<Term> = atoms.iter().map(|&a| self.table.get(a).term).collect();
        let solutions: Vec<&Solution> = candidates
            .iter()
            .map(|&id| self.solutions.get(id))
            .collect();
        let inputs = self.table.inputs(atoms);
        let lane = first_satisfying(terms, &self.model, &formulas, &inputs, &solutions)?;
        Some(candidates[lane])
    }

    /// Takes a solution of a part over into the model, and says whether the part holds under it. If not, nothing is known of the model any more.
    pub(super) fn adopt(
        &mut self,
        terms: &Terms,
        part: &Part,
        solution: SolutionId,
        by: AnsweredBy,
    ) -> bool {
        let model = Arc::make_mut(&mut self.model);
        // A solution of the same atoms has just the inputs of the part. Others may speak of what is somebody else's here.
        if matches!(by, AnsweredBy::Exact | AnsweredBy::Solver) {
            self.solutions.get(solution).put_all_into(terms, model);
        } else {
            let inputs = self.table.inputs(&part.atoms);
            self.solutions.get(solution).put_into(terms, model, &inputs);
        }
        self.evaluator.forget();
        let holds = part.places.iter().all(|&place| self.holds(terms, place));
        if !holds {
            self.satisfied = 0;
        }
        holds
    }
}
