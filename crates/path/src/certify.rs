//! Certification: a model is believed once the plain evaluator has found that it satisfies every assertion and
//! assumption as it was asked.
//!
//! What proposed a value, be it a set of values, a shift, the SAT engine, a cache or a store, has no part in it, and
//! neither has simplification: an assertion that was simplified is evaluated itself, under the model that facts
//! complete. An assertion is evaluated again when something it depends on has changed.

use std::rc::Rc;
use std::sync::Arc;

use refrain_term::{Assignment, Input, Term, Terms};
use rustc_hash::FxHashMap;

use crate::inputs::{InputId, InputTable};
use crate::model::Model;
use crate::path::Path;
use crate::simplify::Simplifier;

/// What is known to hold under the model.
#[derive(Default)]
pub(crate) struct Certificate {
    /// By assertion or assumption on the path, of those that are not their own atoms: when it was found to hold, in
    /// changes of the model.
    held: Vec<Option<u64>>,
    /// So many of the first held after so many changes.
    first: usize,
    when: u64,
    /// What assertions depend on that are not their own atoms.
    depends_on: FxHashMap<Term, Rc<[InputId]>>,
    completed: Completed,
    /// How many facts there were. A new one may be about a symbol that simplification has made superfluous before.
    facts: usize,
}

/// What facts were last completed for.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Completed {
    facts: usize,
    replaced: u64,
    arrays: u64,
    /// Changes of the model.
    when: u64,
}

impl Certificate {
    /// Only so many of the first assertions and assumptions are as they were.
    pub fn keep_first(&mut self, count: usize) {
        self.held.truncate(count);
        self.first = self.first.min(count);
    }

    pub fn forget(&mut self) {
        self.held.clear();
        self.first = 0;
    }
}

impl Path {
    /// The model, if the plain evaluator finds that it satisfies everything that is asserted and assumed; otherwise
    /// the first formula that it does not satisfy, and nothing is known of the model any more.
    pub fn certified(&mut self, terms: &Terms) -> Result<Arc<Assignment>, Term> {
        self.complete(terms);
        let facts = self.atoms.facts().map_or(0, |facts| facts.len());
        if facts != self.certificate.facts {
            self.certificate.facts = facts;
            self.certificate.depends_on.clear();
            self.certificate.forget();
        }
        if self.certificate.when != self.model.changes() {
            self.certificate.first = 0;
        }
        let count = self.steps.sources().len();
        self.certificate.held.resize(count, None);
        for index in self.certificate.first..count {
            if !self.source_holds(terms, index) {
                self.doubt_model();
                self.certificate.forget();
                return Err(self.steps.sources()[index].term);
            }
        }
        self.certificate.first = count;
        self.certificate.when = self.model.changes();
        Ok(self.model.assignment().clone())
    }

    fn source_holds(&mut self, terms: &Terms, index: usize) -> bool {
        let source = self.steps.sources()[index];
        if source.conjuncts.are_its_own {
            let atoms = self.atoms.atoms_of(source.conjuncts).iter();
            let model = &mut self.model;
            return atoms
                .copied()
                .all(|atom| model.satisfies(terms, &self.atoms, atom));
        }
        let depends_on = match self.certificate.depends_on.get(&source.term) {
            Some(known) => known.clone(),
            None => self.note_dependence(terms, source.term),
        };
        let changed = self.model.last_change(&self.atoms.inputs, &depends_on);
        if self.certificate.held[index].is_some_and(|when| changed <= when) {
            return true;
        }
        let holds = self.model.evaluate(terms, source.term);
        if holds {
            self.certificate.held[index] = Some(self.model.changes());
        }
        holds
    }

    /// The inputs that an assertion depends on, by itself and by the facts about its symbols.
    fn note_dependence(&mut self, terms: &Terms, assertion: Term) -> Rc<[InputId]> {
        let mut inputs = Vec::new();
        let mut stack = self.atoms.support.inputs(terms, assertion).to_vec();
        while let Some(input) = stack.pop() {
            inputs.push(self.atoms.inputs.id(terms, input));
            let symbols = match input {
                Input::Symbol(term) | Input::Array(term) => [Some(term), None],
                Input::Cell(read) => [Some(read), Some(terms.arg(read, 0))],
                Input::Func(_) => [None, None],
            };
            // Definitions do not mention defined symbols: this ends.
            let facts = self.atoms.facts();
            let definitions = symbols.into_iter().flatten();
            let definitions = definitions.filter_map(|symbol| facts?.definition(symbol));
            for definition in definitions.collect::<Vec<_>>() {
                stack.extend_from_slice(&self.atoms.support.inputs(terms, definition));
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        let inputs: Rc<[InputId]> = inputs.into();
        self.certificate
            .depends_on
            .insert(assertion, inputs.clone());
        inputs
    }

    /// Gives what facts define its values in the model.
    fn complete(&mut self, terms: &Terms) {
        let Some(facts) = self.atoms.facts() else {
            return;
        };
        let before = self.certificate.completed;
        let now = Completed::now(facts, &self.atoms.inputs, &mut self.model);
        if now == before {
            return;
        }
        let is_as_before = Completed {
            when: before.when,
            ..now
        } == before;
        if !is_as_before {
            self.model
                .define(|assignment| facts.complete(terms, assignment));
        } else if !facts.dependent().is_empty() {
            self.model
                .define(|assignment| facts.complete_dependent(terms, assignment));
        }
        self.certificate.completed = Completed::now(facts, &self.atoms.inputs, &mut self.model);
    }
}

impl Completed {
    fn now(facts: &Simplifier, inputs: &InputTable, model: &mut Model) -> Completed {
        let arrays = facts.arrays();
        let arrays = arrays.filter_map(|array| inputs.find(Input::Array(array)));
        let arrays: Vec<InputId> = arrays.collect();
        Completed {
            facts: facts.len(),
            arrays: model.last_change(inputs, &arrays),
            replaced: model.replaced(),
            when: model.changes(),
        }
    }
}
