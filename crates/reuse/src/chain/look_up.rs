//! What earlier answers say of a part of the path, layer by layer.

use refrain_term::{Term, Terms};

use super::Chain;
use super::part::Part;
use crate::answers::Answer;
use crate::atoms::AtomId;
use crate::ltrie::Effort;
use crate::preset::{Layers, Trie};
use crate::quick::first_satisfying;
use crate::solution::{Solution, SolutionId};
use crate::stats::{AnsweredBy, Layer};
use crate::work::Kind;

/// How many nodes of a trie a look-up may visit.
const MAX_VISITS: u32 = 1_000;

/// An answer, and where it comes from.
pub(super) type Found = Option<(Answer, AnsweredBy)>;

impl Chain {
    /// What earlier answers, other than to the very same atoms, say of a part.
    pub(super) fn look_up(&mut self, terms: &mut Terms, part: &mut Part) -> Found {
        part.reduced.clone_from(&part.atoms);
        if part.is_large() {
            return None;
        }
        let Layers {
            reduce,
            canonize,
            trie,
            renaming,
            quick_test,
            ..
        } = self.layers;
        let mut found = None;
        if reduce {
            found = self.try_layer(Layer::Reduce, |chain| chain.by_reduction(terms, part));
        }
        if found.is_none() && canonize {
            found = self.try_layer(Layer::Canonize, |chain| {
                let answer = chain.by_canonical_form(terms, part)?;
                Some((answer, AnsweredBy::Exact))
            });
        }
        if found.is_none() && trie != Trie::Off {
            found = self.try_layer(Layer::Sets, |chain| chain.by_sets(terms, part));
        }
        if found.is_none() && renaming {
            found = self.try_layer(Layer::Renaming, |chain| chain.by_renaming(terms, part));
        }
        if found.is_none() && quick_test.is_some() {
            found = self.try_layer(Layer::QuickTest, |chain| chain.by_solutions(terms, part));
        }
        if found.is_none() && trie != Trie::Off && self.lasting.has_store() {
            found = self.try_layer(Layer::Fetch, |chain| chain.by_fetching(terms, part));
        }
        found
    }

    /// What answers to other sets say of a part.
    fn by_sets(&mut self, terms: &mut Terms, part: &Part) -> Found {
        self.work.note(Kind::Atom, part.reduced.len() as u64);
        self.atoms.know(terms, &part.reduced);
        self.by_subset(part).or_else(|| self.by_superset(part))
    }

    /// What the store has about the same things says of a part.
    fn by_fetching(&mut self, terms: &mut Terms, part: &Part) -> Found {
        self.atoms.know(terms, &part.reduced);
        let (fetched, solutions) = self.fetch(terms, part);
        self.work.note(Kind::Entry, fetched as u64);
        if fetched > 0
            && let Some(found) = self.by_sets(terms, part)
        {
            return Some(found);
        }
        let atoms = self.ordered(part);
        let solution = self.first_satisfying(terms, part, &atoms, &solutions)?;
        Some((Answer::Sat(solution), AnsweredBy::QuickTest))
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
        let core = self.implying(part, &self.unsat.set(hit.entry))?;
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

    /// A known solution of a related set that satisfies the part.
    fn by_solutions(&mut self, terms: &Terms, part: &Part) -> Found {
        let limit = self.tried.as_ref()?.limit();
        let atoms = self.ordered(part);
        self.work.note(Kind::Atom, atoms.len() as u64);
        let candidates = self.quick.candidates(&self.atoms, &atoms, limit);
        let found = self.first_satisfying(terms, part, &atoms, &candidates);
        self.note_tried(&candidates, found);
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
        &mut self,
        terms: &Terms,
        part: &Part,
        atoms: &[AtomId],
        candidates: &[SolutionId],
    ) -> Option<SolutionId> {
        if candidates.is_empty() {
            return None;
        }
        let count = candidates.len() as u64;
        self.work.note(Kind::Solution, count);
        self.work.note(Kind::Column, count * atoms.len() as u64);
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
            |input| part.slice.has(&self.partitions, input),
        )?;
        Some(candidates[lane])
    }
}
