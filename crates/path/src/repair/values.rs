//! Repair by values: what the atoms about one input alone leave it, tried on all other atoms that depend on it.
//!
//! If nothing is left, these atoms are in conflict. Otherwise the values (or some of them) are tried all at once, by
//! column evaluation, on every atom that depends on other inputs too.

use refrain_term::{Batch, Term, Terms};

use super::tried::Tried;
use super::{Effort, Repair};
use crate::atoms::AtomId;
use crate::inputs::InputId;
use crate::limits::Limits;
use crate::path::Path;
use crate::simplify::tables::set_input;
use crate::solution::Solution;
use crate::values::{Repr, ValueSet};
use crate::work::Kind;

/// How many values of a wide input are tried.
const WIDE_VALUES: usize = 64;

impl Path {
    pub(super) fn repair_by_values(
        &mut self,
        terms: &mut Terms,
        violated: u32,
        effort: Effort,
        tried: &mut Tried,
        limits: &Limits,
    ) -> Option<Repair> {
        // Those that the fewest atoms depend on first: they are the cheapest to try, and the least in the way.
        let mut inputs = self.atoms.get(self.at(violated)).inputs.to_vec();
        inputs.sort_by_key(|&input| self.occurrences.of(input).len());
        let is_single = inputs.len() == 1;
        for &input in inputs.iter().take(effort.inputs) {
            if let Some(reason) = limits.exceeded() {
                return Some(Repair::Stopped(reason));
            }
            if !self.atoms.inputs.place(input).is_word() {
                continue;
            }
            // What many atoms depend on is tried only while the check has not spent too much on it.
            let occurrences = self.occurrences.of(input).len();
            if !is_single && occurrences > self.repairs.evaluations_left.min(effort.evaluations) {
                continue;
            }
            let left = &mut self.repairs.evaluations_left;
            *left = left.saturating_sub(occurrences);
            let domain = self.domain(terms, input);
            let Some(first) = domain.first_word() else {
                return Some(Repair::Impossible(self.core_of_domain(terms, input)));
            };
            let affected = self.affected(terms, violated, input);
            self.work.note(Kind::Evaluated, affected.len());
            let others = self.beside(terms, input, &affected);
            let value = match others.is_empty() {
                true => Some(first),
                false => self.value_for(terms, input, &domain, &others, effort, tried),
            };
            let Some(value) = value else {
                continue;
            };
            self.note_samples(terms, violated, &others, tried);
            let (words, none) = (Box::new([(input, value)]), Box::default());
            let values = Solution {
                words,
                others: none,
            };
            if self.try_values(terms, values, &affected) {
                return Some(Repair::Done);
            }
        }
        None
    }

    /// The atoms on the path that say something about an input by itself.
    fn about(&mut self, terms: &mut Terms, input: InputId) -> Vec<AtomId> {
        let Some(subject) = self.atoms.inputs.term(input) else {
            return Vec::new();
        };
        let places = self.occurrences.of(input).iter();
        let steps = self.steps.all();
        let mut atoms: Vec<AtomId> = places.map(|&place| steps[place as usize].atom).collect();
        atoms.retain(|&atom| self.atoms.get(atom).inputs.len() == 1);
        self.atoms.know(terms, &atoms);
        atoms.retain(|&atom| self.atoms.restriction(atom).subject == subject);
        atoms
    }

    /// What the atoms about an input alone leave it.
    pub(super) fn domain(&mut self, terms: &mut Terms, input: InputId) -> ValueSet {
        let about = self.about(terms, input);
        let values = about
            .iter()
            .map(|&atom| &self.atoms.restriction(atom).values);
        self.all_words(terms, input).narrowed(values)
    }

    fn all_words(&self, terms: &Terms, input: InputId) -> ValueSet {
        let term = self.atoms.inputs.term(input);
        let all = term.and_then(|term| ValueSet::all(terms.sort(term)));
        all.expect("an input of at most 64 bits")
    }

    /// Of these places, the atoms that say more than which values an input has.
    fn beside(&mut self, terms: &mut Terms, input: InputId, places: &[u32]) -> Vec<Term> {
        let subject = self.atoms.inputs.term(input);
        let steps = self.steps.all();
        let atoms: Vec<AtomId> = places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect();
        self.atoms.know(terms, &atoms);
        let about = |atom: &AtomId| Some(self.atoms.restriction(*atom).subject) == subject;
        let atoms = atoms.iter().filter(|atom| !about(atom));
        atoms.map(|&atom| self.atoms.get(atom).term).collect()
    }

    /// A value of the domain under which all of these atoms are true, everything else being as it is.
    fn value_for(
        &mut self,
        terms: &Terms,
        input: InputId,
        domain: &ValueSet,
        atoms: &[Term],
        effort: Effort,
        tried: &mut Tried,
    ) -> Option<u64> {
        let most = match domain.0 {
            Repr::Words { .. } => WIDE_VALUES,
            _ => 256,
        };
        let count = most.min(effort.evaluations / atoms.len()).max(4);
        let values = domain.some_words(count, &mut self.repairs.random);
        self.work.note(Kind::Batch, 1);
        self.work.note(Kind::Column, values.len() * atoms.len());
        let mut batch = Batch::new(values.len(), self.model.assignment().clone());
        set_input(&mut batch, terms, self.atoms.inputs.get(input), &values);
        let most = effort.terms.min(self.repairs.spent.left(terms));
        let lanes = batch.eval_within(terms, atoms, most)?;
        self.repairs.spent.note(batch.evaluated());
        let lane = (0..values.len()).find(|&lane| lanes.iter().all(|bits| bits.get(lane)));
        let value = lane.map(|lane| values[lane]);
        if tried.wants_more() {
            tried.note(self, &[(input, values)], &lanes);
        }
        value
    }

    /// Atoms that together leave an input no value.
    fn core_of_domain(&mut self, terms: &mut Terms, input: InputId) -> Vec<AtomId> {
        let about = self.about(terms, input);
        let values = |atom: AtomId| &self.atoms.restriction(atom).values;
        let (holes, sets): (Vec<AtomId>, Vec<AtomId>) = about
            .iter()
            .partition(|&&atom| values(atom).hole().is_some());
        let all = self.all_words(terms, input);
        let leave = |some: &[AtomId], others: &[AtomId]| {
            let sets = some.iter().chain(others).map(|&atom| values(atom));
            all.clone().narrowed(sets)
        };
        // Holes may be many: all of them count until the sets are chosen. Each round finds the set that takes the
        // last value away, with those found before it already there.
        let mut core: Vec<AtomId> = Vec::new();
        loop {
            let mut domain = leave(&holes, &core);
            if domain.is_empty() {
                break;
            }
            let last = sets.iter().find(|&&atom| {
                domain = domain.intersection(values(atom));
                domain.is_empty()
            });
            core.push(*last.expect("all of them together leave no value"));
        }
        // What the sets leave, the holes must take away, one by one.
        let domain = leave(&core, &[]);
        let needed = holes.into_iter().filter(|&atom| {
            values(atom)
                .hole()
                .is_some_and(|hole| domain.contains_word(hole))
        });
        core.extend(needed.collect::<Vec<_>>());
        core
    }
}
