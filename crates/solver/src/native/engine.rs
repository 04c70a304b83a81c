//! The SAT engine: decides what repairs leave open.
//!
//! All atoms of a slice are assumed, in the order of the path, so that the engine finds again what consecutive
//! checks share. A candidate that arrays and functions let stand becomes the model, once evaluation has confirmed it.
//! It knows neither assertions nor earlier answers: what it learns is valid by itself, and serves every later slice.

use std::cell::RefCell;

use refrain_path::repair::Repair;
use refrain_path::repair::search::Steps;
use refrain_path::solution::{Datum, Solution};
use refrain_path::{AtomId, InputId, Kind, Limits, Path, Reason};
use refrain_sat::{Engine as _, Lit, Outcome, Query, StopReason, TrailView};
use refrain_term::{FloatOp, Input, Op, Rational, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Tuning;
use super::arith;
use super::blast::{Blaster, Cone};
use super::congruence::{Shared, Values, plain_sides};
use super::enumerate::{Enumeration, FunctionTables};
use super::forms::{self, Hardness};
use super::intervals;
use super::partial::PartialSolutions;
use super::theory::Session;
use super::unconstrained::{Elimination, Eliminator};

/// Why some queries about arrays are not decided.
const MANY_WRITES: &str = "arrays with as many writes as indices";

/// Why some queries about floats are not decided.
const FUNCTIONS: &str = "functions of floats that have no circuit";

/// So many candidates may have a function of floats wrong.
const MOST_POINTS: usize = 200;

/// After so many conflicts the search starts again, from nowhere and with an encoding of this query alone.
const PATIENCE: u64 = 500;

/// After so many conflicts it is worth a try to enumerate values.
const EASY: u64 = 8;

/// How often the first try to enumerate is made half as long, while it comes to nothing.
const MOST_HALVINGS: u32 = 6;

/// While it comes to nothing, values are tried first for one slice in so many.
const SELDOM: u64 = 16;

/// How much encoding, for all that recent queries use, is too much.
const EPOCH_FACTOR: usize = 3;

/// Where a search starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Where the model is.
    Model,
    Nowhere,
}

/// One encoding and one SAT engine for all slices.
pub struct Engine {
    pub(super) blaster: Blaster,
    /// About how many variables of the engine the circuits of recent queries took.
    live_size: usize,
    eliminator: Eliminator,
    hardness: Hardness,
    pub(super) tuning: Tuning,
    /// Whether the model holds values that no evaluation has confirmed.
    pub(super) in_doubt: bool,
    /// How many enumerations in a row were abandoned at their first try.
    abandoned: u32,
    pub(super) tables: FunctionTables,
    pub(super) stats: EngineStats,
}

/// Counts of what the engine did.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineStats {
    pub slices: u64,
    /// Of these, those that a search decided.
    pub searched: u64,
    /// And those that intervals did.
    pub contracted: u64,
    /// And those that what their words are did.
    pub refuted: u64,
    /// And those by trying all values.
    pub enumerated: u64,
    /// Slices with terms that nothing constrained.
    pub eliminated: u64,
    pub refinements: u64,
    pub epochs: u64,
}

/// Some atoms of a path, in its order, and all inputs that they depend on.
pub(super) struct Component {
    pub atoms: Vec<AtomId>,
    pub inputs: Vec<InputId>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::with_tuning(Tuning::default())
    }
}

impl Engine {
    pub fn with_tuning(tuning: Tuning) -> Engine {
        Engine {
            blaster: Blaster::new(),
            live_size: 0,
            eliminator: Eliminator::default(),
            hardness: Hardness::default(),
            tuning,
            in_doubt: false,
            abandoned: 0,
            tables: FunctionTables::default(),
            stats: EngineStats::default(),
        }
    }

    pub fn stats(&self) -> EngineStats {
        self.stats
    }

