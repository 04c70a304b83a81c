//! Column evaluation: many atoms under many assignments, in one pass over the DAG.
//!
//! A known solution, or a partial one, may happen to satisfy the question at hand (paper 4, section 4; paper 5, section 3). Testing one after the
//! other pays for the walk over the terms each time. Here the walk is paid for once: each term gets a *column* of values, one
//! for each assignment (a *lane*), computed from its operands' columns by a loop without branches. Operands have smaller
//! ids than their users, so ascending order of ids is an order of evaluation.
//!
//! * Columns of Bool and of up to 64 bits are machine words; wider ones are lists of [`Bv`].
//! * A column that is the same in every lane is one word. Where a caller varies one byte and fixes the rest, most columns are.
//! * Arrays have no columns. A read sends its lanes down the writes, each until it finds its index.
//! * Functions and equality of whole arrays go lane by lane through the [`Evaluator`].
//! * Long batches are cut into blocks of [`BLOCK`] lanes, whose columns stay in the processor's cache, and a column's
//!   buffer is used again after the last use of its term.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::TableId;
use crate::eval::operate;
use crate::value::{mask, sign_extend_u64};
use crate::{Assignment, Bits, Bv, Evaluator, Op, Sort, Term, Terms, Value, VarId};

/// How many lanes are evaluated together; a multiple of 64.
const BLOCK: usize = 1024;

/// N assignments, to evaluate terms of one arena under.
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
}

/// Where columns begin.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Leaf {
    Symbol(VarId),
    Cell(VarId, Bv),
    /// A term that is evaluated lane by lane.
    Term(Term),
}

/// One value for each lane, or one for all.
enum LeafColumn {
    Small(Vec<u64>),
    Wide(Vec<Bv>),
}

impl LeafColumn {
    fn with_capacity(width: u32, capacity: usize) -> LeafColumn {
        if width <= 64 {
            LeafColumn::Small(Vec::with_capacity(capacity))
        } else {
            LeafColumn::Wide(Vec::with_capacity(capacity))
        }
    }

    fn push(&mut self, value: Option<&Value>, width: u32) {
        match (self, value) {
            (LeafColumn::Small(column), None) => column.push(0),
            (LeafColumn::Small(column), Some(Value::Bool(value))) => column.push(u64::from(*value)),
            (LeafColumn::Wide(column), None) => column.push(Bv::zero(width)),
            (column, Some(Value::Bv(value))) => column.push_bv(value),
            (_, Some(value)) => panic!("a {} where a scalar belongs", value.sort()),
        }
    }

    fn push_bv(&mut self, value: &Bv) {
        match self {
            LeafColumn::Small(column) => column.push(value.small().expect("a value of its symbol's width")),
            LeafColumn::Wide(column) => column.push(value.clone()),
        }
    }

    fn value(&self, lane: usize, sort: Sort) -> Value {
        match (self, sort) {
            (LeafColumn::Small(column), Sort::Bool) => Value::Bool(column[lane % column.len()] != 0),
            (LeafColumn::Small(column), Sort::BitVec(width)) => Value::Bv(Bv::new(width, column[lane % column.len()])),
            (LeafColumn::Wide(column), _) => Value::Bv(column[lane % column.len()].clone()),
            (_, sort) => unreachable!("a column of {sort}"),
        }
    }
}

/// The cells of a table of at most 64 bits, ready for many reads.
enum Lookup {
    Dense(Vec<Option<u64>>),
    Sparse(FxHashMap<u64, u64>),
    /// Too wide: to be looked up in the arena.
    Wide,
}

impl Lookup {
    fn new(cells: &[(Bv, Bv)]) -> Lookup {
        let small = |(index, element): &(Bv, Bv)| Some((index.small()?, element.small()?));
        let Some(cells) = cells.iter().map(small).collect::<Option<Vec<(u64, u64)>>>() else { return Lookup::Wide };
        match cells.last() {
            Some(&(last, _)) if last < 64 + 4 * cells.len() as u64 => {
                let mut dense = vec![None; last as usize + 1];
                for (index, element) in cells {
                    dense[index as usize] = Some(element);
                }
                Lookup::Dense(dense)
            }
            _ => Lookup::Sparse(cells.into_iter().collect()),
        }
    }

