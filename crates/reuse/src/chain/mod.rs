//! The chain: a solver that asks another one only what no earlier answer settles.
//!
//! A check goes down the layers, cheapest first, until one of them knows: an atom that is false; the model of the path so far; and for each slice of the path that
//! the model does not satisfy, what reduction, answers to the same atoms, to other sets of atoms, and known solutions say. What is left
//! goes to the solver, and what it says is remembered. A solution from any layer counts only after the slice has been evaluated under it.

mod look_up;
mod marks;
mod remember;

use std::sync::Arc;
use std::time::Instant;

use refrain_solver::stack::AssertionStack;
use refrain_solver::{Limits, Reason, Solver, Stats, Verdict};
use refrain_term::{Assignment, Evaluator, Term, Terms};
use rustc_hash::FxHashSet;

use crate::answers::{Answers, SolutionId, Solutions};
use crate::gate::Gate;
use crate::ltrie::{SatTrie, UnsatTrie};
use crate::path::{AtomId, AtomTable, Path};
use crate::preset::{Asking, Layers, Slicing};
use crate::quick::QuickTests;
use crate::slice::from_scratch;
use crate::solution::Solution;
use crate::stats::{AnsweredBy, ChainStats};
use marks::Marks;

/// A solver in front of which earlier answers are looked up.
pub struct Chain {
    solver: Box<dyn Solver>,
    layers: Layers,
    assertions: AssertionStack,

    table: AtomTable,
    path: Path,
    marks: Marks,

    /// The current assignment. It satisfies the first `satisfied` atoms of the path.
    model: Arc<Assignment>,
    satisfied: usize,
    evaluator: Evaluator,

    answers: Answers,
    solutions: Solutions,
    quick: QuickTests,
    unsat: UnsatTrie,
    sat: SatTrie,
    set_gate: Gate,
    quick_gate: Gate,

    /// Solves reused answers again.
    checker: Option<Box<dyn Solver>>,
    /// After an unsat check: the sources that cannot hold together.
    core: Vec<u32>,
    partial: Option<usize>,
    partial_solutions: Vec<Assignment>,
    stats: ChainStats,
}

/// A slice of the path: places, ascending, with its atoms ascending by number and their key.
struct Part {
    places: Vec<u32>,
    atoms: Vec<AtomId>,
    key: u128,
}

/// What a layer knows of a part.
enum Known {
    Sat(SolutionId),
    Unsat(Box<[AtomId]>),
}

impl Chain {
    pub fn new(solver: Box<dyn Solver>, layers: Layers) -> Chain {
        let [set_gate, quick_gate] = [(); 2].map(|()| Gate::new(layers.gates));
        let mut chain = Chain {
            solver,
            marks: Marks::new(&layers),
            layers,
            assertions: AssertionStack::default(),
            table: AtomTable::default(),
            path: Path::default(),
            model: Arc::default(),
            satisfied: 0,
            evaluator: Evaluator::new(),
            answers: Answers::default(),
            solutions: Solutions::default(),
            quick: QuickTests::default(),
            unsat: UnsatTrie::default(),
            sat: SatTrie::new(),
            set_gate,
            quick_gate,
            checker: None,
            core: Vec::new(),
            partial: None,
            partial_solutions: Vec::new(),
            stats: ChainStats::default(),
        };
        chain.set_partial_limit();
        chain
    }

    /// The solver with these layers in front of it: itself, if there are none.
    /// With a checker, every answer that did not come from the solver is solved again.
    pub fn before(
        solver: Box<dyn Solver>,
        layers: Layers,
        checker: Option<Box<dyn Solver>>,
    ) -> Box<dyn Solver> {
        if Some(&layers) == Layers::preset("stack").as_ref() {
            return solver;
        }
        let mut chain = Chain::new(solver, layers);
        chain.checker = checker;
        Box::new(chain)
    }

    pub fn chain_stats(&self) -> &ChainStats {
        &self.stats
    }

    fn set_partial_limit(&mut self) {
        let limit = self.partial.max(self.layers.partial_solutions);
        self.solver.collect_partial_solutions(limit);
    }

    fn decide(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.core.clear();
        self.partial_solutions.clear();
        self.path.follow(
            terms,
            &mut self.table,
            self.assertions.formulas(),
            assumptions,
            self.assertions.followed(),
            &mut self.marks,
        );
        self.assertions.follow(self.assertions.len());
        self.satisfied = self.satisfied.min(self.marks.shortest as usize);
        self.marks.shortest = self.marks.length;
        if let Some(place) = self.marks.refuted {
            self.core = vec![self.path.steps()[place as usize].source];
            self.stats.count(AnsweredBy::Fold);
            return Verdict::Unsat;
        }
        if let Some((_, places)) = &self.marks.conflict {
            let steps = self.path.steps();
            self.core = places.iter().map(|&place| steps[place].source).collect();
            self.core.sort_unstable();
            self.core.dedup();
            self.stats.count(AnsweredBy::Reduce);
            return Verdict::Unsat;
        }
        let open = self.open_places(terms);
        if open.is_empty() {
            self.satisfied = self.path.steps().len();
            let by = if self.layers.model {
                AnsweredBy::Model
            } else {
                AnsweredBy::Fold
            };
            self.stats.count(by);
            return Verdict::Sat;
        }
        let parts = self.parts(terms, &open);
        self.settle(terms, parts, assumptions, limits)
    }

