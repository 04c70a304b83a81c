//! One block of lanes on its way through the plan: which columns there are, and for how long.

use std::borrow::Cow;
use std::ops::Range;

use crate::{Bv, Op, Rational, Terms};

use super::double;
use super::plan::Plan;
use super::words::{Lanes, Pool, Word, Words, by_width};
use super::{Batch, LeafColumn};

/// The values of a term in the lanes of a block.
pub(super) enum Column {
    None,
    Leaf(u32),
    Uniform(u64),
    Small(Words),
    /// Of 65 to 128 bits. One for each lane, or one for all.
    Double(Vec<u128>),
    /// One for each lane, or one for all.
    Wide(Vec<Bv>),
    /// One for each lane, or one for all.
    Number(Vec<Rational>),
}

/// One block of lanes on its way through the plan.
pub(super) struct Block<'a> {
    pub(super) batch: &'a mut Batch,
    pub(super) terms: &'a Terms,
    pub(super) plan: &'a Plan,
    pub(super) start: usize,
    pub(super) len: usize,
    columns: Vec<Column>,
    /// By place: uses still to come.
    uses: Vec<u32>,
    pub(super) pool: Pool,
}

impl<'a> Block<'a> {
    /// A block of these lanes, with buffers that an earlier one has left.
    pub(super) fn new(
        batch: &'a mut Batch,
        terms: &'a Terms,
        plan: &'a Plan,
        lanes: Range<usize>,
        pool: Pool,
    ) -> Block<'a> {
        Block {
            batch,
            terms,
            plan,
            start: lanes.start,
            len: lanes.len(),
            columns: plan.nodes.iter().map(|_| Column::None).collect(),
            uses: plan.uses.clone(),
            pool,
        }
    }

    /// Evaluates every term of the plan.
    pub(super) fn run(&mut self) {
        for place in 0..self.plan.nodes.len() {
            self.evaluate(place);
        }
    }

    /// The buffers, to be used again.
    pub(super) fn into_pool(self) -> Pool {
        self.pool
    }

    fn evaluate(&mut self, place: usize) {
        let node = &self.plan.nodes[place];
        let term = node.term;
        if let Some(leaf) = node.leaf {
            self.columns[place] = Column::Leaf(leaf);
            return;
        }
        if self.is_array(place) {
            // Reads go down through it: it keeps its operands for as long as it has users.
            return;
        }
        self.columns[place] = match self.terms.op(term) {
            Op::True => Column::Uniform(1),
            Op::False => Column::Uniform(0),
            Op::Const(id) => match self.terms.const_value(id) {
                value if value.width() <= 64 => Column::Uniform(value.words()[0]),
                value if value.width() <= double::MOST_BITS => {
                    Column::Double(vec![double::of_bv(value)])
                }
                value => Column::Wide(vec![value.clone()]),
            },
            Op::Number(id) => Column::Number(vec![self.terms.number_of(id).clone()]),
            Op::Select => self.select(place),
            Op::Ite if self.is_number(place) => self.ite_of_numbers(place),
            _ if self.has_numbers(place) => self.compute_numbers(place),
            Op::Ite => self.ite(place),
            Op::Float { .. } => self.compute_float(place),
            _ if self.is_small(place) => self.compute(place),
            _ if self.is_double(place) => self.compute_double(place),
            _ => self.compute_wide(place),
        };
        for operand in 0..self.plan.operands(place).len() {
            self.release(self.plan.operands(place)[operand]);
        }
    }

    /// One use less; after the last the buffer is free, and an array lets go of its operands.
    fn release(&mut self, place: u32) {
        if !self.release_one(place) {
            return;
        }
        let mut arrays = vec![place];
        while let Some(array) = arrays.pop() {
            for &operand in self.plan.operands(array as usize) {
                if self.release_one(operand) {
                    arrays.push(operand);
                }
            }
        }
    }

    /// One use less; whether that was an array's last.
    fn release_one(&mut self, place: u32) -> bool {
        let place = place as usize;
        self.uses[place] -= 1;
        if self.uses[place] > 0 {
            return false;
        }
        if let Column::Small(buffer) = std::mem::replace(&mut self.columns[place], Column::None) {
            self.pool.give(buffer);
        }
        self.is_array(place)
    }

    fn is_array(&self, place: usize) -> bool {
        self.plan.nodes[place].is_array
    }

    pub(super) fn is_number(&self, place: usize) -> bool {
        self.plan.nodes[place].is_number
    }

    /// Whether a node that is no ite gives or takes numbers.
    fn has_numbers(&self, place: usize) -> bool {
        let operands = self.plan.operands(place);
        operands
            .first()
            .is_some_and(|&operand| self.is_number(operand as usize))
    }

    /// The width of a bit-vector, one for a truth value.
    #[inline]
    pub(super) fn width(&self, place: usize) -> u32 {
        self.plan.nodes[place].width
    }

    /// Whether a node and all its operands have at most 64 bits.
    fn is_small(&self, place: usize) -> bool {
        let operands = self.plan.operands(place);
        self.width(place) <= 64
            && operands
                .iter()
                .all(|&operand| self.width(operand as usize) <= 64)
    }

    /// The column of a place whose width asks for columns of these words.
    #[inline]
    pub(super) fn small<W: Word>(&self, place: usize) -> Lanes<'_, W> {
        match &self.columns[place] {
            Column::Uniform(value) => Lanes::Uniform(W::of(*value)),
            Column::Small(column) => Lanes::Each(W::of_words(column)),
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Small(column) => match W::of_words(column) {
                    [value] => Lanes::Uniform(*value),
                    column => Lanes::Each(&column[self.start..self.start + self.len]),
                },
                _ => unreachable!("no column of machine words"),
            },
            _ => unreachable!("no column of machine words"),
        }
    }

    /// The value of a place of at most 64 bits in one lane.
    #[inline]
    pub(super) fn word(&self, place: usize, lane: usize) -> u64 {
        by_width!(self.width(place), W => self.small::<W>(place).get(lane).word())
    }

    /// The value of a place of at most 64 bits, if it is the same in all lanes.
    #[inline]
    pub(super) fn uniform(&self, place: usize) -> Option<u64> {
        match &self.columns[place] {
            Column::Uniform(value) => Some(*value),
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Small(column) if column.len() == 1 => Some(column.get(0)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The values of a place of more than 64 bits that are no machine words: one for each lane, or one for all.
    fn wide(&self, place: usize) -> &[Bv] {
        match &self.columns[place] {
            Column::Wide(column) => column,
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Wide(column) if column.len() == 1 => column,
                LeafColumn::Wide(column) => &column[self.start..self.start + self.len],
                _ => unreachable!("at most 64 bits"),
            },
            _ => unreachable!("at most 64 bits"),
        }
    }

    /// The value of a place of at most 128 bits in one lane.
    #[inline]
    pub(super) fn double(&self, place: usize, lane: usize) -> u128 {
        if self.width(place) <= 64 {
            return u128::from(self.word(place, lane));
        }
        if let Column::Double(column) = &self.columns[place] {
            return column[if column.len() == 1 { 0 } else { lane }];
        }
        let column = self.wide(place);
        double::of_bv(&column[if column.len() == 1 { 0 } else { lane }])
    }

    /// The values of a number: one for each lane, or one for all.
    pub(super) fn numbers(&self, place: usize) -> &[Rational] {
        match &self.columns[place] {
            Column::Number(column) => column,
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Number(column) if column.len() == 1 => column,
                LeafColumn::Number(column) => &column[self.start..self.start + self.len],
                _ => unreachable!("no number"),
            },
            _ => unreachable!("no number"),
        }
    }

    /// The value of a number in one lane.
    pub(super) fn number(&self, place: usize, lane: usize) -> &Rational {
        let column = self.numbers(place);
        &column[if column.len() == 1 { 0 } else { lane }]
    }

    pub(super) fn is_uniform(&self, place: usize) -> bool {
        if self.width(place) <= 64 {
            return self.uniform(place).is_some();
        }
        match &self.columns[place] {
            Column::Double(column) => column.len() == 1,
            _ => self.wide(place).len() == 1,
        }
    }

    /// The value of a bit-vector of any width in one lane.
    pub(super) fn bv(&self, place: usize, lane: usize) -> Cow<'_, Bv> {
        let width = self.width(place);
        if width <= 64 {
            return Cow::Owned(Bv::new(width, self.word(place, lane)));
        }
        if let Column::Double(_) = &self.columns[place] {
            return Cow::Owned(double::to_bv(width, self.double(place, lane)));
        }
        let column = self.wide(place);
        Cow::Borrowed(&column[if column.len() == 1 { 0 } else { lane }])
    }

    /// A buffer for a column, of some content.
    pub(super) fn buffer<W: Word>(&mut self) -> Vec<W> {
        self.pool.take(self.len)
    }

    /// The same column as that of another place.
    pub(super) fn copy(&mut self, place: usize) -> Column {
        if let Column::Double(column) = &self.columns[place] {
            return Column::Double(column.clone());
        }
        if self.width(place) > 64 {
            return Column::Wide(self.wide(place).to_vec());
        }
        if let Column::Leaf(leaf) = self.columns[place] {
            return Column::Leaf(leaf);
        }
        if let Some(value) = self.uniform(place) {
            return Column::Uniform(value);
        }
        by_width!(self.width(place), W => self.map::<W, W>(place, |value| value))
    }
}
