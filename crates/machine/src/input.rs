//! What a program reads: typed inputs, each a list of elements of one width.

use std::rc::Rc;

use crate::decimal::decimal;
use refrain_term::{Assignment, Bv, Epoch, Op, Sort, Term, Terms, Value, VarId};
use rpds::{HashTrieMap, Vector};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What an input is to the program.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// An object that the program made symbolic itself, and named.
    #[default]
    Object,
    /// A parameter of the entry function, or what it points to.
    Parameter,
    /// Bytes of an argument of the program.
    Argument,
    /// How many arguments there are.
    Count,
    /// Standard input.
    Stdin,
    /// The contents of a file.
    File,
    /// The value of a variable of the environment.
    Environment,
    /// How long the contents of another input are.
    Length,
    /// Whether a system call fails (`--max-fail`): nothing that a native program can be given.
    Failure,
}

impl Role {
    pub const ALL: [Role; 9] = [
        Role::Object,
        Role::Parameter,
        Role::Argument,
        Role::Count,
        Role::Stdin,
        Role::File,
        Role::Environment,
        Role::Length,
        Role::Failure,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Role::Object => "object",
            Role::Parameter => "parameter",
            Role::Argument => "argument",
            Role::Count => "count",
            Role::Stdin => "stdin",
            Role::File => "file",
            Role::Environment => "environment",
            Role::Length => "length",
            Role::Failure => "failure",
        }
    }

    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether the program makes it itself, or is called with it.
    pub fn is_of_program(self) -> bool {
        matches!(self, Role::Object | Role::Parameter)
    }

    /// Whether it is a part of what a whole program is started in: see [`World`](crate::World). Such inputs have names
    /// of their own, whatever the program calls its objects.
    pub fn is_of_world(self) -> bool {
        !matches!(self, Role::Object | Role::Parameter | Role::Failure)
    }
}

/// An input: its name, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputDecl {
    pub name: Rc<str>,
    pub role: Role,
    /// The bits of an element.
    pub element_bits: u32,
    /// Its bytes are floats of so many bits, one after the other; 0 where that is not known.
    pub float_bits: u32,
}

/// The id of an input in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputId(u32);

/// The inputs of one arena: which variable is which element of which input.
///
/// Paths may make the same input with different lengths; the table has the elements of the longest.
#[derive(Default)]
pub struct InputTable {
    inputs: Vec<(InputDecl, Vec<Term>)>,
    /// By name, whether it is of the world, and the bits of an element.
    ids: FxHashMap<(Rc<str>, bool, u32), InputId>,
    elements: FxHashMap<VarId, (InputId, u32)>,
    /// Whose terms these are. With those of another arena the table starts anew.
    arena: Option<Epoch>,
    growth: Vec<InputId>,
}

impl InputTable {
    pub fn new() -> InputTable {
        InputTable::default()
    }

    /// The input of a name with at least so many elements; it is made if it is not there.
    pub fn declare(
        &mut self,
        terms: &mut Terms,
        name: &str,
        role: Role,
        element_bits: u32,
        length: u32,
    ) -> InputId {
        if self.arena != Some(terms.epoch()) {
            *self = InputTable {
                arena: Some(terms.epoch()),
                ..InputTable::default()
            };
        }
        let name: Rc<str> = name.into();
        let next = InputId(self.inputs.len() as u32);
        let key = (name.clone(), role.is_of_world(), element_bits);
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            let decl = InputDecl {
                name,
                role,
                element_bits,
                float_bits: 0,
            };
            self.inputs.push((decl, Vec::new()));
        }
        let (decl, elements) = &mut self.inputs[id.0 as usize];
        if id == next || elements.len() < length as usize {
            self.growth.push(id);
        }
        for index in elements.len() as u32..length {
            let name = match decl.role.is_of_world() {
                true => format!("{}:{}[{index}]", decl.role.name(), decl.name),
                false => format!("{}[{index}]", decl.name),
            };
            let term = terms.var(&name, Sort::BitVec(element_bits));
            if let Op::Var(var) = terms.op(term) {
                self.elements.insert(var, (id, index));
            }
            elements.push(term);
        }
        id
    }

    /// Notes that an input is floats of so many bits.
    pub fn note_floats(&mut self, id: InputId, bits: u32) {
        self.inputs[id.0 as usize].0.float_bits = bits;
    }

    pub fn decl(&self, id: InputId) -> &InputDecl {
        &self.inputs[id.0 as usize].0
    }

    /// The variables of an input, one an element.
    pub fn elements(&self, id: InputId) -> &[Term] {
        &self.inputs[id.0 as usize].1
    }

    /// The input and the index that a variable is.
    pub fn element_of(&self, var: VarId) -> Option<(InputId, u32)> {
        self.elements.get(&var).copied()
    }

    /// The inputs in the order in which they were made or became longer. What lies beyond the part that a reader has
    /// seen is what is new to it.
    pub fn growth(&self) -> &[InputId] {
        &self.growth
    }

    /// The value of the first elements of an input under an assignment.
    pub fn value(
        &self,
        terms: &Terms,
        assignment: &Assignment,
        id: InputId,
        length: u32,
    ) -> InputValue {
        let (decl, elements) = &self.inputs[id.0 as usize];
        let mut bytes = Vec::new();
        for &element in elements.iter().take(length as usize) {
            let value = match terms.op(element) {
                Op::Var(var) => assignment.get(var).and_then(Value::as_bv),
                _ => None,
            };
            push_element(&mut bytes, decl.element_bits, value);
        }
        InputValue {
            name: decl.name.to_string(),
            role: decl.role,
            element_bits: decl.element_bits,
            float_bits: decl.float_bits,
            bytes,
        }
    }

    /// All inputs that an assignment says something of, as far as it does.
    pub fn values(&self, terms: &Terms, assignment: &Assignment) -> Vec<InputValue> {
        let mut lengths: FxHashMap<InputId, u32> = FxHashMap::default();
        for (var, _) in assignment.iter() {
            if let Some((id, index)) = self.element_of(var) {
                let length = lengths.entry(id).or_insert(0);
                *length = (*length).max(index + 1);
            }
        }
        let mut lengths: Vec<(InputId, u32)> = lengths.into_iter().collect();
        lengths.sort_unstable();
        let values = lengths.into_iter();
        values
            .map(|(id, length)| self.value(terms, assignment, id, length))
            .collect()
    }

    /// The assignment that gives inputs their values.
    pub fn assignment(&mut self, terms: &mut Terms, values: &[InputValue]) -> Assignment {
        let mut assignment = Assignment::new();
        for value in values {
            let elements = value.elements();
            let length = elements.len() as u32;
            let id = self.declare(terms, &value.name, value.role, value.element_bits, length);
            for (&term, element) in self.elements(id).iter().zip(elements) {
                if let Op::Var(var) = terms.op(term) {
                    assignment.set(var, element);
                }
            }
        }
        assignment
    }
}

