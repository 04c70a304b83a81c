//! Independent components: the active atoms that share inputs, transitively, with a given one.
//!
//! Atoms outside a component cannot be affected by changing the inputs inside it. When the current model violates one
//! atom, only its component has to be solved again; all the others keep their values.

use super::atoms::Atoms;
use super::inputs::{InputId, InputTable};

/// Some active atoms (by place on the stack, ascending) and all the inputs they depend on.
#[derive(Default)]
pub struct Component {
    pub places: Vec<u32>,
    pub inputs: Vec<InputId>,
}

/// Finds components; its marks are reused from one search to the next.
#[derive(Default)]
pub struct ComponentFinder {
    seen_places: Vec<u32>,
    seen_inputs: Vec<u32>,
    round: u32,
}

impl ComponentFinder {
    /// The component of the active atom at `seed`.
    pub fn find(&mut self, atoms: &Atoms, inputs: &InputTable, seed: u32) -> Component {
        self.round += 1;
        self.seen_places
            .resize(self.seen_places.len().max(atoms.active().len()), 0);
        self.seen_inputs
            .resize(self.seen_inputs.len().max(inputs.len()), 0);
        let mut component = Component::default();
        self.add_place(&mut component, seed);
        let (mut next_place, mut next_input) = (0, 0);
        loop {
            if let Some(&place) = component.places.get(next_place) {
                next_place += 1;
                for &input in &atoms.at(place).inputs {
                    self.add_input(&mut component, inputs, input);
                }
            } else if let Some(&input) = component.inputs.get(next_input) {
                next_input += 1;
                for &place in atoms.occurrences(input) {
                    self.add_place(&mut component, place);
                }
            } else {
                break;
            }
        }
        component.places.sort_unstable();
        component
    }

    fn add_place(&mut self, component: &mut Component, place: u32) {
        let seen = &mut self.seen_places[place as usize];
        if *seen != self.round {
            *seen = self.round;
            component.places.push(place);
        }
    }

    fn add_input(&mut self, component: &mut Component, inputs: &InputTable, input: InputId) {
        if self.seen_inputs[input.index()] == self.round {
            return;
        }
        self.seen_inputs[input.index()] = self.round;
        component.inputs.push(input);
        // An array used as a whole ties its cells together.
        if let Some(family) = inputs.info(input).family.map(|id| inputs.family(id))
            && family.active_wholes > 0
        {
            for &member in &family.members {
                self.add_input_alone(component, member);
            }
        }
    }

    fn add_input_alone(&mut self, component: &mut Component, input: InputId) {
        if self.seen_inputs[input.index()] != self.round {
            self.seen_inputs[input.index()] = self.round;
            component.inputs.push(input);
        }
    }
}
