//! The code that ran on a path since its last question.

use refrain_machine::CodePiece;

/// Pieces of code, some perhaps more than once.
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
            self.pieces.sort_unstable();
            self.pieces.dedup();
            self.sorted = self.pieces.len();
        }
    }

    pub fn pieces(&self) -> &[CodePiece] {
        &self.pieces
    }

    pub fn clear(&mut self) {
        self.pieces.clear();
        self.sorted = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_does_not_grow_without_bound() {
        let mut ran = Ran::default();
        let block = |block: u32| CodePiece::block(7, block);
        for run in 0..5000 {
            ran.add(&[block(run % 900), block(3), block(run % 700)]);
            assert!(ran.pieces.len() < 2 * 900 + Ran::SLACK + 3);
        }
        let pieces: BTreeSet<CodePiece> = ran.pieces().iter().copied().collect();
        assert_eq!(pieces, (0..900).map(block).collect());
        ran.clear();
        assert!(ran.pieces().is_empty());
        ran.add(&[block(2), block(1)]);
        assert_eq!(ran.pieces(), [block(2), block(1)]);
    }
}
