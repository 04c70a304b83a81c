//! Where in a program a question was asked, and which pieces of its code ran.

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

/// A piece of code, as cheap as possible: a block of a function, or what stands behind all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeBlock {
    pub function: u32,
    pub block: u32,
}

impl CodeBlock {
    /// What happens before the first instruction: which functions are called, with what. Part of every path's first run.
    pub const START: CodeBlock = CodeBlock {
        function: u32::MAX,
        block: 0,
    };

    /// Where the program's functions and variables lie. Part of every run in which that may have mattered.
    pub const LAYOUT: CodeBlock = CodeBlock {
        function: u32::MAX,
        block: 1,
    };
}

/// The same piece for other versions of the program: they have it unchanged if a piece of that name has that hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeUnit {
    /// The function's symbol. Empty for [`CodeBlock::START`] and [`CodeBlock::LAYOUT`].
    pub symbol: String,
    pub block: u32,
    pub hash: u64,
}
