//! Atoms: the conjuncts of assertions, each known once.
//!
//! Equations at the base level that define symbols become facts first, and what is asserted is simplified by them: a
//! constant table that is asserted cell by cell is no part of any query. What an atom restricts to which values is
//! found out when a layer asks.

use std::sync::Arc;

use refrain_solver::simplify::{CompletedModel, Simplifier, Tables};
use refrain_solver::{Limits, Reason};
use refrain_term::{Assignment, Inputs, Op, Support, Term, Terms};
use rustc_hash::FxHashMap;

use crate::inputs::{InputId, InputTable};
use crate::ltrie::{Atoms, SubjectId};
use crate::restriction::{Restriction, Restrictions};

pub use crate::ltrie::AtomId;

impl AtomId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub struct Atom {
    pub term: Term,
    pub depends_on: Inputs,
    /// The same by number, ascending.
    pub inputs: Box<[InputId]>,
    /// The number of this set of inputs.
    pub input_set: u32,
    /// Part of the key of any set that the atom is in.
    pub hash: u128,
    /// The input, if that is a single one of at most 8 bits.
    pub byte: Option<InputId>,
    /// What it is about, once that was asked for.
    subject: Option<SubjectId>,
}

/// Where the atoms of an assertion are.
#[derive(Clone, Copy)]
pub struct Conjuncts {
    first: u32,
    count: u32,
}

/// All atoms seen so far.
#[derive(Default)]
pub struct AtomTable {
    pub inputs: InputTable,
    atoms: Vec<Atom>,
    ids: FxHashMap<Term, AtomId>,
    negations: FxHashMap<AtomId, AtomId>,
    input_sets: FxHashMap<Box<[InputId]>, u32>,
    /// By assertion: where its atoms are among `conjuncts`, once it was taken apart.
    taken_apart: Vec<Option<Conjuncts>>,
    conjuncts: Vec<AtomId>,
    support: Support,
    restrictions: Restrictions,
    subjects: FxHashMap<Term, SubjectId>,
    simplifier: Simplifier,
    tables: Tables,
}

/// What the tries ask: an atom implies another if its values are among the other's. They ask of atoms only that are
/// [`AtomTable::know`]n.
impl Atoms for AtomTable {
    fn subject(&self, atom: AtomId) -> SubjectId {
        self.get(atom).subject.expect("known")
    }

    fn implies(&self, a: AtomId, b: AtomId) -> bool {
        self.restriction(a)
            .values
            .is_subset_of(&self.restriction(b).values)
    }

    fn rank(&self, atom: AtomId) -> u64 {
        u64::from(self.subject(atom).0) << 32 | u64::from(atom.0)
    }
}

impl AtomTable {
    #[inline]
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// How many different sets of inputs the atoms have.
    pub fn input_sets(&self) -> usize {
        self.input_sets.len()
    }