    #[inline]
    fn get(&self, index: u64) -> Option<u64> {
        match self {
            Lookup::Dense(cells) => cells.get(usize::try_from(index).ok()?).copied().flatten(),
            Lookup::Sparse(cells) => cells.get(&index).copied(),
            Lookup::Wide => unreachable!("looked up in the arena"),
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
        }
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
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Small((0..column.len()).map(|lane| column.get(lane).into()).collect()));
    }

    /// Sets a bit-vector symbol of at most 64 bits in every lane.
    pub fn set_bv(&mut self, var: VarId, column: Vec<u64>) {
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Small(column));
    }

    /// Sets a bit-vector symbol of more than 64 bits in every lane.
    pub fn set_wide(&mut self, var: VarId, column: Vec<Bv>) {
        self.set_leaf(Leaf::Symbol(var), LeafColumn::Wide(column));
    }

    /// Sets one cell of an array symbol, of elements of at most 64 bits, in every lane.
    pub fn set_cell(&mut self, array: VarId, index: Bv, column: Vec<u64>) {
        self.set_leaf(Leaf::Cell(array, index), LeafColumn::Small(column));
    }

    fn set_leaf(&mut self, leaf: Leaf, column: LeafColumn) {
        let len = match &column {
            LeafColumn::Small(column) => column.len(),
            LeafColumn::Wide(column) => column.len(),
        };
        assert_eq!(len, self.n, "a value for each lane");
        // What was read stays true, but for terms that may depend on what is set now.
        self.read.retain(|leaf, _| !matches!(leaf, Leaf::Term(_)));
        self.set.insert(leaf, self.leaves.len() as u32);
        self.leaves.push(column);
    }

    /// For each atom, in which lanes it is true.
    pub fn eval(&mut self, terms: &Terms, atoms: &[Term]) -> Vec<Bits> {
        let mut results = vec![Bits::new(self.n); atoms.len()];
        self.pass(terms, atoms, |which, start, column, len| {
            let words = &mut results[which].words_mut()[start / 64..];
            match column {
                Lanes::Uniform(0) => {}
                Lanes::Uniform(_) => pack(words, (0..len).map(|_| 1)),
                Lanes::Each(column) => pack(words, column.iter().copied()),
            }
        });
        results
    }

    /// The value of a bit-vector of at most 64 bits in each lane.
    pub fn values(&mut self, terms: &Terms, term: Term) -> Vec<u64> {
        assert!(terms.width(term) <= 64, "a value of more than 64 bits");
        let mut results = Vec::with_capacity(self.n);
        self.pass(terms, &[term], |_, _, column, len| match column {
            Lanes::Uniform(value) => results.extend(std::iter::repeat_n(value, len)),
            Lanes::Each(column) => results.extend_from_slice(column),
        });
        results
    }

    /// Evaluates block by block, and hands out each root's column: which root, the block's first lane, values, how many.
    fn pass(&mut self, terms: &Terms, roots: &[Term], mut found: impl FnMut(usize, usize, Lanes<'_>, usize)) {
        let plan = Plan::new(self, terms, roots);
        let mut free = Vec::new();
        for start in (0..self.n).step_by(BLOCK) {
            let len = BLOCK.min(self.n - start);
            let columns = plan.nodes.iter().map(|_| Column::None).collect();
            let mut block =
                Block { batch: self, terms, plan: &plan, start, len, columns, uses: plan.uses.clone(), free };
            for place in 0..plan.nodes.len() {
                block.evaluate(place);
            }
            for (which, &root) in plan.roots.iter().enumerate() {
                found(which, start, block.small(root as usize), len);
            }
            free = block.free;
        }
    }

    /// The column of a leaf: set by the caller, or read from the assignments.
    fn leaf(&mut self, leaf: Leaf, sort: Sort) -> u32 {
        if let Some(&column) = self.set.get(&leaf).or_else(|| self.read.get(&leaf)) {
            return column;
        }
        let width = sort.width().unwrap_or(1);
        let mut column = LeafColumn::with_capacity(width, self.given.len());
        for assignment in &self.given {
            match &leaf {
                Leaf::Symbol(var) => column.push(assignment.get(*var), width),
                Leaf::Cell(array, index) => match assignment.get(*array) {
                    Some(Value::Array(array)) => column.push_bv(array.get(index)),
                    None => column.push(None, width),
                    Some(value) => panic!("a {} where an array belongs", value.sort()),
                },
                Leaf::Term(_) => unreachable!("evaluated lane by lane"),
            }
        }
        self.add_read(leaf, column)
    }

    fn add_read(&mut self, leaf: Leaf, column: LeafColumn) -> u32 {
        let id = self.leaves.len() as u32;
        self.read.insert(leaf, id);
        self.leaves.push(column);
        id
    }

    /// Columns of the terms that have none by themselves, lane by lane.
    fn read_lane_by_lane(&mut self, terms: &Terms, wanted: &[Term]) {
        let wanted: Vec<Term> =
            wanted.iter().copied().filter(|&term| !self.read.contains_key(&Leaf::Term(term))).collect();
        if wanted.is_empty() {
            return;
        }
        let width = |term: Term| terms.sort(term).width().unwrap_or(1);
        let lanes = if self.set.is_empty() { self.given.len() } else { self.n };
        let mut columns: Vec<LeafColumn> =
            wanted.iter().map(|&term| LeafColumn::with_capacity(width(term), lanes)).collect();
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
                        Leaf::Symbol(var) => own.set(*var, column.value(lane, terms.var_decl(*var).sort)),
                        Leaf::Cell(array, index) => {
                            let sort = terms.var_decl(*array).sort;
                            let Sort::Array { element, .. } = sort else { panic!("a cell of a {sort}") };
                            let Value::Bv(value) = column.value(lane, Sort::BitVec(element)) else { unreachable!() };
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
                column.push(Some(&value), width(term));
            }
        }
        for (term, column) in wanted.into_iter().zip(columns) {
            self.add_read(Leaf::Term(term), column);
        }
    }

    /// The element of an array symbol in one lane.
    fn cell(&self, array: VarId, index: &Bv, lane: usize, element: u32) -> Bv {
        if let Some(&column) = self.set.get(&Leaf::Cell(array, index.clone())) {
            return match self.leaves[column as usize].value(lane, Sort::BitVec(element)) {
                Value::Bv(value) => value,
                value => unreachable!("a {} in an array", value.sort()),
            };
        }
        match self.given[lane % self.given.len()].get(array) {
            Some(Value::Array(value)) => value.get(index).clone(),
            None => Bv::zero(element),
            Some(value) => panic!("a {} where an array belongs", value.sort()),
        }
    }
}

