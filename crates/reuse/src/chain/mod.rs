//! The chain: a solver that asks another one only what no earlier answer settles.
//!
//! A check goes down the layers, cheapest first, until one of them knows: an atom that is false; the model of the
//! path so far; and for each slice of the path that the model does not satisfy, what answers to the same atoms,
//! reduction, answers to other sets of atoms, and known solutions say (`look_up`). What is left goes to the solver
//! (`ask`), and what it says is remembered (`remember`). Nothing is done before a layer needs it: a check that the
//! model settles has looked at its new atoms and at nothing else.

mod ask;
mod gates;
mod lasting;
mod look_up;
mod part;
mod recheck;
mod reduction;
mod remember;
mod renaming;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_solver::stack::AssertionStack;
use refrain_solver::{Effort, Limits, Solver, Stats, Verdict};
use refrain_store::Store;
use refrain_term::{Assignment, OneArena, Term, Terms};
use rustc_hash::FxHashMap;

use crate::allowance::Allowance;
use crate::answers::{Answer, Answers};
use crate::atoms::{AtomId, AtomTable};
use crate::lasting::{IndexKey, Lasting, SharedAnswers};
use crate::ltrie::{SatTrie, UnsatTrie};
use crate::model::Model;
use crate::normal::NormalAtoms;
use crate::path::Path;
use crate::preset::{Asking, Layers, Slicing};
use crate::quick::QuickTests;
use crate::renamed::Renamed;
use crate::slice::Partitions;
use crate::solution::{SolutionId, Solutions};
use crate::stats::{AnsweredBy, ChainStats, Layer};
use crate::work::Work;
use gates::Gates;
use part::{Part, Slice};

/// A solver in front of which earlier answers are looked up.
pub struct Chain {
    solver: Box<dyn Solver>,
    layers: Layers,
    assertions: AssertionStack,
    /// How many assertions the solver has been told of, and how many of them on levels of their own.
    told: usize,
    told_levels: usize,

    atoms: AtomTable,
    path: Path,
    partitions: Partitions,
    /// By group: the last check that came to it.
    visited: Vec<u64>,

    /// It satisfies the first `satisfied` atoms of the path.
    model: Model,
    satisfied: usize,
    /// Whether it was suggested since the solver was last asked.
    suggested: bool,

    answers: Answers,
    solutions: Solutions,
    normal: NormalAtoms,
    quick: QuickTests,
    unsat: UnsatTrie,
    sat: SatTrie,
    renamed: Renamed,
    /// Answers by canonical form, and the store.
    lasting: Lasting,
    /// Solutions from the store, by what they are listed under.
    fetched: FxHashMap<IndexKey, Vec<SolutionId>>,
    gates: Gates,
    /// What look-ups have done, as far as nobody else counts it.
    work: Work,

    /// Solves reused answers again.
    checker: Option<Box<dyn Solver>>,
    /// After an unsat check: the atoms that cannot hold together.
    core: Rc<[AtomId]>,
    /// How many solutions a query tries, and how many partial ones a solve is asked for.
    tried: Option<Allowance>,
    asked_for: Option<Allowance>,
    /// How many partial solutions somebody else wants, and how many the solver has been told to collect.
    partial: Option<usize>,
    collected: Option<usize>,
    partial_solutions: Vec<Assignment>,
    stats: ChainStats,
    arena: OneArena,
}

/// How many solutions are tried, and partial ones asked for, at first.
const START: usize = 2;

/// Where partial solutions have been of no use, one solve in so many is asked for one all the same.
const SOLVES_BETWEEN_SAMPLES: u64 = 32;

