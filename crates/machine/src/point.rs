//! Where in a program a question was asked.

use serde::{Deserialize, Serialize};

/// A point of the program, as cheap as possible: a function, a block of it, and an instruction of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    pub function: u32,
    pub block: u32,
    /// Counted from the start of its block.
    pub instruction: u32,
}

/// The same point for other versions of the program: by name and ordinals within its function, with hashes that tell
/// whether the code there is still the same. Edits elsewhere change nothing of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CodePoint {
    /// The function's symbol.
    pub symbol: String,
    pub block: u32,
    pub instruction: u32,
    /// Of the block's code.
    pub block_hash: u64,
    /// Of the whole function's code.
    pub function_hash: u64,
}
