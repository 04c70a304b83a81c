//! Reading columns from the assignments.
//!
//! Assignments are rows, and there may be more of them than the processor's caches hold. So a few at a time are
//! gone through, for all columns; each column then gets a run of consecutive lanes, and each array is looked up once.

use std::sync::Arc;

use crate::value::mask;
use crate::{ArrayValue, Assignment, Sort, Value, VarId, dense};

use super::words::{Word, by_width};
use super::{Batch, Leaf, LeafColumn};

/// How many assignments are gone through at a time.
const ROWS: usize = 64;

impl Batch {
    /// Reads the columns of these leaves, if they have none yet.
    pub(super) fn read_leaves(&mut self, mut wanted: Vec<(Leaf, Sort)>) {
        wanted.retain(|(leaf, _)| !self.set.contains_key(leaf) && !self.read.contains_key(leaf));
        // The cells of an array together, in the order in which they are stored.
        wanted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut columns: Vec<LeafColumn> = wanted
            .iter()
            .map(|&(_, sort)| LeafColumn::with_capacity(sort, self.given.len()))
            .collect();
        for rows in self.given.chunks(ROWS) {
            let mut first = 0;
            for group in
                wanted.chunk_by(|(a, _), (b, _)| a.array().is_some() && a.array() == b.array())
            {
                let columns = &mut columns[first..first + group.len()];
                first += group.len();
                match group {
                    [(Leaf::Symbol(var), sort)] => {
                        for row in rows {
                            columns[0].push(row.get(*var), *sort);
                        }
                    }
                    [(Leaf::Cell(var, _), sort), ..] => {
                        let mut rows = Rows::new(rows, *var, sort.width().expect("an element"));
                        for ((leaf, _), column) in group.iter().zip(columns) {
                            rows.push_cell(leaf, column);
                        }
                    }
                    _ => unreachable!("evaluated lane by lane"),
                }
            }
        }
        for ((leaf, _), column) in wanted.into_iter().zip(columns) {
            self.add_read(leaf, column);
        }
    }
}

/// The value of an array symbol, if it has one.
pub(super) fn array(assignment: &Assignment, var: VarId) -> Option<&ArrayValue> {
    match assignment.get(var) {
        Some(Value::Array(array)) => Some(array),
        None => None,
        Some(value) => panic!("a {} where an array belongs", value.sort()),
    }
}

impl Leaf {
    fn array(&self) -> Option<VarId> {
        match self {
            Leaf::Cell(array, _) => Some(*array),
            _ => None,
        }
    }
}

/// The values of one array symbol in some assignments.
struct Rows<'a> {
    arrays: Vec<Option<&'a ArrayValue>>,
    /// Of the elements.
    width: u32,
    /// A word of packed elements from each array, and which one.
    packed: Vec<u64>,
    word: Option<usize>,
}

impl<'a> Rows<'a> {
    fn new(rows: &'a [Arc<Assignment>], var: VarId, width: u32) -> Rows<'a> {
        let arrays: Vec<_> = rows.iter().map(|row| array(row, var)).collect();
        for array in arrays.iter().flatten() {
            assert_eq!(array.element_width(), width, "elements of another width");
        }
        Rows {
            packed: vec![0; arrays.len()],
            arrays,
            width,
            word: None,
        }
    }

    /// Appends the element of each array in one cell to the cell's column.
    fn push_cell(&mut self, cell: &Leaf, column: &mut LeafColumn) {
        let Leaf::Cell(_, index) = cell else {
            unreachable!("a cell")
        };
        let width = self.width;
        match (column, index.small()) {
            (LeafColumn::Small(column), Some(index)) => {
                by_width!(width, W => self.push_words::<W>(index, W::of_words_mut(column)))
            }
            (column, _) => {
                for array in &self.arrays {
                    let element = array.map(|array| Value::Bv(array.get(index)));
                    column.push(element.as_ref(), Sort::BitVec(width));
                }
            }
        }
    }

    fn push_words<W: Word>(&mut self, index: u64, column: &mut Vec<W>) {
        let (word, shift) = dense::place(self.width, index);
        if self.unpack(word) {
            let mask = W::of(mask(self.width));
            let element = |&packed: &u64| W::of(packed >> shift) & mask;
            column.extend(self.packed.iter().map(element));
        } else {
            let element = |array: &Option<&ArrayValue>| array.map_or(0, |array| array.word(index));
            column.extend(self.arrays.iter().map(element).map(W::of));
        }
    }

    /// Fetches a word of packed elements from each array, once for all its cells. Fails if an array has none.
    fn unpack(&mut self, word: usize) -> bool {
        if self.word != Some(word) {
            self.word = None;
            for (packed, array) in self.packed.iter_mut().zip(&self.arrays) {
                match array.map_or(Some(0), |array| array.packed(word)) {
                    Some(elements) => *packed = elements,
                    None => return false,
                }
            }
            self.word = Some(word);
        }
        true
    }
}
