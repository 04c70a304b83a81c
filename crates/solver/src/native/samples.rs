//! Partial solutions of repairs by values: a repair is a search too, and what it tries leads down other paths.
//!
//! Assignments that differ in which atoms they satisfy differ in the path that they take. Of those that a repair has
//! tried at once, and of some more in which all inputs of the atoms have other values that they may have, the first
//! and the last of each kind are noted. Nothing of it runs unless partial solutions are asked for.

use refrain_term::{Assignment, Batch, Bits, Bv, Term, Terms};
use rustc_hash::FxHashMap;

use super::inputs::InputId;
use super::work::Kind;
use super::{Native, set_scalar};
use crate::simplify::tables::set_input;

/// How many assignments are sampled, and of how many inputs at most.
const SAMPLES: usize = 64;
const MAX_INPUTS: usize = 8;

impl Native {
    pub(super) fn wants_tried(&self) -> bool {
        let partial = self.partial.as_ref();
        partial.is_some_and(|partial| partial.wants_tried())
    }

    /// Keeps some of the assignments that give these inputs these values, lane by lane: the first and the last of
    /// those that satisfy the same atoms.
    pub(super) fn note_tried(
        &mut self,
        terms: &Terms,
        columns: &[(InputId, Vec<u64>)],
        lanes: &[Bits],
    ) {
        let Some((_, first_column)) = columns.first() else {
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
            if !self.wants_tried() {
                return;
            }
            let mut assignment = Assignment::clone(&self.model);
            for (input, values) in columns {
                let info = self.inputs.info(*input);
                if let (Some(bits), Some(term)) = (info.bits, info.term()) {
                    set_scalar(&mut assignment, terms, term, Bv::new(bits, values[lane]));
                }
            }
            if let Some(partial) = &mut self.partial {
                partial.note_tried(assignment);
            }
        }
    }

    /// Tries other values of all inputs of the atom at `seed`, to keep what they lead to.
    pub(super) fn note_samples(&mut self, terms: &Terms, seed: u32, atoms: &[Term]) {
        if !self.wants_tried() {
            return;
        }
        let inputs = self.atoms.at(seed).inputs.to_vec();
        if inputs.len() < 2 || inputs.len() > MAX_INPUTS {
            return;
        }
        let mut state = self.random;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut columns = Vec::new();
        for input in inputs {
            let Some(bits) = self.inputs.info(input).bits.filter(|&bits| bits <= 64) else {
                return;
            };
            let domain = self.domain_of(input, bits);
            let values = domain.candidates(256, &mut random);
            if values.is_empty() {
                return;
            }
            let column = (0..SAMPLES).map(|_| values[(random() % values.len() as u64) as usize]);
            columns.push((input, column.collect::<Vec<u64>>()));
        }
        self.random = state;
        self.work.note(Kind::Batch, 1);
        self.work.note(Kind::Column, SAMPLES * atoms.len());
        let mut batch = Batch::new(SAMPLES, self.model.clone());
        for (input, column) in &columns {
            set_input(&mut batch, terms, self.inputs.info(*input).input, column);
        }
        let lanes = batch.eval(terms, atoms);
        self.note_tried(terms, &columns, &lanes);
    }
}
