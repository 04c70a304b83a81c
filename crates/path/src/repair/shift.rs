//! Repair by shifting one number: for a violated linear atom, the closest value of one of its numbers that all linear
//! atoms allow which hold now.

use refrain_term::{Rational, Terms};

use super::tried::Tried;
use super::{Effort, Repair};
use crate::atoms::AtomId;
use crate::inputs::{InputId, Place};
use crate::limits::Limits;
use crate::linear::{Linear, Room};
use crate::path::Path;
use crate::solution::{Datum, Solution};
use refrain_term::{Sort, Value};

/// How many numbers of a violated atom are tried.
const MAX_NUMBERS: usize = 6;

/// How many shifts of a violated atom are noted as partial solutions.
const NOTED_SHIFTS: usize = 4;

impl Path {
    pub(super) fn repair_by_shift(
        &mut self,
        terms: &Terms,
        violated: u32,
        effort: Effort,
        tried: &mut Tried,
        limits: &Limits,
    ) -> Option<Repair> {
        let linear = self.linear(violated)?;
        let mut inputs: Vec<InputId> = linear.terms.iter().map(|(input, _)| *input).collect();
        self.note_shifts(&inputs, violated, tried);
        inputs.sort_by_key(|&input| self.occurrences.of(input).len());
        for &input in inputs.iter().take(MAX_NUMBERS.min(effort.inputs)) {
            if let Some(reason) = limits.exceeded() {
                return Some(Repair::Stopped(reason));
            }
            let affected = self.affected(terms, violated, input);
            let mut room = Room::default();
            for &place in self.occurrences.of(input) {
                let Some(linear) = self.linear(place) else {
                    continue;
                };
                // What is about the input alone must hold in the end, even if it does not now.
                if linear.terms.len() == 1 || affected.binary_search(&place).is_ok() {
                    let inputs = &self.atoms.inputs;
                    linear.restrict(&mut room, input, inputs, &self.model, place);
                }
            }
            if room.is_empty() {
                if let Some(core) = self.core_of_room(&room) {
                    return Some(Repair::Impossible(core));
                }
                continue;
            }
            let now = self.model.number(&self.atoms.inputs, input);
            let Some(value) = room.closest(now, self.is_integer(input)) else {
                continue;
            };
            let values = self.number_as_solution(input, value);
            if self.try_values(terms, values, &affected) {
                return Some(Repair::Done);
            }
        }
        None
    }

    fn linear(&self, place: u32) -> Option<&Linear> {
        self.atoms.get(self.at(place)).linear.as_deref()
    }

    fn is_integer(&self, input: InputId) -> bool {
        let place = self.atoms.inputs.place(input);
        matches!(
            place,
            Place::Value {
                sort: Sort::Int,
                ..
            }
        )
    }

    fn number_as_solution(&self, input: InputId, number: Rational) -> Solution {
        let value = match self.is_integer(input) {
            true => Value::Int(number),
            false => Value::Real(number),
        };
        Solution {
            words: Box::default(),
            others: Box::new([(input, Datum::Value(value))]),
        }
    }

    /// Notes the model, and what it would be with one number of a violated atom shifted so that the atom holds.
    fn note_shifts(&mut self, inputs: &[InputId], violated: u32, tried: &mut Tried) {
        if !tried.wants_more() {
            return;
        }
        tried.add(self.model.assignment().as_ref().clone().into());
        for &input in inputs.iter().take(NOTED_SHIFTS) {
            let linear = self.linear(violated).expect("a linear atom");
            let mut room = Room::default();
            linear.restrict(&mut room, input, &self.atoms.inputs, &self.model, violated);
            let now = self.model.number(&self.atoms.inputs, input);
            if let Some(value) = room.closest(now, self.is_integer(input))
                && tried.wants_more()
            {
                let shifted = self.number_as_solution(input, value);
                let shifted = shifted.put_into(&self.atoms.inputs, self.model.assignment());
                tried.add(shifted.into());
            }
        }
    }

    /// The atoms at the two ends of an empty room, if both are about the input alone.
    fn core_of_room(&self, room: &Room) -> Option<Vec<AtomId>> {
        let mut core = Vec::new();
        for end in [room.lower.as_ref()?, room.upper.as_ref()?] {
            if self.linear(end.place)?.terms.len() > 1 {
                return None;
            }
            core.push(self.at(end.place));
        }
        core.dedup();
        Some(core)
    }
}