    /// The places of atoms that the model at hand does not satisfy; without a model layer, all of them.
    fn open_places(&mut self, terms: &Terms) -> Vec<u32> {
        let count = self.path.steps().len();
        if !self.layers.model {
            return (0..count as u32).collect();
        }
        (self.satisfied as u32..count as u32)
            .filter(|&place| !self.holds(terms, place))
            .collect()
    }

    fn holds(&mut self, terms: &Terms, place: u32) -> bool {
        let atom = self.path.steps()[place as usize].atom;
        let term = self.table.get(atom).term;
        self.evaluator.bool(terms, &self.model, term)
    }

    /// The slices that the open places are in.
    fn parts(&self, terms: &Terms, open: &[u32]) -> Vec<Part> {
        let steps = self.path.steps();
        let places = match (self.layers.slicing, &self.marks.partitions) {
            (Slicing::Off, _) => vec![(0..steps.len() as u32).collect()],
            (Slicing::Incremental, Some(partitions)) => {
                let mut seen = FxHashSet::default();
                let mut groups = Vec::new();
                for &place in open {
                    if seen.contains(&place) {
                        continue;
                    }
                    let mut group = Vec::new();
                    partitions.group(place, &mut group);
                    seen.extend(group.iter().copied());
                    groups.push(group);
                }
                groups
            }
            _ => {
                let atoms: Vec<AtomId> = steps.iter().map(|step| step.atom).collect();
                let mut groups = from_scratch(terms, &self.table, &atoms);
                groups.retain(|group| group.iter().any(|place| open.binary_search(place).is_ok()));
                groups
            }
        };
        places.into_iter().map(|places| self.part(places)).collect()
    }

    fn part(&self, places: Vec<u32>) -> Part {
        let steps = self.path.steps();
        let mut atoms: Vec<AtomId> = places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect();
        atoms.sort_unstable();
        let key = self.table.key(atoms.iter().copied());
        Part { places, atoms, key }
    }

    /// Decides the parts one by one; what no layer knows goes to the solver.
    fn settle(
        &mut self,
        terms: &mut Terms,
        parts: Vec<Part>,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        let mut missed = Vec::new();
        let mut answered = None;
        for part in parts {
            let started = Instant::now();
            let known = self.look_up(terms, &part);
            self.stats.lookup += started.elapsed();
            match known {
                Some((Known::Unsat(core), by)) => {
                    self.blame(&core);
                    self.stats.count(by);
                    return Verdict::Unsat;
                }
                Some((Known::Sat(solution), by)) if self.adopt(terms, &part, solution, by) => {
                    answered = answered.max(Some(by));
                }
                _ => missed.push(part),
            }
        }
        if missed.is_empty() {
            self.satisfied = self.path.steps().len();
            self.stats
                .count(answered.expect("some part was open, and known"));
            return Verdict::Sat;
        }
        self.stats.count(AnsweredBy::Solver);
        match self.layers.asking {
            Asking::Stack => self.ask_all(terms, &missed, assumptions, limits),
            Asking::Scratch => self.ask_each(terms, &missed, limits),
        }
    }

    /// Solves a reused answer again, from scratch: everything if it is sat, its core if it is unsat.
    fn recheck(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        verdict: Verdict,
        limits: &Limits,
    ) -> Verdict {
        let Some(checker) = &mut self.checker else {
            return verdict;
        };
        checker.reset();
        match verdict {
            Verdict::Unsat => {
                for &source in &self.core {
                    checker.assert(terms, self.path.source(source));
                }
            }
            _ => {
                for &formula in self.assertions.formulas().iter().chain(assumptions) {
                    checker.assert(terms, formula);
                }
            }
        }
        let again = checker.check(terms, &[], limits);
        match again {
            Verdict::Unknown(_) => verdict,
            again if again == verdict => verdict,
            again => Verdict::Unknown(Reason::Disagreement(format!(
                "reused answer {verdict:?}, solved again {again:?}"
            ))),
        }
    }

    /// The atoms of a part in the order of the path.
    fn ordered(&self, part: &Part) -> Vec<AtomId> {
        let steps = self.path.steps();
        part.places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect()
    }

    /// Notes the sources of some atoms as the core.
    fn blame(&mut self, atoms: &[AtomId]) {
        self.core = self
            .path
            .steps()
            .iter()
            .filter(|step| atoms.contains(&step.atom))
            .map(|step| step.source)
            .collect();
        self.core.dedup();
    }

