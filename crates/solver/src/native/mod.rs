//! The native solver: bit-vectors, arrays and functions, incrementally, keeping what it learns.
//!
//! The solver holds one *model* and repairs it. A check brings the stack of active atoms in line with the assertions
//! and assumptions, finds the atoms that the model violates, and repairs it for each of them: by another value for
//! one input where sets of values tell one, by solving the independent component around it with the SAT engine
//! elsewhere. One encoding and one engine serve all checks; atoms are assumed, never asserted, so what the engine
//! learns stays true.
//!
//! What lives how long:
//! * one check: the violated atoms, their components, the core, the partial solutions;
//! * one scope (push to pop): which atoms are active;
//! * one encoding epoch: literals, clauses, lemmas, learned clauses (`engine`);
//! * the session (until [`Solver::reset`]): simplified terms and facts, truth tables, inputs, the model.

mod arith;
mod atoms;
mod blast;
mod component;
mod current;
mod domain;
mod engine;
mod inputs;
mod partial;
mod refine;
mod samples;
mod shift;
mod suggested;
mod values;
mod work;

use std::sync::Arc;

use refrain_term::{Assignment, Evaluator, OneArena, Op, Support, Term, Terms};
use rustc_hash::FxHashMap;

use crate::simplify::{CompletedModel, Simplifier, Tables};
use crate::stack::AssertionStack;
use crate::{CheckResult, Conflict, Limits, Outcome, Query, Reason, Solver, Stats, Verdict};
use atoms::{Atom, AtomId, Atoms};
use blast::Blaster;
use component::{Component, ComponentFinder};
use current::CurrentModel;
use domain::Allowed;
use inputs::InputTable;
use partial::{PartialSolutions, set_scalar};
use shift::Linear;
use work::{Kind, Work};

/// The native solver.
pub struct Native {
    tuning: Tuning,
    assertions: AssertionStack,
    /// The assertions and assumptions that the active atoms come from, and how many atoms were active before each.
    sources: Vec<Source>,

    simplifier: Simplifier,
    support: Support,
    tables: Tables,
    inputs: InputTable,
    atoms: Atoms,
    /// By source term: its atoms.
    conjuncts: FxHashMap<Term, Box<[AtomId]>>,
    finder: ComponentFinder,

    /// The current assignment. It satisfies the first `satisfied` active atoms.
    model: CurrentModel,
    completed: CompletedModel,
    satisfied: usize,
    /// Whether the model holds values that no check has confirmed.
    in_doubt: bool,
    evaluator: Evaluator,
    /// State of the generator that proposes values, and how many evaluations of atoms it may still cause in this check.
    random: u64,
    evaluations_left: usize,

    blaster: Blaster,
    /// About how many variables of the engine the circuits of recent queries took.
    live_size: usize,

    /// Sources that cannot hold together, after an unsat check.
    core: Vec<u32>,
    partial: Option<PartialSolutions>,
    work: Work,
    stats: NativeStats,
    arena: OneArena,
}

#[derive(Clone, Copy)]
struct Source {
    term: Term,
    first_atom: u32,
}

/// Counts of what the native solver did.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeStats {
    pub total: Stats,
    /// Checks that the model at hand answered.
    pub by_model: u64,
    /// Violated atoms that sets of values decided.
    pub by_values: u64,
    /// Violated atoms that the SAT engine decided.
    pub by_engine: u64,
    pub refinements: u64,
    pub epochs: u64,
}

/// What the native solver uses; tests and benchmarks switch parts off to see what they do.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Keep what satisfied the last check where it still does, and solve only the components that need it. Otherwise
    /// every check solves all active atoms.
    pub components: bool,
    /// Decide atoms about one small input by sets of values.
    pub values: bool,
    /// An encoding epoch ends when the engine has more variables than this, plus a multiple of what recent queries use.
    pub epoch_slack: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            components: true,
            values: true,
            epoch_slack: 10_000,
        }
    }
}