/// Packs truth values, 64 a word.
fn pack(words: &mut [u64], mut column: impl ExactSizeIterator<Item = u64>) {
    for word in words.iter_mut().take(column.len().div_ceil(64)) {
        *word = column.by_ref().take(64).enumerate().fold(0, |word, (bit, value)| word | value << bit);
    }
}

/// What is to be computed, in order.
struct Plan {
    nodes: Vec<PlanNode>,
    /// Places of operands; a node has a range of them.
    operands: Vec<u32>,
    /// By place: how many nodes and roots use it.
    uses: Vec<u32>,
    roots: Vec<u32>,
}

struct PlanNode {
    term: Term,
    /// The column of a leaf, which has no operands.
    leaf: Option<u32>,
    operands: (u32, u32),
}

impl Plan {
    fn new(batch: &mut Batch, terms: &Terms, roots: &[Term]) -> Plan {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut lane_by_lane: FxHashSet<Term> = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if needs_whole_arrays(terms, term) {
                lane_by_lane.insert(term);
            } else if cell_leaf(terms, term).is_none() {
                stack.extend_from_slice(terms.args(term));
            }
        }
        if !lane_by_lane.is_empty() {
            let wanted: Vec<Term> = lane_by_lane.iter().copied().collect();
            batch.read_lane_by_lane(terms, &wanted);
        }
        let mut order: Vec<Term> = seen.into_iter().collect();
        order.sort_unstable();
        let places: FxHashMap<Term, u32> = order.iter().enumerate().map(|(place, &term)| (term, place as u32)).collect();
        let mut plan = Plan {
            nodes: Vec::with_capacity(order.len()),
            operands: Vec::new(),
            uses: vec![0; order.len()],
            roots: roots.iter().map(|root| places[root]).collect(),
        };
        for &term in &order {
            let sort = terms.sort(term);
            let leaf = match terms.op(term) {
                _ if lane_by_lane.contains(&term) => Some(Leaf::Term(term)),
                Op::Var(var) if !sort.is_array() => Some(Leaf::Symbol(var)),
                _ => cell_leaf(terms, term),
            };
            let leaf = leaf.map(|leaf| batch.leaf(leaf, sort));
            let first = plan.operands.len() as u32;
            if leaf.is_none() {
                plan.operands.extend(terms.args(term).iter().map(|operand| places[operand]));
            }
            plan.nodes.push(PlanNode { term, leaf, operands: (first, plan.operands.len() as u32) });
        }
        for &place in plan.operands.iter().chain(&plan.roots) {
            plan.uses[place as usize] += 1;
        }
        plan
    }

    fn operands(&self, place: usize) -> &[u32] {
        let (first, end) = self.nodes[place].operands;
        &self.operands[first as usize..end as usize]
    }
}

