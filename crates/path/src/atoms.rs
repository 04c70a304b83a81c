//! Atoms: the conjuncts of assertions, each known once.
//!
//! Equations at the base level that define symbols become facts first, and what is asserted is simplified by them: a
//! constant table that is asserted cell by cell is no part of any query. What an atom restricts to which values is
//! found out when a layer asks.

use refrain_term::{Inputs, Op, Support, Term, Terms};
use rustc_hash::FxHashMap;

use crate::inputs::{InputId, InputTable};
use crate::limits::{Limits, Reason};
use crate::linear::Linear;
use crate::restriction::{Restriction, Restrictions};
use crate::simplify::{Simplifier, Tables};

/// An atom. Ids are dense small integers: tables are indexed by them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// What an atom is about. Dense small integers, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SubjectId(pub u32);

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
    /// What it says if it compares a sum of numbers.
    pub linear: Option<Box<Linear>>,
    /// What it is about, once that was asked for.
    subject: Option<SubjectId>,
}

/// Where the atoms of an assertion are.
#[derive(Clone, Copy)]
pub struct Conjuncts {
    first: u32,
    count: u32,
    /// Whether they are the assertion's own, and not what simplification made of them.
    pub are_its_own: bool,
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
    pub support: Support,
    restrictions: Restrictions,
    subjects: FxHashMap<Term, SubjectId>,
    /// Without it atoms are the conjuncts of assertions as they are.
    simplifier: Option<Simplifier>,
    pub tables: Tables,
}

impl AtomTable {
    /// Of atoms that are simplified, equations at the base being facts; or taken as they are.
    pub fn new(simplify: bool) -> AtomTable {
        AtomTable {
            simplifier: simplify.then(Simplifier::default),
            ..AtomTable::default()
        }
    }

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
            linear: Linear::of(terms, &self.inputs, term).map(Box::new),
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

    /// What a known atom is about.
    #[inline]
    pub fn subject(&self, atom: AtomId) -> SubjectId {
        self.get(atom).subject.expect("known")
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
        let (mut facts, mut are_its_own) = (false, true);
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
            are_its_own &= simple == term;
            if terms.op(simple) == Op::And {
                stack.extend(terms.args(simple).iter().rev());
                continue;
            }
            if simple == Term::TRUE {
                continue;
            }
            if base && self.learn(terms, assertion, simple) {
                (facts, are_its_own) = (true, false);
                continue;
            }
            atoms.push(self.noted(terms, simple));
        }
        let conjuncts = Conjuncts {
            first: self.conjuncts.len() as u32,
            count: atoms.len() as u32,
            are_its_own,
        };
        self.conjuncts.append(&mut atoms);
        // As a fact it says nothing while it is asserted at the base, and everything elsewhere.
        if !facts {
            if self.taken_apart.len() <= assertion.index() {
                self.taken_apart.resize(assertion.index() + 1, None);
            }
            self.taken_apart[assertion.index()] = Some(conjuncts);
        }
        Ok(conjuncts)
    }

    /// Makes a fact of a conjunct, if it defines something that nothing depends on so far.
    fn learn(&mut self, terms: &mut Terms, assertion: Term, conjunct: Term) -> bool {
        let Some(simplifier) = &mut self.simplifier else {
            return false;
        };
        let (support, inputs) = (&mut self.support, &mut self.inputs);
        simplifier.learn(terms, support, inputs, assertion, conjunct)
    }

    #[inline]
    pub fn atoms_of(&self, conjuncts: Conjuncts) -> &[AtomId] {
        &self.conjuncts[conjuncts.first as usize..][..conjuncts.count as usize]
    }

    fn simplify(&mut self, terms: &mut Terms, term: Term, limits: &Limits) -> Result<Term, Reason> {
        let Some(simplifier) = &mut self.simplifier else {
            return Ok(term);
        };
        simplifier.apply(terms, &mut self.support, &mut self.tables, term, limits)
    }

    /// Plants a fault: from now on a formula is simplified to another one.
    #[cfg(test)]
    pub(crate) fn rewrite_wrongly(&mut self, formula: Term, into: Term) {
        let simplifier = self.simplifier.as_mut().expect("atoms are simplified");
        simplifier.rewrite_wrongly(formula, into);
    }

    /// Plants a fault: from now on an atom is taken to restrict its subject to other values.
    #[cfg(test)]
    pub(crate) fn restrict_wrongly(&mut self, atom: Term, restriction: Restriction) {
        self.restrictions.keep(atom, restriction);
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

    /// What defines symbols that no atom has.
    pub fn facts(&self) -> Option<&Simplifier> {
        self.simplifier.as_ref().filter(|facts| !facts.is_empty())
    }

    /// Adds the assertions that facts come from to those of a conflict.
    pub fn add_sources(&self, terms: &Terms, conflict: &mut Vec<Term>) {
        if let Some(facts) = self.facts() {
            facts.add_sources(terms, conflict);
        }
    }

    /// No assertion is in force any more, and so no fact.
    pub fn reset(&mut self) {
        self.taken_apart.clear();
        self.conjuncts.clear();
        if let Some(simplifier) = &mut self.simplifier {
            *simplifier = Simplifier::default();
        }
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
