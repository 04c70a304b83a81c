//! What a tree does not know: the program that it is of, and the tests of its run.

use refrain_machine::Place;

/// A program, as far as somebody can tell. Nothing need be known.
pub trait Program {
    /// Where in the source a point is.
    fn place(&self, _symbol: &str, _block: u32, _instruction: u32) -> Option<Place> {
        None
    }

    /// A symbol as the source has it.
    fn name(&self, symbol: &str) -> String {
        symbol.into()
    }

    /// Where the error of a test is.
    fn error_of(&self, _test: u32) -> Option<Place> {
        None
    }

    /// The text of a file that a place is in.
    fn source(&self, _file: &str) -> Option<String> {
        None
    }

    /// Whether a block of code is another now than the one with this hash.
    fn is_edited(&self, _symbol: &str, _block: u32, _hash: u64) -> bool {
        false
    }

    /// A value that was chosen.
    fn value(&self, bytes: &[u8]) -> String {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }
}

/// A program of which nothing is known.
pub struct Stranger;

impl Program for Stranger {}
