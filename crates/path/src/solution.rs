//! Solutions: values of the inputs that some atoms depend on, taken out of a model and put into another.

use refrain_term::{Assignment, Bv, FuncValue, Value};

use crate::inputs::{InputId, InputTable, Place};

/// Values of some inputs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solution {
    /// Of Bool, and of up to 64 bits; by input, ascending.
    pub words: Box<[(InputId, u64)]>,
    /// By input, ascending.
    pub others: Box<[(InputId, Datum)]>,
}

/// A value that is no machine word.
#[derive(Clone, Debug)]
pub enum Datum {
    Value(Value),
    Func(FuncValue),
}

/// About what a cell of an array takes, and a row of a function.
const CELL_BYTES: usize = 64;

impl Datum {
    /// About how many bytes it takes elsewhere.
    fn bytes(&self) -> usize {
        match self {
            Datum::Value(Value::Array(array)) => CELL_BYTES * array.len(),
            Datum::Value(_) => 0,
            Datum::Func(func) => CELL_BYTES * func.entries().count(),
        }
    }
}

impl PartialEq for Datum {
    fn eq(&self, other: &Datum) -> bool {
        match (self, other) {
            (Datum::Value(a), Datum::Value(b)) => a == b,
            // Functions are not compared: at worst the same solution is kept twice.
            _ => false,
        }
    }
}

impl Solution {
    /// The value of an input, if that is a word.
    #[inline]
    pub fn word(&self, id: InputId) -> Option<u64> {
        let place = self.words.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.words[place].1)
    }

    /// The value of an input, if that is no word.
    pub fn datum(&self, id: InputId) -> Option<&Datum> {
        let place = self.others.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.others[place].1)
    }

    /// About how many bytes the values take.
    fn bytes(&self) -> usize {
        let others = self.others.iter().map(|(_, datum)| datum.bytes());
        size_of_val(&*self.words) + size_of_val(&*self.others) + others.sum::<usize>()
    }

    /// Whether all values are words and numbers.
    pub fn is_scalar(&self) -> bool {
        let is_number =
            |datum: &Datum| matches!(datum, Datum::Value(Value::Int(_) | Value::Real(_)));
        self.others.iter().all(|(_, datum)| is_number(datum))
    }

    /// The values that these inputs, ascending, have in an assignment.
    pub fn of(
        inputs: &InputTable,
        assignment: &Assignment,
        of: impl IntoIterator<Item = InputId>,
    ) -> Solution {
        let (mut words, mut others) = (Vec::new(), Vec::new());
        for id in of {
            match read(inputs.place(id), assignment) {
                Read::Word(word) => words.push((id, word)),
                Read::Datum(datum) => others.push((id, datum)),
            }
        }
        Solution {
            words: words.into(),
            others: others.into(),
        }
    }
}

impl Solution {
    /// An assignment with these values, and all others as they are.
    pub fn put_into(&self, inputs: &InputTable, assignment: &Assignment) -> Assignment {
        let mut changed = assignment.clone();
        for &(id, word) in &self.words {
            write_word(inputs.place(id), &mut changed, word);
        }
        for (id, datum) in &self.others {
            write_datum(inputs.place(*id), &mut changed, datum);
        }
        changed
    }
}

/// All solutions kept.
#[derive(Default)]
pub struct Solutions {
    all: Vec<Kept>,
    /// The check that is under way.
    now: u32,
    /// About how many bytes the values take.
    value_bytes: usize,
}

struct Kept {
    solution: Solution,
    /// The check in which it was last of use.
    used: u32,
    /// Whether a search went through it on its way.
    is_partial: bool,
}

/// A kept solution. The id is its own until solutions are forgotten.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SolutionId(pub u32);

/// What became of solutions when some were forgotten.
pub struct Renumbering(Vec<Option<SolutionId>>);

impl Renumbering {
    /// The new id of a solution, if it is still kept.
    pub fn of(&self, before: SolutionId) -> Option<SolutionId> {
        self.0[before.0 as usize]
    }

    /// How many solutions were forgotten.
    pub fn forgotten(&self) -> usize {
        self.0.iter().filter(|kept| kept.is_none()).count()
    }
}

impl Solutions {
    pub fn add(&mut self, solution: Solution) -> SolutionId {
        self.put(solution, false)
    }

    /// Adds one that a search went through on its way.
    pub fn add_partial(&mut self, solution: Solution) -> SolutionId {
        self.put(solution, true)
    }

