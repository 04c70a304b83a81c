//! The code that ran on a path since its last question.

use refrain_machine::CodePiece;

/// A set of pieces of code that grows by whole runs, and is looked at rarely.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pieces: Vec<CodePiece>,
    /// The first so many are sorted, and different.
    sorted: usize,
}

impl Ran {
    /// How far it may grow before it is sorted.
    const SLACK: usize = 1 << 10;

    pub fn add(&mut self, run: &[CodePiece]) {
        self.pieces.extend_from_slice(run);
        if self.pieces.len() > 2 * self.sorted + Ran::SLACK {
            self.sort();
        }
    }

    /// The pieces, each once.
    pub fn sorted(&mut self) -> &[CodePiece] {
        if self.sorted < self.pieces.len() {
            self.sort();
        }
        &self.pieces
    }

    pub fn clear(&mut self) {
        self.pieces.clear();
        self.sorted = 0;
    }

    fn sort(&mut self) {
        self.pieces.sort_unstable();
        self.pieces.dedup();
        self.sorted = self.pieces.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_in_once() {
        let mut ran = Ran::default();
        let block = |block: u32| CodePiece::block(7, block);
        for run in 0..5000 {
            ran.add(&[block(run % 900), block(3), block(run % 700)]);
            assert!(ran.pieces.len() < 2 * 900 + Ran::SLACK + 3);
        }
        let all: Vec<CodePiece> = (0..900).map(block).collect();
        assert_eq!(ran.sorted(), all);
        ran.clear();
        assert!(ran.sorted().is_empty());
        ran.add(&[block(2), block(1)]);
        assert_eq!(ran.sorted(), [block(1), block(2)]);
    }
}
