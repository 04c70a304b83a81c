//! Functions of one small input, defined by their truth tables.

use refrain_sat::Lit;
use refrain_term::{Input, Sort, Term, Terms};

use super::Blaster;
use super::words::Word;
use refrain_path::simplify::Tables;
use refrain_path::values::bytes::{ByteSet, Cube};

/// A table that takes more cubes than this is split at its top bit.
const MAX_CUBES: usize = 40;

impl Blaster {
    /// The literals of a term as functions of the bits of its one input; none if it is too large for that.
    pub(super) fn function_word(
        &mut self,
        terms: &Terms,
        tables: &mut Tables,
        term: Term,
        input: Input,
        leaf: Term,
        bits: u32,
    ) -> Option<Word> {
        match terms.sort(term) {
            Sort::Bool => {
                let truth = tables.truth(terms, term, input, bits)?;
                Some(vec![self.function(terms, leaf, truth, bits)])
            }
            _ => {
                let column = tables.column(terms, term, input, bits)?;
                let function = |bit| {
                    let truth = ByteSet::from_fn(bits, |value| column[value] >> bit & 1 == 1);
                    self.function(terms, leaf, truth, bits)
                };
                Some((0..terms.width(term)).map(function).collect())
            }
        }
    }

    /// A literal that is true just for the input values in `truth`; only the lowest `bits` bits matter.
    fn function(&mut self, terms: &Terms, leaf: Term, truth: ByteSet, bits: u32) -> Lit {
        if truth.is_empty() {
            return self.gates.no();
        }
        let complement = truth.complement(bits);
        if complement.is_empty() {
            return self.gates.yes();
        }
        if let Some(&known) = self.functions.get(&(leaf, bits, truth)) {
            return known;
        }
        if let Some(&known) = self.functions.get(&(leaf, bits, complement)) {
            return !known;
        }
        let word = self.bits(terms, leaf).to_vec();
        let (when, unless) = (truth.cover(bits), complement.cover(bits));
        let output = if when.len() + unless.len() <= MAX_CUBES || bits <= 2 {
            self.define(&word, &when, &unless)
        } else {
            let top = bits - 1;
            let half = |high: usize| {
                ByteSet::from_fn(top, |value| truth.contains((value | high << top) as u64))
            };
            let (low, high) = (half(0), half(1));
            let low = self.function(terms, leaf, low, top);
            let high = self.function(terms, leaf, high, top);
            self.gates.mux(word[top as usize], high, low)
        };
        self.functions.insert((leaf, bits, truth), output);
        output
    }

    /// A literal true on one set of cubes and false on the other.
    fn define(&mut self, word: &[Lit], when: &[Cube], unless: &[Cube]) -> Lit {
        // A single bit needs no definition.
        if let ([cube], [_]) = (when, unless)
            && cube.care.is_power_of_two()
        {
            let bit = word[cube.care.trailing_zeros() as usize];
            return if cube.value == 0 { !bit } else { bit };
        }
        let output = self.gates.fresh();
        for (cubes, result) in [(when, output), (unless, !output)] {
            for cube in cubes {
                let mut clause = vec![result];
                for (i, &bit) in word.iter().enumerate() {
                    if cube.care >> i & 1 == 1 {
                        clause.push(if cube.value >> i & 1 == 1 { !bit } else { bit });
                    }
                }
                self.gates.clause(&clause);
            }
        }
        output
    }
}
