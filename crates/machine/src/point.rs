//! Where in a program a question was asked, and which pieces of its code ran.

use std::hash::{Hash, Hasher};

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

/// A piece of code that ran, as cheap as possible: of a block of a function, or of what stands behind all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePiece {
    pub function: u32,
    pub block: u32,
    pub part: Part,
}

/// What of a block ran. The same in every version of the program in which the block is the same.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Part {
    /// It was begun.
    #[default]
    Begun,
    /// It was left for the block that is so far away.
    Left(i32),
    /// The assumption that this instruction of it makes was satisfied.
    Passed(u32),
}

impl Part {
    /// As a number, small where the numbers in it are.
    pub fn number(self) -> u64 {
        match self {
            Part::Begun => 0,
            Part::Left(distance) => 1 + 2 * u64::from((distance << 1 ^ distance >> 31) as u32),
            Part::Passed(instruction) => 2 + 2 * u64::from(instruction),
        }
    }

    /// The part of a number, if it has one.
    pub fn of_number(number: u64) -> Option<Part> {
        let Some(rest) = number.checked_sub(1) else {
            return Some(Part::Begun);
        };
        let value = u32::try_from(rest / 2).ok()?;
        Some(match rest % 2 {
            0 => Part::Left((value >> 1) as i32 ^ -((value & 1) as i32)),
            _ => Part::Passed(value),
        })
    }
}

impl Hash for CodePiece {
    /// In one step: there are many of them.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let place = u64::from(self.function) << 32 | u64::from(self.block);
        state.write_u64(place ^ self.part.number().rotate_left(16));
    }
}

impl CodePiece {
    /// A block that was begun.
    pub fn block(function: u32, block: u32) -> CodePiece {
        CodePiece {
            function,
            block,
            part: Part::Begun,
        }
    }

    /// What happens before the first instruction: which functions are called, with what. Part of every path's first run.
    pub const START: CodePiece = CodePiece {
        function: u32::MAX,
        block: 0,
        part: Part::Begun,
    };

    /// Where the program's functions and variables lie. Part of every run in which that may have mattered.
    pub const LAYOUT: CodePiece = CodePiece {
        function: u32::MAX,
        block: 1,
        part: Part::Begun,
    };
}

/// The same piece for other versions of the program: they have it unchanged if the block of that name has that hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeUnit {
    /// The function's symbol. Empty for [`CodePiece::START`] and [`CodePiece::LAYOUT`].
    pub symbol: String,
    pub block: u32,
    /// Of the block's code.
    pub hash: u64,
    pub part: Part,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_number_and_back() {
        let distances = [0, 1, -1, 2, -2, i32::MAX, i32::MIN].map(Part::Left);
        let instructions = [0, 1, 7, u32::MAX].map(Part::Passed);
        let mut numbers = std::collections::BTreeSet::new();
        for part in { distances.into_iter() }
            .chain(instructions)
            .chain([Part::Begun])
        {
            assert_eq!(Part::of_number(part.number()), Some(part));
            assert!(numbers.insert(part.number()), "{part:?}");
        }
        assert_eq!(Part::of_number(u64::MAX), None);
    }
}
