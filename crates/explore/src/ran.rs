//! The code that ran on a path since its last question.

use refrain_machine::CodeBlock;

/// A set of blocks that grows by whole runs, and is looked at rarely.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    blocks: Vec<CodeBlock>,
    /// The first so many are sorted, and different.
    sorted: usize,
}

impl Ran {
    /// How far it may grow before it is sorted.
    const SLACK: usize = 1 << 10;

    pub fn add(&mut self, run: &[CodeBlock]) {
        self.blocks.extend_from_slice(run);
        if self.blocks.len() > 2 * self.sorted + Ran::SLACK {
            self.sort();
        }
    }

    /// The blocks, each once.
    pub fn sorted(&mut self) -> &[CodeBlock] {
        if self.sorted < self.blocks.len() {
            self.sort();
        }
        &self.blocks
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.sorted = 0;
    }

    fn sort(&mut self) {
        self.blocks.sort_unstable();
        self.blocks.dedup();
        self.sorted = self.blocks.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_once() {
        let mut ran = Ran::default();
        let block = |block: u32| CodeBlock { function: 7, block };
        for run in 0..5000 {
            ran.add(&[block(run % 900), block(3), block(run % 700)]);
            assert!(ran.blocks.len() < 2 * 900 + Ran::SLACK + 3);
        }
        let all: Vec<CodeBlock> = (0..900).map(block).collect();
        assert_eq!(ran.sorted(), all);
        ran.clear();
        assert!(ran.sorted().is_empty());
        ran.add(&[block(2), block(1)]);
        assert_eq!(ran.sorted(), [block(1), block(2)]);
    }
}
