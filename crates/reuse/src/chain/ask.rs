//! Asking the solver: about everything on the path, on a stack that follows it, or about each part from scratch.

use std::time::{Duration, Instant};

use refrain_solver::{CheckResult, Conflict, Limits, Outcome, Query, Reason, Verdict, Wants};
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
        let outcome = self.solver.check(terms, &self.query(assumptions, limits));
        let cost = started.elapsed();
        let mut verdict = outcome.verdict();
        self.stats.solved(&verdict, cost, self.work_since(before));
        match &outcome.result {
            CheckResult::Sat(found) => {
                if missed
                    .iter_mut()
                    .all(|part| self.take_over(terms, part, found, cost))
                {
                    self.satisfied = self.path.steps().len();
                } else {
                    verdict = wrong_model();
                }
            }
            CheckResult::Unsat(conflict) => {
                let core = self.core_of_path(conflict, assumptions, missed);
                self.core = core.into();
                self.remember_unsat(terms, missed, cost);
            }
            CheckResult::Unknown(_) => {}
        }
        self.collect_partial(terms, missed, outcome.partial_solutions);
        verdict
    }

    /// What the solver is asked beside what it has been told: for a core where that is remembered or wanted, and for
    /// partial solutions where they are of use.
    fn query<'a>(&self, assumptions: &'a [Term], limits: &'a Limits) -> Query<'a> {
        Query {
            assumptions,
            limits,
            wants: Wants {
                core: self.wants.core || self.keeps_cores(),
                partial_solutions: self.partial_limit(),
            },
        }
    }

    /// Whether what is remembered of a path that cannot be is a core: whoever asks about all of it needs one to know
    /// which slice it is about.
    fn keeps_cores(&self) -> bool {
        self.layers.exact && self.layers.asking == Asking::Stack
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
            let atoms = self.ordered(part);
            let formulas: Vec<Term> = atoms.iter().map(|&a| self.atoms.get(a).term).collect();
            // None of the approaches that ask from scratch remembers cores: only for somebody else is there one.
            if !self.wants.core {
                for &formula in &formulas {
                    self.solver.assert(terms, formula);
                }
            }
            let assumed = if self.wants.core { &formulas[..] } else { &[] };
            let (started, before) = (Instant::now(), self.solver.work());
            let query = self.query(assumed, limits);
            let Outcome {
                result,
                partial_solutions,
            } = self.solver.check(terms, &query);
            let cost = started.elapsed();
            let verdict = result.verdict();
            self.stats.solved(&verdict, cost, self.work_since(before));
            match &result {
                CheckResult::Sat(found) => {
                    if !self.take_over(terms, part, found, cost) {
                        return wrong_model();
                    }
                }
                CheckResult::Unsat(conflict) => {
                    let core = self.core_of_assumptions(terms, conflict);
                    // Nothing is asserted but these: that none of them is needed cannot be.
                    self.core = match core.is_empty() {
                        true => part.atoms.as_slice().into(),
                        false => core.into(),
                    };
                    self.remember_unsat(terms, std::slice::from_mut(part), cost);
                }
                CheckResult::Unknown(_) => {}
            }
            self.collect_partial(terms, std::slice::from_ref(part), partial_solutions);
            if verdict != Verdict::Sat {
                return verdict;
            }
        }
        self.satisfied = self.path.steps().len();
        Verdict::Sat
    }

    /// The atoms that cannot hold together, after the solver was asked about the whole path.
    fn core_of_path(
        &self,
        conflict: &Conflict,
        assumptions: &[Term],
        missed: &[Part],
    ) -> Vec<AtomId> {
        let conflict = match &conflict.formulas {
            Some(formulas) => Some(formulas.clone()),
            // Who cannot tell which assertions may still know which assumptions.
            None if conflict.core.len() < assumptions.len() => {
                let assertions = self.assertions.formulas().iter();
                Some(assertions.chain(&conflict.core).copied().collect())
            }
            None => None,
        };
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
    fn core_of_assumptions(&mut self, terms: &Terms, conflict: &Conflict) -> Vec<AtomId> {
        let core = conflict.core.iter();
        let mut atoms: Vec<AtomId> = core.map(|&term| self.atoms.id(terms, term)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

fn wrong_model() -> Verdict {
    let reason = "the solver's model does not satisfy what it was asked";
    Verdict::Unknown(Reason::Failed(reason.into()))
}
