//! Atoms under known solutions: which hold in which.
//!
//! An atom that depends on a single byte is a table of 256 bits, made once, in which solutions are looked up. Any other
//! atom is evaluated under all solutions at once, as columns.

use std::sync::Arc;

use refrain_term::{Assignment, Batch, Bits, Rational, Terms, Value};
use rustc_hash::FxHashMap;

use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::inputs::{InputId, InputTable, Place};
use refrain_path::solution::{Datum, Read, Solution, read, write_datum, write_word};

/// The values of a byte under which an atom holds.
pub type ByteSet = [u64; 4];

#[derive(Default)]
pub struct Truth {
    /// By atom that depends on a single byte.
    bytes: FxHashMap<AtomId, ByteSet>,
}

impl Truth {
    /// About how many bytes the tables take.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity() * (size_of::<(AtomId, ByteSet)>() + 1)
    }

    /// In which of these solutions an atom holds; what they say nothing about is as in `base`.
    pub fn of(
        &mut self,
        terms: &Terms,
        table: &AtomTable,
        base: &Arc<Assignment>,
        solutions: &[&Solution],
        atom: AtomId,
    ) -> Bits {
        if let Some(input) = table.get(atom).byte
            && solutions.iter().all(|solution| solution.is_scalar())
        {
            let own = word_in(&table.inputs, base, input);
            let holding = self.byte_set(terms, table, atom, input);
            let mut bits = Bits::new(solutions.len());
            for (lane, solution) in solutions.iter().enumerate() {
                let word = solution.word(input).or(own).unwrap_or(0);
                bits.set(lane, contains(holding, word));
            }
            return bits;
        }
        let inputs = &table.get(atom).inputs;
        let mut places = inputs.iter().map(|&id| table.inputs.place(id));
        // Cells have what the array has as a whole, and the other way round.
        let has_whole = !places.all(is_scalar) || !solutions.iter().all(|all| all.is_scalar());
        let wanted = |id| has_whole || inputs.binary_search(&id).is_ok();
        let mut batch = side_by_side(&table.inputs, base, solutions, wanted);
        batch.eval(terms, &[table.get(atom).term]).remove(0)
    }

    /// The values of its only input, a byte, under which an atom holds.
    pub fn byte_set(
        &mut self,
        terms: &Terms,
        table: &AtomTable,
        atom: AtomId,
        input: InputId,
    ) -> &ByteSet {
        self.bytes.entry(atom).or_insert_with(|| {
            let mut batch = Batch::new(256, Assignment::new());
            // Of fewer than 8 bits there are fewer values: they repeat.
            let all = (0..256).collect();
            match table.inputs.place(input) {
                Place::Word { var, width } => batch.set_bv(*var, within(all, *width)),
                Place::Cell {
                    array,
                    index,
                    width,
                    ..
                } => batch.set_cell(*array, index.clone(), within(all, *width)),
                _ => unreachable!("a byte"),
            }
            let holding = batch.eval(terms, &[table.get(atom).term]).remove(0);
            let mut set = ByteSet::default();
            set.copy_from_slice(holding.words());
            set
        })
    }
}

fn within(values: Vec<u64>, width: u32) -> Vec<u64> {
    let mask = (1 << width) - 1;
    values.into_iter().map(|value| value & mask).collect()
}

#[inline]
pub fn contains(set: &ByteSet, byte: u64) -> bool {
    set[(byte / 64) as usize & 3] >> (byte % 64) & 1 != 0
}

fn is_scalar(place: &Place) -> bool {
    match place {
        Place::Value { sort, .. } => sort.is_number(),
        place => place.is_word(),
    }
}

/// The word that an input has in an assignment, if it is one.
pub fn word_in(inputs: &InputTable, assignment: &Assignment, input: InputId) -> Option<u64> {
    let place = inputs.place(input);
    match place.is_word().then(|| read(place, assignment)) {
        Some(Read::Word(word)) => Some(word),
        _ => None,
    }
}

/// A solution with values for all of these inputs: those it lacks are as in `base`. None if it lacks none.
pub fn extended(
    inputs: &InputTable,
    base: &Assignment,
    solution: &Solution,
    wanted: &[InputId],
) -> Option<Solution> {
    let has = |id: InputId| solution.word(id).is_some() || solution.datum(id).is_some();
    let mut missing = wanted.iter().copied().filter(|&id| !has(id)).peekable();
    missing.peek()?;
    let own = { solution.words.iter().map(|&(id, _)| id) }
        .chain(solution.others.iter().map(|(id, _)| *id));
    let mut all: Vec<InputId> = own.chain(missing).collect();
    all.sort_unstable();
    let assignment = with(inputs, base, solution, |_| true);
    Some(Solution::of(inputs, &assignment, all))
}

