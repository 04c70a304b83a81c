//! What is found out, kept for later: answers by set, solutions, and partial solutions for the prefixes and branches
//! that they satisfy.

use std::rc::Rc;
use std::time::{Duration, Instant};

use refrain_path::partial_solution::completed;
use refrain_path::{AtomId, PartialSolution};
use refrain_solver::Query;
use refrain_term::Terms;

use super::Chain;
use super::part::Part;
use crate::answers::Answer;
use crate::preset::Trie;
use crate::quick::{Satisfiable, Setting};
use crate::stats::{AnsweredBy, Layer};
use refrain_path::solution::{Solution, SolutionId};
use refrain_path::work::Kind;

impl Chain {
    /// Remembers that the model, which the solver has found, satisfies a part.
    pub(super) fn remember_model(&mut self, terms: &mut Terms, part: &mut Part, cost: Duration) {
        let solution = self.solution_of(part);
        self.remember_exact(part, Answer::Sat(solution));
        if part.is_large() {
            return;
        }
        self.keep_sat(terms, part, cost);
        if self.layers.trie != Trie::Off {
            self.path.atoms.know(terms, &part.reduced);
            self.memory
                .sat
                .insert(&self.path.atoms, &part.reduced, solution.0);
        }
        self.remember_for_other_names(terms, part, solution);
        if let Some(kept) = &self.kept {
            self.memory.quick.add(part.key, solution, kept.limit());
        }
    }

    /// Keeps that the model, which nobody knew and a repair has found, satisfies a part: another run must not depend on
    /// finding it again.
    pub(super) fn keep_repaired(&mut self, terms: &mut Terms, part: &mut Part) {
        if self.lasting.has_store() && !part.is_large() {
            self.keep_sat(terms, part, Duration::ZERO);
        }
    }

    fn remember_exact(&mut self, part: &Part, answer: Answer) {
        if !self.layers.exact {
            return;
        }
        if part.reduced != part.atoms {
            let key = self.path.atoms.key(part.reduced.iter().copied());
            self.memory.answers.insert(key, answer.clone());
        }
        self.memory.answers.insert(part.key, answer);
    }

    /// The values that the model has for a part, kept.
    fn solution_of(&mut self, part: &Part) -> SolutionId {
        let atoms = &self.path.atoms;
        let inputs = atoms.inputs_of(&part.atoms);
        let solution = Solution::of(&atoms.inputs, self.path.model.assignment(), inputs);
        self.memory.solutions.add(solution)
    }

