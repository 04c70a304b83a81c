//! Repair by the SAT engine: what sets of values leave open.
//!
//! All atoms of a component are assumed, in the order of the stack, so that the engine finds again what consecutive
//! checks share. A candidate that arrays and functions let stand becomes the model, once evaluation has confirmed it.

use std::cell::RefCell;

use refrain_sat::{Engine, Lit, Outcome, Query, StopReason, TrailView};
use refrain_term::{Input, Rational, Term, Terms};
use rustc_hash::FxHashSet;

use super::arith::Session;
use super::blast::{Blaster, Cone};
use super::component::Component;
use super::work::Kind;
use super::{Native, Repair, set_scalar};
use crate::{Limits, Reason};

/// Why some queries about arrays are not decided.
const MANY_WRITES: &str = "arrays with as many writes as indices";

/// After so many conflicts the search starts again, from nowhere and with an encoding of this query alone.
const PATIENCE: u64 = 500;

/// How much encoding, for all that recent queries use, is too much.
const EPOCH_FACTOR: usize = 3;

/// Where a search starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Where the model is.
    Model,
    Nowhere,
}

impl Native {
    pub(super) fn encode(&mut self, terms: &mut Terms, term: Term) -> Result<(), Reason> {
        self.blaster
            .encode(terms, &mut self.support, &mut self.tables, term)
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

    pub(super) fn repair_by_engine(
        &mut self,
        terms: &mut Terms,
        component: &Component,
        limits: &Limits,
    ) -> Repair {
        if self.applies_functions_to_arrays(terms, component) {
            return Repair::Gave(Reason::Incomplete("functions of arrays".into()));
        }
        let is_fresh = self.blaster.literals.terms == 0;
        let patient = Limits {
            conflicts: Some(limits.conflicts.unwrap_or(u64::MAX).min(PATIENCE)),
            ..limits.clone()
        };
        let is_patient = !is_fresh && patient.conflicts != limits.conflicts;
        let first = if is_patient { &patient } else { limits };
        let mut repair = self.ask_until_it_stands(terms, component, Start::Model, first);
        // What was learned and where the tableau stands mostly help, and now and then lead astray.
        if is_patient && matches!(&repair, Repair::Gave(Reason::Conflicts)) {
            self.begin_epoch();
            repair = self.ask_until_it_stands(terms, component, Start::Nowhere, limits);
        }
        // The writes of other queries count too: without them there may be few enough.
        if !is_fresh
            && matches!(&repair, Repair::Gave(Reason::Incomplete(why)) if why == MANY_WRITES)
        {
            self.begin_epoch();
            repair = self.ask_until_it_stands(terms, component, Start::Model, limits);
        }
        if std::mem::take(&mut self.in_doubt) {
            self.satisfied = 0;
        }
        // An encoding that has become too large is of no further use.
        if let Some(Reason::ResourceLimit(_)) = self.blaster.gates.gave_up() {
            self.begin_epoch();
        }
        repair
    }

    /// Whether a function of the component takes or returns arrays. Those have no bits: as arguments all would be the
    /// same.
    fn applies_functions_to_arrays(&self, terms: &Terms, component: &Component) -> bool {
        component.inputs.iter().any(|&input| {
            let Input::Func(func) = self.inputs.info(input).input else {
                return false;
            };
            let decl = terms.func_decl(func);
            decl.result.is_array() || decl.args.iter().any(|sort| sort.is_array())
        })
    }

    /// Asks the SAT engine, until it says no or its candidate stands.
    fn ask_until_it_stands(
        &mut self,
        terms: &mut Terms,
        component: &Component,
        start: Start,
        limits: &Limits,
    ) -> Repair {
        self.begin_epoch_if_bloated();
        let roots: Vec<Term> = component
            .places
            .iter()
            .map(|&place| self.atoms.at(place).term)
            .collect();
        self.blaster.gates.begin(limits);
        let encoded = self.blaster.literals.terms;
        for &root in &roots {
            if let Err(reason) = self.encode(terms, root) {
                return Repair::Gave(reason);
            }
        }
        let encoded = self.blaster.literals.terms - encoded;
        self.work.note(Kind::Encoded, encoded);
        let assumptions: Vec<Lit> = roots.iter().map(|&root| self.blaster.lit(root)).collect();
        if start == Start::Model {
            self.suggest_phases(terms, component);
        }
        loop {
            if let Some(partial) = &mut self.partial {
                partial.begin_component();
            }
            let cone = self.blaster.cone(terms, roots.iter().copied());
            // The largest recent query, slowly forgotten.
            self.live_size = cone.size.max(self.live_size - self.live_size / 64);
            if start == Start::Model {
                self.suggest_truths(terms, &cone);
            }
            let before = (
                self.blaster.gates.engine.stats(),
                self.blaster.arith.touched(),
            );
            let outcome = self.ask_engine(terms, component, &assumptions, &cone, limits);
            self.count_work(&cone, before);
            match outcome {
                Outcome::Sat => {}
                Outcome::Unsat if self.blaster.defaults_exist() => {
                    self.core_of_literals(component, &assumptions);
                    return Repair::Impossible;
                }
                Outcome::Unsat => {
                    return Repair::Gave(Reason::Incomplete(MANY_WRITES.into()));
                }
                Outcome::Unknown(StopReason::Interrupted) => {
                    return Repair::Gave(Reason::Interrupted);
                }
                Outcome::Unknown(StopReason::Deadline) => return Repair::Gave(Reason::Timeout),
                Outcome::Unknown(StopReason::Conflicts) => {
                    return Repair::Gave(Reason::Conflicts);
                }
                Outcome::Unknown(StopReason::Theory) => {
                    let reason = self.blaster.arith.gave_up().cloned();
                    let unclear = || Reason::Incomplete("arithmetic".into());
                    return Repair::Gave(reason.unwrap_or_else(unclear));
                }
            }
            if self.refine(terms, component, &cone) {
                return self.verified(terms, component);
            }
            let gave_up = self.blaster.gates.gave_up().cloned();
            if let Some(reason) = gave_up.or_else(|| limits.exceeded()) {
                return Repair::Gave(reason);
            }
        }
    }

    /// Counts what the engine did for a question, given its counts before that.
    fn count_work(&mut self, cone: &Cone, before: (refrain_sat::Stats, u64)) {
        let (stats, touched) = before;
        let now = self.blaster.gates.engine.stats();
        let since = |now: u64, before: u64| (now - before) as usize;
        let work = &mut self.work;
        work.note(Kind::Question, 1);
        work.note(Kind::Cone, cone.terms);
        work.note(
            Kind::Propagation,
            since(now.propagations, stats.propagations),
        );
        work.note(Kind::Conflict, since(now.conflicts, stats.conflicts));
        let entries = since(self.blaster.arith.touched(), touched);
        work.note(Kind::Entry, entries);
    }

    /// Starts the search where the model is.
    fn suggest_phases(&mut self, terms: &Terms, component: &Component) {
        for &input in &component.inputs {
            let info = self.inputs.info(input);
            let (Some(term), Some(bits)) = (info.term(), info.bits) else {
                continue;
            };
            if bits > 64 || !self.blaster.is_encoded(term) {
                continue;
            }
            let value = info.value;
            for bit in 0..bits {
                let lit = self.blaster.bits(terms, term)[bit as usize];
                self.blaster
                    .gates
                    .engine
                    .set_phase(lit.var(), value >> bit & 1 == 1);
            }
        }
    }

    /// Starts with the truth values that arithmetic atoms have in the model.
    fn suggest_truths(&mut self, terms: &Terms, cone: &Cone) {
        for &atom in &cone.number_atoms {
            let holds = self.evaluator.bool(terms, &self.model, atom);
            let lit = self.blaster.lit(atom);
            let engine = &mut self.blaster.gates.engine;
            engine.set_phase(lit.var(), holds != lit.is_negative());
        }
    }

    fn ask_engine(
        &mut self,
        terms: &Terms,
        component: &Component,
        assumptions: &[Lit],
        cone: &Cone,
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
        let Blaster {
            gates,
            arith,
            literals,
            ..
        } = &mut self.blaster;
        let (literals, inputs) = (&*literals, &self.inputs);
        let has_numbers = !cone.numbers.is_empty();
        if has_numbers {
            arith.begin(&cone.numbers, assumptions);
        }
        let arith = &RefCell::new(arith);
        let mut session = Session {
            arith,
            limits,
            note: None,
        };
        let Some(partial) = &mut self.partial else {
            return gates.engine.solve(if has_numbers {
                query.with(&mut session)
            } else {
                query
            });
        };
        let partial = RefCell::new(partial);
        let note = |trail: &TrailView<'_>, number: &dyn Fn(Term) -> Option<Rational>| {
            let value = |lit| trail.value(lit);
            let mut partial = partial.borrow_mut();
            partial.note(terms, inputs, literals, component, value, number);
        };
        let mut at_conflict = |trail: &TrailView<'_>| {
            let arith = arith.borrow();
            note(trail, &|term| arith.present(term));
        };
        let mut before_pivot =
            |trail: &TrailView<'_>, number: &dyn Fn(Term) -> Option<Rational>| {
                note(trail, number);
            };
        session.note = Some(&mut before_pivot);
        let query = query.watching(&mut at_conflict);
        gates.engine.solve(if has_numbers {
            query.with(&mut session)
        } else {
            query
        })
    }

    fn core_of_literals(&mut self, component: &Component, assumptions: &[Lit]) {
        let failed: FxHashSet<Lit> = self.blaster.gates.engine.failed().iter().copied().collect();
        self.core = component
            .places
            .iter()
            .zip(assumptions)
            .filter(|(_, lit)| failed.contains(lit))
            .map(|(&place, _)| self.atoms.active()[place as usize].source)
            .collect();
        self.core.dedup();
    }

    /// Takes the scalar inputs of the component over from the engine into the model.
    pub(super) fn store_inputs(&mut self, terms: &Terms, component: &Component) {
        for &input in &component.inputs {
            let info = self.inputs.info(input);
            if let Some(number) = info.term().and_then(|term| self.blaster.arith.symbol(term)) {
                if info.number != number {
                    self.set_number(terms, input, number);
                }
                continue;
            }
            let (Some(term), Some(bits)) = (info.term(), info.bits) else {
                continue;
            };
            if !self.blaster.is_encoded(term) {
                continue;
            }
            let value = self.blaster.value(terms, term);
            if bits <= 64 {
                let small = value.to_u64().expect("at most 64 bits");
                if small == info.value {
                    continue;
                }
                self.inputs.info_mut(input).value = small;
            }
            set_scalar(self.model.change(), terms, term, value);
        }
        self.evaluator.forget();
    }

    /// A model counts only if evaluation says so.
    fn verified(&mut self, terms: &Terms, component: &Component) -> Repair {
        self.in_doubt = false;
        for &place in &component.places {
            if !self.holds(terms, place) {
                self.in_doubt = true;
                return Repair::Gave(Reason::Failed(
                    "the model found does not satisfy the assertions".into(),
                ));
            }
        }
        Repair::Done
    }
}
