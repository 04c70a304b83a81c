//! The chain's use of answers that outlast names: looking a part up by its canonical form, keeping it, fetching what
//! is about the same things.

use std::time::Duration;

use refrain_term::{Bv, Input, Op, Terms, Value};

use super::Chain;
use super::part::Part;
use crate::answers::Answer;
use crate::lasting::{
    Fetched, IndexKey, Kept, Record, SlotName, SlotValue, under_core, under_set, under_solution,
};
use refrain_path::atoms::AtomId;
use refrain_path::inputs::Place;
use refrain_path::solution::{Datum, Read, Solution, SolutionId, read};
use refrain_path::work::Kind;

impl Chain {
    /// What is known of the canonical form of a part.
    pub(super) fn by_canonical_form(&mut self, terms: &Terms, part: &mut Part) -> Option<Answer> {
        self.path.work.note(Kind::Atom, part.reduced.len());
        part.canonical = self
            .lasting
            .canonize(terms, &self.path.atoms, &part.reduced);
        let canonical = part.canonical.as_ref()?;
        match self.lasting.get(canonical)?.answer {
            Kept::Unsat(positions) => {
                let core: Option<Vec<AtomId>> = positions
                    .into_iter()
                    .map(|position| {
                        let &place = canonical.order.get(position as usize)?;
                        Some(part.reduced[place as usize])
                    })
                    .collect();
                let core = self.implying(part, &core.filter(|core| !core.is_empty())?)?;
                Some(Answer::Unsat(core.into()))
            }
            Kept::Sat(values) => {
                let slots = canonical.slots.clone();
                let solution = self.solution(terms, &slots, values)?;
                Some(Answer::Sat(solution))
            }
        }
    }

    /// A solution that gives these inputs these values.
    pub(super) fn solution(
        &mut self,
        terms: &Terms,
        inputs: &[Input],
        values: Vec<SlotValue>,
    ) -> Option<SolutionId> {
        let (mut words, mut others) = (Vec::new(), Vec::new());
        for (&input, value) in inputs.iter().zip(values) {
            let id = self.path.atoms.inputs.id(terms, input);
            let is_word = self.path.atoms.inputs.place(id).is_word();
            match value {
                SlotValue::Plain(Value::Bool(value)) if is_word => {
                    words.push((id, u64::from(value)));
                }
                SlotValue::Plain(Value::Bv(value)) if is_word => words.push((id, value.small()?)),
                SlotValue::Plain(value) => others.push((id, Datum::Value(value))),
                SlotValue::Func(value) => others.push((id, Datum::Func(value))),
            }
        }
        words.sort_unstable_by_key(|(id, _)| *id);
        others.sort_unstable_by_key(|(id, _)| *id);
        Some(self.memory.solutions.add(Solution {
            words: words.into(),
            others: others.into(),
        }))
    }

    /// Keeps that the model satisfies a part, and what that took to find out.
    pub(super) fn keep_sat(&mut self, terms: &mut Terms, part: &mut Part, cost: Duration) {
        if !self.canonize_to_keep(terms, part) {
            return;
        }
        let canonical = part.canonical.as_ref().expect("canonized");
        let value = |&input: &Input| {
            let id = self.path.atoms.inputs.find(input)?;
            let place = self.path.atoms.inputs.place(id);
            Some(match (read(place, self.path.model.assignment()), place) {
                (Read::Word(word), Place::Bool(_)) => SlotValue::Plain(Value::Bool(word != 0)),
                (Read::Word(word), Place::Word { width, .. } | Place::Cell { width, .. }) => {
                    SlotValue::Plain(Value::Bv(Bv::new(*width, word)))
                }
                (Read::Datum(Datum::Value(value)), _) => SlotValue::Plain(value),
                (Read::Datum(Datum::Func(value)), _) => SlotValue::Func(value),
                (Read::Word(_), _) => return None,
            })
        };
        let Some(values) = canonical.slots.iter().map(value).collect() else {
            return;
        };
        let mut index = Vec::new();
        if self.lasting.has_lists() {
            self.path.atoms.know(terms, &part.reduced);
            let newest = self.newest(part);
            index = under_solution(terms, &self.path.atoms, &part.reduced, newest);
            index.extend(self.under_set(terms, part));
            index.extend(self.renamed_solution_keys(terms, &part.reduced));
        }
        let record = Record {
            answer: Kept::Sat(values),
            names: self.names(terms, &canonical.slots),
        };
        self.lasting.put(canonical, &record, &index, cost);
    }

