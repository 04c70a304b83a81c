//! Parameters of an entry function.

use serde::{Deserialize, Serialize};

/// A parameter of the entry function. Its value, or the contents of its buffer, is the input of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameter {
    pub name: String,
    pub bits: u32,
    pub is_float: bool,
    pub pointer: bool,
    /// How many bytes a pointer points to; a pointer without a buffer is null.
    pub buffer: Option<u64>,
    /// Two values: the pointer, and then so many elements that it points to.
    pub slice: Option<u64>,
    /// The callee gets a copy of the buffer, which is a structure passed by value.
    pub by_value: bool,
    /// The buffer is as long as its input is in the test, at most so long as said; a second value is its length.
    pub sized: bool,
    /// The callee puts its result there. It is no input.
    pub result: bool,
}
