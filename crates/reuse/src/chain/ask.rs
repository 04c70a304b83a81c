//! Asking: what no layer knows. The engine of the native solver decides slices of the very path that the chain follows.
//! Any other solver is told the assertions: all of them on a stack that follows the path, or those of each slice from
//! scratch.

use std::rc::Rc;
use std::time::{Duration, Instant};

use refrain_path::repair::{Effort, Repair};
use refrain_path::{AtomId, PartialSolution, Path, Solution};
use refrain_solver::native::PartialSolutions;
use refrain_solver::{CheckResult, Conflict, Engine, Outcome, Query, Solver, Verdict};
use refrain_term::{Assignment, Term, Terms};

use super::part::Part;
use super::{Chain, Found, wrong_model};
use crate::allowance::Allowance;
use crate::preset::Asking;
use crate::stats::{AnsweredBy, Layer};

/// What a solver that does not count is taken to do for an answer: it is a process, and talking to it alone takes
/// that long.
const UNCOUNTED: u64 = 1_000_000;

/// Where partial solutions have been of no use, one solve in so many is asked for one all the same.
const SOLVES_BETWEEN_SAMPLES: u64 = 32;

/// Who is asked.
pub(super) enum Underlying {
    /// What decides slices of the chain's path.
    Engine(Box<Engine>),
    /// A solver with assertions of its own.
    Solver(Told),
}

/// A solver, and what it has been told.
pub(super) struct Told {
    solver: Box<dyn Solver>,
    /// How many assertions it has been told of, and how many of them on levels of their own.
    count: usize,
    levels: usize,
    /// Whether a model was suggested since it was last asked.
    suggested: bool,
}

impl Underlying {
    pub fn new(mut solver: Box<dyn Solver>, asking: Asking) -> Underlying {
        let engine = match asking {
            Asking::Stack => solver.take_engine(),
            Asking::Scratch => None,
        };
        match engine {
            Some(engine) => Underlying::Engine(Box::new(engine)),
            None => Underlying::Solver(Told {
                solver,
                count: 0,
                levels: 0,
                suggested: false,
            }),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Underlying::Engine(_) => "native",
            Underlying::Solver(told) => told.solver.name(),
        }
    }

    pub fn note_suggestion(&mut self) {
        if let Underlying::Solver(told) = self {
            told.suggested = true;
        }
    }

    /// No assertion is in force any more. An engine has never heard of any.
    pub fn reset(&mut self) {
        if let Underlying::Solver(told) = self {
            told.solver.reset();
            (told.count, told.levels) = (0, 0);
        }
    }

    /// What has been done so far to answer, counted.
    fn work(&self, path: &Path) -> Option<u64> {
        match self {
            Underlying::Engine(_) => Some(path.work.units()),
            Underlying::Solver(told) => told.solver.work(),
        }
    }
}

impl Told {
    /// Brings its assertions in line with those of the path. What was popped before anybody had to ask is never told.
    fn follow(&mut self, terms: &mut Terms, path: &mut Path) {
        let assertions = path.assertions().len();
        let stayed = path.take_stayed().min(assertions);
        if self.count > stayed {
            let levels = (self.count - stayed).min(self.levels);
            self.solver.pop(levels);
            self.levels -= levels;
            self.count = stayed;
        }
        for place in self.count..assertions {
            if !path.assertions().is_base(place) || self.levels > 0 {
                self.solver.push();
                self.levels += 1;
            }
            let formula = path.assertions().formulas()[place];
            self.solver.assert(terms, formula);
        }
        self.count = assertions;
    }
}

impl Chain {
    /// Decides parts of which nothing is known.
    pub(super) fn ask(
        &mut self,
        terms: &mut Terms,
        mut missed: Vec<Part>,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        let mut answered = AnsweredBy::Model;
        let mut index = 0;
        while index < missed.len() {
            match self.repair_part(terms, &missed[index], query, partial) {
                Some(Repair::Done) => {
                    let mut part = missed.swap_remove(index);
                    self.keep_repaired(terms, &mut part);
                }
                Some(Repair::Impossible(core)) => {
                    let core: Rc<[AtomId]> = core.into();
                    self.stats.count(AnsweredBy::Reduce);
                    return Found::Unsat(core);
                }
                Some(Repair::Stopped(_)) | None => {
                    answered = AnsweredBy::Solver;
                    index += 1;
                }
            }
        }
        self.stats.count(answered);
        let found = match (&self.underlying, self.layers.asking) {
            _ if missed.is_empty() => Found::Sat,
            (Underlying::Engine(_), _) => self.ask_engine(terms, &mut missed, query, partial),
            (_, Asking::Stack) => self.ask_all(terms, &mut missed, query, partial),
            (_, Asking::Scratch) => self.ask_each(terms, &mut missed, query, partial),
        };
        if matches!(found, Found::Sat) {
            self.path.note_satisfied();
        }
        found
    }

