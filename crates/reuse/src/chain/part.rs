//! Parts: the slices of the path that a check has to decide.

use refrain_path::steps::Step;
use refrain_path::{AtomId, Slice};

use super::Chain;
use crate::canon::Canonical;
use crate::preset::Slicing;

/// Of parts with more atoms than this, only the very same ones are looked for.
const LARGE: usize = 4096;

/// A slice of the path: places, ascending, with its atoms ascending by id and their key.
pub(super) struct Part {
    pub slice: Slice,
    /// A place whose atom the model at hand does not satisfy, or that nobody has looked at.
    pub open: u32,
    pub places: Vec<u32>,
    pub atoms: Vec<AtomId>,
    pub key: u128,
    /// Those of the atoms that say what all of them say.
    pub reduced: Vec<AtomId>,
    pub canonical: Option<Canonical>,
}

impl Part {
    /// Whether it has so many atoms that only the very same ones are looked for.
    pub fn is_large(&self) -> bool {
        self.atoms.len() > LARGE
    }

    /// The atoms in the order of the path.
    pub fn ordered(&self, path: &[Step]) -> Vec<AtomId> {
        let places = self.places.iter();
        places.map(|&place| path[place as usize].atom).collect()
    }
}

/// By group of inputs: the last check that came to it.
#[derive(Default)]
pub(super) struct Visits {
    last: Vec<u64>,
    now: u64,
}

impl Visits {
    /// Another check begins.
    pub fn begin(&mut self) {
        self.now += 1;
    }

    /// Whether this check has not come to a group before.
    fn is_first(&mut self, group: u32) -> bool {
        let group = group as usize;
        if self.last.len() <= group {
            self.last.resize(group + 1, 0);
        }
        std::mem::replace(&mut self.last[group], self.now) != self.now
    }
}

impl Chain {
    /// The slice that a place belongs to, unless this check has come to it before.
    pub(super) fn visit(&mut self, place: u32) -> Option<Slice> {
        if self.layers.slicing == Slicing::Off {
            return (place == 0 || self.layers.model).then_some(Slice::All);
        }
        let slice = self.path.slice_of(place);
        match slice {
            Slice::Group(group) => self.visits.is_first(group).then_some(slice),
            _ => Some(slice),
        }
    }

    pub(super) fn part(&self, slice: Slice, open: u32, key: u128) -> Part {
        let places = self.path.places(slice);
        let mut atoms: Vec<AtomId> = places.iter().map(|&place| self.path.at(place)).collect();
        atoms.sort_unstable();
        Part {
            slice,
            open,
            places,
            atoms,
            key,
            reduced: Vec::new(),
            canonical: None,
        }
    }

    /// Several parts as one.
    pub(super) fn together(&self, parts: &[Part]) -> Part {
        let mut places: Vec<u32> = parts
            .iter()
            .flat_map(|part| &part.places)
            .copied()
            .collect();
        let mut atoms: Vec<AtomId> = parts.iter().flat_map(|part| &part.atoms).copied().collect();
        let reduced = parts.iter().flat_map(|part| &part.reduced);
        let mut reduced: Vec<AtomId> = reduced.copied().collect();
        places.sort_unstable();
        atoms.sort_unstable();
        reduced.sort_unstable();
        Part {
            slice: Slice::All,
            open: parts[0].open,
            key: self.path.atoms.key(atoms.iter().copied()),
            places,
            atoms,
            reduced,
            canonical: None,
        }
    }
}
