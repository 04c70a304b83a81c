//! Where on the path inputs occur.

use crate::atoms::{AtomId, AtomTable};
use crate::inputs::InputId;

/// By input: the places of atoms that depend on it.
#[derive(Default)]
pub struct Occurrences {
    places: Vec<Vec<u32>>,
    atoms: Vec<AtomId>,
}

impl Occurrences {
    /// How many atoms of the path have been taken in.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// The places of atoms that depend on an input, ascending.
    #[inline]
    pub fn of(&self, input: InputId) -> &[u32] {
        self.places.get(input.index()).map_or(&[], |places| places)
    }

    pub fn push(&mut self, table: &AtomTable, atom: AtomId) {
        let place = self.atoms.len() as u32;
        self.atoms.push(atom);
        if self.places.len() < table.inputs.len() {
            self.places.resize_with(table.inputs.len(), Vec::new);
        }
        for &input in &table.get(atom).inputs {
            self.places[input.index()].push(place);
        }
    }

    /// Takes all atoms off but the first.
    pub fn truncate(&mut self, table: &AtomTable, kept: usize) {
        while self.atoms.len() > kept {
            let atom = self.atoms.pop().expect("more than are kept");
            for &input in &table.get(atom).inputs {
                self.places[input.index()].pop();
            }
        }
    }
}
