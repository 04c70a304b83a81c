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
    /// So many of the first assertions and assumptions held when the model was last certified.
    first: usize,
    /// Those of them that are not their own atoms, in order.
    simplified: Vec<Simplified>,
    /// By input: which of these depend on it, in order.
    by_input: Vec<Vec<u32>>,
    /// What assertions depend on that are not their own atoms.
    depends_on: FxHashMap<Term, Rc<[InputId]>>,
    completed: Completed,
    /// How many facts there were. A new one may be about a symbol that simplification has made superfluous before.
    facts: usize,
}

/// An assertion or assumption that is evaluated itself.
struct Simplified {
    source: u32,
    depends_on: Rc<[InputId]>,
    /// After which change of the model it was found to hold.
    held: u64,
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
        self.first = self.first.min(count);
        while let Some(last) = self.simplified.last()
            && last.source as usize >= count
        {
            for &input in last.depends_on.iter() {
                self.by_input[input.index()].pop();
            }
            self.simplified.pop();
        }
    }

    pub fn forget(&mut self) {
        self.keep_first(0);
    }

    fn add(&mut self, source: u32, depends_on: Rc<[InputId]>, held: u64) {
        let at = self.simplified.len() as u32;
        for &input in depends_on.iter() {
            if self.by_input.len() <= input.index() {
                self.by_input.resize_with(input.index() + 1, Vec::new);
            }
            self.by_input[input.index()].push(at);
        }
        self.simplified.push(Simplified {
            source,
            depends_on,
            held,
        });
    }
}

impl Path {
    /// The model, if the plain evaluator finds that it satisfies everything that is asserted and assumed; otherwise
    /// the first formula found that it does not satisfy, and nothing is known of the model any more.
    pub fn certified(&mut self, terms: &Terms) -> Result<Arc<Assignment>, Term> {
        self.complete(terms);
        let facts = self.atoms.facts().map_or(0, |facts| facts.len());
        if facts != self.certificate.facts {
            self.certificate.facts = facts;
            self.certificate.depends_on.clear();
            self.certificate.forget();
        }
        match self.violated_source(terms) {
            None => {
                self.certificate.first = self.steps.sources().len();
                Ok(self.model.assignment().clone())
            }
            Some(source) => {
                self.doubt_model();
                self.certificate.forget();
                Err(self.steps.sources()[source as usize].term)
            }
        }
    }

    /// An assertion or assumption that does not hold, of those that are new and those that what has changed matters to.
    fn violated_source(&mut self, terms: &Terms) -> Option<u32> {
        match self.model.take_changed() {
            Some(changed) if self.occurrences.len() == self.steps().len() || changed.is_empty() => {
                for input in changed {
                    let violated = self.violated_by_change(terms, input);
                    if violated.is_some() {
                        return violated;
                    }
                }
            }
            _ => self.certificate.forget(),
        }
        let count = self.steps.sources().len() as u32;
        (self.certificate.first as u32..count).find(|&source| !self.new_source_holds(terms, source))
    }

    fn violated_by_change(&mut self, terms: &Terms, input: InputId) -> Option<u32> {
        let steps = self.steps.all();
        for &place in self.occurrences.of(input) {
            let step = steps[place as usize];
            if !self.model.satisfies(terms, &self.atoms, step.atom) {
                return Some(step.source);
            }
        }
        let affected = self.certificate.by_input.get(input.index())?;
        let now = self.model.changes();
        for &at in affected {
            let simplified = &mut self.certificate.simplified[at as usize];
            let source = simplified.source;
            let is_known = std::mem::replace(&mut simplified.held, now) == now;
            let formula = self.steps.sources()[source as usize].term;
            if !is_known && !self.model.evaluate(terms, formula) {
                return Some(source);
            }
        }
        None
    }

    fn new_source_holds(&mut self, terms: &Terms, index: u32) -> bool {
        let source = self.steps.sources()[index as usize];
        if source.conjuncts.are_its_own {
            let mut atoms = self.atoms.atoms_of(source.conjuncts).iter();
            let model = &mut self.model;
            return atoms.all(|&atom| model.satisfies(terms, &self.atoms, atom));
        }
        if !self.model.evaluate(terms, source.term) {
            return false;
        }
        let depends_on = match self.certificate.depends_on.get(&source.term) {
            Some(known) => known.clone(),
            None => self.note_dependence(terms, source.term),
        };
        let now = self.model.changes();
        self.certificate.add(index, depends_on, now);
        true
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
