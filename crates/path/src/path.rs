//! The path: what follows the assertions, in one place.

use std::sync::Arc;

use refrain_term::{Assignment, OneArena, Term, Terms};

use crate::assertions::AssertionStack;
use crate::atoms::{AtomId, AtomTable};
use crate::certify::Certificate;
use crate::inputs::InputId;
use crate::limits::{Limits, Reason};
use crate::model::Model;
use crate::occurrences::Occurrences;
use crate::repair::Repairs;
use crate::slices::{Slice, Slices};
use crate::solution::Solution;
use crate::steps::{Step, Steps};
use crate::work::{Kind, Work};

/// How the assertions are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Following {
    /// Simplify atoms, equations at the base being facts. Otherwise they are taken as they are.
    pub simplify: bool,
    /// Keep slices along the path. Otherwise they are found anew for each check.
    pub slices: bool,
}

/// The assertions in force, their atoms, and a model for them.
pub struct Path {
    following: Following,
    pub(crate) assertions: AssertionStack,
    pub atoms: AtomTable,
    pub(crate) steps: Steps,
    pub(crate) slices: Slices,
    pub(crate) occurrences: Occurrences,
    /// It satisfies the first `satisfied` atoms.
    pub model: Model,
    pub(crate) satisfied: usize,
    pub(crate) certificate: Certificate,
    pub(crate) repairs: Repairs,
    pub work: Work,
    arena: OneArena,
}

impl Path {
    pub fn new(following: Following) -> Path {
        Path {
            following,
            assertions: AssertionStack::default(),
            atoms: AtomTable::new(following.simplify),
            steps: Steps::default(),
            slices: Slices::default(),
            occurrences: Occurrences::default(),
            model: Model::default(),
            satisfied: 0,
            certificate: Certificate::default(),
            repairs: Repairs::default(),
            work: Work::default(),
            arena: OneArena::new(),
        }
    }

    // The stack.

    pub fn push(&mut self) {
        self.assertions.push();
    }

    pub fn pop(&mut self, levels: usize) {
        self.assertions.pop(levels);
    }

    pub fn assert(&mut self, terms: &Terms, formula: Term) {
        self.arena.check(terms);
        self.assertions.assert(formula);
    }

    pub fn assertions(&self) -> &AssertionStack {
        &self.assertions
    }

    /// No assertion is in force any more. What is known of atoms stays: the terms are of the same arena.
    pub fn reset(&mut self) {
        self.assertions = AssertionStack::default();
        self.steps = Steps::default();
        self.slices = Slices::default();
        self.occurrences = Occurrences::default();
        self.certificate = Certificate::default();
        self.atoms.reset();
        self.satisfied = 0;
    }

