//! Column evaluation: many atoms under many assignments, in one pass over the DAG.
//!
//! A known solution, or a partial one, may happen to satisfy the question at hand (paper 4, algorithm 2). Testing one
//! after the other pays for the walk over the terms each time. Here the walk is paid for once: each term gets a
//! *column* of values, one for each assignment (a *lane*), computed from its operands' columns by a loop without
//! branches. Operands have smaller ids than their users, so ascending order of ids is an order of evaluation.
//!
//! * Columns of Bool and of up to 64 bits are machine words, of 8, 16, 32 or 64 bits; those of up to 128 are pairs of
//!   them (`double`), wider ones are lists of [`Bv`], and those of Int and Real are lists of [`Rational`].
//! * A column that is the same in every lane is one word. Where a caller varies one byte and fixes the rest, most
//!   columns are.
//! * Arrays have no columns. A read sends its lanes down the writes, each until it finds its index.
//! * Functions and equality of whole arrays go lane by lane through the [`Evaluator`].
//! * Long batches are cut into blocks of a thousand lanes, whose columns stay in the processor's cache, and a column's
//!   buffer is used again after the last use of its term.

mod block;
mod compute;
mod double;
mod float;
mod load;
mod number;
mod plan;
mod select;
mod words;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::TableId;
use crate::{
    ArrayValue, Assignment, Bits, Bv, Evaluator, OneArena, Rational, Sort, Term, Terms, Value,
    VarId,
};
use block::Block;
use plan::Plan;
use select::Lookup;
use words::{Lanes, Pool, Words};

/// How many lanes are evaluated together; a multiple of 64.
const BLOCK: usize = 1024;

/// N assignments, to evaluate terms of one arena under.
///
/// What is read from the assignments is kept, so a batch is worth keeping for the next atoms. Below some eight lanes
/// an [`Evaluator`] is faster: it skips what a short-circuit makes irrelevant, and plans nothing.
pub struct Batch {
    n: usize,
    /// One for each lane, or one for all.
    given: Vec<Arc<Assignment>>,
    /// Columns that the caller has set; they go before what is given.
    set: FxHashMap<Leaf, u32>,
    /// Columns read from the assignments when first asked for.
    read: FxHashMap<Leaf, u32>,
    leaves: Vec<LeafColumn>,
    tables: FxHashMap<TableId, Lookup>,
    arena: OneArena,
    /// How many terms the last evaluation was of.
    evaluated: usize,
}

/// Where columns begin.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Leaf {
    Symbol(VarId),
    Cell(VarId, Bv),
    /// A term that is evaluated lane by lane.
    Term(Term),
}

/// One value for each lane, or one for all.
enum LeafColumn {
    Small(Words),
    Wide(Vec<Bv>),
    Number(Vec<Rational>),
}

impl LeafColumn {
    fn with_capacity(sort: Sort, capacity: usize) -> LeafColumn {
        match sort {
            Sort::Int | Sort::Real => LeafColumn::Number(Vec::with_capacity(capacity)),
            Sort::BitVec(65..) => LeafColumn::Wide(Vec::with_capacity(capacity)),
            sort => LeafColumn::Small(Words::with_capacity(sort.width().unwrap_or(1), capacity)),
        }
    }

    fn len(&self) -> usize {
        match self {
            LeafColumn::Small(column) => column.len(),
            LeafColumn::Wide(column) => column.len(),
            LeafColumn::Number(column) => column.len(),
        }
    }

    fn push(&mut self, value: Option<&Value>, sort: Sort) {
        match (self, value) {
            (LeafColumn::Small(column), None) => column.push(0),
            (LeafColumn::Small(column), Some(Value::Bool(value))) => column.push(u64::from(*value)),
            (LeafColumn::Wide(column), None) => {
                column.push(Bv::zero(sort.width().expect("a bit-vector")))
            }
            (LeafColumn::Number(column), None) => column.push(Rational::ZERO),
            (LeafColumn::Number(column), Some(value)) if value.sort() == sort => {
                column.extend(value.as_number().cloned())
            }
            (column, Some(Value::Bv(value))) => column.push_bv(value),
            (_, Some(value)) => panic!("a {} where a scalar belongs", value.sort()),
        }
    }