/// A read of an array symbol at a constant index.
fn cell_leaf(terms: &Terms, term: Term) -> Option<Leaf> {
    if terms.op(term) != Op::Select {
        return None;
    }
    let Op::Var(array) = terms.op(terms.arg(term, 0)) else { return None };
    Some(Leaf::Cell(array, terms.value(terms.arg(term, 1))?.clone()))
}

/// Functions, equality of arrays, and reads from arrays that functions may return.
fn needs_whole_arrays(terms: &Terms, term: Term) -> bool {
    match terms.op(term) {
        Op::Apply(_) => !terms.sort(term).is_array(),
        Op::Eq => terms.sort(terms.arg(term, 0)).is_array(),
        Op::Select => terms.has_array_functions() && !matches!(terms.op(terms.arg(term, 0)), Op::Var(_)),
        _ => false,
    }
}

/// The values of a term in the lanes of a block.
enum Column {
    None,
    Leaf(u32),
    Uniform(u64),
    Small(Vec<u64>),
    /// One for each lane, or one for all.
    Wide(Vec<Bv>),
}

/// A column of machine words, to read from.
#[derive(Clone, Copy)]
enum Lanes<'a> {
    Uniform(u64),
    Each(&'a [u64]),
}

impl Lanes<'_> {
    #[inline]
    fn get(self, lane: usize) -> u64 {
        match self {
            Lanes::Uniform(value) => value,
            Lanes::Each(column) => column[lane],
        }
    }
}

/// One block of lanes on its way through the plan.
struct Block<'a> {
    batch: &'a mut Batch,
    terms: &'a Terms,
    plan: &'a Plan,
    start: usize,
    len: usize,
    columns: Vec<Column>,
    /// By place: uses still to come.
    uses: Vec<u32>,
    /// Buffers to use again.
    free: Vec<Vec<u64>>,
}