    /// Remembers that the atoms of a core cannot hold together, and that therefore neither can the part they are in;
    /// those of them that are enough.
    pub(super) fn remember_unsat(
        &mut self,
        terms: &mut Terms,
        core: Vec<AtomId>,
        parts: &mut [Part],
        cost: Duration,
    ) -> Rc<[AtomId]> {
        if !self.layers.exact {
            return core.into();
        }
        let (core, normal) = self.shrunk(terms, core.into());
        self.remember_core(&core, &core);
        self.remember_core(&normal, &normal);
        self.path.atoms.know(terms, &normal);
        if self.layers.trie != Trie::Off {
            self.memory.unsat.insert(&self.path.atoms, &normal);
        }
        if self.layers.renaming {
            self.memory.renamed.add_core(&self.path.atoms, &normal);
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
        self.memory
            .answers
            .insert(part.key, Answer::Unsat(core.clone()));
        let within = self.reduced_core(terms, part, &core);
        self.remember_core(&part.reduced, &within);
        self.keep_unsat(terms, part, &normal, cost);
        core
    }

    /// Remembers that atoms cannot hold together because of some of them.
    fn remember_core(&mut self, set: &[AtomId], core: &[AtomId]) {
        let key = self.path.atoms.key(set.iter().copied());
        self.memory.answers.insert(key, Answer::Unsat(core.into()));
    }

    /// Remembers a solution of a part where questions about other names look for it.
    fn remember_for_other_names(&mut self, terms: &mut Terms, part: &Part, solution: SolutionId) {
        if self.layers.renaming {
            self.path.atoms.know(terms, &part.reduced);
            let renamed = &mut self.memory.renamed;
            renamed.add_solved(&self.path.atoms, &part.reduced, solution);
        }
    }

    /// Remembers the core of what followed from other answers.
    pub(super) fn remember_derived_unsat(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        core: &Rc<[AtomId]>,
        by: AnsweredBy,
    ) {
        if !self.layers.exact {
            return;
        }
        self.memory
            .answers
            .insert(part.key, Answer::Unsat(core.clone()));
        if !matches!(by, AnsweredBy::Exact | AnsweredBy::Reduce) {
            let (_, normal) = self.shrunk(terms, core.clone());
            self.keep_unsat(terms, part, &normal, Duration::ZERO);
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
        if by == AnsweredBy::Exact && self.memory.answers.contains(part.key) {
            self.keep_if_partial(terms, part);
            return;
        }
        let id = self.solution_of(part);
        self.remember_exact(part, Answer::Sat(id));
        if by == AnsweredBy::Exact {
            return;
        }
        self.keep_sat(terms, part, Duration::ZERO);
        if by != AnsweredBy::QuickTest {
            return;
        }
        if self.layers.trie != Trie::Off {
            self.path.atoms.know(terms, &part.reduced);
            self.memory
                .sat
                .insert(&self.path.atoms, &part.reduced, id.0);
        }
        self.remember_for_other_names(terms, part, id);
    }

    /// Keeps what was known of the very same atoms by a partial solution: in another run, in which the solver may not be
    /// asked what led to it, it would not be known.
    fn keep_if_partial(&mut self, terms: &mut Terms, part: &mut Part) {
        let solutions = &self.memory.solutions;
        let is_partial = match self.memory.answers.get(part.key) {
            Some(Answer::Sat(id)) => solutions.is_partial(id),
            _ => false,
        };
        if !is_partial || !self.lasting.has_store() || part.is_large() {
            return;
        }
        part.reduced.clone_from(&part.atoms);
        if self.layers.reduce {
            self.try_layer(Layer::Reduce, |chain| chain.by_reduction(terms, part));
        }
        let id = self.solution_of(part);
        self.remember_exact(part, Answer::Sat(id));
        self.keep_sat(terms, part, Duration::ZERO);
    }

    /// Keeps partial solutions of a solve as candidates for the prefixes and off-the-path branches that they satisfy,
    /// and hands them on to whoever wants them.
    pub(super) fn collect_partial(
        &mut self,
        terms: &mut Terms,
        parts: &[Part],
        found: Vec<PartialSolution>,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
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
        if query.wants.partial_solutions > 0 {
            partial.extend(completed(terms, &self.path.atoms, found));
        }
    }

    fn keep_partial(&mut self, terms: &mut Terms, part: &Part, found: &[PartialSolution]) {
        let Some(kept) = &self.kept else {
            return;
        };
        let path = part.ordered(self.path.steps());
        let count = found.len();
        self.path.work.note(Kind::Solution, count);
        self.path.work.note(Kind::Atom, count * path.len());
        let mut setting = Setting {
            terms: &mut *terms,
            atoms: &mut self.path.atoms,
            solutions: &mut self.memory.solutions,
            model: &mut self.path.model,
        };
        let quick = &mut self.memory.quick;
        let satisfiable = quick.keep_partial(&mut setting, &path, found, kept.limit());
        for set in satisfiable {
            self.remember_satisfiable(terms, &path, set);
        }
    }

    /// Remembers a set that a partial solution satisfies.
    fn remember_satisfiable(&mut self, terms: &mut Terms, path: &[AtomId], set: Satisfiable) {
        let memory = &mut self.memory;
        if self.layers.exact && !memory.answers.contains(set.key) {
            memory.answers.insert(set.key, Answer::Sat(set.solution));
        }
        // A prefix is a subset of the branch that leaves the path after it, or of the path itself.
        if let (Some((length, negation)), true) = (set.branch, self.layers.trie != Trie::Off) {
            let mut atoms = path[..length].to_vec();
            atoms.push(negation);
            let (_, normal) = self.shrunk(terms, atoms.into());
            self.path.atoms.know(terms, &normal);
            let sat = &mut self.memory.sat;
            sat.insert(&self.path.atoms, &normal, set.solution.0);
        }
    }
}
