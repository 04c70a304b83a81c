//! Look-ups in constant tables as circuits over the bits of the index.
//!
//! A read that is refuted index by index may take as many candidates as its table has cells. After a few of them a whole
//! block of the table is encoded, the one that the candidate's index is in: a tree of multiplexers for each bit, in
//! which equal parts are built once. All blocks without cells are one.

use refrain_sat::Lit;
use refrain_term::{Bv, Op, Term, Terms};

use super::Blaster;
use super::words::Word;

/// A block has so many bits of the index; the others say which block it is.
const BLOCK_BITS: u32 = 12;

/// A block of a table, read at an index.
pub type BlockRead = (Term, Term, u64);

/// The block that an index is in.
fn block_of(index: &Bv) -> u64 {
    index.small().expect("an index of at most 64 bits") >> BLOCK_BITS
}

/// The blocks of a table that have cells, in order.
fn blocks(terms: &Terms, table: Term) -> Vec<u64> {
    let Op::Table(id) = terms.op(table) else {
        unreachable!("a table")
    };
    let cells = terms.cells(id).iter();
    let mut blocks: Vec<u64> = cells.map(|(at, _)| block_of(at)).collect();
    blocks.dedup();
    blocks
}

impl Blaster {
    /// Notes that a candidate has a read of a table at this index wrong. Returns whether the whole block is to be
    /// encoded, after so many lemmas on single cells.
    pub fn refute_look_up(
        &mut self,
        terms: &Terms,
        table: Term,
        index: Term,
        at: &Bv,
        lemmas: u32,
    ) -> bool {
        let is_filled = terms.op(terms.arg(table, 0)) == Op::ConstArray;
        if !is_filled || at.width() > u64::BITS {
            return false;
        }
        let Op::Table(id) = terms.op(table) else {
            unreachable!("a table")
        };
        // That an index is none of the cells' takes as many premises as there are cells.
        let is_long = terms.cell(id, at).is_none() && terms.cells(id).len() > lemmas as usize;
        let refuted = self.refuted_look_ups.entry((table, index)).or_default();
        *refuted += 1;
        *refuted > lemmas || is_long
    }

    /// Adds to a clause that a read is what its table has at an index, if that is in the same block as `at`, or, where
    /// that block has no cells, in any that has none. Returns whether it could be done within the limits. The index and
    /// what the table is filled with are encoded.
    pub fn look_up(
        &mut self,
        terms: &Terms,
        read: Term,
        table: Term,
        at: &Bv,
        clause: &mut Vec<Lit>,
    ) -> bool {
        let index = terms.arg(read, 1);
        let block = block_of(at);
        let selectors: Vec<Lit> = { self.bits(terms, index).iter() }
            .skip(BLOCK_BITS as usize)
            .copied()
            .collect();
        let blocks = blocks(terms, table);
        let word = if blocks.binary_search(&block).is_ok() {
            clause.push(!self.is_block(&selectors, block));
            self.block_word(terms, (table, index, block))
        } else {
            clause.extend(blocks.iter().map(|&other| self.is_block(&selectors, other)));
            Some(self.filled(terms, table))
        };
        let Some(word) = word else {
            return false;
        };
        let bits = self.bits(terms, read).to_vec();
        clause.push(self.gates.equal(&bits, &word));
        true
    }

    /// Whether the highest bits of an index say that it is in a block.
    fn is_block(&mut self, selectors: &[Lit], block: u64) -> Lit {
        let here: Word = (0..selectors.len())
            .map(|place| self.gates.constant(block >> place & 1 == 1))
            .collect();
        self.gates.equal(selectors, &here)
    }

    /// The bits of what a table is filled with.
    fn filled(&mut self, terms: &Terms, table: Term) -> Word {
        let filled = terms.arg(terms.arg(table, 0), 0);
        match terms.value(filled) {
            Some(value) => self.gates.word(value),
            None => self.bits(terms, filled).to_vec(),
        }
    }

    /// The bits of a block of a filled table, as functions of the lowest bits of the index.
    fn block_word(&mut self, terms: &Terms, key: BlockRead) -> Option<Word> {
        if let Some(word) = self.look_ups.get(&key) {
            return Some(word.clone());
        }
        let (table, index, block) = key;
        let Op::Table(id) = terms.op(table) else {
            unreachable!("a table")
        };
        let rest = self.filled(terms, table);
        let mut selectors = self.bits(terms, index).to_vec();
        selectors.truncate(BLOCK_BITS as usize);
        let cells = terms.cells(id);
        let first = cells.partition_point(|(at, _)| block_of(at) < block);
        let end = cells.partition_point(|(at, _)| block_of(at) <= block);
        let mut word = Word::with_capacity(rest.len());
        for (bit, &rest) in rest.iter().enumerate() {
            let mut leaves = vec![rest; 1 << selectors.len()];
            for (at, cell) in &cells[first..end] {
                let at = at.small().expect("a small index") as usize & (leaves.len() - 1);
                leaves[at] = self.gates.constant(cell.bit(bit as u32));
            }
            word.push(self.tree(&selectors, leaves)?);
        }
        self.look_ups.insert(key, word.clone());
        Some(word)
    }

    /// The leaf that selectors, the lowest first, lead to.
    fn tree(&mut self, selectors: &[Lit], mut leaves: Vec<Lit>) -> Option<Lit> {
        for &selector in selectors {
            if self.gates.gave_up().is_some() {
                return None;
            }
            let halves = leaves.chunks_exact(2);
            leaves = halves
                .map(|half| self.gates.mux(selector, half[1], half[0]))
                .collect();
        }
        leaves.first().copied()
    }
}