/// What became of a component.
enum Repair {
    Done,
    Impossible,
    Gave(Reason),
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
            assertions: AssertionStack::default(),
            sources: Vec::new(),
            simplifier: Simplifier::default(),
            support: Support::new(),
            tables: Tables::default(),
            inputs: InputTable::default(),
            atoms: Atoms::default(),
            conjuncts: FxHashMap::default(),
            finder: ComponentFinder::default(),
            model: CurrentModel::default(),
            completed: CompletedModel::default(),
            satisfied: 0,
            in_doubt: false,
            evaluator: Evaluator::new(),
            random: 0x2545_f491_4f6c_dd1d,
            evaluations_left: 0,
            blaster: Blaster::new(),
            live_size: 0,
            core: Vec::new(),
            partial: None,
            work: Work::default(),
            stats: NativeStats::default(),
            arena: OneArena::new(),
        }
    }

    /// Counts beyond those that all solvers keep.
    pub fn native_stats(&self) -> NativeStats {
        self.stats
    }

    fn decide(&mut self, terms: &mut Terms, assumptions: &[Term], limits: &Limits) -> Verdict {
        self.core.clear();
        if let Err(reason) = self.bring_in_line(terms, assumptions, limits) {
            return Verdict::Unknown(reason);
        }
        if !self.tuning.components {
            return self.decide_all(terms, limits);
        }
        let active = self.atoms.active().len() as u32;
        let unsure = active as usize - self.satisfied;
        self.work.note(Kind::Evaluated, unsure);
        let violated: Vec<u32> = (self.satisfied as u32..active)
            .filter(|&place| !self.holds(terms, place))
            .collect();
        if violated.is_empty() {
            self.stats.by_model += 1;
        }
        self.evaluations_left = values::EVALUATIONS_PER_CHECK.max(8 * active as usize);
        for place in violated {
            // The repair of an earlier component may have repaired this one.
            if self.holds(terms, place) {
                continue;
            }
            if self.atoms.at(place).term == Term::FALSE {
                self.core = vec![self.atoms.active()[place as usize].source];
                return Verdict::Unsat;
            }
            if let Some(reason) = limits.exceeded() {
                return Verdict::Unknown(reason);
            }
            match self.repair(terms, place, limits) {
                Repair::Done => {}
                Repair::Impossible => return Verdict::Unsat,
                Repair::Gave(reason) => return Verdict::Unknown(reason),
            }
        }
        self.satisfied = self.atoms.active().len();
        Verdict::Sat
    }

    /// Decides by the engine alone, from all active atoms, as if nothing were known.
    fn decide_all(&mut self, terms: &mut Terms, limits: &Limits) -> Verdict {
        let places: Vec<u32> = (0..self.atoms.active().len() as u32).collect();
        if let Some(&place) = places
            .iter()
            .find(|&&place| self.atoms.at(place).term == Term::FALSE)
        {
            self.core = vec![self.atoms.active()[place as usize].source];
            return Verdict::Unsat;
        }
        let component = Component {
            places,
            inputs: self.inputs.ids().collect(),
        };
        match self.repair_by_engine(terms, &component, limits) {
            Repair::Done => Verdict::Sat,
            Repair::Impossible => Verdict::Unsat,
            Repair::Gave(reason) => Verdict::Unknown(reason),
        }
    }

    /// Makes the active atoms those of the assertions and assumptions, or of the first of them if a limit is reached.
    fn bring_in_line(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<(), Reason> {
        let count = self.assertions.len() + assumptions.len();
        let wanted = |native: &Native, i: usize| match native.assertions.formulas().get(i) {
            Some(&term) => term,
            None => assumptions[i - native.assertions.len()],
        };
        let mut kept = self
            .assertions
            .followed()
            .min(count)
            .min(self.sources.len());
        while kept < self.sources.len()
            && kept < count
            && self.sources[kept].term == wanted(self, kept)
        {
            kept += 1;
        }
        if let Some(&Source { first_atom, .. }) = self.sources.get(kept) {
            self.atoms
                .deactivate_to(first_atom as usize, &mut self.inputs);
            self.satisfied = self.satisfied.min(first_atom as usize);
            self.sources.truncate(kept);
        }
        for i in kept..count {
            let term = wanted(self, i);
            let base = self.assertions.is_base(i);
            let first_atom = self.atoms.active().len() as u32;
            self.assertions.follow(i);
            if i.is_multiple_of(1024)
                && let Some(reason) = limits.exceeded()
            {
                return Err(reason);
            }
            let atoms = match self.conjuncts.get(&term) {
                Some(atoms) => atoms.clone(),
                None => self.take_apart(terms, term, base, limits)?,
            };
            self.sources.push(Source { term, first_atom });
            self.work.note(Kind::Activated, atoms.len());
            for &atom in &atoms {
                self.atoms.activate(atom, i as u32, &mut self.inputs);
            }
        }
        self.assertions.follow(count);
        Ok(())
    }

    /// The atoms of an assertion or assumption: the conjuncts of its simplified form that are not facts from now on.
    fn take_apart(
        &mut self,
        terms: &mut Terms,
        source: Term,
        base: bool,
        limits: &Limits,
    ) -> Result<Box<[AtomId]>, Reason> {
        let mut atoms = Vec::new();
        let mut facts = false;
        let mut stack = vec![source];
        let mut steps = 0u32;
        while let Some(term) = stack.pop() {
            steps += 1;
            if steps.is_multiple_of(1024)
                && let Some(reason) = limits.exceeded()
            {
                return Err(reason);
            }
            if terms.op(term) == Op::And {
                stack.extend(terms.args(term).iter().rev());
                continue;
            }
            let simple =
                self.simplifier
                    .apply(terms, &mut self.support, &mut self.tables, term, limits)?;
            if terms.op(simple) == Op::And {
                stack.extend(terms.args(simple).iter().rev());
                continue;
            }
            if simple == Term::TRUE {
                continue;
            }
            let mut seen = inputs::Noting {
                inputs: &mut self.inputs,
                model: &self.model,
            };
            if base
                && self
                    .simplifier
                    .learn(terms, &mut self.support, &mut seen, source, simple)
            {
                facts = true;
                continue;
            }
            atoms.push(self.atom(terms, simple));
        }
        self.work.note(Kind::TakenApart, steps as usize);
        let atoms: Box<[AtomId]> = atoms.into();
        if facts {
            self.evaluator.forget();
        } else {
            self.conjuncts.insert(source, atoms.clone());
        }
        Ok(atoms)
    }

    fn atom(&mut self, terms: &Terms, term: Term) -> AtomId {
        if let Some(known) = self.atoms.find(term) {
            return known;
        }
        let inputs = self.support.inputs(terms, term);
        let ids = inputs
            .iter()
            .map(|&input| self.inputs.intern(terms, &self.model, input))
            .collect();
        let allowed = match inputs[..] {
            [single] => match Tables::single_input(terms, &mut self.support, term) {
                Some((input, bits)) => {
                    Some(Allowed::Values(self.tables.truth(terms, term, input, bits)))
                }
                None => Allowed::range(terms, term, single),
            },
            _ => None,
        };
        let linear = Linear::of(terms, &self.inputs, term);
        self.atoms.add(Atom {
            term,
            inputs: ids,
            allowed,
            linear,
        })
    }

    /// Changes the model so that it satisfies the active atom at `place`, and still all those that it satisfied before.
    fn repair(&mut self, terms: &mut Terms, place: u32, limits: &Limits) -> Repair {
        if self.tuning.values
            && let Some(repair) = self
                .repair_by_shift(terms, place, limits)
                .or_else(|| self.repair_by_values(terms, place, limits))
        {
            self.stats.by_values += 1;
            return repair;
        }
        self.stats.by_engine += 1;
        let component = self.finder.find(&self.atoms, &self.inputs, place);
        self.repair_by_engine(terms, &component, limits)
    }

    /// After an unsat check: assertions and assumptions that cannot hold together.
    fn conflict(&self, terms: &Terms) -> Conflict {
        let source = |&source: &u32| self.sources[source as usize].term;
        let is_assumption = |source: &&u32| **source as usize >= self.assertions.len();
        let core = self.core.iter().filter(is_assumption).map(source).collect();
        let mut formulas = self.core.iter().map(source).collect();
        // What facts were used for is no part of the core.
        self.simplifier.add_sources(terms, &mut formulas);
        Conflict {
            core,
            formulas: Some(formulas),
        }
    }

    /// How many partial solutions the next check may collect.
    fn want_partial_solutions(&mut self, most: usize) {
        match &mut self.partial {
            _ if most == 0 => self.partial = None,
            Some(partial) if partial.limit() == most => partial.clear(),
            partial => *partial = Some(PartialSolutions::new(most)),
        }
    }

    fn partial_solutions(&mut self, terms: &Terms) -> Vec<Assignment> {
        let Some(partial) = &self.partial else {
            return Vec::new();
        };
        self.stats.total.partial_solutions += partial.len() as u64;
        let mut assignments = partial.assignments(terms);
        for assignment in &mut assignments {
            self.simplifier.complete(terms, assignment);
        }
        assignments
    }

    /// Whether the model satisfies the active atom at `place`.
    fn holds(&mut self, terms: &Terms, place: u32) -> bool {
        let atom = self.atoms.at(place);
        match (&atom.allowed, &atom.linear) {
            (Some(allowed), _) => allowed.contains(self.inputs.info(atom.inputs[0]).value),
            (None, Some(linear)) => linear.holds(&self.inputs),
            (None, None) => self.evaluator.bool(terms, &self.model, atom.term),
        }
    }
}