/// The first solution under which all formulas hold, everything but the wanted inputs being as in `base`.
pub fn first_satisfying(
    terms: &Terms,
    table: &AtomTable,
    base: &Arc<Assignment>,
    atoms: &[AtomId],
    solutions: &[&Solution],
    wanted: impl Fn(InputId) -> bool,
) -> Option<usize> {
    let mut batch = side_by_side(&table.inputs, base, solutions, wanted);
    let mut holding = Bits::ones(solutions.len());
    // The last atoms are the newest, and the most likely to fail.
    for newest in atoms.rchunks(8) {
        let newest: Vec<_> = newest.iter().map(|&atom| table.get(atom).term).collect();
        for bits in batch.eval(terms, &newest) {
            holding.intersect(&bits);
        }
        holding.first()?;
    }
    holding.first()
}

/// Solutions as lanes, everything but the wanted inputs being as in `base`.
pub fn side_by_side(
    inputs: &InputTable,
    base: &Arc<Assignment>,
    solutions: &[&Solution],
    wanted: impl Fn(InputId) -> bool,
) -> Batch {
    columns(inputs, base, solutions, &wanted).unwrap_or_else(|| {
        let each = solutions.iter();
        Batch::from_shared(
            each.map(|solution| Arc::new(with(inputs, base, solution, &wanted)))
                .collect(),
        )
    })
}

/// The values of the wanted inputs side by side, if all are words or numbers.
fn columns(
    inputs: &InputTable,
    base: &Arc<Assignment>,
    solutions: &[&Solution],
    wanted: impl Fn(InputId) -> bool,
) -> Option<Batch> {
    let lanes = solutions.len();
    let mut words: FxHashMap<InputId, Vec<Option<u64>>> = FxHashMap::default();
    let mut numbers: FxHashMap<InputId, Vec<Option<Rational>>> = FxHashMap::default();
    for (lane, solution) in solutions.iter().enumerate() {
        for &(id, word) in solution.words.iter().filter(|(id, _)| wanted(*id)) {
            words.entry(id).or_insert_with(|| vec![None; lanes])[lane] = Some(word);
        }
        for (id, datum) in &solution.others {
            // An array that is not wanted itself has cells that may be.
            let Datum::Value(Value::Int(number) | Value::Real(number)) = datum else {
                return None;
            };
            if wanted(*id) {
                let column = numbers.entry(*id).or_insert_with(|| vec![None; lanes]);
                column[lane] = Some(number.clone());
            }
        }
    }
    let mut batch = Batch::new(lanes, base.clone());
    for (id, column) in words {
        let Read::Word(own) = read(inputs.place(id), base) else {
            return None;
        };
        let column = column.into_iter().map(|word| word.unwrap_or(own));
        set_words(&mut batch, inputs.place(id), column.collect());
    }
    for (id, column) in numbers {
        let Place::Value { var, .. } = *inputs.place(id) else {
            return None;
        };
        let own = base.get(var).and_then(Value::as_number).cloned();
        let own = own.unwrap_or_default();
        let column = column.into_iter();
        let column = column.map(|number| number.unwrap_or_else(|| own.clone()));
        batch.set_number(var, column.collect());
    }
    Some(batch)
}

/// Sets an input that is a word in every lane.
pub fn set_words(batch: &mut Batch, place: &Place, words: Vec<u64>) {
    match place {
        Place::Bool(var) => {
            let mut bits = Bits::new(words.len());
            for (lane, word) in words.into_iter().enumerate() {
                bits.set(lane, word != 0);
            }
            batch.set_bool(*var, &bits);
        }
        Place::Word { var, .. } => batch.set_bv(*var, words),
        Place::Cell { array, index, .. } => batch.set_cell(*array, index.clone(), words),
        _ => unreachable!("a word belongs to a small input"),
    }
}

fn with(
    inputs: &InputTable,
    base: &Assignment,
    solution: &Solution,
    wanted: impl Fn(InputId) -> bool,
) -> Assignment {
    let mut assignment = base.clone();
    for &(id, word) in solution.words.iter().filter(|(id, _)| wanted(*id)) {
        write_word(inputs.place(id), &mut assignment, word);
    }
    for (id, datum) in solution.others.iter().filter(|(id, _)| wanted(*id)) {
        write_datum(inputs.place(*id), &mut assignment, datum);
    }
    assignment
}
