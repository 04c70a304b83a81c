//! The canonical form of a set of atoms: the key under which an answer is kept across runs and programs.
//!
//! Sets that are equal up to the names of variables and the order of atoms have the same key, and the key is the
//! whole set: it can be read back ([`instantiate`]), so that sets with the same key are equivalent up to a renaming.
//! Hashes only decide in which order things are written.
//!
//! The variables are the inputs ([`refrain_term::support`]): symbols, functions, arrays, and single cells of arrays,
//! which are bit-vectors like any other unless the set uses their array as a whole. The way from a set to its key:
//!
//! 1. `shape`: each term is read once into a form without names, and without the choices that constructors make by
//!    names.
//! 2. Inputs get colours by how they are used (`set`); if these are all different, and mostly they are, that is all.
//! 3. `search`: refinement of colours, and search where inputs look the same. It has a budget, beyond which a set may
//!    get another key under other names: a match is missed, never a wrong one made.
//! 4. `write`: the set as one graph, in the order of its hashes; `read` is the way back.
//!
//! `pattern` does the same for what an atom is about, without what it says of it.
//!
//! Not seen as equal is what constructors leave different whatever the names: `(x & y) & z` and `x & (y & z)`; sums
//! that were cut at different places because they are long; and terms at which a constructor's own budget of rewriting
//! ran out.

pub(crate) mod bytes;
mod code;
mod hash;
mod pattern;
mod read;
mod search;
mod set;
mod shape;
mod write;

use refrain_term::{Input, Inputs, Term, Terms};
use rustc_hash::FxHashMap;

pub use bytes::SlotSort;
pub use pattern::{Pattern, Symmetry};
pub use read::{SlotTerm, instantiate, slot_sorts};
pub use write::FORMAT;

use hash::mix;
use search::{AtomUses, Search, Uses, count_colours};
use set::Set;
use shape::{Kind, Shapes, Span, Target};
use write::{Writer, Written};

/// The most nodes of a set that gets a key.
pub const MAX_NODES: usize = 1 << 14;

/// The most bytes of a key.
pub const MAX_KEY: usize = 256 << 10;

/// The most bits of a bit-vector in a key.
pub const MAX_WIDTH: u32 = 1 << 13;

/// The most words of a number in a key.
const MAX_NUMBER_WORDS: usize = 64;

/// The nodes of an atom are kept if they are at most this many.
const KEPT_NODES: usize = 256;

/// A set without names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The whole set.
    pub key: Vec<u8>,
    /// By position in the key: the atom's index in the list given. Of equal atoms the first is there.
    pub order: Vec<u32>,
    /// By slot of the key: the input it stands for.
    pub slots: Vec<Input>,
}

/// What is known of an atom without its names.
#[derive(Clone, Copy)]
struct Profile {
    target: Target,
    hash: u64,
    /// Its inputs and their contexts.
    uses: Span,
    /// Its nodes, operands first; `None` if they are many.
    nodes: Option<Span>,
    /// The last set that it was in.
    last: u64,
}

/// Finds canonical forms. What it remembers of terms is about one arena.
#[derive(Default)]
pub struct Canonizer {
    shapes: Shapes,
    profiles: Vec<Profile>,
    /// By atom; `None` if it is too large.
    profile_ids: FxHashMap<Term, Option<u32>>,
    uses: Vec<(u32, u64)>,
    nodes: Vec<u32>,
    /// How many sets there were.
    sets: u64,
    single: Set,
    set: Set,
    set_uses: Uses,
    writer: Writer,
    colours: Vec<u64>,
    sorted: Vec<(u64, u32)>,
    written: Written,
    /// The atoms of the set: profile, and index in the list.
    atoms: Vec<(u32, u32)>,
    visits: u64,
}

impl Canonizer {
    pub fn new() -> Canonizer {
        Canonizer::default()
    }

    /// How many nodes have been looked at, and bytes written.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// The canonical form of a set of atoms, given with what they depend on. `None` if it is too large: more than
    /// [`MAX_NODES`] nodes or [`MAX_KEY`] bytes, or a value beyond [`MAX_WIDTH`] bits.
    pub fn canonize(&mut self, terms: &Terms, atoms: &[(Term, &Inputs)]) -> Option<Canonical> {
        self.sets += 1;
        self.atoms.clear();
        for (&(term, _), index) in atoms.iter().zip(0..) {
            let id = self.profile(terms, term)?;
            let profile = &mut self.profiles[id as usize];
            if profile.last != self.sets {
                profile.last = self.sets;
                self.atoms.push((id, index));
            }
        }
        self.collect()?;
        let has_arrays = atoms.iter().any(|(_, inputs)| {
            let mut inputs = inputs.iter();
            inputs.any(|input| matches!(input, Input::Array(_)))
        });
        self.write(has_arrays);
        self.result()
    }