impl Chain {
    pub fn new(solver: Box<dyn Solver>, layers: Layers) -> Chain {
        let adapting = |least: usize, limit: usize| match layers.gates {
            true => Allowance::between(least, limit.min(START), limit),
            false => Allowance::fixed(limit),
        };
        let tried = layers.quick_test.map(|limit| adapting(2, limit));
        let asked_for = layers.partial_solutions.map(|limit| adapting(0, limit));
        let gates = Gates::new(layers.gates);
        let mut chain = Chain {
            tried,
            asked_for,
            collected: None,
            solver,
            layers,
            assertions: AssertionStack::default(),
            told: 0,
            told_levels: 0,
            atoms: AtomTable::default(),
            path: Path::default(),
            partitions: Partitions::default(),
            visited: Vec::new(),
            model: Model::default(),
            satisfied: 0,
            suggested: false,
            answers: Answers::default(),
            solutions: Solutions::default(),
            normal: NormalAtoms::default(),
            quick: QuickTests::default(),
            unsat: UnsatTrie::default(),
            sat: SatTrie::new(),
            renamed: Renamed::default(),
            lasting: Lasting::default(),
            fetched: FxHashMap::default(),
            gates,
            work: Work::default(),
            checker: None,
            core: Rc::default(),
            partial: None,
            partial_solutions: Vec::new(),
            stats: ChainStats::default(),
            arena: OneArena::new(),
        };
        chain.set_partial_limit();
        chain
    }

    /// The solver with these layers in front of it: itself, if there are none.
    pub fn before(
        solver: Box<dyn Solver>,
        layers: Layers,
        store: Option<Store>,
        checker: Option<Box<dyn Solver>>,
    ) -> Box<dyn Solver> {
        if layers.is_nothing() {
            return solver;
        }
        let mut chain = Chain::new(solver, layers);
        chain.keep_in(store);
        chain.check_by(checker);
        Box::new(chain)
    }

    /// Answers are also looked up and kept in a store. Whoever keeps them needs their canonical form anyway.
    pub fn keep_in(&mut self, store: Option<Store>) {
        if store.is_some() {
            self.gates.of(Layer::Canonize).stay_open();
        }
        self.lasting.keep_in(store);
    }

    /// Answers are also looked up and kept where the chains of other threads do.
    pub fn share_with(&mut self, shared: Arc<SharedAnswers>) {
        self.lasting.share_with(shared);
    }

    /// Every answer that did not come from the solver is solved again by another.
    pub fn check_by(&mut self, checker: Option<Box<dyn Solver>>) {
        self.checker = checker;
    }

    pub fn chain_stats(&self) -> &ChainStats {
        &self.stats
    }

    /// Tells the solver how many partial solutions are wanted now.
    fn set_partial_limit(&mut self) {
        let is_sample = self
            .stats
            .solver
            .checks
            .is_multiple_of(SOLVES_BETWEEN_SAMPLES);
        let own = self.asked_for.as_ref().map(Allowance::limit);
        // While nobody tries solutions, there is no use in more of them.
        let own = own
            .map(|limit| if is_sample { limit.max(1) } else { limit })
            .filter(|&limit| limit > 0 && !self.gates.is_resting(Layer::QuickTest));
        let limit = self.partial.max(own);
        if self.collected != limit {
            self.collected = limit;
            self.solver.collect_partial_solutions(limit);
        }
    }