/// The value of an input: what a test has of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputValue {
    pub name: String,
    #[serde(default)]
    pub role: Role,
    /// The bits of an element.
    pub element_bits: u32,
    /// The bytes are floats of so many bits, one after the other; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub float_bits: u32,
    /// The elements in order, each in as many bytes as it needs, lowest byte first.
    pub bytes: Vec<u8>,
}

impl InputValue {
    /// The bytes of an object.
    pub fn object(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> InputValue {
        InputValue {
            name: name.into(),
            role: Role::Object,
            element_bits: 8,
            float_bits: 0,
            bytes: bytes.into(),
        }
    }

    /// One value an element. Bytes that make no whole element are padded with zeros.
    pub fn elements(&self) -> Vec<Bv> {
        let bits = self.element_bits.max(1);
        let chunks = self.bytes.chunks(bits.div_ceil(8) as usize);
        let words = |chunk: &[u8]| {
            let words = chunk.chunks(8).map(|part| {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(word)
            });
            words.collect()
        };
        chunks
            .map(|chunk| Bv::from_words(bits, words(chunk)))
            .collect()
    }

    /// As floats, if it is known to be some: decimal, so that the same bits are read back (but for which NaN it is), and
    /// the bits.
    pub fn floats(&self) -> Option<Vec<(String, u128)>> {
        let (bits, size) = match self.float_bits {
            16 => (16, 2),
            32 => (32, 4),
            64 => (64, 8),
            80 => (80, 16),
            128 => (128, 16),
            _ => return None,
        };
        if self.bytes.is_empty() || !self.bytes.len().is_multiple_of(size) {
            return None;
        }
        let floats = self.bytes.chunks(size).map(|bytes| {
            let mut word = [0; 16];
            word[..size].copy_from_slice(bytes);
            let number = u128::from_le_bytes(word) & u128::MAX >> (128 - bits);
            Some((decimal(bits, number)?, number))
        });
        floats.collect()
    }

    /// As a number, if it has the size of one: the first byte is the lowest, and the highest bit is the sign.
    pub fn number(&self) -> Option<i64> {
        if !matches!(self.bytes.len(), 1 | 2 | 4 | 8) {
            return None;
        }
        let mut word = [0; 8];
        word[..self.bytes.len()].copy_from_slice(&self.bytes);
        let unused = 64 - 8 * self.bytes.len() as u32;
        Some((i64::from_le_bytes(word) << unused) >> unused)
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Appends an element; one without a value is zero.
fn push_element(bytes: &mut Vec<u8>, bits: u32, value: Option<&Bv>) {
    let count = bits.div_ceil(8) as usize;
    let end = bytes.len() + count;
    for word in value.map_or(&[][..], Bv::words) {
        let left = end - bytes.len();
        bytes.extend(word.to_le_bytes().into_iter().take(left));
    }
    bytes.resize(end, 0);
}

/// Elements as one number, the first one lowest.
pub fn join_bytes(terms: &mut Terms, elements: &[Term]) -> Option<Term> {
    let mut elements = elements.iter().copied();
    let first = elements.next()?;
    Some(elements.fold(first, |low, element| terms.concat(element, low)))
}

/// The inputs that one path has made, in order. A copy costs nothing, however many there are.
#[derive(Clone, Default)]
pub struct PathInputs {
    made: Vector<(InputId, u32)>,
    /// By name: how many inputs were to have it.
    used: HashTrieMap<Rc<str>, u32>,
}

impl PathInputs {
    /// A name for an input that is to be called so. Two inputs of a path never share their variables: the second `x`
    /// is `x_2`. Programs that run natively have the same rule in C and in Rust (`abi/names.c`, `abi/rust.rs`);
    /// `cli/tests/abi.rs` compares them.
    pub fn name(&self, wanted: &str) -> String {
        let mut count = self.used.get(wanted).copied().unwrap_or(0);
        let mut name = wanted.to_string();
        while count > 0 {
            count += 1;
            name = format!("{wanted}_{count}");
            if !self.used.contains_key(name.as_str()) {
                break;
            }
        }
        name
    }

    /// Adds an input that was to be called `wanted` and got its name from [`name`](PathInputs::name).
    pub fn add(&mut self, wanted: &str, name: &str, id: InputId, length: u32) {
        let count = match name
            .strip_prefix(wanted)
            .and_then(|rest| rest.strip_prefix('_'))
        {
            Some(number) => number.parse().unwrap_or(1),
            None => 1,
        };
        self.used.insert_mut(wanted.into(), count);
        if name != wanted {
            self.used.insert_mut(name.into(), 1);
        }
        self.made.push_back_mut((id, length));
    }

    pub fn len(&self) -> usize {
        self.made.len()
    }

    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Adds an input of the world, whose name no other input is kept from.
    pub fn add_of_world(&mut self, id: InputId, length: u32) {
        self.made.push_back_mut((id, length));
    }

    /// The inputs with their lengths.
    pub fn iter(&self) -> impl Iterator<Item = (InputId, u32)> {
        self.made.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(inputs: &mut PathInputs, wanted: &str) -> String {
        let name = inputs.name(wanted);
        inputs.add(wanted, &name, InputId(0), 1);
        name
    }

    #[test]
    fn names_are_unique_on_a_path() {
        let mut inputs = PathInputs::default();
        let names: Vec<String> = ["x", "x", "x_3", "x", "y", "x", "x_2", "x_3"]
            .iter()
            .map(|wanted| add(&mut inputs, wanted))
            .collect();
        let expected = ["x", "x_2", "x_3", "x_4", "y", "x_5", "x_2_2", "x_3_2"];
        assert_eq!(names, expected);
        let before = inputs.clone();
        assert_eq!(add(&mut inputs, "x"), "x_6");
        assert_eq!(before.name("x"), "x_6");
        assert_eq!(before.len(), 8);
    }

    #[test]
    fn wide_elements_keep_all_their_bits() {
        let mut terms = Terms::new();
        let mut table = InputTable::new();
        let bits = [1, 8, 13, 64, 80, 128];
        let values: Vec<InputValue> = bits
            .iter()
            .map(|&element_bits| InputValue {
                name: format!("w{element_bits}"),
                role: Role::Parameter,
                element_bits,
                float_bits: 0,
                bytes: {
                    let mut bytes = Vec::new();
                    let all = Bv::ones(element_bits);
                    push_element(&mut bytes, element_bits, Some(&all));
                    push_element(&mut bytes, element_bits, Some(&Bv::one(element_bits)));
                    bytes
                },
            })
            .collect();
        let assignment = table.assignment(&mut terms, &values);
        assert_eq!(table.values(&terms, &assignment), values);
        assert_eq!(values[4].elements(), [Bv::ones(80), Bv::one(80)]);
    }

    #[test]
    fn growth_is_what_was_new() {
        let mut terms = Terms::new();
        let mut table = InputTable::new();
        let mut declare =
            |name, bits, length| table.declare(&mut terms, name, Role::Object, bits, length);
        let x = declare("x", 8, 2);
        let wide = declare("x", 32, 2);
        assert_ne!(x, wide);
        assert_eq!(declare("x", 8, 1), x);
        let empty = declare("e", 8, 0);
        assert_eq!(declare("x", 8, 4), x);
        assert_eq!(declare("e", 8, 0), empty);
        assert_eq!(table.growth(), [x, wide, empty, x]);
        assert_eq!(table.elements(x).len(), 4);
    }

    #[test]
    fn numbers_have_signs() {
        let number = |bytes: &[u8]| InputValue::object("x", bytes).number();
        assert_eq!(number(&[255]), Some(-1));
        assert_eq!(number(&[1, 0x80]), Some(-32767));
        assert_eq!(number(&[1, 0, 0, 0]), Some(1));
        assert_eq!(number(&[255; 8]), Some(-1));
        assert_eq!(number(&[1, 2, 3]), None);
    }
}
