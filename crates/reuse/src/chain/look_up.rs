//! What earlier answers say of a part of the path, layer by layer.

use std::rc::Rc;
use std::time::Instant;

use refrain_term::{Term, Terms};

use super::{Chain, Part};
use crate::answers::Answer;
use crate::atoms::AtomId;
use crate::ltrie::{Atoms, Effort};
use crate::preset::Trie;
use crate::quick::first_satisfying;
use crate::reduce::Pushed;
use crate::solution::{Solution, SolutionId};
use crate::stats::AnsweredBy;

/// How many nodes of a trie a look-up may visit.
const MAX_VISITS: u32 = 1_000;

type Found = Option<(Answer, AnsweredBy)>;

impl Chain {
    /// What earlier answers, other than to the very same atoms, say of a part.
    pub(super) fn look_up(&mut self, terms: &mut Terms, part: &mut Part) -> Found {
        if part.is_large() {
            part.reduced.clone_from(&part.atoms);
            return None;
        }
        if let Some(found) = self.by_reduction(terms, part) {
            return Some(found);
        }
        if let Some(answer) = self.by_canonical_form(terms, part) {
            return Some((answer, AnsweredBy::Exact));
        }
        self.by_sets(terms, part)
            .or_else(|| self.by_solutions(terms, part))
            .or_else(|| self.by_fetching(terms, part))
    }

    /// What the store has about the same things says of a part.
    fn by_fetching(&mut self, terms: &mut Terms, part: &Part) -> Found {
        if !self.lasting.has_store() || self.layers.trie == Trie::Off || !self.fetch_gate.is_open()
        {
            return None;
        }
        let started = Instant::now();
        self.atoms.know(terms, &part.reduced);
        let (any, solutions) = self.fetch(terms, part);
        let by_sets = if any {
            self.by_subset(part).or_else(|| self.by_superset(part))
        } else {
            None
        };
        let found = by_sets.or_else(|| {
            let atoms = self.ordered(part);
            let solution = self.first_satisfying(terms, part, &atoms, &solutions)?;
            Some((Answer::Sat(solution), AnsweredBy::QuickTest))
        });
        let solving = self.stats.mean_solving();
        self.fetch_gate
            .note(found.is_some(), started.elapsed(), solving);
        found
    }

    /// What the atoms say by themselves, subject by subject, and what is known of what they come to.
    fn by_reduction(&mut self, terms: &mut Terms, part: &mut Part) -> Found {
        // This layer has no gate: it is cheap, and what a set comes to decides what it is kept as, which must not depend on the clock.
        if !self.layers.reduce {
            part.reduced.clone_from(&part.atoms);
            return None;
        }
        self.atoms.know(terms, &part.atoms);
        let conflict = self.conflict_about(part).or_else(|| self.reduce(part));
        if let Some(core) = conflict {
            return Some((Answer::Unsat(core), AnsweredBy::Reduce));
        }
        if !self.layers.exact || part.reduced.len() == part.atoms.len() {
            return None;
        }
        let key = self.atoms.key(part.reduced.iter().copied());
        let answer = self.answers.get(key)?;
        Some((answer.clone(), AnsweredBy::Exact))
    }

    /// Atoms about what the open one is about that cannot hold together: where most conflicts are.
    fn conflict_about(&mut self, part: &Part) -> Option<Rc<[AtomId]>> {
        let open = self.path.steps()[part.open as usize].atom;
        let subject = self.atoms.subject(open);
        self.reducer.clear();
        let mut same = Vec::new();
        for &atom in &part.atoms {
            if self.atoms.subject(atom) != subject {
                continue;
            }
            same.push(atom);
            if let Pushed::Conflict(places) = self.reducer.push(self.atoms.restriction(atom)) {
                return Some(places.into_iter().map(|place| same[place]).collect());
            }
        }
        None
    }

    /// Leaves out what other atoms about the same subject say; if they leave nothing, atoms that cannot hold together.
    fn reduce(&mut self, part: &mut Part) -> Option<Rc<[AtomId]>> {
        self.reducer.clear();
        for &atom in &part.atoms {
            let restriction = self.atoms.restriction(atom);
            if let Pushed::Conflict(places) = self.reducer.push(restriction) {
                return Some(places.into_iter().map(|place| part.atoms[place]).collect());
            }
        }
        if self.reducer.subjects() == part.atoms.len() {
            part.reduced.clone_from(&part.atoms);
            return None;
        }
        let kept = self.reducer.kept().into_iter();
        part.reduced = kept.map(|place| part.atoms[place]).collect();
        None
    }

