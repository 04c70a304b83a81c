//! What is kept along the path beside its atoms, so that a check pays for what is new only.

use refrain_term::{Term, Terms};

use crate::path::{AtomTable, Follow, Step};
use crate::preset::{Layers, Slicing};
use crate::reduce::{Pushed, Reducer};
use crate::slice::Partitions;

/// What is kept along the path beside its atoms.
pub struct Marks {
    pub partitions: Option<Partitions>,
    /// What atoms about the same subject leave it.
    reducer: Option<Reducer>,
    /// The place of the first atom that leaves its subject nothing, and those that are in conflict.
    pub conflict: Option<(u32, Vec<usize>)>,
    /// Where on the path an atom is false by itself.
    pub refuted: Option<u32>,
    pub length: u32,
    /// The shortest that the path has been since the last check.
    pub shortest: u32,
}

impl Marks {
    pub fn new(layers: &Layers) -> Marks {
        Marks {
            partitions: (layers.slicing == Slicing::Incremental).then(Partitions::default),
            reducer: layers.reduce.then(Reducer::default),
            conflict: None,
            refuted: None,
            length: 0,
            shortest: 0,
        }
    }
}

impl Follow for Marks {
    fn put_on(&mut self, terms: &Terms, table: &AtomTable, step: Step) {
        if table.get(step.atom).term == Term::FALSE {
            self.refuted.get_or_insert(self.length);
        }
        if let Some(reducer) = &mut self.reducer
            && let Pushed::Conflict(places) = reducer.push(&table.get(step.atom).restriction)
            && self.conflict.is_none()
        {
            self.conflict = Some((self.length, places));
        }
        if let Some(partitions) = &mut self.partitions {
            partitions.push(terms, table, step.atom);
        }
        self.length += 1;
    }

    fn taken_off(&mut self, _table: &AtomTable, _step: Step) {
        self.length -= 1;
        if let Some(reducer) = &mut self.reducer {
            reducer.pop();
        }
        if self
            .conflict
            .as_ref()
            .is_some_and(|(place, _)| *place == self.length)
        {
            self.conflict = None;
        }
        self.shortest = self.shortest.min(self.length);
        if self.refuted == Some(self.length) {
            self.refuted = None;
        }
        if let Some(partitions) = &mut self.partitions {
            partitions.pop();
        }
    }
}