    fn decide(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.partial_solutions.clear();
        let stayed = self.path.follow(
            terms,
            &mut self.atoms,
            &mut self.assertions,
            assumptions,
            self.layers.facts,
            limits,
        );
        match stayed {
            Ok(stayed) => self.satisfied = self.satisfied.min(stayed),
            Err(reason) => {
                self.satisfied = 0;
                // As if the solver had been asked: that is who would have answered.
                let verdict = Verdict::Unknown(reason);
                self.stats.count(AnsweredBy::Solver);
                self.stats.solved(&verdict, Duration::ZERO, 0);
                return verdict;
            }
        }
        if let Some(step) = self.path.refuted() {
            self.core = [step.atom].into();
            self.stats.count(AnsweredBy::Fold);
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
        self.settle(terms, &open, assumptions, limits)
    }

    /// The places of atoms that the model at hand does not satisfy; without a model layer, all of them.
    fn open_places(&mut self, terms: &Terms) -> Vec<u32> {
        let count = self.path.steps().len() as u32;
        if !self.layers.model {
            return (0..count).collect();
        }
        (self.satisfied as u32..count)
            .filter(|&place| !self.holds(terms, place))
            .collect()
    }

    #[inline]
    fn holds(&mut self, terms: &Terms, place: u32) -> bool {
        let atom = self.path.steps()[place as usize].atom;
        self.model.satisfies(terms, &self.atoms, atom)
    }

    /// Decides the slices that open places are in; what no layer knows goes to the solver.
    fn settle(
        &mut self,
        terms: &mut Terms,
        open: &[u32],
        assumptions: &[Term],
        limits: &Limits,
    ) -> Verdict {
        self.follow_partitions();
        let (mut exact, mut derived, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        for &place in open {
            let Some(slice) = self.visit(place) else {
                continue;
            };
            let key = self.key(slice);
            match self.answers.get(key).filter(|_| self.layers.exact) {
                Some(&Answer::Sat(solution)) => {
                    exact.push((slice, solution));
                    continue;
                }
                Some(Answer::Unsat(core)) => {
                    self.core = core.clone();
                    self.stats.count(AnsweredBy::Exact);
                    return Verdict::Unsat;
                }
                None => {}
            }
            let mut part = self.part(slice, place, key);
            match self.look_up(terms, &mut part) {
                Some((Answer::Unsat(core), by)) => {
                    self.core = core;
                    self.stats.count(by);
                    self.remember_derived_unsat(terms, &mut part, by);
                    return Verdict::Unsat;
                }
                Some((Answer::Sat(solution), by)) => derived.push((part, solution, by)),
                None => missed.push(part),
            }
            if self.layers.slicing == Slicing::Off {
                break;
            }
        }
        // Nothing is taken over before all slices have been looked up: what a run does must not depend on what is
        // known of slices beside an impossible one.
        for (slice, solution) in exact {
            // These very atoms have been evaluated under it.
            self.take_over_values(slice, solution);
        }
        let mut answered = AnsweredBy::Exact;
        for (mut part, solution, by) in derived {
            if self.adopt(terms, &part, solution) {
                answered = answered.max(by);
                self.remember_derived_sat(terms, &mut part, by);
            } else {
                missed.push(part);
            }
        }
        if missed.is_empty() {
            self.satisfied = self.path.steps().len();
            self.stats.count(answered);
            return Verdict::Sat;
        }
        if let Some(core) = self.known_together(terms, &missed) {
            self.core = core;
            self.stats.count(AnsweredBy::Exact);
            return Verdict::Unsat;
        }
        self.stats.count(AnsweredBy::Solver);
        self.ask(terms, &mut missed, assumptions, limits)
    }

    /// The atoms that cannot hold together if several parts cannot, and the solver once could not tell which.
    fn known_together(&mut self, terms: &Terms, parts: &[Part]) -> Option<Rc<[AtomId]>> {
        if parts.len() < 2 || !self.layers.exact || self.layers.asking != Asking::Stack {
            return None;
        }
        let mut all = self.together(parts);
        let known = match self.answers.get(all.key) {
            Some(answer) => Some(answer.clone()),
            None if self.layers.canonize && !all.is_large() => self
                .try_layer(Layer::Canonize, |chain| {
                    chain.by_canonical_form(terms, &mut all)
                }),
            None => None,
        };
        match known {
            Some(Answer::Unsat(core)) => Some(core),
            _ => None,
        }
    }

    /// Takes the values that a solution has for a slice over into the model.
    fn take_over_values(&mut self, slice: Slice, solution: SolutionId) {
        let wanted = |input| slice.has(&self.partitions, input);
        let solution = self.solutions.get(solution);
        self.model.adopt(&self.atoms.inputs, solution, wanted);
    }

    /// Takes a solution of a part over into the model, and says whether the part holds under it. If not, nothing is
    /// known of the model any more.
    fn adopt(&mut self, terms: &Terms, part: &Part, solution: SolutionId) -> bool {
        self.take_over_values(part.slice, solution);
        let holds = part.places.iter().all(|&place| self.holds(terms, place));
        if !holds {
            self.satisfied = 0;
        }
        holds
    }

    /// The sources of the core, ascending.
    fn core_sources(&self) -> Vec<u32> {
        let mut core = self.core.to_vec();
        core.sort_unstable();
        let steps = self.path.steps().iter();
        let mut sources: Vec<u32> = steps
            .filter(|step| core.binary_search(&step.atom).is_ok())
            .map(|step| step.source)
            .collect();
        sources.dedup();
        sources
    }

    /// Assertions and assumptions that cannot hold together.
    fn conflicting(&self, terms: &Terms) -> Vec<Term> {
        let sources = self.core_sources().into_iter();
        let mut conflict = sources.map(|source| self.path.source(source)).collect();
        self.atoms.add_sources(terms, &mut conflict);
        conflict
    }
}

impl Solver for Chain {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn push(&mut self) {
        self.assertions.push();
    }

    fn pop(&mut self, levels: usize) {
        self.assertions.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.arena.check(terms);
        self.assertions.assert(formula);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.arena.check(terms);
        let started = Instant::now();
        let (asked, solve) = (self.stats.solver.checks, self.stats.solve);
        let mut verdict = self.decide(terms, assumptions, limits);
        let elsewhere: Duration = self.stats.solve - solve + (self.lasting.time - self.stats.store);
        self.stats.lookup += started.elapsed().saturating_sub(elsewhere);
        self.stats.store = self.lasting.time;
        self.stats.shared_hits = self.lasting.shared_hits;
        self.stats.store_hits = self.lasting.hits;
        self.stats.store_written = self.lasting.written;
        if self.stats.solver.checks == asked {
            verdict = self.recheck(terms, assumptions, verdict, limits);
        }
        self.stats.total.record(&verdict);
        verdict
    }

    fn model(&mut self, terms: &mut Terms) -> Assignment {
        self.arena.check(terms);
        let mut model = Assignment::clone(self.model.assignment());
        self.atoms.complete(terms, &mut model);
        model
    }

    /// The assignment at hand itself, unless facts have to be added.
    fn shared_model(&mut self, terms: &mut Terms) -> Arc<Assignment> {
        self.arena.check(terms);
        match self.atoms.has_facts() {
            true => Arc::new(self.model(terms)),
            false => self.model.assignment().clone(),
        }
    }

    /// Becomes the model at hand: what it satisfies of the path is not looked up.
    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.arena.check(terms);
        if self.layers.model && self.model.replace(model) {
            (self.satisfied, self.suggested) = (0, true);
        }
    }

    fn core(&mut self) -> Vec<Term> {
        let assumed = self.assertions.len() as u32;
        let sources = self.core_sources().into_iter();
        sources
            .filter(|&source| source >= assumed)
            .map(|source| self.path.source(source))
            .collect()
    }

    fn conflict(&mut self, terms: &Terms) -> Option<Vec<Term>> {
        self.arena.check(terms);
        Some(self.conflicting(terms))
    }

    fn collect_partial_solutions(&mut self, limit: Option<usize>) {
        self.partial = limit;
        self.set_partial_limit();
    }

    fn partial_solutions(&mut self, terms: &mut Terms) -> Vec<Assignment> {
        self.arena.check(terms);
        std::mem::take(&mut self.partial_solutions)
    }

    /// What was answered stays answered: the terms are of the same arena.
    fn reset(&mut self) {
        self.solver.reset();
        self.assertions = AssertionStack::default();
        self.path = Path::default();
        self.partitions = Partitions::default();
        self.atoms.reset();
        (self.told, self.told_levels, self.satisfied) = (0, 0, 0);
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn effort(&self) -> Option<Effort> {
        Some(self.stats.effort())
    }
}