    /// Mends the model for a part where another value of one input does it.
    fn repair_part(
        &mut self,
        terms: &mut Terms,
        part: &Part,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Option<Repair> {
        if !self.layers.repair {
            return None;
        }
        self.try_layer(Layer::Repair, |chain| {
            let repair = chain.repair(terms, part.open, Effort::FULL, query, partial)?;
            // There may be other open places in it.
            let mut places = part.places.iter();
            let is_settled = match repair {
                Repair::Done => places.all(|&place| chain.path.holds(terms, place)),
                _ => true,
            };
            is_settled.then_some(repair)
        })
    }

    /// Has the engine decide each part.
    fn ask_engine(
        &mut self,
        terms: &mut Terms,
        missed: &mut [Part],
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        for part in missed {
            let (started, before) = (Instant::now(), self.path.work.units());
            let mut collected = PartialSolutions::new(self.wanted_partial_solutions(query));
            let Underlying::Engine(engine) = &mut self.underlying else {
                unreachable!("asked of an engine")
            };
            let (path, limits) = (&mut self.path, query.limits);
            let repair = engine.solve(terms, path, &part.places, &mut collected, limits);
            let (cost, work) = (started.elapsed(), self.path.work.units() - before);
            let verdict = match &repair {
                Repair::Done => Verdict::Sat,
                Repair::Impossible(_) => Verdict::Unsat,
                Repair::Stopped(reason) => Verdict::Unknown(reason.clone()),
            };
            self.stats.solved(&verdict, cost, work);
            let collected = collected.into_sample(terms);
            let found = match repair {
                Repair::Done => {
                    self.remember_model(terms, part, cost);
                    Found::Sat
                }
                Repair::Impossible(core) => {
                    Found::Unsat(self.remember_unsat(terms, core, std::slice::from_mut(part), cost))
                }
                Repair::Stopped(reason) => Found::Unknown(reason),
            };
            self.collect_partial(terms, std::slice::from_ref(part), collected, query, partial);
            if !matches!(found, Found::Sat) {
                return found;
            }
        }
        Found::Sat
    }

    /// Asks the solver about everything on the path.
    fn ask_all(
        &mut self,
        terms: &mut Terms,
        missed: &mut [Part],
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        let wanted = self.wanted_partial_solutions(query);
        let Underlying::Solver(told) = &mut self.underlying else {
            unreachable!("asked of a solver")
        };
        let started = Instant::now();
        told.follow(terms, &mut self.path);
        if std::mem::take(&mut told.suggested) {
            told.solver.suggest(terms, self.path.model.assignment());
        }
        let own = Query::new(query.assumptions, query.limits)
            .with_core()
            .with_partial_solutions(wanted);
        let (outcome, cost) = self.asked(terms, &own, started);
        let found = match outcome.result {
            CheckResult::Sat(model) => {
                let mut parts = missed.iter_mut();
                match parts.all(|part| self.take_over(terms, part, &model, cost)) {
                    true => Found::Sat,
                    false => Found::Unknown(wrong_model()),
                }
            }
            CheckResult::Unsat(conflict) => {
                let core = self.core_of_path(conflict, query.assumptions, missed);
                Found::Unsat(self.remember_unsat(terms, core, missed, cost))
            }
            CheckResult::Unknown(reason) => Found::Unknown(reason),
        };
        self.collect_partial(terms, missed, outcome.partial_solutions, query, partial);
        found
    }

    /// Asks the solver about each part, from scratch.
    fn ask_each(
        &mut self,
        terms: &mut Terms,
        missed: &mut [Part],
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        for part in missed {
            let wanted = self.wanted_partial_solutions(query);
            let atoms = part.ordered(self.path.steps());
            let Underlying::Solver(told) = &mut self.underlying else {
                unreachable!("asked of a solver")
            };
            told.solver.reset();
            let formulas = atoms.iter().map(|&atom| self.path.atoms.get(atom).term);
            let formulas: Vec<Term> = formulas.collect();
            // None of the approaches that ask from scratch remembers cores: only for somebody else is there one.
            let mut own = Query::new(&[], query.limits).with_partial_solutions(wanted);
            if query.wants.core {
                own = Query {
                    assumptions: &formulas,
                    ..own.with_core()
                };
            } else {
                for &formula in &formulas {
                    told.solver.assert(terms, formula);
                }
            }
            let (outcome, cost) = self.asked(terms, &own, Instant::now());
            let found = match outcome.result {
                CheckResult::Sat(model) => match self.take_over(terms, part, &model, cost) {
                    true => Found::Sat,
                    false => Found::Unknown(wrong_model()),
                },
                CheckResult::Unsat(conflict) => {
                    let core = self.core_of_assumptions(terms, &conflict.core, part);
                    Found::Unsat(self.remember_unsat(terms, core, std::slice::from_mut(part), cost))
                }
                CheckResult::Unknown(reason) => Found::Unknown(reason),
            };
            let collected = outcome.partial_solutions;
            self.collect_partial(terms, std::slice::from_ref(part), collected, query, partial);
            if !matches!(found, Found::Sat) {
                return found;
            }
        }
        Found::Sat
    }

    /// Asks the solver, and counts it.
    fn asked(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        started: Instant,
    ) -> (Outcome, Duration) {
        let before = self.underlying.work(&self.path);
        let Underlying::Solver(told) = &mut self.underlying else {
            unreachable!("asked of a solver")
        };
        let outcome = told.solver.check(terms, query);
        let cost = started.elapsed();
        let work = match (before, told.solver.work()) {
            (Some(before), Some(now)) => now - before,
            _ => UNCOUNTED,
        };
        self.stats.solved(&outcome.verdict(), cost, work);
        (outcome, cost)
    }

    /// How many partial solutions a solve is to collect: as many as whoever asks wants, or as the chain can use.
    fn wanted_partial_solutions(&self, query: &Query<'_>) -> usize {
        let solves = self.stats.solver.checks;
        let is_sample = solves.is_multiple_of(SOLVES_BETWEEN_SAMPLES);
        let own = self.asked_for.as_ref().map(Allowance::limit);
        // While nobody tries solutions, there is no use in more of them.
        let own = own
            .map(|limit| if is_sample { limit.max(1) } else { limit })
            .filter(|_| !self.gates.is_resting(Layer::QuickTest));
        query.wants.partial_solutions.max(own.unwrap_or(0))
    }

    /// Takes the solution of a part out of a solver's model; whether it is one.
    fn take_over(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        found: &Assignment,
        cost: Duration,
    ) -> bool {
        let inputs = self.path.atoms.inputs_of(&part.atoms);
        let solution = Solution::of(&self.path.atoms.inputs, found, inputs);
        let holds = self.path.adopt(terms, part.slice, &part.places, &solution);
        if holds {
            self.remember_model(terms, part, cost);
        }
        holds
    }

    /// The atoms that cannot hold together, after the solver was asked about the whole path.
    fn core_of_path(
        &mut self,
        conflict: Conflict,
        assumptions: &[Term],
        missed: &[Part],
    ) -> Vec<AtomId> {
        let formulas = match conflict.formulas {
            // Who cannot tell which assertions may still know which assumptions.
            None if conflict.core.len() < assumptions.len() => {
                let assertions = self.path.assertions().formulas().iter();
                Some(assertions.chain(&conflict.core).copied().collect())
            }
            formulas => formulas,
        };
        let conflict = formulas.map(|sources| self.path.atoms_of(sources));
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

    /// The atoms of a part that cannot hold together, after they were the assumptions, or asserted.
    fn core_of_assumptions(&mut self, terms: &Terms, core: &[Term], part: &Part) -> Vec<AtomId> {
        let core = core.iter();
        let mut atoms: Vec<AtomId> = core.map(|&term| self.path.atoms.id(terms, term)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        // Nothing is asserted but these: that none of them is needed cannot be.
        match atoms.is_empty() {
            true => part.atoms.clone(),
            false => atoms,
        }
    }
}
