//! Quick tests: known solutions of related sets, tried all at once by column evaluation (paper 4, algorithm 2).
//!
//! Every set of atoms that was answered, and every prefix of it or branch off it that a partial solution satisfies,
//! has a list of solutions. A new set tries those of its own prefixes, the longest first: their solutions are the
//! closest to its own.

use std::sync::Arc;

use refrain_term::{Assignment, Batch, Bits, Rational, Term, Terms, Value};
use rustc_hash::FxHashMap;

use refrain_path::atoms::{AtomId, AtomTable};
use refrain_path::inputs::{InputId, InputTable, Place};
use refrain_path::solution::{Datum, Read, Solution, SolutionId, read, write_datum, write_word};

/// The most solutions that are kept for one set.
const PER_SET: usize = 16;

#[derive(Default)]
pub struct QuickTests {
    by_key: FxHashMap<u128, Vec<SolutionId>>,
}

impl QuickTests {
    /// Keeps a solution for the set with this key. (Solutions are tested before they are believed: a key is enough.)
    pub fn add(&mut self, key: u128, solution: SolutionId) {
        let solutions = self.by_key.entry(key).or_default();
        if solutions.len() < PER_SET && !solutions.contains(&solution) {
            solutions.push(solution);
        }
    }

    /// Up to `limit` solutions of the prefixes of a list of atoms, of the longest first.
    pub fn candidates(&self, table: &AtomTable, atoms: &[AtomId], limit: usize) -> Vec<SolutionId> {
        let mut key = table.key(atoms.iter().copied());
        let mut candidates: Vec<SolutionId> = Vec::new();
        for &atom in atoms.iter().rev() {
            if let Some(solutions) = self.by_key.get(&key) {
                for &solution in solutions {
                    if !candidates.contains(&solution) {
                        candidates.push(solution);
                    }
                }
            }
            if candidates.len() >= limit {
                break;
            }
            key = key.wrapping_sub(table.get(atom).hash);
        }
        candidates.truncate(limit);
        candidates
    }
}

/// The first solution under which all formulas hold, everything but the wanted inputs being as in `base`.
pub fn first_satisfying(
    terms: &Terms,
    inputs: &InputTable,
    base: &Arc<Assignment>,
    formulas: &[Term],
    solutions: &[&Solution],
    wanted: impl Fn(InputId) -> bool,
) -> Option<usize> {
    let mut batch = match columns(inputs, base, solutions, &wanted) {
        Some(batch) => batch,
        None => Batch::from_shared(
            solutions
                .iter()
                .map(|solution| Arc::new(with(inputs, base, solution, &wanted)))
                .collect(),
        ),
    };
    let mut holding = Bits::ones(solutions.len());
    // The last atoms are the newest, and the most likely to fail.
    for newest in formulas.rchunks(8) {
        for bits in batch.eval(terms, newest) {
            holding.intersect(&bits);
        }
        holding.first()?;
    }
    holding.first()
}

/// The values of the wanted inputs side by side, if all of them are words or numbers.
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
        for (id, datum) in solution.others.iter().filter(|(id, _)| wanted(*id)) {
            let Datum::Value(Value::Int(number) | Value::Real(number)) = datum else {
                return None;
            };
            numbers.entry(*id).or_insert_with(|| vec![None; lanes])[lane] = Some(number.clone());
        }
    }
    let mut batch = Batch::new(lanes, base.clone());
    for (id, column) in words {
        set_words(&mut batch, inputs.place(id), base, column)?;
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

fn set_words(
    batch: &mut Batch,
    place: &Place,
    base: &Assignment,
    column: Vec<Option<u64>>,
) -> Option<()> {
    let Read::Word(own) = read(place, base) else {
        return None;
    };
    let lanes = column.len();
    let words = column.into_iter().map(|word| word.unwrap_or(own));
    match place {
        Place::Bool(var) => {
            let mut bits = Bits::new(lanes);
            for (lane, word) in words.enumerate() {
                bits.set(lane, word != 0);
            }
            batch.set_bool(*var, &bits);
        }
        Place::Word { var, .. } => batch.set_bv(*var, words.collect()),
        Place::Cell { array, index, .. } => {
            batch.set_cell(*array, index.clone(), words.collect());
        }
        _ => return None,
    }
    Some(())
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