    fn push_bv(&mut self, value: &Bv) {
        match self {
            LeafColumn::Small(column) => {
                column.push(value.small().expect("a value of its symbol's width"))
            }
            LeafColumn::Wide(column) => column.push(value.clone()),
            LeafColumn::Number(_) => panic!("a bit-vector where a number belongs"),
        }
    }

    fn value(&self, lane: usize, sort: Sort) -> Value {
        match (self, sort) {
            (LeafColumn::Small(column), Sort::Bool) => {
                Value::Bool(column.get(lane % column.len()) != 0)
            }
            (LeafColumn::Small(column), Sort::BitVec(width)) => {
                Value::Bv(Bv::new(width, column.get(lane % column.len())))
            }
            (LeafColumn::Number(column), sort) => {
                Value::number(sort, column[lane % column.len()].clone())
            }
            (LeafColumn::Wide(column), _) => Value::Bv(column[lane % column.len()].clone()),
            (_, sort) => unreachable!("a column of {sort}"),
        }
    }
}

impl Batch {
    /// `n` lanes that agree on `base` in all that is not set later.
    pub fn new(n: usize, base: impl Into<Arc<Assignment>>) -> Batch {
        Batch::of(n, vec![base.into()])
    }

    /// A lane for each assignment.
    pub fn from_assignments(assignments: &[Assignment]) -> Batch {
        Batch::from_shared(assignments.iter().cloned().map(Arc::new).collect())
    }

    /// A lane for each assignment, without copying them.
    pub fn from_shared(assignments: Vec<Arc<Assignment>>) -> Batch {
        Batch::of(assignments.len(), assignments)
    }

    fn of(n: usize, given: Vec<Arc<Assignment>>) -> Batch {
        Batch {
            n,
            given,
            set: FxHashMap::default(),
            read: FxHashMap::default(),
            leaves: Vec::new(),
            tables: FxHashMap::default(),
            arena: OneArena::new(),
            evaluated: 0,
        }
    }

    /// How many terms the last evaluation was of.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// The number of lanes.
    pub fn len(&self) -> usize {
        self.n
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Sets a Bool symbol in every lane.
    pub fn set_bool(&mut self, var: VarId, column: &Bits) {
        self.set_leaf(
            Leaf::Symbol(var),
            LeafColumn::Small(Words::W8(
                (0..column.len())
                    .map(|lane| column.get(lane).into())
                    .collect(),
            )),
        );
    }

    /// Sets a bit-vector symbol of at most 64 bits in every lane.
    pub fn set_bv(&mut self, var: VarId, column: Vec<u64>) {
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Small(Words::W64(column)));
    }

