//! Assignments: what symbols stand for when a term is evaluated.
//!
//! Models, partial solutions and test inputs are all assignments. They are partial: a symbol that is missing reads as
//! zero (`false`, all bits zero, an array or function that is zero everywhere), so an assignment always gives every
//! term a value.
//!
//! Equality of values is equality of what they mean. Two arrays are equal if they hold the same element at every
//! index, however they are written down.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::dense::Dense;
use crate::epoch::Tag;
use crate::{Bv, FuncId, Rational, Rounding, Sort, Term, Terms, VarId};

/// What a term of any sort evaluates to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Bv(Bv),
    Array(ArrayValue),
    /// An integer.
    Int(Rational),
    Real(Rational),
}

impl Value {
    /// `false`, zero, or the array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::BitVec(width) => Value::Bv(Bv::zero(width)),
            Sort::Array { index, element } => Value::Array(ArrayValue::new(index, element)),
            Sort::Int | Sort::Coded(_) => Value::Int(Rational::ZERO),
            Sort::Real => Value::Real(Rational::ZERO),
            Sort::Float(format) => Value::Bv(Bv::zero(format.width())),
            Sort::RoundingMode => Value::Bv(Bv::zero(Rounding::WIDTH)),
        }
    }

    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bv(value) => Sort::BitVec(value.width()),
            Value::Array(array) => array.sort(),
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_bv(&self) -> Option<&Bv> {
        match self {
            Value::Bv(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The value of this number sort.
    pub fn number(sort: Sort, value: Rational) -> Value {
        match sort {
            Sort::Int => Value::Int(value),
            Sort::Real => Value::Real(value),
            sort => panic!("a number of sort {sort}"),
        }
    }

    /// The number, if it is an Int or a Real.
    pub fn as_number(&self) -> Option<&Rational> {
        match self {
            Value::Int(value) | Value::Real(value) => Some(value),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<Bv> for Value {
    fn from(value: Bv) -> Value {
        Value::Bv(value)
    }
}

impl From<ArrayValue> for Value {
    fn from(value: ArrayValue) -> Value {
        Value::Array(value)
    }
}

/// An array: a default element, and the cells that differ from it.
///
/// Cells of at most 64 bits at the indices from zero on are packed; the others are in a hash table.
#[derive(Clone, Debug)]
pub struct ArrayValue {
    index_width: u32,
    element_width: u32,
    default: Bv,
    dense: Dense,
    /// Indices beyond the dense ones. No cell holds the default.
    sparse: FxHashMap<Bv, Bv>,
}

impl ArrayValue {
    /// Zero everywhere.
    pub fn new(index_width: u32, element_width: u32) -> ArrayValue {
        ArrayValue::filled(index_width, Bv::zero(element_width))
    }

    /// The same element everywhere.
    pub fn filled(index_width: u32, element: Bv) -> ArrayValue {
        let element_width = element.width();
        ArrayValue {
            index_width,
            element_width,
            dense: Dense::new(element_width.min(64), element.small().unwrap_or(0)),
            default: element,
            sparse: FxHashMap::default(),
        }
    }

    pub fn index_width(&self) -> u32 {
        self.index_width
    }

    pub fn element_width(&self) -> u32 {
        self.element_width
    }

    pub fn sort(&self) -> Sort {
        Sort::Array {
            index: self.index_width,
            element: self.element_width,
        }
    }

    /// The element of every index that is not among the cells.
    pub fn default(&self) -> &Bv {
        &self.default
    }

    #[inline]
    pub fn get(&self, index: &Bv) -> Bv {
        if let Some(element) = index.small().and_then(|index| self.dense.get(index)) {
            return Bv::new(self.element_width, element);
        }
        self.sparse.get(index).unwrap_or(&self.default).clone()
    }

    /// The element at an index, neither of them of more than 64 bits.
    #[inline]
    pub(crate) fn word(&self, index: u64) -> u64 {
        match self.dense.get(index) {
            Some(element) => element,
            None => self.far_word(index),
        }
    }

    /// The elements of all indices that [`dense::place`] puts into this word, unless they are to be looked up one by
    /// one.
    #[inline]
    pub(crate) fn packed(&self, word: usize) -> Option<u64> {
        let is_whole = self.sparse.is_empty() || word < self.dense.words();
        is_whole.then(|| self.dense.word(word))
    }

    fn far_word(&self, index: u64) -> u64 {
        let far = match self.sparse.is_empty() {
            true => None,
            false => self.sparse.get(&Bv::new(self.index_width, index)),
        };
        far.unwrap_or(&self.default)
            .small()
            .expect("elements of at most 64 bits")
    }

    pub fn set(&mut self, index: Bv, element: Bv) {
        debug_assert_eq!(
            (index.width(), element.width()),
            (self.index_width, self.element_width)
        );
        if let (Some(at), Some(word)) = (index.small(), element.small()) {
            if at >= self.dense.len() && element != self.default && self.is_near(at) {
                self.grow(at);
            }
            if at < self.dense.len() {
                self.dense.set(at, word);
                return;
            }
        }
        if element == self.default {
            self.sparse.remove(&index);
        } else {
            self.sparse.insert(index, element);
        }
    }

    /// Whether an index is to be dense: the room up to it is in proportion to the cells.
    fn is_near(&self, index: u64) -> bool {
        index < 64 + 4 * self.len() as u64
    }

    fn grow(&mut self, index: u64) {
        self.dense.grow(index);
        let dense = &mut self.dense;
        self.sparse.retain(|index, element| {
            let (Some(index), Some(element)) = (index.small(), element.small()) else {
                return true;
            };
            let is_far = index >= dense.len();
            if !is_far {
                dense.set(index, element);
            }
            is_far
        });
    }

    /// How many cells differ from the default.
    pub fn len(&self) -> usize {
        self.dense.changed() + self.sparse.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells that differ from the default, in no order.
    fn iter(&self) -> impl Iterator<Item = (Bv, Bv)> + '_ {
        let dense = self.dense.iter().map(|(index, element)| {
            (
                Bv::new(self.index_width, index),
                Bv::new(self.element_width, element),
            )
        });
        let sparse = self.sparse.iter();
        dense.chain(sparse.map(|(index, element)| (index.clone(), element.clone())))
    }

    /// The cells that differ from the default, by ascending index.
    pub fn cells(&self) -> Vec<(Bv, Bv)> {
        let mut cells: Vec<(Bv, Bv)> = self.iter().collect();
        cells.sort_unstable();
        cells
    }

    /// Whether `count` different indices are all there are.
    fn is_whole_space(&self, count: usize) -> bool {
        self.index_width < 64 && count as u64 == 1 << self.index_width
    }

    /// Whether more than half of all indices hold the default. Then no other default can write the same array
    /// with as few cells, and the representation is unique.
    fn default_is_majority(&self) -> bool {
        self.index_width >= 63 || (self.len() as u64) < 1 << (self.index_width - 1)
    }

    /// The same array by its most frequent element, the smallest of them if there are several.
    fn by_most_frequent(&self) -> ArrayValue {
        let everywhere = 1u64 << self.index_width;
        let mut counts: FxHashMap<Bv, u64> = FxHashMap::default();
        counts.insert(self.default.clone(), everywhere - self.len() as u64);
        for (_, element) in self.iter() {
            *counts.entry(element).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        let frequent = counts
            .into_iter()
            .filter(|&(_, count)| count == most)
            .map(|(element, _)| element);
        let default = frequent.min().unwrap_or_else(|| self.default.clone());
        let mut result = ArrayValue::filled(self.index_width, default);
        // Only reached when the cells are at least half of all indices, so going through all is linear in them.
        for index in 0..everywhere {
            let index = Bv::new(self.index_width, index);
            let element = self.get(&index);
            result.set(index, element);
        }
        result
    }

    /// A hash that does not depend on the order of the cells.
    fn hash_cells(&self) -> u64 {
        let cell_hash = |cell: (Bv, Bv)| {
            let mut hasher = FxHasher::default();
            cell.hash(&mut hasher);
            hasher.finish()
        };
        self.iter().map(cell_hash).fold(0, u64::wrapping_add)
    }
}

/// Extensional: the same element at every index.
impl PartialEq for ArrayValue {
    fn eq(&self, other: &ArrayValue) -> bool {
        if self.sort() != other.sort() {
            return false;
        }
        if self.default == other.default && self.sparse.is_empty() && other.sparse.is_empty() {
            return self.dense == other.dense;
        }
        let agree = self
            .iter()
            .all(|(index, element)| other.get(&index) == element)
            && other
                .iter()
                .all(|(index, element)| self.get(&index) == element);
        if !agree {
            return false;
        }
        if self.default == other.default {
            return true;
        }
        // Different defaults do not matter if every index is a cell of one or the other.
        let more = other
            .iter()
            .filter(|(index, _)| self.get(index) == self.default)
            .count();
        self.is_whole_space(self.len() + more)
    }
}

impl Eq for ArrayValue {}

impl Hash for ArrayValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if !self.default_is_majority() {
            let unique = self.by_most_frequent();
            (unique.sort(), &unique.default, unique.hash_cells()).hash(state);
            return;
        }
        (self.sort(), &self.default, self.hash_cells()).hash(state);
    }
}

/// A function: a default result, and the argument tuples that have another.
#[derive(Clone, Debug)]
pub struct FuncValue {
    default: Value,
    entries: FxHashMap<Box<[Value]>, Value>,
}

impl FuncValue {
    pub fn new(default: Value) -> FuncValue {
        FuncValue {
            default,
            entries: FxHashMap::default(),
        }
    }

    pub fn default(&self) -> &Value {
        &self.default
    }

    pub fn get(&self, args: &[Value]) -> &Value {
        self.entries.get(args).unwrap_or(&self.default)
    }

    pub fn set(&mut self, args: impl Into<Box<[Value]>>, result: Value) {
        self.entries.insert(args.into(), result);
    }

    pub fn entries(&self) -> impl Iterator<Item = (&[Value], &Value)> {
        self.entries
            .iter()
            .map(|(args, result)| (&args[..], result))
    }
}

/// Values of symbols and functions. What is missing is zero.
#[derive(Clone, Default, Debug)]
pub struct Assignment {
    vars: FxHashMap<VarId, Value>,
    funcs: FxHashMap<FuncId, FuncValue>,
}

impl Assignment {
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// In debug builds: that a symbol is of the arena that those which have a value are of.
    #[inline(always)]
    fn check(&self, _tag: Tag) {
        #[cfg(debug_assertions)]
        {
            let var = self.vars.keys().next().map(|var| var.tag());
            let func = self.funcs.keys().next().map(|func| func.tag());
            for other in var.into_iter().chain(func) {
                other.check_same(_tag);
            }
        }
    }

    pub fn set(&mut self, var: VarId, value: impl Into<Value>) {
        self.check(var.tag());
        self.vars.insert(var, value.into());
    }

    #[inline]
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.check(var.tag());
        self.vars.get(&var)
    }

    pub fn remove(&mut self, var: VarId) -> Option<Value> {
        self.vars.remove(&var)
    }

    /// Writes one cell of an array symbol of this sort; the array starts out as zeros.
    pub fn set_cell(&mut self, var: VarId, index: Bv, element: Bv, sort: Sort) {
        self.check(var.tag());
        let array = self.vars.entry(var).or_insert_with(|| Value::zero(sort));
        let Value::Array(array) = array else {
            panic!("a cell of a {}", array.sort())
        };
        array.set(index, element);
    }

    pub fn set_func(&mut self, func: FuncId, value: FuncValue) {
        self.check(func.tag());
        self.funcs.insert(func, value);
    }

    pub fn func(&self, func: FuncId) -> Option<&FuncValue> {
        self.check(func.tag());
        self.funcs.get(&func)
    }

    /// The function's value, to be changed; it starts out as zero of sort `result`.
    pub fn func_mut(&mut self, func: FuncId, result: Sort) -> &mut FuncValue {
        self.check(func.tag());
        self.funcs
            .entry(func)
            .or_insert_with(|| FuncValue::new(Value::zero(result)))
    }

    /// How many symbols and functions have a value.
    pub fn len(&self) -> usize {
        self.vars.len() + self.funcs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbols that have a value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Value)> {
        let mut vars: Vec<_> = self.vars.iter().map(|(&var, value)| (var, value)).collect();
        vars.sort_unstable_by_key(|&(var, _)| var);
        vars.into_iter()
    }

    /// The functions that have a value, in order.
    pub fn funcs(&self) -> impl Iterator<Item = (FuncId, &FuncValue)> {
        let mut funcs: Vec<_> = self
            .funcs
            .iter()
            .map(|(&func, value)| (func, value))
            .collect();
        funcs.sort_unstable_by_key(|&(func, _)| func);
        funcs.into_iter()
    }
}

impl Terms {
    /// The term of a value.
    pub fn of_value(&mut self, value: &Value) -> Term {
        match value {
            Value::Bool(value) => Term::bool(*value),
            Value::Bv(value) => self.constant(value.clone()),
            Value::Array(array) => {
                let default = self.constant(array.default.clone());
                let base = self.const_array(array.index_width, default);
                self.table(base, array.iter().collect())
            }
            Value::Int(value) => self.number(Sort::Int, value.clone()),
            Value::Real(value) => self.number(Sort::Real, value.clone()),
        }
    }
}
