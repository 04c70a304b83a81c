//! Telling inputs apart: colour refinement, and search where it does not decide.
//!
//! Inputs start with a colour that says how they are used, and each round adds the colours of what they are used
//! with. A cheap round looks at atoms as sets of inputs, a thorough one at all nodes. If neither tells more, the
//! inputs of some class have the same colour: either any two of them can change places, then any order of them is as
//! good as another; or each in turn is given a colour of its own, and of all that comes out the least is taken (McKay
//! and Piperno, "Practical graph isomorphism, II", 2014, in small). Two outcomes that are equal are an automorphism,
//! and what it maps to something tried before is not tried.
//!
//! The search has a budget. Beyond it the first outcome counts that is there: the key is still a key of the set, but
//! the same set under other names may get another.

use super::hash::mix;
use super::set::Set;
use super::shape::{Shapes, Span};
use super::write::{Writer, Written};

/// The most outcomes that are compared.
const MAX_LEAVES: u32 = 64;

/// The most visits of nodes and inputs.
const MAX_WORK: usize = 1 << 19;

/// An atom as a set of inputs: its hash without names, and the part of [`Uses::all`] that is its own.
pub(super) struct AtomUses {
    pub hash: u64,
    pub span: Span,
}

/// How atoms use inputs, without names.
#[derive(Default)]
pub(super) struct Uses {
    pub atoms: Vec<AtomUses>,
    /// Input, and its context in the atom.
    pub all: Vec<(u32, u64)>,
}

pub(super) struct Search<'a> {
    shapes: &'a Shapes,
    set: &'a mut Set,
    uses: &'a Uses,
    writer: &'a mut Writer,
    /// Visits of nodes and inputs so far.
    pub work: usize,
    sums: Vec<u64>,
    sorted: Vec<(u64, u32)>,
    levels: Vec<Level>,
}

/// A class of inputs of which each in turn gets a colour of its own.
struct Level {
    colours: Vec<u64>,
    members: Vec<u32>,
    /// The member whose turn it is.
    at: usize,
    /// By input: another one that an automorphism takes to it, up to a representative.
    orbits: Vec<u32>,
}

/// How many different colours there are.
pub(super) fn count_colours(colours: &[u64], sorted: &mut Vec<(u64, u32)>) -> usize {
    sorted.clear();
    sorted.extend(
        colours
            .iter()
            .zip(0..)
            .map(|(&colour, input)| (colour, input)),
    );
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a.0 == b.0).count()
}

