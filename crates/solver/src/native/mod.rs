//! The native solver: bit-vectors, arrays, functions and numbers, incrementally, keeping what it learns.
//!
//! It is a [`Path`], which holds one *model*, and an [`Engine`], which decides slices of it. A check brings the path
//! in line with the assertions and assumptions, finds the atoms that the model violates, and mends it for each of them:
//! by another value for one input where sets of values tell one ([`refrain_path::repair`]), by the SAT engine in the
//! slice around it elsewhere. One encoding and one engine serve all checks; atoms are assumed, never asserted, so what
//! the engine learns stays true. Whoever has a path of its own can have the engine alone ([`Solver::take_engine`]).
//!
//! What lives how long:
//! * one check: the violated atoms, their slices, the core, the partial solutions;
//! * one scope (push to pop): which atoms are on the path;
//! * one encoding epoch: literals, clauses, lemmas, learned clauses (`engine`);
//! * the session (until [`Solver::reset`]): simplified terms and facts, sets of values, inputs, the model.

mod arith;
mod blast;
mod congruence;
mod engine;
mod enumerate;
mod forms;
mod intervals;
mod partial;
mod refine;
mod theory;
mod unconstrained;

use std::sync::Arc;

use refrain_path::partial_solution::completed;
use refrain_path::repair::{Effort, Repair};
use refrain_path::{AtomId, Following, Kind, Path, Slice};
use refrain_term::{Assignment, Term, Terms};

use crate::{CheckResult, Conflict, Outcome, Query, Reason, Solver, Stats};
pub use engine::{Engine, EngineStats};
pub use partial::PartialSolutions;

/// The native solver.
pub struct Native {
    tuning: Tuning,
    path: Path,
    engine: Engine,
    stats: NativeStats,
}

/// Counts of what the native solver did.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeStats {
    pub total: Stats,
    /// Checks that the model at hand answered.
    pub by_model: u64,
    /// Violated atoms that sets of values decided.
    pub by_values: u64,
    /// Of those that the SAT engine decided.
    pub engine: EngineStats,
}

/// What the native solver uses; tests and benchmarks switch parts off to see what they do.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Keep what satisfied the last check where it still does, and solve only the slices that need it. Otherwise
    /// every check solves all atoms.
    pub slices: bool,
    /// Repair the model by sets of values.
    pub values: bool,
    /// An encoding epoch ends when the engine has more variables than this, plus a multiple of what recent queries use.
    pub epoch_slack: usize,
    /// Search and contract intervals where atoms are about floats.
    pub search: bool,
    /// Eliminate what nothing constrains before a slice is encoded.
    pub eliminate: bool,
    /// Look at what words are where circuits would be hard.
    pub forms: bool,
    /// Try all values of inputs that have few, where the engine takes longer than that.
    pub enumerate: bool,
    /// So many candidates are refuted by single cells of a constant table before all of it is encoded.
    pub table_lemmas: u32,
    /// So many differences of integers are a graph, where nothing else counts; fewer are rows of the tableau.
    pub graph_from: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            slices: true,
            values: true,
            search: true,
            eliminate: true,
            forms: true,
            enumerate: true,
            epoch_slack: 10_000,
            table_lemmas: 4,
            graph_from: 16,
        }
    }
}

/// How a check ends without a model.
enum Stop {
    /// These atoms cannot hold together.
    Unsat(Vec<AtomId>),
    Unknown(Reason),
}

impl Default for Native {
    fn default() -> Native {
        Native::new()
    }
}

impl Native {
    pub fn new() -> Native {
        Native::with_tuning(Tuning::default())
    }

    pub fn with_tuning(tuning: Tuning) -> Native {
        Native {
            tuning,
            path: Path::new(Following {
                simplify: true,
                slices: true,
            }),
            engine: Engine::with_tuning(tuning),
            stats: NativeStats::default(),
        }
    }

    /// Counts beyond those that all solvers keep.
    pub fn native_stats(&self) -> NativeStats {
        NativeStats {
            engine: self.engine.stats(),
            ..self.stats
        }
    }