    /// What answers to other sets say of a part.
    fn by_sets(&mut self, terms: &mut Terms, part: &Part) -> Found {
        if self.layers.trie == Trie::Off || !self.set_gate.is_open() {
            return None;
        }
        let started = Instant::now();
        self.atoms.know(terms, &part.reduced);
        let found = self.by_subset(part).or_else(|| self.by_superset(part));
        let solving = self.stats.mean_solving();
        self.set_gate
            .note(found.is_some(), started.elapsed(), solving);
        found
    }

    fn effort(&self) -> Effort {
        Effort {
            implication: self.layers.trie == Trie::Implication,
            visits: MAX_VISITS,
        }
    }

    fn by_subset(&mut self, part: &Part) -> Found {
        let effort = self.effort();
        let found = self.unsat.find_subset(&self.atoms, &part.reduced, effort);
        let hit = found.hit()?;
        let by = if hit.exact {
            AnsweredBy::Subset
        } else {
            AnsweredBy::ImpliedUnsat
        };
        let core = self.implying(part, &self.unsat.set(hit.entry));
        Some((Answer::Unsat(core.into()), by))
    }

    fn by_superset(&mut self, part: &Part) -> Found {
        let effort = self.effort();
        let found = self.sat.find_superset(&self.atoms, &part.reduced, effort);
        let hit = found.hit()?;
        let by = if hit.exact {
            AnsweredBy::Superset
        } else {
            AnsweredBy::ImpliedSat
        };
        Some((Answer::Sat(SolutionId(hit.solution)), by))
    }

    /// Atoms of a part that imply those of a set, one for each.
    fn implying(&self, part: &Part, set: &[AtomId]) -> Vec<AtomId> {
        let implication = self.layers.trie == Trie::Implication;
        let mut found: Vec<AtomId> = set
            .iter()
            .filter_map(|&stored| {
                let implies = |atom: &AtomId| {
                    *atom == stored
                        || implication
                            && self.atoms.subject(*atom) == self.atoms.subject(stored)
                            && self.atoms.implies(*atom, stored)
                };
                part.reduced.iter().copied().find(implies)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A known solution of a related set that satisfies the part.
    fn by_solutions(&mut self, terms: &Terms, part: &Part) -> Found {
        let limit = self.tried.as_ref()?.limit();
        if !self.quick_gate.is_open() {
            return None;
        }
        let started = Instant::now();
        let atoms = self.ordered(part);
        let candidates = self.quick.candidates(&self.atoms, &atoms, limit);
        let found = self.first_satisfying(terms, part, &atoms, &candidates);
        self.note_tried(&candidates, found);
        let solving = self.stats.mean_solving();
        self.quick_gate
            .note(found.is_some(), started.elapsed(), solving);
        Some((Answer::Sat(found?), AnsweredBy::QuickTest))
    }

    /// Notes which of the solutions that were tried was of use, for how many are tried and asked for later.
    fn note_tried(&mut self, candidates: &[SolutionId], found: Option<SolutionId>) {
        if candidates.is_empty() {
            return;
        }
        let place = found.and_then(|found| candidates.iter().position(|&id| id == found));
        if let Some(tried) = &mut self.tried {
            tried.note(place);
        }
        let partial = found.filter(|&id| self.solutions.is_partial(id));
        if let (Some(_), Some(asked_for)) = (partial, &mut self.asked_for) {
            asked_for.note(Some(asked_for.limit().saturating_sub(1)));
        }
    }

    /// The first of some solutions that satisfies all of these atoms.
    fn first_satisfying(
        &self,
        terms: &Terms,
        part: &Part,
        atoms: &[AtomId],
        candidates: &[SolutionId],
    ) -> Option<SolutionId> {
        if candidates.is_empty() {
            return None;
        }
        let formulas: Vec<Term> = atoms.iter().map(|&a| self.atoms.get(a).term).collect();
        let solutions: Vec<&Solution> = candidates
            .iter()
            .map(|&id| self.solutions.get(id))
            .collect();
        let lane = first_satisfying(
            terms,
            &self.atoms.inputs,
            self.model.assignment(),
            &formulas,
            &solutions,
            |input| self.is_in(input, part.slice),
        )?;
        Some(candidates[lane])
    }

    /// The atoms of a part in the order of the path.
    pub(super) fn ordered(&self, part: &Part) -> Vec<AtomId> {
        let steps = self.path.steps();
        part.places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect()
    }
}