    /// Sets a bit-vector symbol of more than 64 bits in every lane.
    pub fn set_wide(&mut self, var: VarId, column: Vec<Bv>) {
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Wide(column));
    }

    /// Sets a symbol of sort Int or Real in every lane.
    pub fn set_number(&mut self, var: VarId, column: Vec<Rational>) {
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Number(column));
    }

    /// Sets one cell of an array symbol, of elements of at most 64 bits, in every lane.
    pub fn set_cell(&mut self, array: VarId, index: Bv, column: Vec<u64>) {
        self.set_leaf(
            Leaf::Cell(array, index),
            LeafColumn::Small(Words::W64(column)),
        );
    }

    fn set_leaf(&mut self, leaf: Leaf, column: LeafColumn) {
        assert_eq!(column.len(), self.n, "a value for each lane");
        // What was read stays true, but for terms that may depend on what is set now.
        self.read.retain(|leaf, _| !matches!(leaf, Leaf::Term(_)));
        self.set.insert(leaf, self.leaves.len() as u32);
        self.leaves.push(column);
    }

    /// For each atom, in which lanes it is true.
    pub fn eval(&mut self, terms: &Terms, atoms: &[Term]) -> Vec<Bits> {
        let results = self.eval_within(terms, atoms, usize::MAX);
        results.expect("no limit")
    }

    /// The same, unless the atoms are made of more than `most` terms.
    pub fn eval_within(&mut self, terms: &Terms, atoms: &[Term], most: usize) -> Option<Vec<Bits>> {
        self.arena.check(terms);
        let plan = Plan::new(self, terms, atoms, most)?;
        let mut results = vec![Bits::new(self.n); atoms.len()];
        self.run(terms, &plan, |which, lanes, block, place| {
            let words = &mut results[which].words_mut()[lanes.start / 64..];
            match block.small::<u8>(place) {
                Lanes::Uniform(0) => {}
                Lanes::Uniform(_) => pack(words, &vec![1; lanes.len()]),
                Lanes::Each(column) => pack(words, column),
            }
        });
        Some(results)
    }

    /// The value of a bit-vector of at most 64 bits in each lane.
    pub fn values(&mut self, terms: &Terms, term: Term) -> Vec<u64> {
        let values = self.values_within(terms, term, usize::MAX);
        values.expect("no limit")
    }

    /// The same, unless the term is made of more than `most` terms.
    pub fn values_within(&mut self, terms: &Terms, term: Term, most: usize) -> Option<Vec<u64>> {
        assert!(terms.width(term) <= 64, "a value of more than 64 bits");
        self.arena.check(terms);
        let plan = Plan::new(self, terms, &[term], most)?;
        let mut results = Vec::with_capacity(self.n);
        self.run(terms, &plan, |_, lanes, block, place| {
            results.extend((0..lanes.len()).map(|lane| block.word(place, lane)));
        });
        Some(results)
    }

    /// The value of an Int or Real in each lane.
    pub fn numbers(&mut self, terms: &Terms, term: Term) -> Vec<Rational> {
        assert!(terms.sort(term).is_number(), "a value that is no number");
        self.arena.check(terms);
        let plan = Plan::new(self, terms, &[term], usize::MAX).expect("no limit");
        let mut results = Vec::with_capacity(self.n);
        self.run(terms, &plan, |_, lanes, block, place| {
            results.extend((0..lanes.len()).map(|lane| block.number(place, lane).clone()));
        });
        results
    }

    /// Evaluates block by block, and hands out each root's column: which root, the lanes, the block, and the place
    /// there.
    fn run(
        &mut self,
        terms: &Terms,
        plan: &Plan,
        mut found: impl FnMut(usize, Range<usize>, &Block<'_>, usize),
    ) {
        self.evaluated = plan.nodes.len();
        let mut pool = Pool::default();
        for start in (0..self.n).step_by(BLOCK) {
            let lanes = start..self.n.min(start + BLOCK);
            let mut block = Block::new(self, terms, plan, lanes.clone(), pool);
            block.run();
            for (which, &root) in plan.roots.iter().enumerate() {
                found(which, lanes.clone(), &block, root as usize);
            }
            pool = block.into_pool();
        }
    }

    /// The column of a leaf: set by the caller, or read from the assignments.
    fn leaf(&mut self, leaf: Leaf, sort: Sort) -> u32 {
        if let Some(&column) = self.set.get(&leaf) {
            // Only here is it known of which width a column of the caller's is.
            if let LeafColumn::Small(words) = &mut self.leaves[column as usize] {
                words.narrow(sort.width().unwrap_or(1));
            }
            return column;
        }
        if let Some(&column) = self.read.get(&leaf) {
            return column;
        }
        self.read_leaves(vec![(leaf.clone(), sort)]);
        self.read[&leaf]
    }

    fn add_read(&mut self, leaf: Leaf, column: LeafColumn) -> u32 {
        let id = self.leaves.len() as u32;
        self.read.insert(leaf, id);
        self.leaves.push(column);
        id
    }

    /// Columns of the terms that have none by themselves, lane by lane.
    fn read_lane_by_lane(&mut self, terms: &Terms, mut wanted: Vec<Term>) {
        wanted.retain(|&term| !self.read.contains_key(&Leaf::Term(term)));
        if wanted.is_empty() {
            return;
        }
        let lanes = if self.set.is_empty() {
            self.given.len()
        } else {
            self.n
        };
        let mut columns: Vec<LeafColumn> = wanted
            .iter()
            .map(|&term| LeafColumn::with_capacity(terms.sort(term), lanes))
            .collect();
        let mut evaluator = Evaluator::new();
        let mut own: Option<Assignment> = None;
        for lane in 0..lanes {
            let given = &self.given[lane % self.given.len()];
            let assignment = if self.set.is_empty() {
                given
            } else {
                // With one assignment for all lanes, each lane sets the same leaves over it anew.
                let own = match &mut own {
                    Some(own) if self.given.len() == 1 => own,
                    own => own.insert((**given).clone()),
                };
                for (leaf, &column) in &self.set {
                    let column = &self.leaves[column as usize];
                    match leaf {
                        Leaf::Symbol(var) => {
                            own.set(*var, column.value(lane, terms.var_decl(*var).sort))
                        }
                        Leaf::Cell(array, index) => {
                            let sort = terms.var_decl(*array).sort;
                            let Sort::Array { element, .. } = sort else {
                                panic!("a cell of a {sort}")
                            };
                            let Value::Bv(value) = column.value(lane, Sort::BitVec(element)) else {
                                unreachable!()
                            };
                            own.set_cell(*array, index.clone(), value, sort);
                        }
                        Leaf::Term(_) => unreachable!("not set by callers"),
                    }
                }
                &*own
            };
            evaluator.forget();
            for (&term, column) in wanted.iter().zip(&mut columns) {
                let value = evaluator.value(terms, assignment, term);
                column.push(Some(&value), terms.sort(term));
            }
        }
        for (term, column) in wanted.into_iter().zip(columns) {
            self.add_read(Leaf::Term(term), column);
        }
    }

    /// The cells of an array symbol that the caller has set: their indices of up to 64 bits.
    fn set_cells(&self, var: VarId) -> Vec<u64> {
        let cell = |leaf: &Leaf| match leaf {
            Leaf::Cell(array, index) if *array == var => index.small(),
            _ => None,
        };
        self.set.keys().filter_map(cell).collect()
    }

    /// The value of an array symbol that all lanes are given, where there is only one: `Some(None)` if it is zero.
    fn shared_array(&self, var: VarId) -> Option<Option<&ArrayValue>> {
        match &self.given[..] {
            [all] => Some(load::array(all, var)),
            _ => None,
        }
    }

    /// The element of an array symbol in one lane as it is given, with no more than 64 bits in it nor in the index.
    fn cell_word(&self, var: VarId, index: u64, lane: usize) -> u64 {
        let array = load::array(&self.given[lane % self.given.len()], var);
        array.map_or(0, |array| array.word(index))
    }

    /// The element of an array symbol in one lane.
    fn cell(&self, var: VarId, index: &Bv, lane: usize, element: u32) -> Bv {
        if !self.set.is_empty()
            && let Some(&column) = self.set.get(&Leaf::Cell(var, index.clone()))
        {
            return match self.leaves[column as usize].value(lane, Sort::BitVec(element)) {
                Value::Bv(value) => value,
                value => unreachable!("a {} in an array", value.sort()),
            };
        }
        match load::array(&self.given[lane % self.given.len()], var) {
            Some(value) => value.get(index),
            None => Bv::zero(element),
        }
    }
}

/// Packs truth values, 64 a word.
fn pack(words: &mut [u64], column: &[u8]) {
    for (word, lanes) in words.iter_mut().zip(column.chunks(64)) {
        let (eights, rest) = lanes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let eights = eights.iter().chain([&last]);
        *word = eights
            .zip((0..64).step_by(8))
            .fold(0, |word, (&eight, place)| {
                // Each byte is 0 or 1; the product has the byte at place k as bit k of its top byte.
                let bits = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                word | bits << place
            });
    }
}