    fn decide(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        partial: &mut PartialSolutions,
    ) -> CheckResult {
        match self.satisfy(terms, query, partial) {
            Ok(()) => match self.path.certified(terms) {
                Ok(model) => CheckResult::Sat(model),
                Err(_) => CheckResult::Unknown(Reason::Failed(
                    "the model found does not satisfy the assertions".into(),
                )),
            },
            Err(Stop::Unsat(core)) => CheckResult::Unsat(match query.wants.core {
                true => Conflict {
                    core: self.path.assumptions_of(&core),
                    formulas: Some(self.path.conflict_of(terms, &core)),
                },
                false => Conflict::of_all(query.assumptions),
            }),
            Err(Stop::Unknown(reason)) => CheckResult::Unknown(reason),
        }
    }

    /// Makes the model satisfy the assertions and assumptions.
    fn satisfy(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        partial: &mut PartialSolutions,
    ) -> Result<(), Stop> {
        let path = &mut self.path;
        path.follow(terms, query.assumptions, query.limits)
            .map_err(Stop::Unknown)?;
        if let Some(refuted) = path.refuted() {
            return Err(Stop::Unsat(vec![refuted]));
        }
        if !self.tuning.slices {
            path.doubt_model();
        }
        let violated = match self.tuning.slices {
            true => path.violated(terms),
            false => path.places(Slice::All),
        };
        if violated.is_empty() {
            self.stats.by_model += 1;
        } else {
            path.follow_slices();
            path.begin_repairs();
        }
        for place in violated {
            // The repair of an earlier slice may have repaired this one.
            if self.tuning.slices && self.path.holds(terms, place) {
                continue;
            }
            if let Some(reason) = query.limits.exceeded() {
                return Err(Stop::Unknown(reason));
            }
            match self.repair(terms, place, query, partial) {
                Repair::Done => {}
                Repair::Impossible(core) => return Err(Stop::Unsat(core)),
                Repair::Stopped(reason) => return Err(Stop::Unknown(reason)),
            }
            if !self.tuning.slices {
                break;
            }
        }
        self.path.note_satisfied();
        Ok(())
    }

    /// Changes the model so that it satisfies the atom at `place`, and still all those that it satisfied before.
    fn repair(
        &mut self,
        terms: &mut Terms,
        place: u32,
        query: &Query<'_>,
        partial: &mut PartialSolutions,
    ) -> Repair {
        let path = &mut self.path;
        if self.tuning.values && self.tuning.slices {
            let (effort, limits) = (Effort::FULL, query.limits);
            let repair = path.repair(terms, place, effort, &mut partial.tried, limits);
            if let Some(repair) = repair {
                self.stats.by_values += 1;
                return repair;
            }
        }
        let slice = match self.tuning.slices {
            true => path.slice_of(place),
            false => Slice::All,
        };
        let places = path.places(slice);
        self.engine
            .solve(terms, path, &places, partial, query.limits)
    }
}

impl Solver for Native {
    fn name(&self) -> &str {
        "native"
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
        self.path.work.note(Kind::Check, 1);
        let mut partial = PartialSolutions::new(query.wants.partial_solutions);
        let result = self.decide(terms, query, &mut partial);
        let partial_solutions = completed(terms, &self.path.atoms, partial.into_sample(terms));
        self.stats.total.record(&result.verdict());
        self.stats.total.partial_solutions += partial_solutions.len() as u64;
        Outcome {
            result,
            partial_solutions,
        }
    }

    /// It becomes the model to be repaired.
    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.path.suggest(terms, model);
    }

    fn take_engine(&mut self) -> Option<Engine> {
        Some(std::mem::take(&mut self.engine))
    }

    fn reset(&mut self) {
        let (stats, work) = (self.native_stats(), self.path.work);
        *self = Native::with_tuning(self.tuning);
        (self.stats, self.path.work) = (stats, work);
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn work(&self) -> Option<u64> {
        Some(self.path.work.units())
    }
}