    /// Keeps that a part cannot hold because of the core, which is given in normal form, and that the core cannot.
    pub(super) fn keep_unsat(
        &mut self,
        terms: &mut Terms,
        part: &mut Part,
        core: &[AtomId],
        cost: Duration,
    ) {
        if !self.canonize_to_keep(terms, part) {
            return;
        }
        let within = self.reduced_core(terms, part, core);
        self.path.atoms.know(terms, core);
        let is_whole = core == part.reduced;
        let mut index = match is_whole {
            true => self.core_keys(terms, core),
            false => Vec::new(),
        };
        index.extend(self.under_set(terms, part));
        let canonical = part.canonical.as_ref().expect("canonized");
        let is_core = |&place: &u32| within.contains(&part.reduced[place as usize]);
        let order = canonical.order.iter();
        let positions: Vec<u32> = (0..)
            .zip(order)
            .filter(|(_, place)| is_core(place))
            .map(|(position, _)| position)
            .collect();
        let record = Record {
            answer: Kept::Unsat(positions),
            names: self.names(terms, &canonical.slots),
        };
        self.lasting.put(canonical, &record, &index, cost);
        if !is_whole {
            self.keep_core(terms, core, cost);
        }
    }

    /// Keeps that some atoms, which are known, cannot hold together.
    fn keep_core(&mut self, terms: &Terms, core: &[AtomId], cost: Duration) {
        let Some(canonical) = self.lasting.canonize(terms, &self.path.atoms, core) else {
            return;
        };
        let record = Record {
            answer: Kept::Unsat((0..canonical.order.len() as u32).collect()),
            names: self.names(terms, &canonical.slots),
        };
        let index = self.core_keys(terms, core);
        self.lasting.put(&canonical, &record, &index, cost);
    }

    /// What a core, which is known, is listed under.
    fn core_keys(&mut self, terms: &Terms, core: &[AtomId]) -> Vec<IndexKey> {
        if !self.lasting.has_lists() {
            return Vec::new();
        }
        let own = under_core(terms, &self.path.atoms, core);
        own.into_iter()
            .chain(self.renamed_core_key(terms, core))
            .collect()
    }

    /// Where a part itself is listed.
    fn under_set(&self, terms: &Terms, part: &Part) -> Option<IndexKey> {
        let is_by_name = self.lasting.is_by_name();
        is_by_name.then(|| under_set(terms, &self.path.atoms, &part.reduced))
    }

    /// Makes sure that a part has its canonical form, if answers are kept by it.
    fn canonize_to_keep(&mut self, terms: &Terms, part: &mut Part) -> bool {
        if part.canonical.is_none() && self.lasting.has_store() {
            part.canonical = self
                .lasting
                .canonize(terms, &self.path.atoms, &part.reduced);
        }
        part.canonical.is_some()
    }

    fn names(&self, terms: &Terms, slots: &[Input]) -> Vec<SlotName> {
        let name = |term| match terms.op(term) {
            Op::Var(var) => terms.var_decl(var).name.clone(),
            _ => unreachable!("inputs are symbols, or cells of them"),
        };
        let slots = slots.iter();
        slots
            .map(|&slot| match slot {
                Input::Symbol(term) | Input::Array(term) => SlotName::Symbol(name(term)),
                Input::Func(func) => SlotName::Symbol(terms.func_decl(func).name.clone()),
                Input::Cell(read) => {
                    let index = terms.value(terms.arg(read, 1)).expect("a constant index");
                    SlotName::Cell(name(terms.arg(read, 0)), index.clone())
                }
            })
            .collect()
    }

    /// The atom of a part that came last.
    fn newest(&self, part: &Part) -> AtomId {
        let last = part.places.last().expect("a part has an atom");
        self.path.at(*last)
    }

    /// Takes in what the store has about the things that a part is about; how much that was, and which solutions.
    pub(super) fn fetch(&mut self, terms: &mut Terms, part: &Part) -> (usize, Vec<SolutionId>) {
        let newest = self.newest(part);
        let found = self
            .lasting
            .fetch(terms, &mut self.path.atoms, &part.reduced, newest);
        let count = found.len();
        for entry in found {
            self.take_in(terms, entry);
        }
        let mut solutions = Vec::new();
        let set = self.under_set(terms, part);
        let keys = under_solution(terms, &self.path.atoms, &part.reduced, newest);
        for key in set.into_iter().chain(keys) {
            solutions.extend(self.memory.fetched.get(&key).into_iter().flatten().copied());
        }
        (count, solutions)
    }

    fn take_in(&mut self, terms: &mut Terms, entry: Fetched) {
        let Some(atoms) = entry.about() else {
            return;
        };
        self.path.atoms.know(terms, &atoms);
        let key = self.path.atoms.key(atoms.iter().copied());
        if self.memory.answers.contains(key) {
            return;
        }
        match entry.answer {
            Kept::Unsat(_) => {
                self.memory.unsat.insert(&self.path.atoms, &atoms);
            }
            Kept::Sat(values) => {
                if let Some(solution) = self.solution(terms, &entry.inputs, values) {
                    let memory = &mut self.memory;
                    memory.sat.insert(&self.path.atoms, &atoms, solution.0);
                    if let Some(kept) = &self.kept {
                        memory.quick.add(key, solution, kept.limit());
                    }
                    memory
                        .fetched
                        .entry(entry.under)
                        .or_default()
                        .push(solution);
                }
            }
        }
    }
}
