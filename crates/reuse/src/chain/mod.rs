//! The chain: a solver that asks another one only what no earlier answer settles.
//!
//! A check goes down the layers, cheapest first, until one of them knows: an atom that is false; the model of the
//! path so far; and for each slice of the path that the model does not satisfy, what answers to the same atoms,
//! reduction, answers to other sets of atoms, and known solutions say (`look_up`). What is left goes to the solver
//! (`ask`), and what it says is remembered (`remember`). Nothing is done before a layer needs it: a check that the
//! model settles has looked at its new atoms and at nothing else.

mod ask;
mod eviction;
#[cfg(test)]
mod faults;
mod gates;
mod lasting;
mod look_up;
mod memory;
mod part;
mod recheck;
mod reduction;
mod remember;
mod renaming;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refrain_path::partial_solution::completed;
use refrain_path::repair::tried::Tried;
use refrain_path::repair::{self, Repair};
use refrain_path::{AtomId, Following, Kind, PartialSolution, Path, Reason, Slice, SolutionId};
use refrain_solver::{CheckResult, Conflict, Effort, Outcome, Query, Solver, Stats, Verdict};
use refrain_store::Store;
use refrain_term::{Assignment, Term, Terms, print};

use crate::allowance::Allowance;
use crate::answers::Answer;
use crate::lasting::{Lasting, SharedAnswers};
use crate::preset::{Asking, Layers, Slicing};
use crate::stats::{AnsweredBy, ChainStats, Layer};
use ask::Underlying;
pub use eviction::MOST_REMEMBERED;
use gates::Gates;
use memory::Memory;
use part::{Part, Visits};

/// A solver in front of which earlier answers are looked up.
pub struct Chain {
    layers: Layers,
    /// The assertions, their atoms and slices, and the model at hand.
    path: Path,
    visits: Visits,
    /// What is known of sets of atoms, by their names.
    memory: Memory,
    /// Answers by canonical form, and the store.
    lasting: Lasting,
    gates: Gates,
    /// How many solutions a set keeps and tries (K_s), and how many partial ones a solve is asked for (K_p).
    kept: Option<Allowance>,
    asked_for: Option<Allowance>,
    /// Who is asked what no layer knows.
    underlying: Underlying,
    /// Solves reused answers again.
    checker: Option<Box<dyn Solver>>,
    /// How many bytes may be remembered.
    most_bytes: usize,
    /// How many checks have looked answers up.
    look_ups: u32,
    stats: ChainStats,
}

/// What a check finds out, before it is put into the terms of whoever asked.
enum Found {
    /// The model satisfies the path.
    Sat,
    /// These atoms cannot hold together.
    Unsat(Rc<[AtomId]>),
    Unknown(Reason),
}

