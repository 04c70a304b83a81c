//! Inputs of the program: variables, or the bytes that are given for them.

use refrain_machine::{InputId, Role};
use refrain_term::{Term, Terms};
use thiserror::Error;

use super::{Machine, State};
use crate::memory::Kind;

/// An input of bytes that is not the state's before it is added.
pub(crate) struct NewInput {
    wanted: String,
    name: String,
    id: InputId,
    /// The first one lowest.
    pub bytes: Vec<Term>,
}

impl NewInput {
    /// Notes that the input is floats of so many bits.
    pub fn are_floats(&self, machine: &mut Machine, bits: u32) {
        machine.inputs.note_floats(self.id, bits);
    }

    pub fn add_to(self, state: &mut State) {
        let length = self.bytes.len() as u32;
        state.inputs.add(&self.wanted, &self.name, self.id, length);
    }
}

/// Why there is no such input.
#[derive(Debug, Error)]
pub(crate) enum NoInput {
    #[error("there is no input {0} in the test")]
    Missing(String),
    #[error("the input {name} has {bytes} bytes, and {given} in the test")]
    Length {
        name: String,
        bytes: u64,
        given: usize,
    },
    #[error("the input {name} has {bytes} bytes, which are too many")]
    TooLong { name: String, bytes: u64 },
}

impl Machine {
    /// The bits of the floats that the variable at an address consists of.
    pub(crate) fn floats_at(&self, state: &State, address: u64) -> Option<u32> {
        let object = state.memory.object_at(address)?;
        match object.origin.kind {
            Kind::Global => self.linked.float_variables.get(&object.base).copied(),
            Kind::Stack => {
                let site = object.origin.site;
                let floats = &self.linked.code(site.function).ok()?.floats;
                let index = floats.binary_search_by_key(&site.pc, |&(pc, _)| pc).ok()?;
                Some(floats[index].1)
            }
            _ => None,
        }
    }

    /// An input that is to be called so, of so many bytes.
    pub(crate) fn new_input(
        &mut self,
        terms: &mut Terms,
        state: &State,
        wanted: &str,
        role: Role,
        bytes: u64,
    ) -> Result<NewInput, NoInput> {
        /// A test has all bytes of every input.
        const MOST_BYTES: u64 = 1 << 28;
        let name = state.inputs.name(wanted);
        if bytes > MOST_BYTES {
            return Err(NoInput::TooLong { name, bytes });
        }
        let (id, bytes) = match &state.world.given {
            Some(given) => {
                let Some(value) = given.get(&name) else {
                    return Err(NoInput::Missing(name));
                };
                if value.len() as u64 != bytes {
                    let given = value.len();
                    return Err(NoInput::Length { name, bytes, given });
                }
                let constant = |&byte: &u8| terms.bv(8, u64::from(byte));
                let constants = value.iter().map(constant).collect();
                (self.inputs.declare(terms, &name, role, 8, 0), constants)
            }
            None => {
                let length = bytes as u32;
                let id = self.inputs.declare(terms, &name, role, 8, length);
                (id, self.inputs.elements(id)[..length as usize].to_vec())
            }
        };
        Ok(NewInput {
            wanted: wanted.to_string(),
            name,
            id,
            bytes,
        })
    }
}
