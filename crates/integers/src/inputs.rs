//! Which bits of which input a bit-vector variable is.
//!
//! The bytes of a declared input lie side by side, so that several of them can be one number. Any other variable is an
//! input by itself: an element that is no byte, or one that no table declares.

use std::collections::BTreeMap;

use refrain_machine::{InputId, InputTable};
use refrain_term::{Op, Sort, Term, Terms, VarId};

use crate::bits::Bits;
use crate::settled::Key;

struct Input {
    name: Box<str>,
    variables: Variables,
}

enum Variables {
    /// One a byte. One that was met before its input was declared is missing: it is an input by itself already.
    Bytes(Vec<Option<VarId>>),
    /// One of so many bits.
    Single(VarId, u32),
}

/// The inputs declared or met so far.
#[derive(Default)]
pub(crate) struct Inputs {
    inputs: Vec<Input>,
    by_variable: BTreeMap<VarId, Bits>,
    /// The inputs whose elements are bytes.
    declared: BTreeMap<InputId, usize>,
    /// How much of the table's growth has been taken over.
    noted: usize,
}

/// Bytes beyond this many are inputs by themselves: bits are counted in 32 bits.
const MAX_BYTES: usize = 1 << 28;

impl Inputs {
    /// Takes over what a table has declared since the last call.
    pub fn note(&mut self, terms: &Terms, table: &InputTable) {
        for &id in table.growth().iter().skip(self.noted) {
            if table.decl(id).element_bits == 8 {
                self.note_bytes(terms, table, id);
            }
        }
        self.noted = table.growth().len();
    }

    fn note_bytes(&mut self, terms: &Terms, table: &InputTable, id: InputId) {
        let input = *self.declared.entry(id).or_insert_with(|| {
            self.inputs.push(Input {
                name: table.decl(id).name.as_ref().into(),
                variables: Variables::Bytes(Vec::new()),
            });
            self.inputs.len() - 1
        });
        let Variables::Bytes(bytes) = &mut self.inputs[input].variables else {
            return;
        };
        let elements = table.elements(id).iter().take(MAX_BYTES);
        for &element in elements.skip(bytes.len()) {
            let bits = Bits::of_bytes(input, bytes.len() as u32, 1);
            bytes.push(match terms.op(element) {
                Op::Var(var) if !self.by_variable.contains_key(&var) => {
                    self.by_variable.insert(var, bits);
                    Some(var)
                }
                _ => None,
            });
        }
    }

    /// The bits that a bit-vector variable is.
    pub fn bits_of(&mut self, terms: &Terms, term: Term) -> Option<Bits> {
        let (Op::Var(var), Sort::BitVec(count)) = (terms.op(term), terms.sort(term)) else {
            return None;
        };
        let bits = self.by_variable.entry(var).or_insert_with(|| {
            self.inputs.push(Input {
                name: terms.var_decl(var).name.as_ref().into(),
                variables: Variables::Single(var, count),
            });
            Bits {
                input: self.inputs.len() - 1,
                low: 0,
                count,
            }
        });
        Some(*bits)
    }

    /// What an input is called in every arena.
    pub fn key(&self, input: usize) -> Key {
        let Input { name, variables } = &self.inputs[input];
        let width = match variables {
            Variables::Bytes(_) => None,
            Variables::Single(_, width) => Some(*width),
        };
        (name.clone(), width)
    }

    pub fn name(&self, input: usize) -> &str {
        &self.inputs[input].name
    }

    /// How many bytes an input has that consists of bytes.
    pub fn byte_count(&self, input: usize) -> Option<u32> {
        match &self.inputs[input].variables {
            Variables::Bytes(bytes) => Some(bytes.len() as u32),
            Variables::Single(..) => None,
        }
    }

    /// The bits of all variables that have some of these: whole bytes, or all of an input.
    pub fn whole(&self, bits: Bits) -> Bits {
        match self.inputs[bits.input].variables {
            Variables::Bytes(_) => Bits::of_bytes(bits.input, bits.first_byte(), bits.bytes()),
            Variables::Single(_, count) => Bits {
                low: 0,
                count,
                ..bits
            },
        }
    }

    /// The variables among some bits, which are whole, each with its own.
    pub fn variables(&self, bits: Bits) -> Vec<(VarId, Bits)> {
        match &self.inputs[bits.input].variables {
            Variables::Bytes(bytes) => (bits.first_byte()..)
                .take(bits.bytes() as usize)
                .filter_map(|index| {
                    let var = (*bytes.get(index as usize)?)?;
                    Some((var, Bits::of_bytes(bits.input, index, 1)))
                })
                .collect(),
            Variables::Single(var, _) => vec![(*var, bits)],
        }
    }
}
