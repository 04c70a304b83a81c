//! Atoms: the conjuncts of the assertions, each known by its term, and those that are active now.
//!
//! The active atoms form a stack that follows the assertions and assumptions. For every input it is known which
//! active atoms depend on it, so that the part of a query that a change can touch is found without looking at the rest.

use refrain_term::{Input, Term};
use rustc_hash::FxHashMap;

use super::domain::Allowed;
use super::inputs::{InputId, InputTable};
use super::shift::Linear;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(u32);

impl AtomId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub struct Atom {
    pub term: Term,
    pub inputs: Box<[InputId]>,
    /// The values of its single input that satisfy it; `None` if it has several inputs, or no such set is known.
    pub allowed: Option<Allowed>,
    /// What it says if it compares a sum of numbers.
    pub linear: Option<Linear>,
}

/// An atom on the stack, and which assertion or assumption it comes from.
#[derive(Clone, Copy)]
pub struct Active {
    pub atom: AtomId,
    pub source: u32,
}

#[derive(Default)]
pub struct Atoms {
    ids: FxHashMap<Term, AtomId>,
    atoms: Vec<Atom>,
    active: Vec<Active>,
    /// By input: where on the stack atoms depend on it, ascending.
    occurrences: Vec<Vec<u32>>,
}

impl Atoms {
    #[inline]
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    #[inline]
    pub fn active(&self) -> &[Active] {
        &self.active
    }

    /// The active atom at a place on the stack.
    #[inline]
    pub fn at(&self, place: u32) -> &Atom {
        self.get(self.active[place as usize].atom)
    }

    #[inline]
    pub fn occurrences(&self, input: InputId) -> &[u32] {
        self.occurrences
            .get(input.index())
            .map_or(&[], |places| places)
    }

    pub fn find(&self, term: Term) -> Option<AtomId> {
        self.ids.get(&term).copied()
    }

    pub fn add(&mut self, atom: Atom) -> AtomId {
        let id = AtomId(self.atoms.len() as u32);
        self.ids.insert(atom.term, id);
        self.atoms.push(atom);
        id
    }

    pub fn activate(&mut self, atom: AtomId, source: u32, inputs: &mut InputTable) {
        let place = self.active.len() as u32;
        self.occurrences
            .resize_with(self.occurrences.len().max(inputs.len()), Vec::new);
        for &input in &self.atoms[atom.index()].inputs {
            self.occurrences[input.index()].push(place);
            if let Some(wholes) = Self::wholes(inputs, input) {
                *wholes += 1;
            }
        }
        self.active.push(Active { atom, source });
    }

    /// Takes atoms off the stack until `length` are left.
    pub fn deactivate_to(&mut self, length: usize, inputs: &mut InputTable) {
        while self.active.len() > length {
            let top = self.active.pop().expect("longer than `length`");
            for &input in &self.atoms[top.atom.index()].inputs {
                let place = self.occurrences[input.index()].pop();
                debug_assert_eq!(place, Some(self.active.len() as u32));
                if let Some(wholes) = Self::wholes(inputs, input) {
                    *wholes -= 1;
                }
            }
        }
    }

    /// How many active atoms use the array as a whole that `input` is.
    fn wholes(inputs: &mut InputTable, input: InputId) -> Option<&mut u32> {
        let info = inputs.info(input);
        let (Input::Array(_), Some(family)) = (info.input, info.family) else {
            return None;
        };
        Some(&mut inputs.family_mut(family).active_wholes)
    }
}
