//! Partial solutions of repairs: a repair is a search too, and what it tries leads down other paths.
//!
//! Assignments that differ in which atoms they satisfy differ in the path that they take. Of those that a repair has
//! tried at once, and of some more in which all inputs of the atoms have other values that they may have, the first
//! and the last of each kind are noted. Nothing of it runs unless partial solutions are asked for.

use std::sync::Arc;

use refrain_term::{Batch, Bits, Term, Terms};
use rustc_hash::FxHashMap;

use crate::inputs::InputId;
use crate::partial_solution::PartialSolution;
use crate::path::Path;
use crate::simplify::tables::set_input;
use crate::work::Kind;

/// How many assignments are sampled, and of how many inputs at most.
const SAMPLES: usize = 64;
const MAX_INPUTS: usize = 8;

/// Assignments that repairs tried.
#[derive(Default)]
pub struct Tried {
    limit: usize,
    found: Vec<PartialSolution>,
}

impl Tried {
    /// Keeps up to `limit` assignments.
    pub fn new(limit: usize) -> Tried {
        Tried {
            limit,
            found: Vec::new(),
        }
    }

    pub fn wants_more(&self) -> bool {
        self.found.len() < self.limit
    }

    pub fn add(&mut self, found: PartialSolution) {
        self.found.push(found);
    }

    pub fn into_partial_solutions(self) -> Vec<PartialSolution> {
        self.found
    }

    /// Keeps some of the assignments that give these inputs these values, lane by lane: the first and the last of
    /// those that satisfy the same atoms.
    pub fn note(&mut self, path: &Path, columns: &[(InputId, Vec<u64>)], lanes: &[Bits]) {
        let Some((_, first_column)) = columns.first() else {
            return;
        };
        let inputs = columns
            .iter()
            .map(|(input, _)| path.atoms.inputs.term(*input));
        let Some(inputs) = inputs.collect::<Option<Arc<[Term]>>>() else {
            return;
        };
        let mut kinds: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
        let mut order = Vec::new();
        for lane in 0..first_column.len() {
            // Atoms beyond these do not count.
            let kind = lanes.iter().take(64).enumerate();
            let kind = kind.fold(0, |kind, (at, bits)| kind | u64::from(bits.get(lane)) << at);
            let (_, last) = kinds.entry(kind).or_insert_with(|| {
                order.push(kind);
                (lane, lane)
            });
            *last = lane;
        }
        let firsts = order.iter().map(|kind| kinds[kind].0);
        let lasts = order.iter().map(|kind| kinds[kind]);
        let lasts = lasts.filter(|(first, last)| first != last);
        for lane in firsts.chain(lasts.map(|(_, last)| last)) {
            if !self.wants_more() {
                return;
            }
            let words = columns.iter().map(|(_, values)| values[lane]).collect();
            let model = path.model.assignment();
            self.add(PartialSolution::changed(model, inputs.clone(), words));
        }
    }
}

impl Path {
    /// Tries other values of all inputs of the violated atom, to keep what they lead to.
    pub(super) fn note_samples(
        &mut self,
        terms: &mut Terms,
        violated: u32,
        atoms: &[Term],
        tried: &mut Tried,
    ) {
        let inputs = self.atoms.get(self.at(violated)).inputs.to_vec();
        if !tried.wants_more() || inputs.len() < 2 || inputs.len() > MAX_INPUTS {
            return;
        }
        let mut columns = Vec::new();
        for input in inputs {
            if !self.atoms.inputs.place(input).is_word() {
                return;
            }
            let domain = self.domain(terms, input);
            let random = &mut self.repairs.random;
            let values = domain.some_words(256, random);
            if values.is_empty() {
                return;
            }
            let column = (0..SAMPLES).map(|_| values[random.usize(0..values.len())]);
            columns.push((input, column.collect::<Vec<u64>>()));
        }
        self.work.note(Kind::Batch, 1);
        self.work.note(Kind::Column, SAMPLES * atoms.len());
        let mut batch = Batch::new(SAMPLES, self.model.assignment().clone());
        for (input, column) in &columns {
            set_input(&mut batch, terms, self.atoms.inputs.get(*input), column);
        }
        let lanes = batch.eval(terms, atoms);
        tried.note(self, &columns, &lanes);
    }
}