    /// Tells the inputs of the set that was collected apart, and writes it.
    fn write(&mut self, has_arrays: bool) {
        let has_reads = has_arrays && self.open_cells();
        self.first_colours(has_reads);
        if count_colours(&self.colours, &mut self.sorted) == self.colours.len() {
            self.set.hash_up(&self.shapes, &self.colours);
            self.writer
                .write(&self.shapes, &self.set, &mut self.written);
        } else {
            let uses = &self.set_uses;
            let mut search = Search::new(&self.shapes, &mut self.set, uses, &mut self.writer);
            self.written = search.run(self.colours.clone());
            self.visits += search.work as u64;
        }
        self.visits += (self.set.nodes.len() + self.written.key.len()) as u64;
    }

    fn result(&mut self) -> Option<Canonical> {
        let key = std::mem::take(&mut self.written.key);
        if key.len() > MAX_KEY {
            return None;
        }
        let order = self.written.order.iter();
        Some(Canonical {
            key,
            order: order.map(|&atom| self.atoms[atom as usize].1).collect(),
            slots: self.slots(),
        })
    }

    /// By slot of what was written: the input it stands for.
    fn slots(&self) -> Vec<Input> {
        let slots = self.written.slots.iter();
        slots
            .map(|&slot| {
                let shape = self.set.nodes[self.set.inputs[slot as usize] as usize];
                self.shapes.inputs[self.shapes.shapes[shape as usize].input as usize]
            })
            .collect()
    }

    /// What is known of an atom.
    fn profile(&mut self, terms: &Terms, atom: Term) -> Option<u32> {
        if let Some(&known) = self.profile_ids.get(&atom) {
            return known;
        }
        let target = self.shapes.target(terms, atom);
        let profile = target.and_then(|target| self.new_profile(target));
        let id = profile.map(|profile| {
            self.profiles.push(profile);
            self.profiles.len() as u32 - 1
        });
        self.profile_ids.insert(atom, id);
        id
    }

    fn new_profile(&mut self, target: Target) -> Option<Profile> {
        let set = &mut self.single;
        set.clear(&self.shapes);
        if !set.walk(&self.shapes, target >> 1, MAX_NODES) {
            return None;
        }
        self.visits += 8 * set.nodes.len() as u64;
        set.roots.push(target);
        set.nameless(&self.shapes);
        set.contexts_down(&self.shapes);
        let start = self.uses.len() as u32;
        let inputs = set.inputs.iter().enumerate();
        self.uses
            .extend(inputs.map(|(input, &node)| (set.nodes[node as usize], set.use_of(input))));
        let uses = Span {
            start,
            end: u32::try_from(self.uses.len()).ok()?,
        };
        let nodes = (set.nodes.len() <= KEPT_NODES).then(|| {
            let start = self.nodes.len() as u32;
            self.nodes.extend_from_slice(&set.nodes);
            Span {
                start,
                end: self.nodes.len() as u32,
            }
        });
        Some(Profile {
            target,
            hash: set.hash(target),
            uses,
            nodes,
            last: 0,
        })
    }

    /// Brings the nodes of all atoms together.
    fn collect(&mut self) -> Option<()> {
        self.set.clear(&self.shapes);
        for &(id, _) in &self.atoms {
            let profile = &self.profiles[id as usize];
            self.set.roots.push(profile.target);
            match profile.nodes {
                Some(nodes) => {
                    for &shape in nodes.of(&self.nodes) {
                        self.set.add(&self.shapes, shape);
                    }
                }
                None => {
                    if !self.set.walk(&self.shapes, profile.target >> 1, MAX_NODES) {
                        return None;
                    }
                }
            }
        }
        (self.set.nodes.len() <= MAX_NODES).then_some(())
    }

    /// Makes the cells of arrays that are inputs reads of these, and says whether there are any.
    fn open_cells(&mut self) -> bool {
        let whole_array = |set: &Set, shape: u32| {
            let shape = &self.shapes.shapes[shape as usize];
            shape.kind == Kind::Cell && set.has(self.shapes.edges_of(shape)[0].target >> 1)
        };
        let inputs = self.set.inputs.iter();
        let has_reads = inputs
            .map(|&node| self.set.nodes[node as usize])
            .any(|shape| whole_array(&self.set, shape));
        if has_reads {
            self.set.open_cells(&self.shapes);
        }
        has_reads
    }

    /// Colours by how atoms use inputs, or by sorts alone where cells are reads, which the atoms do not know.
    fn first_colours(&mut self, has_reads: bool) {
        let (set, shapes) = (&self.set, &self.shapes);
        let Uses { atoms, all } = &mut self.set_uses;
        atoms.clear();
        all.clear();
        self.colours.clear();
        self.colours.resize(set.inputs.len(), 0);
        if !has_reads {
            for &(id, _) in &self.atoms {
                let profile = &self.profiles[id as usize];
                let start = all.len() as u32;
                for &(shape, context) in profile.uses.of(&self.uses) {
                    let input = set.input_of[set.node(shape)];
                    let colour = &mut self.colours[input as usize];
                    *colour = colour.wrapping_add(context);
                    all.push((input, context));
                }
                atoms.push(AtomUses {
                    hash: profile.hash,
                    span: Span {
                        start,
                        end: all.len() as u32,
                    },
                });
            }
        }
        for (colour, &node) in self.colours.iter_mut().zip(&set.inputs) {
            let shape = &shapes.shapes[set.nodes[node as usize] as usize];
            *colour = mix(shape.labels[0].hash, *colour);
        }
    }
}