impl Block<'_> {
    fn evaluate(&mut self, place: usize) {
        let node = &self.plan.nodes[place];
        let term = node.term;
        if let Some(leaf) = node.leaf {
            self.columns[place] = Column::Leaf(leaf);
            return;
        }
        if self.terms.sort(term).is_array() {
            // Reads go down through it: it keeps its operands for as long as it has users.
            return;
        }
        self.columns[place] = match self.terms.op(term) {
            Op::True => Column::Uniform(1),
            Op::False => Column::Uniform(0),
            Op::Const(id) => match self.terms.const_value(id) {
                value if value.width() <= 64 => Column::Uniform(value.words()[0]),
                value => Column::Wide(vec![value.clone()]),
            },
            Op::Select => self.select(place),
            Op::Ite => self.ite(place),
            _ if self.is_small(place) => self.compute(place),
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
            self.free.push(buffer);
        }
        self.terms.sort(self.plan.nodes[place].term).is_array()
    }

    fn width(&self, place: usize) -> u32 {
        self.terms.sort(self.plan.nodes[place].term).width().unwrap_or(1)
    }

    /// Whether a node and all its operands have at most 64 bits.
    fn is_small(&self, place: usize) -> bool {
        let operands = self.plan.operands(place);
        self.width(place) <= 64 && operands.iter().all(|&operand| self.width(operand as usize) <= 64)
    }

    /// The column of a place of at most 64 bits.
    fn small(&self, place: usize) -> Lanes<'_> {
        match &self.columns[place] {
            Column::Uniform(value) => Lanes::Uniform(*value),
            Column::Small(column) => Lanes::Each(column),
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Small(column) if column.len() == 1 => Lanes::Uniform(column[0]),
                LeafColumn::Small(column) => Lanes::Each(&column[self.start..self.start + self.len]),
                LeafColumn::Wide(_) => unreachable!("more than 64 bits"),
            },
            Column::Wide(_) | Column::None => unreachable!("no column of machine words"),
        }
    }

    /// The values of a place of more than 64 bits: one for each lane, or one for all.
    fn wide(&self, place: usize) -> &[Bv] {
        match &self.columns[place] {
            Column::Wide(column) => column,
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Wide(column) if column.len() == 1 => column,
                LeafColumn::Wide(column) => &column[self.start..self.start + self.len],
                LeafColumn::Small(_) => unreachable!("at most 64 bits"),
            },
            _ => unreachable!("at most 64 bits"),
        }
    }

    fn is_uniform(&self, place: usize) -> bool {
        if self.width(place) <= 64 {
            matches!(self.small(place), Lanes::Uniform(_))
        } else {
            self.wide(place).len() == 1
        }
    }

    /// The value of a bit-vector of any width in one lane.
    fn bv(&self, place: usize, lane: usize) -> Cow<'_, Bv> {
        let width = self.width(place);
        if width <= 64 {
            return Cow::Owned(Bv::new(width, self.small(place).get(lane)));
        }
        let column = self.wide(place);
        Cow::Borrowed(&column[if column.len() == 1 { 0 } else { lane }])
    }

    fn buffer(&mut self) -> Vec<u64> {
        let mut buffer = self.free.pop().unwrap_or_default();
        buffer.resize(self.len, 0);
        buffer
    }

    /// The same column as that of another place.
    fn copy(&mut self, place: usize) -> Column {
        if self.width(place) > 64 {
            return Column::Wide(self.wide(place).to_vec());
        }
        if let Column::Leaf(leaf) = self.columns[place] {
            return Column::Leaf(leaf);
        }
        let mut buffer = self.free.pop().unwrap_or_default();
        match self.small(place) {
            Lanes::Uniform(value) => {
                self.free.push(buffer);
                Column::Uniform(value)
            }
            Lanes::Each(column) => {
                buffer.clear();
                buffer.extend_from_slice(column);
                Column::Small(buffer)
            }
        }
    }

    /// A column from one operand's.
    fn map(&mut self, a: usize, f: impl Fn(u64) -> u64) -> Column {
        if let Lanes::Uniform(a) = self.small(a) {
            return Column::Uniform(f(a));
        }
        let mut out = self.buffer();
        if let Lanes::Each(a) = self.small(a) {
            for (out, &a) in out.iter_mut().zip(a) {
                *out = f(a);
            }
        }
        Column::Small(out)
    }

    /// A column from two operands'.
    #[inline]
    fn zip(&mut self, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) -> Column {
        if let (Lanes::Uniform(a), Lanes::Uniform(b)) = (self.small(a), self.small(b)) {
            return Column::Uniform(f(a, b));
        }
        let mut out = self.buffer();
        match (self.small(a), self.small(b)) {
            (Lanes::Each(a), Lanes::Each(b)) => {
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                    *out = f(a, b);
                }
            }
            (Lanes::Uniform(a), Lanes::Each(b)) => {
                for (out, &b) in out.iter_mut().zip(b) {
                    *out = f(a, b);
                }
            }
            (Lanes::Each(a), Lanes::Uniform(b)) => {
                for (out, &a) in out.iter_mut().zip(a) {
                    *out = f(a, b);
                }
            }
            (Lanes::Uniform(_), Lanes::Uniform(_)) => unreachable!("handled above"),
        }
        Column::Small(out)
    }

    /// A column from all operands', by an associative operation.
    fn fold(&mut self, place: usize, unit: u64, f: impl Fn(u64, u64) -> u64) -> Column {
        let plan = self.plan;
        let mut uniform = unit;
        let mut out: Option<Vec<u64>> = None;
        for &operand in plan.operands(place) {
            let mut buffer = match out.take() {
                Some(buffer) => buffer,
                None => match self.small(operand as usize) {
                    Lanes::Uniform(value) => {
                        uniform = f(uniform, value);
                        continue;
                    }
                    Lanes::Each(_) => {
                        let mut buffer = self.buffer();
                        buffer.fill(uniform);
                        buffer
                    }
                },
            };
            match self.small(operand as usize) {
                Lanes::Uniform(value) => buffer.iter_mut().for_each(|out| *out = f(*out, value)),
                Lanes::Each(column) => {
                    for (out, &value) in buffer.iter_mut().zip(column) {
                        *out = f(*out, value);
                    }
                }
            }
            out = Some(buffer);
        }
        out.map_or(Column::Uniform(uniform), Column::Small)
    }

    /// Operators on at most 64 bits.
    fn compute(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let operands = plan.operands(place);
        let op = self.terms.op(plan.nodes[place].term);
        let a = operands[0] as usize;
        let b = *operands.last().expect("an operand") as usize;
        let width = self.width(a);
        let all = mask(width);
        let result = mask(self.width(place));
        let bits = u64::from(width);
        // Moves the sign bit to the top of the word.
        let top = 64 - width;
        match op {
            Op::Not => self.map(a, |a| a ^ 1),
            Op::And => self.fold(place, 1, |a, b| a & b),
            Op::Eq => self.zip(a, b, |a, b| u64::from(a == b)),
            Op::BvNot => self.map(a, |a| a ^ all),
            Op::BvAnd => self.zip(a, b, |a, b| a & b),
            Op::BvOr => self.zip(a, b, |a, b| a | b),
            Op::BvXor => self.zip(a, b, |a, b| a ^ b),
            Op::BvAdd => self.fold(place, 0, |a, b| a.wrapping_add(b) & all),
            Op::BvMul => self.zip(a, b, |a, b| a.wrapping_mul(b) & all),
            Op::BvUdiv => self.zip(a, b, |a, b| a.checked_div(b).unwrap_or(all)),
            Op::BvUrem => self.zip(a, b, |a, b| a.checked_rem(b).unwrap_or(a)),
            Op::BvShl => self.zip(a, b, |a, b| if b < bits { a << b & all } else { 0 }),
            Op::BvLshr => self.zip(a, b, |a, b| if b < bits { a >> b } else { 0 }),
            Op::BvAshr => self.zip(a, b, |a, b| (sign_extend_u64(a, width) >> b.min(bits - 1)) as u64 & all),
            Op::Concat => {
                let low = self.width(b);
                self.zip(a, b, |a, b| a << low | b)
            }
            Op::Extract { lo } => self.map(a, |a| a >> lo & result),
            Op::SignExtend => self.map(a, |a| sign_extend_u64(a, width) as u64 & result),
            Op::BvUlt => self.zip(a, b, |a, b| u64::from(a < b)),
            Op::BvSlt => self.zip(a, b, |a, b| u64::from(((a << top) as i64) < (b << top) as i64)),
            op => unreachable!("{op:?} is handled elsewhere"),
        }
    }

    /// Operators that take or give more than 64 bits.
    fn compute_wide(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let operands = plan.operands(place);
        let op = self.terms.op(plan.nodes[place].term);
        let width = self.width(place);
        let uniform = operands.iter().all(|&operand| self.is_uniform(operand as usize));
        let lanes = if uniform { 1 } else { self.len };
        let (mut small, mut wide) = (Vec::new(), Vec::new());
        for lane in 0..lanes {
            let values: Vec<Cow<'_, Bv>> = operands.iter().map(|&operand| self.bv(operand as usize, lane)).collect();
            let value = match op {
                Op::Eq => Value::Bool(values[0] == values[1]),
                op => operate(op, width, &values),
            };
            match value {
                Value::Bool(value) => small.push(u64::from(value)),
                Value::Bv(value) if width <= 64 => small.push(value.words()[0]),
                Value::Bv(value) => wide.push(value),
                Value::Array(_) => unreachable!("no array"),
            }
        }
        match small[..] {
            [value] if uniform => Column::Uniform(value),
            [] => Column::Wide(wide),
            _ => Column::Small(small),
        }
    }

    fn ite(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let [c, t, e] = *plan.operands(place) else { unreachable!("three operands") };
        let [c, t, e] = [c, t, e].map(|operand| operand as usize);
        if let Lanes::Uniform(condition) = self.small(c) {
            return self.copy(if condition != 0 { t } else { e });
        }
        if self.width(place) > 64 {
            let pick = |lane| self.bv(if self.small(c).get(lane) != 0 { t } else { e }, lane).into_owned();
            return Column::Wide((0..self.len).map(pick).collect());
        }
        let mut out = self.buffer();
        let Lanes::Each(condition) = self.small(c) else { unreachable!("handled above") };
        let pick = |c: u64, t: u64, e: u64| e ^ (t ^ e) & c.wrapping_neg();
        match (self.small(t), self.small(e)) {
            (Lanes::Each(t), Lanes::Each(e)) => {
                for (((out, &c), &t), &e) in out.iter_mut().zip(condition).zip(t).zip(e) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Each(t), Lanes::Uniform(e)) => {
                for ((out, &c), &t) in out.iter_mut().zip(condition).zip(t) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Uniform(t), Lanes::Each(e)) => {
                for ((out, &c), &e) in out.iter_mut().zip(condition).zip(e) {
                    *out = pick(c, t, e);
                }
            }
            (Lanes::Uniform(t), Lanes::Uniform(e)) => {
                for (out, &c) in out.iter_mut().zip(condition) {
                    *out = pick(c, t, e);
                }
            }
        }
        Column::Small(out)
    }

    /// Reads. As long as all lanes go the same way they go together; then each lane finds its own.
    fn select(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let [array, index] = *plan.operands(place) else { unreachable!("two operands") };
        let (mut array, index) = (array as usize, index as usize);
        loop {
            let operands = plan.operands(array);
            match self.terms.op(plan.nodes[array].term) {
                Op::ConstArray => return self.copy(operands[0] as usize),
                Op::Store if self.is_uniform(index) && self.is_uniform(operands[1] as usize) => {
                    if self.bv(index, 0) == self.bv(operands[1] as usize, 0) {
                        return self.copy(operands[2] as usize);
                    }
                    array = operands[0] as usize;
                }
                Op::Table(id) if self.is_uniform(index) => {
                    if let Some(cell) = self.terms.cell(id, &self.bv(index, 0)) {
                        return match cell.small() {
                            Some(value) => Column::Uniform(value),
                            None => Column::Wide(vec![cell.clone()]),
                        };
                    }
                    array = operands[0] as usize;
                }
                Op::Ite => match self.small(operands[0] as usize) {
                    Lanes::Uniform(condition) => array = operands[if condition != 0 { 1 } else { 2 }] as usize,
                    Lanes::Each(_) => break,
                },
                Op::Var(var) if self.is_uniform(index) => {
                    let leaf = Leaf::Cell(var, self.bv(index, 0).into_owned());
                    let sort = self.terms.sort(plan.nodes[place].term);
                    return Column::Leaf(self.batch.leaf(leaf, sort));
                }
                _ => break,
            }
        }
        self.select_each(place, array, index)
    }

    /// A read in which lanes part: groups of lanes go down together until they have found their elements.
    fn select_each(&mut self, place: usize, array: usize, index: usize) -> Column {
        let plan = self.plan;
        let element = self.width(place);
        let mut out = if element <= 64 { Column::Small(self.buffer()) } else { Column::Wide(vec![Bv::zero(element); self.len]) };
        let mut groups: Vec<(usize, Vec<u32>)> = vec![(array, (0..self.len as u32).collect())];
        while let Some((array, mut lanes)) = groups.pop() {
            if lanes.is_empty() {
                continue;
            }
            let operands = plan.operands(array);
            match self.terms.op(plan.nodes[array].term) {
                Op::Store => {
                    let [below, written, value] = [operands[0], operands[1], operands[2]].map(|p| p as usize);
                    if self.width(index) <= 64 {
                        let (index, written) = (self.small(index), self.small(written));
                        lanes.retain(|&lane| {
                            let hit = index.get(lane as usize) == written.get(lane as usize);
                            if hit {
                                self.put(&mut out, lane, value);
                            }
                            !hit
                        });
                    } else {
                        lanes.retain(|&lane| {
                            let hit = self.bv(index, lane as usize) == self.bv(written, lane as usize);
                            if hit {
                                self.put(&mut out, lane, value);
                            }
                            !hit
                        });
                    }
                    groups.push((below, lanes));
                }
                Op::Table(id) => {
                    let lookup = self.batch.tables.entry(id).or_insert_with(|| Lookup::new(self.terms.cells(id)));
                    let is_wide = matches!(lookup, Lookup::Wide);
                    let lookup = &self.batch.tables[&id];
                    lanes.retain(|&lane| {
                        let lane = lane as usize;
                        let found = if is_wide {
                            let cell = self.terms.cell(id, &self.bv(index, lane));
                            cell.map(|cell| put_bv(&mut out, lane, cell.clone()))
                        } else {
                            let cell = lookup.get(self.small(index).get(lane));
                            cell.map(|cell| put_word(&mut out, lane, cell))
                        };
                        found.is_none()
                    });
                    groups.push((operands[0] as usize, lanes));
                }
                Op::Ite => {
                    let condition = self.small(operands[0] as usize);
                    let (then, other) = lanes.iter().partition(|&&lane| condition.get(lane as usize) != 0);
                    groups.push((operands[1] as usize, then));
                    groups.push((operands[2] as usize, other));
                }
                Op::ConstArray => {
                    for lane in lanes {
                        self.put(&mut out, lane, operands[0] as usize);
                    }
                }
                Op::Var(var) => {
                    for lane in lanes {
                        let lane = lane as usize;
                        let value = self.batch.cell(var, &self.bv(index, lane), self.start + lane, element);
                        put_bv(&mut out, lane, value);
                    }
                }
                op => unreachable!("{op:?} is no array"),
            }
        }
        out
    }

    /// Copies one lane of another column.
    #[inline]
    fn put(&self, out: &mut Column, lane: u32, from: usize) {
        let lane = lane as usize;
        match out {
            Column::Small(out) => out[lane] = self.small(from).get(lane),
            out => put_bv(out, lane, self.bv(from, lane).into_owned()),
        }
    }
}

fn put_word(out: &mut Column, lane: usize, word: u64) {
    match out {
        Column::Small(out) => out[lane] = word,
        _ => unreachable!("at most 64 bits"),
    }
}

fn put_bv(out: &mut Column, lane: usize, value: Bv) {
    match out {
        Column::Small(out) => out[lane] = value.small().expect("at most 64 bits"),
        Column::Wide(out) => out[lane] = value,
        _ => unreachable!("a column of its own"),
    }
}