    /// Asks the solver about everything on the path.
    fn ask_all(
        &mut self,
        terms: &mut Terms,
        missed: &[Part],
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        let started = Instant::now();
        let verdict = self.solver.check(terms, assumptions, limits);
        self.stats.solved(&verdict, started.elapsed());
        match &verdict {
            Verdict::Sat => {
                self.model = Arc::new(self.solver.model(terms));
                self.evaluator.forget();
                self.satisfied = self.path.steps().len();
                for part in missed {
                    self.remember_sat(terms, part);
                }
            }
            Verdict::Unsat => {
                let core = self.core_of_path(terms);
                self.blame(&core);
                self.remember_unsat(missed, &core);
            }
            Verdict::Unknown(_) => {}
        }
        self.collect_partial(terms, missed);
        verdict
    }

    /// Asks the solver about each part, from scratch.
    fn ask_each(&mut self, terms: &mut Terms, missed: &[Part], limits: &Limits) -> Verdict {
        for part in missed {
            self.solver.reset();
            self.set_partial_limit();
            let formulas: Vec<Term> = self
                .ordered(part)
                .iter()
                .map(|&atom| self.table.get(atom).term)
                .collect();
            // A set that is remembered as unsatisfiable should be small.
            let wants_core = self.layers.exact;
            if !wants_core {
                for &formula in &formulas {
                    self.solver.assert(terms, formula);
                }
            }
            let assumed = if wants_core { &formulas[..] } else { &[] };
            let started = Instant::now();
            let verdict = self.solver.check(terms, assumed, limits);
            self.stats.solved(&verdict, started.elapsed());
            match &verdict {
                Verdict::Sat => {
                    let solution = self.solver.model(terms);
                    let solution = Solution::of(terms, &solution, self.table.inputs(&part.atoms));
                    let id = self.solutions.add(solution);
                    if !self.adopt(terms, part, id, AnsweredBy::Solver) {
                        let reason = "the solver's model does not satisfy what it was asked";
                        return Verdict::Unknown(Reason::Failed(reason.into()));
                    }
                    self.remember_solution(part, id);
                }
                Verdict::Unsat => {
                    let core = if wants_core {
                        self.core_of_assumptions(terms)
                    } else {
                        part.atoms.clone()
                    };
                    self.blame(&core);
                    self.remember_unsat(std::slice::from_ref(part), &core);
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
    fn core_of_path(&mut self, terms: &mut Terms) -> Vec<AtomId> {
        let Some(sources) = self.solver.conflict(terms) else {
            return self.path.steps().iter().map(|step| step.atom).collect();
        };
        let mut core = Vec::new();
        for source in sources {
            core.extend_from_slice(self.table.conjuncts(terms, source));
        }
        core.sort_unstable();
        core.dedup();
        core
    }

    /// The atoms that cannot hold together, after they were the assumptions.
    fn core_of_assumptions(&mut self, terms: &mut Terms) -> Vec<AtomId> {
        let core = self.solver.core();
        let mut atoms: Vec<AtomId> = core
            .into_iter()
            .map(|term| self.table.id(terms, term))
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

impl Solver for Chain {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn push(&mut self) {
        self.assertions.push();
        if self.layers.asking == Asking::Stack {
            self.solver.push();
        }
    }

    fn pop(&mut self, levels: usize) {
        self.assertions.pop(levels);
        if self.layers.asking == Asking::Stack {
            self.solver.pop(levels);
        }
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.assertions.assert(formula);
        if self.layers.asking == Asking::Stack {
            self.solver.assert(terms, formula);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        let asked = self.stats.solver.checks;
        let mut verdict = self.decide(terms, assumptions, limits);
        if self.stats.solver.checks == asked {
            verdict = self.recheck(terms, assumptions, verdict, limits);
        }
        self.stats.total.record(&verdict);
        verdict
    }

    fn model(&mut self, _terms: &mut Terms) -> Assignment {
        Assignment::clone(&self.model)
    }

    fn core(&mut self) -> Vec<Term> {
        let assumed = self.assertions.len() as u32;
        self.core
            .iter()
            .filter(|&&source| source >= assumed)
            .map(|&source| self.path.source(source))
            .collect()
    }

    fn conflict(&mut self, _terms: &Terms) -> Option<Vec<Term>> {
        Some(
            self.core
                .iter()
                .map(|&source| self.path.source(source))
                .collect(),
        )
    }

    fn collect_partial_solutions(&mut self, limit: Option<usize>) {
        self.partial = limit;
        self.set_partial_limit();
    }

    fn partial_solutions(&mut self, _terms: &mut Terms) -> Vec<Assignment> {
        std::mem::take(&mut self.partial_solutions)
    }

    /// What was answered stays answered: the terms are of the same arena.
    fn reset(&mut self) {
        self.solver.reset();
        self.assertions = AssertionStack::default();
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn effort(&self) -> Option<refrain_solver::Effort> {
        Some(self.stats.effort())
    }
}
