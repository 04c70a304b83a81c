//! Parts: the slices of the path that a check has to decide.

use crate::atoms::AtomId;
use crate::canon::Canonical;
use crate::inputs::InputId;
use crate::path::Step;
use crate::preset::Slicing;
use crate::slice::Partitions;

use super::Chain;

/// Of parts with more atoms than this, only the very same ones are looked for.
const LARGE: usize = 4096;

/// Which slice of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slice {
    All,
    /// The atoms of a group of inputs.
    Group(u32),
    /// The atom at this place, which depends on nothing.
    Alone(u32),
}

impl Slice {
    /// Whether an input belongs to it.
    #[inline]
    pub fn has(self, partitions: &Partitions, input: InputId) -> bool {
        match self {
            Slice::All => true,
            Slice::Group(group) => partitions.is_in(input, group),
            Slice::Alone(_) => false,
        }
    }
}

/// A slice of the path: places, ascending, with its atoms ascending by number and their key.
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

impl Chain {
    /// Brings the groups of inputs in line with the path.
    pub(super) fn follow_partitions(&mut self) {
        let stayed = self.path.take_steps_stayed();
        match self.layers.slicing {
            Slicing::Off => return,
            Slicing::Scratch => self.partitions = Partitions::default(),
            Slicing::Incremental => self.partitions.truncate(&self.atoms, stayed),
        }
        for step in &self.path.steps()[self.partitions.len()..] {
            self.partitions.push(&self.atoms, step.atom);
        }
    }

    /// The slice that a place belongs to, unless this check has come to it before.
    pub(super) fn visit(&mut self, place: u32) -> Option<Slice> {
        if self.layers.slicing == Slicing::Off {
            return (place == 0 || self.layers.model).then_some(Slice::All);
        }
        let atom = self.path.steps()[place as usize].atom;
        let Some(group) = self.partitions.group(&self.atoms, atom) else {
            return Some(Slice::Alone(place));
        };
        let now = self.stats.total.checks + 1;
        if self.visited.len() <= group as usize {
            self.visited.resize(self.atoms.inputs.len(), 0);
        }
        let before = std::mem::replace(&mut self.visited[group as usize], now);
        (before != now).then_some(Slice::Group(group))
    }

    pub(super) fn key(&self, slice: Slice) -> u128 {
        let steps = self.path.steps();
        match slice {
            Slice::Group(group) => self.partitions.key(group),
            Slice::Alone(place) => self.atoms.key([steps[place as usize].atom]),
            Slice::All => self.atoms.key(steps.iter().map(|step| step.atom)),
        }
    }

    pub(super) fn part(&self, slice: Slice, open: u32, key: u128) -> Part {
        let steps = self.path.steps();
        let places = match slice {
            Slice::Group(group) => self.partitions.places(group),
            Slice::Alone(place) => vec![place],
            Slice::All => (0..steps.len() as u32).collect(),
        };
        let mut atoms: Vec<AtomId> = places
            .iter()
            .map(|&place| steps[place as usize].atom)
            .collect();
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
            key: self.atoms.key(atoms.iter().copied()),
            places,
            atoms,
            reduced,
            canonical: None,
        }
    }
}
