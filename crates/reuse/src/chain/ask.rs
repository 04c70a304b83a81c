//! Asking the solver: about everything on the path, on a stack that follows it, or about each part from scratch.

use std::time::{Duration, Instant};

use refrain_solver::{Limits, Reason, Verdict};
use refrain_term::{Assignment, Term, Terms};

use super::Chain;
use super::part::Part;
use crate::atoms::AtomId;
use crate::preset::Asking;
use crate::solution::Solution;

/// What a solver that does not count is taken to do for an answer: it is a process, and talking to it alone takes
/// that long.
const UNCOUNTED: u64 = 1_000_000;

impl Chain {
    pub(super) fn ask(
        &mut self,
        terms: &mut Terms,
        missed: &mut [Part],
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        match self.layers.asking {
            Asking::Stack => self.ask_all(terms, missed, assumptions, limits),
            Asking::Scratch => self.ask_each(terms, missed, limits),
        }
    }

    /// Asks the solver about everything on the path.
    fn ask_all(
        &mut self,
        terms: &mut Terms,
        missed: &mut [Part],
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        let (started, before) = (Instant::now(), self.solver.work());
        self.tell(terms);
        if std::mem::take(&mut self.suggested) {
            self.solver.suggest(terms, self.model.assignment());
        }
        self.set_partial_limit();
        let mut verdict = self.solver.check(terms, assumptions, limits);
        let cost = started.elapsed();
        self.stats.solved(&verdict, cost, self.work_since(before));
        match &verdict {
            Verdict::Sat => {
                let found = self.solver.model(terms);
                if missed
                    .iter_mut()
                    .all(|part| self.take_over(terms, part, &found, cost))
                {
                    self.satisfied = self.path.steps().len();
                } else {
                    verdict = wrong_model();
                }
            }
            Verdict::Unsat => {
                let core = self.core_of_path(terms, missed);
                self.core = core.into();
                self.remember_unsat(terms, missed, cost);
            }
            Verdict::Unknown(_) => {}
        }
        self.collect_partial(terms, missed);
        verdict
    }

    /// What the solver has done since it had done so much.
    fn work_since(&self, before: Option<u64>) -> u64 {
        match (before, self.solver.work()) {
            (Some(before), Some(now)) => now - before,
            _ => UNCOUNTED,
        }
    }

    /// Brings the assertions of the solver in line with those of the path. What was popped before anybody had to ask
    /// is never told.
    fn tell(&mut self, terms: &mut Terms) {
        let stayed = self.path.take_stayed().min(self.assertions.len());
        if self.told > stayed {
            let levels = (self.told - stayed).min(self.told_levels);
            self.solver.pop(levels);
            self.told_levels -= levels;
            self.told = stayed;
        }
        for place in self.told..self.assertions.len() {
            if !self.assertions.is_base(place) || self.told_levels > 0 {
                self.solver.push();
                self.told_levels += 1;
            }
            let formula = self.assertions.formulas()[place];
            self.solver.assert(terms, formula);
        }
        self.told = self.assertions.len();
    }

    /// Takes the solution of a part out of a solver's model; whether it is one.
    fn take_over(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        found: &Assignment,
        cost: Duration,
    ) -> bool {
        let inputs = self.atoms.inputs_of(&part.atoms);
        let solution = Solution::of(&self.atoms.inputs, found, inputs);
        let id = self.solutions.add(solution);
        if !self.adopt(terms, part, id) {
            return false;
        }
        self.remember_sat(terms, part, id, cost);
        true
    }

    /// Asks the solver about each part, from scratch.
    fn ask_each(&mut self, terms: &mut Terms, missed: &mut [Part], limits: &Limits) -> Verdict {
        for part in missed {
            self.solver.reset();
            self.set_partial_limit();
            let atoms = part.ordered(self.path.steps());
            let formulas: Vec<Term> = atoms.iter().map(|&a| self.atoms.get(a).term).collect();
            // A set that is remembered as unsatisfiable should be small.
            let wants_core = self.layers.exact;
            if !wants_core {
                for &formula in &formulas {
                    self.solver.assert(terms, formula);
                }
            }
            let assumed = if wants_core { &formulas[..] } else { &[] };
            let (started, before) = (Instant::now(), self.solver.work());
            let verdict = self.solver.check(terms, assumed, limits);
            let cost = started.elapsed();
            self.stats.solved(&verdict, cost, self.work_since(before));
            match &verdict {
                Verdict::Sat => {
                    let found = self.solver.model(terms);
                    if !self.take_over(terms, part, &found, cost) {
                        return wrong_model();
                    }
                }
                Verdict::Unsat => {
                    let core = self.core_of_assumptions(terms);
                    // Nothing is asserted but these: that none of them is needed cannot be.
                    self.core = match core.is_empty() {
                        true => part.atoms.as_slice().into(),
                        false => core.into(),
                    };
                    self.remember_unsat(terms, std::slice::from_mut(part), cost);
                }
                Verdict::Unknown(_) => {}
            }
            self.collect_partial(terms, std::slice::from_ref(part));
            if verdict != Verdict::Sat {
                return verdict;
            }
        }
        self.satisfied = self.path.steps().len();
        Verdict::Sat
    }

    /// The atoms that cannot hold together, after the solver was asked about the whole path.
    fn core_of_path(&mut self, terms: &Terms, missed: &[Part]) -> Vec<AtomId> {
        let conflict = self.solver.conflict(terms);
        let conflict = conflict.map(|sources| self.path.atoms_of(&self.atoms, sources));
        // The model satisfies all other parts, and no part has to do with another: what does not hold is in these.
        let parts = missed.iter();
        let mut core: Vec<AtomId> = parts.flat_map(|part| &part.atoms).copied().collect();
        core.sort_unstable();
        core.dedup();
        let within = |atom: &AtomId| match &conflict {
            Some(conflict) => conflict.binary_search(atom).is_ok(),
            None => true,
        };
        if core.iter().any(within) {
            core.retain(within);
        }
        core
    }

    /// The atoms that cannot hold together, after they were the assumptions.
    fn core_of_assumptions(&mut self, terms: &Terms) -> Vec<AtomId> {
        let core = self.solver.core().into_iter();
        let mut atoms: Vec<AtomId> = core.map(|term| self.atoms.id(terms, term)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

fn wrong_model() -> Verdict {
    let reason = "the solver's model does not satisfy what it was asked";
    Verdict::Unknown(Reason::Failed(reason.into()))
}