    pub fn id(&mut self, terms: &Terms, term: Term) -> AtomId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        let depends_on = self.support.inputs(terms, term);
        let mut inputs: Box<[InputId]> = depends_on
            .iter()
            .map(|&input| self.inputs.id(terms, input))
            .collect();
        inputs.sort_unstable();
        let byte = match inputs[..] {
            [input] if self.inputs.place(input).is_byte() => Some(input),
            _ => None,
        };
        let next = self.input_sets.len() as u32;
        let input_set = match self.input_sets.get(&inputs) {
            Some(&set) => set,
            None => *self.input_sets.entry(inputs.clone()).or_insert(next),
        };
        self.atoms.push(Atom {
            term,
            depends_on,
            inputs,
            input_set,
            byte,
            hash: spread(u64::from(id.0)),
            subject: None,
        });
        self.ids.insert(term, id);
        id
    }

    /// The atom that holds where this one does not.
    pub fn negation(&mut self, terms: &mut Terms, atom: AtomId) -> AtomId {
        if let Some(&negation) = self.negations.get(&atom) {
            return negation;
        }
        let negated = terms.not(self.get(atom).term);
        let negation = self.id(terms, negated);
        self.negations.insert(atom, negation);
        negation
    }

    /// Finds out what these atoms restrict to which values.
    pub fn know(&mut self, terms: &mut Terms, atoms: &[AtomId]) {
        for &id in atoms {
            let atom = &mut self.atoms[id.index()];
            if atom.subject.is_none() {
                let restriction = self.restrictions.of(terms, &mut self.support, atom.term);
                let next = SubjectId(self.subjects.len() as u32);
                let subject = *self.subjects.entry(restriction.subject).or_insert(next);
                atom.subject = Some(subject);
            }
        }
    }

    /// What a known atom restricts to which values.
    #[inline]
    pub fn restriction(&self, atom: AtomId) -> &Restriction {
        let term = self.get(atom).term;
        self.restrictions.known(term).expect("known")
    }

    /// The atoms of an assertion: its simplified conjuncts, without those that are true or, at the base, facts from
    /// now on.
    pub fn conjuncts(
        &mut self,
        terms: &mut Terms,
        assertion: Term,
        base: bool,
        limits: &Limits,
    ) -> Result<Conjuncts, Reason> {
        if let Some(&Some(conjuncts)) = self.taken_apart.get(assertion.index()) {
            return Ok(conjuncts);
        }
        self.take_apart(terms, assertion, base, limits)
    }

    fn take_apart(
        &mut self,
        terms: &mut Terms,
        assertion: Term,
        base: bool,
        limits: &Limits,
    ) -> Result<Conjuncts, Reason> {
        let mut atoms = Vec::new();
        let mut facts = false;
        let mut stack = vec![assertion];
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
            let simple = self.simplify(terms, term, limits)?;
            if terms.op(simple) == Op::And {
                stack.extend(terms.args(simple).iter().rev());
                continue;
            }
            if simple == Term::TRUE {
                continue;
            }
            if base
                && self.simplifier.learn(
                    terms,
                    &mut self.support,
                    &mut self.inputs,
                    assertion,
                    simple,
                )
            {
                facts = true;
                continue;
            }
            atoms.push(self.noted(terms, simple));
        }
        let conjuncts = Conjuncts {
            first: self.conjuncts.len() as u32,
            count: atoms.len() as u32,
        };
        self.conjuncts.append(&mut atoms);
        if !facts {
            if self.taken_apart.len() <= assertion.index() {
                self.taken_apart.resize(assertion.index() + 1, None);
            }
            self.taken_apart[assertion.index()] = Some(conjuncts);
        }
        Ok(conjuncts)
    }

    #[inline]
    pub fn atoms_of(&self, conjuncts: Conjuncts) -> &[AtomId] {
        &self.conjuncts[conjuncts.first as usize..][..conjuncts.count as usize]
    }

    /// What facts say nothing about is as simple as its constructors make it.
    fn simplify(&mut self, terms: &mut Terms, term: Term, limits: &Limits) -> Result<Term, Reason> {
        if !self.simplifier.has_facts() {
            return Ok(term);
        }
        let inputs = self.support.inputs(terms, term);
        if !inputs
            .iter()
            .any(|&input| self.simplifier.defines(terms, input))
        {
            return Ok(term);
        }
        self.simplifier
            .apply(terms, &mut self.support, &mut self.tables, term, limits)
    }

    /// An atom that an assertion has: its inputs can be defined no more.
    fn noted(&mut self, terms: &Terms, term: Term) -> AtomId {
        let id = self.id(terms, term);
        for place in 0..self.get(id).inputs.len() {
            let input = self.get(id).inputs[place];
            self.inputs.note_id(input);
        }
        id
    }

    /// A model with the values that facts define.
    pub fn completed(
        &self,
        completed: &mut CompletedModel,
        terms: &Terms,
        model: &Arc<Assignment>,
        model_changes: u64,
    ) -> Arc<Assignment> {
        completed.of(&self.simplifier, terms, model, model_changes)
    }

    /// Adds the assertions that facts come from to those of a conflict.
    pub fn add_sources(&self, terms: &Terms, conflict: &mut Vec<Term>) {
        self.simplifier.add_sources(terms, conflict);
    }

    /// No assertion is in force any more, and so no fact.
    pub fn reset(&mut self) {
        self.taken_apart.clear();
        self.conjuncts.clear();
        self.simplifier = Simplifier::default();
        self.inputs.reset();
    }

    /// All inputs of some atoms, ascending.
    pub fn inputs_of(&self, atoms: &[AtomId]) -> Vec<InputId> {
        let mut inputs: Vec<InputId> = atoms
            .iter()
            .flat_map(|&atom| self.get(atom).inputs.iter().copied())
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// The order-free key of a set of atoms.
    pub fn key(&self, atoms: impl IntoIterator<Item = AtomId>) -> u128 {
        let hashes = atoms.into_iter().map(|atom| self.get(atom).hash);
        hashes.fold(0, u128::wrapping_add)
    }
}

/// 128 bits for a number, such that sums of several say which they are sums of: of a billion sets, two have the same
/// sum with a probability of one in 10^20.
fn spread(number: u64) -> u128 {
    // The finalizer of SplitMix64, at two places of its sequence.
    let mix = |mut word: u64| {
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    };
    let step = |times: u64| times.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let low = mix(step(2 * number + 1));
    let high = mix(step(2 * number + 2));
    u128::from(high) << 64 | u128::from(low)
}
