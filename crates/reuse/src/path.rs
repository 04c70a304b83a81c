//! The path: the atoms of all assertions and assumptions, in order, as a stack that follows them.
//!
//! An assertion is split into its conjuncts, the *atoms*. Each atom is known by its term, once, with the inputs it depends on and a hash that does not depend
//! on when it was first seen. From one check to the next only what differs is taken off and put on.

use refrain_term::{Input, Inputs, Op, Support, Term, Terms};
use rustc_hash::FxHashMap;

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
    pub inputs: Inputs,
    /// What it restricts to which values.
    pub restriction: Restriction,
    pub subject: SubjectId,
    /// Part of the key of any set that the atom is in; sums of these do not depend on order.
    pub hash: u128,
}

/// All atoms seen so far.
#[derive(Default)]
pub struct AtomTable {
    atoms: Vec<Atom>,
    ids: FxHashMap<Term, AtomId>,
    /// By assertion: its atoms.
    conjuncts: FxHashMap<Term, Box<[AtomId]>>,
    support: Support,
    restrictions: Restrictions,
    subjects: FxHashMap<Term, SubjectId>,
}

/// What the tries ask: an atom implies another if its values are among the other's.
impl Atoms for AtomTable {
    fn subject(&self, atom: AtomId) -> SubjectId {
        self.get(atom).subject
    }

    fn implies(&self, a: AtomId, b: AtomId) -> bool {
        let (a, b) = (&self.get(a).restriction, &self.get(b).restriction);
        a.values.is_subset_of(&b.values)
    }

    fn rank(&self, atom: AtomId) -> u64 {
        u64::from(self.get(atom).subject.0) << 32 | u64::from(atom.0)
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

    pub fn id(&mut self, terms: &mut Terms, term: Term) -> AtomId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        let restriction = self.restrictions.of(terms, &mut self.support, term).clone();
        let next = SubjectId(self.subjects.len() as u32);
        let subject = *self.subjects.entry(restriction.subject).or_insert(next);
        self.atoms.push(Atom {
            term,
            inputs: self.support.inputs(terms, term),
            restriction,
            subject,
            hash: spread(terms.structural_hash(term)),
        });
        self.ids.insert(term, id);
        id
    }

    /// The atoms of an assertion: its conjuncts, without those that are true.
    pub fn conjuncts(&mut self, terms: &mut Terms, formula: Term) -> &[AtomId] {
        if !self.conjuncts.contains_key(&formula) {
            let mut atoms = Vec::new();
            let mut stack = vec![formula];
            while let Some(term) = stack.pop() {
                match terms.op(term) {
                    Op::And => stack.extend(terms.args(term).iter().rev()),
                    Op::True => {}
                    _ => atoms.push(self.id(terms, term)),
                }
            }
            self.conjuncts.insert(formula, atoms.into());
        }
        &self.conjuncts[&formula]
    }

    /// All inputs of some atoms, ascending.
    pub fn inputs(&self, atoms: &[AtomId]) -> Vec<Input> {
        let mut inputs: Vec<Input> = atoms
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

/// 128 bits from 64, such that sums of several say which they are sums of.
fn spread(hash: u64) -> u128 {
    let mix = |mut word: u64| {
        word ^= word >> 32;
        word = word.wrapping_mul(0xd6e8_feb8_6659_fd93);
        word ^= word >> 32;
        word = word.wrapping_mul(0xd6e8_feb8_6659_fd93);
        word ^ word >> 32
    };
    let low = mix(hash ^ 0x9e37_79b9_7f4a_7c15);
    let high = mix(hash.rotate_left(31) ^ 0xc2b2_ae3d_27d4_eb4f);
    u128::from(high) << 64 | u128::from(low)
}

/// An atom on the path, and which assertion or assumption it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub atom: AtomId,
    pub source: u32,
}

#[derive(Clone, Copy)]
struct Source {
    term: Term,
    first_step: u32,
}

/// The atoms in force.
#[derive(Default)]
pub struct Path {
    sources: Vec<Source>,
    steps: Vec<Step>,
    /// How often each atom is on the path, by number: one that is there already says nothing new.
    present: Vec<u32>,
}

impl Path {
    #[inline]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The assertion or assumption of this number.
    pub fn source(&self, source: u32) -> Term {
        self.sources[source as usize].term
    }

    /// How many of the first sources are those wanted.
    fn shared(&self, wanted: impl Fn(usize) -> Term, count: usize, surely: usize) -> usize {
        let mut kept = surely.min(count).min(self.sources.len());
        while kept < self.sources.len() && kept < count && self.sources[kept].term == wanted(kept) {
            kept += 1;
        }
        kept
    }

    /// Follows the assertions and assumptions, of which the first `surely` have not changed. `observer` is told of each atom that is taken off or
    /// put on; an atom is on the path once, however often it is asserted.
    pub fn follow(
        &mut self,
        terms: &mut Terms,
        table: &mut AtomTable,
        assertions: &[Term],
        assumptions: &[Term],
        surely: usize,
        observer: &mut impl Follow,
    ) {
        let count = assertions.len() + assumptions.len();
        let wanted = |i: usize| match assertions.get(i) {
            Some(&term) => term,
            None => assumptions[i - assertions.len()],
        };
        let kept = self.shared(wanted, count, surely);
        if let Some(&Source { first_step, .. }) = self.sources.get(kept) {
            while self.steps.len() > first_step as usize {
                let step = self.steps.pop().expect("longer");
                self.present[step.atom.index()] -= 1;
                observer.taken_off(table, step);
            }
            self.sources.truncate(kept);
        }
        for i in kept..count {
            let term = wanted(i);
            self.sources.push(Source {
                term,
                first_step: self.steps.len() as u32,
            });
            for place in 0..table.conjuncts(terms, term).len() {
                let atom = table.conjuncts(terms, term)[place];
                self.present.resize(self.present.len().max(table.len()), 0);
                if self.present[atom.index()] == 0 {
                    self.present[atom.index()] = 1;
                    let source = i as u32;
                    let step = Step { atom, source };
                    self.steps.push(step);
                    observer.put_on(terms, table, step);
                }
            }
        }
    }
}

/// Told of what changes on a path.
pub trait Follow {
    fn put_on(&mut self, terms: &Terms, table: &AtomTable, step: Step);
    fn taken_off(&mut self, table: &AtomTable, step: Step);
}