impl Chain {
    pub fn new(solver: Box<dyn Solver>, layers: Layers) -> Chain {
        Chain {
            path: Path::new(Following {
                simplify: layers.facts,
                slices: layers.slicing != Slicing::Scratch,
            }),
            visits: Visits::default(),
            memory: Memory::default(),
            lasting: Lasting::default(),
            gates: Gates::new(layers.gates),
            kept: layers.quick_test.map(|count| Allowance::of(count, 2)),
            asked_for: layers
                .partial_solutions
                .map(|count| Allowance::of(count, 0)),
            underlying: Underlying::new(solver, layers.asking),
            checker: None,
            most_bytes: MOST_REMEMBERED,
            look_ups: 0,
            stats: ChainStats::default(),
            layers,
        }
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

    /// Answers are also looked up and kept in a store: by name where canonical forms are no layer. Whoever keeps them
    /// needs their canonical form anyway.
    pub fn keep_in(&mut self, store: Option<Store>) {
        if store.is_some() {
            self.gates.of(Layer::Canonize).stay_open();
        }
        self.lasting.keep_in(store, !self.layers.canonize);
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

    /// What the path comes to.
    fn decide(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        if let Err(reason) = self.path.follow(terms, query.assumptions, query.limits) {
            // As if the solver had been asked: that is who would have answered.
            let verdict = Verdict::Unknown(reason.clone());
            self.stats.count(AnsweredBy::Solver);
            self.stats.solved(&verdict, Duration::ZERO, 0);
            return Found::Unknown(reason);
        }
        if let Some(refuted) = self.path.refuted() {
            self.stats.count(AnsweredBy::Fold);
            return Found::Unsat([refuted].into());
        }
        // Without a model layer nothing is known of any atom.
        let open = match self.layers.model {
            true => self.path.violated(terms),
            false => self.path.places(Slice::All),
        };
        if open.is_empty() {
            self.path.note_satisfied();
            self.stats.count(match self.layers.model {
                true => AnsweredBy::Model,
                false => AnsweredBy::Fold,
            });
            return Found::Sat;
        }
        self.settle(terms, &open, query, partial)
    }

    /// Decides the slices that open places are in; what no layer knows goes to the solver.
    fn settle(
        &mut self,
        terms: &mut Terms,
        open: &[u32],
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Found {
        self.make_room();
        self.path.follow_slices();
        self.path.begin_repairs();
        self.visits.begin();
        let mut answered = AnsweredBy::Model;
        let (mut known, mut missed) = (Vec::new(), Vec::new());
        for &place in open {
            match self.mend(terms, place, query, partial) {
                Some(Repair::Done) => continue,
                Some(Repair::Impossible(core)) => {
                    self.stats.count(AnsweredBy::Reduce);
                    return Found::Unsat(core.into());
                }
                Some(Repair::Stopped(_)) | None => {}
            }
            let Some(slice) = self.visit(place) else {
                continue;
            };
            let key = self.path.key(slice);
            let mut part = self.part(slice, place, key);
            match self
                .by_exact_set(&part)
                .or_else(|| self.look_up(terms, &mut part))
            {
                Some((Answer::Unsat(core), by)) => {
                    self.stats.count(by);
                    self.remember_derived_unsat(terms, &mut part, &core, by);
                    return Found::Unsat(core);
                }
                Some((Answer::Sat(solution), by)) => known.push((part, solution, by)),
                None => missed.push(part),
            }
            if self.layers.slicing == Slicing::Off {
                break;
            }
        }
        // Nothing is taken over before all slices have been looked up: what a run does must not depend on what is
        // known of slices beside an impossible one.
        for (mut part, solution, by) in known {
            if self.adopt(terms, &part, solution) {
                answered = answered.max(by);
                self.remember_derived_sat(terms, &mut part, by);
            } else {
                missed.push(part);
            }
        }
        if missed.is_empty() {
            self.path.note_satisfied();
            self.stats.count(answered);
            return Found::Sat;
        }
        if let Some(core) = self.known_together(terms, &missed) {
            self.stats.count(AnsweredBy::Exact);
            return Found::Unsat(core);
        }
        self.ask(terms, missed, query, partial)
    }

    /// What is known of the very same atoms. A key is a hash: its core must be on the path, and its solution is
    /// evaluated before it counts.
    fn by_exact_set(&mut self, part: &Part) -> look_up::Found {
        if !self.layers.exact {
            return None;
        }
        let answer = self.memory.answers.get(part.key)?;
        let is_sound = match &answer {
            Answer::Sat(_) => true,
            Answer::Unsat(core) => self.path.has_all(core),
        };
        is_sound.then_some((answer, AnsweredBy::Exact))
    }

    /// Mends the model where another value of one input does it, if that takes hardly longer than looking up.
    fn mend(
        &mut self,
        terms: &mut Terms,
        place: u32,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Option<Repair> {
        if !self.layers.repair {
            return None;
        }
        if self.path.holds(terms, place) {
            return Some(Repair::Done);
        }
        self.repair(terms, place, repair::Effort::QUICK, query, partial)
    }

    /// Repairs the model, and hands on what that went through.
    fn repair(
        &mut self,
        terms: &mut Terms,
        place: u32,
        effort: repair::Effort,
        query: &Query<'_>,
        partial: &mut Vec<PartialSolution>,
    ) -> Option<Repair> {
        let mut tried = Tried::new(query.wants.partial_solutions);
        let repair = self
            .path
            .repair(terms, place, effort, &mut tried, query.limits);
        let tried = tried.into_partial_solutions();
        partial.append(&mut completed(terms, &self.path.atoms, tried));
        repair
    }

    /// The atoms that cannot hold together if several parts cannot, and the solver once could not tell which.
    fn known_together(&mut self, terms: &Terms, parts: &[Part]) -> Option<Rc<[AtomId]>> {
        if parts.len() < 2 || !self.layers.exact || self.layers.asking != Asking::Stack {
            return None;
        }
        let mut all = self.together(parts);
        let known = match self.by_exact_set(&all) {
            Some((answer, _)) => Some(answer),
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

    /// Takes a solution of a part over into the model, and says whether the part holds under it.
    fn adopt(&mut self, terms: &Terms, part: &Part, solution: SolutionId) -> bool {
        let solutions = &mut self.memory.solutions;
        let values = solutions.get(solution);
        let holds = self.path.adopt(terms, part.slice, &part.places, values);
        if holds {
            solutions.note_use(solution);
        }
        holds
    }

    /// An answer in the terms of whoever asked: a model that evaluation has confirmed, or assertions and assumptions.
    fn result(&mut self, terms: &Terms, found: Found, query: &Query<'_>) -> CheckResult {
        match found {
            Found::Sat => match self.path.certified(terms) {
                Ok(model) => CheckResult::Sat(model),
                Err(formula) => CheckResult::Unknown(Reason::Failed(format!(
                    "the model found does not satisfy {}",
                    print(terms, formula)
                ))),
            },
            Found::Unsat(core) => CheckResult::Unsat(match query.wants.core {
                true => Conflict {
                    core: self.path.assumptions_of(&core),
                    formulas: Some(self.path.conflict_of(terms, &core)),
                },
                false => Conflict::of_all(query.assumptions),
            }),
            Found::Unknown(reason) => CheckResult::Unknown(reason),
        }
    }
}

fn wrong_model() -> Reason {
    Reason::Failed("the model found does not satisfy what was asked".into())
}

impl Solver for Chain {
    fn name(&self) -> &str {
        self.underlying.name()
    }

    fn push(&mut self) {
        self.path.push();
    }

    fn pop(&mut self, levels: usize) {
        self.path.pop(levels);
    }

    fn assert(&mut self, terms: &mut Terms, formula: Term) {
        self.path.assert(terms, formula);
    }

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        let started = Instant::now();
        self.path.work.note(Kind::Check, 1);
        let (asked, solve) = (self.stats.solver.checks, self.stats.solve);
        let mut partial_solutions = Vec::new();
        let found = self.decide(terms, query, &mut partial_solutions);
        partial_solutions.truncate(query.wants.partial_solutions);
        let wants_recheck = self.checker.is_some() && self.stats.solver.checks == asked;
        let core = match &found {
            Found::Unsat(core) if wants_recheck => core.clone(),
            _ => Rc::default(),
        };
        let mut result = self.result(terms, found, query);
        let elsewhere: Duration = self.stats.solve - solve + (self.lasting.time - self.stats.store);
        self.stats.lookup += started.elapsed().saturating_sub(elsewhere);
        self.stats.store = self.lasting.time;
        self.stats.shared_hits = self.lasting.shared_hits;
        self.stats.store_hits = self.lasting.hits;
        self.stats.store_written = self.lasting.written;
        if wants_recheck {
            result = self.recheck(terms, query, &core, result);
        }
        self.stats.total.record(&result.verdict());
        Outcome {
            result,
            partial_solutions,
        }
    }

    /// Becomes the model at hand: what it satisfies of the path is not looked up.
    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        if self.layers.model && self.path.suggest(terms, model) {
            self.underlying.note_suggestion();
        }
    }

    /// What was answered stays answered: the terms are of the same arena.
    fn reset(&mut self) {
        self.underlying.reset();
        self.path.reset();
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn effort(&self) -> Option<Effort> {
        Some(self.stats.effort())
    }
}
