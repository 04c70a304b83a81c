//! One block of lanes on its way through the plan: the loops over columns.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::eval::operate;
use crate::value::{mask, sign_extend_u64};
use crate::{Bv, Op, Terms, Value};

use super::plan::Plan;
use super::{Batch, Leaf, LeafColumn};

/// The cells of a table of at most 64 bits, ready for many reads.
pub(super) enum Lookup {
    Dense(Vec<Option<u64>>),
    Sparse(FxHashMap<u64, u64>),
    /// Too wide: to be looked up in the arena.
    Wide,
}

impl Lookup {
    fn new(cells: &[(Bv, Bv)]) -> Lookup {
        let small = |(index, element): &(Bv, Bv)| Some((index.small()?, element.small()?));
        let Some(cells) = cells.iter().map(small).collect::<Option<Vec<(u64, u64)>>>() else {
            return Lookup::Wide;
        };
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
pub(super) enum Lanes<'a> {
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
pub(super) struct Block<'a> {
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

impl<'a> Block<'a> {
    /// A block of these lanes, with buffers that an earlier one has left.
    pub(super) fn new(
        batch: &'a mut Batch,
        terms: &'a Terms,
        plan: &'a Plan,
        lanes: Range<usize>,
        free: Vec<Vec<u64>>,
    ) -> Block<'a> {
        Block {
            batch,
            terms,
            plan,
            start: lanes.start,
            len: lanes.len(),
            columns: plan.nodes.iter().map(|_| Column::None).collect(),
            uses: plan.uses.clone(),
            free,
        }
    }

    /// Evaluates every term of the plan.
    pub(super) fn run(&mut self) {
        for place in 0..self.plan.nodes.len() {
            self.evaluate(place);
        }
    }

    /// The buffers, to be used again.
    pub(super) fn into_free(self) -> Vec<Vec<u64>> {
        self.free
    }

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
        self.terms
            .sort(self.plan.nodes[place].term)
            .width()
            .unwrap_or(1)
    }

    /// Whether a node and all its operands have at most 64 bits.
    fn is_small(&self, place: usize) -> bool {
        let operands = self.plan.operands(place);
        self.width(place) <= 64
            && operands
                .iter()
                .all(|&operand| self.width(operand as usize) <= 64)
    }

    /// The column of a place of at most 64 bits.
    pub(super) fn small(&self, place: usize) -> Lanes<'_> {
        match &self.columns[place] {
            Column::Uniform(value) => Lanes::Uniform(*value),
            Column::Small(column) => Lanes::Each(column),
            Column::Leaf(leaf) => match &self.batch.leaves[*leaf as usize] {
                LeafColumn::Small(column) if column.len() == 1 => Lanes::Uniform(column[0]),
                LeafColumn::Small(column) => {
                    Lanes::Each(&column[self.start..self.start + self.len])
                }
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
            Op::BvAshr => self.zip(a, b, |a, b| {
                (sign_extend_u64(a, width) >> b.min(bits - 1)) as u64 & all
            }),
            Op::Concat => {
                let low = self.width(b);
                self.zip(a, b, |a, b| a << low | b)
            }
            Op::Extract { lo } => self.map(a, |a| a >> lo & result),
            Op::SignExtend => self.map(a, |a| sign_extend_u64(a, width) as u64 & result),
            Op::BvUlt => self.zip(a, b, |a, b| u64::from(a < b)),
            Op::BvSlt => self.zip(a, b, |a, b| {
                u64::from(((a << top) as i64) < (b << top) as i64)
            }),
            op => unreachable!("{op:?} is handled elsewhere"),
        }
    }

    /// Operators that take or give more than 64 bits.
    fn compute_wide(&mut self, place: usize) -> Column {
        let plan = self.plan;
        let operands = plan.operands(place);
        let op = self.terms.op(plan.nodes[place].term);
        let width = self.width(place);
        let uniform = operands
            .iter()
            .all(|&operand| self.is_uniform(operand as usize));
        let lanes = if uniform { 1 } else { self.len };
        let (mut small, mut wide) = (Vec::new(), Vec::new());
        for lane in 0..lanes {
            let values: Vec<Cow<'_, Bv>> = operands
                .iter()
                .map(|&operand| self.bv(operand as usize, lane))
                .collect();
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
        let [c, t, e] = *plan.operands(place) else {
            unreachable!("three operands")
        };
        let [c, t, e] = [c, t, e].map(|operand| operand as usize);
        if let Lanes::Uniform(condition) = self.small(c) {
            return self.copy(if condition != 0 { t } else { e });
        }
        if self.width(place) > 64 {
            let pick = |lane| {
                self.bv(if self.small(c).get(lane) != 0 { t } else { e }, lane)
                    .into_owned()
            };
            return Column::Wide((0..self.len).map(pick).collect());
        }
        let mut out = self.buffer();
        let Lanes::Each(condition) = self.small(c) else {
            unreachable!("handled above")
        };
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
        let [array, index] = *plan.operands(place) else {
            unreachable!("two operands")
        };
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
                    Lanes::Uniform(condition) => {
                        array = operands[if condition != 0 { 1 } else { 2 }] as usize
                    }
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
        let mut out = if element <= 64 {
            Column::Small(self.buffer())
        } else {
            Column::Wide(vec![Bv::zero(element); self.len])
        };
        let mut groups: Vec<(usize, Vec<u32>)> = vec![(array, (0..self.len as u32).collect())];
        while let Some((array, mut lanes)) = groups.pop() {
            if lanes.is_empty() {
                continue;
            }
            let operands = plan.operands(array);
            match self.terms.op(plan.nodes[array].term) {
                Op::Store => {
                    let [below, written, value] =
                        [operands[0], operands[1], operands[2]].map(|p| p as usize);
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
                            let hit =
                                self.bv(index, lane as usize) == self.bv(written, lane as usize);
                            if hit {
                                self.put(&mut out, lane, value);
                            }
                            !hit
                        });
                    }
                    groups.push((below, lanes));
                }
                Op::Table(id) => {
                    let lookup = self
                        .batch
                        .tables
                        .entry(id)
                        .or_insert_with(|| Lookup::new(self.terms.cells(id)));
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
                    let (then, other) = lanes
                        .iter()
                        .partition(|&&lane| condition.get(lane as usize) != 0);
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
                        let value =
                            self.batch
                                .cell(var, &self.bv(index, lane), self.start + lane, element);
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
