//! Patterns: subjects of atoms without names. `x + 2y` and `2b + a` are one, and so are `x - y` and, negated, `b - a`.
//!
//! A subject with the inputs that stand for the slots of its pattern is a *reading* of it. A pattern with symmetries can
//! be read in several ways: `x + y` with either first, `x - y` with `y` first as the negation of it.

use refrain_term::{Input, Sort, Term, Terms};

use super::bytes::put_sort;
use super::hash::{hash_bytes, mix};
use super::shape::Shape;
use super::{Canonizer, MAX_KEY};

/// A subject without names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// All of it. Equal keys are equal terms, up to the inputs in the slots.
    pub key: Vec<u8>,
    /// By slot: the input it stands for.
    pub slots: Vec<Input>,
    /// The subject is what the key says negated: `not` of a truth value, minus of a number or word.
    pub is_negated: bool,
}

impl Pattern {
    /// A hash that is the same in every run.
    pub fn hash(&self) -> u64 {
        hash_bytes(&self.key)
    }
}

/// A pattern read in another way: slot by slot, which slot stands in its place, and whether that negates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    pub slots: Box<[u32]>,
    pub is_negated: bool,
}

/// Of patterns with up to so many slots all orders of them are tried, of larger ones those that exchange two.
const ALL_ORDERS: usize = 4;

/// The most visits of nodes that the search for symmetries may take.
const MAX_WORK: usize = 1 << 15;

impl Canonizer {
    /// The pattern of a subject. `None` if it is too large for one.
    pub fn pattern(&mut self, terms: &Terms, subject: Term) -> Option<Pattern> {
        self.with_subject(terms, subject, |canonizer, has_arrays| {
            canonizer.write(has_arrays);
            let written = &canonizer.written;
            if written.key.len() > MAX_KEY {
                return None;
            }
            let sort = terms.sort(subject);
            let mut key = Vec::with_capacity(written.atoms_at + 4);
            put_sort(&mut key, sort)?;
            key.extend_from_slice(&written.key[..written.atoms_at]);
            Some(Pattern {
                key,
                slots: canonizer.slots(),
                is_negated: match sort {
                    Sort::Bool => written.first.is_negated,
                    _ => written.first.is_turned,
                },
            })
        })
    }

    /// The ways to read a subject, given with the inputs of its slots; as they are comes first. As far as hashes tell:
    /// whoever relies on it must look again.
    pub fn symmetries(&mut self, terms: &Terms, subject: Term, slots: &[Input]) -> Vec<Symmetry> {
        let same: Box<[u32]> = (0..slots.len() as u32).collect();
        let mut found = vec![Symmetry {
            slots: same.clone(),
            is_negated: false,
        }];
        if slots.len() < 2 {
            return found;
        }
        let is_sum = terms.sort(subject) != Sort::Bool;
        self.with_subject(terms, subject, |canonizer, has_arrays| {
            if has_arrays {
                canonizer.open_cells();
            }
            let places = canonizer.places(slots)?;
            let sorts: Vec<u64> = places
                .iter()
                .map(|&place| canonizer.input_shape(place).labels[0].hash)
                .collect();
            let [as_is, negated] = canonizer.both_forms(is_sum, &places, &same);
            let cost = canonizer.set.nodes.len().max(1);
            for order in orders(&sorts).into_iter().take(MAX_WORK / cost) {
                let form = canonizer.both_forms(is_sum, &places, &order);
                if form == [as_is, negated] || form == [negated, as_is] {
                    found.push(Symmetry {
                        slots: order,
                        is_negated: form[0] != as_is,
                    });
                }
            }
            Some(())
        });
        found
    }

    /// Makes a subject the set at hand; with whether it has whole arrays.
    fn with_subject<T>(
        &mut self,
        terms: &Terms,
        subject: Term,
        then: impl FnOnce(&mut Canonizer, bool) -> Option<T>,
    ) -> Option<T> {
        let (uses, nodes) = (self.uses.len(), self.nodes.len());
        let target = self.shapes.subject(terms, subject)?;
        let profile = self.new_profile(target)?;
        self.profiles.push(profile);
        self.atoms.clear();
        self.atoms.push((self.profiles.len() as u32 - 1, 0));
        let result = self.collect().and_then(|()| {
            let mut inputs = 0..self.set.inputs.len();
            let has_arrays = inputs.any(|place| matches!(self.input(place), Input::Array(_)));
            then(self, has_arrays)
        });
        self.profiles.pop();
        self.uses.truncate(uses);
        self.nodes.truncate(nodes);
        result
    }

    fn input_shape(&self, place: usize) -> &Shape {
        let node = self.set.inputs[place] as usize;
        &self.shapes.shapes[self.set.nodes[node] as usize]
    }

    fn input(&self, place: usize) -> Input {
        self.shapes.inputs[self.input_shape(place).input as usize]
    }

    /// Where the inputs of slots are in the set.
    fn places(&self, slots: &[Input]) -> Option<Vec<usize>> {
        let place = |slot: &Input| (0..self.set.inputs.len()).find(|&at| self.input(at) == *slot);
        slots.iter().map(place).collect()
    }

    /// The hashes of the subject and of its negation, with the inputs in its slots in another order.
    fn both_forms(&mut self, is_sum: bool, places: &[usize], order: &[u32]) -> [u64; 2] {
        self.colours.clear();
        self.colours.resize(self.set.inputs.len(), 0);
        for (&place, &slot) in places.iter().zip(order) {
            self.colours[place] = mix(SLOT, u64::from(slot));
        }
        self.set.hash_up(&self.shapes, &self.colours);
        self.visits += self.set.nodes.len() as u64;
        let root = self.set.roots[0];
        let shape = &self.shapes.shapes[root as usize >> 1];
        match is_sum {
            true => self.shapes.both_ways(shape, |target| self.set.hash(target)),
            false => [self.set.hash(root), self.set.hash(root ^ 1)],
        }
    }
}

const SLOT: u64 = 0x51a7_33d9_0b6e_c40f;

/// Orders of slots that exchange only such of one sort.
fn orders(sorts: &[u64]) -> Vec<Box<[u32]>> {
    let same: Vec<u32> = (0..sorts.len() as u32).collect();
    let mut found = Vec::new();
    if sorts.len() > ALL_ORDERS {
        for a in 0..sorts.len() {
            for b in (a + 1..sorts.len()).filter(|&b| sorts[a] == sorts[b]) {
                let mut order = same.clone();
                order.swap(a, b);
                found.push(order.into());
            }
        }
        return found;
    }
    let mut begun = vec![Vec::new()];
    for &sort in sorts {
        begun = begun
            .iter()
            .flat_map(|order: &Vec<u32>| {
                let next = same
                    .iter()
                    .filter(|&&slot| !order.contains(&slot) && sorts[slot as usize] == sort);
                next.map(|&slot| [&order[..], &[slot]].concat())
            })
            .collect();
    }
    begun.retain(|order| *order != same);
    found.extend(begun.into_iter().map(Vec::into_boxed_slice));
    found
}