    /// Changes the model of a path so that it satisfies the atoms at these places, a whole slice, or shows that this
    /// cannot be. Values of other inputs stay.
    pub fn solve(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        places: &[u32],
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Repair {
        self.stats.slices += 1;
        let atoms: Vec<AtomId> = places.iter().map(|&place| path.at(place)).collect();
        let component = Component {
            inputs: path.atoms.inputs_of(&atoms),
            atoms,
        };
        let may_enumerate = self.tuning.enumerate && Enumeration::is_possible(path, &component);
        let mut enumeration = None;
        if may_enumerate && Enumeration::is_quick(&component) && self.tries_values_first() {
            enumeration = Enumeration::of(terms, path, &component);
            if let Some(enumeration) = &enumeration {
                // Half as much after each that came to nothing: those of one program are alike.
                let few = enumeration.worth(1) >> self.abandoned.min(MOST_HALVINGS);
                let found =
                    self.enumerate(terms, path, &component, enumeration, few, partial, limits);
                if let Some(found) = found {
                    self.abandoned = 0;
                    return self.settled(path, found);
                }
                self.abandoned += 1;
            }
        }
        let has_floats = self.tuning.search && terms.has_floats();
        if has_floats {
            let found = self.contract(terms, path, &component, intervals::Effort::Once);
            let found = found
                .or_else(|| self.search(terms, path, places, Steps::FEW, partial, limits))
                .or_else(|| self.contract(terms, path, &component, intervals::Effort::Halving));
            if let Some(found) = found {
                return found;
            }
        }
        if let Some(found) = self.refute(terms, path, &component) {
            return found;
        }
        let mut repair = match may_enumerate {
            true => self.solve_or_enumerate(terms, path, &component, enumeration, partial, limits),
            false => self.solve_component(terms, path, &component, partial, limits),
        };
        if let Repair::Stopped(Reason::Conflicts | Reason::Incomplete(_)) = &repair
            && has_floats
            && let Some(found) = self.search(
                terms,
                path,
                places,
                Steps::after(limits.conflicts),
                partial,
                limits,
            )
        {
            repair = found;
        }
        let repair = self.settled(path, repair);
        // An encoding that has become too large is of no further use.
        if let Some(Reason::ResourceLimit(_)) = self.blaster.gates.gave_up() {
            self.begin_epoch();
        }
        repair
    }

    /// A repair, after which nobody believes a model that nothing has confirmed.
    fn settled(&mut self, path: &mut Path, repair: Repair) -> Repair {
        if std::mem::take(&mut self.in_doubt) {
            path.doubt_model();
        }
        repair
    }

    /// Whether values are tried before circuits: where that came to nothing again and again, only now and then.
    fn tries_values_first(&self) -> bool {
        self.abandoned < MOST_HALVINGS || self.stats.slices.is_multiple_of(SELDOM)
    }

    /// Asks the engine and tries values by turns: for a moment each, and then for as long as trying all of them takes.
    fn solve_or_enumerate(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        known: Option<Enumeration>,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Repair {
        let first = self.solve_within(terms, path, component, EASY, partial, limits);
        if let Some(decided) = first {
            return decided;
        }
        if let Some(enumeration) = known.or_else(|| Enumeration::of(terms, path, component)) {
            let worth = enumeration.worth(EASY);
            let mut found =
                self.enumerate(terms, path, component, &enumeration, worth, partial, limits);
            if found.is_some() {
                self.abandoned = 0;
            }
            if let (None, Some(conflicts)) = (&found, enumeration.conflicts()) {
                found = self.solve_within(terms, path, component, conflicts, partial, limits);
                found = found.or_else(|| {
                    let worth = enumeration.worth(conflicts);
                    self.enumerate(terms, path, component, &enumeration, worth, partial, limits)
                });
            }
            if let Some(found) = found {
                return found;
            }
        }
        self.solve_component(terms, path, component, partial, limits)
    }

    /// Asks the engine. `None` if it has not decided after so many conflicts, and more are allowed.
    fn solve_within(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        conflicts: u64,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Option<Repair> {
        let is_last = limits.conflicts.is_some_and(|most| most <= conflicts);
        let few = Limits {
            conflicts: Some(limits.conflicts.unwrap_or(u64::MAX).min(conflicts)),
            ..limits.clone()
        };
        let repair = self.solve_component(terms, path, component, partial, &few);
        let is_open = matches!(repair, Repair::Stopped(Reason::Conflicts)) && !is_last;
        (!is_open).then_some(repair)
    }

    /// Shows that the atoms cannot hold together, where intervals show it.
    fn contract(
        &mut self,
        terms: &Terms,
        path: &Path,
        component: &Component,
        effort: intervals::Effort,
    ) -> Option<Repair> {
        let atoms = &component.atoms;
        let formulas: Vec<Term> = atoms
            .iter()
            .map(|&atom| path.atoms.get(atom).term)
            .collect();
        let core = intervals::refute(terms, &formulas, effort)?;
        self.stats.contracted += 1;
        Some(Repair::Impossible(
            core.iter().map(|&at| atoms[at]).collect(),
        ))
    }

    /// Shows that the atoms cannot hold together, where that is hard for circuits and seen from words.
    fn refute(&mut self, terms: &mut Terms, path: &Path, component: &Component) -> Option<Repair> {
        let atoms = component.atoms.iter();
        let formulas: Vec<Term> = atoms.map(|&atom| path.atoms.get(atom).term).collect();
        let mut new = formulas
            .iter()
            .filter(|&&formula| !self.blaster.is_encoded(formula));
        let is_worth = new.any(|&formula| self.hardness.is_hard(terms, formula));
        if !self.tuning.forms || !is_worth {
            return None;
        }
        let core = forms::refute(terms, &formulas)?;
        self.stats.refuted += 1;
        Some(Repair::Impossible(
            core.iter().map(|&at| component.atoms[at]).collect(),
        ))
    }

    /// Changes the model by search, where that finds how.
    fn search(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        places: &[u32],
        steps: Steps,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Option<Repair> {
        let tried = &mut partial.tried;
        let repair = path.repair_by_search(terms, places, steps, tried, limits)?;
        self.stats.searched += 1;
        Some(repair)
    }

    pub(super) fn encode(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        term: Term,
    ) -> Result<(), Reason> {
        let atoms = &mut path.atoms;
        self.blaster
            .encode(terms, &mut atoms.support, &mut atoms.tables, term)
    }

    /// Starts the encoding over when most of it serves no query any more. Dead gates cost: whatever input is assigned,
    /// they are propagated too.
    fn begin_epoch_if_bloated(&mut self) {
        if self.blaster.literals.size > self.tuning.epoch_slack + EPOCH_FACTOR * self.live_size {
            self.begin_epoch();
        }
    }

    fn begin_epoch(&mut self) {
        self.blaster = Blaster::new();
        self.live_size = 0;
        self.stats.epochs += 1;
    }

    fn solve_component(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Repair {
        if applies_functions_to_arrays(terms, path, component) {
            return Repair::Stopped(Reason::Incomplete("functions of arrays".into()));
        }
        let elimination = match self.tuning.eliminate {
            true => self.eliminator.eliminate(terms, path, component),
            false => None,
        };
        self.stats.eliminated += u64::from(elimination.is_some());
        let elimination = elimination.as_ref();
        let is_fresh = self.blaster.literals.terms == 0;
        let patient = Limits {
            conflicts: Some(limits.conflicts.unwrap_or(u64::MAX).min(PATIENCE)),
            ..limits.clone()
        };
        let is_patient = !is_fresh && patient.conflicts != limits.conflicts;
        let first = if is_patient { &patient } else { limits };
        let mut ask = |start, limits: &Limits, anew: bool| {
            if anew {
                self.begin_epoch();
            }
            self.ask_until_it_stands(terms, path, component, elimination, start, partial, limits)
        };
        let mut repair = ask(Start::Model, first, false);
        // What was learned and where the tableau stands mostly help, and now and then lead astray.
        if is_patient && matches!(&repair, Repair::Stopped(Reason::Conflicts)) {
            repair = ask(Start::Nowhere, limits, true);
        }
        // The writes of other queries count too: without them there may be few enough.
        if !is_fresh
            && matches!(&repair, Repair::Stopped(Reason::Incomplete(why)) if why == MANY_WRITES)
        {
            repair = ask(Start::Model, limits, true);
        }
        repair
    }

    /// Asks the SAT engine, until it says no or its candidate stands.
    #[allow(clippy::too_many_arguments)]
    fn ask_until_it_stands(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        component: &Component,
        elimination: Option<&Elimination>,
        start: Start,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Repair {
        self.begin_epoch_if_bloated();
        let atoms = component.atoms.iter();
        let roots: Vec<Term> = match elimination {
            Some(elimination) => elimination.roots.clone(),
            None => atoms.map(|&atom| path.atoms.get(atom).term).collect(),
        };
        self.blaster.gates.begin(limits);
        let encoded = self.blaster.literals.terms;
        self.blaster.survey(terms, &roots);
        for &root in &roots {
            let is_new = !self.blaster.is_encoded(root);
            if let Err(reason) = self.encode(terms, path, root) {
                return Repair::Stopped(reason);
            }
            if is_new {
                self.blaster.add_implied_equations(terms, root);
            }
        }
        let encoded = self.blaster.literals.terms - encoded;
        path.work.note(Kind::Encoded, encoded);
        let assumptions: Vec<Lit> = roots.iter().map(|&root| self.blaster.lit(root)).collect();
        if start == Start::Model {
            self.suggest_phases(terms, path, component);
            if let Some(elimination) = elimination {
                self.suggest_removed(terms, path, elimination);
            }
        }
        let mut points = 0;
        loop {
            partial.begin_component();
            let cone = self.blaster.cone(terms, roots.iter().copied());
            // The largest recent query, slowly forgotten.
            self.live_size = cone.size.max(self.live_size - self.live_size / 64);
            if start == Start::Model {
                self.suggest_truths(terms, path, &cone);
            }
            let before = (
                self.blaster.gates.engine.stats(),
                self.blaster.arith.touched(),
            );
            let outcome =
                self.ask_engine(terms, path, component, &assumptions, &cone, partial, limits);
            self.count_work(path, &cone, before);
            match outcome {
                Outcome::Sat => {}
                Outcome::Unsat if self.blaster.defaults_exist(terms) => {
                    return Repair::Impossible(self.core(component, &assumptions));
                }
                Outcome::Unsat => {
                    return Repair::Stopped(Reason::Incomplete(MANY_WRITES.into()));
                }
                Outcome::Unknown(StopReason::Interrupted) => {
                    return Repair::Stopped(Reason::Interrupted);
                }
                Outcome::Unknown(StopReason::Deadline) => return Repair::Stopped(Reason::Timeout),
                Outcome::Unknown(StopReason::Conflicts) => {
                    return Repair::Stopped(Reason::Conflicts);
                }
                Outcome::Unknown(StopReason::Theory) => {
                    let reason = self.blaster.arith.gave_up().cloned();
                    let unclear = || Reason::Incomplete("arithmetic".into());
                    return Repair::Stopped(reason.unwrap_or_else(unclear));
                }
            }
            if self.refine(terms, path, component, &cone, partial) {
                if let Some(elimination) = elimination {
                    let blaster = &self.blaster;
                    let value = |symbol| {
                        let is_encoded = blaster.is_encoded(symbol);
                        is_encoded.then(|| blaster.value(terms, symbol))
                    };
                    elimination.complete(terms, path, value);
                }
                return self.verified(terms, path, component);
            }
            // A function that has no circuit is told point by point: some are enough to see that this leads nowhere.
            points += usize::from(self.has_functions(terms, &cone));
            if points > MOST_POINTS {
                return Repair::Stopped(Reason::Incomplete(FUNCTIONS.into()));
            }
            let gave_up = self.blaster.gates.gave_up().cloned();
            if let Some(reason) = gave_up.or_else(|| limits.exceeded()) {
                return Repair::Stopped(reason);
            }
        }
    }

    /// Whether a question is about a function of floats that has no circuit.
    fn has_functions(&self, terms: &Terms, cone: &Cone) -> bool {
        let is_function = |&term: &Term| {
            matches!(
                terms.op(term),
                Op::Float {
                    op: FloatOp::Function(_),
                    ..
                }
            )
        };
        cone.free_floats.iter().any(is_function)
    }

    /// Counts what the engine did for a question, given its counts before that.
    fn count_work(&mut self, path: &mut Path, cone: &Cone, before: (refrain_sat::Stats, u64)) {
        let (stats, touched) = before;
        let now = self.blaster.gates.engine.stats();
        let since = |now: u64, before: u64| (now - before) as usize;
        let work = &mut path.work;
        work.note(Kind::Question, 1);
        work.note(Kind::Cone, cone.terms);
        work.note(
            Kind::Propagation,
            since(now.propagations, stats.propagations),
        );
        work.note(Kind::Conflict, since(now.conflicts, stats.conflicts));
        let entries = since(self.blaster.arith.touched(), touched);
        work.note(Kind::TableauEntry, entries);
    }

    /// Starts the search where the model is.
    fn suggest_phases(&mut self, terms: &Terms, path: &mut Path, component: &Component) {
        for &input in &component.inputs {
            let inputs = &path.atoms.inputs;
            let (Some(term), Some(bits)) = (inputs.term(input), inputs.place(input).word_bits())
            else {
                continue;
            };
            if !self.blaster.is_encoded(term) {
                continue;
            }
            let value = path.model.word(inputs, input);
            for bit in 0..bits {
                let lit = self.blaster.bits(terms, term)[bit as usize];
                self.blaster
                    .gates
                    .engine
                    .set_phase(lit.var(), value >> bit & 1 == 1);
            }
        }
    }

    /// Starts with the values that terms have in the model that are no longer there.
    fn suggest_removed(&mut self, terms: &Terms, path: &mut Path, elimination: &Elimination) {
        for (term, symbol) in elimination.replaced() {
            if !self.blaster.is_encoded(symbol) {
                continue;
            }
            let value = path.model.value(terms, term);
            let lits = self.blaster.bits(terms, symbol).to_vec();
            for (lit, place) in lits.into_iter().zip(0..) {
                let is_set = match &value {
                    Value::Bool(truth) => *truth,
                    Value::Bv(value) => value.bit(place),
                    _ => unreachable!("a truth value or a bit-vector"),
                };
                self.blaster.gates.engine.set_phase(lit.var(), is_set);
            }
        }
    }

    /// Starts with the truth values that arithmetic atoms have in the model.
    fn suggest_truths(&mut self, terms: &Terms, path: &mut Path, cone: &Cone) {
        for &atom in &cone.number_atoms {
            let mut holds = path.model.evaluate(terms, atom);
            // Numbers that nobody has given a value are all zero: that says nothing about them.
            if holds && self.blaster.is_equation_of_nodes(atom) {
                let (a, _) = plain_sides(terms, atom).expect("an equation of nodes");
                let value = path.model.value(terms, a);
                holds = !value.as_number().is_some_and(Rational::is_zero);
            }
            let lit = self.blaster.lit(atom);
            let engine = &mut self.blaster.gates.engine;
            engine.set_phase(lit.var(), holds != lit.is_negative());
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn ask_engine(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        assumptions: &[Lit],
        cone: &Cone,
        partial: &mut PartialSolutions,
        limits: &Limits,
    ) -> Outcome {
        let engine_limits = refrain_sat::Limits {
            conflicts: limits.conflicts,
            deadline: limits.deadline,
            stop: limits.stop.as_deref(),
        };
        let query = Query::new(assumptions)
            .deciding(&cone.leaves)
            .within(engine_limits);
        let shared = self.shared_numbers(terms, cone);
        let Blaster {
            gates,
            arith,
            congruence,
            literals,
            ..
        } = &mut self.blaster;
        let literals = &*literals;
        let has_arithmetic = !cone.numbers.is_empty();
        let has_theory = has_arithmetic || !cone.equality.is_empty();
        if has_theory {
            arith.begin(&cone.numbers, assumptions, self.tuning.graph_from);
            congruence.begin(&cone.equality);
        }
        let (arith, congruence) = (&RefCell::new(arith), &RefCell::new(congruence));
        let mut session = Session {
            has_arithmetic,
            arith: arith::Session {
                arith,
                limits,
                note: None,
            },
            congruence,
            shared: &shared,
        };
        if !partial.are_wanted() {
            return gates.engine.solve(if has_theory {
                query.with(&mut session)
            } else {
                query
            });
        }
        let before = numbers_before(path, component, cone);
        let state = RefCell::new((partial, path));
        let note = |trail: &TrailView<'_>, number: &dyn Fn(Term) -> Option<Rational>| {
            let value = |lit| trail.value(lit);
            let congruence = congruence.borrow();
            let before = |term: Term| before.get(&term).cloned();
            let classes = congruence.values(&cone.equality, number, before);
            let number = |term| {
                let of_class = congruence.value(&classes, term).cloned();
                of_class.or_else(|| number(term))
            };
            let (partial, path) = &mut *state.borrow_mut();
            partial.note(terms, path, literals, &component.inputs, value, &number);
        };
        let mut at_conflict = |trail: &TrailView<'_>| {
            let arith = arith.borrow();
            note(trail, &|term| arith.present(term));
        };
        let mut before_pivot =
            |trail: &TrailView<'_>, number: &dyn Fn(Term) -> Option<Rational>| {
                note(trail, number);
            };
        session.arith.note = Some(&mut before_pivot);
        let query = query.watching(&mut at_conflict);
        gates.engine.solve(if has_theory {
            query.with(&mut session)
        } else {
            query
        })
    }

    /// The numbers of a cone that are nodes and take part in arithmetic.
    pub(super) fn shared_numbers(&mut self, terms: &Terms, cone: &Cone) -> Vec<Shared> {
        let numbers = cone.equality.numbers.iter();
        numbers
            .filter_map(|&term| self.blaster.shared(terms, term))
            .collect()
    }

    /// The atoms whose literals failed together.
    fn core(&self, component: &Component, assumptions: &[Lit]) -> Vec<AtomId> {
        let failed: FxHashSet<Lit> = self.blaster.gates.engine.failed().iter().copied().collect();
        let atoms = component.atoms.iter().zip(assumptions);
        atoms
            .filter(|(_, lit)| failed.contains(lit))
            .map(|(&atom, _)| atom)
            .collect()
    }

    /// Takes the scalar inputs of the component over from the engine into the model.
    pub(super) fn store_inputs(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
        values: &Values,
    ) {
        let (mut words, mut others) = (Vec::new(), Vec::new());
        let inputs = &path.atoms.inputs;
        for &input in &component.inputs {
            let Some(term) = inputs.term(input) else {
                continue;
            };
            let sort = terms.sort(term);
            let of_class = self.blaster.congruence.value(values, term).cloned();
            if let Some(number) = of_class.or_else(|| self.blaster.arith.symbol(term)) {
                others.push((input, Datum::Value(Value::number(sort, number))));
            } else if !sort.is_number() && self.blaster.is_encoded(term) {
                let value = self.blaster.value(terms, term);
                match value.small() {
                    Some(word) if inputs.place(input).is_word() => words.push((input, word)),
                    _ => others.push((input, Datum::Value(Value::Bv(value)))),
                }
            }
        }
        let (words, others) = (words.into(), others.into());
        path.model
            .adopt(inputs, &Solution { words, others }, |_| true);
    }

    /// A model counts only if evaluation says so.
    pub(super) fn verified(
        &mut self,
        terms: &Terms,
        path: &mut Path,
        component: &Component,
    ) -> Repair {
        let mut atoms = component.atoms.iter();
        self.in_doubt = !atoms.all(|&atom| path.model.satisfies(terms, &path.atoms, atom));
        if self.in_doubt {
            return Repair::Stopped(Reason::Failed(
                "the model found does not satisfy the assertions".into(),
            ));
        }
        Repair::Done
    }
}

/// What numbers that are nodes are in the model.
pub(super) fn numbers_before(
    path: &Path,
    component: &Component,
    cone: &Cone,
) -> FxHashMap<Term, Rational> {
    if cone.equality.numbers.is_empty() {
        return FxHashMap::default();
    }
    let table = &path.atoms.inputs;
    let inputs = component.inputs.iter();
    let numbers = inputs.filter_map(|&input| {
        let term = table.term(input)?;
        Some((term, path.model.number(table, input).clone()))
    });
    numbers.collect()
}

/// Whether a function of the component takes or returns arrays. Those have no bits: as arguments all would be the
/// same.
fn applies_functions_to_arrays(terms: &Terms, path: &Path, component: &Component) -> bool {
    component.inputs.iter().any(|&input| {
        let Input::Func(func) = path.atoms.inputs.get(input) else {
            return false;
        };
        let decl = terms.func_decl(func);
        decl.result.is_array() || decl.args.iter().any(|sort| sort.is_array())
    })
}