impl Solver for Native {
    fn name(&self) -> &str {
        "native"
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

    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Outcome {
        self.arena.check(terms);
        self.work.note(Kind::Check, 1);
        self.want_partial_solutions(query.wants.partial_solutions);
        let verdict = self.decide(terms, query.assumptions, query.limits);
        self.stats.total.record(&verdict);
        let result = match verdict {
            Verdict::Sat => CheckResult::Sat(self.completed.of(
                &self.simplifier,
                terms,
                &self.model,
                self.model.changes(),
            )),
            Verdict::Unsat if query.wants.core => CheckResult::Unsat(self.conflict(terms)),
            Verdict::Unsat => CheckResult::Unsat(Conflict::of_all(query.assumptions)),
            Verdict::Unknown(reason) => CheckResult::Unknown(reason),
        };
        Outcome {
            result,
            partial_solutions: self.partial_solutions(terms),
        }
    }

    /// Its values become those of the model to be repaired.
    fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) {
        self.arena.check(terms);
        self.satisfied = 0;
        for input in self.inputs.ids() {
            self.take_value(terms, input, model);
        }
    }

    fn reset(&mut self) {
        let (stats, work) = (self.stats, self.work);
        *self = Native::with_tuning(self.tuning);
        (self.stats, self.work) = (stats, work);
    }

    fn stats(&self) -> Stats {
        self.stats.total
    }

    fn work(&self) -> Option<u64> {
        Some(self.work.units())
    }
}
