//! What earlier answers say of a part of the path, layer by layer.

use refrain_term::Terms;

use super::Chain;
use super::part::Part;
use crate::answers::Answer;
use crate::ltrie::Effort;
use crate::preset::{Layers, Trie};
use crate::quick::{Setting, first_satisfying};
use crate::stats::{AnsweredBy, Layer};
use refrain_path::atoms::AtomId;
use refrain_path::solution::{Solution, SolutionId};
use refrain_path::work::Kind;

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
        self.path.work.note(Kind::Atom, part.reduced.len());
        self.path.atoms.know(terms, &part.reduced);
        self.by_subset(part).or_else(|| self.by_superset(part))
    }

    /// What the store has about the same things says of a part.
    fn by_fetching(&mut self, terms: &mut Terms, part: &Part) -> Found {
        self.path.atoms.know(terms, &part.reduced);
        let (fetched, solutions) = self.fetch(terms, part);
        self.path.work.note(Kind::StoreEntry, fetched);
        if fetched > 0
            && let Some(found) = self.by_sets(terms, part)
        {
            return Some(found);
        }
        let atoms = part.ordered(self.path.steps());
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
        let found = self
            .memory
            .unsat
            .find_subset(&self.path.atoms, &part.reduced, effort);
        let hit = found.hit()?;
        let by = if hit.exact {
            AnsweredBy::Subset
        } else {
            AnsweredBy::ImpliedUnsat
        };
        let known = self.memory.unsat.set(hit.entry);
        let core = self.implying(part, &known)?;
        self.memory.note_use_of_core(&self.path.atoms, &known);
        Some((Answer::Unsat(core.into()), by))
    }

    fn by_superset(&mut self, part: &Part) -> Found {
        let effort = self.effort();
        let found = self
            .memory
            .sat
            .find_superset(&self.path.atoms, &part.reduced, effort);
        let hit = found.hit()?;
        let by = if hit.exact {
            AnsweredBy::Superset
        } else {
            AnsweredBy::ImpliedSat
        };
        Some((Answer::Sat(SolutionId(hit.solution)), by))
    }

    /// A known solution of a related set that satisfies the part.
    fn by_solutions(&mut self, terms: &mut Terms, part: &Part) -> Found {
        let kept = self.kept.as_mut()?;
        let path = part.ordered(self.path.steps());
        let mut setting = Setting {
            terms,
            atoms: &mut self.path.atoms,
            solutions: &mut self.memory.solutions,
            model: &mut self.path.model,
        };
        let tried = self.memory.quick.find(&mut setting, &path, kept.limit());
        self.path.work.note(Kind::Atom, path.len());
        self.path
            .work
            .note(Kind::SolutionColumn, tried.evaluated as usize);
        if tried.candidates > 0 {
            kept.note(tried.solution.map(|_| tried.place));
        }
        let solutions = &self.memory.solutions;
        let partial = tried.solution.filter(|&id| solutions.is_partial(id));
        if let (Some(_), Some(asked_for)) = (partial, &mut self.asked_for) {
            asked_for.note(Some(asked_for.limit().saturating_sub(1)));
        }
        Some((Answer::Sat(tried.solution?), AnsweredBy::QuickTest))
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
        let count = candidates.len();
        self.path.work.note(Kind::Solution, count);
        self.path
            .work
            .note(Kind::SolutionColumn, count * atoms.len());
        let solutions: Vec<&Solution> = candidates
            .iter()
            .map(|&id| self.memory.solutions.get(id))
            .collect();
        let lane = first_satisfying(
            terms,
            &self.path.atoms,
            self.path.model.assignment(),
            atoms,
            &solutions,
            |input| self.path.is_in(input, part.slice),
        )?;
        Some(candidates[lane])
    }
}
