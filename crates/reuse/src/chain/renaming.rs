//! The chain's use of implication across names: what a core or a solution says of a part once it is renamed.

use refrain_term::Terms;

use super::Chain;
use super::look_up::Found;
use super::part::Part;
use crate::answers::Answer;
use crate::lasting::{Fetched, IndexKey, Kept};
use crate::renamed::{Reading, Renamed, rename, rename_solution};
use crate::stats::AnsweredBy;
use refrain_path::atoms::AtomId;
use refrain_path::work::Kind;

impl Chain {
    /// What answers to other sets, under other names, say of a part; with a store, those that it has too.
    pub(super) fn by_renaming(&mut self, terms: &mut Terms, part: &Part) -> Found {
        self.path.work.note(Kind::Atom, part.reduced.len());
        self.path.atoms.know(terms, &part.reduced);
        if let Some(found) = self.by_renamed_sets(terms, part) {
            return Some(found);
        }
        let fetched = self.fetch_renamed(terms, part);
        self.path.work.note(Kind::StoreEntry, fetched);
        (fetched > 0).then(|| self.by_renamed_sets(terms, part))?
    }

    fn by_renamed_sets(&mut self, terms: &mut Terms, part: &Part) -> Found {
        self.by_renamed_core(terms, part)
            .or_else(|| self.by_renamed_solution(terms, part))
    }

    fn by_renamed_core(&mut self, terms: &mut Terms, part: &Part) -> Found {
        let (renamed, mut reading) = self.reading(terms);
        let (known, renaming) = renamed.find_core(&mut reading, &part.reduced)?;
        let core = rename(terms, &mut self.path.atoms, &known, &renaming)?;
        self.path.atoms.know(terms, &core);
        let core = self.implying(part, &core)?;
        self.memory.note_use_of_core(&self.path.atoms, &known);
        Some((Answer::Unsat(core.into()), AnsweredBy::ImpliedUnsat))
    }

    /// The solution is evaluated when it is taken over.
    fn by_renamed_solution(&mut self, terms: &Terms, part: &Part) -> Found {
        let (renamed, mut reading) = self.reading(terms);
        let (known, renaming) = renamed.find_solution(&mut reading, &part.reduced)?;
        let solutions = &mut self.memory.solutions;
        solutions.note_use(known);
        let solution = rename_solution(solutions.get(known), &renaming);
        let solution = solutions.add(solution);
        Some((Answer::Sat(solution), AnsweredBy::ImpliedSat))
    }

    /// What sets are read by, beside what they are read into.
    fn reading<'a>(&'a mut self, terms: &'a Terms) -> (&'a mut Renamed, Reading<'a>) {
        let reading = Reading {
            terms,
            atoms: &self.path.atoms,
            canonizer: self.lasting.canonizer(),
        };
        (&mut self.memory.renamed, reading)
    }

    /// What a core, which is known, is listed under for questions about other names.
    pub(super) fn renamed_core_key(&mut self, terms: &Terms, core: &[AtomId]) -> Option<IndexKey> {
        if !self.layers.renaming {
            return None;
        }
        let (renamed, mut reading) = self.reading(terms);
        renamed.under_core(&mut reading, core)
    }

    /// What a solution of a set, which is known, is listed under for questions about other names.
    pub(super) fn renamed_solution_keys(&mut self, terms: &Terms, set: &[AtomId]) -> Vec<IndexKey> {
        if !self.layers.renaming {
            return Vec::new();
        }
        let (renamed, mut reading) = self.reading(terms);
        renamed.under_solution(&mut reading, set)
    }

    /// Takes in what the store has about the same kinds of things; how much that was.
    fn fetch_renamed(&mut self, terms: &mut Terms, part: &Part) -> usize {
        if !self.lasting.has_lists() {
            return 0;
        }
        let (renamed, mut reading) = self.reading(terms);
        let keys = renamed.under_query(&mut reading, &part.reduced);
        let found = self
            .lasting
            .fetch_nameless(terms, &mut self.path.atoms, keys);
        let count = found.len();
        for entry in found {
            self.take_in_nameless(terms, entry);
        }
        count
    }

    fn take_in_nameless(&mut self, terms: &mut Terms, entry: Fetched) {
        let Some(atoms) = entry.about() else {
            return;
        };
        self.path.atoms.know(terms, &atoms);
        match entry.answer {
            Kept::Unsat(_) => self.memory.renamed.add_core(&self.path.atoms, &atoms),
            Kept::Sat(values) => {
                if let Some(solution) = self.solution(terms, &entry.inputs, values) {
                    self.memory
                        .renamed
                        .add_solved(&self.path.atoms, &atoms, solution);
                }
            }
        }
    }
}