impl<'a> Search<'a> {
    pub fn new(
        shapes: &'a Shapes,
        set: &'a mut Set,
        uses: &'a Uses,
        writer: &'a mut Writer,
    ) -> Search<'a> {
        Search {
            shapes,
            set,
            uses,
            writer,
            work: 0,
            sums: Vec::new(),
            sorted: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// The least of the outcomes for these colours.
    pub fn run(&mut self, colours: Vec<u64>) -> Written {
        let mut best = Written::default();
        let mut leaf = Written::default();
        self.descend(colours, &mut best);
        let mut leaves = 1;
        while leaves < MAX_LEAVES
            && let Some(colours) = self.next()
        {
            self.descend(colours, &mut leaf);
            leaves += 1;
            match leaf.key.cmp(&best.key) {
                std::cmp::Ordering::Less => std::mem::swap(&mut best, &mut leaf),
                std::cmp::Ordering::Equal => self.learn(&best.slots, &leaf.slots),
                std::cmp::Ordering::Greater => {}
            }
        }
        best
    }

    fn is_exhausted(&self) -> bool {
        self.work > MAX_WORK
    }

    /// Tells all inputs apart, first members first, and writes what comes out.
    fn descend(&mut self, mut colours: Vec<u64>, out: &mut Written) {
        loop {
            self.refine(&mut colours);
            let Some(members) = self.ambiguous(&colours) else {
                break;
            };
            if self.is_exhausted() {
                for (input, colour) in colours.iter_mut().enumerate() {
                    *colour = mix(*colour, input as u64);
                }
                break;
            }
            if self.are_interchangeable(&colours, &members) {
                for (at, &member) in members.iter().enumerate() {
                    let colour = &mut colours[member as usize];
                    *colour = mix(*colour, at as u64);
                }
                continue;
            }
            let first = members[0] as usize;
            self.levels.push(Level {
                colours: colours.clone(),
                members,
                at: 0,
                orbits: (0..colours.len() as u32).collect(),
            });
            colours[first] = mix(colours[first], INDIVIDUAL);
        }
        self.hash_up(&colours);
        self.work += 4 * self.set.nodes.len();
        self.writer.write(self.shapes, self.set, out);
    }

    /// The colours of the next branch that may come out otherwise.
    fn next(&mut self) -> Option<Vec<u64>> {
        if self.is_exhausted() {
            return None;
        }
        while let Some(level) = self.levels.last_mut() {
            level.at += 1;
            match level.members.get(level.at) {
                None => {
                    self.levels.pop();
                }
                Some(_) if level.is_as_before() => {}
                Some(&member) => {
                    let mut colours = level.colours.clone();
                    let colour = &mut colours[member as usize];
                    *colour = mix(*colour, INDIVIDUAL);
                    return Some(colours);
                }
            }
        }
        None
    }

    /// Two outcomes with equal keys: what takes one to the other is an automorphism.
    fn learn(&mut self, one: &[u32], other: &[u32]) {
        for at in 0..self.levels.len() {
            let level = &mut self.levels[at];
            let mut pairs = one.iter().zip(other);
            // It tells nothing about a level whose colours it does not keep.
            if pairs.any(|(&a, &b)| level.colours[a as usize] != level.colours[b as usize]) {
                return;
            }
            for (&a, &b) in one.iter().zip(other) {
                level.join(a, b);
            }
            if level.is_as_before() {
                self.levels.truncate(at + 1);
                return;
            }
        }
    }

    /// Rounds of refinement while they tell more inputs apart.
    fn refine(&mut self, colours: &mut [u64]) {
        let mut count = self.count(colours);
        while count < colours.len() && !self.is_exhausted() {
            if !self.uses.all.is_empty() {
                self.cheap_round(colours);
                let now = self.count(colours);
                if now > count {
                    count = now;
                    continue;
                }
            }
            self.thorough_round(colours);
            let now = self.count(colours);
            if now == count {
                return;
            }
            count = now;
        }
    }

    fn count(&mut self, colours: &[u64]) -> usize {
        self.work += colours.len();
        count_colours(colours, &mut self.sorted)
    }

    fn cheap_round(&mut self, colours: &mut [u64]) {
        self.work += self.uses.all.len();
        self.sums.clear();
        self.sums.resize(colours.len(), 0);
        for atom in &self.uses.atoms {
            let uses = atom.span.of(&self.uses.all);
            let parts = uses
                .iter()
                .map(|&(input, context)| mix(context, colours[input as usize]));
            let atom = mix(atom.hash, parts.fold(0, u64::wrapping_add));
            for &(input, context) in uses {
                let sum = &mut self.sums[input as usize];
                *sum = sum.wrapping_add(mix(atom, context));
            }
        }
        for (colour, &sum) in colours.iter_mut().zip(&self.sums) {
            *colour = mix(*colour, sum);
        }
    }

    fn thorough_round(&mut self, colours: &mut [u64]) {
        self.hash_up(colours);
        self.work += 2 * self.set.nodes.len();
        self.set.contexts_down(self.shapes);
        for (input, colour) in colours.iter_mut().enumerate() {
            *colour = mix(*colour, self.set.use_of(input));
        }
    }

    fn hash_up(&mut self, colours: &[u64]) {
        self.work += self.set.nodes.len();
        self.set.hash_up(self.shapes, colours);
    }

    /// The smallest class of inputs of one colour, and the first of them.
    fn ambiguous(&mut self, colours: &[u64]) -> Option<Vec<u32>> {
        self.count(colours);
        let classes = self.sorted.chunk_by(|a, b| a.0 == b.0);
        let smallest = classes
            .filter(|class| class.len() > 1)
            .min_by_key(|class| class.len())?;
        Some(smallest.iter().map(|&(_, input)| input).collect())
    }

    /// Whether any two members of a class can change places with all else as it is, as far as hashes tell.
    fn are_interchangeable(&mut self, colours: &[u64], members: &[u32]) -> bool {
        let inputs = colours.iter().enumerate();
        let mut apart: Vec<u64> = inputs.map(|(i, &c)| mix(c, i as u64 + 1)).collect();
        self.hash_up(&apart);
        let total = self.set.total();
        for pair in members.windows(2) {
            let (a, b) = (pair[0] as usize, pair[1] as usize);
            apart.swap(a, b);
            self.hash_up(&apart);
            if self.set.total() != total || self.is_exhausted() {
                return false;
            }
            apart.swap(a, b);
        }
        true
    }
}

const INDIVIDUAL: u64 = 0x1d1f_1d0a_9b37_c60d;

impl Level {
    fn representative(&self, mut input: u32) -> u32 {
        while self.orbits[input as usize] != input {
            input = self.orbits[input as usize];
        }
        input
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.representative(a), self.representative(b));
        self.orbits[a.max(b) as usize] = a.min(b);
    }

    /// Whether an automorphism takes a member that was tried before to the one whose turn it is.
    fn is_as_before(&self) -> bool {
        let now = self.representative(self.members[self.at]);
        let before = &self.members[..self.at];
        before
            .iter()
            .any(|&member| self.representative(member) == now)
    }
}