    /// Makes the atoms those of the assertions and these assumptions. If a limit is reached, they are those of the
    /// first of them.
    pub fn follow(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<(), Reason> {
        self.arena.check(terms);
        let (atoms, assertions) = (&mut self.atoms, &mut self.assertions);
        let known = atoms.len();
        let followed = self
            .steps
            .follow(terms, atoms, assertions, assumptions, limits);
        self.work.note(Kind::TakenApart, self.atoms.len() - known);
        let (sources, steps) = followed.inspect_err(|_| {
            self.satisfied = 0;
            self.certificate.forget();
        })?;
        self.work
            .note(Kind::Activated, self.steps.all().len() - steps);
        self.satisfied = self.satisfied.min(steps);
        self.certificate.keep_first(sources);
        Ok(())
    }

    // Atoms and slices.

    #[inline]
    pub fn steps(&self) -> &[Step] {
        self.steps.all()
    }

    /// The atom at a place.
    #[inline]
    pub fn at(&self, place: u32) -> AtomId {
        self.steps.all()[place as usize].atom
    }

    /// An atom that is false by itself, if there is one.
    pub fn refuted(&self) -> Option<AtomId> {
        self.steps.refuted().map(|step| step.atom)
    }

    /// How many of the first assertions and assumptions have stayed since this was last asked.
    pub fn take_stayed(&mut self) -> usize {
        self.steps.take_stayed()
    }

    /// Brings slices and occurrences in line with the path.
    pub fn follow_slices(&mut self) {
        let stayed = self.steps.take_steps_stayed();
        if self.following.slices {
            self.slices.truncate(&self.atoms, stayed);
        } else {
            self.slices = Slices::default();
        }
        self.occurrences.truncate(&self.atoms, stayed);
        let steps = self.steps.all();
        for step in &steps[self.slices.len()..] {
            self.slices.push(&self.atoms, step.atom);
        }
        for step in &steps[self.occurrences.len()..] {
            self.occurrences.push(&self.atoms, step.atom);
        }
    }

    /// The slice that a place is in. Slices must be in line with the path.
    pub fn slice_of(&self, place: u32) -> Slice {
        let group = self.slices.group(&self.atoms, self.at(place));
        group.map_or(Slice::Alone(place), Slice::Group)
    }

    /// The places of a slice, ascending.
    pub fn places(&self, slice: Slice) -> Vec<u32> {
        match slice {
            Slice::Group(group) => self.slices.places(group),
            Slice::Alone(place) => vec![place],
            Slice::All => (0..self.steps().len() as u32).collect(),
        }
    }

    /// The order-free key of the atoms of a slice.
    pub fn key(&self, slice: Slice) -> u128 {
        match slice {
            Slice::Group(group) => self.slices.key(group),
            Slice::Alone(place) => self.atoms.key([self.at(place)]),
            Slice::All => self.atoms.key(self.steps().iter().map(|step| step.atom)),
        }
    }

    /// Whether an input belongs to a slice: an atom of it depends on it. What facts define belongs to none.
    #[inline]
    pub fn is_in(&self, input: InputId, slice: Slice) -> bool {
        is_in(&self.slices, &self.occurrences, input, slice)
    }

    // The model.

    /// The places of atoms that the model does not satisfy.
    pub fn violated(&mut self, terms: &Terms) -> Vec<u32> {
        let count = self.steps().len() as u32;
        (self.satisfied as u32..count)
            .filter(|&place| !self.holds(terms, place))
            .collect()
    }

    /// Whether the model satisfies the atom at a place.
    #[inline]
    pub fn holds(&mut self, terms: &Terms, place: u32) -> bool {
        let atom = self.at(place);
        self.model.satisfies(terms, &self.atoms, atom)
    }

    /// The model satisfies all atoms now.
    pub fn note_satisfied(&mut self) {
        self.satisfied = self.steps().len();
    }

    /// Nothing is known of the model any more.
    pub fn doubt_model(&mut self) {
        self.satisfied = 0;
    }

    /// Another assignment becomes the model; whether it is another one.
    pub fn suggest(&mut self, terms: &Terms, model: &Arc<Assignment>) -> bool {
        self.arena.check(terms);
        let is_other = self.model.replace(model);
        if is_other {
            self.satisfied = 0;
        }
        is_other
    }

    /// Takes the values that a solution has for a slice over into the model.
    pub fn take_over(&mut self, slice: Slice, solution: &Solution) {
        let wanted = |input| is_in(&self.slices, &self.occurrences, input, slice);
        self.model.adopt(&self.atoms.inputs, solution, wanted);
    }

    /// Takes a solution for these places of a slice over into the model, and says whether they hold under it. If not,
    /// nothing is known of the model any more.
    pub fn adopt(
        &mut self,
        terms: &Terms,
        slice: Slice,
        places: &[u32],
        solution: &Solution,
    ) -> bool {
        self.take_over(slice, solution);
        let holds = places.iter().all(|&place| self.holds(terms, place));
        if !holds {
            self.doubt_model();
        }
        holds
    }

    // Conflicts.

    /// The numbers of the assertions and assumptions that these atoms come from, ascending.
    fn sources_of(&self, core: &[AtomId]) -> Vec<u32> {
        let mut core = core.to_vec();
        core.sort_unstable();
        let steps = self.steps().iter();
        let mut sources: Vec<u32> = steps
            .filter(|step| core.binary_search(&step.atom).is_ok())
            .map(|step| step.source)
            .collect();
        sources.dedup();
        sources
    }

    /// The assumptions among those that atoms come from.
    pub fn assumptions_of(&self, core: &[AtomId]) -> Vec<Term> {
        let assumed = self.assertions.len() as u32;
        let sources = self.sources_of(core).into_iter();
        sources
            .filter(|&source| source >= assumed)
            .map(|source| self.steps.source(source))
            .collect()
    }

    /// Assertions and assumptions that cannot hold together because atoms of them cannot: those, and those that facts
    /// come from.
    pub fn conflict_of(&self, terms: &Terms, core: &[AtomId]) -> Vec<Term> {
        let sources = self.sources_of(core).into_iter();
        let mut conflict = sources.map(|source| self.steps.source(source)).collect();
        self.atoms.add_sources(terms, &mut conflict);
        conflict
    }

    /// All atoms of these assertions and assumptions, ascending.
    pub fn atoms_of(&self, sources: Vec<Term>) -> Vec<AtomId> {
        self.steps.atoms_of(&self.atoms, sources)
    }

    /// Whether all of these atoms are on the path.
    pub fn has_all(&self, atoms: &[AtomId]) -> bool {
        atoms.iter().all(|&atom| self.steps.has(atom))
    }
}

#[inline]
fn is_in(slices: &Slices, occurrences: &Occurrences, input: InputId, slice: Slice) -> bool {
    match slice {
        Slice::All => !occurrences.of(input).is_empty(),
        Slice::Group(group) => slices.is_in(input, group),
        Slice::Alone(_) => false,
    }
}
