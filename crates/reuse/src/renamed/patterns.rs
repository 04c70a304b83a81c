//! Atoms without names: a pattern, the inputs in its slots, and the values that it may take.

use std::rc::Rc;

use refrain_term::{Input, Terms};
use rustc_hash::FxHashMap;

use crate::canon::{Canonizer, Pattern, Symmetry};
use crate::ltrie::SubjectId;
use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::inputs::InputId;
use refrain_path::values::ValueSet;

/// A pattern, numbered as they come.
pub(super) type PatternId = u32;

/// An atom without names: what its pattern is with these inputs is one of these values.
#[derive(Debug)]
pub struct Member {
    pub(super) pattern: PatternId,
    pub(super) inputs: Box<[InputId]>,
    pub(super) values: ValueSet,
}

/// What is known of a pattern.
pub(super) struct Known {
    /// The same in every run.
    pub hash: u64,
    /// How much it says: the length of its key.
    pub size: usize,
    /// The ways to read it; the first is as it is.
    pub symmetries: Box<[Symmetry]>,
}

struct Subject {
    pattern: PatternId,
    inputs: Box<[InputId]>,
    is_negated: bool,
}

/// All patterns met so far, and the atoms that were read by them.
#[derive(Default)]
pub struct Patterns {
    ids: FxHashMap<Box<[u8]>, PatternId>,
    known: Vec<Known>,
    /// Nothing for a subject that has no pattern: one that is too large, or has functions in it.
    subjects: FxHashMap<SubjectId, Option<Subject>>,
    members: FxHashMap<AtomId, Option<Rc<Member>>>,
    /// How long the keys of all patterns are.
    key_bytes: usize,
}

impl Patterns {
    /// About how many bytes all of it takes.
    pub fn bytes(&self) -> usize {
        self.members.len() * size_of::<(AtomId, Option<Rc<Member>>, Member)>()
            + self.subjects.len() * size_of::<(SubjectId, Option<Subject>)>()
            + self.known.len() * size_of::<(Box<[u8]>, Known)>()
            + self.key_bytes
    }

    pub(super) fn get(&self, pattern: PatternId) -> &Known {
        &self.known[pattern as usize]
    }

    /// A known atom without its names, if what it is about has a pattern.
    pub fn member(
        &mut self,
        terms: &Terms,
        atoms: &AtomTable,
        canonizer: &mut Canonizer,
        atom: AtomId,
    ) -> Option<Rc<Member>> {
        if let Some(member) = self.members.get(&atom) {
            return member.clone();
        }
        let subject = self.subject(terms, atoms, canonizer, atom);
        let member = subject.map(|subject| {
            let values = &atoms.restriction(atom).values;
            Rc::new(Member {
                pattern: subject.pattern,
                inputs: subject.inputs.clone(),
                values: match subject.is_negated {
                    true => values.negated(),
                    false => values.clone(),
                },
            })
        });
        self.members.insert(atom, member.clone());
        member
    }

    fn subject(
        &mut self,
        terms: &Terms,
        atoms: &AtomTable,
        canonizer: &mut Canonizer,
        atom: AtomId,
    ) -> Option<&Subject> {
        let id = atoms.subject(atom);
        if !self.subjects.contains_key(&id) {
            let subject = self.read(terms, atoms, canonizer, atom);
            self.subjects.insert(id, subject);
        }
        self.subjects[&id].as_ref()
    }

    fn read(
        &mut self,
        terms: &Terms,
        atoms: &AtomTable,
        canonizer: &mut Canonizer,
        atom: AtomId,
    ) -> Option<Subject> {
        let term = atoms.restriction(atom).subject;
        let pattern = canonizer.pattern(terms, term)?;
        let hash = pattern.hash();
        let Pattern {
            key,
            slots,
            is_negated,
        } = pattern;
        let input = |slot: &Input| match slot {
            Input::Func(_) => None,
            slot => atoms.inputs.find(*slot),
        };
        let inputs = slots.iter().map(input).collect::<Option<_>>()?;
        let next = self.known.len() as PatternId;
        let pattern = match self.ids.get(&key[..]) {
            Some(&pattern) => pattern,
            None => {
                self.known.push(Known {
                    hash,
                    size: key.len(),
                    symmetries: canonizer.symmetries(terms, term, &slots).into(),
                });
                self.key_bytes += key.len();
                self.ids.insert(key.into(), next);
                next
            }
        };
        Some(Subject {
            pattern,
            inputs,
            is_negated,
        })
    }
}