    fn put(&mut self, solution: Solution, is_partial: bool) -> SolutionId {
        self.value_bytes += solution.bytes();
        self.all.push(Kept {
            solution,
            used: self.now,
            is_partial,
        });
        SolutionId(self.all.len() as u32 - 1)
    }

    pub fn is_partial(&self, id: SolutionId) -> bool {
        self.all[id.0 as usize].is_partial
    }

    #[inline]
    pub fn get(&self, id: SolutionId) -> &Solution {
        &self.all[id.0 as usize].solution
    }

    /// Another check begins.
    pub fn begin(&mut self, check: u32) {
        self.now = check;
    }

    /// A solution is of use to the check that is under way.
    pub fn note_use(&mut self, id: SolutionId) {
        self.all[id.0 as usize].used = self.now;
    }

    /// The checks in which solutions were last of use.
    pub fn uses(&self) -> impl Iterator<Item = u32> {
        self.all.iter().map(|kept| kept.used)
    }

    /// Forgets the solutions that were of no use after a check. Whoever has ids must renumber them.
    pub fn forget_until(&mut self, check: u32) -> Renumbering {
        let mut ids = (0..).map(SolutionId);
        let stays = |kept: &Kept| kept.used > check;
        let renumbered = self.all.iter();
        let renumbered = renumbered.map(|kept| stays(kept).then(|| ids.next())?);
        let renumbered = Renumbering(renumbered.collect());
        self.all.retain(stays);
        self.all.shrink_to_fit();
        self.value_bytes = self.all.iter().map(|kept| kept.solution.bytes()).sum();
        renumbered
    }

    /// About how many bytes all of them take.
    pub fn bytes(&self) -> usize {
        self.value_bytes + self.all.capacity() * size_of::<Kept>()
    }
}

pub enum Read {
    Word(u64),
    Datum(Datum),
}

/// The value at a place.
pub fn read(place: &Place, assignment: &Assignment) -> Read {
    match place {
        Place::Bool(var) => {
            let value = assignment.get(*var).and_then(Value::as_bool);
            Read::Word(u64::from(value.unwrap_or(false)))
        }
        Place::Word { var, .. } => {
            let value = assignment.get(*var).and_then(Value::as_bv);
            Read::Word(value.and_then(Bv::small).unwrap_or(0))
        }
        Place::Cell { array, index, .. } => {
            let array = assignment.get(*array).and_then(Value::as_array);
            let element = array.and_then(|array| array.get(index).small());
            Read::Word(element.unwrap_or(0))
        }
        Place::WideCell { array, index, sort } => {
            let value = match assignment.get(*array).and_then(Value::as_array) {
                Some(array) => array.get(index),
                None => element_zero(*sort),
            };
            Read::Datum(Datum::Value(Value::Bv(value)))
        }
        Place::Value { var, sort } => {
            let value = assignment.get(*var).cloned();
            Read::Datum(Datum::Value(value.unwrap_or_else(|| Value::zero(*sort))))
        }
        Place::Func { func, result } => {
            let value = assignment.func(*func).cloned();
            Read::Datum(Datum::Func(
                value.unwrap_or_else(|| FuncValue::new(Value::zero(*result))),
            ))
        }
    }
}

fn element_zero(sort: refrain_term::Sort) -> Bv {
    match sort {
        refrain_term::Sort::Array { element, .. } => Bv::zero(element),
        _ => unreachable!("the sort of an array"),
    }
}

/// Sets the word at a place.
pub fn write_word(place: &Place, assignment: &mut Assignment, word: u64) {
    match place {
        Place::Bool(var) => assignment.set(*var, word != 0),
        Place::Word { var, width } => assignment.set(*var, Bv::new(*width, word)),
        Place::Cell {
            array,
            index,
            width,
            sort,
        } => assignment.set_cell(*array, index.clone(), Bv::new(*width, word), *sort),
        _ => unreachable!("a word belongs to a small input"),
    }
}

/// Sets the value at a place that holds no word.
pub fn write_datum(place: &Place, assignment: &mut Assignment, datum: &Datum) {
    match (place, datum) {
        (Place::Value { var, .. }, Datum::Value(value)) => assignment.set(*var, value.clone()),
        (Place::WideCell { array, index, sort }, Datum::Value(Value::Bv(value))) => {
            assignment.set_cell(*array, index.clone(), value.clone(), *sort);
        }
        (Place::Func { func, .. }, Datum::Func(value)) => assignment.set_func(*func, value.clone()),
        _ => unreachable!("a value of its place"),
    }
}
